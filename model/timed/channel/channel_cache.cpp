// Reads and programs whose data are on the bus while the array works.

#include "timed/channel/channel_port.h"
#include "timed/tlm/time.h"

namespace cavern {

NandExtension& Channel::next_command(std::uint32_t slot) {
    return ports_[slot]->other();
}

void Channel::start_next(std::uint32_t slot) {
    ports_[slot]->active ^= 1;
    start(slot);
}

/// The pages of a read are in the page register. Returns whether they are not moved out yet,
/// because the array goes on with the next ones first.
bool Channel::read_on(Port& port) {
    if (port.wanted != Phase::kLatch || !client_.next_read(geometry_.die_at(id_, port.slot))) {
        return false;
    }
    port.command().from_cache = true;
    port.reads_on = true;
    port.other().out = 0;
    ask_for_bus(port, Phase::kCacheRead);
    return true;
}

/// The array reads the other command, or has done so.
void Channel::cached_read_is_out(Port& port) {
    port.active ^= 1;
    port.command().from_cache = true;
    port.reads_on = client_.cached_read_out(geometry_.die_at(id_, port.slot));
    port.other().out = 0;
    ask_for_bus(port, port.reads_on ? Phase::kCacheRead : Phase::kCacheEnd);
}

void Channel::send_cache_phase(Port& port, sc_core::sc_time& delay) {
    const bool ends = port.wanted == Phase::kCacheEnd;
    tlm::tlm_phase phase = ends ? NAND_CACHE_END : NAND_CACHE_READ;
    port.socket->nb_transport_fw(port.payloads[port.active ^ (ends ? 0 : 1)], phase, delay);
}

/// 31h alone goes on with the next page of the block; else each page is named.
TimePs Channel::cache_phase_time(const Port& port) const {
    const NandExtension& next = port.other();
    const auto nand_page = [this](Ppn page) { return raw(page) / geometry_.units_per_page; };
    if (port.wanted == Phase::kCacheEnd ||
        (port.command().nand_pages == 1 && next.nand_pages == 1 &&
         nand_page(next.pages[0]) == nand_page(port.command().pages[0]) + 1)) {
        return timing_.command_cycle;
    }
    return timing_.multi_plane_time(next.nand_pages, timing_.read_cycles);
}

} // namespace cavern
