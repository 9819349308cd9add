#pragma once

#include <gtest/gtest.h>

#include "core/device/command_front.h"
#include "core/drive/precondition.h"
#include "core/nand/nand_array.h"

namespace cavern::testing {

/// Commands of the host without time: the array follows the core.
class ArraySink final : public CommandSinkIf {
  public:
    explicit ArraySink(NandArray& array) : array_(array) {}

    void on_write(CommandId, const PageAccess&, const WriteDecision& decision) override {
        apply_untimed(decision.batch.ops, array_);
    }
    void on_read(CommandId, const PageAccess& page, const ReadDecision& decision) override {
        apply_untimed(decision.batch.ops, array_);
        if (decision.page != kNoPpn) {
            array_.read_expecting(decision.page, page.lpn, decision.version);
        }
    }
    void evict_ahead() override { FAIL() << "the core works ahead"; }
    void on_trim(CommandId, const TrimDecision& decision) override {
        apply_untimed(decision.batch.ops, array_);
    }
    void on_flush(CommandId, const Batch& batch) override { apply_untimed(batch.ops, array_); }
    void on_completion(const Batch&) override { FAIL() << "parts of NAND pages"; }
    void on_resize(const Batch&) override { FAIL() << "a buffer of another size"; }
    void on_decided(CommandId) override {}

  private:
    NandArray& array_;
};

} // namespace cavern::testing
