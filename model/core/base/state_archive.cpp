#include "core/base/state_archive.h"

#include <algorithm>
#include <sys/mman.h>

#include "core/base/serialize.h"

namespace cavern {
namespace {

constexpr std::size_t kStretch = std::size_t{1} << 16; ///< bytes that are zero, or saved
constexpr std::size_t kMostBytes = std::size_t{1} << 42;

bool is_zero(const unsigned char* bytes, std::size_t size) {
    return bytes[0] == 0 && std::memcmp(bytes, bytes + 1, size - 1) == 0;
}

/// All of these bytes are about to be written: huge pages back them with fewer faults.
void expect_touches(unsigned char* bytes, std::size_t size) {
    constexpr std::uintptr_t kHuge = std::uintptr_t{2} << 20;
    const std::uintptr_t begin =
        (reinterpret_cast<std::uintptr_t>(bytes) + kHuge - 1) & ~(kHuge - 1);
    const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(bytes) + size) & ~(kHuge - 1);
    if (begin < end) {
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
    }
}

} // namespace

void StateArchive::throw_another() {
    throw StateError("it was saved by another version of the program; save it anew");
}

void refuse_to_serialize(const char* part) {
    throw StateError(std::string("the state of ") + part + " cannot be saved; give it serialize()");
}

void StateArchive::mark(std::uint32_t mark) {
    std::uint32_t saved = mark;
    move(&saved, sizeof saved);
    if (saved != mark) {
        throw_another();
    }
}

std::size_t StateArchive::count(std::size_t have, std::size_t each) {
    std::uint64_t saved = have;
    move(&saved, sizeof saved);
    if (saved > kMostBytes / each) {
        throw_another();
    }
    return saved;
}

void StateArchive::sparse(unsigned char* bytes, std::size_t size, ClearPadding clear) {
    for (std::size_t at = 0; at < size;) {
        // Stretches that are zero, then stretches that are not.
        std::uint64_t zeros = 0;
        std::uint64_t others = 0;
        const auto length = [&](std::size_t stretch) {
            return std::min(kStretch, size - at - stretch * kStretch);
        };
        const std::size_t left = (size - at + kStretch - 1) / kStretch;
        if (!loads()) {
            while (zeros < left && is_zero(bytes + at + zeros * kStretch, length(zeros))) {
                ++zeros;
            }
            while (zeros + others < left &&
                   !is_zero(bytes + at + (zeros + others) * kStretch, length(zeros + others))) {
                ++others;
            }
        }
        move(&zeros, sizeof zeros);
        move(&others, sizeof others);
        if (zeros > left || others > left - zeros || zeros + others == 0) {
            throw_another();
        }
        at += std::min(zeros * kStretch, size - at);
        const std::size_t bytes_of_others = std::min(others * kStretch, size - at);
        if (!loads() && clear != nullptr) {
            clear(bytes, at, at + bytes_of_others);
        }
        if (loads()) {
            expect_touches(bytes + at, bytes_of_others);
        }
        move(bytes + at, bytes_of_others);
        at += bytes_of_others;
    }
}

} // namespace cavern
