#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cpu/csr_file.h"
#include "cpu/decode.h"
#include "cpu/ibex_timing.h"
#include "cpu/memory_system.h"
#include "cpu/retired.h"

namespace cavern::cpu {

/// Effect of an illegal instruction or a bad access. Ibex traps. Firmware of a drive has no use for
/// such a trap, so the run of a drive stops and says where.
enum class FaultPolicy { kStop, kTrap };

enum class FaultKind {
    kNone,
    kFetch,      ///< instruction fetched outside the instruction memory
    kIllegal,    ///< no instruction of RV32IMC, or a CSR that is not there
    kLoad,       ///< nothing at the address
    kStore,      ///< nothing at the address
    kMisaligned, ///< a load or store that is not naturally aligned; with kTrap it is carried out
};
[[nodiscard]] const char* name_of(FaultKind kind);

/// Where the hart stopped, with FaultPolicy::kStop. The instruction has had no effect.
struct Fault {
    FaultKind kind = FaultKind::kNone;
    std::uint32_t pc = 0;
    std::uint32_t instruction = 0; ///< 0 when it could not be fetched
    std::uint32_t address = 0;     ///< accessed; of kFetch and kIllegal the pc
};

/// Bytes whose accesses hold the hart. It stops before the access, as a trigger with timing
/// "before" does (RISC-V debug specification, mcontrol), and as GDB expects of RISC-V.
struct Watchpoint {
    std::uint32_t address = 0;
    std::uint32_t bytes = 0;
    bool on_load = false;
    bool on_store = false;
    friend bool operator==(const Watchpoint& a, const Watchpoint& b) {
        return a.address == b.address && a.bytes == b.bytes && a.on_load == b.on_load &&
               a.on_store == b.on_store;
    }
};

/// The access that a watchpoint has held.
struct WatchHit {
    Watchpoint watchpoint;
    std::uint32_t address = 0; ///< of the first byte accessed that is watched
    bool store = false;
};

enum class Stop {
    kInstructions, ///< as many as asked for are done
    kCycle,        ///< the cycle given is reached
    kRequested,    ///< request_stop(), from a BusIf
    kWaiting,      ///< WFI, and no enabled interrupt is pending; stays until a line rises
    kBreakpoint,   ///< the next instruction is at a breakpoint
    kWatchpoint,   ///< the next instruction is about to access what is watched: see watch_hit()
    kFault,        ///< see fault()
};

/// One RV32IMC_Zicsr_Zifencei hart with machine and user mode, as Ibex implements them
/// (doc/03_reference/cs_registers.rst and exception_interrupts.rst of lowRISC's Ibex), with the
/// cycles of IbexTiming. Instructions are decoded once for each halfword of the instruction memory.
/// Left out: debug mode, non-maskable interrupts, physical memory protection, event counters.
///
///     Hart hart(memory);
///     hart.reset(memory.map().reset_pc());
///     while (hart.run(1'000'000) == Stop::kInstructions) {}
class Hart {
  public:
    using Observer = std::function<void(const Retired&)>;
    static constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();

    explicit Hart(MemorySystem& memory, const IbexTiming& timing = {},
                  FaultPolicy policy = FaultPolicy::kStop);

    /// All registers 0, machine mode, interrupts off, trap vector at the boot address of the map,
    /// cycle and instruction counts 0.
    void reset(std::uint32_t pc);

    /// Executes one instruction, or takes one interrupt and executes the first of its handler.
    /// Returns kInstructions when one was executed; `retired` then says what it did. Breakpoints do
    /// not hold it, watchpoints do, once.
    Stop step(Retired* retired = nullptr);
    /// Executes up to `max_instructions` and until the cycle count is `until_cycle` or more.
    /// After kBreakpoint and kWatchpoint it goes on. With watchpoints it is less than half as fast.
    Stop run(std::uint64_t max_instructions, std::uint64_t until_cycle = kForever);
    /// Tells `observe` of each instruction; less than half as fast.
    Stop run(std::uint64_t max_instructions, std::uint64_t until_cycle, const Observer& observe);
    /// run() returns after the instruction that is being executed, with kRequested or a reason that
    /// holds as well. For a BusIf.
    void request_stop();

    /// Level of a line, by its bit in mip. Takes effect before the next instruction.
    void set_interrupt(std::uint32_t line, bool level);
    /// All lines at once, as mip has them.
    void set_interrupts(std::uint32_t lines);
    [[nodiscard]] std::uint32_t interrupts() const { return csrs_.lines(); }
    /// After WFI, until an enabled interrupt is pending.
    [[nodiscard]] bool waiting() const { return waiting_; }

    [[nodiscard]] std::uint32_t pc() const { return pc_; }
    void set_pc(std::uint32_t pc) { pc_ = pc & ~1u; }
    /// x0 to x31.
    [[nodiscard]] std::uint32_t reg(std::uint32_t number) const { return x_[number]; }
    void set_reg(std::uint32_t number, std::uint32_t value);
    /// By CSR address; nothing where the hart has none. Debuggers and lockstep read and write so.
    [[nodiscard]] std::optional<std::uint32_t> csr(std::uint32_t number) const;
    /// Writes a CSR as a CSRRW of machine mode does. False where there is none, or it is read-only.
    bool set_csr(std::uint32_t number, std::uint32_t value);
    [[nodiscard]] bool in_user_mode() const { return csrs_.user_mode(); }

