#include "nvme/nvme_controller.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern::nvme {
namespace {

constexpr std::uint32_t kEnable = 1;
constexpr std::uint32_t kShutdownField = 3u << 14;
constexpr std::uint32_t kShutdownBusy = 1;
constexpr std::uint32_t kShutdownDone = 2;
constexpr std::uint32_t kMostPageExponent = 4; ///< of CC.MPS: 64 KiB

} // namespace

Controller::Controller(const Params& params, MemoryIf& memory, MediumIf& medium,
                       InterruptIf& interrupts)
    : params_(params), memory_(memory), medium_(medium), interrupts_(interrupts),
      submission_(params.queues + 1u), completion_(params.queues + 1u),
      granted_queues_(params.queues), slots_(params.slots) {
    CAVERN_CHECK(params.queues > 0 && params.slots > 0 && params.vectors > 0 &&
                     params.entries >= 2 && params.blocks > 0,
                 "a controller has queues, slots, vectors and blocks");
    for (std::uint32_t slot = params.slots; slot > 0; --slot) {
        free_slots_.push_back(slot - 1);
    }
}

// ---- registers (3.1) ----------------------------------------------------------------------------

std::uint64_t Controller::read_register(std::uint64_t offset, std::uint32_t bytes) const {
    if (bytes == 0 || bytes > 8 || offset + bytes > kDoorbells) {
        return 0; // the host does not read doorbells
    }
    std::array<std::byte, kAcq + 16> file{};
    constexpr std::uint64_t kContiguousQueues = 1u << 16;
    constexpr std::uint64_t kTimeout = 40u << 24; // 20 s, in units of 500 ms
    constexpr std::uint64_t kNvmCommandSet = std::uint64_t{1} << 37;
    put<std::uint64_t>(&file[kCap], (params_.entries - 1u) | kContiguousQueues | kTimeout |
                                        kNvmCommandSet | std::uint64_t{kMostPageExponent} << 52);
    put<std::uint32_t>(&file[kVs], kVersion);
    put<std::uint32_t>(&file[kIntms], masked_);
    put<std::uint32_t>(&file[kIntmc], masked_);
    put<std::uint32_t>(&file[kCc], cc_);
    put<std::uint32_t>(&file[kCsts], (ready_ ? 1u : 0u) | (fatal_ ? 2u : 0u) | shutdown_ << 2);
    put<std::uint32_t>(&file[kAqa], aqa_);
    put<std::uint64_t>(&file[kAsq], asq_);
    put<std::uint64_t>(&file[kAcq], acq_);
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < bytes && offset + i < file.size(); ++i) {
        value |= std::uint64_t{static_cast<std::uint8_t>(file[offset + i])} << 8 * i;
    }
    return value;
}

