#include "firmware/twin/firmware_core.h"

#include <string>

#include "core/base/check.h"
#include "firmware/twin/drive_words.h"

namespace cavern {

namespace {

Lpn lpn_of(std::uint32_t lpn) {
    return lpn == DRIVE_NONE ? kNoLpn : Lpn{lpn};
}

// DRIVE_NONE is kNoFrame.
static_assert(DRIVE_NONE == FlashOp::kNoFrame);

FlashOpKind kind_of(std::uint8_t kind) {
    return kind == kDriveRead      ? FlashOpKind::kRead
           : kind == kDriveProgram ? FlashOpKind::kProgram
                                   : FlashOpKind::kErase;
}

} // namespace

FirmwareCore::FirmwareCore(const FirmwareParams& params)
    : geometry_(params.geometry), config_(firmware_config(params)),
      memory_((drive_bytes(&config_) + 7) / 8),
      versions_(params.geometry), batch_{ops_, victims_, none_} {
    const char* problem = nullptr;
    drive_ = drive_init(&config_, memory_.data(), memory_.size() * 8, {take, this, 0}, &problem);
    CAVERN_CHECK(drive_ != nullptr, std::string("the firmware refuses ") + problem);
}

void FirmwareCore::take(void* context, const drive_operation* operation) {
    FlashOp op(kind_of(operation->kind),
               operation->origin == kDriveHost ? Origin::kHost : Origin::kGc,
               page_of(operation->page), lpn_of(operation->lpn),
               operation->after == DRIVE_NONE ? FlashOp::kNone
                                              : static_cast<std::int32_t>(operation->after));
    op.copies = operation->copies != 0;
    op.frame = operation->frame;
    op.supersedes = page_of(operation->supersedes);
    static_cast<FirmwareCore*>(context)->ops_.push_back(op);
}

const Batch& FirmwareCore::batch_of(const drive_decision& decision) {
    CAVERN_CHECK(decision.error == nullptr, std::string("the firmware finds ") + decision.error);
    CAVERN_CHECK(decision.operations == ops_.size(), "the firmware has miscounted its operations");
    versions_.number(ops_);
    victims_.clear();
    std::size_t op = 0;
    for (std::uint32_t i = 0; i < decision.victim_count; ++i) {
        const drive_victim& victim = decision.victims[i];
        victims_.push_back({Lpn{victim.lpn}, FrameId{victim.frame}});
        while (op < ops_.size() && ops_[op].origin != Origin::kHost) {
            ++op;
        }
        CAVERN_CHECK(op < ops_.size() && ops_[op].lpn == Lpn{victim.lpn} &&
                         geometry_.plane_of(geometry_.block_of(ops_[op].page)) ==
                             PlaneId{victim.plane},
                     "the firmware programs a victim elsewhere than it says");
        ++op;
    }
    batch_.units = decision.units;
    return batch_;
}

WriteDecision FirmwareCore::write(Lpn lpn) {
    ops_.clear();
    const drive_decision decision = drive_write(drive_, narrow(raw(lpn)));
    return {decision.hit, FrameId{decision.frame}, batch_of(decision)};
}

WriteDecision FirmwareCore::write_through(Lpn lpn) {
    ops_.clear();
    const drive_decision decision = drive_write_through(drive_, narrow(raw(lpn)));
    return {decision.hit, FrameId{decision.frame}, batch_of(decision)};
}

ReadDecision FirmwareCore::read(Lpn lpn) {
    ops_.clear();
    const drive_decision decision = drive_read(drive_, narrow(raw(lpn)));
    const PageVersion version = decision.hit ? 0 : versions_.newest(lpn);
    return {decision.hit, FrameId{decision.frame}, page_of(decision.page), false,
            version,      batch_of(decision)};
}

TrimDecision FirmwareCore::trim(Lpn first, std::uint64_t count) {
    ops_.clear();
    trimmed_.clear();
    const drive_decision decision = drive_trim(drive_, narrow(raw(first)), narrow(count));
    const Batch& batch = batch_of(decision);
    for (std::uint32_t i = 0; i < decision.dropped_count; ++i) {
        trimmed_.push_back(FrameId{decision.dropped[i]});
    }
    for (std::uint64_t page = raw(first); page < raw(first) + count; ++page) {
        versions_.forget(Lpn{page});
    }
    return {count, trimmed_, batch};
}

const Batch* FirmwareCore::flush_step() {
    ops_.clear();
    const drive_decision decision = drive_flush_step(drive_);
    const Batch& batch = batch_of(decision);
    return decision.done ? &batch : nullptr;
}

const Batch* FirmwareCore::maintain(PlaneId plane, std::uint32_t copies) {
    ops_.clear();
    const drive_decision decision = drive_maintain(drive_, raw(plane), copies);
    const Batch& batch = batch_of(decision);
    return decision.done ? &batch : nullptr;
}

const Batch& FirmwareCore::fill(const Lpn* lpns, std::size_t count) {
    ops_.clear();
    filled_.clear();
    for (std::size_t i = 0; i < count; ++i) {
        filled_.push_back({narrow(raw(lpns[i])), DRIVE_NONE, DRIVE_NONE});
    }
    return batch_of(drive_fill(drive_, filled_.data(), static_cast<std::uint32_t>(count)));
}

} // namespace cavern
