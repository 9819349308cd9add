#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/decision_log.h"
#include "core/base/random.h"
#include "core/ftl/ftl.h"
#include "core/nand/nand_array.h"

namespace cavern::testing {

/// Carries out operation graphs on an array in a random order among those the rules of FlashOp
/// allow, as dies of any speed could: programs and erases of a die in order, reads whenever the
/// program of their page is done, erases when no read of their block nor a program that supersedes
/// a page of it is outstanding, dependents after what they wait for. Follows which version of which
/// logical page lies where. Throws ModelError where the array refuses, where an erase takes the
/// last copy of a page's newest version that is programmed, and where nothing can go on.
class GraphRunner {
  public:
    GraphRunner(const Geometry& geometry, bool strict_order, std::uint64_t seed);

    /// `newest`: version of each logical page, of those that `ops` writes already the new one.
    void submit(const FlashOpList& ops, const std::vector<std::uint64_t>& newest);
    /// Lets some operations happen.
    void step(std::size_t operations);
    /// Lets all happen.
    void drain();
    /// What was written up to `version` of a page need not survive.
    void forget(Lpn lpn, std::uint64_t version) { forgotten_[raw(lpn)] = version; }

    /// From now on an erase waits for reads alone, as a careless scheduler might have it; or for
    /// reads and for programs of that kind.
    void let_erases_overtake(bool copies, bool others) {
        copies_hold_ = !copies;
        others_hold_ = !others;
    }

    [[nodiscard]] std::uint64_t version_at(Ppn page) const { return version_at_[raw(page)]; }
    [[nodiscard]] NandArray& array() { return array_; }
    [[nodiscard]] const NandArray& array() const { return array_; }
    [[nodiscard]] std::uint64_t programs(Origin origin) const {
        return programs_[static_cast<std::size_t>(origin)];
    }
    /// Reads whose data a program of the same origin writes elsewhere, and other reads.
    [[nodiscard]] std::uint64_t reads(Origin origin, bool copied) const {
        return reads_[copied ? 1 : 0][static_cast<std::size_t>(origin)];
    }
    [[nodiscard]] std::uint64_t copies(Origin origin) const {
        return copies_[static_cast<std::size_t>(origin)];
    }
    [[nodiscard]] std::uint64_t erases() const { return erases_; }

  private:
    static constexpr std::size_t kNone = ~std::size_t{0};

    struct Node {
        FlashOp op;
        std::size_t after = kNone;     ///< the operation it names
        std::size_t waits_for = kNone; ///< of a read: the program of its page
        std::size_t writer = kNone;    ///< of a program: that of the page which it supersedes
        std::uint32_t holders = 0;     ///< of a program: those that supersede its page
        std::uint64_t version = 0;
        bool holds_block = false; ///< of a read or program: is counted in holds_in_block_
        bool feeds_copy = false;
        bool done = false;
    };
    struct Die {
        std::vector<std::size_t> writes; ///< those done at the front until drain()
        std::size_t first = 0;
        std::vector<std::size_t> reads;
    };
    struct Durable {
        std::uint64_t version = 0;
        std::uint32_t places = 0;
    };

    bool advance();
    bool advance(Die& die);
    void read(Node& node);
    void program(Node& node);
    void supersede(Node& node);
    void release_superseded(const Node& node);
    void erase(const Node& node);
    [[nodiscard]] bool is_done(std::size_t node) const {
        return node == kNone || nodes_[node].done;
    }
    [[nodiscard]] bool may_go(const Node& node) const {
        return is_done(node.after) && is_done(node.waits_for);
    }

    Geometry geometry_;
    NandArray array_;
    Random random_;
    std::vector<Node> nodes_;
    std::vector<Die> dies_;
    std::size_t outstanding_ = 0;
    std::vector<std::size_t> pending_program_; ///< by physical page
    std::vector<std::uint32_t> holds_in_block_;
    std::vector<std::uint64_t> version_at_; ///< by physical page
    std::vector<Durable> durable_;          ///< by logical page: newest version programmed
    std::vector<std::uint64_t> forgotten_;
    bool copies_hold_ = true;
    bool others_hold_ = true;
    std::uint64_t programs_[kOrigins] = {};
    std::uint64_t copies_[kOrigins] = {};
    std::uint64_t reads_[2][kOrigins] = {};
    std::uint64_t erases_ = 0;
};

/// Programs, reads and erases that were carried out are those the layer counts: programs are the
/// host's, copies of each kind, padding, the map and those that failed; every read is there for a
/// copy or looks a page of the map up. Throws ModelError.
void check_counts(const GraphRunner& runner, const FtlIf& ftl);

/// What the operations of successive calls leave of the flash in the order they are decided, and
/// that the layer's map agrees with it after every call: each page that a call programmed lies
/// where the last program put it, and no page lies in a block that the call erased. A place has one
/// owner, so that no two pages can share it. Throws ModelError.
class DecidedState {
  public:
    DecidedState(const Geometry& geometry, bool strict_order);

    void follow(const FlashOpList& ops, const FtlIf& ftl);
    /// Of all operations so far, in order: equal for equal decisions.
    [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }

  private:
    void program(const FlashOp& op);
    void erase(BlockId block);
    void add(std::uint64_t value);

