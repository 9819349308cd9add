#include "tests/core/recovery/cut_drive.h"

#include <utility>

#include "core/drive/array_check.h"

namespace cavern::testing {

CutDrive::CutDrive(const Geometry& geometry, bool strict_order, PowerCuts::MakeCore make_core,
                   const MakeCuts& make_cuts, DataStore store)
    : geometry_(geometry), make_core_(std::move(make_core)), array_(geometry, strict_order, true),
      core_(make_core_({})), cuts_(make_cuts(array_)),
      front_(std::make_unique<CommandFront<CutDrive>>(*core_, geometry_, *this)) {
    if (store != DataStore::kNone) {
        const WriteBuffer* buffer = std::as_const(*core_).buffer();
        data_ = std::make_unique<DriveData>(
            DriveData::Params{geometry, core_->ftl().logical_pages(), store}, nullptr);
        moves_ = std::make_unique<UntimedData>(*data_, buffer != nullptr ? buffer->frames() : 0);
        cuts_->keep(*moves_);
    }
}

void CutDrive::on_write(CommandId, const PageAccess& page, const WriteDecision& decision) {
    const bool through = decision.frame == kNoFrame;
    const bool first = decision.hit || through; // it leaves with what it has
    if (!first || moves_ == nullptr) {
        carry_out(decision.batch);
    }
    if (moves_ != nullptr) {
        data_->begin_write(page_, page.request, page.offset - page.begins, page.offset, page.bytes);
        moves_->write(page_, raw(decision.frame), !decision.hit || through);
        if (first) {
            carry_out(decision.batch);
        }
    }
}

void CutDrive::read_data(const PageAccess& page, const ReadDecision& decision) {
    using Reads = UntimedData::Reads;
    data_->begin_read(page_, page.request, page.offset - page.begins, page.offset, page.bytes);
    moves_->read(page_,
                 decision.completes           ? Reads::kIntoOwnFrame
                 : decision.hit               ? Reads::kFrame
                 : decision.frame != kNoFrame ? Reads::kIntoNewFrame
                                              : Reads::kFlash,
                 raw(decision.frame), decision.page);
}

void CutDrive::execute(const DeviceCommand& command) {
    DeviceCommand numbered = command;
    numbered.request = requests_++;
    front_->take_up(CommandId{0}, numbered);
    cuts_->decided(*core_, numbered.request, command.op, command.fua);
    if (core_->ftl().maintains()) { // as if a die were idle
        const PlaneId plane{static_cast<std::uint32_t>(numbered.request % geometry_.planes())};
        if (const Batch* batch = core_->maintain(plane, 2)) {
            carry_out(*batch);
        }
    }
}

void CutDrive::cut() {
    front_.reset();
    core_ = cuts_->cut(*core_, make_core_);
    front_ = std::make_unique<CommandFront<CutDrive>>(*core_, geometry_, *this);
}

void CutDrive::check() {
    cuts_->finish();
    (void)core_->check_invariants();
    check_array_follows_core(*core_, array_);
}

} // namespace cavern::testing
