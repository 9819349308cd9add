#include "cpu/register_block.h"

#include <algorithm>

namespace cavern::cpu {
namespace {

using regs::RegisterId;

constexpr std::size_t kNoRegister = regs::kRegisters.size();
constexpr std::uint32_t kWords = [] {
    std::uint32_t last = 0;
    for (const regs::RegisterInfo& info : regs::kRegisters) {
        last = std::max(last, info.address / 4);
    }
    return last + 1;
}();
/// By word of the block.
constexpr std::array<std::uint8_t, kWords> kRegisterAt = [] {
    static_assert(kNoRegister < 256);
    std::array<std::uint8_t, kWords> table{};
    for (std::uint8_t& entry : table) {
        entry = static_cast<std::uint8_t>(kNoRegister);
    }
    for (std::size_t number = 0; number < regs::kRegisters.size(); ++number) {
        table[regs::kRegisters[number].address / 4] = static_cast<std::uint8_t>(number);
    }
    return table;
}();

/// Cycles from an access to the edge at which what its store starts is seen by the interrupt line.
constexpr std::uint64_t kCyclesToEvent = 3;
constexpr std::uint32_t kMaxEvents = 255;
constexpr std::uint32_t kRequest = regs::kIrqPendingRequest.mask();
constexpr std::uint32_t kOperationEmpty = regs::kIrqPendingOperationEmpty.mask();
constexpr std::uint32_t kDmaDone = regs::kIrqPendingDmaDone.mask();
constexpr std::uint32_t kModerated = kRequest | kDmaDone;

/// The bits of a word that the bytes in `strobes` cover.
constexpr std::uint32_t lanes_of(std::uint32_t strobes) {
    return (strobes & 1 ? 0xFFu : 0) | (strobes & 2 ? 0xFF00u : 0) |
           (strobes & 4 ? 0xFF'0000u : 0) | (strobes & 8 ? 0xFF00'0000u : 0);
}

} // namespace

RegisterBlock::RegisterBlock(WindowIf* window, std::uint32_t base) : window_(window), base_(base) {
    reset();
}

void RegisterBlock::reset() {
    for (std::size_t number = 0; number < words_.size(); ++number) {
        const regs::RegisterInfo& info = regs::kRegisters[number];
        std::uint32_t from_drive = 0;
        for (std::size_t field = info.first_field; field < info.first_field + info.fields;
             ++field) {
            from_drive |= regs::kFields[field].from_drive ? regs::kFields[field].mask() : 0;
        }
        words_[number] = (words_[number] & from_drive) | info.reset;
    }
    requests_.clear();
    operations_.clear();
    descriptors_.clear();
    events_ = 0;
    first_event_ = 0;
    show_requests();
    show_operations();
    show_descriptors();
}

BusAnswer RegisterBlock::load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) {
    const std::uint32_t offset = address - base_;
    const std::uint32_t shift = 8 * (offset % 4);
    if (const std::uint32_t word = offset / 4; word < kWords) {
        if (const std::size_t number = kRegisterAt[word];
            number != kNoRegister && regs::kRegisters[number].readable()) {
            const std::uint32_t shown = words_[number] & regs::kRegisters[number].read;
            return {low_bytes(shown >> shift, size), kWaitCycles, false};
        }
    } else if (offset >= regs::kMemoryAddress && offset < regs::kBytes) {
        BusAnswer answer = access_window(offset, 0, 0, false, cycle);
        answer.data = low_bytes(answer.data >> shift, size);
        return answer;
    }
    return {0, kWaitCycles, true};
}

