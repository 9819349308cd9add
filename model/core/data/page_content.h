#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/data/sector_tag.h"

namespace cavern {

class ContentStore;

/// What a page of several sectors holds, or has held when it was taken somewhere: it does not
/// change. Copies share it. Eight bytes:
///   0             zeros
///   odd           the tag of the first sector; the others follow it, one write wrote all, and the
///                 bytes are those of make_sector()
///   even          a record of the ContentStore, which is counted
class PageContent {
  public:
    PageContent() = default;
    PageContent(const PageContent& other) : word_(other.word_) {
        if (is_record()) {
            share();
        }
    }
    PageContent(PageContent&& other) noexcept : word_(std::exchange(other.word_, 0)) {}
    PageContent& operator=(PageContent other) noexcept {
        std::swap(word_, other.word_);
        return *this;
    }
    ~PageContent() {
        if (is_record()) {
            release();
        }
    }

    /// What one write has put into a whole page from this sector on.
    [[nodiscard]] static PageContent of_one_write(SectorTag first) {
        return PageContent(first.word() << 1 | 1);
    }
    [[nodiscard]] bool is_zeros() const { return word_ == 0; }
    [[nodiscard]] SectorTag tag(std::uint32_t sector) const;

    /// For who keeps many of them in an array of words: gives its share away, and takes it back.
    [[nodiscard]] std::uint64_t detach() { return std::exchange(word_, 0); }
    [[nodiscard]] static PageContent attach(std::uint64_t word) { return PageContent(word); }

  private:
    friend class ContentStore;
    struct Record;

    explicit PageContent(std::uint64_t word) : word_(word) {}
    [[nodiscard]] bool is_record() const { return word_ != 0 && (word_ & 1) == 0; }
    [[nodiscard]] Record* record() const { return reinterpret_cast<Record*>(word_); }
    void share() const;
    void release() const;

    std::uint64_t word_ = 0;
};

} // namespace cavern
