// A drive that keeps data (data.store) whose data are spoiled on their way: the run stops.

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/data/data_path.h"
#include "drive/core_builder.h"
#include "drive/untimed_drive.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/drive/broken_ftl.h"
#include "tests/drive/drive_bench.h"
#include "tests/support/list_source.h"
#include "tests/support/systemc_test.h"

namespace cavern {

/// Reaches into what is in motion.
struct DataPathProbe {
    /// What lies in two frames, or two pages for copies, changes places.
    static void swap_frames(DataPath& path, std::uint32_t a, std::uint32_t b) {
        FrameContents& frames = path.frames_;
        const std::uint32_t sectors = path.data_.store().sectors();
        const PageContent first = frames.content(a);
        const PageContent second = frames.content(b);
        for (std::uint32_t i = 0; i < sectors; ++i) {
            *frames.write(a, i, 1).tags = second.tag(i);
            *frames.write(b, i, 1).tags = first.tag(i);
        }
    }
    /// The copies of a page go astray: each page for copies holds what was in another one.
    static void rotate_copies(DataPath& path) {
        std::vector<PageContent>& copies = path.copies_;
        std::rotate(copies.begin(), copies.begin() + 1, copies.end());
    }
};

} // namespace cavern

namespace cavern::testing {
namespace {

constexpr const char* kFound = "a read returns the newest version of each sector";

/// A drive that is full, whose pages are collected for almost every one that is written.
const std::vector<std::string> kCollecting{"ftl.scheme=page", "alloc.scheme=cwdp",
                                           "ftl.overprovision=0.25", "precondition.fill=1.0",
                                           "data.store=fingerprint"};

class SpoiledDataTest : public SystemcTest {
  protected:
    static std::vector<HostRequest> requests(const SsdConfig& config) {
        Mix mix;
        mix.requests = 1500;
        mix.reads = 30;
        mix.writes = 60;
        mix.trims = 2;
        mix.max_pages = 1;
        mix.fua = 10;
        mix.seed = 3;
        return random_requests(mix, capacity_of(config), DrivePlan(config).geometry.page_bytes);
    }
    /// Plays a drive in which `spoil` happens before request 700.
    void make(std::function<void(DataPath&)> spoil) {
        const SsdConfig config = small_drive(kCollecting);
        DriveBench::Options options;
        options.dispatching = [this, spoil = std::move(spoil)](std::uint64_t id) {
            if (id >= 700 && spoil) {
                spoil(bench_->data_path());
            }
        };
        bench_ = std::make_unique<DriveBench>("bench", config, requests(config), options);
    }
    std::unique_ptr<DriveBench> bench_;
};

TEST_F(SpoiledDataTest, FramesThatChangePlacesStopTheRun) {
    bool done = false;
    make([&done](DataPath& path) {
        if (!std::exchange(done, true)) {
            for (std::uint32_t frame = 0; frame < 16; frame += 2) {
                DataPathProbe::swap_frames(path, frame, frame + 1);
            }
        }
    });
    const std::string error = run_to_error();
    EXPECT_NE(error.find(kFound), std::string::npos) << error;
    EXPECT_NE(error.find(" of LBA "), std::string::npos) << error;
}

TEST_F(SpoiledDataTest, ACopyFromTheWrongPageOfTheSdramStopsTheRun) {
    make([](DataPath& path) {
        DataPathProbe::rotate_copies(path); // again and again, until a copy is there
    });
    const std::string error = run_to_error();
    EXPECT_NE(error.find(kFound), std::string::npos) << error;
    EXPECT_NE(error.find(" of block "), std::string::npos) << error;
}

/// A core that has its pages written whole by parts: it reads no rest.
TEST_F(SpoiledDataTest, AMergeThatIsLeftOutStopsTheRun) {
    const SsdConfig config = small_drive(kCollecting);
    SsdConfig without = config;
    without.data.store = DataStore::kNone;
    UntimedDrive drive(config, build_core(without, nullptr));
    ListSource source(requests(config));
    try {
        drive.run(source, 0, nullptr);
        FAIL() << "nothing was found";
    } catch (const ModelError& error) {
        EXPECT_NE(std::string(error.what()).find(kFound), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("found zeros"), std::string::npos);
    }
}

TEST_F(SpoiledDataTest, TheSameRunsAreSoundUnspoiled) {
    make({});
    run();
    bench_->expect_sound();
}

/// Seen by the data alone: nothing compares spare areas here.
TEST(BrokenLayerTest, AnOldPlaceStopsTheRun) {
    for (const Fault fault : {Fault::kNone, Fault::kReadOld, Fault::kReadElsewhere}) {
        CoreParts parts;
        parts.geometry = DrivePlan(small_drive()).geometry;
        parts.frames = 4;
        parts.ftl.overprovision = 0.5;
        const auto core = make_core(
            parts, std::make_unique<BrokenFtl>(make_ftl(parts), parts.geometry, fault, 5));
        DriveData data({parts.geometry, core->ftl().logical_pages(), DataStore::kFingerprint},
                       nullptr);
        UntimedData moves(data, parts.frames);
        const std::uint32_t bytes = parts.geometry.page_bytes;
        Random random(5);
        std::string error;
        try {
            for (std::uint64_t request = 0; request < 2000; ++request) {
                const Lpn lpn{random.below(core->ftl().logical_pages())};
                PageOfCommand page;
                if (random.below(2) == 0) {
                    const WriteDecision decision = core->write(lpn);
                    moves.carry_out(decision.batch.ops);
                    data.begin_write(page, request, 0, raw(lpn) * bytes, bytes);
                    moves.write(page, raw(decision.frame), !decision.hit);
                } else {
                    const ReadDecision decision = core->read(lpn);
                    data.begin_read(page, request, 0, raw(lpn) * bytes, bytes);
                    moves.read(page,
                               decision.hit ? UntimedData::Reads::kFrame
                                            : UntimedData::Reads::kFlash,
                               raw(decision.frame), decision.page);
                }
            }
        } catch (const ModelError& wrong) {
            error = wrong.what();
        }
        EXPECT_EQ(error.empty(), fault == Fault::kNone) << error;
        EXPECT_EQ(error.find(kFound), fault == Fault::kNone ? std::string::npos : 0) << error;
    }
}

} // namespace
} // namespace cavern::testing
