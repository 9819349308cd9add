#include "tests/cpu/register_drill.h"

#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace cavern::cpu {
namespace {

using regs::FieldAccess;
using regs::FieldInfo;
using regs::RegisterId;
using regs::RegisterInfo;

/// What the fields without storage show after a reset: queues are empty.
const std::map<std::string, std::uint32_t> kFromDrive{
    {"control.status.operation_empty", 1},
    {"control.status.dma_empty", 1},
    {"operation.fill.free", regs::kOperationSlots},
    {"dma.fill.free", regs::kDmaSlots},
};

class Faults {
  public:
    void expect(const std::string& name, const std::string& when, std::uint32_t is,
                std::uint32_t should) {
        if (is != should) {
            text_ << name << ": 0x" << std::hex << is << " " << when << ", not 0x" << should
                  << "\n";
        }
    }
    [[nodiscard]] std::string text() const { return text_.str(); }

  private:
    std::ostringstream text_;
};

std::string name_of(const RegisterInfo& info, const FieldInfo& field) {
    return std::string(info.name) + "." + std::string(field.name);
}

std::uint32_t address_of(const RegisterInfo& info) {
    return kRegisterBase + info.address;
}

std::uint32_t lanes_of(std::uint32_t place, std::uint32_t size) {
    const std::uint64_t bytes = (std::uint64_t{1} << (8 * size)) - 1;
    return static_cast<std::uint32_t>(bytes << (8 * place));
}

/// Sets the bits that a store of ones clears, or all of a counter, as the drive or a mistake of the
/// firmware sets them.
void provoke(DriveRegistersIf& registers, const RegisterInfo& info) {
    const std::string name(info.name);
    if (name == "control.error") {
        write(registers, RegisterId::kRequestPop, 1);
        for (std::uint32_t n = 0; n <= regs::kOperationSlots; ++n) {
            write(registers, RegisterId::kOperationCommand, 0);
        }
        for (std::uint32_t n = 0; n <= regs::kDmaSlots; ++n) {
            write(registers, RegisterId::kDmaCommand, 0);
        }
        write(registers, RegisterId::kWindowOffset, 0xFFFF'FFFF);
        EXPECT_FALSE(registers.load(kRegisterBase + regs::kMemoryAddress, 4, 0).fault);
    } else if (name == "irq.pending") {
        write(registers, RegisterId::kIrqRaise, 0xF);
    } else if (name == "dma.completed") {
        registers.complete_descriptor(0);
    } else if (name == "counters.requests") {
        registers.push_request({}, 0);
        write(registers, RegisterId::kRequestPop, 1);
    } else if (name == "counters.decisions") {
        write(registers, RegisterId::kControlDoorbell, 0);
    } else if (name == "counters.operations") {
        write(registers, RegisterId::kOperationCommand, 0);
    } else if (name == "counters.busy_cycles") {
        registers.add_busy_cycles(0xABCD'EF01);
    } else {
        ADD_FAILURE() << name << ": what sets its bits?";
    }
    while (registers.take_operation(0)) {
    }
    while (registers.take_descriptor(0)) {
    }
}

/// The bits of a register that are to be there after a store, from the access of each field.
std::uint32_t expected_after(const RegisterInfo& info, std::uint32_t before, std::uint32_t value,
                             std::uint32_t lanes) {
    std::uint32_t after = before;
    for (std::size_t n = info.first_field; n < info.first_field + info.fields; ++n) {
        const FieldInfo& field = regs::kFields[n];
        const std::uint32_t covered = field.mask() & lanes;
        switch (field.access) {
        case FieldAccess::kReadWrite:
            after = (after & ~covered) | (value & covered);
            break;
        case FieldAccess::kOneClears:
            after &= ~(value & covered);
            break;
        case FieldAccess::kAnyClears:
            after &= ~field.mask();
            break;
        case FieldAccess::kReadOnly:
        case FieldAccess::kWriteOnly:
        case FieldAccess::kPulse:
            break;
        }
    }
    return after;
}

void try_stores(DriveRegistersIf& registers, const RegisterInfo& info, Faults& faults) {
    for (const std::uint32_t value : {0xFFFF'FFFFu, 0u, 0x1u, 0xA5A5'A5A5u, 0x0102'0408u}) {
        for (std::uint32_t size = 1; size <= 4; ++size) {
            for (std::uint32_t place = 0; place + size <= 4; ++place) {
                if ((info.one_clears | info.any_clears) != 0) {
                    provoke(registers, info);
                    faults.expect(std::string(info.name), "when it has been set",
                                  read(registers, static_cast<RegisterId>(
                                                      &info - regs::kRegisters.data())) != 0,
                                  1);
                }
                const std::uint32_t address = address_of(info);
                const std::uint32_t before = registers.load(address, 4, 0).data;
                const bool fault =
                    registers.store(address + place, value >> (8 * place), size, 0).fault;
                const std::uint32_t lanes = lanes_of(place, size);
                const std::uint32_t after = registers.load(address, 4, 0).data;
                const std::uint32_t expected = expected_after(info, before, value, lanes);
                std::ostringstream when;
                when << "after a store of 0x" << std::hex << value << " to bytes 0x" << lanes;
                for (std::size_t n = info.first_field; n < info.first_field + info.fields; ++n) {
                    const FieldInfo& field = regs::kFields[n];
                    faults.expect(name_of(info, field), when.str(),
                                  (after & field.mask()) >> field.lowest_bit,
                                  (expected & field.mask()) >> field.lowest_bit);
                }
                faults.expect(std::string(info.name), "as fault of a store", fault,
                              !info.writable());
                faults.expect(std::string(info.name),
                              "as what a narrow load shows of 0x" + std::to_string(after),
                              registers.load(address + place, size, 0).data,
                              (after & lanes) >> (8 * place));
            }
        }
    }
}

} // namespace

std::uint32_t read(DriveRegistersIf& registers, RegisterId id, std::uint64_t cycle) {
    const BusAnswer answer = registers.load(address_of(id), 4, cycle);
    EXPECT_FALSE(answer.fault) << regs::kRegisters[static_cast<std::size_t>(id)].name;
    return answer.data;
}

void write(DriveRegistersIf& registers, RegisterId id, std::uint32_t value, std::uint64_t cycle) {
    const BusAnswer answer = registers.store(address_of(id), value, 4, cycle);
    EXPECT_FALSE(answer.fault) << regs::kRegisters[static_cast<std::size_t>(id)].name;
}

WindowAnswer DrillWindow::load(regs::Space space, std::uint64_t word, std::uint64_t /*cycle*/) {
    ++accesses;
    if (word >= kWords) {
        return {0xDEAD'BEEF, 0, true};
    }
    return {words[static_cast<std::size_t>(space)][word], static_cast<std::uint32_t>(word % 4),
            false};
}

WindowAnswer DrillWindow::store(regs::Space space, std::uint64_t word, std::uint32_t value,
                                std::uint32_t strobes, std::uint64_t /*cycle*/) {
    ++accesses;
    if (word >= kWords) {
        return {0, 2, true};
    }
    std::uint32_t& place = words[static_cast<std::size_t>(space)][word];
    for (std::uint32_t byte = 0; byte < 4; ++byte) {
        if ((strobes & (1u << byte)) != 0) {
            const std::uint32_t lane = 0xFFu << (8 * byte);
            place = (place & ~lane) | (value & lane);
        }
    }
    return {0, static_cast<std::uint32_t>(word % 4), false};
}

std::string faults_of_reset_values(DriveRegistersIf& registers) {
    Faults faults;
    for (const RegisterInfo& info : regs::kRegisters) {
        const BusAnswer answer = registers.load(address_of(info), 4, 0);
        faults.expect(std::string(info.name), "as fault of a load", answer.fault, !info.readable());
        std::uint32_t fields = 0;
        for (std::size_t n = info.first_field; n < info.first_field + info.fields; ++n) {
            const FieldInfo& field = regs::kFields[n];
            fields |= field.mask();
            const auto shown = kFromDrive.find(name_of(info, field));
            const std::uint32_t expected = !info.readable()            ? 0
                                           : shown == kFromDrive.end() ? field.reset
                                                                       : shown->second;
            faults.expect(name_of(info, field), "after a reset",
                          (answer.data & field.mask()) >> field.lowest_bit, expected);
        }
        faults.expect(std::string(info.name), "in bits of no field", answer.data & ~fields, 0);
    }
    return faults.text();
}

std::string faults_of_access(DriveRegistersIf& registers) {
    Faults faults;
    for (const RegisterInfo& info : regs::kRegisters) {
        registers.reset();
        if (info.readable()) {
            try_stores(registers, info, faults);
        } else {
            faults.expect(std::string(info.name), "as fault of a load",
                          registers.load(address_of(info), 4, 0).fault, 1);
            faults.expect(std::string(info.name), "as fault of a store",
                          registers.store(address_of(info), 0, 4, 0).fault, 0);
        }
    }
    registers.reset();
    return faults.text();
}

} // namespace cavern::cpu