    Geometry geometry_;
    bool strict_order_;
    std::vector<Lpn> owner_;          ///< by physical page; kNoLpn: none, or erased
    std::vector<std::uint32_t> next_; ///< by block: programmable page
    std::vector<Lpn> touched_;        ///< scratch
    std::uint64_t fingerprint_ = 0;
};

/// A translation layer beside a plain dictionary of what the host wrote. Every call is followed by
/// what must hold then; a contradiction throws ModelError. The log given to the layer must be
/// log().
class FtlModel {
  public:
    FtlModel(const Geometry& geometry, bool strict_order, std::uint64_t logical_pages,
             std::uint64_t seed);

    /// The layer to be watched.
    void watch(std::unique_ptr<FtlIf> ftl) { ftl_ = std::move(ftl); }
    /// A block that is collected lies on so many planes.
    void collects_planes(std::uint32_t planes) { events_.erases_each = planes; }
    /// Collection may be under way between two calls.
    void collects_in_steps() { in_steps_ = true; }
    [[nodiscard]] DecisionLogIf* log() { return &events_; }
    [[nodiscard]] const FtlIf& ftl() const { return *ftl_; }
    [[nodiscard]] GraphRunner& runner() { return runner_; }
    [[nodiscard]] std::uint64_t fingerprint() const { return decided_.fingerprint(); }
    /// The layer may count pages as valid of which it does not know yet that they are not.
    void counts_may_be_high() { counts_exact_ = false; }

    /// Writes a unit; with `overlap` its operations may be carried out together with those of later
    /// calls.
    void write_unit(const std::vector<UnitPage>& pages, bool overlap);
    void trim(Lpn first, std::uint64_t count = 1);
    void read(Lpn lpn);
    /// Carries out operations that `what` makes the layer decide besides, which write no host page.
    void act(const std::function<void(FlashOpList&)>& what);
    /// Of a layer that has one.
    void resize_cache(std::uint64_t bytes);
    /// Returns what the layer answers.
    bool collect_ahead(PlaneId plane);
    /// Pages written by themselves, and those whose die the layer had said before.
    [[nodiscard]] std::uint64_t alone() const { return alone_; }
    [[nodiscard]] std::uint64_t foretold() const { return foretold_; }
    /// Everything: each page where the map says, the newest version, no place twice; the layer's
    /// own invariants; counters against what was carried out and logged. Returns facts compared.
    std::uint64_t check();

  private:
    struct Events final : DecisionLogIf {
        void write(Lpn, bool) override {}
        void read(Lpn, bool) override {}
        void trim(Lpn) override {}
        void evict_page(Lpn) override {}
        void evict_block(Lbn, const std::vector<Lpn>&, const std::vector<Lpn>&) override {}
        void allocate(Lbn, DieId, std::optional<DieId>) override {}
        void program(Origin origin, Lpn, Ppn) override {
            ++programs;
            moved += origin == Origin::kGc || origin == Origin::kWear || origin == Origin::kFold ||
                             origin == Origin::kRefresh
                         ? 1
                         : 0;
        }
        void merge(MergeKind kind, Lbn, std::uint32_t copied, std::uint32_t erased) override {
            ++merges[static_cast<std::size_t>(kind)];
            copies += copied;
            erases += erased;
        }
        void gc(BlockId, std::uint32_t copied) override {
            copies += copied;
            erases += erases_each;
        }
        void level(BlockId, std::uint32_t copied) override {
            copies += copied;
            erases += erases_each;
        }
        void refresh(BlockId, std::uint32_t copied) override {
            copies += copied;
            erases += erases_each;
        }
        void fold(BlockId, std::uint32_t copied) override {
            copies += copied;
            erases += erases_each;
        }
        void retire(BlockId) override { ++retired; }
        std::uint64_t retired = 0;
        std::uint64_t programs = 0;
        std::uint64_t moved = 0; ///< programs of collection and wear levelling
        std::uint64_t copies = 0;
        std::uint64_t erases = 0;
        std::uint64_t erases_each = 1; ///< collection
        std::uint64_t merges[3] = {};
    };

    void inspect(const std::vector<UnitPage>& pages) const;
    void submit();
    /// Pages of the layer's own: each of those in use in one place, as many as it says.
    void check_tables() const;
    /// The layer's valid counts against places: of host pages in `taken`, of its own by number.
    std::uint64_t check_valid_counts(const std::vector<bool>& taken) const;
    void check_page(Lpn lpn, Ppn place);

    Geometry geometry_;
    std::uint64_t alone_ = 0;
    std::uint64_t foretold_ = 0;
    std::uint64_t pages_; ///< of the host
    Events events_;
    std::unique_ptr<FtlIf> ftl_;
    GraphRunner runner_;
    DecidedState decided_;
    Random random_;
    bool counts_exact_ = true;
    FlashOpList ops_;
    /// By logical page; 0: none. Pages of the layer's own have one version.
    std::vector<std::uint64_t> newest_;
    std::vector<Ppn> place_; ///< by logical page: that of its last program, unless trimmed
    std::uint64_t versions_ = 0;
    bool in_steps_ = false;
    std::uint64_t named_programs_ = 0; ///< programs that carry a logical page
};

} // namespace cavern::testing
