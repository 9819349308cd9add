#pragma once

#include <cstdint>
#include <vector>

namespace cavern {

class StateArchive;

/// Several doubly linked lists over the same indices 0 .. size - 1, each oldest first; an index is
/// on one of them at most. Every operation is O(1) and allocates nothing.
class IndexLists {
  public:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFFu;

    IndexLists(std::uint32_t size, std::uint32_t lists) : links_(size), ends_(lists) {}

    /// List that `index` is on, or kNone.
    [[nodiscard]] std::uint32_t list_of(std::uint32_t index) const { return links_[index].list; }
    /// First or last index of a list, or kNone when it is empty.
    [[nodiscard]] std::uint32_t oldest(std::uint32_t list) const { return ends_[list].oldest; }
    [[nodiscard]] std::uint32_t newest(std::uint32_t list) const { return ends_[list].newest; }
    [[nodiscard]] std::uint32_t size(std::uint32_t list) const { return ends_[list].size; }
    /// Neighbours of an index on its list, or kNone.
    [[nodiscard]] std::uint32_t older(std::uint32_t index) const { return links_[index].older; }
    [[nodiscard]] std::uint32_t newer(std::uint32_t index) const { return links_[index].newer; }

    /// Oldest index of the list that `accept` accepts, or kNone; a step for each one refused.
    template <typename Accept>
    [[nodiscard]] std::uint32_t oldest_that(std::uint32_t list, Accept accept) const {
        std::uint32_t index = oldest(list);
        while (index != kNone && !accept(index)) {
            index = newer(index);
        }
        return index;
    }

    /// Appends all of a list, oldest first.
    template <typename Index>
    void append_to(std::uint32_t list, std::vector<Index>& indices) const {
        for (std::uint32_t index = oldest(list); index != kNone; index = newer(index)) {
            indices.push_back(Index{index});
        }
    }

    /// `index` must be on no list.
    void push_newest(std::uint32_t list, std::uint32_t index);
    void push_oldest(std::uint32_t list, std::uint32_t index);
    /// Next to `older`, which is on the list; kNone: as the oldest.
    void push_newer_than(std::uint32_t list, std::uint32_t older, std::uint32_t index);
    /// `index` must be on a list.
    void remove(std::uint32_t index);
    void serialize(StateArchive& archive);

  private:
    struct Link {
        std::uint32_t older = kNone;
        std::uint32_t newer = kNone;
        std::uint32_t list = kNone;
    };
    struct Ends {
        std::uint32_t oldest = kNone;
        std::uint32_t newest = kNone;
        std::uint32_t size = 0;
    };
    std::vector<Link> links_;
    std::vector<Ends> ends_;
};

} // namespace cavern