    /// Cycles since reset. Ibex's mcycle counts them but for those asleep after WFI: its clock
    /// stops.
    [[nodiscard]] std::uint64_t cycle() const { return cycle_; }
    /// Time passes without an instruction: while it waits, or while somebody else holds it up.
    void advance_to(std::uint64_t cycle);
    /// Instructions retired since reset, those that trapped not counted.
    [[nodiscard]] std::uint64_t instructions() const { return order_ - traps_; }

    /// Instructions executed, with those that trapped.
    [[nodiscard]] std::uint64_t executed() const { return order_; }

    [[nodiscard]] const Fault& fault() const { return fault_; }
    void set_fault_policy(FaultPolicy policy) { policy_ = policy; }

    void add_breakpoint(std::uint32_t pc);
    void remove_breakpoint(std::uint32_t pc);
    void add_watchpoint(const Watchpoint& watchpoint);
    void remove_watchpoint(const Watchpoint& watchpoint);
    /// The access of the last kWatchpoint.
    [[nodiscard]] const WatchHit& watch_hit() const { return watch_hit_; }

    [[nodiscard]] MemorySystem& memory() { return memory_; }

  private:
    struct Locals;
    /// A load or store off the usual path: not in the data memory, not aligned, or both.
    struct SlowAccess {
        std::uint32_t data = 0;
        std::uint32_t cycles = 0; ///< beyond those of an aligned access without waiting
        bool done = true;         ///< false: it trapped or stopped the hart
    };

    /// An instruction that has held the hart already, and is to be executed now.
    struct Held {
        std::uint64_t order = ~std::uint64_t{0};
        std::uint32_t pc = 0;
        friend bool operator==(const Held& a, const Held& b) {
            return a.order == b.order && a.pc == b.pc;
        }
    };

    template <bool kTrace>
    Stop execute(std::uint64_t max_instructions, std::uint64_t until_cycle, Retired* retired,
                 const Observer* observe);
    SlowAccess load_slow(std::uint32_t address, std::uint32_t size);
    SlowAccess store_slow(std::uint32_t address, std::uint32_t value, std::uint32_t size);
    template <typename Value, bool kTrace>
    bool load(const Decoded& decoded, Locals& locals, Retired* retired);
    template <typename Value, bool kTrace>
    bool store(const Decoded& decoded, Locals& locals, Retired* retired);
    /// Executes what is rare: traps, CSRs, returns. Sets pc_ and cycle_. False: stopped by a fault.
    bool execute_rare(const Decoded& decoded);
    bool access_csr(const Decoded& decoded);
    /// Traps, or stops the hart. False: stopped.
    bool raise(std::uint32_t cause, std::uint32_t value, FaultKind kind, std::uint32_t cycles);
    void go_to_handler(std::uint32_t cause, std::uint32_t value, std::uint32_t cycles);
    void take_interrupt();
    [[nodiscard]] std::uint32_t target_penalty(std::uint32_t pc) const;
    /// Those of the `cycles` of the instruction just done that come after it has left ID/EX.
    [[nodiscard]] std::uint64_t refill(const Decoded& decoded, std::uint64_t cycles) const;
    [[nodiscard]] Decoded decode_at(std::uint32_t pc) const;
    /// Fills the entry of a pc in the instruction memory: Op::kBreakpoint where one is.
    void decode_entry(std::uint32_t pc);
    [[nodiscard]] bool has_breakpoint(std::uint32_t pc) const;
    void forget_decoded(std::uint32_t address, std::uint32_t bytes);
    /// Whether a watchpoint holds the hart before this access; watch_hit_ then says which.
    bool watched(std::uint32_t address, std::uint32_t size, bool store, Locals& locals);
    [[nodiscard]] CsrFile::Now now() const { return {cycle_ - slept_, instructions()}; }

    MemorySystem& memory_;
    IbexTiming timing_;
    FaultPolicy policy_;
    CsrFile csrs_;
    /// One for each halfword of the instruction memory, and a fetch fault behind the last one.
    std::vector<Decoded> decoded_;
    std::uint64_t decoded_version_ = 0; ///< of the code that was decoded
    std::vector<std::uint32_t> breakpoints_;
    std::vector<Watchpoint> watchpoints_;
    WatchHit watch_hit_;
    Held broken_at_;           ///< by a breakpoint
    Held watched_at_;          ///< by a watchpoint
    bool watch_holds_ = false; ///< the instruction being executed

    std::array<std::uint32_t, 33> x_{}; ///< [32] takes what is written to x0
    std::uint32_t pc_ = 0;
    std::uint64_t cycle_ = 0;
    std::uint64_t order_ = 0;                         ///< instructions, those that trapped included
    std::uint64_t traps_ = 0;                         ///< instructions that trapped
    std::uint64_t handler_order_ = ~std::uint64_t{0}; ///< of the first of the newest handler
    bool waiting_ = false;
    std::uint64_t slept_from_ = 0; ///< cycle count after the WFI
    std::uint64_t slept_ = 0;      ///< cycles that mcycle has not counted
    bool stop_requested_ = false;
    bool trapped_ = false; ///< the instruction being executed
    Fault fault_;
};

} // namespace cavern::cpu
