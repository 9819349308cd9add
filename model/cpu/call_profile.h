#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cpu/program.h"
#include "cpu/retired.h"

namespace cavern::cpu {

/// Told as the call stack changes. Depth 0 is the outermost function.
class CallListenerIf {
  public:
    virtual ~CallListenerIf() = default;
    /// From the cycle on this function is the innermost one, at this depth.
    virtual void entered(std::uint64_t cycle, std::size_t depth, const std::string& function) = 0;
    /// From the cycle on the stack is only so deep.
    virtual void left(std::uint64_t cycle, std::size_t depth) = 0;
};

/// Cycles by function and call stack. Calls and returns are recognised by the registers that hold
/// return addresses (unprivileged ISA, table of return-address stack hints): JAL or JALR to x1 or
/// x5 calls, JALR x0 from them returns. A trap counts as a call from where it struck. A jump from
/// one function into another (tail call) replaces the function on the stack.
class CallProfile {
  public:
    /// The program must outlive the profile.
    explicit CallProfile(const Program& program);

    /// In order, every instruction since reset. Cycles between two instructions belong to the
    /// later.
    void add(const Retired& retired);
    /// Cycles from the last instruction until this one belong to it: the processor goes to sleep.
    void settle(std::uint64_t cycle);
    /// Cycles until this one belong to nobody: it has slept.
    void skip(std::uint64_t cycle) { last_cycle_ = cycle; }
    /// Counts from now on. Who has called whom stays known.
    void forget();
    /// Tells the listener the stack as it is, and each change from now on. The listener outlives
    /// the profile.
    void listen(CallListenerIf& listener);

    /// "start;main;printf 1234": one line for each stack with cycles of its own, in the order of
    /// the text. The sum is the cycle of the last instruction, but for what was skipped or
    /// forgotten.
    [[nodiscard]] std::string folded() const;

  private:
    static constexpr std::uint32_t kRoot = 0;

    struct Node {
        std::uint32_t parent = 0;
        std::uint32_t function = 0;
        std::uint64_t cycles = 0;
    };
    struct Frame {
        std::uint32_t node = 0;
        std::uint32_t returns_to = 0;
        bool trap = false;
    };

    [[nodiscard]] std::uint32_t function_at(std::uint32_t pc);
    std::uint32_t child(std::uint32_t parent, std::uint32_t function);
    /// Tells the listener of the innermost function.
    void tell_entered();
    /// Leaves `depth` frames.
    void cut(std::size_t depth);
    void push(std::uint32_t pc, std::uint32_t returns_to, bool trap);
    void pop_call(std::uint32_t to);
    void pop_trap();

    const Program& program_;
    std::vector<std::string> names_;                   ///< by function; 0: no symbol
    std::map<const Symbol*, std::uint32_t> functions_; ///< number of a symbol
    std::vector<std::uint32_t> known_;                 ///< by halfword from base_: number + 1
    std::uint32_t base_ = 0;
    std::vector<Node> nodes_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> children_;
    std::vector<Frame> stack_;
    CallListenerIf* listener_ = nullptr; ///< may be null
    std::uint64_t last_cycle_ = 0;
    std::uint32_t next_pc_ = 0;
};

} // namespace cavern::cpu
