#include "timed/host/prp.h"

#include <gtest/gtest.h>

namespace cavern {
namespace {

constexpr std::uint32_t kPage = 4096;

/// Walks over the pages as a controller does, entry by entry.
PrpShape walked(std::uint64_t offset, std::uint64_t bytes) {
    PrpShape shape;
    std::uint64_t left = bytes;
    std::uint64_t in_page = kPage - offset % kPage;
    while (left != 0) {
        ++shape.pages;
        left -= left < in_page ? left : in_page;
        in_page = kPage;
    }
    if (shape.pages <= 2) {
        return shape;
    }
    std::uint64_t wanted = shape.pages - 1;
    while (wanted != 0) {
        ++shape.list_pages;
        const std::uint64_t held = kPage / kPrpEntryBytes;
        const bool last = wanted <= held;
        const std::uint64_t here = last ? wanted : held - 1;
        shape.list_entries += last ? here : held;
        wanted -= here;
    }
    return shape;
}

TEST(PrpTest, TwoPagesNeedNoList) {
    for (const std::uint64_t bytes : {512, 4096, 8192}) {
        EXPECT_EQ(prp_shape(0, bytes, kPage).list_entries, 0u) << bytes;
    }
    EXPECT_EQ(prp_shape(0, 8192, kPage).pages, 2u);
    EXPECT_EQ(prp_shape(2048, 4096, kPage).pages, 2u);
    EXPECT_EQ(prp_shape(0, 0, kPage).pages, 0u);
}

TEST(PrpTest, AListNamesAllPagesButTheFirst) {
    EXPECT_EQ(prp_shape(0, 8193, kPage).list_entries, 2u);
    EXPECT_EQ(prp_shape(512, 8192, kPage).list_entries, 2u); // three pages are touched
    EXPECT_EQ(prp_shape(0, 131'072, kPage).list_entries, 31u);
}

TEST(PrpTest, AFullListPageNamesTheNext) {
    const std::uint64_t held = 512;
    EXPECT_EQ(prp_shape(0, (held + 1) * kPage, kPage).list_pages, 1u);
    EXPECT_EQ(prp_shape(0, (held + 1) * kPage, kPage).list_entries, held);
    EXPECT_EQ(prp_shape(0, (held + 2) * kPage, kPage).list_pages, 2u);
    EXPECT_EQ(prp_shape(0, (held + 2) * kPage, kPage).list_entries, held + 2);
}

TEST(PrpTest, AgreesWithAWalkOverThePages) {
    for (const std::uint64_t offset : {0, 1, 512, 2048, 4095}) {
        for (std::uint64_t bytes = 1; bytes < 1100ull * kPage; bytes += 1777) {
            const PrpShape shape = prp_shape(offset, bytes, kPage);
            const PrpShape expected = walked(offset, bytes);
            ASSERT_EQ(shape.pages, expected.pages) << offset << " " << bytes;
            ASSERT_EQ(shape.list_entries, expected.list_entries) << offset << " " << bytes;
            ASSERT_EQ(shape.list_pages, expected.list_pages) << offset << " " << bytes;
        }
    }
}

} // namespace
} // namespace cavern
