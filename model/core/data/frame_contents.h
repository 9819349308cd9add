#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/lazy_array.h"
#include "core/base/sectors.h"
#include "core/data/content_store.h"

namespace cavern {

/// Pages of a memory that are written piece by piece: frames of the write buffer.
class FrameContents {
  public:
    FrameContents(ContentStore& store, std::uint32_t frames);

    /// The frame is given to another page: zeros, of which nothing was written.
    void clear(std::uint32_t frame);
    /// Room for `count` sectors that are written now, from `first` on.
    struct Room {
        SectorTag* tags;
        std::byte* bytes; ///< null where none are kept
    };
    [[nodiscard]] Room write(std::uint32_t frame, std::uint32_t first, std::uint32_t count);
    /// What was not written since clear() takes what `content` has.
    void join(std::uint32_t frame, const PageContent& content);
    /// What the frame holds now.
    [[nodiscard]] const PageContent& content(std::uint32_t frame);

  private:
    ContentStore& store_;
    std::uint32_t sectors_;
    std::vector<SectorTag> tags_;
    LazyArray<std::byte> bytes_; ///< none, or a page a frame
    std::vector<SectorMask> written_;
    std::vector<PageContent> taken_; ///< what content() gave
    std::vector<bool> changed_;      ///< since then
};

} // namespace cavern
