// Writes and reads of some sectors of a page, and mapping units that share NAND pages: around the
// decision core a device that moves the data as the decisions say, sector by sector.

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/core/drive/drive_fixture.h"

namespace cavern::testing {
namespace {

constexpr std::uint32_t kSectors = 4; ///< of a page

/// Which write each sector of a page is from; 0: none, it reads as zeros.
using Content = std::vector<std::uint64_t>;

struct Case {
    std::string scheme = "page";
    std::string allocator = "cwdp";
    std::string policy = "lru-page";
    std::uint32_t units = 1; ///< of a NAND page
    bool cache_reads = false;
    bool flush_keep = false;
    GcPace pace = GcPace::kBurst;
    GcPlacement placement = GcPlacement::kPlane;
    std::uint32_t read_grain = 0; ///< sectors that a read moves together; 0: whole pages
    /// What is left out of the decisions; kRest: the last sector of what completes a page.
    enum class Flaw { kNone, kMerge, kCompletion, kPadding, kRest } flaw = Flaw::kNone;

    [[nodiscard]] std::string name() const {
        std::string text = scheme + policy + std::to_string(units) + (cache_reads ? "Cached" : "") +
                           (flush_keep ? "Kept" : "") + (pace == GcPace::kPaced ? "Paced" : "") +
                           (placement == GcPlacement::kDie     ? "Die"
                            : placement == GcPlacement::kDrive ? "Drive"
                                                               : "") +
                           (read_grain != 0 ? "Moves" + std::to_string(read_grain) : "");
        text.erase(std::remove(text.begin(), text.end(), '-'), text.end());
        return text;
    }
};
void PrintTo(const Case& each, std::ostream* out) {
    *out << each.name();
}

class Device {
  public:
    explicit Device(const Case& each) : each_(each), random_(7) {
        CoreParts parts;
        parts.geometry = Geometry{2, 1, 1, 2, 12, 8, 2048 * each.units, 64};
        if (find_ftl(each.scheme)->caches_in_slc) {
            parts.geometry.blocks_per_plane += 3;
            parts.geometry.slc_blocks = 3;
            parts.geometry.slc_pages = 4;
        }
        parts.geometry = parts.geometry.in_units(2048);
        parts.frames = 24;
        parts.policy = each.policy;
        parts.allocator = each.allocator;
        parts.cache_reads = each.cache_reads;
        parts.flush_keep = each.flush_keep;
        parts.keeps_sectors = true;
        parts.read_grain = each.read_grain;
        parts.ftl.overprovision = 0.5;
        parts.ftl.log_blocks = 8;
        parts.ftl.map_cache_bytes = 512;
        parts.ftl.gc_pace = each.pace;
        parts.ftl.gc_placement = each.placement;
        geometry_ = parts.geometry;
        core_ = make_core(parts, find_ftl(each.scheme)->make(parts.geometry, parts.ftl, nullptr));
        frames_.resize(parts.frames, Content(kSectors, 0));
        pages_ = std::min<std::uint64_t>(core_->ftl().logical_pages(), 300);
        newest_.resize(core_->ftl().logical_pages(), Content(kSectors, 0));
    }

    void request() {
        const std::uint64_t kind = random_.below(100);
        if (kind < 2) {
            while (const Batch* batch = core_->flush_step()) {
                carry_out(*batch);
            }
        } else if (kind < 5) {
            const Lpn lpn{random_.below(pages_)};
            carry_out(core_->trim(lpn).batch);
            newest_[raw(lpn)].assign(kSectors, 0);
        } else {
            pages(kind);
        }
        expect_whole_nand_pages();
    }

    [[nodiscard]] const DriveCore& core() const { return *core_; }
    [[nodiscard]] std::uint64_t merged() const { return merged_; }
    /// That were not moved, of pages read for their rest.
    [[nodiscard]] std::uint64_t sectors_saved() const { return sectors_saved_; }

  private:
    /// A command of some sectors, which may begin and end within a page.
    void pages(std::uint64_t kind) {
        const std::uint64_t end = pages_ * kSectors;
        std::uint64_t sector = random_.below(end);
        const std::uint64_t last =
            std::min(end, sector + 1 + random_.below(random_.below(4) == 0 ? 9 * kSectors : 6));
        while (sector < last) {
            const Lpn lpn{sector / kSectors};
            const std::uint64_t next = std::min(last, (raw(lpn) + 1) * kSectors);
            const SectorMask mask =
                sectors_touched(static_cast<std::uint32_t>(sector % kSectors * kSectorBytes),
                                static_cast<std::uint32_t>((next - sector) * kSectorBytes));
            if (kind < 60) {
                write(lpn, mask, kind < 12);
            } else {
                read(lpn, mask);
            }
            sector = next;
        }
        if (core_->buffer() == nullptr || kind < 12) {
            if (const Batch* batch = core_->complete_pages()) {
                carry_out(*batch);
            }
        }
    }

