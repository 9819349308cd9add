#pragma once

#include <cstdint>
#include <vector>

#include "timed/channel/die_queue.h"

namespace cavern {

/// What goes on behind what a die does, by way of its cache register: reads of the blocks that it
/// reads, and programs of those that it programs, where nothing else comes first. A read passes
/// others of its queue only if it was there when the first one ended in the array: nobody waits
/// without end.
class CacheLane {
  public:
    /// Of at most so many operations that start as one.
    CacheLane(DieQueue& die, std::size_t most) : die_(die) { behind_.reserve(most); }

    [[nodiscard]] bool empty() const { return behind_.empty(); }
    /// The array has read what runs. Returns whether other reads go on behind it.
    bool next_read();
    /// The die could start something else, but for what runs: reads of its blocks go on if a read
    /// would start.
    bool choose_next_read();
    /// Data of a program may come in behind what runs, from open() to close().
    void open() { open_ = true; }
    void close() { open_ = false; }
    /// As DieQueue::look(): the data of a program may come in while the array programs.
    bool consider_next_program();
    /// Whether another program may follow these by way of the cache register: 15h then ends the
    /// command.
    [[nodiscard]] bool another_follows(const std::vector<OpId>& ops) const;
    /// What runs is complete, and the die is busy with what was behind it.
    void go_on();

  private:
    using Place = OpQueue::Place;
    [[nodiscard]] bool of_blocks(const std::vector<OpId>& ops, OpId id) const;
    template <typename Fits>
    [[nodiscard]] bool may_go_on(const OpQueue& queue, OpId first, Fits fits) const;
    template <typename Fits>
    bool take(OpQueue& queue, const Place& first, Fits fits);
    [[nodiscard]] bool goes_out_now(const Op& op) const;
    [[nodiscard]] Place find_next_read(const OpQueue& reads) const;
    OpId join_reads(OpQueue& reads, OpId next);

    DieQueue& die_;
    std::vector<OpId> behind_;
    std::uint64_t reads_since_ = 0; ///< submitted before: may go on past others
    bool open_ = false;
};

} // namespace cavern