BusAnswer RegisterBlock::store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                               std::uint64_t cycle) {
    const std::uint32_t offset = address - base_;
    const std::uint32_t strobes = ((1u << size) - 1) << (offset % 4);
    value <<= 8 * (offset % 4);
    if (const std::uint32_t word = offset / 4; word < kWords) {
        const std::size_t number = kRegisterAt[word];
        if (number == kNoRegister || !regs::kRegisters[number].writable()) {
            return {0, kWaitCycles, true};
        }
        const regs::RegisterInfo& info = regs::kRegisters[number];
        const std::uint32_t lanes = lanes_of(strobes);
        const std::uint32_t held = info.hold & lanes;
        words_[number] = ((words_[number] & ~held) | (value & held)) &
                         ~(info.one_clears & lanes & value) & ~info.any_clears;
        act(static_cast<RegisterId>(number), value & lanes, lanes, cycle);
        return {0, kWaitCycles, false};
    }
    if (offset >= regs::kMemoryAddress && offset < regs::kBytes) {
        return access_window(offset, value, strobes, true, cycle);
    }
    return {0, kWaitCycles, true};
}

void RegisterBlock::act(RegisterId id, std::uint32_t value, std::uint32_t lanes,
                        std::uint64_t cycle) {
    switch (id) {
    case RegisterId::kRequestPop:
        if ((value & regs::kRequestPopHead.mask()) != 0) {
            pop_request();
        }
        break;
    case RegisterId::kControlDoorbell:
        if ((lanes & regs::kControlDoorbellTag.mask()) != 0) {
            FlashOperation bell;
            bell.last = true;
            bell.tag = static_cast<std::uint16_t>(regs::kControlDoorbellTag.of(at(id)));
            bell.result = static_cast<std::uint8_t>(regs::kControlDoorbellResult.of(at(id)));
            push_operation(bell, RegisterId::kCountersDecisions);
        }
        break;
    case RegisterId::kOperationCommand:
        if ((lanes & regs::kOperationCommandKind.mask()) != 0) {
            const std::uint32_t command = at(id);
            const std::uint32_t dependence = at(RegisterId::kOperationDependence);
            FlashOperation operation;
            operation.kind = static_cast<regs::Operation>(regs::kOperationCommandKind.of(command));
            operation.origin = static_cast<regs::Origin>(regs::kOperationCommandOrigin.of(command));
            operation.last = regs::kOperationCommandLast.of(command) != 0;
            operation.tag = static_cast<std::uint16_t>(regs::kOperationCommandTag.of(command));
            operation.logical_page = at(RegisterId::kOperationLogicalPage);
            operation.source = at(RegisterId::kOperationSource);
            operation.destination = at(RegisterId::kOperationDestination);
            operation.frame = at(RegisterId::kOperationFrame);
            operation.waits = regs::kOperationDependenceValid.of(dependence) != 0;
            operation.after = regs::kOperationDependenceIndex.of(dependence);
            operation.copies = regs::kOperationCommandCopies.of(command) != 0;
            operation.supersedes = at(RegisterId::kOperationSupersedes);
            operation.units = at(RegisterId::kOperationUnits);
            const std::uint32_t outcome = at(RegisterId::kOperationOutcome);
            operation.hit = regs::kOperationOutcomeHit.of(outcome) != 0;
            operation.done = regs::kOperationOutcomeDone.of(outcome) != 0;
            push_operation(operation, RegisterId::kCountersOperations);
        }
        break;
    case RegisterId::kDmaCommand:
        if ((lanes & regs::kDmaCommandToFlash.mask()) != 0) {
            submit_descriptor();
        }
        break;
    case RegisterId::kIrqRaise:
        raise(value & regs::kRegisters[static_cast<std::size_t>(id)].pulse, cycle + kCyclesToEvent);
        break;
    default: // the field itself is all
        break;
    }
}

void RegisterBlock::pop_request() {
    if (requests_.empty()) {
        record_error(regs::kControlErrorRequestUnderflow.mask());
        return;
    }
    requests_.pop();
    ++at(RegisterId::kCountersRequests);
    show_requests();
}

