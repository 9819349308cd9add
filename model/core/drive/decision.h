#pragma once

#include <cstdint>
#include <vector>

#include "core/base/sectors.h"
#include "core/base/strong_id.h"
#include "core/drive/batch.h"

namespace cavern {

/// What the core decided about one host page. `batch` is valid until the next decision.
struct WriteDecision {
    bool hit = false;
    FrameId frame = kNoFrame; ///< frame the page is in; kNoFrame with write-through
    const Batch& batch;
};

struct ReadDecision {
    bool hit = false;
    /// Of a hit, or the one a page is read into (cache_reads): its own already, if it `completes`.
    FrameId frame = kNoFrame;
    Ppn page = kNoPpn;       ///< where a miss is read from; kNoPpn: never written, reads as zeros
    bool looked_up = false;  ///< the read waits for the last operation of the batch
    PageVersion version = 0; ///< that the page holds
    const Batch& batch;
    bool completes = false; ///< the buffer has a part of the page, and keeps all of it from now on
    SectorSpan wanted = {}; ///< if it completes: what the flash is read for
};

struct TrimDecision {
    std::uint64_t pages = 0;
    const std::vector<FrameId>& frames; ///< that the pages occupied
    const Batch& batch;
    Lpn first = kNoLpn;
};

/// Any of these, or a Batch alone, in one form. Valid until the next decision.
struct Decision {
    bool hit = false;
    FrameId frame = kNoFrame;
    Ppn page = kNoPpn;
    bool looked_up = false;
    PageVersion version = 0;
    bool completes = false;
    std::uint64_t pages = 0;                      ///< trimmed
    const std::vector<FrameId>* frames = nullptr; ///< of those
    const Batch* batch = nullptr;                 ///< null: there was nothing to do

    Decision() = default;
    explicit Decision(const WriteDecision& write)
        : hit(write.hit), frame(write.frame), batch(&write.batch) {}
    explicit Decision(const ReadDecision& read)
        : hit(read.hit), frame(read.frame), page(read.page), looked_up(read.looked_up),
          version(read.version), completes(read.completes), batch(&read.batch) {}
    explicit Decision(const TrimDecision& trim)
        : pages(trim.pages), frames(&trim.frames), batch(&trim.batch) {}
    explicit Decision(const Batch* all) : batch(all) {}
};

} // namespace cavern
