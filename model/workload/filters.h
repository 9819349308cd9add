#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "workload/position.h"
#include "workload/request.h"

namespace cavern {

/// Treatment of a request that ends beyond the drive.
enum class AddressPolicy : std::uint8_t {
    kError, ///< UserError naming the trace line, or the number of the request where there is none
    /// The offset is taken modulo the capacity; a request that then crosses the end is moved down
    /// so that it fits. Nothing is split, and the offset's place in its 512-byte sector is kept.
    kWrap,
};

/// A source over another source; passes on where requests come from. Where the inner source does
/// not know, that is "workload" and the number of the request.
class Filter : public RequestSourceIf, public PositionIf {
  public:
    [[nodiscard]] SourcePosition position() const final;
    [[nodiscard]] bool has_jobs() const final { return source_->has_jobs(); }
    void answered(std::uint32_t job) final { source_->answered(job); }
    [[nodiscard]] TimePs ask_again_at() const override { return source_->ask_again_at(); }

  protected:
    explicit Filter(std::unique_ptr<RequestSourceIf> source);
    /// The next request of the inner source; false at its end.
    bool fetch(HostRequest& request) {
        if (!source_->next(request)) {
            return false;
        }
        ++requests_;
        return true;
    }

  private:
    std::unique_ptr<RequestSourceIf> source_;
    const PositionIf* position_;
    std::uint64_t requests_ = 0;
};

/// The first `count` requests.
class LimitFilter final : public Filter {
  public:
    LimitFilter(std::unique_ptr<RequestSourceIf> source, std::uint64_t count);
    /// Asks its source for no more than it passes on.
    bool next(HostRequest& request) override;
    [[nodiscard]] TimePs ask_again_at() const override {
        return left_ == 0 ? kNever : Filter::ask_again_at();
    }

  private:
    std::uint64_t left_;
};

/// Keeps every request inside a drive of `capacity` bytes. A request larger than the drive is a
/// UserError under either policy. Flushes pass.
class AddressFilter final : public Filter {
  public:
    AddressFilter(std::unique_ptr<RequestSourceIf> source, std::uint64_t capacity,
                  AddressPolicy policy);
    bool next(HostRequest& request) override;

  private:
    [[nodiscard]] std::uint64_t folded(const HostRequest& request) const;
    [[noreturn]] void fail(const HostRequest& request) const;
    std::uint64_t capacity_;
    AddressPolicy policy_;
};

/// Arrival times divided by `factor` (> 0, finite) and rounded down.
class SpeedupFilter final : public Filter {
  public:
    SpeedupFilter(std::unique_ptr<RequestSourceIf> source, double factor);
    bool next(HostRequest& request) override;

  private:
    double factor_;
};

struct FilterOptions {
    std::optional<std::uint64_t> limit;
    std::uint64_t capacity = 0; ///< bytes of the drive
    AddressPolicy out_of_range = AddressPolicy::kError;
    double speedup = 1.0;
};

/// The filters that `options` call for, in this order: limit, addresses, arrival.
[[nodiscard]] std::unique_ptr<RequestSourceIf>
apply_filters(std::unique_ptr<RequestSourceIf> source, const FilterOptions& options);

} // namespace cavern
