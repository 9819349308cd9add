#include "cosim/rtl_arbiter.h"

#include <fstream>
#include <utility>

#include "core/base/check.h"
#include "core/base/error.h"
#include "cosim/user_models.h"

namespace cavern {

RtlArbiter::RtlArbiter(std::unique_ptr<VerilatedModelIf> model, std::uint32_t slots, TimePs period,
                       std::string label)
    : model_(std::move(model)), lines_((1u << slots) - 1),
      class_lines_(static_cast<std::uint32_t>((std::uint64_t{1} << (2 * slots)) - 1)),
      period_(period), label_(std::move(label)) {
    CAVERN_CHECK(slots >= 1 && slots <= kMaxRequesters, "an arbiter of 1 to 16 slots");
    CAVERN_CHECK(period >= 4, "waves need four time steps in a period");
}

RtlArbiter::~RtlArbiter() = default;

ArbiterOutputs RtlArbiter::step(const ArbiterInputs& inputs) {
    const ArbiterInputs pins{inputs.request & lines_, inputs.classes & class_lines_, inputs.release,
                             inputs.time};
    TimePs time = 0;
    if (waves_) {
        time = time_of(inputs.time);
        model_->present(pins);
        model_->dump(time - (time == 0 ? 0 : period_ / 4));
    }
    ArbiterOutputs outputs;
    const bool sound = model_->rise(pins, outputs);
    if (waves_) {
        model_->dump(time);
    }
    if (!sound) {
        report_failure(inputs.time);
    }
    model_->fall();
    if (waves_) {
        model_->dump(time + period_ / 2);
    }
    return outputs;
}

void RtlArbiter::open_waves(const std::string& path) {
    if (!std::ofstream(path, std::ios::binary)) {
        throw UserError(path, 0, "cannot write the waves", "a file in a folder that is writable");
    }
    model_->open_waves(path);
    waves_ = true;
}

TimePs RtlArbiter::time_of(std::uint32_t edge) {
    edge_ += edge - static_cast<std::uint32_t>(edge_);
    return edge_ * period_;
}

void RtlArbiter::report_failure(std::uint32_t edge) {
    // "... Assertion failed in <hierarchy>.<property>: 'assert' failed." Its last name is the
    // property.
    const std::string text = model_->take_messages();
    const std::string mark = "Assertion failed in ";
    std::string property = "a property that gave no name";
    if (const auto begin = text.find(mark); begin != std::string::npos) {
        const std::string path =
            text.substr(begin + mark.size(), text.find(':', begin) - begin - mark.size());
        property = path.substr(path.rfind('.') + 1);
    }
    throw ModelError(label_ + ": the RTL arbiter broke " + property + " by cycle " +
                     std::to_string(edge));
}

std::unique_ptr<RtlArbiter> make_rtl_arbiter(std::uint32_t slots, ArbiterPolicy policy,
                                             std::uint32_t age_limit, std::uint64_t seed,
                                             TimePs period, const std::string& label) {
    return std::make_unique<RtlArbiter>(make_verilated_model(slots, policy, age_limit, seed), slots,
                                        period, label);
}

std::unique_ptr<RtlArbiter> make_user_arbiter(std::uint32_t slots, std::uint32_t age_limit,
                                              std::uint64_t seed, TimePs period,
                                              const std::string& label) {
    return std::make_unique<RtlArbiter>(make_user_model(slots, age_limit, seed), slots, period,
                                        label);
}

} // namespace cavern
