#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/counter.h"
#include "core/base/divisor.h"
#include "core/base/ring.h"
#include "core/parts/sdram_timing.h"

namespace cavern {

/// Number of a clock edge since the start of the simulation.
using DramClock = std::uint64_t;
inline constexpr DramClock kNoClock = ~DramClock{0};

enum class SdramCommand : std::uint8_t {
    kActivate,
    kPrecharge,
    kPrechargeAll,
    kRead,
    kWrite,
    kRefresh
};

/// Sees every command the scheduler issues, in order of clock, for tests and traces. `count` column
/// commands follow each other every max(tCCD_L, burst) clocks; other commands have count 1. Other
/// banks' row commands fall between the column commands of one train. `bank` counts through all
/// ranks; that of a command to a whole rank is the first of the rank.
class SdramObserverIf {
  public:
    virtual ~SdramObserverIf() = default;
    virtual void on_command(SdramCommand command, DramClock at, std::uint32_t bank,
                            std::uint64_t row, std::uint32_t count) = 0;
};

struct SdramStatistics {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t read_bursts = 0;
    std::uint64_t write_bursts = 0;
    std::uint64_t bytes = 0;
    std::uint64_t row_hits = 0;
    std::uint64_t row_misses = 0;
    std::uint64_t row_conflicts = 0;
    std::uint64_t activates = 0;
    std::uint64_t busy_clocks = 0; ///< of the data bus; the controller makes a time of them
    std::uint64_t open_clocks = 0; ///< of ranks with a row open, up to its last precharge

    static constexpr auto declared = counters_of(
        counter(&SdramStatistics::reads, "reads", "transactions",
                "Reads (a page, or part of one) whose last burst was issued."),
        counter(&SdramStatistics::writes, "writes", "transactions",
                "Writes (a page, or part of one) whose last burst was issued."),
        counter(&SdramStatistics::bytes, "bytes", "bytes",
                "Bytes that reads and writes asked for."),
        counter(&SdramStatistics::read_bursts, "read_bursts", "bursts",
                "Bursts read; 0 with dram.model = \"ideal\"."),
        counter(&SdramStatistics::write_bursts, "write_bursts", "bursts",
                "Bursts written; 0 with dram.model = \"ideal\"."),
        counter(&SdramStatistics::activates, "activates", "commands",
                "Rows opened; 0 with dram.model = \"ideal\"."),
        counter(&SdramStatistics::row_hits, "row_hits", "bursts",
                "Bursts that found their row open; 0 with dram.model = \"ideal\"."),
        counter(&SdramStatistics::row_misses, "row_misses", "bursts",
                "Bursts whose bank was closed; 0 with dram.model = \"ideal\"."),
        counter(&SdramStatistics::row_conflicts, "row_conflicts", "bursts",
                "Bursts whose bank had another row open; 0 with dram.model = \"ideal\"."));
};

struct SdramCompletion {
    std::uint64_t id;
    DramClock end; ///< first clock at which all data has been transferred
};

/// Command scheduler of one channel: open page, first-ready first-come-first-served, all-bank
/// refresh never postponed, the ranks in turn. Address map, low to high: byte, column, bank, rank,
/// row. Where tCCD_L is longer than a burst, neighbouring bursts go by turns to banks of two
/// groups: byte, lowest bit of the bank, column, bank, rank, row.
///
/// A transaction is cut into row segments, a segment is a train of bursts that takes constant time
/// to schedule. Trains of two groups run through each other; one alone runs burst by burst, so that
/// another may join. Whatever can be issued first goes first; of those the older (Rixner et al.,
/// ISCA 2000). A bank works on its oldest row hit, else on its oldest segment; but what four
/// windows of younger transactions have overtaken goes first, so that nothing starves. One command
/// a clock. While a rank closes its rows for a refresh (tRP), no other rank gets a command. Left
/// out: power-down, ZQ calibration, refresh bank by bank, read/write grouping, data.
///
/// Decisions are lazy: the caller says when a transaction arrives and asks when the next one can
/// end; all commands in between are worked out on the next call as though at their own clocks. So
/// the caller wakes about once a transaction, and the result does not depend on how often it wakes:
///
///     scheduler.push(id, address, bytes, is_write, now);
///     // at clock scheduler.next_wake():
///     scheduler.advance(now);
///     while (scheduler.has_completion(now)) { finish(scheduler.pop_completion()); }
class FrFcfsScheduler {
  public:
    /// `timing` must pass find_problem (ModelError). `bank_queue_depth`: segments one bank queues
    /// at most before later transactions wait outside the window; 0 for no such limit.
    explicit FrFcfsScheduler(const SdramTiming& timing, std::uint32_t bank_queue_depth = 0);
    FrFcfsScheduler(const FrFcfsScheduler&) = delete; // banks know their rank and group
    FrFcfsScheduler& operator=(const FrFcfsScheduler&) = delete;

