#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

#include "core/base/units.h"
#include "timed/buffer/ids.h"
#include "timed/tlm/at_initiator.h"
#include "timed/tlm/extensions.h"
#include "timed/tlm/payload_pool.h"
#include "timed/tlm/prompt_target.h"
#include "timed/tlm/scratch_data.h"

namespace cavern {

/// The memory of the controller.
class MemoryIf {
  public:
    virtual ~MemoryIf() = default;
    /// Begins to move a page or a part of it. Returns when that ends, which may be now; kNever:
    /// nobody knows yet, and `owner` is told.
    virtual TimePs access(MoveDirection direction, std::uint64_t address, std::uint32_t bytes,
                          MoveTicket ticket, MoveDoneIf& owner) = 0;
};

/// The data path to the host.
class LinkIf {
  public:
    virtual ~LinkIf() = default;
    /// The same over the link: `kRead` fetches what the host writes, `kWrite` delivers what it
    /// reads. `bytes_before` of the same command have gone already.
    virtual TimePs carry(MoveDirection direction, std::uint64_t host_offset, std::uint32_t bytes,
                         std::uint32_t bytes_before, MoveTicket ticket, MoveDoneIf& owner) = 0;
};

/// Memory and link behind sockets of the base protocol. A target that says, inside the request,
/// when it will be done (TLM_COMPLETED with a delay) costs no event; any other is waited for.
class Mover final : public MemoryIf, public LinkIf, private AtResponseIf {
  public:
    AtInitiator link_initiator{"link_initiator", *this};
    AtInitiator sdram_initiator{"sdram_initiator", *this};

    /// The targets behind the sockets, where nobody stands between.
    void ask_directly(PromptTargetIf& link, PromptTargetIf& sdram) {
        link_ = &link;
        sdram_ = &sdram;
    }

    TimePs access(MoveDirection direction, std::uint64_t address, std::uint32_t bytes,
                  MoveTicket ticket, MoveDoneIf& owner) override {
        return move(sdram_, sdram_initiator, {direction, address, bytes}, ticket, owner);
    }
    TimePs carry(MoveDirection direction, std::uint64_t host_offset, std::uint32_t bytes,
                 std::uint32_t bytes_before, MoveTicket ticket, MoveDoneIf& owner) override {
        return move(link_, link_initiator, {direction, host_offset, bytes, bytes_before}, ticket,
                    owner);
    }
    /// Transfers that have not ended.
    [[nodiscard]] std::size_t in_flight() const { return pool_.in_flight(); }

  private:
    using Pool = ExtendedPayloadPool<TransferExtension>;
    /// A request being handed over.
    struct Call {
        const tlm::tlm_generic_payload* payload;
        TimePs ends;
    };

    TimePs move(PromptTargetIf* target, AtInitiator& over, const Transfer& transfer,
                MoveTicket ticket, MoveDoneIf& owner) {
        const TimePs ends = target != nullptr ? target->carry_out(transfer) : kNever;
        return ends != kNever ? ends : send(over, transfer, ticket, owner);
    }
    TimePs send(AtInitiator& over, const Transfer& transfer, MoveTicket ticket, MoveDoneIf& owner);
    void response(tlm::tlm_generic_payload& payload, TimePs ahead) override;

    PromptTargetIf* link_ = nullptr;  ///< null: only the socket leads there
    PromptTargetIf* sdram_ = nullptr; ///< likewise
    Pool pool_;
    ScratchData data_;
    Call* call_ = nullptr; ///< the innermost one open
};

} // namespace cavern
