#include "cpu/request_runner.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/error.h"

namespace cavern::cpu {

namespace {

std::string the_start() {
    return "start";
}

} // namespace

void RequestRunner::log(char byte) {
    if (line_ends_) {
        line_.clear();
    }
    line_ends_ = byte == '\n';
    if (!line_ends_) {
        line_ += byte;
    }
}

void RequestRunner::stop(const std::string& name, const std::string& what) const {
    throw FirmwareError(fmt::format("{}: {}: {}, at {}", program_->path(), name, what,
                                    program_->describe(processor_->pc())));
}

void RequestRunner::take(const FlashOperation& entry, std::uint64_t cycle) {
    rings_again_ = rings_again_ || bell_;
    if (entry.kind != regs::Operation::kDecided) {
        entries_.push_back(entry);
    } else if (!bell_) {
        bell_ = entry;
        bell_cycle_ = cycle;
    }
}

void RequestRunner::start(std::uint64_t max_instructions) {
    program_->load_into(processor_->memory());
    processor_->reset(*program_);
    bell_.reset();
    run_to_sleep(the_start, max_instructions, false);
    if (!devices_->registers().ready()) {
        stop(the_start(), "it sleeps without having said that it is ready (control.ready)");
    }
}

RequestRunner::Cost RequestRunner::run(HostRequest request,
                                       const std::function<std::string()>& name) {
    request.tag = ++tag_;
    request.arrival = processor_->cycle();
    entries_.clear();
    bell_.reset();
    rings_again_ = false;
    const std::uint64_t executed = processor_->executed();
    const std::uint64_t start = processor_->cycle();
    CAVERN_CHECK(devices_->push_request(request, start), "firmware has popped what it decided");
    run_to_sleep(name, watchdog_, true);
    check_doorbell(name);
    const std::uint64_t end = processor_->cycle();
    CAVERN_CHECK(start <= bell_cycle_ && bell_cycle_ <= end, "a doorbell rings while it runs");
    devices_->registers().add_busy_cycles(static_cast<std::uint32_t>(end - start));
    return {bell_cycle_ - start, end - bell_cycle_, processor_->executed() - executed};
}

void RequestRunner::run_to_sleep(const std::function<std::string()>& name,
                                 std::uint64_t max_instructions, bool request) {
    const std::uint64_t end = processor_->executed() + max_instructions;
    for (;;) {
        switch (processor_->run(end - processor_->executed())) {
        case Pause::kInstructions:
            stop(name(), fmt::format("it has not answered after {} instructions (cpu.watchdog)",
                                     max_instructions));
        case Pause::kExit:
            stop(name(),
                 fmt::format("it has ended its run with status {}{}{}", *devices_->exit_status(),
                             line_.empty() ? "" : ": it ", line_));
        case Pause::kFault: {
            const Fault& fault = processor_->fault();
            const bool access =
                fault.kind != FaultKind::kFetch && fault.kind != FaultKind::kIllegal;
            stop(name(), access ? fmt::format("{} (0x{:08x})", name_of(fault.kind), fault.address)
                                : std::string(name_of(fault.kind)));
        }
        case Pause::kKilled:
            stop(name(), "its debugger has ended the run");
        case Pause::kAsleep:
            break;
        }
        devices_->take_entries(processor_->cycle());
        if (!request || bell_) {
            return;
        }
        const std::uint64_t cycle = processor_->cycle();
        const std::uint64_t rises = devices_->rises_after(cycle);
        if (rises == Hart::kForever) {
            stop(name(), "it sleeps without having answered");
        }
        processor_->pass(rises - cycle);
    }
}

void RequestRunner::check_doorbell(const std::function<std::string()>& name) const {
    if (bell_->result != 0) {
        stop(name(), "the firmware finds " + (line_.empty() ? "an error" : line_));
    }
    if (rings_again_) {
        stop(name(), "it has pushed more behind its doorbell");
    }
    if (bell_->tag != tag_) {
        stop(name(),
             fmt::format("it rings for request {}, and was asked for {}", bell_->tag, tag_));
    }
    const std::uint32_t address =
        processor_->memory().map().registers.base + offset_of(regs::RegisterId::kControlError);
    const std::uint32_t error = devices_->registers().load(address, 4, processor_->cycle()).data;
    if (error != 0) {
        stop(name(), fmt::format("it misuses the registers: control.error is 0x{:x}", error));
    }
}

} // namespace cavern::cpu
