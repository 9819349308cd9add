#include "firmware/twin/decision_lockstep.h"

#include <string>

#include "core/base/error.h"

namespace cavern {

void DecisionLockstep::decided(const DecisionCall& call, const Decision& core) {
    ++compared_.calls;
    compared_.operations += core.batch != nullptr ? core.batch->ops.size() : 0;
    const auto stop = [&](const std::string& found, const std::string& firmware) {
        throw FirmwareError("and decision core differ: " + request_.with(call) + ": " + found +
                            "; the core decides {" + text_of(core) + "}, the firmware " + firmware);
    };
    Decision firmware;
    try {
        firmware = ask(*firmware_, call);
    } catch (const ModelError& error) {
        stop("the firmware stops", std::string("says: ") + error.what());
    }
    const std::string found = difference(core, firmware);
    if (!found.empty()) {
        stop(found, "{" + text_of(firmware) + "}");
    }
}

void DecisionLockstep::failed(const DecisionCall& call, const ModelError& error) {
    throw ModelError(request_.with(call) + ": the decision core stops: " + error.what());
}

} // namespace cavern
