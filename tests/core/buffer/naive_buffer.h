#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/decision_log.h"
#include "core/buffer/write_buffer.h"
#include "tests/core/buffer/naive_policy.h"

namespace cavern::testing {

/// Keeps the units that a write buffer evicts, each with its pages as they left.
class UnitLog final : public DecisionLogIf {
  public:
    void write(Lpn, bool) override {}
    void read(Lpn, bool) override {}
    void trim(Lpn) override {}
    void evict_page(Lpn lpn) override { units.push_back({raw(lpn)}); }
    void clean_page(Lpn lpn) override { units.push_back({raw(lpn)}); }
    void clean_block(Lbn lbn, const std::vector<Lpn>& pages,
                     const std::vector<Lpn>& padding) override {
        evict_block(lbn, pages, padding);
    }
    void evict_block(Lbn lbn, const std::vector<Lpn>& pages,
                     const std::vector<Lpn>& padding) override;
    void allocate(Lbn, DieId, std::optional<DieId>) override {}
    void program(Origin, Lpn, Ppn) override {}
    void merge(MergeKind, Lbn, std::uint32_t, std::uint32_t) override {}
    void gc(BlockId, std::uint32_t) override {}

    std::vector<Pages> units;
};

struct BufferRules {
    std::uint32_t pages_per_block = 4;
    std::uint64_t pages = 0; ///< logical pages that are accessed: 0 .. pages - 1
    bool read_touch = false;
    bool cache_reads = false;
    bool pads_blocks = false;
    bool flush_keep = false;
};

/// The one oracle of the write buffer: what it must hold and give, as a plain account. Each call
/// goes to the buffer as well, and the answers are compared. With a NaivePolicy the victims must be
/// those that it names, in its order; without one, any that every policy may choose.
class NaiveBuffer {
  public:
    /// `order` and `log`, the buffer's own, may be null.
    NaiveBuffer(WriteBuffer& buffer, const BufferRules& rules, NaivePolicy* order, UnitLog* log);

    /// Units that leave together from now on.
    void set_batch(std::uint32_t units) { batch_ = units; }
    void access(std::uint64_t lpn, bool write);
    void trim(std::uint64_t lpn);
    void evict();
    /// All that is dirty is written, in batches; only that.
    void flush();
    void pin(std::uint64_t lpn);
    /// Takes one pin back; `index` is below pins().
    void unpin(std::size_t index);
    [[nodiscard]] std::size_t pins() const { return pinned_.size(); }
    /// Counters and, with what is left, the end of it: all pages leave.
    void finish();

    /// The first thing that did not agree, or nothing.
    [[nodiscard]] const std::string& fault() const { return fault_; }
    /// Units so far, and those of them that left though pinned.
    [[nodiscard]] std::uint64_t victims() const { return expected_.victims; }
    [[nodiscard]] int pinned_victims() const { return pinned_victims_; }

  private:
    struct Page {
        FrameId frame = kNoFrame; ///< of a resident page
        bool dirty = false;
    };

    void check(bool holds, const char* fault);
    [[nodiscard]] bool resident(std::uint64_t lpn) const { return pages_[lpn].frame != kNoFrame; }
    [[nodiscard]] std::uint64_t unit_of(std::uint64_t lpn) const;
    /// What `order_` says leaves now.
    [[nodiscard]] std::vector<Pages> ordered_batch() const;
    void place(std::uint64_t lpn, FrameId frame);
    void leave(std::uint64_t lpn);
    void check_batch(const std::vector<Pages>& ordered);
    void check_order(const std::vector<Pages>& ordered);
    /// The pages to be written of a unit, with what pads it.
    void add_written(const Pages& unit, std::vector<Victim>& written) const;
    void check_victims(const std::vector<Victim>& written);
    void check_flushed(const std::vector<Pages>& ordered);
    void check_written(std::vector<std::uint64_t>& units);
    void check_dropped(std::vector<std::uint64_t>& units);
    void check_units(const std::vector<std::uint64_t>& units);
    void check_state(std::uint64_t lpn);
    void check_counters();

    WriteBuffer& buffer_;
    BufferRules rules_;
    NaivePolicy* order_;
    UnitLog* log_;
    std::uint32_t batch_ = 1;
    std::vector<Page> pages_;           ///< by logical page
    std::vector<Lpn> page_in_;          ///< by frame
    std::vector<std::uint64_t> pinned_; ///< a unit as often as it is pinned
    std::uint32_t used_ = 0;
    std::uint64_t calls_ = 0;
    std::uint64_t facts_ = 0; ///< compared by the buffer's own check
    BufferCounters expected_;
    int pinned_victims_ = 0;
    std::string fault_;
};

} // namespace cavern::testing
