#pragma once

#include <cstdint>
#include <tlm>

#include "core/base/request_op.h"
#include "core/base/units.h"

namespace cavern {

/// A host command on its way from the host interface to the buffer manager. Ignorable: without it a
/// payload is a plain read or write. The host interface writes the first part, the buffer manager
/// the results, which say where the time of the page that finished last went.
struct HostCommandExtension final : tlm::tlm_extension<HostCommandExtension> {
    std::uint64_t id = 0; ///< position in the workload, from 0
    std::uint32_t tag = 0;
    std::uint32_t queue = 0; ///< of several submission queues
    RequestOp op = RequestOp::kRead;
    bool fua = false;      ///< a write that is answered when it is in flash
    std::uint32_t job = 0; ///< of the workload
    std::uint16_t stream = 0;
    ZoneAction zone = ZoneAction::kNone;
    /// Of the command. The payload of a TRIM or a FLUSH, which moves no data, does not say.
    std::uint64_t bytes = 0;
    TimePs arrival = 0;  ///< when the host wanted it
    TimePs dispatch = 0; ///< when the device took it up
    // Results.
    bool refused = false; ///< the state of its zone forbids it
    std::uint32_t pages = 0;
    std::uint32_t hits = 0; ///< pages found in the write buffer
    bool failed = false;    ///< data read could not be corrected
    TimePs processor = 0;   ///< waiting for a processor of the controller, and handled by it
    TimePs frame_wait = 0;  ///< waiting for a free frame
    TimePs flash = 0;       ///< flash read, or program with write-through

    tlm::tlm_extension_base* clone() const override;
    void copy_from(const tlm::tlm_extension_base& other) override;
    /// Null when absent: the extension is ignorable.
    static HostCommandExtension* find(const tlm::tlm_generic_payload& payload);
};

/// What a transfer is for: a stage of its owner's, and which of the owner's items it moves.
struct MoveTicket {
    std::uint32_t stage = 0;
    std::uint32_t index = 0;
};

/// Who has something moved.
class MoveDoneIf {
  public:
    virtual ~MoveDoneIf() = default;
    /// A transfer whose end was not known ends at time `at`, which is not past.
    virtual void moved(MoveTicket ticket, TimePs at) = 0;
};

/// One page moving over the host link or the SDRAM on behalf of the buffer manager, which alone
/// reads and writes `ticket` and `owner`. `moved_before` tells the link how many bytes of the same
/// command it has carried already, so that it can count frames. Ignorable for a target.
struct TransferExtension final : tlm::tlm_extension<TransferExtension> {
    MoveTicket ticket;
    MoveDoneIf* owner = nullptr;
    std::uint32_t moved_before = 0;

    tlm::tlm_extension_base* clone() const override;
    void copy_from(const tlm::tlm_extension_base& other) override;
    /// Throws ModelError when absent.
    static TransferExtension& get(const tlm::tlm_generic_payload& payload);
    static TransferExtension* find(const tlm::tlm_generic_payload& payload);
};

} // namespace cavern
