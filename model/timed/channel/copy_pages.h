#pragma once

#include <cstdint>
#include <vector>

#include "core/base/check.h"
#include "core/base/ring.h"

namespace cavern {

/// Pages of the SDRAM, numbered from `first`, through which pages read for the programs of one die
/// pass. Who finds none waits, first come, first served.
class CopyPages {
  public:
    CopyPages(std::uint32_t first, std::uint32_t pages) : pages_(pages) {
        CAVERN_CHECK(pages != 0, "copies have pages of the SDRAM to pass through");
        free_.reserve(pages);
        for (std::uint32_t page = first + pages; page > first; --page) {
            free_.push_back(page - 1);
        }
    }

    void wait(std::uint32_t who) { waiting_.push(who); }
    [[nodiscard]] bool can_grant() const { return !free_.empty() && !waiting_.empty(); }
    struct Grant {
        std::uint32_t who = 0;
        std::uint32_t page = 0;
    };
    /// Only when can_grant().
    Grant grant() {
        const std::uint32_t page = free_.back();
        free_.pop_back();
        return {waiting_.pop(), page};
    }
    void give_back(std::uint32_t page) { free_.push_back(page); }

    [[nodiscard]] bool idle() const { return free_.size() == pages_ && waiting_.empty(); }

  private:
    std::uint32_t pages_;
    std::vector<std::uint32_t> free_;
    Ring<std::uint32_t> waiting_;
};

} // namespace cavern
