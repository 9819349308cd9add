#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/geometry.h"
#include "core/base/units.h"
#include "core/parts/nand_timing.h"
#include "results/fst_writer.h"
#include "results/result_file.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {

/// `--bus-waves`: what the buses of the flash channels look like to a logic analyser, drawn from
/// the activity of channels and dies, for GTKWave. Signals, with the names of ONFI (5.1,
/// section 2.2, SDR):
///   ssd.channel_<c>            cle ale we_n re_n dq[7:0] phase
///   ssd.channel_<c>.way_<w>    req grant (the arbiter's), ce_n rb_n op
///   ssd.host                   queue_depth buffer_pages
/// A command or address cycle is one strobe of we_n, low for its first half, with its byte on dq.
/// Data are one strobe for the whole page and x on dq: bytes have no content in this model. Left
/// out: the set-up and hold times around CE#, tWB, tADL, tWHR.
class FlashWaves final : public ResultFile, public ActivityLogIf {
  public:
    /// Keeps what starts in `window`, 16 bytes a change, until finish(). The signals of
    /// `rtl_waves`, an FST file that is closed by then, are written beside them; empty: there are
    /// none.
    FlashWaves(const std::string& path, const Geometry& geometry, const NandTiming& timing,
               TimeWindow window, std::string rtl_waves);
    /// Throws UserError when the file cannot be written.
    void finish() override;

    void bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
             TimePs duration, const NandExtension& command) override;
    void grant(ChannelId channel, std::uint32_t slot, TimePs at, TimePs waited) override;
    void array(DieId die, TimePs start, TimePs duration, const NandExtension& command) override;
    void host_queue(TimePs at, std::uint32_t outstanding) override;
    void buffer_pages(TimePs at, std::uint32_t resident) override;

  private:
    enum BusSignal : std::uint32_t { kCle, kAle, kWeN, kReN, kDq, kPhase, kBusSignals };
    enum WaySignal : std::uint32_t { kReq, kGrant, kCeN, kRbN, kOp, kWaySignals };
    struct Change {
        TimePs time;
        std::uint32_t signal; ///< number below
        std::uint32_t value;  ///< bits, kUndriven, kUnknown, or a text's number
    };
    static constexpr std::uint32_t kUndriven = 0xFFFF'FFFF;
    static constexpr std::uint32_t kUnknown = 0xFFFF'FFFE;

    void write();
    [[nodiscard]] std::uint32_t bus_signal(std::uint32_t channel, BusSignal signal) const;
    [[nodiscard]] std::uint32_t way_signal(std::uint32_t channel, std::uint32_t slot,
                                           WaySignal signal) const;
    [[nodiscard]] std::uint32_t host_signal(std::uint32_t which) const;

    void add(TimePs time, std::uint32_t signal, std::uint32_t value);
    std::uint32_t number_of(const std::string& text);
    TimePs cycle(std::uint32_t channel, TimePs time, BusSignal latch, std::uint32_t byte);
    TimePs addresses(std::uint32_t channel, TimePs time, std::uint32_t cycles, bool column,
                     std::uint64_t row);
    [[nodiscard]] std::uint64_t row_of(Ppn page) const;
    void suspend(std::uint32_t channel, TimePs time, std::uint32_t opcode,
                 const NandExtension& command);
    void read_out(std::uint32_t channel, TimePs time, TimePs end, const NandExtension& command);
    void status(std::uint32_t channel, TimePs time, TimePs end, const NandExtension& command);
    TimePs data(std::uint32_t channel, TimePs time, TimePs duration, BusSignal strobe,
                const char* phase);
    void latch(std::uint32_t channel, TimePs time, const NandExtension& command, bool cache_read);

    Geometry geometry_;
    NandTiming timing_;
    TimeWindow window_;
    std::string rtl_waves_;
    TimePs page_time_;
    std::uint32_t slots_;
    std::uint32_t signals_;
    std::vector<Change> changes_;
    std::map<std::string, std::uint32_t> numbers_; ///< of texts
    std::vector<std::string> texts_;
};

} // namespace cavern