void Controller::write_register(std::uint64_t offset, std::uint32_t bytes, std::uint64_t value) {
    if (offset >= kDoorbells) {
        if (bytes == 4) {
            write_doorbell(offset, static_cast<std::uint32_t>(value));
        }
        return;
    }
    if (bytes == 8) { // as two halves: 64-bit registers may be written so (3.1)
        write_register(offset, 4, value & 0xFFFF'FFFF);
        write_register(offset + 4, 4, value >> 32);
        return;
    }
    if (bytes != 4) {
        return;
    }
    const auto word = static_cast<std::uint32_t>(value);
    const auto low = [word](std::uint64_t old) { return (old >> 32 << 32) | word; };
    const auto high = [word](std::uint64_t old) {
        return (old & 0xFFFF'FFFF) | std::uint64_t{word} << 32;
    };
    switch (offset) {
    case kIntms:
        masked_ |= word;
        break;
    case kIntmc:
        masked_ &= ~word;
        break;
    case kCc:
        cc_ = word & 0x00FF'FFF1;
        break;
    case kAqa:
        aqa_ = word & 0x0FFF'0FFF;
        break;
    case kAsq:
        asq_ = low(asq_) & ~std::uint64_t{0xFFF};
        break;
    case kAsq + 4:
        asq_ = high(asq_);
        break;
    case kAcq:
        acq_ = low(acq_) & ~std::uint64_t{0xFFF};
        break;
    case kAcq + 4:
        acq_ = high(acq_);
        break;
    default:
        break;
    }
}

void Controller::write_doorbell(std::uint64_t offset, std::uint32_t value) {
    const std::uint64_t number = (offset - kDoorbells) / 4;
    const std::uint64_t queue = number / 2;
    if (!ready_) {
        return;
    }
    constexpr std::uint32_t kErrorLog = 1;
    const bool is_tail = number % 2 == 0;
    const bool exists = offset % 4 == 0 && queue < submission_.size() &&
                        (is_tail ? submission_[queue].exists : completion_[queue].exists);
    if (!exists) {
        errors_.add({});
        report_event(0, 0, kErrorLog); // write to an invalid doorbell register (5.2)
        return;
    }
    const std::uint32_t entries = is_tail ? submission_[queue].entries : completion_[queue].entries;
    if (value >= entries) {
        errors_.add({});
        report_event(0, 1, kErrorLog); // invalid doorbell write value
        return;
    }
    if (is_tail) {
        submission_[queue].tail = value;
    } else {
        completion_[queue].head = value;
    }
}

// ---- what goes on -------------------------------------------------------------------------------

bool Controller::work() {
    if (change_state()) {
        return true;
    }
    if (!ready_ || fatal_ || (cc_ & kEnable) == 0) {
        return false;
    }
    deliver_events();
    return post_one() || fetch_one();
}

bool Controller::change_state() {
    const bool enabled = (cc_ & kEnable) != 0;
    if (enabled && !ready_ && !fatal_) {
        enable();
        return true;
    }
    if (!enabled && (ready_ || fatal_) && outstanding_ == 0) {
        reset();
        return true;
    }
    const bool shuts_down = (cc_ & kShutdownField) != 0;
    if (shuts_down && shutdown_ == 0 && !free_slots_.empty()) {
        shutdown_ = kShutdownBusy;
        const std::uint32_t slot = take_slot(0, 0, IoOp::kFlush);
        slots_[slot].shutdown = true;
        start(slot, IoOp::kFlush, 0, 0, false);
        return true;
    }
    return false;
}

void Controller::enable() {
    const std::uint32_t command_set = cc_ >> 4 & 7;
    const std::uint32_t arbitration = cc_ >> 11 & 7;
    if (command_set != 0 || arbitration != 0 || (cc_ >> 7 & 15) > kMostPageExponent ||
        asq_ % page_bytes() != 0 || acq_ % page_bytes() != 0 || (aqa_ & 0xFFF) == 0 ||
        aqa_ >> 16 == 0) {
        fail();
        return;
    }
    submission_[0] = {true, asq_, (aqa_ & 0xFFF) + 1};
    completion_[0] = {true, acq_, (aqa_ >> 16) + 1};
    completion_[0].interrupts = true;
    ready_ = true;
}

void Controller::reset() {
    std::fill(submission_.begin(), submission_.end(), SubmissionQueue{});
    std::fill(completion_.begin(), completion_.end(), CompletionQueue{});
    answers_.clear();
    event_requests_.clear();
    events_.clear();
    error_events_masked_ = false;
    features_ = {};
    granted_queues_ = params_.queues;
    shutdown_ = 0;
    turn_ = 0;
    fatal_ = false;
    ready_ = false;
}

// ---- answers ------------------------------------------------------------------------------------

bool Controller::post_one() {
    for (auto answer = answers_.begin(); answer != answers_.end(); ++answer) {
        CompletionQueue& to = completion_[submission_[answer->queue].completion_queue];
        if (to.has_room()) {
            const Answer what = *answer;
            answers_.erase(answer);
            post(what, to);
            return true;
        }
    }
    return false;
}

void Controller::post(const Answer& what, CompletionQueue& to) {
    SubmissionQueue& from = submission_[what.queue];
    if ((what.status & 0x7FF) != 0) {
        errors_.add({what.queue, what.id, what.status, 0, 0});
    }
    std::array<std::byte, kCompletionBytes> entry{};
    put<std::uint32_t>(&entry[0], what.result);
    put<std::uint16_t>(&entry[8], static_cast<std::uint16_t>(from.head));
    put<std::uint16_t>(&entry[10], what.queue);
    put<std::uint16_t>(&entry[12], what.id);
    put<std::uint16_t>(&entry[14],
                       static_cast<std::uint16_t>(what.status << 1 | (to.phase ? 1 : 0)));
    const std::uint64_t at = to.base + std::uint64_t{to.tail} * kCompletionBytes;
    to.put();
    const bool interrupts = to.interrupts;
    const std::uint16_t vector = to.vector;
    --from.in_flight;
    if (!memory_.write(at, entry.data(), kCompletionBytes)) {
        fail();
        return;
    }
    if (interrupts) {
        interrupts_.raise(vector);
    }
    retire(submission_[what.queue]);
}

/// A queue that is being deleted goes with its last answer, and its deletion is answered then.
void Controller::retire(SubmissionQueue& queue) {
    if (queue.deleting && queue.in_flight == 0) {
        const std::uint16_t id = queue.deleted_by;
        queue = {};
        answer({0, id});
    }
}

void Controller::answer(std::uint16_t queue, const Command& command, const Outcome& outcome) {
    if (!outcome.later) {
        answer({queue, command.id(), outcome.status, outcome.result});
    }
}

// ---- commands -----------------------------------------------------------------------------------

bool Controller::fetch_one() {
    const auto queues = static_cast<std::uint16_t>(submission_.size());
    std::uint16_t queue = 0;
    if (!submission_[0].has_entry()) {
        if (free_slots_.empty()) {
            return false;
        }
        std::uint16_t tried = 0;
        do {
            turn_ = static_cast<std::uint16_t>(turn_ + 1u == queues ? 0 : turn_ + 1u);
            if (++tried > queues) {
                return false;
            }
        } while (!submission_[turn_].has_entry());
        queue = turn_;
    }
    SubmissionQueue& from = submission_[queue];
    std::array<std::byte, kEntryBytes> entry;
    if (!memory_.read(from.base + std::uint64_t{from.head} * kEntryBytes, entry.data(),
                      kEntryBytes)) {
        fail();
        return true;
    }
    from.take();
    ++from.in_flight;
    ++fetched_;
    Command command;
    for (std::size_t i = 0; i < command.dword.size(); ++i) {
        command.dword[i] = get<std::uint32_t>(&entry[4 * i]);
    }
    carry_out(queue, command);
    return true;
}

void Controller::carry_out(std::uint16_t queue, const Command& command) {
    if (command.fuse() != 0 || command.uses_sgl()) {
        answer(queue, command, {kInvalidField});
    } else {
        answer(queue, command, queue == 0 ? admin(command) : io(queue, command));
    }
}

} // namespace cavern::nvme
