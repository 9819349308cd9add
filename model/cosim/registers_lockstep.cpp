#include "cosim/registers_lockstep.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "core/base/error.h"

namespace cavern {
namespace {

namespace regs = cpu::regs;

struct Named {
    std::string_view name;
    std::uint64_t value;
};

std::array<Named, 16> parts_of(const cpu::FlashOperation& operation) {
    return {{{"operation.command.kind", static_cast<std::uint64_t>(operation.kind)},
             {"operation.command.origin", static_cast<std::uint64_t>(operation.origin)},
             {"operation.command.last", operation.last},
             {"operation.command.tag", operation.tag},
             {"control.doorbell.result", operation.result},
             {"operation.logical_page", operation.logical_page},
             {"operation.source", operation.source},
             {"operation.destination", operation.destination},
             {"operation.frame", operation.frame},
             {"operation.dependence.valid", operation.waits},
             {"operation.dependence.index", operation.after},
             {"operation.command.copies", operation.copies},
             {"operation.supersedes", operation.supersedes},
             {"operation.units", operation.units},
             {"operation.outcome.hit", operation.hit},
             {"operation.outcome.done", operation.done}}};
}

std::array<Named, 6> parts_of(const cpu::DmaDescriptor& descriptor) {
    return {{{"dma.command.to_flash", descriptor.to_flash},
             {"dma.command.tag", descriptor.tag},
             {"dma.frame", descriptor.frame},
             {"dma.page", descriptor.page},
             {"dma.extent.first", descriptor.first},
             {"dma.extent.sectors", descriptor.sectors}}};
}

} // namespace

RegistersLockstep::RegistersLockstep(std::unique_ptr<RegisterModelIf> model, cpu::WindowIf* window,
                                     std::string label, std::uint32_t audit_every,
                                     std::uint32_t base)
    : label_(std::move(label)), audit_every_(audit_every), base_(base), recorder_(window),
      player_(*this), rtl_(std::move(model), &recorder_, label_, base), model_(&player_, base) {}

cpu::WindowAnswer RegistersLockstep::Recorder::load(regs::Space space, std::uint64_t word,
                                                    std::uint64_t cycle) {
    last = WindowAccess{false, space, word, 0, 0, {0, 0, true}};
    if (window_ != nullptr) {
        last->answer = window_->load(space, word, cycle);
    }
    return last->answer;
}

cpu::WindowAnswer RegistersLockstep::Recorder::store(regs::Space space, std::uint64_t word,
                                                     std::uint32_t value, std::uint32_t strobes,
                                                     std::uint64_t cycle) {
    last = WindowAccess{true, space, word, value, strobes, {0, 0, true}};
    if (window_ != nullptr) {
        last->answer = window_->store(space, word, value, strobes, cycle);
    }
    return last->answer;
}

cpu::WindowAnswer RegistersLockstep::Player::load(regs::Space space, std::uint64_t word,
                                                  std::uint64_t /*cycle*/) {
    return owner_.replay({false, space, word, 0, 0, {}});
}

cpu::WindowAnswer RegistersLockstep::Player::store(regs::Space space, std::uint64_t word,
                                                   std::uint32_t value, std::uint32_t strobes,
                                                   std::uint64_t /*cycle*/) {
    return owner_.replay({true, space, word, value, strobes, {}});
}

cpu::WindowAnswer RegistersLockstep::replay(const WindowAccess& access) {
    compare("access of the window", recorder_.last ? 1 : 0, 1);
    const WindowAccess& rtl = *recorder_.last;
    compare("direction of the window", rtl.store ? 1 : 0, access.store ? 1 : 0);
    compare("window.space.select", static_cast<std::uint64_t>(rtl.space),
            static_cast<std::uint64_t>(access.space));
    compare("window.offset", rtl.word, access.word);
    if (access.store) {
        compare("strobes of the window", rtl.strobes, access.strobes);
        for (std::uint32_t byte = 0; byte < 4; ++byte) { // lanes that are not written are open
            if ((access.strobes & (1u << byte)) != 0) {
                compare("data of the window", (rtl.value >> (8 * byte)) & 0xFF,
                        (access.value >> (8 * byte)) & 0xFF);
            }
        }
    }
    return rtl.answer;
}

void RegistersLockstep::begin(const Step& step) {
    history_[steps_ % kHistory] = step;
    ++steps_;
    recorder_.last.reset();
}

void RegistersLockstep::end(std::uint64_t cycle) {
    compare("interrupt line", rtl_.interrupt(cycle) ? 1 : 0, model_.interrupt(cycle) ? 1 : 0);
    if (audit_every_ != 0 && steps_ % audit_every_ == 0) {
        audit(cycle);
    }
}

void RegistersLockstep::audit(std::uint64_t cycle) {
    for (const regs::RegisterInfo& info : regs::kRegisters) {
        if (info.readable()) {
            const std::uint32_t address = base_ + info.address;
            compare_data(address, 4, rtl_.load(address, 4, cycle).data,
                         model_.load(address, 4, cycle).data);
        }
    }
}

std::string RegistersLockstep::name_at(std::uint32_t address) const {
    const std::uint32_t offset = address - base_;
    for (const regs::RegisterInfo& info : regs::kRegisters) {
        if (info.address == offset / 4 * 4) {
            return std::string(info.name);
        }
    }
    return offset >= regs::kMemoryAddress && offset < regs::kBytes ? "memory" : "no register";
}

void RegistersLockstep::compare_data(std::uint32_t address, std::uint32_t size, std::uint32_t rtl,
                                     std::uint32_t model) const {
    if (rtl == model) {
        return;
    }
    const std::uint32_t shift = 8 * (address % 4);
    const std::uint32_t difference = (rtl ^ model) << shift;
    for (const regs::RegisterInfo& info : regs::kRegisters) {
        if (info.address != (address - base_) / 4 * 4) {
            continue;
        }
        for (std::size_t n = info.first_field; n < info.first_field + info.fields; ++n) {
            const regs::FieldInfo& field = regs::kFields[n];
            if ((difference & field.mask()) != 0) {
                report(std::string(info.name) + "." + std::string(field.name),
                       (rtl << shift & field.mask()) >> field.lowest_bit,
                       (model << shift & field.mask()) >> field.lowest_bit);
            }
        }
        report(std::string(info.name) + ", bits of no field", rtl, model);
    }
    report("data of a load of " + std::to_string(size) + " bytes from " + name_at(address), rtl,
           model);
}

void RegistersLockstep::compare_answers(const Step& step, const cpu::BusAnswer& rtl,
                                        const cpu::BusAnswer& model) const {
    const std::string name = name_at(step.address);
    compare(name + ", fault", rtl.fault ? 1 : 0, model.fault ? 1 : 0);
    compare_data(step.address, step.size, rtl.data, model.data);
    compare(name + ", wait cycles", rtl.wait_cycles, model.wait_cycles);
}

void RegistersLockstep::compare(std::string_view what, std::uint64_t rtl,
                                std::uint64_t model) const {
    if (rtl != model) {
        report(std::string(what), rtl, model);
    }
}

std::string RegistersLockstep::text_of(const Step& step) const {
    std::ostringstream text;
    text << "cycle " << step.cycle << ": " << step.what;
    if (step.size != 0) {
        text << " of " << step.size << " bytes, " << name_at(step.address) << " (0x" << std::hex
             << step.address << ")";
        if (step.what == "store") {
            text << " = 0x" << step.value;
        }
    }
    return text.str();
}

void RegistersLockstep::report(const std::string& what, std::uint64_t rtl,
                               std::uint64_t model) const {
    std::ostringstream text;
    text << label_ << ": RTL and model differ in " << what << " by step " << steps_ << std::hex
         << ": RTL 0x" << rtl << ", model 0x" << model << "; last steps:";
    for (std::uint64_t n = steps_ - std::min<std::uint64_t>(steps_, kHistory); n < steps_; ++n) {
        text << "\n  " << text_of(history_[n % kHistory]);
    }
    throw ModelError(text.str());
}

cpu::BusAnswer RegistersLockstep::load(std::uint32_t address, std::uint32_t size,
                                       std::uint64_t cycle) {
    const Step step{"load", cycle, address, 0, size};
    begin(step);
    const cpu::BusAnswer rtl = rtl_.load(address, size, cycle);
    compare_answers(step, rtl, model_.load(address, size, cycle));
    end(cycle);
    return rtl;
}

cpu::BusAnswer RegistersLockstep::store(std::uint32_t address, std::uint32_t value,
                                        std::uint32_t size, std::uint64_t cycle) {
    const Step step{"store", cycle, address, value, size};
    begin(step);
    const cpu::BusAnswer rtl = rtl_.store(address, value, size, cycle);
    compare_answers(step, rtl, model_.store(address, value, size, cycle));
    end(cycle);
    return rtl;
}

void RegistersLockstep::reset() {
    begin({"reset"});
    rtl_.reset();
    model_.reset();
    end(0);
}

void RegistersLockstep::set_geometry(const cpu::RegisterGeometry& geometry) {
    begin({"geometry"});
    rtl_.set_geometry(geometry);
    model_.set_geometry(geometry);
    end(0);
}

void RegistersLockstep::set_idle(bool host, bool flash) {
    begin({"idleness"});
    rtl_.set_idle(host, flash);
    model_.set_idle(host, flash);
    end(0);
}

bool RegistersLockstep::ready() {
    const bool rtl = rtl_.ready();
    compare("control.control.ready", rtl ? 1 : 0, model_.ready() ? 1 : 0);
    return rtl;
}

bool RegistersLockstep::push_request(const cpu::HostRequest& request, std::uint64_t cycle) {
    begin({"push of a request", cycle});
    const bool rtl = rtl_.push_request(request, cycle);
    compare("request.fill, room for one more", rtl ? 1 : 0,
            model_.push_request(request, cycle) ? 1 : 0);
    end(cycle);
    return rtl;
}

std::optional<cpu::FlashOperation> RegistersLockstep::take_operation(std::uint64_t cycle) {
    begin({"take of an operation", cycle});
    const auto rtl = rtl_.take_operation(cycle);
    const auto model = model_.take_operation(cycle);
    compare("operation.fill, an entry", rtl ? 1 : 0, model ? 1 : 0);
    if (rtl) {
        const auto parts = parts_of(*model);
        for (std::size_t n = 0; n < parts.size(); ++n) {
            compare(parts[n].name, parts_of(*rtl)[n].value, parts[n].value);
        }
    }
    end(cycle);
    return rtl;
}

std::optional<cpu::DmaDescriptor> RegistersLockstep::take_descriptor(std::uint64_t cycle) {
    begin({"take of a descriptor", cycle});
    const auto rtl = rtl_.take_descriptor(cycle);
    const auto model = model_.take_descriptor(cycle);
    compare("dma.fill, a descriptor", rtl ? 1 : 0, model ? 1 : 0);
    if (rtl) {
        const auto parts = parts_of(*model);
        for (std::size_t n = 0; n < parts.size(); ++n) {
            compare(parts[n].name, parts_of(*rtl)[n].value, parts[n].value);
        }
    }
    end(cycle);
    return rtl;
}

void RegistersLockstep::complete_descriptor(std::uint64_t cycle) {
    begin({"completion of a descriptor", cycle});
    rtl_.complete_descriptor(cycle);
    model_.complete_descriptor(cycle);
    end(cycle);
}

void RegistersLockstep::add_busy_cycles(std::uint32_t cycles) {
    begin({"busy cycles"});
    rtl_.add_busy_cycles(cycles);
    model_.add_busy_cycles(cycles);
    end(0);
}

bool RegistersLockstep::interrupt(std::uint64_t cycle) {
    const bool rtl = rtl_.interrupt(cycle);
    compare("interrupt line", rtl ? 1 : 0, model_.interrupt(cycle) ? 1 : 0);
    return rtl;
}

std::optional<std::uint64_t> RegistersLockstep::interrupt_due(std::uint64_t cycle) {
    const auto rtl = rtl_.interrupt_due(cycle);
    const auto model = model_.interrupt_due(cycle);
    compare("interrupt, whether it is due", rtl ? 1 : 0, model ? 1 : 0);
    compare("interrupt, when it is due", rtl.value_or(0), model.value_or(0));
    return rtl;
}

} // namespace cavern
