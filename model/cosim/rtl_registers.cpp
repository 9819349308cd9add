#include "cosim/rtl_registers.h"

#include <utility>

#include "core/base/error.h"

namespace cavern {
namespace {

/// Cycles after which an access that has no answer is one that will have none: far above what a
/// window takes.
constexpr std::uint32_t kPatience = 100'000;
/// A tightly coupled memory answers in the cycle after the grant.
constexpr std::uint32_t kMemoryCycles = 1;
/// Wait cycles of an access that does not reach the block.
constexpr std::uint32_t kWaitCycles = 1;

} // namespace

RtlRegisters::RtlRegisters(std::unique_ptr<RegisterModelIf> model, cpu::WindowIf* window,
                           std::string label, std::uint32_t base)
    : model_(std::move(model)), window_(window), label_(std::move(label)), base_(base) {}

RtlRegisters::~RtlRegisters() = default;

RegisterInputs RtlRegisters::quiet(std::uint64_t cycle) const {
    RegisterInputs inputs = still_;
    inputs.time = cycle;
    return inputs;
}

void RtlRegisters::clock() {
    ++clocks_;
    if (model_->clock()) {
        return;
    }
    throw ModelError(label_ + ": the RTL of the registers broke an assertion by clock " +
                     std::to_string(clocks_) + ": " + model_->take_messages());
}

cpu::BusAnswer RtlRegisters::access(RegisterInputs inputs) {
    const std::uint64_t start = inputs.time;
    std::optional<std::uint64_t> acknowledge; // cycle at which the window answers
    cpu::WindowAnswer window;
    for (std::uint32_t n = 0; n < kPatience; ++n) {
        inputs.time = start + n;
        inputs.req = n == 0;
        inputs.window_ack = acknowledge == inputs.time;
        inputs.window = inputs.window_ack ? window : cpu::WindowAnswer{};
        RegisterOutputs outputs = settle(inputs);
        if (outputs.window_req) {
            window = {0, 0, true};
            if (window_ != nullptr) {
                window = outputs.window_write
                             ? window_->store(outputs.window_space, outputs.window_word,
                                              outputs.window_wdata, outputs.window_be, start)
                             : window_->load(outputs.window_space, outputs.window_word, start);
            }
            acknowledge = inputs.time + window.wait_cycles;
            inputs.window_ack = acknowledge == inputs.time;
            inputs.window = inputs.window_ack ? window : cpu::WindowAnswer{};
            outputs = settle(inputs);
        }
        clock();
        if (outputs.rvalid) {
            // A store takes effect at the edge after its own.
            settle(quiet(inputs.time + 1));
            clock();
            return {outputs.rdata, n - kMemoryCycles, outputs.err};
        }
    }
    throw ModelError(label_ + ": the RTL of the registers does not answer an access to offset " +
                     std::to_string(inputs.addr));
}

cpu::BusAnswer RtlRegisters::load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) {
    const std::uint32_t offset = address - base_;
    if (offset >= cpu::regs::kBytes) {
        return {0, kWaitCycles, true}; // the block has 16 lines of address
    }
    RegisterInputs inputs = quiet(cycle);
    inputs.addr = offset & ~3u;
    cpu::BusAnswer answer = access(inputs);
    answer.data = cpu::low_bytes(answer.data >> (8 * (address % 4)), size);
    return answer;
}

cpu::BusAnswer RtlRegisters::store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                                   std::uint64_t cycle) {
    const std::uint32_t offset = address - base_;
    if (offset >= cpu::regs::kBytes) {
        return {0, kWaitCycles, true};
    }
    RegisterInputs inputs = quiet(cycle);
    inputs.we = true;
    inputs.addr = offset & ~3u;
    inputs.be = ((1u << size) - 1) << (address % 4);
    inputs.wdata = value << (8 * (address % 4));
    return access(inputs);
}

void RtlRegisters::reset() {
    model_->reset();
}

void RtlRegisters::set_geometry(const cpu::RegisterGeometry& geometry) {
    still_.geometry = geometry;
}

void RtlRegisters::set_idle(bool host, bool flash) {
    still_.host_idle = host;
    still_.flash_idle = flash;
}

bool RtlRegisters::ready() {
    return settle(quiet(0)).ready;
}

bool RtlRegisters::push_request(const cpu::HostRequest& request, std::uint64_t cycle) {
    RegisterInputs inputs = quiet(cycle);
    inputs.request = request;
    if (settle(inputs).request_full) {
        return false;
    }
    inputs.request_push = true;
    settle(inputs);
    clock();
    return true;
}

std::optional<cpu::FlashOperation> RtlRegisters::take_operation(std::uint64_t cycle) {
    RegisterInputs inputs = quiet(cycle);
    inputs.operation_take = true;
    const RegisterOutputs outputs = settle(inputs);
    if (!outputs.operation_valid) {
        return std::nullopt;
    }
    clock();
    return outputs.operation;
}

std::optional<cpu::DmaDescriptor> RtlRegisters::take_descriptor(std::uint64_t cycle) {
    RegisterInputs inputs = quiet(cycle);
    inputs.dma_take = true;
    const RegisterOutputs outputs = settle(inputs);
    if (!outputs.dma_valid) {
        return std::nullopt;
    }
    clock();
    return outputs.dma;
}

void RtlRegisters::complete_descriptor(std::uint64_t cycle) {
    RegisterInputs inputs = quiet(cycle);
    inputs.dma_complete = true;
    settle(inputs);
    clock();
}

void RtlRegisters::add_busy_cycles(std::uint32_t cycles) {
    RegisterInputs inputs = quiet(0);
    inputs.busy_cycles = cycles;
    settle(inputs);
    clock();
}

bool RtlRegisters::interrupt(std::uint64_t cycle) {
    return settle(quiet(cycle)).irq;
}

std::optional<std::uint64_t> RtlRegisters::interrupt_due(std::uint64_t cycle) {
    const RegisterOutputs outputs = settle(quiet(cycle));
    return outputs.irq_armed ? std::optional(outputs.irq_due) : std::nullopt;
}

} // namespace cavern
