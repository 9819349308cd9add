#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cosim/rtl_machine.h"
#include "cpu/machine.h"
#include "cpu/program.h"

namespace cavern {

/// Images in the build's folder of firmware whose name begins so, without their ".elf".
inline std::vector<std::string> firmware_images(const std::string& prefix) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(CAVERN_FIRMWARE_DIR)) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() == ".elf" && name.compare(0, prefix.size(), prefix) == 0) {
            names.push_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

inline cpu::Program read_firmware(const std::string& name) {
    return cpu::Program::read(std::string(CAVERN_FIRMWARE_DIR) + "/" + name + ".elf", {});
}

/// Cycles of each function of a run. Those between two instructions belong to the later.
class FunctionCycles {
  public:
    struct Cycles {
        std::uint64_t cycles = 0;
        std::uint64_t instructions = 0;
    };

    explicit FunctionCycles(const cpu::Program& program) : program_(program) {}

    void add(const cpu::Retired& retired) {
        const cpu::Symbol* symbol = program_.symbol_at(retired.pc);
        Cycles& function = functions_[symbol != nullptr ? symbol->name : std::string()];
        function.cycles += retired.cycle - last_;
        ++function.instructions;
        last_ = retired.cycle;
        handlers_ += retired.interrupt && !trapped_;
        trapped_ = retired.trap;
    }

    [[nodiscard]] const std::map<std::string, Cycles>& functions() const { return functions_; }
    [[nodiscard]] std::uint64_t interrupts() const { return handlers_; }

  private:
    const cpu::Program& program_;
    std::map<std::string, Cycles> functions_;
    std::uint64_t last_ = 0;
    std::uint64_t handlers_ = 0;
    bool trapped_ = false;
};

/// How much more the interpreter takes than Ibex for a function, at worst, as a fraction. Functions
/// of less than `least` cycles are left out.
inline double worst_error(const FunctionCycles& ibex, const FunctionCycles& iss,
                          std::uint64_t least) {
    double worst = 0;
    for (const auto& [name, cycles] : ibex.functions()) {
        if (cycles.cycles < least) {
            continue;
        }
        const auto found = iss.functions().find(name);
        const double other =
            found == iss.functions().end() ? 0 : static_cast<double>(found->second.cycles);
        const auto own = static_cast<double>(cycles.cycles);
        worst = std::max(worst, std::abs(other - own) / own);
    }
    return worst;
}

} // namespace cavern