    /// A transaction arrives at clock `now`, which never decreases; it may be issued at that clock.
    /// `bytes` > 0. Beyond queue_depth transactions it waits in order of arrival.
    void push(std::uint64_t id, std::uint64_t address, std::uint64_t bytes, bool is_write,
              DramClock now);

    /// For a transaction that arrives while nothing is queued: settles all its commands at once, at
    /// the clocks they would have had, and returns the end of its data; the transaction is then
    /// done with. kNoClock, and nothing done, where something is queued or the transaction spans
    /// rows. What arrives before its last column command finds it settled: there this differs from
    /// push().
    [[nodiscard]] DramClock push_alone(std::uint64_t address, std::uint64_t bytes, bool is_write,
                                       DramClock now);

    /// Whether push_alone can settle that at all, if nothing is queued.
    [[nodiscard]] bool is_one_row(std::uint64_t address, std::uint64_t bytes) const {
        return address >> row_shift_ == (address + bytes - 1) >> row_shift_;
    }

    /// The clock to call advance at: no transaction ends earlier. kNoClock when none is queued.
    [[nodiscard]] DramClock next_wake() const;

    /// Works out every command before clock `now`.
    void advance(DramClock now);

    /// Completions come in order of their end. Valid after advance(now).
    [[nodiscard]] bool has_completion(DramClock now) const {
        return !done_.empty() && done_.front().end <= now;
    }
    SdramCompletion pop_completion() { return done_.pop(); }
    /// End of the next completion, if one is known; kNoClock.
    [[nodiscard]] DramClock completion_due() const {
        return done_.empty() ? kNoClock : done_.front().end;
    }

    /// Transactions not yet popped.
    [[nodiscard]] std::size_t outstanding() const {
        return window_ + waiting_.size() + done_.size();
    }
    [[nodiscard]] const SdramStatistics& statistics() const { return statistics_; }
    /// Counts from clock `now` on.
    void reset_statistics(DramClock now = 0);
    /// Clocks of ranks with a row open, up to `now`: one for each such rank and clock.
    [[nodiscard]] std::uint64_t open_clocks(DramClock now) const;
    /// Refreshes that fell due up to and including clock `now`.
    [[nodiscard]] std::uint64_t refreshes(DramClock now) const;
    [[nodiscard]] const SdramTiming& timing() const { return timing_; }

    /// Not owned; nullptr for none.
    void set_observer(SdramObserverIf* observer) { observer_ = observer; }

  private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    static constexpr std::uint32_t kMaxBanks = kMaxSdramBanks;

