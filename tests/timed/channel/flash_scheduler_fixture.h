#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "timed/channel/flash_scheduler.h"
#include "timed/tlm/time.h"

namespace cavern::testing {

/// Time passes, and what is due at its end happens.
inline void pass(TimePs time) {
    sc_core::sc_start(to_sc_time(time));
    while (sc_core::sc_pending_activity_at_current_time()) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
}

/// One channel that notes what is started and finishes it when told.
class ManualChannel final : public FlashChannelIf {
  public:
    explicit ManualChannel(std::uint32_t slots) : commands_(slots) {}
    NandExtension& command(std::uint32_t slot) override { return commands_[slot]; }
    void start(std::uint32_t slot) override {
        const NandExtension& command = commands_[slot];
        std::string text = command.kind == FlashOpKind::kRead
                               ? (command.what == NandCommand::kRegisterRead ? "C" : "R")
                           : command.kind == FlashOpKind::kProgram ? "P"
                                                                   : "E";
        for (std::uint32_t i = 0; i < command.count; ++i) {
            text += (i == 0 ? "" : "+") + std::to_string(raw(command.pages[i]));
        }
        started.push_back(text);
        on_start();
    }
    void suspend(std::uint32_t) override { started.push_back("suspend"); }
    void resume(std::uint32_t slot) override {
        started.push_back("resume");
        std::swap(commands_[slot], beside_);
        commands_[slot].ends = 0;
    }
    NandExtension& next_command(std::uint32_t) override { return next; }
    void start_next(std::uint32_t slot) override {
        std::swap(commands_[slot], next);
        started.push_back("behind");
        start(slot);
    }
    /// What runs is in the array from `began` to `ends`.
    void latch(TimePs began, TimePs ends) {
        commands_[0].began = began;
        commands_[0].ends = ends;
    }
    /// The die has suspended it.
    void put_aside() { std::swap(commands_[0], beside_); }
    std::vector<std::string> started;
    std::function<void()> on_start = [] {};

    NandExtension next; ///< goes on behind

  private:
    std::vector<NandExtension> commands_;
    NandExtension beside_;
};

/// Data is ready the moment it is asked for, unless held back.
class ManualClient final : public FlashClientIf {
  public:
    TimePs fetch_program_data(OpId op, std::uint32_t context) override {
        fetched.push_back(context);
        return fetch(op);
    }
    [[nodiscard]] bool data_is_coming(std::uint32_t) const override { return coming; }
    TimePs fetch_copied_page(OpId op, std::uint32_t copy_page) override {
        copies_fetched.push_back(copy_page);
        return fetch(op);
    }
    TimePs store_copied_page(OpId op, std::uint32_t copy_page) override {
        stored.push_back(copy_page);
        return store(op);
    }
    TimePs store_rest(OpId op, std::uint32_t context, SectorSpan) override {
        completed.push_back(context);
        return store(op);
    }
    void host_page_read(std::uint32_t context) override { read.push_back(context); }
    void host_page_lost(std::uint32_t context) override { lost.push_back(context); }
    [[nodiscard]] bool holds_lost_page(std::uint32_t) const override { return holds_lost; }
    void host_page_programmed(std::uint32_t context) override { programmed.push_back(context); }

    TimePs store(OpId op) {
        if (hold_copies) {
            held.push_back(op);
            return kNever;
        }
        return now_ps() + store_time;
    }
    TimePs fetch(OpId op) {
        if (hold_data) {
            held.push_back(op);
            return kNever;
        }
        return data_at != 0 ? data_at : now_ps();
    }
    bool hold_data = false;
    bool hold_copies = false;
    bool coming = false; ///< what is held back
    std::vector<OpId> held;
    TimePs data_at = 0; ///< when data is announced for, instead of being ready at once
    TimePs store_time = 0;
    std::vector<std::uint32_t> fetched;
    std::vector<std::uint32_t> copies_fetched; ///< pages of the SDRAM
    std::vector<std::uint32_t> stored;         ///< likewise
    std::vector<std::uint32_t> completed;      ///< contexts
    std::vector<std::uint32_t> read;
    std::vector<std::uint32_t> lost;
    bool holds_lost = false;
    std::vector<std::uint32_t> programmed;
};

/// One channel, one die with two planes of four blocks of four pages: page numbers 0..15
/// and 16..31.
class FlashSchedulerTest : public ::testing::Test {
  protected:
    /// Blocks of four NAND pages, of `units` mapping units each.
    void build_units(std::uint32_t units, bool column_change = false) {
        units_ = units;
        column_change_ = column_change;
        build(Discipline::kReadFirst);
    }
    void build(Discipline discipline, bool multi_plane = true, std::uint32_t planes = 2) {
        geometry_.channels = 1;
        geometry_.ways = 1;
        geometry_.planes_per_die = planes;
        geometry_.blocks_per_plane = 4;
        geometry_.pages_per_block = 4 * units_;
        geometry_.units_per_page = units_;
        scheduler_ = std::make_unique<FlashScheduler>(
            geometry_,
            FlashScheduler::Params{discipline, multi_plane, column_change_, copy_pages_,
                                   multi_plane_others_, multi_plane_others_, suspend_, write_limit_,
                                   cache_, copy_backs_},
            client_, events_);
        scheduler_->queues().connect(ChannelId{0}, channel_);
    }
    void build_planes(std::uint32_t planes) { build(Discipline::kReadFirst, true, planes); }
    void SetUp() override { build(Discipline::kReadFirst); }

    static FlashOp op(FlashOpKind kind, std::uint32_t page, Origin origin = Origin::kHost) {
        FlashOp result;
        result.kind = kind;
        result.page = Ppn{page};
        result.origin = origin;
        return result;
    }
    static FlashOp program(std::uint32_t page) { return op(FlashOpKind::kProgram, page); }
    static FlashOp erase(std::uint32_t page) { return op(FlashOpKind::kErase, page, Origin::kGc); }
    /// Read of one page and program of its copy, as collection decides them.
    static FlashOpList copy(std::uint32_t from, std::uint32_t to) {
        return {op(FlashOpKind::kRead, from, Origin::kGc),
                FlashOp::copy(Origin::kGc, Ppn{from}, Ppn{to}, kNoLpn, 0)};
    }
    void submit(const FlashOpList& ops) {
        std::vector<std::uint32_t> contexts;
        for (const FlashOp& each : ops) {
            contexts.push_back(static_cast<std::uint32_t>(raw(each.page)));
        }
        scheduler_->queues().submit(ops, contexts);
    }
    void finish() { scheduler_->operation_finished(DieId{0}); }

    EventQueue events_{"events"};
    Geometry geometry_;
    std::uint32_t units_ = 1;
    bool column_change_ = false;
    bool multi_plane_others_ = false; ///< reads and erases
    NandSuspend suspend_;
    TimePs write_limit_ = 0;
    NandCache cache_;
    std::uint32_t copy_backs_ = 0;
    std::uint32_t copy_pages_ = 64;
    ManualChannel channel_{1};
    ManualClient client_;
    std::unique_ptr<FlashScheduler> scheduler_;
};

using Started = std::vector<std::string>;

} // namespace cavern::testing
