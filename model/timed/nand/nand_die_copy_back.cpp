// Copies that do not leave the die.

#include "core/base/check.h"
#include "timed/nand/nand_die.h"
#include "timed/tlm/time.h"

namespace cavern {

/// 00h-35h: the page register takes what the program is to copy.
void NandDie::copy_read(tlm::tlm_generic_payload& payload, TimePs at) {
    CAVERN_CHECK(timing_.copy_back.on, "the part has copy-back");
    CAVERN_CHECK(payload_ == nullptr, "a die takes no command while busy");
    const NandExtension& command = NandExtension::get(payload);
    CAVERN_CHECK(suspended_ == nullptr, "a suspended die takes reads alone");
    const TimePs duration = timing_.t_wb + read_time(command.source);
    if (activity_ != nullptr) {
        NandExtension read;
        read.count = read.nand_pages = 1;
        read.pages[0] = command.source;
        read.lpns[0] = command.lpns[0];
        read.requests[0] = command.requests[0];
        read.origin = read.origins[0] = command.origin;
        activity_->array(id_, at, duration, read);
    }
    payload_ = &payload;
    source_from_ = at;
    source_until_ = at + duration;
    statistics_.busy += duration;
    *counted_ += duration;
    events_.schedule(at + duration, *this, kSourceRead);
}

void NandDie::source_read() {
    tlm::tlm_generic_payload& payload = *payload_;
    const NandExtension& command = NandExtension::get(payload);
    array_.read_expecting(command.source, command.lpns[0], command.versions[0]);
    ++statistics_.reads;
    payload_ = nullptr;
    in_register_ = nullptr;
    copied_ = command.source;
    if (contents_ != nullptr) {
        register_ = contents_->read(command.source);
    }
    tlm::tlm_phase phase = NAND_READY;
    sc_core::sc_time delay = LocalTime::annotation();
    channel_target_socket->nb_transport_bw(payload, phase, delay);
}

/// ONFI 5.0, COPYBACK: the plane stays, and so does the page register until the program.
void NandDie::check_copy(const NandExtension& command) const {
    const Geometry& geometry = array_.geometry();
    const bool copies = command.kind == FlashOpKind::kProgram && command.source != kNoPpn;
    CAVERN_CHECK(copies || copied_ == kNoPpn, "a page read to be copied in the die is programmed");
    if (!copies) {
        return;
    }
    CAVERN_CHECK(copied_ == command.source, "a copy-back programs what the page register holds");
    CAVERN_CHECK(command.count == 1, "a copy-back copies one page");
    CAVERN_CHECK(geometry.plane_of(geometry.block_of(command.source)) ==
                     geometry.plane_of(geometry.block_of(command.pages[0])),
                 "a copy-back stays in its plane");
    CAVERN_CHECK(geometry.is_slc(command.source) == geometry.is_slc(command.pages[0]),
                 "a copy-back keeps the mode of its block");
    CAVERN_CHECK(array_.copies_in_die(command.source) < timing_.copy_back.limit,
                 "data copied in the die as often as allowed pass the controller");
}

void NandDie::note_copies(const NandExtension& command) {
    const bool copies = command.source != kNoPpn;
    for (std::uint32_t i = 0; i < command.count; ++i) {
        array_.set_copies_in_die(
            command.pages[i],
            static_cast<std::uint8_t>(copies ? array_.copies_in_die(command.source) + 1 : 0));
    }
    if (copies) {
        copied_ = kNoPpn;
        ++statistics_.copy_backs;
    }
}

} // namespace cavern
