#pragma once

#include <cstdint>
#include <memory>

#include "core/base/strong_id.h"
#include "core/ftl/ftl_params.h"
#include "core/ftl/heat_map.h"
#include "core/ftl/reclaim_handles.h"
#include "core/ftl/streams.h"

namespace cavern {

class StateArchive;

/// Which stream a page takes, where pages of the host are told apart.
class HostStreamsIf {
  public:
    virtual ~HostStreamsIf() = default;
    /// The page is about to be written, or padded.
    virtual Stream of_host(Lpn lpn, bool padding) = 0;
    /// It is about to be moved, but to level wear.
    virtual Stream of_copy(Lpn lpn) = 0;
    /// A block has been opened for pages of the host.
    virtual void on_open(Stream) {}
    virtual void serialize(StateArchive& archive) = 0;
};

/// Hot and cold pages, see HeatMap.
class HeatStreams final : public HostStreamsIf {
  public:
    HeatStreams(const FtlParams& params, std::uint64_t pages);
    [[nodiscard]] static Streams shape() { return {false, 2, 1}; }

    Stream of_host(Lpn lpn, bool padding) override {
        const bool is_hot = padding ? heat_.is_hot(lpn) : heat_.on_write(lpn);
        return shape().host(is_hot ? 0 : 1);
    }
    Stream of_copy(Lpn lpn) override {
        return heat_.is_hot(lpn) ? shape().copy(0) : shape().copy();
    }
    void serialize(StateArchive& archive) override;

  private:
    HeatMap heat_;
};

/// Pages by reclaim unit handle, each of which fills its own blocks; moved ones have a block for
/// each where handles are isolated persistently.
class HandleStreams final : public HostStreamsIf {
  public:
    explicit HandleStreams(ReclaimHandles& handles) : handles_(handles), shape_(shape(handles)) {}
    [[nodiscard]] static Streams shape(const ReclaimHandles& handles) {
        return {false, handles.count(), handles.isolates_persistently() ? handles.count() : 0};
    }

    Stream of_host(Lpn lpn, bool padding) override {
        handles_.on_program(lpn, padding);
        return shape_.host(handles_.wanted(lpn));
    }
    Stream of_copy(Lpn lpn) override {
        handles_.on_move(lpn);
        return shape_.copies != 0 ? shape_.copy(handles_.placed(lpn)) : shape_.copy();
    }
    void on_open(Stream stream) override { handles_.on_open(stream - shape_.host(0)); }
    void serialize(StateArchive&) override {}

  private:
    ReclaimHandles& handles_;
    Streams shape_;
};

} // namespace cavern
