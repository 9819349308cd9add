#include "tests/library/cpu_platform.h"

#include <cstring>

namespace cavern::testing {
namespace {

constexpr std::uint32_t kPending = 0xF000; ///< offset of the vectors behind the registers
constexpr std::uint64_t kQuantum = 2000;   ///< instructions before others have their turn
const sc_core::sc_time kCycle(2, sc_core::SC_NS);

} // namespace

CpuPlatform::CpuPlatform(const sc_core::sc_module_name& name, const std::string& image)
    : sc_module(name), system_(cpu::MemoryMap{}, this), hart_(system_),
      uart_([this](char byte, std::uint64_t) { log_ += byte; }) {
    const cpu::Program program = cpu::Program::read(image, system_.map());
    program.load_into(system_);
    hart_.reset(program.entry());
    memory.register_b_transport(this, &CpuPlatform::dma);
    SC_HAS_PROCESS(CpuPlatform);
    SC_THREAD(run);
}

void CpuPlatform::interrupt(unsigned vector) {
    ++interrupts_;
    pending_ |= 1u << vector;
    hart_.set_interrupt(cpu::interrupt::kExternal, true);
    interrupted_.notify(sc_core::SC_ZERO_TIME);
}

void CpuPlatform::let_time_pass() {
    if (hart_.cycle() > synchronised_) {
        const auto cycles = static_cast<double>(hart_.cycle() - synchronised_);
        synchronised_ = hart_.cycle();
        wait(kCycle * cycles);
    }
}

void CpuPlatform::run() {
    for (;;) {
        const cpu::Stop stop = hart_.run(kQuantum);
        let_time_pass();
        if (uart_.exit_status()) {
            exit_status_ = static_cast<int>(*uart_.exit_status());
            return;
        }
        if (stop == cpu::Stop::kFault) {
            log_ += std::string("fault: ") + cpu::name_of(hart_.fault().kind);
            return;
        }
        if (stop == cpu::Stop::kWaiting && pending_ == 0) { // none came while time passed
            const sc_core::sc_time asleep = sc_core::sc_time_stamp();
            wait(interrupted_);
            const auto slept =
                static_cast<std::uint64_t>((sc_core::sc_time_stamp() - asleep) / kCycle);
            hart_.advance_to(hart_.cycle() + slept);
            synchronised_ = hart_.cycle();
        }
    }
}

cpu::BusAnswer CpuPlatform::load(std::uint32_t address, std::uint32_t size, std::uint64_t cycle) {
    const cpu::MemoryMap& map = system_.map();
    if (map.uart.contains(address)) {
        return uart_.load(address - map.uart.base);
    }
    if (!map.registers.contains(address)) {
        return {0, 0, true};
    }
    static_cast<void>(cycle);
    const std::uint32_t offset = address - map.registers.base;
    if (offset == kPending) {
        const std::uint32_t vectors = pending_;
        pending_ = 0;
        hart_.set_interrupt(cpu::interrupt::kExternal, false);
        return {vectors};
    }
    std::uint32_t value = 0;
    const bool ok =
        access(tlm::TLM_READ_COMMAND, offset, reinterpret_cast<unsigned char*>(&value), size);
    return {value, 0, !ok};
}

cpu::BusAnswer CpuPlatform::store(std::uint32_t address, std::uint32_t value, std::uint32_t size,
                                  std::uint64_t cycle) {
    const cpu::MemoryMap& map = system_.map();
    if (map.uart.contains(address)) {
        const cpu::BusAnswer answer = uart_.store(address - map.uart.base, value, cycle);
        if (uart_.exit_status()) {
            hart_.request_stop();
        }
        return answer;
    }
    if (!map.registers.contains(address)) {
        return {0, 0, true};
    }
    const bool ok = access(tlm::TLM_WRITE_COMMAND, address - map.registers.base,
                           reinterpret_cast<unsigned char*>(&value), size);
    return {0, 0, !ok};
}

bool CpuPlatform::access(tlm::tlm_command command, std::uint32_t offset, unsigned char* data,
                         std::uint32_t size) {
    ++accesses_;
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(data);
    payload.set_data_length(size);
    payload.set_streaming_width(size);
    sc_core::sc_time delay(100, sc_core::SC_NS); // PCI Express, one way
    device->b_transport(payload, delay);
    wait(delay);
    return payload.is_response_ok();
}

void CpuPlatform::dma(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const std::uint64_t address = payload.get_address();
    const std::uint32_t length = payload.get_data_length();
    const cpu::MemoryRegion& sdram = system_.map().sdram;
    const bool there =
        address <= 0xFFFF'FFFF && sdram.contains(static_cast<std::uint32_t>(address), length);
    delay += sc_core::sc_time(60 + length / 8.0, sc_core::SC_NS);
    if (!there) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    std::uint8_t* bytes = system_.direct(static_cast<std::uint32_t>(address), length);
    if (payload.is_write()) {
        std::memcpy(bytes, payload.get_data_ptr(), length);
        if (length >= 512 && spoils_ != 0 && --spoils_ == 0) {
            bytes[length / 2] ^= 1;
        }
    } else {
        std::memcpy(payload.get_data_ptr(), bytes, length);
    }
    dma_bytes_ += length;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

} // namespace cavern::testing
