#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cpu/program.h"
#include "cpu/retired.h"

namespace cavern::cpu {

/// How often each line of the firmware's source was executed, by its debug information (DWARF). The
/// count of a line is that of its most executed instruction; a function is called as often as its
/// first instruction is executed. An instruction that traps has been executed.
class LineCoverage {
  public:
    /// The program must outlive the coverage.
    LineCoverage(const Program& program, const MemoryMap& map);

    void add(const Retired& retired) {
        const std::uint32_t place = (retired.pc - code_.base) / 2;
        if (place < counts_.size()) {
            ++counts_[place];
        }
    }

    /// In the format of lcov (geninfo(1), "FILES"): for each file, in the order of names, the
    /// functions and all lines that have code, those never executed with a count of 0. Names of
    /// files are those of the debug information.
    [[nodiscard]] std::string lcov() const;

  private:
    [[nodiscard]] std::uint64_t most_in(std::uint32_t address, std::uint32_t end) const;

    const Program& program_;
    MemoryRegion code_;
    std::vector<std::uint64_t> counts_; ///< by halfword of the instruction memory
};

} // namespace cavern::cpu