void RegisterBlock::push_operation(const FlashOperation& operation, RegisterId counter) {
    if (operations_.full()) {
        record_error(regs::kControlErrorOperationOverflow.mask());
        return;
    }
    operations_.push(operation);
    ++at(counter);
    show_operations();
}

void RegisterBlock::submit_descriptor() {
    if (descriptors_.full()) {
        record_error(regs::kControlErrorDmaOverflow.mask());
        return;
    }
    const std::uint32_t command = at(RegisterId::kDmaCommand);
    const std::uint32_t extent = at(RegisterId::kDmaExtent);
    descriptors_.push({regs::kDmaCommandToFlash.of(command) != 0,
                       static_cast<std::uint16_t>(regs::kDmaCommandTag.of(command)),
                       at(RegisterId::kDmaFrame), at(RegisterId::kDmaPage),
                       static_cast<std::uint8_t>(regs::kDmaExtentFirst.of(extent)),
                       static_cast<std::uint8_t>(regs::kDmaExtentSectors.of(extent))});
    show_descriptors();
}

BusAnswer RegisterBlock::access_window(std::uint32_t offset, std::uint32_t value,
                                       std::uint32_t strobes, bool is_store, std::uint64_t cycle) {
    WindowAnswer answer{0, 0, true};
    if (window_ != nullptr) {
        const auto space = static_cast<regs::Space>(at(RegisterId::kWindowSpace));
        const std::uint64_t word =
            std::uint64_t{at(RegisterId::kWindowOffset)} + (offset - regs::kMemoryAddress) / 4;
        answer = is_store ? window_->store(space, word, value, strobes, cycle)
                          : window_->load(space, word, cycle);
    }
    if (answer.outside) {
        record_error(regs::kControlErrorWindowRange.mask());
    }
    const std::uint32_t data = answer.outside || is_store ? 0 : answer.data;
    return {data, kWaitCycles + answer.wait_cycles, false};
}

void RegisterBlock::record_error(std::uint32_t bit) {
    at(RegisterId::kControlError) |= bit;
    at(RegisterId::kIrqPending) |= regs::kIrqPendingError.mask();
}

void RegisterBlock::raise(std::uint32_t bits, std::uint64_t cycle) {
    std::uint32_t& pending = at(RegisterId::kIrqPending);
    if ((pending & kModerated) == 0) {
        events_ = 0; // what was counted has been served
    }
    const std::uint32_t more = ((bits & kRequest) != 0 ? 1 : 0) + ((bits & kDmaDone) != 0 ? 1 : 0);
    if (events_ == 0 && more != 0) {
        first_event_ = cycle;
    }
    events_ = std::min(events_ + more, kMaxEvents);
    pending |= bits;
}

void RegisterBlock::show_requests() {
    const HostRequest none;
    const HostRequest& head = requests_.empty() ? none : requests_.front();
    at(RegisterId::kRequestCommand) =
        regs::kRequestCommandOpcode.place(static_cast<std::uint32_t>(head.opcode)) |
        regs::kRequestCommandFua.place(head.fua ? 1 : 0) | regs::kRequestCommandTag.place(head.tag);
    at(RegisterId::kRequestPage) = head.page;
    at(RegisterId::kRequestPages) = head.pages;
    at(RegisterId::kRequestArrivalLow) = static_cast<std::uint32_t>(head.arrival);
    at(RegisterId::kRequestArrivalHigh) = static_cast<std::uint32_t>(head.arrival >> 32);
    at(RegisterId::kRequestFill) = requests_.size();
    show_status(regs::kControlStatusRequestWaiting, !requests_.empty());
}

void RegisterBlock::show_operations() {
    const std::uint32_t entries = operations_.size();
    at(RegisterId::kOperationFill) =
        regs::kOperationFillValue.place(entries) |
        regs::kOperationFillFree.place(regs::kOperationSlots - entries);
    show_status(regs::kControlStatusOperationFull, operations_.full());
    show_status(regs::kControlStatusOperationEmpty, operations_.empty());
}