    void write(Lpn lpn, SectorMask mask, bool through) {
        const Content before = newest_[raw(lpn)];
        Content after = before;
        Content own(kSectors, kNothing);
        ++writes_;
        for (std::uint32_t i = 0; i < kSectors; ++i) {
            if ((mask >> i & 1) != 0) {
                own[i] = after[i] = writes_;
            }
        }
        const WriteDecision decision =
            through ? core_->write_through(lpn, 1, mask) : core_->write(lpn, 1, mask);
        const bool leaves = through || core_->buffer() == nullptr;
        Content& frame = decision.frame == kNoFrame ? passing_ : frames_[raw(decision.frame)];
        if (decision.hit || leaves) {
            Content& into = decision.hit ? frame : passing_;
            if (!decision.hit) {
                into.assign(kSectors, kNothing);
            }
            overlay(into, own);
            newest_[raw(lpn)] = after;
            carry_out(decision.batch);
            return;
        }
        carry_out(decision.batch); // who leaves does so before the frame has the new page
        frame = own;
        newest_[raw(lpn)] = after;
    }

    void read(Lpn lpn, SectorMask mask) {
        const ReadDecision decision = core_->read(lpn, mask);
        carry_out(decision.batch);
        Content got(kSectors, 0);
        if (!decision.hit && decision.page != kNoPpn) {
            got = out_of_flash(decision.page, decision.completes ? decision.wanted : SectorSpan{});
        }
        if (decision.hit || decision.completes) {
            Content& frame = frames_[raw(decision.frame)];
            if (each_.flaw != Case::Flaw::kCompletion) {
                overlay(got, frame);
            }
            if (decision.completes) {
                frame = got;
            }
        } else if (decision.frame != kNoFrame) {
            frames_[raw(decision.frame)] = got;
        }
        for (std::uint32_t i = 0; i < kSectors; ++i) {
            if ((mask >> i & 1) != 0) {
                require(got[i] == newest_[raw(lpn)][i], "a sector read is not the newest");
            }
        }
    }

    void carry_out(const Batch& batch) {
        std::vector<Content> read(batch.ops.size());
        for (std::size_t i = 0; i < batch.ops.size(); ++i) {
            const FlashOp& op = batch.ops[i];
            if (op.kind == FlashOpKind::kRead) {
                require(flash_.count(raw(op.page)) != 0, "a page read was never programmed");
                read[i] = out_of_flash(op.page, op.wanted());
            } else if (op.kind == FlashOpKind::kErase) {
                for (std::uint32_t page = 0; page < geometry_.pages_per_block; ++page) {
                    flash_.erase(raw(op.page) + page);
                }
            } else if (op.origin == Origin::kPadding && op.lpn == kNoLpn &&
                       each_.flaw == Case::Flaw::kPadding) {
                continue;
            } else {
                require(flash_.count(raw(op.page)) == 0, "a page is programmed twice");
                flash_[raw(op.page)] = programmed(op, read);
            }
        }
    }

    /// The sectors of the page that a read moves.
    Content out_of_flash(Ppn page, SectorSpan moved) {
        Content content = flash_.at(raw(page));
        const bool whole = moved == SectorSpan{};
        const std::uint32_t left_out = !whole && each_.flaw == Case::Flaw::kRest ? 1 : 0;
        for (std::uint32_t i = 0; i < kSectors; ++i) {
            if (i < moved.first || i + left_out > moved.last) {
                content[i] = kNothing;
            }
        }
        sectors_saved_ += whole ? 0 : kSectors - (moved.last - moved.first + 1u);
        return content;
    }

    Content programmed(const FlashOp& op, const std::vector<Content>& read) {
        Content content(kSectors, 0);
        const bool merges = op.merges && each_.flaw != Case::Flaw::kMerge;
        merged_ += merges ? 1 : 0;
        if (op.copies || merges) {
            content = read[static_cast<std::size_t>(op.after)];
        }
        if (op.origin == Origin::kHost) {
            overlay(content, op.frame == FlashOp::kNoFrame ? passing_ : frames_[op.frame]);
        }
        return content;
    }

