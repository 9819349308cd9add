#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "cpu/drive_registers_if.h"
#include "cpu/memory_map.h"

namespace cavern::cpu {

/// First in, first out, as rtl/regs/register_queue.sv. Whoever pushes or pops asks before.
template <typename Entry, std::size_t kSlots>
class RegisterQueue {
  public:
    [[nodiscard]] std::uint32_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] bool full() const { return size_ == kSlots; }
    [[nodiscard]] const Entry& front() const { return entries_[head_]; }
    void push(const Entry& entry) { entries_[(head_ + size_++) % kSlots] = entry; }
    void pop() {
        head_ = (head_ + 1) % kSlots;
        --size_;
    }
    void clear() { size_ = 0; }

  private:
    std::array<Entry, kSlots> entries_{};
    std::size_t head_ = 0;
    std::uint32_t size_ = 0;
};

/// The register block in C++: the twin of rtl/regs/drive_registers.sv, access by access and cycle
/// by cycle. Where registers are, what a store does to a field and what it holds after a reset
/// comes from the table that is made of the .rdl; here is what the hardware behind the fields does.
class RegisterBlock final : public DriveRegistersIf {
  public:
    /// `window` may be null: then every word of it lies outside the spaces. `base`: address of the
    /// block; the bus calls with addresses of the processor.
    explicit RegisterBlock(WindowIf* window, std::uint32_t base = MemoryMap{}.registers.base);

    BusAnswer load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) override;
    BusAnswer store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                    std::uint64_t cycle) override;

    void reset() override;
    void set_geometry(const RegisterGeometry& geometry) override;
    void set_idle(bool host, bool flash) override;
    [[nodiscard]] bool ready() override;
    bool push_request(const HostRequest& request, std::uint64_t cycle) override;
    std::optional<FlashOperation> take_operation(std::uint64_t cycle) override;
    std::optional<DmaDescriptor> take_descriptor(std::uint64_t cycle) override;
    void complete_descriptor(std::uint64_t cycle) override;
    void add_busy_cycles(std::uint32_t cycles) override;
    [[nodiscard]] bool interrupt(std::uint64_t cycle) override;
    [[nodiscard]] std::optional<std::uint64_t> interrupt_due(std::uint64_t cycle) override;

    /// Wait cycles of each access, beyond a tightly coupled memory's: set-up and access phase of
    /// APB take two cycles where the memory takes one (rtl/regs/data_to_apb.sv).
    static constexpr std::uint32_t kWaitCycles = 1;

  private:
    [[nodiscard]] std::uint32_t& at(regs::RegisterId id) {
        return words_[static_cast<std::size_t>(id)];
    }
    /// Does what a store to a register starts; `value` are its bits, `lanes` those that it covers.
    void act(regs::RegisterId id, std::uint32_t value, std::uint32_t lanes, std::uint64_t cycle);
    BusAnswer access_window(std::uint32_t offset, std::uint32_t value, std::uint32_t strobes,
                            bool is_store, std::uint64_t cycle);
    void pop_request();
    void push_operation(const FlashOperation& operation, regs::RegisterId counter);
    void submit_descriptor();
    void record_error(std::uint32_t bit);
    /// Sets pending bits at `cycle`: what is moderated is counted.
    void raise(std::uint32_t bits, std::uint64_t cycle);
    /// Head, fill and status of a queue that has changed.
    void show_requests();
    void show_operations();
    void show_descriptors();
    void show_status(regs::FieldPlace field, bool value);

    WindowIf* window_;
    std::uint32_t base_;
    std::array<std::uint32_t, regs::kRegisters.size()> words_{}; ///< what a load shows
    RegisterQueue<HostRequest, regs::kRequestSlots> requests_;
    RegisterQueue<FlashOperation, regs::kOperationSlots> operations_;
    RegisterQueue<DmaDescriptor, regs::kDmaSlots> descriptors_;
    std::uint32_t events_ = 0; ///< moderated ones, since their pending bits were last clear
    std::uint64_t first_event_ = 0;
};

} // namespace cavern::cpu
