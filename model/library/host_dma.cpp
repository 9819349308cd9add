#include "library/host_dma.h"

#include <algorithm>

#include "timed/tlm/time.h"

namespace cavern {

void HostDma::move(tlm::tlm_command command, const std::vector<nvme::Segment>& segments,
                   std::byte* data, std::uint32_t ticket, HostDmaIf& owner) {
    const MoveId id = moves_.allocate();
    moves_[id].owner = &owner;
    moves_[id].ticket = ticket;
    moves_[id].accesses = 1; // this call: accesses may be answered inside it
    for (const nvme::Segment& segment : segments) {
        std::uint64_t address = segment.address;
        for (std::uint32_t rest = segment.bytes; rest != 0;) {
            const auto room = static_cast<std::uint32_t>(kMostBytes - address % kMostBytes);
            const std::uint32_t bytes = std::min(rest, room);
            tlm::tlm_generic_payload* payload = pool_.acquire();
            Pool::extension_of(*payload).move = id;
            payload->set_command(command);
            payload->set_address(address);
            payload->set_data_ptr(reinterpret_cast<unsigned char*>(data));
            payload->set_data_length(bytes);
            payload->set_streaming_width(bytes);
            ++moves_[id].accesses;
            initiator.send(*payload);
            address += bytes;
            data += bytes;
            rest -= bytes;
        }
    }
    access_done(id);
}

void HostDma::response(tlm::tlm_generic_payload& payload, TimePs ahead) {
    if (ahead == 0) {
        answered(payload, tlm::END_RESP);
    } else {
        notify_at(now_ps() + ahead, later_, payload, tlm::END_RESP);
    }
}

void HostDma::answered(tlm::tlm_generic_payload& payload, const tlm::tlm_phase&) {
    const MoveId id = Pool::extension_of(payload).move;
    moves_[id].ok = moves_[id].ok && payload.is_response_ok();
    payload.release();
    access_done(id);
}

void HostDma::access_done(MoveId id) {
    if (--moves_[id].accesses != 0) {
        return;
    }
    const Move done = moves_[id];
    moves_.release(id);
    done.owner->moved(done.ticket, done.ok);
}

tlm::tlm_extension_base* HostDma::Access::clone() const {
    auto* copy = new Access;
    copy->move = move;
    return copy;
}

void HostDma::Access::copy_from(const tlm::tlm_extension_base& other) {
    move = static_cast<const Access&>(other).move;
}

} // namespace cavern
