#pragma once

#include <cstdint>

#include "core/base/counter.h"
#include "core/drive/decision.h"
#include "core/ftl/flash_op.h"
#include "timed/buffer/mover.h"

namespace cavern {

/// Accesses to the map, where it lies in the SDRAM whole (dram.map_traffic): an entry is read for
/// each page that a host read takes from flash, or would, and for each rest of a page that is read;
/// it is written for each page programmed. They take the SDRAM from others, but nobody waits for
/// them: decisions know the map.
class MapTraffic final : private MoveDoneIf {
  public:
    struct Params {
        bool on = false;
        std::uint64_t base = 0; ///< where the map begins
        std::uint32_t entry_bytes = 4;
    };
    struct Statistics {
        std::uint64_t map_reads = 0;
        std::uint64_t map_writes = 0;

        static constexpr auto declared = counters_of(
            counter(&Statistics::map_reads, "map_reads", "transactions",
                    "Map entries read; they count as reads as well; 0 without dram.map_traffic."),
            counter(&Statistics::map_writes, "map_writes", "transactions",
                    "Map entries written; they count as writes as well; 0 without "
                    "dram.map_traffic."));
    };

    MapTraffic(const Params& params, MemoryIf& memory) : params_(params), memory_(memory) {}

    /// A read of the host that the write buffer cannot serve.
    void look_up(Lpn lpn) {
        if (params_.on) {
            read_entry(lpn);
        }
    }
    /// Operations that go to flash.
    void carry_out(const FlashOpList& ops) {
        if (params_.on) {
            access_entries(ops);
        }
    }

    [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }
    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    void reset_statistics() { statistics_ = {}; }

  private:
    [[gnu::noinline]] void read_entry(Lpn lpn);
    [[gnu::noinline]] void access_entries(const FlashOpList& ops);
    void access(MoveDirection direction, Lpn lpn);
    void moved(MoveTicket ticket, TimePs at) override;

    Params params_;
    MemoryIf& memory_;
    std::uint64_t in_flight_ = 0;
    Statistics statistics_;
};

} // namespace cavern
