#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/check.h"
#include "cosim/ibex_model.h"
#include "cpu/memory_system.h"
#include "cpu/retired.h"

namespace cavern {

/// Wait cycles beyond those of the memory system, asked for once for each access.
class ExtraWaitIf {
  public:
    virtual ~ExtraWaitIf() = default;
    virtual std::uint32_t fetch() = 0;
    virtual std::uint32_t data() = 0;
};

/// One access of the data port. It lies within one word; an access of an instruction that crosses a
/// word is two of them.
struct DataAccess {
    std::uint32_t address = 0; ///< of the first byte
    std::uint32_t size = 0;    ///< 1 to 4 bytes
    bool write = false;
    std::uint32_t data = 0; ///< read or written, in the lowest bytes
    std::uint32_t wait_cycles = 0;
    bool fault = false;
};

/// lowRISC's Ibex (rtl/cpu/ibex_wrapper.sv), cycle by cycle, in front of a memory system. Both
/// ports are granted at once; an answer comes 1 + wait cycles after the request, never before the
/// answer to an earlier request. Prefetches that lie outside the memory fault only when they are
/// executed.
///
///     IbexCore core(memory, 1);
///     core.reset();
///     while (core.cycle() < limit) {
///         if (core.tick()) { use(core.retired()); }
///     }
class IbexCore {
  public:
    static constexpr std::size_t kMaxAccesses = 2; ///< of one instruction

    /// `seed` decides what registers without a reset hold at first, and must not matter. Throws
    /// nothing; `memory` and `extra` stay the caller's.
    IbexCore(cpu::MemorySystem& memory, std::uint64_t seed, ExtraWaitIf* extra = nullptr);
    ~IbexCore();

    /// The next tick is cycle 0; the core starts at the reset pc of the memory map.
    void reset();

    /// One clock cycle. True when an instruction left the pipeline in the cycle before: retired(),
    /// accesses() and rvfi() say what it did, until the next tick.
    bool tick();
    /// Ticks until an instruction has retired. False when `max_cycles` have passed without.
    bool step(std::uint64_t max_cycles);

    /// next_pc is that of RVFI, which is wrong for an instruction that traps, and for MRET.
    [[nodiscard]] const cpu::Retired& retired() const { return retired_; }
    /// Accesses of the instruction on the data port.
    [[nodiscard]] std::size_t accesses() const { return finished_; }
    [[nodiscard]] const DataAccess& access(std::size_t i) const {
        CAVERN_CHECK(i < finished_, "access of the last instruction");
        return done_[i];
    }
    [[nodiscard]] const IbexOutputs& rvfi() const { return outputs_; }

    /// Lines as in the CSR mip; they hold from the next tick on. A line stays until it is served:
    /// Ibex samples it when it decides, and in the cycle after, when it chooses a line and jumps.
    void set_interrupt(std::uint32_t line, bool level);
    void set_interrupts(std::uint32_t lines) { inputs_.interrupts = lines; }

    /// Those among which Ibex chose when it jumped to an interrupt's handler last.
    [[nodiscard]] std::uint32_t lines_at_jump() const { return lines_at_jump_; }

    /// Cycles since reset; the next tick is this one.
    [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
    /// After WFI, its clock stopped.
    [[nodiscard]] bool asleep() const { return outputs_.asleep; }

  private:
    /// Answers on their way to a port, in the order of the requests.
    struct Answers {
        struct Answer {
            std::uint64_t cycle = 0;
            std::uint32_t data = 0;
            bool fault = false;
        };
        std::array<Answer, 4> ring{}; ///< Ibex has at most two outstanding
        std::uint32_t first = 0;
        std::uint32_t count = 0;
        std::uint64_t last = 0; ///< cycle of the latest answer

        void push(std::uint64_t cycle, std::uint32_t data, bool fault);
        [[nodiscard]] const Answer* due(std::uint64_t cycle) const;
        void pop();
    };

    void answer_ports();
    void take_fetch();
    void take_data();
    void take_retired();

    cpu::MemorySystem& memory_;
    ExtraWaitIf* extra_;
    std::unique_ptr<IbexModelIf> model_;
    IbexInputs inputs_;
    IbexOutputs outputs_;
    Answers fetches_;
    Answers loads_;
    std::uint64_t cycle_ = 0;
    std::uint32_t lines_at_jump_ = 0;
    cpu::Retired retired_;
    std::array<DataAccess, kMaxAccesses> started_{}; ///< of the instruction in ID/EX
    std::array<DataAccess, kMaxAccesses> done_{};    ///< of the one that has left
    std::size_t pending_ = 0;
    std::size_t finished_ = 0;
};

} // namespace cavern
