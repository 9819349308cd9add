#include "cpu/call_profile.h"

#include <algorithm>

#include <fmt/format.h>

#include "cpu/decode.h"

namespace cavern::cpu {

namespace {

bool holds_return_address(std::uint32_t number) {
    return number == 1 || number == 5;
}

} // namespace

CallProfile::CallProfile(const Program& program) : program_(program), names_{"?"} {
    std::uint32_t end = 0;
    base_ = ~0u;
    for (const Segment& segment : program.segments()) {
        if (program.entry() - segment.address < segment.size) { // the code
            base_ = segment.address;
            end = segment.address + segment.size;
        }
    }
    known_.resize(base_ == ~0u ? 0 : (end - base_ + 1) / 2);
    nodes_.push_back({});
    stack_.push_back({child(kRoot, function_at(program.entry())), 0, false});
}

std::uint32_t CallProfile::function_at(std::uint32_t pc) {
    const std::uint32_t place = (pc - base_) / 2;
    if (place < known_.size() && known_[place] != 0) {
        return known_[place] - 1;
    }
    std::uint32_t number = 0;
    if (const Symbol* symbol = program_.symbol_at(pc); symbol != nullptr) {
        const auto [entry, added] =
            functions_.emplace(symbol, static_cast<std::uint32_t>(names_.size()));
        if (added) {
            names_.push_back(symbol->name);
        }
        number = entry->second;
    }
    if (place < known_.size()) {
        known_[place] = number + 1;
    }
    return number;
}

std::uint32_t CallProfile::child(std::uint32_t parent, std::uint32_t function) {
    const auto [entry, added] =
        children_.emplace(std::pair{parent, function}, static_cast<std::uint32_t>(nodes_.size()));
    if (added) {
        nodes_.push_back({parent, function, 0});
    }
    return entry->second;
}

void CallProfile::push(std::uint32_t pc, std::uint32_t returns_to, bool trap) {
    stack_.push_back({child(stack_.back().node, function_at(pc)), returns_to, trap});
    tell_entered();
}

void CallProfile::listen(CallListenerIf& listener) {
    for (std::size_t depth = 0; depth < stack_.size(); ++depth) {
        listener.entered(last_cycle_, depth, names_[nodes_[stack_[depth].node].function]);
    }
    listener_ = &listener;
}

void CallProfile::tell_entered() {
    if (listener_ != nullptr) {
        listener_->entered(last_cycle_, stack_.size() - 1,
                           names_[nodes_[stack_.back().node].function]);
    }
}

void CallProfile::cut(std::size_t depth) {
    stack_.resize(depth);
    if (listener_ != nullptr) {
        listener_->left(last_cycle_, depth);
    }
}

void CallProfile::pop_call(std::uint32_t to) {
    for (std::size_t i = stack_.size(); i-- > 1 && !stack_[i].trap;) {
        if (stack_[i].returns_to == to) {
            cut(i);
            return;
        }
    }
}

void CallProfile::pop_trap() {
    for (std::size_t i = stack_.size(); i-- > 1;) {
        if (stack_[i].trap) {
            cut(i);
            return;
        }
    }
}

void CallProfile::add(const Retired& retired) {
    if (retired.interrupt) {
        push(retired.pc, next_pc_, true);
    }
    const std::uint32_t function = function_at(retired.pc);
    if (Frame& top = stack_.back(); nodes_[top.node].function != function) {
        top.node = child(nodes_[top.node].parent, function);
        tell_entered();
    }
    settle(retired.cycle);
    next_pc_ = retired.next_pc;
    if (retired.trap) {
        return;
    }
    const Decoded decoded = decode(retired.instruction);
    if (decoded.op == Op::kJal || decoded.op == Op::kJalr) {
        if (holds_return_address(decoded.rd)) {
            push(retired.next_pc, retired.pc + decoded.size, false);
        } else if (decoded.op == Op::kJalr && holds_return_address(decoded.rs1)) {
            pop_call(retired.next_pc);
        }
    } else if (decoded.op == Op::kMret) {
        pop_trap();
    }
}

void CallProfile::settle(std::uint64_t cycle) {
    nodes_[stack_.back().node].cycles += cycle - last_cycle_;
    last_cycle_ = cycle;
}

void CallProfile::forget() {
    for (Node& node : nodes_) {
        node.cycles = 0;
    }
}

std::string CallProfile::folded() const {
    std::vector<std::string> lines;
    std::vector<std::string> paths(nodes_.size());
    for (std::size_t i = 1; i < nodes_.size(); ++i) { // parents come first
        const Node& node = nodes_[i];
        paths[i] = node.parent == kRoot ? names_[node.function]
                                        : paths[node.parent] + ';' + names_[node.function];
        if (node.cycles != 0) {
            lines.push_back(fmt::format("{} {}\n", paths[i], node.cycles));
        }
    }
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const std::string& line : lines) {
        text += line;
    }
    return text;
}

} // namespace cavern::cpu
