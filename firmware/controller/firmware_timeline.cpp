#include "firmware/controller/firmware_timeline.h"

#include <utility>

namespace cavern {

namespace {

constexpr std::uint32_t kExternal = 11; ///< of mcause: a request has come

} // namespace

FirmwareTimeline::FirmwareTimeline(ProcessorLogIf& log, cpu::ProcessorIf& processor,
                                   const cpu::Program& program, TimePs period)
    : log_(log), processor_(processor), period_(period),
      vectors_(processor.memory().map().boot_address()), functions_(program) {}

/// By its interrupt, which the firmware may take or not.
void FirmwareTimeline::woken(const Request& request) {
    if (!request.time) {
        return;
    }
    awake_ = true;
    woken_at_ = *request.time;
    woken_cycle_ = last_cycle_ = request.cycle;
    follows_ = log_.follows(woken_at_);
    if (follows_) {
        log_.interrupted(kExternal, woken_at_);
        functions_.begin(woken_cycle_);
        other_ = processor_.observer();
        processor_.observe([this](const cpu::Retired& instruction) { retired(instruction); });
    }
}

void FirmwareTimeline::asleep(std::uint64_t cycle) {
    awake_ = false;
    if (!std::exchange(follows_, false)) {
        return;
    }
    processor_.observe(std::exchange(other_, {}));
    for (const cpu::FunctionSlice& slice : functions_.end(cycle)) {
        log_.executed({slice.function, slice.depth, time_of(slice.begin), time_of(slice.end)});
    }
}

void FirmwareTimeline::retired(const cpu::Retired& retired) {
    const std::uint32_t number = retired.interrupt ? (retired.pc - vectors_) / 4 : 0;
    if (retired.interrupt && !(number == kExternal && last_cycle_ == woken_cycle_)) {
        log_.interrupted(number, time_of(last_cycle_));
    }
    last_cycle_ = retired.cycle;
    functions_.add(retired);
    if (other_) {
        other_(retired);
    }
}

void FirmwareTimeline::printed(char byte, std::uint64_t cycle) {
    if (!std::exchange(in_line_, true)) {
        line_began_ = awake_ ? std::optional(time_of(cycle)) : std::nullopt;
    }
    if (byte != '\n') {
        line_ += byte;
        return;
    }
    if (line_began_) {
        log_.printed(line_, *line_began_);
    }
    line_.clear();
    in_line_ = false;
}

} // namespace cavern
