#pragma once

#include <cstdint>
#include <memory>

#include "core/alloc/block_round_robin.h"
#include "tb/channel_allocator_if.h"

namespace cavern {

/// C++ twin of rtl/channel_allocator.sv. Who is next it does not decide itself: it asks the drive's
/// own BlockRoundRobin, for which a die of a busy channel is a die without room.
class ReferenceAllocator final : public ChannelAllocatorIf {
  public:
    explicit ReferenceAllocator(const AllocatorShape& shape);

    AllocatorOutputs step(const AllocatorInputs& inputs) override;

  private:
    class OpenChannels final : public SpaceIf {
      public:
        explicit OpenChannels(const Geometry& geometry) : geometry_(geometry) {}
        [[nodiscard]] bool has_room(PlaneId plane, Lpn) const override {
            return ((busy >> raw(geometry_.channel_of(geometry_.die_of(plane)))) & 1u) == 0;
        }
        std::uint32_t busy = 0;

      private:
        Geometry geometry_;
    };

    Geometry geometry_;
    OpenChannels space_;
    BlockRoundRobin round_robin_;
    std::uint32_t left_ = 0; ///< victims of the burst still to be handed out
    std::uint32_t all_;      ///< mask of the channels there are
};

} // namespace cavern
