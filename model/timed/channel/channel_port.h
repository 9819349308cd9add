#pragma once

#include <array>
#include <string>

#include "core/base/check.h"
#include "timed/channel/channel.h"

namespace cavern {

struct Channel::Port final : tlm::tlm_bw_transport_if<NandProtocol> {
    Port(Channel& channel, std::uint32_t index)
        : owner(channel), slot(index), die(channel.geometry_.die_at(channel.id_, index)),
          socket(("nand_initiator_socket_" + std::to_string(index)).c_str()),
          beginning(!channel.beginning_.empty()) {
        for (std::size_t i = 0; i < payloads.size(); ++i) {
            payloads[i].set_extension(&commands[i]);
        }
        other().lpns[0] = kNoLpn;
        socket.bind(*this);
    }
    ~Port() override {
        for (std::size_t i = 0; i < payloads.size(); ++i) {
            payloads[i].clear_extension(&commands[i]);
        }
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time&) override {
        if (phase == NAND_READY) {
            owner.ready(*this, payload);
        } else {
            CAVERN_CHECK(phase == NAND_BUSY, "a die answers with ready or busy");
            owner.busy(*this);
        }
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    [[nodiscard]] NandExtension& command() { return commands[active]; }
    [[nodiscard]] const NandExtension& command() const { return commands[active]; }
    [[nodiscard]] NandExtension& other() { return commands[active ^ 1]; }
    [[nodiscard]] const NandExtension& other() const { return commands[active ^ 1]; }

    Channel& owner;
    std::uint32_t slot;
    DieId die;
    tlm::tlm_initiator_socket<32, NandProtocol> socket;
    /// Of the operation under way, and of the one beside it: suspended, ahead of it in the array or
    /// behind it.
    std::array<tlm::tlm_generic_payload, 2> payloads;
    std::array<NandExtension, 2> commands;
    std::size_t active = 0;
    std::size_t names = 0;           ///< the one of what is wanted, or on the bus:
    NandStep step = NandStep::kRead; ///< this
    std::uint32_t steps_begun = 0;   ///< of the command under way
    bool too_late = false;           ///< what was to be suspended has ended
    bool beginning;                  ///< the die has not all of Channel::beginning_ behind it:
    std::uint32_t given = 0;         ///< so many of it were given, with the other command
    bool started = false;            ///< meanwhile: start() was called
    bool reads_on = false;           ///< the array reads the other command behind this one
    TimePs released_at = 0;          ///< the slot has the bus until then
    TimePs asked_at = 0;
};

} // namespace cavern
