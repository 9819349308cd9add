#pragma once

#include <cstdint>
#include <gtest/gtest.h>

#include "core/device/command_front.h"
#include "core/drive/precondition.h"
#include "core/nand/nand_array.h"
#include "firmware/decision_lockstep.h"

namespace cavern::testing {

/// Commands of the host without time: asks the firmware what the core has decided; the array
/// follows the core.
class LockstepSink final : public CommandSinkIf {
  public:
    LockstepSink(DecisionLockstep& lockstep, NandArray& array)
        : lockstep_(lockstep), array_(array) {}

    /// `front` is of this sink.
    void play(CommandFront<>& front, std::uint64_t request, const DeviceCommand& command) {
        lockstep_.begin_request(request);
        command_ = command;
        front.take_up(CommandId{}, command);
    }

    void on_write(CommandId, const PageAccess& page, const WriteDecision& decision) override {
        if (command_.fua) {
            lockstep_.check_write_through(page.lpn, decision);
        } else {
            lockstep_.check_write(page.lpn, decision);
        }
        apply_untimed(decision.batch.ops, array_);
    }
    void on_read(CommandId, const PageAccess& page, const ReadDecision& decision) override {
        lockstep_.check_read(page.lpn, decision);
        apply_untimed(decision.batch.ops, array_);
        if (decision.page != kNoPpn) {
            array_.read_expecting(decision.page, page.lpn, decision.version);
        }
    }
    void evict_ahead() override { FAIL() << "the core works ahead"; }
    void on_trim(CommandId, const TrimDecision& decision) override {
        const std::uint64_t bytes = array_.geometry().page_bytes;
        const Lpn first{(command_.offset + bytes - 1) / bytes};
        lockstep_.check_trim(first, decision.pages, decision);
        apply_untimed(decision.batch.ops, array_);
    }
    void on_flush(CommandId, const Batch& batch) override {
        lockstep_.check_flush_step(&batch);
        apply_untimed(batch.ops, array_);
    }
    void on_flushed(CommandId) override { lockstep_.check_flush_step(nullptr); }
    void on_completion(const Batch&) override { FAIL() << "parts of NAND pages"; }
    void on_resize(const Batch&) override { FAIL() << "a buffer of another size"; }
    void on_decided(CommandId) override {}

  private:
    DecisionLockstep& lockstep_;
    NandArray& array_;
    DeviceCommand command_;
};

} // namespace cavern::testing
