// The interpreter's loop. What is usual runs on local variables; what is rare (other memories,
// CSRs, traps) puts them back into the hart first, and takes them out again afterwards.

#include <type_traits>

#include "cpu/hart.h"
#include "cpu/hart_locals.h"

namespace cavern::cpu {

namespace {

std::int32_t as_signed(std::uint32_t value) {
    return static_cast<std::int32_t>(value);
}

std::uint32_t shift_right_arithmetic(std::uint32_t value, std::uint32_t amount) {
    return static_cast<std::uint32_t>(as_signed(value) >> amount);
}

template <typename A, typename B>
std::uint32_t high_product(A a, B b) {
    const std::int64_t product = static_cast<std::int64_t>(a) * static_cast<std::int64_t>(b);
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(product) >> 32);
}

// Division by zero gives -1 and the dividend; the one overflow gives the dividend and 0
// (unprivileged ISA, chapter "M").
std::uint32_t divide_signed(std::uint32_t a, std::uint32_t b) {
    if (b == 0) {
        return ~0u;
    }
    if (a == 0x8000'0000 && b == ~0u) {
        return a;
    }
    return static_cast<std::uint32_t>(as_signed(a) / as_signed(b));
}

std::uint32_t remainder_signed(std::uint32_t a, std::uint32_t b) {
    if (b == 0) {
        return a;
    }
    if (a == 0x8000'0000 && b == ~0u) {
        return 0;
    }
    return static_cast<std::uint32_t>(as_signed(a) % as_signed(b));
}

} // namespace

// Both return whether the access was a usual one: anything may have happened in the others.
template <typename Value, bool kTrace>
inline bool Hart::load(const Decoded& decoded, Locals& locals, Retired* retired) {
    const std::uint32_t address = x_[decoded.rs1] + static_cast<std::uint32_t>(decoded.imm);
    const std::uint32_t offset = address - locals.data_base;
    if constexpr (kTrace) {
        if (!watchpoints_.empty() && watched(address, sizeof(Value), false, locals)) {
            return false;
        }
    }
    Value value;
    const std::uint8_t* from = nullptr;
    if (address % sizeof(Value) == 0) {
        from = offset < locals.data_size ? locals.data + offset : memory_.hit(address, false);
    }
    if (from != nullptr) {
        std::memcpy(&value, from, sizeof(Value));
    } else {
        locals.put_back(*this);
        const SlowAccess access = load_slow(address, sizeof(Value));
        locals.take_out(*this);
        if (!access.done) {
            return false;
        }
        locals.cycle += access.cycles;
        value = static_cast<Value>(access.data);
    }
    x_[decoded.rd] = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
    locals.cycle += timing_.load;
    locals.go_on(decoded);
    if constexpr (kTrace) {
        retired->memory_address = address;
        retired->read_mask = static_cast<std::uint8_t>((1u << sizeof(Value)) - 1);
        retired->read_data =
            static_cast<std::uint32_t>(static_cast<std::make_unsigned_t<Value>>(value));
    }
    return from != nullptr;
}

template <typename Value, bool kTrace>
inline bool Hart::store(const Decoded& decoded, Locals& locals, Retired* retired) {
    const std::uint32_t address = x_[decoded.rs1] + static_cast<std::uint32_t>(decoded.imm);
    const std::uint32_t offset = address - locals.data_base;
    const auto value = static_cast<Value>(x_[decoded.rs2]);
    if constexpr (kTrace) {
        if (!watchpoints_.empty() && watched(address, sizeof(Value), true, locals)) {
            return false;
        }
    }
    std::uint8_t* to = nullptr;
    if (address % sizeof(Value) == 0) {
        to = offset < locals.data_size ? locals.data + offset : memory_.hit(address, true);
    }
    if (to != nullptr) {
        std::memcpy(to, &value, sizeof(Value));
    } else {
        locals.put_back(*this);
        const SlowAccess access = store_slow(address, value, sizeof(Value));
        locals.take_out(*this);
        if (!access.done) {
            return false;
        }
        locals.cycle += access.cycles;
    }
    locals.cycle += timing_.store;
    locals.go_on(decoded);
    if constexpr (kTrace) {
        retired->memory_address = address;
        retired->write_mask = static_cast<std::uint8_t>((1u << sizeof(Value)) - 1);
        retired->write_data = value;
    }
    return to != nullptr;
}

