#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/ring.h"
#include "timed/dram/fr_fcfs_scheduler.h"

namespace cavern {

/// How addresses go to the channels of the SDRAM: `stripe` bytes to each in turn. Powers of two; a
/// stripe holds a burst or more.
struct SdramInterleave {
    std::uint32_t channels = 1;
    std::uint64_t stripe = 512;
};

/// SDRAM of several channels, each with its scheduler, command bus and data bus; the calls are
/// those of FrFcfsScheduler. Stripes of one channel follow each other in its addresses, so that an
/// access is at most one transaction in each channel; it ends with the last of them.
class SdramChannels {
  public:
    explicit SdramChannels(const SdramTiming& timing, SdramInterleave interleave = {});

    void push(std::uint64_t id, std::uint64_t address, std::uint64_t bytes, bool is_write,
              DramClock now);
    [[nodiscard]] DramClock push_alone(std::uint64_t address, std::uint64_t bytes, bool is_write,
                                       DramClock now);
    [[nodiscard]] DramClock next_wake() const;
    void advance(DramClock now);
    [[nodiscard]] bool has_completion(DramClock now);
    SdramCompletion pop_completion();

    /// Sums over the channels; an access counts as one read or write.
    [[nodiscard]] SdramStatistics statistics() const;
    void reset_statistics(DramClock now);
    [[nodiscard]] std::uint64_t open_clocks(DramClock now) const;
    [[nodiscard]] std::uint64_t refreshes(DramClock now) const;

    /// For one channel; not owned.
    void set_observer(std::uint32_t channel, SdramObserverIf* observer) {
        channels_[channel]->set_observer(observer);
    }

  private:
    /// What an access wants of a channel, in addresses of the channel.
    struct Part {
        std::uint32_t channel;
        std::uint64_t address;
        std::uint64_t bytes;
    };
    /// An access of which parts are under way.
    struct Access {
        std::uint64_t id = 0;
        std::uint32_t parts = 0;
        bool is_write = false;
    };

    [[gnu::noinline]] void push_parts(std::uint64_t id, std::uint64_t address, std::uint64_t bytes,
                                      bool is_write, DramClock now);
    [[gnu::noinline]] DramClock push_parts_alone(std::uint64_t address, std::uint64_t bytes,
                                                 bool is_write, DramClock now);
    [[gnu::noinline]] void join(DramClock now);
    void cut(std::uint64_t address, std::uint64_t bytes);

    std::vector<std::unique_ptr<FrFcfsScheduler>> channels_;
    FrFcfsScheduler* only_ = nullptr; ///< where there is one
    std::uint64_t stripe_;
    std::uint32_t stripe_shift_;
    std::uint32_t channel_shift_;
    std::vector<Part> parts_; ///< of the access in hand
    std::vector<Access> accesses_;
    std::vector<std::uint32_t> free_;
    std::uint64_t under_way_ = 0;
    Ring<SdramCompletion> done_;
    SdramStatistics joined_; ///< reads and writes, of several channels
};

} // namespace cavern