    struct Segment {
        std::uint64_t row;
        std::uint64_t age; ///< of its transaction
        std::uint32_t bursts;
        std::uint32_t transaction;
        std::uint32_t next; ///< younger segment of the bank; next free one in the pool
        std::uint32_t previous;
        bool is_write;
    };
    struct Transaction {
        std::uint64_t id;
        std::uint64_t bytes;
        std::uint32_t segments; ///< not yet issued
        std::uint32_t next_free;
    };
    struct Waiting {
        std::uint64_t id;
        std::uint64_t address;
        std::uint64_t bytes;
        bool is_write;
    };
    /// Why the open row of a bank was activated; the first burst afterwards is counted by it.
    enum class Opened : std::uint8_t { kUsed, kAfterClosed, kAfterConflict };
    struct Rank {
        // Of commands to any of its groups, and of other ranks to the data bus.
        DramClock column_ok[2] = {};      ///< of a read, of a write
        DramClock next_activate_ok = 0;   ///< tRRD
        DramClock activate_ok = 0;        ///< of all its banks: tRP, tRFC
        DramClock precharge_ok = 0;       ///< of all its open banks: tRTP, tWR
        DramClock four_activates[4] = {}; ///< tFAW: the last four, each plus tFAW
        std::uint32_t oldest = 0;         ///< of them
        std::uint32_t open_banks = 0;
        DramClock open_since = 0;
    };
    struct Group {
        DramClock column_ok[2] = {}; ///< of a read, of a write
        DramClock activate_ok = 0;   ///< tRRD_L
    };
    struct Bank {
        std::uint64_t row = 0;
        DramClock column_ok = 0; ///< tRCD
        DramClock precharge_ok = 0;
        DramClock activate_ok = 0;  ///< tRP, tRC, tRFC
        std::uint32_t head = kNone; ///< oldest queued segment
        std::uint32_t tail = kNone;
        std::uint32_t queued = 0;
        std::uint32_t hit = kNone; ///< oldest queued segment of the open row
        Opened opened = Opened::kUsed;
        bool open = false;
        bool conflict = false; ///< closed to make room for the head
        // Copies, so that choosing among the banks reads nothing else.
        bool hit_is_write = false;
        std::uint64_t head_age = 0;
        std::uint64_t hit_age = 0;
        Rank* rank = nullptr;
        Group* group = nullptr;
    };
    /// Clocks from a column command to one of another group, or of another rank.
    struct Gap {
        std::uint32_t to_group[2]; ///< to a read, to a write
        std::uint32_t to_rank[2];
    };
    struct Gaps {
        std::uint32_t column = 0;        ///< of the column commands of a train
        std::uint32_t lane = 0;          ///< of those of two trains that run through each other
        std::uint32_t write_to_read = 0; ///< within a group
        std::uint32_t activate = 0;      ///< within a group
        std::array<Gap, 2> others{};     ///< from a read, from a write
    };
    /// Of a rank with a row open.
    struct OpenTime {
        DramClock since;
        DramClock closed;
        /// What of it lies behind clock `now`.
        [[nodiscard]] std::uint64_t behind(DramClock now) const {
            return closed - std::min(closed, std::max(now, since));
        }
    };
    /// The next command of a bank, and the age it competes with.
    struct Choice {
        DramClock at = kNoClock;
        std::uint64_t age = 0;
        std::uint32_t bank = 0;
    };

    [[nodiscard]] bool fits_window(std::uint64_t address) const;
    void admit(const Waiting& arrival);
    void queue_segment(std::uint32_t bank, const Segment& segment);
    [[gnu::noinline]] void queue_lanes(std::uint32_t bank, Segment segment, std::uint64_t burst);
    [[nodiscard]] std::uint32_t take_segment_slot();
    void set_head(Bank& bank, std::uint32_t slot) const {
        bank.head = slot;
        if (slot != kNone) {
            bank.head_age = segments_[slot].age;
        }
    }
    void set_hit(Bank& bank, std::uint32_t slot) const {
        bank.hit = slot;
        if (slot != kNone) {
            bank.hit_age = segments_[slot].age;
            bank.hit_is_write = segments_[slot].is_write;
        }
    }
    void remove_hit(Bank& bank);
    void finish_segment(const Segment& segment, DramClock data_end);

