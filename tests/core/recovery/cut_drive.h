#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "core/data/untimed_data.h"
#include "core/device/command_front.h"
#include "core/recovery/power_cuts.h"

namespace cavern::testing {

/// A decision core, its flash, and a host that sends one command after the other: the drive whose
/// power is cut.
class CutDrive : private CommandSinkIf {
  public:
    using MakeCuts = std::function<std::unique_ptr<PowerCuts>(NandArray&)>;

    CutDrive(const Geometry& geometry, bool strict_order, PowerCuts::MakeCore make_core,
             const MakeCuts& make_cuts, DataStore store = DataStore::kNone);

    [[nodiscard]] DriveCore& core() { return *core_; }
    [[nodiscard]] const DriveCore& core() const { return *core_; }
    [[nodiscard]] NandArray& array() { return array_; }
    [[nodiscard]] const PowerCuts& cuts() const { return *cuts_; }
    /// Null where none are kept.
    [[nodiscard]] const DriveData* data() const { return data_.get(); }

    void start() { cuts_->start(*core_); }
    void execute(const DeviceCommand& command);
    void settle() { cuts_->settle(); }
    void cut();
    /// Nothing is under way, core and array are consistent.
    void check();

  private:
    friend class CommandFront<CutDrive>;

    void on_write(CommandId, const PageAccess& page, const WriteDecision& decision) override;
    void on_read(CommandId, const PageAccess& page, const ReadDecision& decision) override {
        carry_out(decision.batch);
        if (moves_ != nullptr) {
            read_data(page, decision);
        }
        if (!decision.hit && decision.page != kNoPpn) {
            cuts_->read(page.lpn, decision.page, decision.version);
        }
    }
    void evict_ahead() override {
        core_->evict_ahead_untimed([this](const Batch& batch) { carry_out(batch); });
    }
    void on_trim(CommandId, const TrimDecision& decision) override {
        carry_out(decision.batch);
        if (data_ != nullptr) {
            data_->trim(requests_, decision.first, decision.pages);
        }
    }
    void on_flush(CommandId, const Batch& batch) override { carry_out(batch); }
    void on_completion(const Batch& batch) override { carry_out(batch); }
    void on_resize(const Batch& batch) override { carry_out(batch); }
    void on_decided(CommandId) override {}
    void carry_out(const Batch& batch) { cuts_->add(batch.ops); }
    void read_data(const PageAccess& page, const ReadDecision& decision);

    Geometry geometry_;
    PowerCuts::MakeCore make_core_;
    NandArray array_;
    std::unique_ptr<DriveCore> core_;
    std::unique_ptr<DriveData> data_;
    std::unique_ptr<UntimedData> moves_;
    PageOfCommand page_;
    std::unique_ptr<PowerCuts> cuts_;
    std::unique_ptr<CommandFront<CutDrive>> front_;
    std::uint64_t requests_ = 0;
};

} // namespace cavern::testing
