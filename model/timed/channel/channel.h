#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "core/arbiter/channel_arbiter_if.h"
#include "core/base/counter.h"
#include "core/base/geometry.h"
#include "core/base/statistics.h"
#include "core/parts/nand_commands.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// One flash channel: the bus its dies share. It plays the steps of NAND commands (NandCommandRow):
/// each is a phase of the bus, for which it asks the arbiter, and which holds the bus until it
/// ends, after data out for tRHW more; then it waits for the die. Of several planes, or pages of a
/// word line, commands, addresses and data follow each other in one phase, but each page is moved
/// out in a phase of its own. A suspend and a resume are a phase each, and so are 31h and 3Fh of
/// cache reads, before the data out; and so are status polls and resets. Slots are the dies of the
/// channel (Geometry::slot_of).
class Channel final : public sc_core::sc_module,
                      public FlashChannelIf,
                      public GrantListenerIf,
                      private EventHandlerIf {
  public:
    struct Statistics {
        std::uint64_t grants = 0;
        TimePs busy = 0;
        std::uint64_t bytes = 0;
        MeanMax wait_ps; ///< request to grant

        static constexpr auto declared =
            counters_of(duration(&Statistics::busy, "busy_ns",
                                 "Time that the bus was held: commands, addresses, data, and tRHW "
                                 "after data out."),
                        counter(&Statistics::bytes, "bytes", "bytes",
                                "Data that crossed the bus, spare areas included."),
                        counter(&Statistics::grants, "grants", "grants",
                                "Bus phases granted: two for a read, or a copy in the die, one for "
                                "a program or erase, or for a read of the page register; one more "
                                "for each further page of a multi-plane read, each suspend and "
                                "resume, 3Fh of cache reads, each status poll and each reset."));
    };

    Channel(const sc_core::sc_module_name& name, EventQueue& events, ChannelId id,
            const Geometry& geometry, const NandTiming& timing, NandClientIf& client,
            ActivityLogIf* activity);
    ~Channel() override;

    /// Initiator socket of a slot, to be bound to its die.
    [[nodiscard]] tlm::tlm_initiator_socket<32, NandProtocol>&
    nand_initiator_socket(std::uint32_t slot);
    /// Must be called once before the simulation starts; the arbiter outlives the channel.
    void connect(ChannelArbiterIf& arbiter) {
        arbiter_ = &arbiter;
        arbiter.use(events_);
    }

    [[nodiscard]] NandExtension& command(std::uint32_t slot) override;
    void start(std::uint32_t slot) override;
    void suspend(std::uint32_t slot) override;
    void resume(std::uint32_t slot) override;
    [[nodiscard]] NandExtension& next_command(std::uint32_t slot) override;
    void start_next(std::uint32_t slot) override;
    void granted(std::uint32_t slot) override;

    /// Up to now.
    [[nodiscard]] Statistics statistics() const;
    void reset_statistics();

  private:
    /// CHANGE READ COLUMN (ONFI): 05h, two address cycles, E0h.
    static constexpr std::uint32_t kColumnChangeCycles = 4;
    /// CHANGE READ COLUMN ENHANCED (ONFI 5.0, 5.17): 06h, five address cycles, E0h.
    static constexpr std::uint32_t kPlaneChangeCycles = 7;

    // What an event is about.
    static constexpr std::uint64_t kReadOutEnds = 0;
    static constexpr std::uint64_t kSuspendEnds = std::uint64_t{1} << 32;
    static constexpr std::uint64_t kTurnedRound = std::uint64_t{2} << 32;
    static constexpr std::uint64_t kPoll = std::uint64_t{3} << 32;
    static constexpr std::uint64_t kBeginning = std::uint64_t{4} << 32;
    /// What is done when a step has got the bus. kTell: the client is told that it is latched.
    enum class Then : std::uint8_t { kNothing, kReadOutEnds, kSuspendEnds, kPoll, kTell };

    struct Port; ///< a slot: its socket, payloads and place in the operation

    void ready(Port& port, const tlm::tlm_generic_payload& payload);
    void busy(const Port& port);
    void begin(Port& port);
    void start_of_simulation() override;
    void give_next(Port& port);
    bool read_on(Port& port);
    void cached_read_is_out(Port& port);
    void ask_for_next_read(Port& port);
    [[nodiscard]] const char* name_of(const Port& port) const;
    /// Of what is on the bus: held, but not past.
    [[nodiscard]] TimePs still_held() const;
    void ask_for_bus(Port& port, NandStep step);
    void ask_for_bus(Port& port, NandStep step, std::size_t names);
    void request(const Port& port);
    void poll_after(const Port& port, TimePs delay);
    [[nodiscard]] TimePs time_of(const Port& port) const;
    [[nodiscard]] TimePs data_out_time(const NandExtension& command) const;
    /// Of a page, spare area included.
    [[nodiscard]] std::uint64_t page_bytes() const {
        return std::uint64_t{geometry_.page_bytes} + geometry_.spare_bytes;
    }
    /// Part of a page moves as much of the spare area.
    [[nodiscard]] std::uint64_t with_spare(std::uint64_t bytes) const {
        return bytes == geometry_.page_bytes
                   ? page_bytes()
                   : bytes + bytes * geometry_.spare_bytes / geometry_.page_bytes;
    }
    void on_event(std::uint64_t what) override;
    void read_out_ends(Port& port);

    EventQueue& events_;
    ChannelId id_;
    Geometry geometry_;
    const NandTiming& timing_;
    NandClientIf& client_;
    ActivityLogIf* activity_;
    ChannelArbiterIf* arbiter_ = nullptr;
    TimePs page_time_; ///< page and spare bytes on the bus; of a mapping unit
    std::array<TimePs, kNandSteps.size()> cycles_{}; ///< command and address cycles of a step
    std::array<Then, kNandSteps.size()> then_{};
    std::vector<NandCommand> beginning_; ///< what each die is given first
    std::vector<std::unique_ptr<Port>> ports_;
    TimePs bus_free_at_ = 0;
    Statistics statistics_; ///< busy: until then
};

} // namespace cavern
