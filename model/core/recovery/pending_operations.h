#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "core/base/geometry.h"
#include "core/base/random.h"
#include "core/data/untimed_data.h"
#include "core/ftl/flash_op.h"
#include "core/nand/nand_array.h"
#include "core/recovery/torn.h"

namespace cavern {

/// Operations that are decided and not done: what a drive without time has under way, so that its
/// power can be lost at any moment of it. They are done in a random order, in which one die after
/// the other lags behind, of those that the flash scheduler permits:
///   - programs and erases of a die in the order decided, but that a program may pass an erase that
///     waits, if it is of another block;
///   - a program waits for the operation that it names, and for the page that it copies or merges;
///   - an erase waits for the programs of what supersedes pages of its block;
///   - a program that records (FlashOp::records) waits for all programs decided before it, an erase
///     for all records decided before it.
/// Reads are done with the program that they are for; one that nobody waits for at once.
///
/// Virtual functions are the rules that a test breaks to see that somebody notices.
class PendingOperations {
  public:
    /// `array` gets what is done. Pages of `word_line` consecutive numbers in a block share their
    /// cells: the number of page types of the part.
    PendingOperations(NandArray& array, std::uint32_t word_line, std::uint64_t seed);
    virtual ~PendingOperations() = default;
    PendingOperations(const PendingOperations&) = delete;
    PendingOperations& operator=(const PendingOperations&) = delete;

    /// Pages have data: programs take them from the frames when they are decided, copies from the
    /// flash when they are done. `data` outlives this.
    void keep(UntimedData& data);
    /// In the order decided.
    void add(const FlashOpList& ops);
    /// Does operations until at most so many programs and erases are left.
    void settle(std::size_t left);
    [[nodiscard]] std::size_t size() const { return left_; }
    /// Operations decided so far; the next one gets this number.
    [[nodiscard]] std::uint64_t decided() const { return first_ + items_.size(); }
    /// Every operation with a smaller number is done.
    [[nodiscard]] std::uint64_t done_before() const { return first_; }
    /// Whether the program of the page, the last one decided, is still to be done.
    [[nodiscard]] bool is_pending(Ppn page) const { return programs_.count(raw(page)) != 0; }

    /// Whether there is energy for an operation.
    using Pays = std::function<bool(const FlashOp&)>;
    /// The power goes: each die may have been at its next operation. That is brought to its end if
    /// `pays` has the energy, else torn.
    Torn cut(const Pays& pays);
    /// Then, with stored energy: operations are done as long as `pays` has some.
    void carry_on(const Pays& pays);
    /// What is left never was. Returns how many programs of the host that are.
    std::uint64_t drop();

  protected:
    /// The rule that an erase waits for what supersedes pages of its block.
    [[nodiscard]] virtual bool erase_waits() const { return true; }
    /// The rule that records keep their place, those of an origin.
    [[nodiscard]] virtual bool records_keep_order(Origin) const { return true; }
    /// Where a copy takes its data.
    [[nodiscard]] virtual Ppn source_of_copy(Ppn read) const { return read; }

  private:
    static constexpr std::uint64_t kNothing = ~std::uint64_t{0};

    struct Item {
        FlashOp op;
        bool done = false;
        std::uint64_t after = kNothing;  ///< operation that must be done
        std::uint64_t source = kNothing; ///< program of the page that is read for it
        Ppn read = kNoPpn;               ///< that page, and what it has to hold
        Lpn read_lpn = kNoLpn;
        PageVersion read_version = 0;
        bool sent_back = false; ///< that page is one whose block may be erased behind it
        PageContent content;    ///< of a program that is no copy
    };

    [[nodiscard]] Item& item(std::uint64_t number) { return items_[number - first_]; }
    [[nodiscard]] bool is_done(std::uint64_t number) const {
        return number == kNothing || number < first_ || items_[number - first_].done;
    }
    void send_back(std::uint64_t number);
    [[nodiscard]] bool may_start(std::uint64_t number) const;
    [[nodiscard]] bool is_ready(std::uint64_t number) const;
    /// Programs of the mapping units of its NAND page, itself among them.
    [[nodiscard]] std::vector<std::uint64_t> units_with(std::uint64_t number) const;
    /// What is done at once with it: itself, or the program's NAND page.
    [[nodiscard]] std::vector<std::uint64_t> done_with(std::uint64_t number) const;
    [[nodiscard]] bool program_may_start(std::uint64_t number) const;
    [[nodiscard]] bool erase_may_start(std::uint64_t number) const;
    /// The next one of a die that may start, or kNothing.
    [[nodiscard]] std::uint64_t next_of(std::uint32_t die) const;
    /// Of the drive: that of any die, one that lags behind last.
    [[nodiscard]] std::uint64_t draw_next();
    /// What the page will hold.
    [[nodiscard]] PageContent read(Ppn page) const;
    [[nodiscard]] PageContent content_of(const Item& item) const;
    [[nodiscard]] PageContents* contents() const {
        return data_ != nullptr ? &data_->data().flash() : nullptr;
    }
    void finish(std::uint64_t number);
    void forget_done();
    [[nodiscard]] bool are_paid(const std::vector<std::uint64_t>& group, const Pays& pays);
    /// What runs in other planes of the die at once with a program.
    [[nodiscard]] std::vector<std::uint64_t> group_of(std::uint64_t number);

    NandArray& array_;
    UntimedData* data_ = nullptr; ///< null: none are kept
    Geometry geometry_;
    std::uint32_t word_line_;
    Random random_;
    std::deque<Item> items_;
    std::uint64_t first_ = 0; ///< number of items_[0]
    std::size_t left_ = 0;    ///< programs and erases
    std::uint32_t slow_ = 0;  ///< die that goes on only when the others cannot, for a while
    std::vector<std::deque<std::uint64_t>> dies_;               ///< those of each, in order
    std::unordered_map<std::uint64_t, std::uint64_t> programs_; ///< page -> number, looked up only
};

} // namespace cavern
