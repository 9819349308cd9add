#include "firmware/twin/decision_guide.h"

#include <algorithm>
#include <functional>
#include <string>

#include "core/base/error.h"

namespace cavern {

void DecisionGuide::deciding(const DecisionCall& call) {
    victims_ = operations_ = host_programs_ = 0;
    answer_ = Decision();
    try {
        answer_ = ask(*firmware_, call);
    } catch (const ModelError& error) {
        throw FirmwareError("stops: " + request_.with(call) + ": " + error.what());
    }
    if (answer_.batch != nullptr) {
        const FlashOpList& ops = answer_.batch->ops;
        host_programs_ = static_cast<std::size_t>(
            std::count_if(ops.begin(), ops.end(), std::mem_fn(&FlashOp::is_hosts)));
    }
}

void DecisionGuide::decided(const DecisionCall& call, const Decision& decision) {
    const std::string found = difference(decision, answer_);
    if (!found.empty()) {
        throw FirmwareError("answers what cannot be: " + request_.with(call) + ": " + found +
                            "; what can be carried out of it is {" + text_of(decision) +
                            "}, it answers {" + text_of(answer_) + "}");
    }
    answer_ = Decision(); // which the firmware need not keep
}

void DecisionGuide::failed(const DecisionCall& call, const ModelError& error) {
    throw FirmwareError("answers what cannot be: " + request_.with(call) + ": " + error.what() +
                        "; it answers {" + text_of(answer_) + "}");
}

} // namespace cavern
