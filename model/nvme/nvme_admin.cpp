#include <algorithm>

#include "nvme/nvme_controller.h"

namespace cavern::nvme {
namespace {

/// Feature identifiers (5.21.1).
enum Feature : std::uint32_t {
    kArbitration = 0x01,
    kPowerManagement = 0x02,
    kTemperatureThreshold = 0x04,
    kErrorRecovery = 0x05,
    kVolatileWriteCache = 0x06,
    kNumberOfQueues = 0x07,
    kInterruptCoalescing = 0x08,
    kInterruptVector = 0x09,
    kWriteAtomicity = 0x0A,
    kAsyncEvents = 0x0B
};
constexpr std::size_t kMostEventRequests = 4; ///< AERL + 1

} // namespace

Controller::Outcome Controller::admin(const Command& command) {
    switch (static_cast<AdminOpcode>(command.opcode())) {
    case AdminOpcode::kDeleteSubmissionQueue:
        return delete_submission_queue(command);
    case AdminOpcode::kCreateSubmissionQueue:
        return create_submission_queue(command);
    case AdminOpcode::kGetLogPage:
        return get_log_page(command);
    case AdminOpcode::kDeleteCompletionQueue:
        return delete_completion_queue(command);
    case AdminOpcode::kCreateCompletionQueue:
        return create_completion_queue(command);
    case AdminOpcode::kIdentify:
        return identify(command);
    case AdminOpcode::kAbort:
        return abort(command);
    case AdminOpcode::kSetFeatures:
        return set_features(command);
    case AdminOpcode::kGetFeatures:
        return get_features(command);
    case AdminOpcode::kAsyncEventRequest:
        return request_event(command);
    default:
        return {kInvalidOpcode};
    }
}

// ---- queues (5.3 to 5.6) ------------------------------------------------------------------------

Controller::Outcome Controller::create_completion_queue(const Command& command) {
    const std::uint32_t id = command.dword[10] & 0xFFFF;
    const std::uint32_t entries = (command.dword[10] >> 16) + 1;
    const std::uint32_t vector = command.dword[11] >> 16;
    const bool contiguous = (command.dword[11] & 1) != 0;
    if (!may_be_queue(id) || completion_[id].exists) {
        return {kInvalidQueueId};
    }
    if (entries < 2 || entries > params_.entries || (cc_ >> 20 & 15) != 4) {
        return {kInvalidQueueSize};
    }
    if (!contiguous) {
        return {kInvalidField};
    }
    if (vector >= params_.vectors) {
        return {kInvalidVector};
    }
    if (command.prp1() % page_bytes() != 0) {
        return {kInvalidPrpOffset};
    }
    CompletionQueue queue;
    queue.exists = true;
    queue.base = command.prp1();
    queue.entries = entries;
    queue.interrupts = (command.dword[11] & 2) != 0;
    queue.vector = static_cast<std::uint16_t>(vector);
    completion_[id] = queue;
    return {};
}

Controller::Outcome Controller::create_submission_queue(const Command& command) {
    const std::uint32_t id = command.dword[10] & 0xFFFF;
    const std::uint32_t entries = (command.dword[10] >> 16) + 1;
    const std::uint32_t completion_queue = command.dword[11] >> 16;
    const bool contiguous = (command.dword[11] & 1) != 0;
    if (!may_be_queue(id) || submission_[id].exists || !may_be_queue(completion_queue)) {
        return {kInvalidQueueId};
    }
    if (!completion_[completion_queue].exists) {
        return {kInvalidCompletionQueue};
    }
    if (entries < 2 || entries > params_.entries || (cc_ >> 16 & 15) != 6) {
        return {kInvalidQueueSize};
    }
    if (!contiguous) {
        return {kInvalidField};
    }
    if (command.prp1() % page_bytes() != 0) {
        return {kInvalidPrpOffset};
    }
    SubmissionQueue queue;
    queue.exists = true;
    queue.base = command.prp1();
    queue.entries = entries;
    queue.completion_queue = static_cast<std::uint16_t>(completion_queue);
    submission_[id] = queue;
    return {};
}

Controller::Outcome Controller::delete_completion_queue(const Command& command) {
    const std::uint32_t id = command.dword[10] & 0xFFFF;
    if (id == 0 || id >= completion_.size() || !completion_[id].exists) {
        return {kInvalidQueueId};
    }
    const bool used =
        std::any_of(submission_.begin(), submission_.end(), [id](const SubmissionQueue& queue) {
            return queue.exists && queue.completion_queue == id;
        });
    if (used) {
        return {kInvalidQueueDeletion};
    }
    completion_[id] = {};
    return {};
}

Controller::Outcome Controller::delete_submission_queue(const Command& command) {
    const std::uint32_t id = command.dword[10] & 0xFFFF;
    if (id == 0 || id >= submission_.size() || !submission_[id].exists ||
        submission_[id].deleting) {
        return {kInvalidQueueId};
    }
    submission_[id].deleting = true;
    submission_[id].deleted_by = command.id();
    retire(submission_[id]);
    return {kSuccess, 0, true};
}

/// Commands of the medium are too short-lived to be stopped: what can be aborted is a request for
/// an event. Dword 0 says whether nothing was aborted (5.1).
Controller::Outcome Controller::abort(const Command& command) {
    const std::uint32_t queue = command.dword[10] & 0xFFFF;
    const auto id = static_cast<std::uint16_t>(command.dword[10] >> 16);
    if (queue >= submission_.size() || !submission_[queue].exists) {
        return {kInvalidField};
    }
    const auto request = std::find(event_requests_.begin(), event_requests_.end(), id);
    if (queue != 0 || request == event_requests_.end()) {
        return {kSuccess, 1};
    }
    event_requests_.erase(request);
    answer({0, id, kAbortRequested});
    return {kSuccess, 0};
}

// ---- features (5.15, 5.21) ----------------------------------------------------------------------

Controller::Outcome Controller::set_features(const Command& command) {
    const std::uint32_t feature = command.dword[10] & 0xFF;
    const std::uint32_t value = command.dword[11];
    if (command.dword[10] >> 31 != 0) {
        return {kNotSaveable};
    }
    switch (feature) {
    case kNumberOfQueues: {
        const std::uint32_t submission = value & 0xFFFF;
        const std::uint32_t completion = value >> 16;
        if (submission == 0xFFFF || completion == 0xFFFF) {
            return {kInvalidField};
        }
        for (std::size_t id = 1; id < submission_.size(); ++id) {
            if (submission_[id].exists || completion_[id].exists) {
                return {kSequenceError};
            }
        }
        granted_queues_ = static_cast<std::uint16_t>(
            std::min<std::uint32_t>(params_.queues, std::max(submission, completion) + 1));
        return {kSuccess, (granted_queues_ - 1u) | (granted_queues_ - 1u) << 16};
    }
    case kPowerManagement: // the one state there is
    case kInterruptCoalescing:
        return {value == 0 ? kSuccess : kNotChangeable};
    case kVolatileWriteCache:
        if (!params_.volatile_cache) {
            return {kInvalidField};
        }
        return {(value & 1) != 0 ? kSuccess : kNotChangeable};
    case kInterruptVector:
        if ((value & 0xFFFF) >= params_.vectors) {
            return {kInvalidField};
        }
        return {(value >> 16 & 1) != 0 ? kSuccess : kNotChangeable};
    case kArbitration:
    case kTemperatureThreshold:
    case kErrorRecovery:
    case kWriteAtomicity:
    case kAsyncEvents:
        features_[feature] = value;
        return {};
    default:
        return {kInvalidField};
    }
}

Controller::Outcome Controller::get_features(const Command& command) {
    const std::uint32_t feature = command.dword[10] & 0xFF;
    const std::uint32_t select = command.dword[10] >> 8 & 7;
    if (select > 2) { // current, default, saved; capabilities are not supported
        return {kInvalidField};
    }
    switch (feature) {
    case kNumberOfQueues:
        return {kSuccess, (granted_queues_ - 1u) | (granted_queues_ - 1u) << 16};
    case kVolatileWriteCache:
        return params_.volatile_cache ? Outcome{kSuccess, 1} : Outcome{kInvalidField};
    case kInterruptVector: {
        const std::uint32_t vector = command.dword[11] & 0xFFFF;
        return vector < params_.vectors ? Outcome{kSuccess, vector | 1u << 16}
                                        : Outcome{kInvalidField};
    }
    case kPowerManagement:
    case kInterruptCoalescing:
        return {};
    case kArbitration:
    case kTemperatureThreshold:
    case kErrorRecovery:
    case kWriteAtomicity:
    case kAsyncEvents:
        return {kSuccess, select == 0 ? features_[feature] : 0};
    default:
        return {kInvalidField};
    }
}

// ---- events (5.2) -------------------------------------------------------------------------------

Controller::Outcome Controller::request_event(const Command& command) {
    if (event_requests_.size() == kMostEventRequests) {
        return {kTooManyEventRequests};
    }
    event_requests_.push_back(command.id());
    return {kSuccess, 0, true};
}

/// An event of a kind waits until the log of the one before has been read.
void Controller::report_event(std::uint32_t type, std::uint32_t information, std::uint32_t log) {
    if (events_.empty() && !error_events_masked_) {
        events_.push_back(type | information << 8 | log << 16);
    }
}

void Controller::deliver_events() {
    while (!events_.empty() && !event_requests_.empty()) {
        answer({0, event_requests_.front(), kSuccess, events_.front()});
        event_requests_.erase(event_requests_.begin());
        events_.erase(events_.begin());
        error_events_masked_ = true;
    }
}

} // namespace cavern::nvme