template <bool kTrace>
Stop Hart::execute(std::uint64_t max_instructions, std::uint64_t until_cycle, Retired* retired,
                   [[maybe_unused]] const Observer* observe) {
    const bool steps = kTrace && observe == nullptr; // over breakpoints
    if (decoded_version_ != memory_.code_version()) {
        forget_decoded(memory_.map().instruction.base, memory_.map().instruction.size);
        decoded_version_ = memory_.code_version();
    }
    const MemoryMap& map = memory_.map();
    std::uint32_t* const x = x_.data();
    // A copy is known not to change under stores; for one instruction it is not worth making.
    const std::conditional_t<kTrace, const IbexTiming&, const IbexTiming> timing = timing_;
    Locals at{decoded_.data(),
              map.instruction.base,
              map.instruction.size,
              nullptr,
              0,
              cycle_,
              max_instructions,
              max_instructions,
              memory_.direct(map.data.base, map.data.size),
              map.data.base,
              map.data.size};
    at.go_to(pc_);
    Decoded held; // at a breakpoint
    stop_requested_ = false;
    fault_ = {};

    const auto branch = [&](const Decoded& d, bool taken) {
        if (taken) {
            at.cycle +=
                timing.branch_taken + at.jump(*this, at.pc() + static_cast<std::uint32_t>(d.imm));
        } else {
            at.go_on(d);
            at.cycle += timing.branch_not_taken;
        }
    };
    const auto result = [&](const Decoded& d, std::uint32_t value, std::uint32_t cycles) {
        x[d.rd] = value;
        at.go_on(d);
        at.cycle += cycles;
    };

    for (;;) {
        // Whatever happens only now and then is looked at here.
        at.put_back(*this);
        if (at.left == 0) {
            return Stop::kInstructions;
        }
        if (at.cycle >= until_cycle) {
            return Stop::kCycle;
        }
        if (stop_requested_) {
            stop_requested_ = false;
            return Stop::kRequested;
        }
        if (waiting_) {
            if (csrs_.pending() == 0) {
                return Stop::kWaiting;
            }
            waiting_ = false;
            if (at.cycle != slept_from_) {
                at.cycle += timing.wake;
                slept_ += at.cycle - slept_from_;
            }
        }
        if (csrs_.interrupted()) {
            take_interrupt();
            at.take_out(*this);
        }
        bool usual = true;
        while (usual && at.left != 0 && at.cycle < until_cycle) {
            const Decoded* decoded = at.next;
            if (__builtin_expect(decoded->op <= Op::kBreakpoint, 0)) {
                decode_entry(at.pc());
                if (decoded->op == Op::kBreakpoint) {
                    at.put_back(*this);
                    const Held here{order_, pc_};
                    if (!steps && !(broken_at_ == here)) {
                        broken_at_ = here;
                        return Stop::kBreakpoint;
                    }
                    held = decode_at(at.pc());
                    decoded = &held;
                }
            }
            const Decoded& d = *decoded;
            const auto imm = static_cast<std::uint32_t>(d.imm);
            [[maybe_unused]] const std::uint32_t start = kTrace ? at.pc() : 0;
            [[maybe_unused]] const std::uint64_t began = at.cycle;
            if constexpr (kTrace) {
                *retired = {};
                trapped_ = false;
            }
            switch (d.op) {
            case Op::kLui:
                result(d, imm, timing.alu);
                break;
            case Op::kAuipc:
                result(d, at.pc() + imm, timing.alu);
                break;
            case Op::kJal: {
                const std::uint32_t pc = at.pc();
                x[d.rd] = pc + d.size;
                at.cycle += timing.jump + at.jump(*this, pc + imm);
                break;
            }
            case Op::kJalr: {
                const std::uint32_t target = (x[d.rs1] + imm) & ~1u;
                x[d.rd] = at.pc() + d.size;
                at.cycle += timing.jump + at.jump(*this, target);
                break;
            }
            case Op::kBeq:
                branch(d, x[d.rs1] == x[d.rs2]);
                break;
            case Op::kBne:
                branch(d, x[d.rs1] != x[d.rs2]);
                break;
            case Op::kBlt:
                branch(d, as_signed(x[d.rs1]) < as_signed(x[d.rs2]));
                break;
            case Op::kBge:
                branch(d, as_signed(x[d.rs1]) >= as_signed(x[d.rs2]));
                break;
            case Op::kBltu:
                branch(d, x[d.rs1] < x[d.rs2]);
                break;
            case Op::kBgeu:
                branch(d, x[d.rs1] >= x[d.rs2]);
                break;
            case Op::kLb:
                usual = load<std::int8_t, kTrace>(d, at, retired);
                break;
            case Op::kLh:
                usual = load<std::int16_t, kTrace>(d, at, retired);
                break;
            case Op::kLw:
                usual = load<std::int32_t, kTrace>(d, at, retired);
                break;
            case Op::kLbu:
                usual = load<std::uint8_t, kTrace>(d, at, retired);
                break;
            case Op::kLhu:
                usual = load<std::uint16_t, kTrace>(d, at, retired);
                break;
            case Op::kSb:
                usual = store<std::uint8_t, kTrace>(d, at, retired);
                break;
            case Op::kSh:
                usual = store<std::uint16_t, kTrace>(d, at, retired);
                break;
            case Op::kSw:
                usual = store<std::uint32_t, kTrace>(d, at, retired);
                break;
            case Op::kAddi:
                result(d, x[d.rs1] + imm, timing.alu);
                break;
            case Op::kSlti:
                result(d, as_signed(x[d.rs1]) < d.imm ? 1 : 0, timing.alu);
                break;
            case Op::kSltiu:
                result(d, x[d.rs1] < imm ? 1 : 0, timing.alu);
                break;
            case Op::kXori:
                result(d, x[d.rs1] ^ imm, timing.alu);
                break;
            case Op::kOri:
                result(d, x[d.rs1] | imm, timing.alu);
                break;
            case Op::kAndi:
                result(d, x[d.rs1] & imm, timing.alu);
                break;
            case Op::kSlli:
                result(d, x[d.rs1] << imm, timing.alu);
                break;
            case Op::kSrli:
                result(d, x[d.rs1] >> imm, timing.alu);
                break;
            case Op::kSrai:
                result(d, shift_right_arithmetic(x[d.rs1], imm), timing.alu);
                break;
            case Op::kAdd:
                result(d, x[d.rs1] + x[d.rs2], timing.alu);
                break;
            case Op::kSub:
                result(d, x[d.rs1] - x[d.rs2], timing.alu);
                break;
            case Op::kSll:
                result(d, x[d.rs1] << (x[d.rs2] & 31), timing.alu);
                break;
            case Op::kSlt:
                result(d, as_signed(x[d.rs1]) < as_signed(x[d.rs2]) ? 1 : 0, timing.alu);
                break;
            case Op::kSltu:
                result(d, x[d.rs1] < x[d.rs2] ? 1 : 0, timing.alu);
                break;
            case Op::kXor:
                result(d, x[d.rs1] ^ x[d.rs2], timing.alu);
                break;
            case Op::kSrl:
                result(d, x[d.rs1] >> (x[d.rs2] & 31), timing.alu);
                break;
            case Op::kSra:
                result(d, shift_right_arithmetic(x[d.rs1], x[d.rs2] & 31), timing.alu);
                break;
            case Op::kOr:
                result(d, x[d.rs1] | x[d.rs2], timing.alu);
                break;
            case Op::kAnd:
                result(d, x[d.rs1] & x[d.rs2], timing.alu);
                break;
            case Op::kMul:
                result(d, x[d.rs1] * x[d.rs2], timing.mul);
                break;
            case Op::kMulh:
                result(d, high_product(as_signed(x[d.rs1]), as_signed(x[d.rs2])), timing.mulh);
                break;
            case Op::kMulhsu:
                result(d, high_product(as_signed(x[d.rs1]), x[d.rs2]), timing.mulh);
                break;
            case Op::kMulhu:
                result(d,
                       static_cast<std::uint32_t>(static_cast<std::uint64_t>(x[d.rs1]) * x[d.rs2] >>
                                                  32),
                       timing.mulh);
                break;
            case Op::kDiv:
            case Op::kDivu:
            case Op::kRem:
            case Op::kRemu: {
                const std::uint32_t a = x[d.rs1];
                const std::uint32_t b = x[d.rs2];
                const std::uint32_t cycles = b == 0 ? timing.divide_by_zero : timing.divide;
                if (d.op == Op::kDiv) {
                    result(d, divide_signed(a, b), cycles);
                } else if (d.op == Op::kRem) {
                    result(d, remainder_signed(a, b), cycles);
                } else if (d.op == Op::kDivu) {
                    result(d, b == 0 ? ~0u : a / b, cycles);
                } else {
                    result(d, b == 0 ? a : a % b, cycles);
                }
                break;
            }
            case Op::kFence: // memory is in order already
                at.go_on(d);
                at.cycle += timing.alu;
                break;
            default:
                at.put_back(*this);
                execute_rare(d);
                at.take_out(*this);
                usual = false;
                break;
            }
            if (__builtin_expect(!usual && fault_.kind != FaultKind::kNone, 0)) {
                at.put_back(*this);
                return Stop::kFault;
            }
            if constexpr (kTrace) {
                if (watch_holds_) {
                    watch_holds_ = false;
                    return Stop::kWatchpoint; // put back already, and nothing done
                }
                retired->order = order_ + (at.mark - at.left);
                at.put_back(*this);
                retired->cycle = at.cycle - 1 - refill(d, at.cycle - began);
                retired->pc = start;
                retired->next_pc = pc_;
                retired->instruction = d.instruction;
                retired->trap = trapped_;
                retired->interrupt = retired->order == handler_order_;
                if (!trapped_ && d.rd != Decoded::kNoRegister) {
                    retired->rd = d.rd;
                    retired->rd_value = x[d.rd];
                }
                if (observe != nullptr) {
                    (*observe)(*retired);
                }
            }
            --at.left;
        }
    }
}

Stop Hart::step(Retired* retired) {
    Retired ignored;
    return execute<true>(1, kForever, retired != nullptr ? retired : &ignored, nullptr);
}

Stop Hart::run(std::uint64_t max_instructions, std::uint64_t until_cycle) {
    if (!watchpoints_.empty()) { // the loop that looks at them is the other one
        return run(max_instructions, until_cycle, [](const Retired&) {});
    }
    return execute<false>(max_instructions, until_cycle, nullptr, nullptr);
}

Stop Hart::run(std::uint64_t max_instructions, std::uint64_t until_cycle, const Observer& observe) {
    Retired retired;
    return execute<true>(max_instructions, until_cycle, &retired, &observe);
}

} // namespace cavern::cpu
