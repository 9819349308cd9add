#include "tb/lockstep_allocator.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "core/base/error.h"

namespace cavern {
namespace {

std::ostream& operator<<(std::ostream& out, const AllocatorInputs& inputs) {
    return out << "start=" << inputs.start << " victims=" << inputs.victims << " busy=0x"
               << std::hex << inputs.busy << std::dec;
}

std::ostream& operator<<(std::ostream& out, const AllocatorOutputs& outputs) {
    return out << "valid=" << outputs.valid << " channel=" << outputs.channel
               << " way=" << outputs.way << " last=" << outputs.last << " ready=" << outputs.ready;
}

} // namespace

LockstepAllocator::LockstepAllocator(std::unique_ptr<ChannelAllocatorIf> rtl,
                                     std::unique_ptr<ChannelAllocatorIf> reference,
                                     std::string label)
    : rtl_(std::move(rtl)), reference_(std::move(reference)), label_(std::move(label)) {}

AllocatorOutputs LockstepAllocator::step(const AllocatorInputs& inputs) {
    Step& step = history_[steps_ % kHistory];
    step = {inputs, rtl_->step(inputs), reference_->step(inputs)};
    ++steps_;
    compared_ += step.rtl.valid || step.reference.valid ? 1 : 0;
    if (step.rtl != step.reference) {
        report_mismatch();
    }
    return step.rtl;
}

void LockstepAllocator::report_mismatch() const {
    const auto describe = [this](std::ostream& out, std::uint64_t n) {
        const Step& step = history_[n % kHistory];
        out << "edge " << n << ": " << step.inputs << "; RTL " << step.rtl << "; model "
            << step.reference;
    };
    std::ostringstream text;
    text << label_ << ": RTL and model differ at ";
    describe(text, steps_ - 1);
    text << "; last steps:";
    for (std::uint64_t n = steps_ - std::min<std::uint64_t>(steps_, kHistory); n < steps_; ++n) {
        text << "\n  ";
        describe(text, n);
    }
    throw ModelError(text.str());
}

} // namespace cavern
