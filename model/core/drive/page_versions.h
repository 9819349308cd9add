#pragma once

#include "core/base/check.h"
#include "core/base/geometry.h"
#include "core/base/lazy_array.h"
#include "core/base/strong_id.h"
#include "core/ftl/flash_op.h"

namespace cavern {

class StateArchive;

/// How often each logical page was written, translation pages among them: what a read has to find
/// in the spare area, whatever the translation layer believes. Kept apart from the layer, so that
/// one that answers with an old place is found out.
///
/// Pages of a drive filled in one step stay at version 0. Memory: 4 bytes a logical page; untouched
/// parts cost nothing.
class PageVersions {
  public:
    /// Translation pages are numbered behind the host's pages; a drive holds no more of both than
    /// it has pages.
    explicit PageVersions(const Geometry& geometry)
        : newest_(geometry.pages(), Touches::kScattered) {}

    [[nodiscard]] PageVersion newest(Lpn lpn) const { return newest_[raw(lpn)]; }
    void prefetch(Lpn lpn) const { __builtin_prefetch(&newest_[raw(lpn)], 1); }

    /// Numbers the operations of a list from `first` on, in the order decided. A program that
    /// copies keeps the version that it reads; any other makes a new one.
    void number(FlashOpList& ops, std::size_t first = 0) {
        for (std::size_t i = first; i < ops.size(); ++i) {
            FlashOp& op = ops[i];
            if (op.lpn == kNoLpn) {
                continue;
            }
            PageVersion& newest = newest_[raw(op.lpn)];
            if (op.kind == FlashOpKind::kProgram && (!op.copies || op.rewrites)) {
                newest = next(newest);
            }
            op.version = newest;
        }
    }

    /// The page was trimmed: what flash still holds of it is no version to be read.
    void forget(Lpn lpn) {
        if (newest_[raw(lpn)] != 0) { // reading touches no memory
            newest_[raw(lpn)] = next(newest_[raw(lpn)]);
        }
    }

    /// From now on every new version is a sequence number: larger than all others of the drive so
    /// far, which were at most `latest`.
    void number_in_sequence(PageVersion latest) {
        in_sequence_ = true;
        latest_ = latest;
    }
    [[nodiscard]] PageVersion latest() const { return latest_; }
    /// What flash holds of the page after a loss of power.
    void restore(Lpn lpn, PageVersion version) {
        if (newest_[raw(lpn)] != version) {
            newest_[raw(lpn)] = version;
        }
    }
    void serialize(StateArchive& archive);

  private:
    [[nodiscard]] PageVersion next(PageVersion newest) {
        if (!in_sequence_) {
            return newest + 1;
        }
        CAVERN_CHECK(latest_ != ~PageVersion{0}, "the sequence numbers of the drive have run out");
        return ++latest_;
    }

    bool in_sequence_ = false;
    PageVersion latest_ = 0;
    LazyArray<PageVersion> newest_;
};

} // namespace cavern
