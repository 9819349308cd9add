#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/call_profile.h"
#include "cpu/program.h"
#include "cpu/retired.h"

namespace cavern::cpu {

/// A function from the cycle in which it began until it ended, with all that it called; cut where a
/// stretch begins and ends.
struct FunctionSlice {
    std::string function;
    std::uint32_t depth = 0; ///< calls around it
    std::uint64_t begin = 0;
    std::uint64_t end = 0; ///< behind begin
};

/// Which functions are executed, and when, in a stretch of cycles: between two sleeps of a
/// processor. Calls are recognised as CallProfile does.
class FunctionSlices final : private CallListenerIf {
  public:
    /// The program must outlive it.
    explicit FunctionSlices(const Program& program);
    FunctionSlices(const FunctionSlices&) = delete; // its profile refers to it
    FunctionSlices& operator=(const FunctionSlices&) = delete;

    /// A stretch begins; who has called whom before, as far as that was told, stays known.
    void begin(std::uint64_t cycle);
    void add(const Retired& retired) { calls_.add(retired); }
    /// It ends. All its slices, callers before those that they call.
    const std::vector<FunctionSlice>& end(std::uint64_t cycle);

  private:
    struct Open {
        std::string function;
        std::uint64_t since = 0;
    };

    void entered(std::uint64_t cycle, std::size_t depth, const std::string& function) override;
    void left(std::uint64_t cycle, std::size_t depth) override;
    /// The frames from `depth` on end.
    void close(std::uint64_t cycle, std::size_t depth);

    CallProfile calls_;
    std::vector<Open> open_; ///< by depth
    std::vector<FunctionSlice> slices_;
};

} // namespace cavern::cpu
