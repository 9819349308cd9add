#include "cosim/lockstep_arbiter.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "core/base/error.h"

namespace cavern {
namespace {

std::ostream& operator<<(std::ostream& out, const ArbiterInputs& inputs) {
    return out << "request=0x" << std::hex << inputs.request << " class=0x" << inputs.classes
               << std::dec << " release=" << inputs.release;
}

std::ostream& operator<<(std::ostream& out, const ArbiterOutputs& outputs) {
    return out << "valid=" << outputs.valid << " grant=0x" << std::hex << outputs.grant << std::dec
               << " index=" << outputs.index;
}

} // namespace

LockstepArbiter::LockstepArbiter(std::unique_ptr<ClockedArbiterIf> rtl,
                                 std::unique_ptr<ClockedArbiterIf> reference, std::string label)
    : rtl_(std::move(rtl)), reference_(std::move(reference)), label_(std::move(label)) {}

ArbiterOutputs LockstepArbiter::step(const ArbiterInputs& inputs) {
    Step& step = history_[steps_ % kHistory];
    step = {inputs, rtl_->step(inputs), reference_->step(inputs)};
    ++steps_;

    const bool free = !held_ || inputs.release;
    if (free && (step.rtl.valid || step.reference.valid)) {
        ++compared_;
    }
    if (step.rtl != step.reference) {
        ++mismatches_;
        report_mismatch(step);
    }
    held_ = step.rtl.valid;
    return step.rtl;
}

void LockstepArbiter::report_mismatch(const Step& step) const {
    std::ostringstream text;
    text << label_ << ": RTL and model differ at cycle " << step.inputs.time << ": " << step.inputs
         << "; RTL " << step.rtl << "; model " << step.reference << "; last steps:";
    for (std::uint64_t n = steps_ - std::min<std::uint64_t>(steps_, kHistory); n < steps_; ++n) {
        const Step& past = history_[n % kHistory];
        text << "\n  cycle " << past.inputs.time << ": " << past.inputs << "; RTL " << past.rtl
             << "; model " << past.reference;
    }
    throw ModelError(text.str());
}

} // namespace cavern