    [[nodiscard]] bool is_starving(std::uint64_t age) const {
        return admitted_ - age > overtake_limit_;
    }
    void classify(std::uint32_t bank);
    [[nodiscard]] DramClock earliest_column(const Bank& bank, bool is_write) const {
        const std::size_t direction = is_write ? 1 : 0;
        return std::max(
            std::max(floor_, bank.column_ok),
            std::max(bank.group->column_ok[direction], bank.rank->column_ok[direction]));
    }
    [[nodiscard]] DramClock earliest_activate(const Bank& bank) const;
    [[nodiscard]] std::uint64_t rank(DramClock at, std::uint64_t age, std::uint32_t bank) const;
    [[nodiscard]] Choice choose_train() const;
    void offer_train(std::uint32_t bank);
    [[nodiscard]] DramClock row_command_slot(DramClock at) const;
    void issue_row_command(DramClock end);
    void work(DramClock now);
    void issue_train(std::uint32_t bank, DramClock at);
    [[gnu::noinline]] void issue_lanes(std::uint32_t bank, DramClock at);
    [[nodiscard]] std::uint32_t partner_of(std::uint32_t bank, DramClock at) const;
    void take_bursts(std::uint32_t bank, std::uint32_t count, DramClock data_end);
    [[gnu::noinline]] DramClock settle_lanes(std::uint32_t first, std::uint64_t row,
                                             std::uint64_t lane, std::uint64_t bursts,
                                             bool is_write);
    DramClock settle(std::uint32_t bank, std::uint64_t row, std::uint64_t left, bool is_write);
    void note_columns(Bank& bank, bool is_write, DramClock last, std::uint32_t count);
    DramClock note_train(const Bank& bank, bool is_write, DramClock first, DramClock last,
                         std::uint32_t step, std::uint32_t count);
    [[gnu::always_inline]] DramClock move_data(std::uint32_t bank, bool is_write, DramClock at,
                                               std::uint32_t count);
    DramClock move_lanes(std::uint32_t bank, std::uint32_t other, bool is_write, DramClock at,
                         std::uint32_t count);
    /// Of two lanes that move `left` bursts at most each from `at` on: before the refresh.
    [[nodiscard]] std::uint32_t before_refresh(DramClock at, std::uint32_t left) const;
    [[gnu::noinline]] void report_train(std::uint32_t bank, bool is_write, DramClock at,
                                        std::uint32_t count, std::uint32_t step) const;
    void open_row(std::uint32_t bank, std::uint64_t row, DramClock at);
    void issue_activate(std::uint32_t bank, DramClock at);
    void issue_precharge(std::uint32_t bank, DramClock at);
    void close_row(std::uint32_t bank, DramClock at);
    void count_open(const Rank& rank, DramClock closed);
    void refresh();
    void advance_refresh();
    void refresh_idle(DramClock now);
    [[gnu::noinline]] void refresh_idle_ranks(DramClock now);
    void report(SdramCommand command, DramClock at, std::uint32_t bank, std::uint64_t row,
                std::uint32_t count) const {
        if (observer_ != nullptr) {
            observer_->on_command(command, at, bank, row, count);
        }
    }

    SdramTiming timing_;
    std::uint32_t bank_queue_depth_;
    Gaps gap_;
    std::uint32_t lane_shift_;
    std::uint32_t burst_shift_;
    std::uint32_t row_shift_;  ///< the row of a bank, or of the two banks of two lanes
    std::uint32_t bank_shift_; ///< of those, in all ranks
    std::uint32_t bank_mask_;
    std::uint64_t overtake_limit_;
    SdramObserverIf* observer_ = nullptr;

    std::array<Bank, kMaxBanks> banks_;
    std::uint32_t train_banks_ = 0;     ///< bit set: the bank waits to move data,
    std::uint32_t activate_banks_ = 0;  ///< to open a row,
    std::uint32_t precharge_banks_ = 0; ///< to close one
    DramClock known_ = 0;               ///< clock of the last advance
    DramClock floor_ = 0;               ///< no further command before this clock
    bool one_group_ = true;             ///< in all ranks together
    std::vector<Group> groups_;         ///< those of the first rank, then of the next
    std::vector<Rank> ranks_;
    DramClock train_first_ = 0; ///< column commands of the last train, or of two in each other
    DramClock train_last_ = 0;
    std::uint32_t train_step_ = 1;
    WideDivisor t_refi_;
    DramClock refresh_due_;
    std::uint32_t refresh_rank_ = 0; ///< whose refresh is due next
    std::uint32_t refresh_step_;     ///< clocks from the refresh of a rank to that of the next
    Choice train_;                   ///< best of train_banks_
    bool train_stale_ = true;        ///< train_ must be worked out again
    DramClock row_quiet_until_ = 0;  ///< no row command before this clock
    DramClock quiet_until_ = 0;      ///< no command before this clock, unless something arrives

    std::vector<Segment> segments_;
    std::uint32_t free_segment_ = kNone;
    std::vector<Transaction> transactions_;
    std::uint32_t free_transaction_ = kNone;
    std::uint32_t window_ = 0;   ///< transactions in it
    std::uint64_t admitted_ = 0; ///< transactions ever; their ages
    Ring<Waiting> waiting_;      ///< behind the window
    Ring<SdramCompletion> done_;
    SdramStatistics statistics_;
    std::deque<OpenTime> closed_ahead_; ///< what is counted and had not passed at the last arrival
};

} // namespace cavern
