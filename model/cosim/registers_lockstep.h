#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cosim/rtl_registers.h"
#include "cpu/drive_registers_if.h"
#include "cpu/register_block.h"

namespace cavern {

/// The register block twice, as RTL and in C++: every access and every call goes to both, and what
/// comes back is compared (data, fault, wait cycles, what the queues give, the interrupt line). All
/// readable registers are compared every `audit_every` accesses and calls, because a store shows
/// what it did by reading alone. The first difference throws ModelError with the label, register
/// and field, both values and the last 16 accesses and calls. Answers with what the RTL says.
class RegistersLockstep final : public cpu::DriveRegistersIf {
  public:
    /// Takes what RtlRegisters takes. `audit_every` 0: never but by audit(). A word of the window
    /// is read and written once: the C++ form is shown what the RTL has been answered.
    RegistersLockstep(std::unique_ptr<RegisterModelIf> model, cpu::WindowIf* window,
                      std::string label, std::uint32_t audit_every = 64,
                      std::uint32_t base = cpu::MemoryMap{}.registers.base);

    cpu::BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override;
    cpu::BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                         std::uint64_t cycle) override;

    void reset() override;
    void set_geometry(const cpu::RegisterGeometry& geometry) override;
    void set_idle(bool host, bool flash) override;
    [[nodiscard]] bool ready() override;
    bool push_request(const cpu::HostRequest& request, std::uint64_t cycle) override;
    std::optional<cpu::FlashOperation> take_operation(std::uint64_t cycle) override;
    std::optional<cpu::DmaDescriptor> take_descriptor(std::uint64_t cycle) override;
    void complete_descriptor(std::uint64_t cycle) override;
    void add_busy_cycles(std::uint32_t cycles) override;
    [[nodiscard]] bool interrupt(std::uint64_t cycle) override;
    [[nodiscard]] std::optional<std::uint64_t> interrupt_due(std::uint64_t cycle) override;

    /// Compares all readable registers.
    void audit(std::uint64_t cycle);
    /// Accesses and calls compared.
    [[nodiscard]] std::uint64_t compared() const { return steps_; }

  private:
    static constexpr std::size_t kHistory = 16;
    /// An access of the window, as the RTL asked for it and was answered.
    struct WindowAccess {
        bool store = false;
        cpu::regs::Space space = cpu::regs::Space::kBuffer;
        std::uint64_t word = 0;
        std::uint32_t value = 0;
        std::uint32_t strobes = 0;
        cpu::WindowAnswer answer;
    };
    /// In front of the window, for the RTL.
    class Recorder final : public cpu::WindowIf {
      public:
        explicit Recorder(cpu::WindowIf* window) : window_(window) {}
        cpu::WindowAnswer load(cpu::regs::Space space, std::uint64_t word,
                               std::uint64_t cycle) override;
        cpu::WindowAnswer store(cpu::regs::Space space, std::uint64_t word, std::uint32_t value,
                                std::uint32_t strobes, std::uint64_t cycle) override;
        std::optional<WindowAccess> last;

      private:
        cpu::WindowIf* window_;
    };
    /// In place of the window, for the C++ form.
    class Player final : public cpu::WindowIf {
      public:
        explicit Player(RegistersLockstep& owner) : owner_(owner) {}
        cpu::WindowAnswer load(cpu::regs::Space space, std::uint64_t word,
                               std::uint64_t cycle) override;
        cpu::WindowAnswer store(cpu::regs::Space space, std::uint64_t word, std::uint32_t value,
                                std::uint32_t strobes, std::uint64_t cycle) override;

      private:
        RegistersLockstep& owner_;
    };
    struct Step {
        std::string_view what; ///< load, store, push of a request, ...
        std::uint64_t cycle = 0;
        std::uint32_t address = 0;
        std::uint32_t value = 0;
        std::uint32_t size = 0; ///< 0: no access of the processor
    };

    void begin(const Step& step);
    void end(std::uint64_t cycle);
    void compare_data(std::uint32_t address, std::uint32_t size, std::uint32_t rtl,
                      std::uint32_t model) const;
    void compare_answers(const Step& step, const cpu::BusAnswer& rtl,
                         const cpu::BusAnswer& model) const;
    void compare(std::string_view what, std::uint64_t rtl, std::uint64_t model) const;
    [[noreturn]] void report(const std::string& what, std::uint64_t rtl, std::uint64_t model) const;
    cpu::WindowAnswer replay(const WindowAccess& access);
    [[nodiscard]] std::string text_of(const Step& step) const;
    [[nodiscard]] std::string name_at(std::uint32_t address) const;

    std::string label_;
    std::uint32_t audit_every_;
    std::uint32_t base_;
    Recorder recorder_;
    Player player_;
    RtlRegisters rtl_;
    cpu::RegisterBlock model_;
    std::uint64_t steps_ = 0;
    std::array<Step, kHistory> history_{}; ///< ring, step n at n % kHistory
};

} // namespace cavern
