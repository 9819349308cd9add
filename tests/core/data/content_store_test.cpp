#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "core/data/content_store.h"
#include "core/data/frame_contents.h"
#include "core/data/page_contents.h"

namespace cavern::testing {
namespace {

constexpr std::uint32_t kSectors = 8;
constexpr std::uint32_t kPage = kSectors * kSectorBytes;
using Bytes = std::vector<std::byte>;

/// Text that compresses, or noise that does not.
Bytes page_of(std::uint64_t seed, bool noise) {
    Random random(seed);
    Bytes bytes(kPage);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>(noise ? random.below(256) : (i + seed) % 7);
    }
    return bytes;
}

std::array<SectorTag, kSectors> tags_from(std::uint64_t lba, std::uint32_t version) {
    std::array<SectorTag, kSectors> tags;
    for (std::uint32_t i = 0; i < kSectors; ++i) {
        tags[i] = SectorTag(lba + i, version);
    }
    return tags;
}

Bytes read(ContentStore& store, const PageContent& content) {
    Bytes bytes(kPage);
    store.read(content, 0, kSectors, bytes.data());
    return bytes;
}

TEST(SectorTagTest, KeepsItsBlockAndTheLastBitsOfItsVersion) {
    const SectorTag last(SectorTag::kMostSectors - 1, SectorTag::kVersionMask);
    EXPECT_EQ(last.lba(), SectorTag::kMostSectors - 1);
    EXPECT_EQ(last.version(), SectorTag::kVersionMask);
    EXPECT_EQ(SectorTag(5, (3u << SectorTag::kVersionBits) + 9).version(), 9u);
    EXPECT_EQ(SectorTag(5, 9).behind(3), SectorTag(8, 9));
    EXPECT_TRUE(SectorTag().is_zeros());
    EXPECT_FALSE(SectorTag(0, 1).is_zeros());
}

TEST(SectorTagTest, NoTwoVersionsOrSectorsHaveTheSameBytes) {
    std::array<std::byte, kSectorBytes> bytes{};
    make_sector({7, 3}, bytes.data());
    EXPECT_TRUE(is_made_sector({7, 3}, bytes.data()));
    EXPECT_FALSE(is_made_sector({7, 4}, bytes.data()));
    EXPECT_FALSE(is_made_sector({8, 3}, bytes.data()));
    bytes[kSectorBytes - 1] ^= std::byte{1};
    EXPECT_FALSE(is_made_sector({7, 3}, bytes.data()));
    make_sector({}, bytes.data());
    EXPECT_EQ(bytes, (std::array<std::byte, kSectorBytes>{}));
}

TEST(ContentStoreTest, WhatTheDriveMadeTakesNoBytesAndAWholePageNoRecord) {
    ContentStore store(kSectors, true);
    const auto tags = tags_from(64, 5);
    Bytes made(kPage);
    for (std::uint32_t i = 0; i < kSectors; ++i) {
        make_sector(tags[i], &made[i * kSectorBytes]);
    }
    const PageContent whole = store.keep(tags.data(), made.data());
    EXPECT_EQ(store.statistics().pages, 0u);
    EXPECT_EQ(whole.tag(3), SectorTag(67, 5));
    EXPECT_EQ(read(store, whole), made);

    auto mixed = tags;
    mixed[2] = SectorTag(66, 6);
    make_sector(mixed[2], &made[2 * kSectorBytes]);
    const PageContent parts = store.keep(mixed.data(), made.data());
    EXPECT_EQ(store.statistics().pages, 1u);
    EXPECT_EQ(store.statistics().held_bytes, 0u);
    EXPECT_EQ(parts.tag(2), SectorTag(66, 6));
    EXPECT_EQ(read(store, parts), made);

    made[9] ^= std::byte{1}; // no more what the drive made
    const PageContent changed = store.keep(tags.data(), made.data());
    EXPECT_EQ(store.statistics().held_bytes, kPage);
    EXPECT_EQ(read(store, changed), made);
}

TEST(ContentStoreTest, OldPagesAreCompressedAndComeBackAsTheyWere) {
    constexpr std::uint32_t kHot = 4;
    ContentStore store(kSectors, true, kHot * kPage);
    std::vector<PageContent> kept;
    for (std::uint32_t i = 0; i < 40; ++i) {
        kept.push_back(store.keep(tags_from(i * 8, i + 1).data(), page_of(i, i % 4 == 3).data()));
    }
    const ContentStore::Statistics& statistics = store.statistics();
    EXPECT_EQ(statistics.pages, 40u);
    EXPECT_EQ(statistics.raw_bytes, 40u * kPage);
    EXPECT_EQ(statistics.compressed_pages, 27u); // of the 36 cold ones, those that are no noise
    EXPECT_LT(statistics.held_bytes, (40u - 27u) * kPage + 27u * kPage / 8);
    for (std::uint32_t i = 0; i < 40; ++i) {
        EXPECT_EQ(read(store, kept[i]), page_of(i, i % 4 == 3)) << i;
    }
    Bytes part(2 * kSectorBytes);
    store.read(kept[4], 5, 2, part.data());
    const Bytes whole = page_of(4, false);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 5 * kSectorBytes));
    kept.clear();
    EXPECT_EQ(statistics.pages, 0u);
    EXPECT_EQ(statistics.raw_bytes, 0u);
    EXPECT_EQ(statistics.held_bytes, 0u);
    EXPECT_EQ(statistics.compressed_pages, 0u);
}

