#include "core/data/content_store.h"

#include <cstring>
#include <new>
#include <zstd.h>

#include "core/base/check.h"
#include "core/data/density.h"

namespace cavern {
namespace {

constexpr int kLevel = 1; ///< of zstd: pages are compressed while the drive runs

} // namespace

/// Behind it lie the tags of its sectors.
struct PageContent::Record {
    ContentStore* store = nullptr;
    std::unique_ptr<std::byte[]> bytes; ///< null: those that the tags say
    Record* older = nullptr;            ///< of those that may be compressed
    Record* newer = nullptr;
    std::uint32_t shares = 1;
    std::uint32_t compressed = 0; ///< bytes; 0: as they are
    bool queued = false;          ///< it may be compressed

    [[nodiscard]] SectorTag* tags() { return reinterpret_cast<SectorTag*>(this + 1); }
};

struct ContentStore::Zstd {
    ZSTD_CCtx* compress = ZSTD_createCCtx();
    ZSTD_DCtx* expand = ZSTD_createDCtx();
    Zstd() = default;
    Zstd(const Zstd&) = delete;
    Zstd& operator=(const Zstd&) = delete;
    ~Zstd() {
        ZSTD_freeCCtx(compress);
        ZSTD_freeDCtx(expand);
    }
};

// ---- content ------------------------------------------------------------------------------------

SectorTag PageContent::tag(std::uint32_t sector) const {
    if (word_ == 0) {
        return {};
    }
    return is_record() ? record()->tags()[sector] : SectorTag::of_word(word_ >> 1).behind(sector);
}

void PageContent::share() const {
    ++record()->shares;
}

void PageContent::release() const {
    if (--record()->shares == 0) {
        record()->store->free(record());
    }
}

// ---- store --------------------------------------------------------------------------------------

ContentStore::ContentStore(std::uint32_t sectors, bool bytes, std::uint64_t hot_bytes)
    : sectors_(sectors), keeps_bytes_(bytes), hot_bytes_(hot_bytes) {
    CAVERN_CHECK(sectors >= 1 && sectors <= kMaxSectors, "a page has 64 sectors at most");
    if (bytes) {
        zstd_ = std::make_unique<Zstd>();
        scratch_bytes_ = ZSTD_compressBound(page_bytes());
        scratch_ = std::make_unique<std::byte[]>(scratch_bytes_);
    }
}

ContentStore::~ContentStore() {
    for (void* const record : free_records_) {
        ::operator delete(record);
    }
}

bool ContentStore::is_of_one_write(const SectorTag* tags) const {
    for (std::uint32_t i = 0; i < sectors_; ++i) {
        if (tags[i] != (tags[0].is_zeros() ? tags[0] : tags[0].behind(i))) {
            return false;
        }
    }
    return true;
}

bool ContentStore::is_made(const SectorTag* tags, const std::byte* bytes) const {
    for (std::uint32_t i = 0; i < sectors_; ++i) {
        if (!is_made_sector(tags[i], bytes + i * kSectorBytes)) {
            return false;
        }
    }
    return true;
}

PageContent ContentStore::keep(const SectorTag* tags, const std::byte* bytes) {
    const bool made = !keeps_bytes_ || is_made(tags, bytes);
    if (made && is_of_one_write(tags)) {
        return tags[0].is_zeros() ? PageContent() : PageContent::of_one_write(tags[0]);
    }
    Record* const record = allocate();
    std::memcpy(record->tags(), tags, sectors_ * sizeof(SectorTag));
    ++statistics_.pages;
    if (!made) {
        if (free_bytes_.empty()) {
            record->bytes.reset(new std::byte[page_bytes()]); // not set to zero
        } else {
            record->bytes = std::move(free_bytes_.back());
            free_bytes_.pop_back();
        }
        std::memcpy(record->bytes.get(), bytes, page_bytes());
        statistics_.raw_bytes += page_bytes();
        statistics_.held_bytes += page_bytes();
        append(record);
        while (hot_ > hot_bytes_) {
            compress_oldest();
        }
    }
    return PageContent(reinterpret_cast<std::uint64_t>(record));
}

void ContentStore::read(const PageContent& content, std::uint32_t first, std::uint32_t count,
                        std::byte* to) {
    Record* const record = content.is_record() ? content.record() : nullptr;
    if (record == nullptr || record->bytes == nullptr) {
        for (std::uint32_t i = 0; i < count; ++i) {
            make_sector(content.tag(first + i), to + i * kSectorBytes);
        }
        return;
    }
    const std::byte* from = record->bytes.get();
    if (record->compressed != 0) {
        const std::size_t size = ZSTD_decompressDCtx(zstd_->expand, scratch_.get(), scratch_bytes_,
                                                     from, record->compressed);
        CAVERN_CHECK(ZSTD_isError(size) == 0 && size == page_bytes(),
                     "a compressed page expands to a page");
        from = scratch_.get();
    }
    std::memcpy(to, from + first * kSectorBytes, count * kSectorBytes);
}

PageContent::Record* ContentStore::allocate() {
    void* place = nullptr;
    if (free_records_.empty()) {
        place = ::operator new(sizeof(Record) + sectors_ * sizeof(SectorTag));
    } else {
        place = free_records_.back();
        free_records_.pop_back();
    }
    auto* const record = new (place) Record;
    record->store = this;
    return record;
}

void ContentStore::free(Record* record) {
    if (record->queued) {
        unlink(record);
    }
    if (record->bytes != nullptr) {
        statistics_.raw_bytes -= page_bytes();
        statistics_.held_bytes -= record->compressed != 0 ? record->compressed : page_bytes();
        statistics_.compressed_pages -= record->compressed != 0 ? 1 : 0;
        if (record->compressed == 0) {
            free_bytes_.push_back(std::move(record->bytes));
        }
    }
    --statistics_.pages;
    record->~Record();
    free_records_.push_back(record);
}

// ---- compression --------------------------------------------------------------------------------

void ContentStore::compress_oldest() {
    Record* const record = oldest_;
    unlink(record);
    if (is_dense(record->bytes.get(), page_bytes())) {
        return; // after a while it would hardly be shorter
    }
    const std::size_t size = ZSTD_compressCCtx(zstd_->compress, scratch_.get(), scratch_bytes_,
                                               record->bytes.get(), page_bytes(), kLevel);
    if (ZSTD_isError(size) != 0 || size > page_bytes() - page_bytes() / 16) {
        return; // it stays as it is
    }
    auto compressed = std::make_unique<std::byte[]>(size);
    std::memcpy(compressed.get(), scratch_.get(), size);
    free_bytes_.push_back(std::exchange(record->bytes, std::move(compressed)));
    record->compressed = static_cast<std::uint32_t>(size);
    statistics_.held_bytes -= page_bytes() - size;
    ++statistics_.compressed_pages;
}

void ContentStore::append(Record* record) {
    record->queued = true;
    record->older = newest_;
    record->newer = nullptr;
    (newest_ == nullptr ? oldest_ : newest_->newer) = record;
    newest_ = record;
    hot_ += page_bytes();
}

void ContentStore::unlink(Record* record) {
    record->queued = false;
    (record->older == nullptr ? oldest_ : record->older->newer) = record->newer;
    (record->newer == nullptr ? newest_ : record->newer->older) = record->older;
    hot_ -= page_bytes();
}

} // namespace cavern
