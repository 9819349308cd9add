#pragma once

#include <cstddef>
#include <cstdint>
#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <vector>

#include "nvme/nvme_ports.h"
#include "timed/tlm/at_initiator.h"
#include "timed/tlm/payload_pool.h"
#include "timed/tlm/slab.h"

namespace cavern {

/// Told when the data of a HostDma::move have moved; `ok`: host memory answered each access with
/// OK.
class HostDmaIf {
  public:
    virtual ~HostDmaIf() = default;
    virtual void moved(std::uint32_t ticket, bool ok) = 0;
};

/// Moves bytes from and to host memory over a socket of the base protocol: accesses that do not
/// cross a border of 4 KiB, all of a move at once.
class HostDma final : private AtResponseIf {
  public:
    static constexpr std::uint32_t kMostBytes = 4096;

    AtInitiator initiator{"dma_initiator", *this};

    /// Moves the bytes of the segments, in order, from or to `data`. The owner is told, possibly
    /// inside the call.
    void move(tlm::tlm_command command, const std::vector<nvme::Segment>& segments, std::byte* data,
              std::uint32_t ticket, HostDmaIf& owner);
    /// Accesses that have not been answered.
    [[nodiscard]] std::size_t in_flight() const { return pool_.in_flight(); }

  private:
    enum class MoveId : std::uint32_t {};
    struct Move {
        MoveId next = kNil<MoveId>;
        HostDmaIf* owner = nullptr;
        std::uint32_t ticket = 0;
        std::uint32_t accesses = 0;
        bool ok = true;
    };
    struct Access final : tlm::tlm_extension<Access> {
        MoveId move{};
        tlm::tlm_extension_base* clone() const override;
        void copy_from(const tlm::tlm_extension_base& other) override;
    };
    using Pool = ExtendedPayloadPool<Access>;

    void response(tlm::tlm_generic_payload& payload, TimePs ahead) override;
    void answered(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase);
    void access_done(MoveId id);

    Pool pool_;
    Slab<Move, MoveId> moves_;
    /// Answers that host memory gave ahead of their time.
    tlm_utils::peq_with_cb_and_phase<HostDma> later_{this, &HostDma::answered};
};

} // namespace cavern