TEST(ContentStoreTest, CopiesShareWhatTheyHold) {
    ContentStore store(kSectors, true);
    Geometry geometry;
    geometry.channels = geometry.ways = 1;
    geometry.blocks_per_plane = 4;
    geometry.pages_per_block = 8;
    PageContents flash(geometry);
    flash.program(Ppn{3}, store.keep(tags_from(8, 1).data(), page_of(1, true).data()));
    flash.program(Ppn{17}, flash.read(Ppn{3}));
    EXPECT_EQ(store.statistics().pages, 1u);
    flash.erase(Ppn{5});
    EXPECT_TRUE(flash.read(Ppn{3}).is_zeros());
    EXPECT_EQ(read(store, flash.read(Ppn{17})), page_of(1, true));
    flash.program(Ppn{17}, {});
    EXPECT_EQ(store.statistics().pages, 0u);
}

TEST(FrameContentsTest, ARestFillsWhatWasNotWritten) {
    ContentStore store(kSectors, true);
    FrameContents frames(store, 2);
    frames.clear(1);
    EXPECT_TRUE(frames.content(1).is_zeros());
    const FrameContents::Room room = frames.write(1, 2, 3);
    const Bytes written = page_of(9, true);
    std::copy_n(written.begin(), 3 * kSectorBytes, room.bytes);
    for (std::uint32_t i = 0; i < 3; ++i) {
        room.tags[i] = SectorTag(10 + i, 7);
    }
    const PageContent before = frames.content(1);
    const Bytes old = page_of(4, false);
    frames.join(1, store.keep(tags_from(8, 2).data(), old.data()));
    const PageContent joined = frames.content(1);
    EXPECT_TRUE(before.tag(0).is_zeros()); // what was taken stays as it was
    EXPECT_EQ(joined.tag(1), SectorTag(9, 2));
    EXPECT_EQ(joined.tag(2), SectorTag(10, 7));
    EXPECT_EQ(joined.tag(5), SectorTag(13, 2));
    const Bytes bytes = read(store, joined);
    for (std::uint32_t i = 0; i < kPage; ++i) {
        const bool own = i / kSectorBytes >= 2 && i / kSectorBytes < 5;
        ASSERT_EQ(bytes[i], own ? written[i - 2 * kSectorBytes] : old[i]) << i;
    }
    frames.clear(1);
    EXPECT_TRUE(frames.content(1).is_zeros());
}

} // namespace
} // namespace cavern::testing
