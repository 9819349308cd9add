#include "bench/dram_reference_streams.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/random.h"

namespace cavern {

namespace {

constexpr std::size_t kAccesses = 100'000;
constexpr std::uint64_t kAccessBytes = 64;
constexpr std::uint64_t kSpace = kGiB;
constexpr DramClock kMicrosecond = 800; // clocks of 1.25 ns

std::uint64_t random_address(Random& random, std::uint64_t granularity) {
    return (random.next() >> 20) % (kSpace / granularity) * granularity;
}

std::vector<ReferenceAccess> sequential(bool is_write) {
    std::vector<ReferenceAccess> stream;
    for (std::uint64_t i = 0; i < kAccesses; ++i) {
        stream.push_back({0, kAccessBytes * i, is_write});
    }
    return stream;
}

std::vector<ReferenceAccess> single(std::uint64_t seed, bool is_write, DramClock period) {
    Random random(seed);
    std::vector<ReferenceAccess> stream;
    for (std::uint64_t i = 0; i < kAccesses; ++i) {
        stream.push_back({period * i, random_address(random, kAccessBytes), is_write});
    }
    return stream;
}

std::vector<ReferenceAccess> mixed() {
    Random random(3);
    std::vector<ReferenceAccess> stream;
    for (std::uint64_t i = 0; i < kAccesses; ++i) {
        const std::uint64_t address = random_address(random, kAccessBytes);
        stream.push_back({0, address, random.next() >> 63 != 0});
    }
    return stream;
}

class RefreshCounter final : public SdramObserverIf {
  public:
    void on_command(SdramCommand command, DramClock /*at*/, std::uint32_t /*bank*/,
                    std::uint64_t /*row*/, std::uint32_t /*count*/) override {
        count_ += command == SdramCommand::kRefresh ? 1 : 0;
    }
    [[nodiscard]] std::uint64_t count() const { return count_; }

  private:
    std::uint64_t count_ = 0;
};

enum class Direction { kRead, kWrite, kAlternate };

std::vector<ReferenceAccess> bursts(std::uint64_t seed, std::uint64_t size, Direction direction,
                                    DramClock period) {
    Random random(seed);
    std::vector<ReferenceAccess> stream;
    for (std::uint64_t k = 0; stream.size() < kAccesses; ++k) {
        const std::uint64_t base = random_address(random, size);
        const bool is_write =
            direction == Direction::kWrite || (direction == Direction::kAlternate && k % 2 != 0);
        for (std::uint64_t offset = 0; offset < size; offset += kAccessBytes) {
            stream.push_back({period * k, base + offset, is_write});
        }
    }
    stream.resize(kAccesses);
    return stream;
}

} // namespace

SdramTiming ddr3_1600_2gb_x16() {
    SdramTiming timing;
    timing.bus_bits = 64;
    timing.row_bytes = 8192;
    timing.cl = 10;
    timing.t_rcd = 10;
    timing.t_rp = 10;
    timing.t_rc = 38;
    timing.t_rrd = 6;
    timing.t_faw = 32;
    timing.t_rfc = 128;
    timing.t_refi = 4160;
    return timing;
}

SdramTiming ddr4_3200() {
    SdramTiming timing;
    timing.t_ck = 625;
    timing.banks = 16;
    timing.bank_groups = 4;
    timing.cl = 22;
    timing.cwl = 16;
    timing.t_rcd = 22;
    timing.t_rp = 22;
    timing.t_ras = 52;
    timing.t_rc = 74;
    timing.t_rrd = 4;
    timing.t_rrd_l = 8;
    timing.t_faw = 34;
    timing.t_ccd_l = 8;
    timing.t_rtp = 12;
    timing.t_wr = 24;
    timing.t_wtr = 4;
    timing.t_wtr_l = 12;
    timing.t_rfc = 560;
    timing.t_refi = 12480;
    return timing;
}

SdramTiming lpddr4_3200() {
    SdramTiming timing;
    timing.t_ck = 625;
    timing.bus_bits = 16;
    timing.burst_length = 16;
    timing.row_bytes = 2048;
    timing.cl = 34;
    timing.cwl = 14;
    timing.t_rcd = 29;
    timing.t_rp = 29;
    timing.t_rp_ab = 34;
    timing.t_ras = 68;
    timing.t_rc = 97;
    timing.t_rrd = 16;
    timing.t_faw = 64;
    timing.t_ccd = 8;
    timing.t_rtp = 12;
    timing.t_wr = 30;
    timing.t_wtr = 17;
    timing.t_rfc = 448;
    timing.t_refi = 6246;
    return timing;
}

const std::vector<std::string>& reference_stream_names() {
    static const std::vector<std::string> names = {
        "a_seq_rd", "b_seq_wr", "c_rnd_rd",    "d_rnd_wr",    "e_rnd_mix",
        "f_4k_wr",  "g_4k_alt", "h_2k_rd_1us", "i_single_rd", "j_single_rd_1us"};
    return names;
}

std::vector<ReferenceAccess> make_reference_stream(const std::string& name) {
    CAVERN_CHECK(!name.empty(), "an address stream needs a name");
    switch (name.front()) {
    case 'a':
        return sequential(false);
    case 'b':
        return sequential(true);
    case 'c':
        return single(1, false, 0);
    case 'd':
        return single(2, true, 0);
    case 'e':
        return mixed();
    case 'f':
        return bursts(4, 4096, Direction::kWrite, 0);
    case 'g':
        return bursts(5, 4096, Direction::kAlternate, 0);
    case 'h':
        return bursts(6, 2048, Direction::kRead, kMicrosecond);
    case 'i':
        return single(7, false, 0);
    case 'j':
        return single(7, false, kMicrosecond);
    default:
        break;
    }
    throw ModelError("no address stream is called " + name);
}

ReferenceRun run_stream(const std::vector<ReferenceAccess>& stream, const SdramTiming& timing,
                        std::uint32_t bank_queue_depth, bool one_outstanding, std::uint32_t bytes) {
    // Far more than the window and the bank queues hold, so that it never limits the scheduler.
    constexpr std::size_t kFeed = 1024;
    FrFcfsScheduler scheduler(timing, bank_queue_depth);
    RefreshCounter refreshes;
    scheduler.set_observer(&refreshes);
    const std::size_t limit = one_outstanding ? 1 : kFeed;
    ReferenceRun run;
    DramClock now = 0;
    std::size_t next = 0;
    while (next < stream.size() || scheduler.outstanding() != 0) {
        while (next < stream.size() && scheduler.outstanding() < limit &&
               stream[next].earliest <= now) {
            scheduler.push(next, stream[next].address, bytes, stream[next].is_write, now);
            ++next;
        }
        DramClock wake = scheduler.next_wake();
        if (next < stream.size() && scheduler.outstanding() < limit) {
            wake = std::min(wake, stream[next].earliest);
        }
        now = wake;
        scheduler.advance(now);
        while (scheduler.has_completion(now)) {
            run.clocks = scheduler.pop_completion().end;
            ++run.accesses;
        }
        if (one_outstanding && scheduler.outstanding() == 0) {
            ++now;
        }
    }
    run.statistics = scheduler.statistics();
    scheduler.advance(run.clocks + 1);
    run.refreshes = refreshes.count();
    run.bytes_per_second = static_cast<double>(run.statistics.bytes) *
                           static_cast<double>(kSecond) /
                           (static_cast<double>(run.clocks) * static_cast<double>(timing.t_ck));
    return run;
}

} // namespace cavern
