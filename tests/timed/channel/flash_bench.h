#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/script.h"
#include "timed/channel/channel.h"
#include "timed/channel/tlm_arbiter.h"
#include "timed/nand/nand_die.h"

namespace cavern::testing {

/// A bus or array interval as the activity log tells it.
struct Interval {
    std::uint32_t who; ///< slot on the bus, die in the array
    std::string what;  ///< bus phase
    TimePs begin;
    TimePs end;
    bool operator==(const Interval& o) const {
        return who == o.who && what == o.what && begin == o.begin && end == o.end;
    }
};
inline void PrintTo(const Interval& interval, std::ostream* out) {
    *out << interval.who << " " << interval.what << " " << interval.begin << ".." << interval.end;
}

class RecordedActivity final : public ActivityLogIf {
  public:
    void bus(ChannelId, std::uint32_t slot, const char* phase, TimePs start, TimePs duration,
             const NandExtension&) override {
        bus_phases.push_back({slot, phase, start, start + duration});
    }
    void grant(ChannelId, std::uint32_t slot, TimePs at, TimePs waited) override {
        grants.push_back({slot, "", at - waited, at});
    }
    void array(DieId die, TimePs start, TimePs duration, const NandExtension&) override {
        operations.push_back({raw(die), "", start, start + duration});
    }
    void host_queue(TimePs, std::uint32_t) override {}
    void buffer_pages(TimePs, std::uint32_t) override {}

    std::vector<Interval> bus_phases;
    std::vector<Interval> grants; ///< from request to grant
    std::vector<Interval> operations;
};

/// One channel with its dies, arbiter and array, driven operation by operation as the flash
/// scheduler drives it.
class FlashBench final : public sc_core::sc_module, public NandClientIf {
  public:
    struct Finished {
        std::uint32_t slot;
        TimePs at;
        bool operator==(const Finished& o) const { return slot == o.slot && at == o.at; }
    };

    FlashBench(const sc_core::sc_module_name& name, const Geometry& shape, const NandTiming& times,
               ArbiterPolicy policy = ArbiterPolicy::kRoundRobin)
        : sc_module(name), geometry(shape), timing(times), array(shape, false),
          channel("channel", clock, ChannelId{0}, shape, timing, *this, &activity),
          arbiter("arbiter", shape.dies_per_channel(), policy, 1'000'000, 5 * kNs, channel) {
        channel.connect(arbiter);
        for (std::uint32_t slot = 0; slot < shape.dies_per_channel(); ++slot) {
            dies.push_back(std::make_unique<NandDie>(("die_" + std::to_string(slot)).c_str(), clock,
                                                     DieId{slot}, timing, array, &activity));
            channel.nand_initiator_socket(slot).bind(dies.back()->channel_target_socket);
        }
    }

    /// Page `index` of block `block` of a die's plane.
    [[nodiscard]] Ppn page(std::uint32_t slot, std::uint32_t block, std::uint32_t index,
                           std::uint32_t plane = 0) const {
        return geometry.page(geometry.block(geometry.plane(DieId{slot}, plane), block), index);
    }
    void start(std::uint32_t slot, FlashOpKind kind, const std::vector<Ppn>& pages) {
        start(slot, kind, pages, command_of(kind));
    }
    void start(std::uint32_t slot, FlashOpKind kind, const std::vector<Ppn>& pages,
               NandCommand what) {
        fill(channel.command(slot), kind, pages);
        channel.command(slot).what = what;
        channel.start(slot);
    }
    void fill(NandExtension& command, FlashOpKind kind, const std::vector<Ppn>& pages) const {
        command.kind = kind;
        command.count = static_cast<std::uint32_t>(pages.size());
        command.nand_pages =
            kind == FlashOpKind::kProgram ? command.count / geometry.units_per_page : command.count;
        command.data_bytes.fill(geometry.page_bytes);
        command.what = command_of(kind);
        for (std::size_t i = 0; i < pages.size(); ++i) {
            command.pages[i] = pages[i];
            command.lpns[i] = kNoLpn;
        }
    }
    /// A read of `bytes` of a page, which the page register may hold already.
    void start_read_of(std::uint32_t slot, Ppn page, std::uint32_t bytes, bool from_register) {
        NandExtension& command = channel.command(slot);
        command.kind = FlashOpKind::kRead;
        command.count = command.nand_pages = 1;
        command.data_bytes[0] = bytes;
        command.what = from_register ? NandCommand::kRegisterRead : NandCommand::kRead;
        command.pages[0] = page;
        command.lpns[0] = kNoLpn;
        channel.start(slot);
    }
    void start_read(std::uint32_t slot, Ppn page) { start(slot, FlashOpKind::kRead, {page}); }
    void start_program(std::uint32_t slot, Ppn page) { start(slot, FlashOpKind::kProgram, {page}); }
    void start_erase(std::uint32_t slot, std::uint32_t block) {
        start(slot, FlashOpKind::kErase, {page(slot, block, 0)});
    }
    void operation_finished(DieId die) override {
        finished.push_back({raw(die), now_ps()});
        on_finished(raw(die));
    }

    void page_out(DieId die, std::uint32_t which) override {
        pages_out.push_back({raw(die), which, now_ps()});
    }
    void operation_latched(DieId die) override { on_latched(raw(die)); }
    void operation_suspended(DieId die) override {
        suspended.push_back({raw(die), now_ps()});
        on_suspended(raw(die));
    }

    bool next_read(DieId die) override { return on_next_read(raw(die)); }
    bool cached_read_out(DieId die) override {
        finished.push_back({raw(die), now_ps()});
        return on_next_read(raw(die));
    }
    void cache_free(DieId die) override {
        caches_free.push_back({raw(die), now_ps()});
        on_cache_free(raw(die));
    }
    void program_finished(DieId die) override { finished.push_back({raw(die), now_ps()}); }

    struct PageOut {
        std::uint32_t slot;
        std::uint32_t which;
        TimePs at;
    };

    Geometry geometry;
    NandTiming timing;
    NandArray array;
    RecordedActivity activity;
    EventQueue clock{"clock"};
    Channel channel;
    TlmArbiter arbiter;
    std::vector<std::unique_ptr<NandDie>> dies;
    std::vector<Finished> finished;
    std::vector<Finished> suspended;
    std::vector<PageOut> pages_out;
    std::function<void(std::uint32_t)> on_latched = [](std::uint32_t) {};
    std::function<void(std::uint32_t)> on_suspended = [](std::uint32_t) {};
    std::function<void(std::uint32_t)> on_finished = [](std::uint32_t) {};
    std::vector<Finished> caches_free;
    std::function<bool(std::uint32_t)> on_next_read = [](std::uint32_t) { return false; };
    std::function<void(std::uint32_t)> on_cache_free = [](std::uint32_t) {};
};

inline void PrintTo(const FlashBench::Finished& finished, std::ostream* out) {
    *out << "slot " << finished.slot << " at " << finished.at;
}

} // namespace cavern::testing
