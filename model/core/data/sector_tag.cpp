#include "core/data/sector_tag.h"

#include <cstring>

namespace cavern {
namespace {

/// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t mix(std::uint64_t value) {
    value = (value ^ value >> 30) * 0xBF58'476D'1CE4'E5B9u;
    value = (value ^ value >> 27) * 0x94D0'49BB'1331'11EBu;
    return value ^ value >> 31;
}

std::uint64_t word_of(SectorTag tag, std::uint32_t index) {
    return tag.is_zeros() ? 0 : mix(tag.word() + (index + 1) * 0x9E37'79B9'7F4A'7C15u);
}

constexpr std::uint32_t kWords = kSectorBytes / sizeof(std::uint64_t);

} // namespace

void make_sector(SectorTag tag, std::byte* to) {
    for (std::uint32_t i = 0; i < kWords; ++i) {
        const std::uint64_t word = word_of(tag, i);
        std::memcpy(to + i * sizeof word, &word, sizeof word);
    }
}

bool is_made_sector(SectorTag tag, const std::byte* bytes) {
    for (std::uint32_t i = 0; i < kWords; ++i) {
        const std::uint64_t word = word_of(tag, i);
        if (std::memcmp(bytes + i * sizeof word, &word, sizeof word) != 0) {
            return false;
        }
    }
    return true;
}

} // namespace cavern
