#include "core/data/frame_contents.h"

#include <algorithm>
#include <cstring>

#include "core/base/check.h"

namespace cavern {

FrameContents::FrameContents(ContentStore& store, std::uint32_t frames)
    : store_(store), sectors_(store.sectors()), tags_(std::size_t{frames} * sectors_),
      bytes_(store.keeps_bytes() ? std::size_t{frames} * sectors_ * kSectorBytes : 0),
      written_(frames, 0), taken_(frames), changed_(frames, false) {}

void FrameContents::clear(std::uint32_t frame) {
    const Room all = write(frame, 0, sectors_);
    std::fill_n(all.tags, sectors_, SectorTag());
    if (all.bytes != nullptr) {
        std::memset(all.bytes, 0, sectors_ * kSectorBytes);
    }
    written_[frame] = 0;
}

FrameContents::Room FrameContents::write(std::uint32_t frame, std::uint32_t first,
                                         std::uint32_t count) {
    CAVERN_CHECK(frame < written_.size() && first + count <= sectors_,
                 "sectors are written in a frame");
    changed_[frame] = true;
    written_[frame] |= first_sectors(first + count) & ~first_sectors(first);
    const std::size_t place = std::size_t{frame} * sectors_ + first;
    return {&tags_[place], store_.keeps_bytes() ? &bytes_[place * kSectorBytes] : nullptr};
}

void FrameContents::join(std::uint32_t frame, const PageContent& content) {
    for (std::uint32_t sector = 0; sector < sectors_; ++sector) {
        if ((written_[frame] >> sector & 1) != 0) {
            continue;
        }
        const SectorMask written = written_[frame];
        const Room room = write(frame, sector, 1);
        written_[frame] = written;
        *room.tags = content.tag(sector);
    }
    if (!store_.keeps_bytes()) {
        return;
    }
    // Runs of sectors, as a compressed page is expanded for each.
    for (std::uint32_t first = 0; first < sectors_;) {
        std::uint32_t end = first;
        while (end < sectors_ && (written_[frame] >> end & 1) == 0) {
            ++end;
        }
        if (end != first) {
            store_.read(content, first, end - first,
                        &bytes_[(std::size_t{frame} * sectors_ + first) * kSectorBytes]);
        }
        first = end + 1;
    }
}

const PageContent& FrameContents::content(std::uint32_t frame) {
    if (changed_[frame]) {
        const std::size_t place = std::size_t{frame} * sectors_;
        taken_[frame] = store_.keep(&tags_[place],
                                    store_.keeps_bytes() ? &bytes_[place * kSectorBytes] : nullptr);
        changed_[frame] = false;
    }
    return taken_[frame];
}

} // namespace cavern
