#pragma once

#include "cpu/debug_if.h"

namespace cavern::cpu {

/// A hart and its memories, as a debugger sees them. It cannot be reset by itself; who runs it may
/// know how.
class HartDebugTarget : public DebugTargetIf {
  public:
    /// The hart must outlive the target.
    explicit HartDebugTarget(Hart& hart) : hart_(hart) {}

    [[nodiscard]] std::uint32_t read_register(std::uint32_t number) const final {
        return hart_.reg(number);
    }
    void write_register(std::uint32_t number, std::uint32_t value) final {
        hart_.set_reg(number, value);
    }
    [[nodiscard]] std::uint32_t read_pc() const final { return hart_.pc(); }
    void write_pc(std::uint32_t pc) final { hart_.set_pc(pc); }
    [[nodiscard]] std::optional<std::uint32_t> read_csr(std::uint32_t number) const final {
        return hart_.csr(number);
    }
    bool write_csr(std::uint32_t number, std::uint32_t value) final {
        return hart_.set_csr(number, value);
    }
    [[nodiscard]] std::string read_memory(std::uint32_t address, std::uint32_t bytes) final;
    bool write_memory(std::uint32_t address, const std::string& bytes) final;
    bool add_breakpoint(std::uint32_t pc) final;
    void remove_breakpoint(std::uint32_t pc) final { hart_.remove_breakpoint(pc); }
    void add_watchpoint(const Watchpoint& watchpoint) final { hart_.add_watchpoint(watchpoint); }
    void remove_watchpoint(const Watchpoint& watchpoint) final {
        hart_.remove_watchpoint(watchpoint);
    }
    [[nodiscard]] std::uint64_t cycle() const final { return hart_.cycle(); }
    [[nodiscard]] std::uint64_t instructions() const final { return hart_.instructions(); }
    bool reset() override { return false; }

  private:
    Hart& hart_;
};

} // namespace cavern::cpu
