#pragma once

#include <cstddef>
#include <vector>

#include "core/base/geometry.h"
#include "core/parts/nand_timing.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// How long the array of a die works on what: tR, tPROG and tBERS, by page type. Counts what it has
/// begun to its end.
class ArrayClock {
  public:
    ArrayClock(const NandTiming& timing, const Geometry& geometry);

    /// Time that the array was busy, a time for each page type, and one for SLC mode if there are
    /// such blocks. Programs in one shot are of one type.
    struct Times {
        std::vector<TimePs> read;
        std::vector<TimePs> program;
        TimePs erase = 0;
    };
    [[nodiscard]] const Times& times() const { return times_; }
    [[nodiscard]] TimePs busy() const { return busy_; }
    /// Counts anew, but what goes on.
    void reset(TimePs goes_on);

    /// Array time of a command, or of a read; with which add() counts from now on.
    [[nodiscard]] TimePs begin(const NandExtension& command);
    [[nodiscard]] TimePs begin_read(Ppn page) {
        return begin(timing_.t_r, timing_.slc_t_r, times_.read, page);
    }
    void add(TimePs time) {
        busy_ += time;
        *counted_ += time;
    }
    /// Of what was added: the array has not worked so long.
    void take_back(TimePs time) {
        busy_ -= time;
        *counted_ -= time;
    }

  private:
    [[nodiscard]] TimePs begin(const std::vector<TimePs>& times, TimePs in_slc_mode,
                               std::vector<TimePs>& counted, Ppn page) {
        const std::size_t type = page_type(page, times.size());
        counted_ = &counted[type];
        return type == times.size() ? in_slc_mode : times[type];
    }
    /// Pages in SLC mode are counted behind the others.
    [[nodiscard]] std::size_t page_type(Ppn page, std::size_t types) const {
        if (geometry_.is_slc(page)) {
            return types;
        }
        return types == 1 ? 0 : geometry_.nand_page_in_block(page) % types;
    }

    const NandTiming& timing_;
    Geometry geometry_;
    const std::vector<TimePs> word_line_; ///< its tPROG; empty: pages go one by one
    const std::vector<TimePs>& t_prog_;   ///< per page type, or of a word line
    Times times_;
    TimePs busy_ = 0;
    TimePs* counted_ = nullptr; ///< where the time of what is under way is counted
};

} // namespace cavern
