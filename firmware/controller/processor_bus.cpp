#include "firmware/controller/processor_bus.h"

#include <cstring>

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

ProcessorBus::ProcessorBus(const sc_core::sc_module_name& name, cpu::BusIf& devices, TimePs period)
    : sc_module(name), devices_(devices), period_(period) {
    payload_.set_byte_enable_ptr(nullptr);
    payload_.set_extension(&stamp_);
}

ProcessorBus::~ProcessorBus() {
    payload_.clear_extension(&stamp_); // a member, not the payload's to delete
}

void ProcessorBus::connect(cpu::MemorySystem& memory) {
    memory_ = &memory;
    line_.resize(memory.map().line_bytes);
    memory.set_line_cost(this);
}

/// What the processor takes for its own memory is what the target grants.
void ProcessorBus::end_of_elaboration() {
    CAVERN_CHECK(memory_ != nullptr, "a processor has a memory");
    bound_ = true;
    for (const cpu::MemoryRegion& region : {memory_->map().instruction, memory_->map().data}) {
        tlm::tlm_dmi dmi;
        payload_.set_command(tlm::TLM_READ_COMMAND);
        payload_.set_address(region.base);
        const bool granted = socket->get_direct_mem_ptr(payload_, dmi);
        CAVERN_CHECK(granted && dmi.is_read_write_allowed() &&
                         dmi.get_dmi_ptr() == memory_->direct(region.base, region.size) &&
                         dmi.get_end_address() == region.base + (region.size - 1),
                     "the coupled memories are reached by DMI");
    }
}

std::uint32_t ProcessorBus::transport(tlm::tlm_command command, std::uint32_t address,
                                      std::uint8_t* data, std::uint32_t bytes,
                                      std::uint64_t cycle) {
    ++transactions_;
    stamp_.cycle = cycle;
    payload_.set_command(command);
    payload_.set_address(address);
    payload_.set_data_ptr(data);
    payload_.set_data_length(bytes);
    payload_.set_streaming_width(bytes);
    payload_.set_dmi_allowed(false);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    const TimePs start = LocalTime::offset() + (cycle - now_) * period_;
    sc_core::sc_time delay = to_sc_time(start);
    socket->b_transport(payload_, delay);
    return static_cast<std::uint32_t>((to_ps(delay) - start) / period_);
}

cpu::BusAnswer ProcessorBus::load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) {
    if (!bound_) {
        return devices_.load(address, size, cycle);
    }
    std::uint32_t data = 0;
    const std::uint32_t wait = transport(tlm::TLM_READ_COMMAND, address,
                                         reinterpret_cast<std::uint8_t*>(&data), size, cycle);
    return {data, wait, payload_.is_response_error()};
}

cpu::BusAnswer ProcessorBus::store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                                   std::uint64_t cycle) {
    if (!bound_) {
        return devices_.store(address, value, size, cycle);
    }
    const std::uint32_t wait = transport(tlm::TLM_WRITE_COMMAND, address,
                                         reinterpret_cast<std::uint8_t*>(&value), size, cycle);
    return {0, wait, payload_.is_response_error()};
}

std::uint32_t ProcessorBus::fill(std::uint32_t address, std::uint32_t bytes, std::uint64_t cycle) {
    return bound_ ? transport(tlm::TLM_READ_COMMAND, address, line_.data(), bytes, cycle)
                  : memory_->map().line_fill_cycles;
}

std::uint32_t ProcessorBus::write_back(std::uint32_t address, std::uint32_t bytes,
                                       std::uint64_t cycle) {
    if (!bound_) {
        return memory_->map().line_write_back_cycles;
    }
    CAVERN_CHECK(memory_->read(address, line_.data(), bytes), "a line lies in the SDRAM");
    return transport(tlm::TLM_WRITE_COMMAND, address, line_.data(), bytes, cycle);
}

ControllerTarget::ControllerTarget(const sc_core::sc_module_name& name, cpu::BusIf& devices,
                                   cpu::MemorySystem& memory, TimePs period)
    : sc_module(name), devices_(devices), memory_(memory), period_(period) {
    socket.register_b_transport(this, &ControllerTarget::b_transport);
    socket.register_get_direct_mem_ptr(this, &ControllerTarget::get_direct_mem_ptr);
}

void ControllerTarget::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (payload.get_byte_enable_ptr() != nullptr) {
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return;
    }
    if (payload.get_streaming_width() < payload.get_data_length()) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    const auto* stamp = payload.get_extension<CycleExtension>();
    const std::uint64_t cycle =
        stamp != nullptr ? stamp->cycle : (kernel_ps() + to_ps(delay)) / period_;
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    std::uint32_t wait = 0;
    if (payload.get_address() > ~std::uint32_t{0}) {
        return;
    }
    if (memory_.map().sdram.contains(static_cast<std::uint32_t>(payload.get_address()))) {
        wait = access_line(payload);
    } else {
        wait = access_device(payload, cycle);
    }
    delay += to_sc_time(wait * period_);
}

std::uint32_t ControllerTarget::access_line(tlm::tlm_generic_payload& payload) {
    const auto address = static_cast<std::uint32_t>(payload.get_address());
    const bool reads = payload.is_read();
    const bool done =
        reads ? memory_.read(address, payload.get_data_ptr(), payload.get_data_length())
              : memory_.write(address, payload.get_data_ptr(), payload.get_data_length());
    if (done) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    return reads ? memory_.map().line_fill_cycles : memory_.map().line_write_back_cycles;
}

std::uint32_t ControllerTarget::access_device(tlm::tlm_generic_payload& payload,
                                              std::uint64_t cycle) {
    const auto address = static_cast<std::uint32_t>(payload.get_address());
    const std::uint32_t bytes = payload.get_data_length();
    if (bytes == 0 || address % 4 + bytes > 4) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return 0;
    }
    cpu::BusAnswer answer;
    if (payload.is_read()) {
        answer = devices_.load(address, bytes, cycle);
        std::memcpy(payload.get_data_ptr(), &answer.data, bytes);
    } else {
        std::uint32_t value = 0;
        std::memcpy(&value, payload.get_data_ptr(), bytes);
        answer = devices_.store(address, value, bytes, cycle);
    }
    if (!answer.fault) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    return answer.wait_cycles;
}

bool ControllerTarget::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    for (const cpu::MemoryRegion& region : {memory_.map().instruction, memory_.map().data}) {
        const std::uint64_t address = payload.get_address();
        if (address >= region.base && address - region.base < region.size) {
            dmi.set_start_address(region.base);
            dmi.set_end_address(region.base + (region.size - 1));
            dmi.set_dmi_ptr(memory_.direct(region.base, region.size));
            dmi.set_read_latency(sc_core::SC_ZERO_TIME);
            dmi.set_write_latency(sc_core::SC_ZERO_TIME);
            dmi.allow_read_write();
            return true;
        }
    }
    return false;
}

} // namespace cavern
