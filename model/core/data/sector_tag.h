#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/sectors.h"

namespace cavern {

/// Eight bytes that say which data a sector holds: those that a certain write put at a certain
/// logical block. A version is the number of that write, modulo 2^27 and never 0; all zeros: never
/// written, or trimmed.
class SectorTag {
  public:
    static constexpr std::uint32_t kVersionBits = 27;
    static constexpr std::uint32_t kVersionMask = (1u << kVersionBits) - 1;
    /// Sectors of a drive, at most: 32 TiB.
    static constexpr std::uint64_t kMostSectors = std::uint64_t{1} << 36;

    SectorTag() = default;
    SectorTag(std::uint64_t lba, std::uint32_t version)
        : word_(lba << kVersionBits | (version & kVersionMask)) {}
    [[nodiscard]] static SectorTag of_word(std::uint64_t word) {
        SectorTag tag;
        tag.word_ = word;
        return tag;
    }

    [[nodiscard]] bool is_zeros() const { return word_ == 0; }
    [[nodiscard]] std::uint64_t lba() const { return word_ >> kVersionBits; }
    [[nodiscard]] std::uint32_t version() const {
        return static_cast<std::uint32_t>(word_) & kVersionMask;
    }
    [[nodiscard]] std::uint64_t word() const { return word_; }
    /// That of the sector `count` behind, written with it.
    [[nodiscard]] SectorTag behind(std::uint32_t count) const {
        return of_word(word_ + (std::uint64_t{count} << kVersionBits));
    }
    [[nodiscard]] bool operator==(SectorTag other) const { return word_ == other.word_; }
    [[nodiscard]] bool operator!=(SectorTag other) const { return word_ != other.word_; }

  private:
    std::uint64_t word_ = 0;
};
static_assert(sizeof(SectorTag) == 8, "a fingerprint has eight bytes a sector");

/// The data of a sector that the drive makes itself, where no host gives any: zeros, or a pattern
/// that no other sector and no other version has.
void make_sector(SectorTag tag, std::byte* to);
/// Whether a sector holds these data.
[[nodiscard]] bool is_made_sector(SectorTag tag, const std::byte* bytes);

} // namespace cavern
