#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/counter.h"
#include "core/data/page_content.h"

namespace cavern {

/// Keeps what pages hold, once for all places that hold it: copies in the flash cost nothing. What
/// the drive made itself costs no bytes, as the tags say what it is. Of what a host gave, the
/// latest `hot_bytes` lie as they are; what is older is compressed (zstd) where that saves a
/// sixteenth.
class ContentStore {
  public:
    struct Statistics {
        std::uint64_t pages = 0;
        std::uint64_t raw_bytes = 0;
        std::uint64_t held_bytes = 0;
        std::uint64_t compressed_pages = 0;

        static constexpr auto declared = counters_of(
            counter(&Statistics::pages, "pages", "pages",
                    "At the end: different contents of pages (of mapping units with ftl.unit) that "
                    "are kept with tags of their own. A page written whole by one write needs "
                    "none, unless it has bytes of a host."),
            counter(&Statistics::raw_bytes, "raw_bytes", "bytes",
                    "At the end: bytes of those that a host gave, as they are; 0 without "
                    "data.store = full."),
            counter(&Statistics::held_bytes, "held_bytes", "bytes",
                    "At the end: memory that those bytes take."),
            counter(&Statistics::compressed_pages, "compressed_pages", "pages",
                    "At the end: pages that are compressed."));
    };

    /// `sectors` a page, 64 at most. With `bytes` all bytes are kept, otherwise the tags alone.
    ContentStore(std::uint32_t sectors, bool bytes,
                 std::uint64_t hot_bytes = std::uint64_t{64} << 20);
    ContentStore(const ContentStore&) = delete;
    ContentStore& operator=(const ContentStore&) = delete;
    /// No content is left by then.
    ~ContentStore();

    [[nodiscard]] std::uint32_t sectors() const { return sectors_; }
    [[nodiscard]] bool keeps_bytes() const { return keeps_bytes_; }

    /// Takes what a page holds: a tag a sector and, where they are kept, its bytes.
    [[nodiscard]] PageContent keep(const SectorTag* tags, const std::byte* bytes);
    /// Bytes of `count` sectors from `first` on; only where they are kept.
    void read(const PageContent& content, std::uint32_t first, std::uint32_t count, std::byte* to);

    [[nodiscard]] const Statistics& statistics() const { return statistics_; }

  private:
    friend class PageContent;
    using Record = PageContent::Record;
    struct Zstd;

    [[nodiscard]] bool is_of_one_write(const SectorTag* tags) const;
    [[nodiscard]] bool is_made(const SectorTag* tags, const std::byte* bytes) const;
    Record* allocate();
    void free(Record* record);
    void compress_oldest();
    void append(Record* record);
    void unlink(Record* record);
    [[nodiscard]] std::uint64_t page_bytes() const { return sectors_ * kSectorBytes; }

    std::uint32_t sectors_;
    bool keeps_bytes_;
    std::uint64_t hot_bytes_;
    std::uint64_t hot_ = 0; ///< bytes of pages that may be compressed
    Record* oldest_ = nullptr;
    Record* newest_ = nullptr;
    std::vector<void*> free_records_;
    std::vector<std::unique_ptr<std::byte[]>> free_bytes_;
    std::unique_ptr<std::byte[]> scratch_;
    std::size_t scratch_bytes_ = 0;
    std::unique_ptr<Zstd> zstd_;
    Statistics statistics_;
};

} // namespace cavern