void RegisterBlock::show_descriptors() {
    const std::uint32_t entries = descriptors_.size();
    at(RegisterId::kDmaFill) =
        regs::kDmaFillValue.place(entries) | regs::kDmaFillFree.place(regs::kDmaSlots - entries);
    show_status(regs::kControlStatusDmaFull, descriptors_.full());
    show_status(regs::kControlStatusDmaEmpty, descriptors_.empty());
}

void RegisterBlock::show_status(regs::FieldPlace field, bool value) {
    std::uint32_t& status = at(RegisterId::kControlStatus);
    status = (status & ~field.mask()) | field.place(value ? 1 : 0);
}

void RegisterBlock::set_geometry(const RegisterGeometry& geometry) {
    at(RegisterId::kGeometryParallelism) =
        regs::kGeometryParallelismChannels.place(geometry.channels) |
        regs::kGeometryParallelismWays.place(geometry.ways) |
        regs::kGeometryParallelismPlanes.place(geometry.planes);
    at(RegisterId::kGeometryBlocks) = geometry.blocks;
    at(RegisterId::kGeometryPages) = geometry.pages;
    at(RegisterId::kGeometryPageBytes) = geometry.page_bytes;
    at(RegisterId::kGeometryLogicalPages) = geometry.logical_pages;
    at(RegisterId::kGeometryFrames) = geometry.frames;
    at(RegisterId::kGeometryClock) = geometry.clock_khz;
}

void RegisterBlock::set_idle(bool host, bool flash) {
    show_status(regs::kControlStatusHostIdle, host);
    show_status(regs::kControlStatusFlashIdle, flash);
}

bool RegisterBlock::ready() {
    return regs::kControlControlReady.of(at(RegisterId::kControlControl)) != 0;
}

bool RegisterBlock::push_request(const HostRequest& request, std::uint64_t cycle) {
    if (requests_.full()) {
        return false;
    }
    requests_.push(request);
    show_requests();
    raise(kRequest, cycle);
    return true;
}

std::optional<FlashOperation> RegisterBlock::take_operation(std::uint64_t cycle) {
    if (operations_.empty()) {
        return std::nullopt;
    }
    const FlashOperation operation = operations_.front();
    operations_.pop();
    show_operations();
    if (operations_.empty()) {
        raise(kOperationEmpty, cycle);
    }
    return operation;
}

std::optional<DmaDescriptor> RegisterBlock::take_descriptor(std::uint64_t /*cycle*/) {
    if (descriptors_.empty()) {
        return std::nullopt;
    }
    const DmaDescriptor descriptor = descriptors_.front();
    descriptors_.pop();
    show_descriptors();
    return descriptor;
}

void RegisterBlock::complete_descriptor(std::uint64_t cycle) {
    ++at(RegisterId::kDmaCompleted);
    raise(kDmaDone, cycle);
}

void RegisterBlock::add_busy_cycles(std::uint32_t cycles) {
    at(RegisterId::kCountersBusyCycles) += cycles;
}

bool RegisterBlock::interrupt(std::uint64_t cycle) {
    const std::uint32_t wanted = at(RegisterId::kIrqPending) & at(RegisterId::kIrqEnable);
    if ((wanted & ~kModerated) != 0) {
        return true;
    }
    return (wanted & kModerated) != 0 &&
           (events_ >= at(RegisterId::kIrqModeration) ||
            cycle >= first_event_ + at(RegisterId::kIrqModerationTime));
}

std::optional<std::uint64_t> RegisterBlock::interrupt_due(std::uint64_t cycle) {
    const std::uint32_t wanted = at(RegisterId::kIrqPending) & at(RegisterId::kIrqEnable);
    if ((wanted & kModerated) == 0 || interrupt(cycle)) {
        return std::nullopt;
    }
    return first_event_ + at(RegisterId::kIrqModerationTime);
}

} // namespace cavern::cpu
