#include "timed/nand/nand_die.h"

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

NandDie::NandDie(const sc_core::sc_module_name& name, EventQueue& events, DieId id,
                 const NandTiming& timing, NandArray& array, ActivityLogIf* activity)
    : sc_module(name), events_(events), id_(id), timing_(timing), array_(array),
      activity_(activity) {
    channel_target_socket.bind(*this);
}

tlm::tlm_sync_enum NandDie::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == NAND_LATCH) {
        CAVERN_CHECK(payload_ == nullptr, "a die takes no command while busy");
        const NandExtension& command = NandExtension::get(payload);
        const TimePs duration = array_time(command);
        const TimePs latched = kernel_ps() + to_ps(delay);
        payload_ = &payload;
        statistics_.busy += duration;
        if (activity_ != nullptr) {
            activity_->array(id_, latched, duration, command);
        }
        events_.schedule(latched + duration, *this, 0);
        return tlm::TLM_ACCEPTED;
    }
    CAVERN_CHECK(phase == NAND_DATA_OUT, "a die knows the phases latch and data out");
    CAVERN_CHECK(payload_ == nullptr, "the page register is read while the die is ready");
    if (NandExtension::get(payload).from_register) {
        apply(NandExtension::get(payload));
    }
    return tlm::TLM_ACCEPTED;
}

TimePs NandDie::array_time(const NandExtension& command) const {
    CAVERN_CHECK(command.count >= 1, "a NAND command names a page");
    const auto by_page_type = [&](const std::vector<TimePs>& times) {
        return times.size() == 1
                   ? times.front()
                   : times[array_.geometry().nand_page_in_block(command.pages[0]) % times.size()];
    };
    switch (command.kind) {
    case FlashOpKind::kRead:
        return by_page_type(timing_.t_r);
    case FlashOpKind::kProgram:
        return by_page_type(timing_.t_prog);
    case FlashOpKind::kErase:
        break;
    }
    return timing_.t_bers;
}

/// The array operation ends: R/B# rises.
void NandDie::on_event(std::uint64_t) {
    tlm::tlm_generic_payload& payload = *payload_;
    payload_ = nullptr;
    apply(NandExtension::get(payload));
    tlm::tlm_phase phase = NAND_READY;
    sc_core::sc_time delay = LocalTime::annotation();
    channel_target_socket->nb_transport_bw(payload, phase, delay);
}

void NandDie::apply(const NandExtension& command) {
    switch (command.kind) {
    case FlashOpKind::kRead:
        array_.read_expecting(command.pages[0], command.lpns[0], command.versions[0]);
        ++(command.from_register ? statistics_.register_reads : statistics_.reads);
        break;
    case FlashOpKind::kProgram:
        for (std::uint32_t i = 0; i < command.count; ++i) {
            array_.program(command.pages[i], command.lpns[i], command.versions[i]);
        }
        statistics_.programs += command.nand_pages;
        break;
    case FlashOpKind::kErase:
        array_.erase(array_.geometry().block_of(command.pages[0]));
        ++statistics_.erases;
        break;
    }
}

void NandDie::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
}

bool NandDie::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) {
    return false;
}

unsigned int NandDie::transport_dbg(tlm::tlm_generic_payload&) {
    return 0;
}

} // namespace cavern