    static void overlay(Content& under, const Content& over) {
        for (std::uint32_t i = 0; i < kSectors; ++i) {
            under[i] = over[i] == kNothing ? under[i] : over[i];
        }
    }

    /// Of each NAND page all mapping units are programmed, or none.
    void expect_whole_nand_pages() {
        for (auto page = flash_.begin(); page != flash_.end();) {
            const std::uint64_t first = page->first / each_.units * each_.units;
            std::uint32_t units = 0;
            for (; page != flash_.end() && page->first < first + each_.units; ++page) {
                ++units;
            }
            require(units == each_.units, "a NAND page is programmed in part");
        }
    }

    static void require(bool holds, const char* what) {
        if (!holds) {
            throw ModelError(what);
        }
    }

    static constexpr std::uint64_t kNothing = ~std::uint64_t{0};

    Case each_;
    Random random_;
    Geometry geometry_;
    std::unique_ptr<DriveCore> core_;
    std::uint64_t pages_ = 0; ///< that are accessed
    std::uint64_t writes_ = 0;
    std::uint64_t merged_ = 0;
    std::uint64_t sectors_saved_ = 0;
    std::vector<Content> frames_;
    Content passing_ = Content(kSectors, 0); ///< of a page that has no frame
    std::vector<Content> newest_;
    std::map<std::uint64_t, Content> flash_;
};

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const std::string policy : {"lru-page", "lru-block", "none", "bplru", "arc"}) {
        for (const std::uint32_t units : {1u, 4u}) {
            Case each;
            each.policy = policy;
            each.units = units;
            each.cache_reads = policy == "arc";
            each.flush_keep = policy == "lru-page" || policy == "arc";
            all.push_back(each);
        }
    }
    for (const std::uint32_t grain : {1u, 2u}) {
        Case each;
        each.read_grain = grain;
        all.push_back(each);
        each.policy = "none";
        each.units = 4;
        all.push_back(each);
    }
    for (const GcPlacement placement :
         {GcPlacement::kPlane, GcPlacement::kDie, GcPlacement::kDrive}) {
        Case each;
        each.units = 2;
        each.pace = GcPace::kPaced;
        each.placement = placement;
        all.push_back(each);
    }
    for (const FtlRow& row : ftl_table()) {
        if (row.name != "page" && !row.has_zones) {
            Case each;
            each.scheme = std::string(row.name);
            each.allocator =
                row.freedom == PlacementFreedom::kNone ? "stripe-page" : "stripe-block";
            all.push_back(each);
            if (row.caches_in_slc) {
                each.units = 2;
                all.push_back(each);
                each.pace = GcPace::kPaced;
                each.placement = GcPlacement::kDie;
                all.push_back(each);
            }
        }
    }
    return all;
}

void play(Device& device, int requests) {
    for (int i = 0; i < requests; ++i) {
        device.request();
    }
}

class SectorsTest : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Of, SectorsTest, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name(); });

TEST_P(SectorsTest, EveryReadGetsTheNewestVersionOfEachSector) {
    Device device(GetParam());
    play(device, 6'000);
    (void)device.core().check_invariants();
    const BufferCounters counters = device.core().buffer_counters();
    EXPECT_GT(counters.rmw_pages, 200u);
    EXPECT_EQ(counters.rmw_pages, device.merged());
    EXPECT_GT(device.core().ftl().counters().erases, 50u);
    if (GetParam().policy != "none") {
        EXPECT_GT(counters.completed_pages, 20u);
    }
    if (GetParam().read_grain == 0) {
        EXPECT_EQ(device.sectors_saved(), 0u);
    } else {
        EXPECT_GT(device.sectors_saved(), 200u);
    }
}

TEST(SectorsTest, DataThatDoNotFollowTheDecisionsAreFound) {
    for (const Case::Flaw flaw :
         {Case::Flaw::kMerge, Case::Flaw::kCompletion, Case::Flaw::kPadding, Case::Flaw::kRest}) {
        Case each;
        each.units = 4;
        each.read_grain = 1;
        each.flaw = flaw;
        Device device(each);
        EXPECT_THROW(play(device, 6'000), ModelError) << static_cast<int>(flaw);
    }
}

} // namespace
} // namespace cavern::testing
