#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cpu/hart.h"

namespace cavern::cpu {

/// A hart that stands, and its memories, as a debugger sees and changes them. That costs no time
/// and has no effect on devices.
class HartDebugTarget {
  public:
    /// The hart must outlive the target.
    explicit HartDebugTarget(Hart& hart) : hart_(hart) {}
    virtual ~HartDebugTarget() = default;

    /// x0 to x31; writing x0 does nothing.
    [[nodiscard]] std::uint32_t read_register(std::uint32_t number) const {
        return hart_.reg(number);
    }
    void write_register(std::uint32_t number, std::uint32_t value) { hart_.set_reg(number, value); }
    [[nodiscard]] std::uint32_t read_pc() const { return hart_.pc(); }
    void write_pc(std::uint32_t pc) { hart_.set_pc(pc); }
    /// By CSR address; nothing or false where there is none, or it is read-only.
    [[nodiscard]] std::optional<std::uint32_t> read_csr(std::uint32_t number) const {
        return hart_.csr(number);
    }
    bool write_csr(std::uint32_t number, std::uint32_t value) {
        return hart_.set_csr(number, value);
    }
    /// As many of the `bytes` bytes from `address` on as are memory; devices are none.
    [[nodiscard]] std::string read_memory(std::uint32_t address, std::uint32_t bytes);
    /// False, and nothing is written, unless all bytes are memory.
    bool write_memory(std::uint32_t address, const std::string& bytes);
    /// False where no instruction can be. Adding twice is adding once.
    bool add_breakpoint(std::uint32_t pc);
    void remove_breakpoint(std::uint32_t pc) { hart_.remove_breakpoint(pc); }
    void add_watchpoint(const Watchpoint& watchpoint) { hart_.add_watchpoint(watchpoint); }
    void remove_watchpoint(const Watchpoint& watchpoint) { hart_.remove_watchpoint(watchpoint); }
    /// Since reset.
    [[nodiscard]] std::uint64_t cycle() const { return hart_.cycle(); }
    [[nodiscard]] std::uint64_t instructions() const { return hart_.instructions(); }
    /// As it was before its first instruction. False: who runs it may know how, it does not.
    virtual bool reset() { return false; }

  private:
    Hart& hart_;
};

} // namespace cavern::cpu
