// What a read may find, and what is said of one that finds something else.

#include <gtest/gtest.h>
#include <string>

#include "core/base/error.h"
#include "core/data/drive_data.h"
#include "core/data/sector_versions.h"

namespace cavern::testing {
namespace {

TEST(SectorVersionsTest, AReadFindsTheNewestVersionOrALaterOneAndNeverAnOlder) {
    SectorVersions versions(100);
    const auto first = versions.write(0, 10, 4);
    const auto second = versions.write(1, 12, 4);
    EXPECT_EQ(versions.newest(11), first);
    EXPECT_EQ(versions.newest(12), second);
    const auto least = versions.newest(12);
    EXPECT_TRUE(versions.may_find(12, {12, second}, least));
    EXPECT_FALSE(versions.may_find(12, {12, first}, least));
    EXPECT_FALSE(versions.may_find(12, {13, second}, least)); // of another sector
    EXPECT_FALSE(versions.may_find(12, {}, least));
    const auto third = versions.write(2, 12, 1);
    EXPECT_TRUE(versions.may_find(12, {12, third}, least)); // written since the read was decided
    EXPECT_TRUE(versions.may_find(12, {12, second}, least));
    EXPECT_FALSE(versions.may_find(12, {12, third + 1}, least)); // from the future
}

TEST(SectorVersionsTest, ATrimReadsAsZerosFromThenOn) {
    SectorVersions versions(100);
    EXPECT_TRUE(versions.may_find(5, {}, versions.newest(5))); // never written
    const auto written = versions.write(0, 5, 1);
    EXPECT_FALSE(versions.may_find(5, {}, written));
    const auto trimmed = versions.trim(1, 0, 10);
    EXPECT_TRUE(versions.may_find(5, {}, trimmed));
    EXPECT_FALSE(versions.may_find(5, {5, written}, trimmed));
    // A read that was decided before it may find either.
    EXPECT_TRUE(versions.may_find(5, {}, written));
    EXPECT_TRUE(versions.may_find(5, {5, written}, written));
    EXPECT_EQ(versions.newest(6), 0u);
    const auto again = versions.write(2, 5, 1);
    EXPECT_FALSE(versions.may_find(5, {}, again));
}

constexpr std::uint64_t kPage = 2048;

class DriveDataTest : public ::testing::Test {
  protected:
    static Geometry geometry() {
        Geometry geometry;
        geometry.channels = geometry.ways = 1;
        geometry.blocks_per_plane = 4;
        geometry.pages_per_block = 8;
        geometry.page_bytes = kPage;
        return geometry;
    }
    /// The page of a read that finds what `content` has.
    std::string read(std::uint64_t request, std::uint64_t offset, std::uint32_t bytes,
                     const PageContent& content) {
        PageOfCommand page;
        data.begin_read(page, request, 0, offset, bytes);
        page.content = content;
        page.source = {ContentSource::Kind::kFlash, 11};
        try {
            data.deliver(page);
        } catch (const ModelError& error) {
            return error.what();
        }
        return {};
    }
    PageContent write(std::uint64_t request, std::uint64_t offset, std::uint32_t bytes) {
        PageOfCommand page;
        data.begin_write(page, request, 0, offset, bytes);
        data.write(page, frames, 0);
        return frames.content(0);
    }

    DriveData data{{geometry(), 16, DataStore::kFull}, nullptr};
    FrameContents frames{data.store(), 1};
};

TEST_F(DriveDataTest, AReadThatFindsAnOldVersionNamesRequestSectorPageAndHistory) {
    const PageContent old = write(70, 3 * kPage, kPage);
    const PageContent now = write(71, 3 * kPage + 512, 512);
    EXPECT_EQ(read(72, 3 * kPage, kPage, now), "");
    EXPECT_EQ(data.statistics().sectors_compared, 4u);
    EXPECT_EQ(read(73, 3 * kPage, kPage, old),
              "a read returns the newest version of each sector: request 73, sector 1 of page 3 "
              "(LBA 13) was version 2 (request 71) when the read was decided, is version 2 "
              "(request 71) now; found version 1 (request 70) of LBA 13 in page 3 of block 1");
}

TEST_F(DriveDataTest, AReadThatFindsAnotherPageSaysWhich) {
    const PageContent other = write(1, 0, kPage);
    (void)write(2, kPage, kPage);
    const std::string error = read(3, kPage + 1024, 512, other);
    EXPECT_NE(error.find("request 3, sector 2 of page 1 (LBA 6)"), std::string::npos) << error;
    EXPECT_NE(error.find("found version 1 (request 1) of LBA 2 "), std::string::npos) << error;
    EXPECT_NE(read(4, kPage, 512, {}).find("found zeros"), std::string::npos);
    EXPECT_EQ(read(5, 2 * kPage, kPage, {}), ""); // never written
}

TEST_F(DriveDataTest, WhatCouldNotBeCorrectedIsNotCompared) {
    (void)write(1, 0, kPage);
    PageOfCommand page;
    data.begin_read(page, 2, 0, 0, kPage);
    page.lost = true;
    data.deliver(page);
    EXPECT_EQ(data.statistics().sectors_compared, 0u);
    page.lost = false;
    EXPECT_THROW(data.deliver(page), ModelError);
}

TEST_F(DriveDataTest, AHostHasDataOnlyWithADriveThatKeepsThem) {
    struct Nothing final : HostDataIf {
        void take(std::uint64_t, std::uint64_t, std::byte*, std::uint32_t) override {}
        void give(std::uint64_t, std::uint64_t, const std::byte*, std::uint32_t) override {}
    } host;
    EXPECT_THROW(DriveData({geometry(), 16, DataStore::kFingerprint}, &host), ModelError);
    EXPECT_NO_THROW(DriveData({geometry(), 16, DataStore::kFull}, &host));
}

} // namespace
} // namespace cavern::testing
