#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "tb/channel_allocator_if.h"

namespace cavern {

/// Runs two allocators on the same inputs and compares their outputs after every edge. The first
/// difference throws ModelError with the label, the edge, the inputs, both outputs and the last 16
/// steps. Answers with the outputs of the first.
class LockstepAllocator final : public ChannelAllocatorIf {
  public:
    LockstepAllocator(std::unique_ptr<ChannelAllocatorIf> rtl,
                      std::unique_ptr<ChannelAllocatorIf> reference, std::string label);

    AllocatorOutputs step(const AllocatorInputs& inputs) override;

    [[nodiscard]] std::uint64_t steps() const { return steps_; }
    /// Victims handed out by either, and so compared.
    [[nodiscard]] std::uint64_t compared() const { return compared_; }

  private:
    static constexpr std::size_t kHistory = 16;
    struct Step {
        AllocatorInputs inputs;
        AllocatorOutputs rtl;
        AllocatorOutputs reference;
    };

    [[noreturn]] void report_mismatch() const;

    std::unique_ptr<ChannelAllocatorIf> rtl_;
    std::unique_ptr<ChannelAllocatorIf> reference_;
    std::string label_;
    std::uint64_t steps_ = 0;
    std::uint64_t compared_ = 0;
    std::array<Step, kHistory> history_{}; ///< ring, step n at n % kHistory
};

} // namespace cavern
