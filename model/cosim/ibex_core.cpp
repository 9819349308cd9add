#include "cosim/ibex_core.h"

namespace cavern {

void IbexCore::Answers::push(std::uint64_t cycle, std::uint32_t data, bool fault) {
    CAVERN_CHECK(count < 2, "Ibex has at most two requests outstanding at a port");
    last = cycle > last ? cycle : last + 1;
    ring[(first + count++) % ring.size()] = {last, data, fault};
}

const IbexCore::Answers::Answer* IbexCore::Answers::due(std::uint64_t cycle) const {
    return count != 0 && ring[first].cycle == cycle ? &ring[first] : nullptr;
}

void IbexCore::Answers::pop() {
    first = (first + 1) % static_cast<std::uint32_t>(ring.size());
    --count;
}

IbexCore::IbexCore(cpu::MemorySystem& memory, std::uint64_t seed, ExtraWaitIf* extra)
    : memory_(memory), extra_(extra), model_(make_ibex_model(seed)) {
    reset();
}

IbexCore::~IbexCore() = default;

void IbexCore::reset() {
    model_->reset(memory_.map().boot_address());
    inputs_ = {};
    outputs_ = {};
    fetches_ = {};
    loads_ = {};
    cycle_ = 0;
    lines_at_jump_ = 0;
    retired_ = {};
    pending_ = 0;
    finished_ = 0;
}

void IbexCore::set_interrupt(std::uint32_t line, bool level) {
    const std::uint32_t bit = 1u << line;
    inputs_.interrupts = level ? inputs_.interrupts | bit : inputs_.interrupts & ~bit;
}

bool IbexCore::tick() {
    answer_ports();
    model_->settle(inputs_, outputs_);
    // The instruction that retired left ID/EX in the cycle before: a request of this cycle is the
    // next one's.
    if (outputs_.retired) {
        take_retired();
    }
    if (outputs_.interrupt_jump) {
        lines_at_jump_ = inputs_.interrupts;
    }
    if (outputs_.fetch_request) {
        take_fetch();
    }
    if (outputs_.data_request) {
        take_data();
    }
    model_->rise();
    ++cycle_;
    return outputs_.retired;
}

bool IbexCore::step(std::uint64_t max_cycles) {
    for (std::uint64_t i = 0; i < max_cycles; ++i) {
        if (tick()) {
            return true;
        }
    }
    return false;
}

void IbexCore::answer_ports() {
    inputs_.fetch_valid = false;
    if (const Answers::Answer* answer = fetches_.due(cycle_)) {
        inputs_.fetch_valid = true;
        inputs_.fetch_data = answer->data;
        inputs_.fetch_error = answer->fault;
        fetches_.pop();
    }
    inputs_.data_valid = false;
    if (const Answers::Answer* answer = loads_.due(cycle_)) {
        inputs_.data_valid = true;
        inputs_.data_in = answer->data;
        inputs_.data_error = answer->fault;
        loads_.pop();
    }
}

void IbexCore::take_fetch() {
    const cpu::BusAnswer answer = memory_.fetch(outputs_.fetch_address);
    const std::uint32_t wait = answer.wait_cycles + (extra_ != nullptr ? extra_->fetch() : 0);
    fetches_.push(cycle_ + 1 + wait, answer.data, answer.fault);
}

void IbexCore::take_data() {
    CAVERN_CHECK(pending_ < kMaxAccesses, "an instruction accesses memory at most twice");
    const std::uint32_t lanes = outputs_.data_bytes;
    CAVERN_CHECK(lanes != 0 && lanes < 16, "an access has byte lanes");
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(lanes));
    DataAccess& access = started_[pending_++];
    access.address = outputs_.data_address + lane;
    access.size = static_cast<std::uint32_t>(__builtin_popcount(lanes));
    access.write = outputs_.data_write;
    CAVERN_CHECK(lanes >> lane == (1u << access.size) - 1, "byte lanes are contiguous");
    cpu::BusAnswer answer;
    if (access.write) {
        access.data = cpu::low_bytes(outputs_.data_out >> (8 * lane), access.size);
        answer = memory_.store(access.address, access.data, access.size, cycle_);
    } else {
        answer = memory_.load(access.address, access.size, cycle_);
        access.data = cpu::low_bytes(answer.data, access.size);
    }
    access.wait_cycles = answer.wait_cycles + (extra_ != nullptr ? extra_->data() : 0);
    access.fault = answer.fault;
    loads_.push(cycle_ + 1 + access.wait_cycles, access.write ? 0 : access.data << (8 * lane),
                answer.fault);
}

void IbexCore::take_retired() {
    finished_ = pending_;
    done_ = started_;
    pending_ = 0;
    retired_ = {};
    retired_.order = outputs_.order - 1; // RVFI counts from 1
    retired_.cycle = cycle_ - 1;
    retired_.pc = outputs_.pc;
    retired_.next_pc = outputs_.next_pc;
    retired_.instruction = outputs_.instruction;
    retired_.trap = outputs_.trap;
    retired_.interrupt = outputs_.handler_entry;
    if (outputs_.trap) {
        return;
    }
    retired_.rd = outputs_.rd;
    retired_.rd_value = outputs_.rd_value;
    if (finished_ == 0) {
        return;
    }
    // The accesses of the bus are put together; where RVFI and the bus disagree a mask is not the
    // instruction's.
    retired_.memory_address = outputs_.memory_address;
    std::uint32_t mask = 0;
    std::uint32_t data = 0;
    for (std::size_t i = 0; i < finished_; ++i) {
        const std::uint32_t byte = done_[i].address - retired_.memory_address;
        if (byte < 4) {
            mask |= ((1u << done_[i].size) - 1) << byte;
            data |= done_[i].data << (8 * byte);
        }
    }
    if (done_[0].write) {
        retired_.write_mask = static_cast<std::uint8_t>(mask);
        retired_.write_data = data;
    } else {
        retired_.read_mask = static_cast<std::uint8_t>(mask);
        retired_.read_data = data;
    }
}

} // namespace cavern
