#include "core/data/untimed_data.h"

#include "core/base/check.h"

namespace cavern {

void UntimedData::carry_out(const FlashOpList& ops, bool fills) {
    PageContents& flash = data_.flash();
    moved_.clear();
    moved_.resize(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const FlashOp& op = ops[i];
        switch (op.kind) {
        case FlashOpKind::kRead:
            moved_[i] = flash.read(op.page);
            break;
        case FlashOpKind::kProgram:
            moved_[i] = take(op, op.copies || op.merges ? moved_by(ops, op) : PageContent(), fills);
            flash.program(op.page, moved_[i]);
            break;
        case FlashOpKind::kErase:
            flash.erase(op.page);
            break;
        }
    }
}

const PageContent& UntimedData::moved_by(const FlashOpList& ops, const FlashOp& op) const {
    CAVERN_CHECK(op.after != FlashOp::kNone &&
                     ops[static_cast<std::size_t>(op.after)].kind == FlashOpKind::kRead,
                 "a copy follows the read of its page");
    return moved_[static_cast<std::size_t>(op.after)];
}

/// What the controller makes itself, tables and padding, is zeros here.
PageContent UntimedData::take(const FlashOp& op, const PageContent& read, bool fills) {
    if (op.copies) {
        return read;
    }
    if (op.origin != Origin::kHost) {
        return {};
    }
    if (fills) {
        return data_.fill(op.lpn);
    }
    const std::uint32_t frame = slot(op.frame);
    if (op.merges) {
        frames_.join(frame, read);
    }
    return frames_.content(frame);
}

void UntimedData::fill_run(Ppn page, Lpn lpn, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        data_.flash().program(Ppn{raw(page) + i}, data_.fill(Lpn{raw(lpn) + i}));
    }
}

void UntimedData::lose_frames() {
    for (std::uint32_t frame = 0; frame <= through_; ++frame) {
        frames_.clear(frame);
    }
}

void UntimedData::write(const PageOfCommand& page, std::uint32_t frame, bool new_page) {
    if (new_page) {
        frames_.clear(slot(frame));
    }
    data_.write(page, frames_, slot(frame));
}

void UntimedData::read(PageOfCommand& page, Reads how, std::uint32_t frame, Ppn place) {
    if (how != Reads::kFrame && place != kNoPpn) {
        page.content = reader_ ? reader_(place) : data_.flash().read(place);
        page.source = {ContentSource::Kind::kFlash, raw(place)};
    }
    if (how == Reads::kIntoNewFrame) {
        frames_.clear(frame);
    }
    if (how == Reads::kIntoNewFrame || how == Reads::kIntoOwnFrame) {
        frames_.join(frame, page.content);
    }
    if (how != Reads::kFlash) {
        page.content = frames_.content(frame);
        page.source = {ContentSource::Kind::kFrame, frame};
    }
    data_.deliver(page);
}

} // namespace cavern
