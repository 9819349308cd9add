// The whole decision core around every translation layer of the table, under random requests of the
// host: reads and writes of many sizes, writes past the buffer, trims and flushes, and where the
// layer's map can change its size, memory divided as it goes. Beside it a plain dictionary.

#include <algorithm>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/drive/drive_fixture.h"
#include "tests/core/ftl/ftl_workload.h"
#include "tests/support/core_fixtures.h"
#include "tests/support/nightly.h"

namespace cavern::testing {
namespace {

constexpr int kRequests = unless_sanitized(8'000, 4);
constexpr FlashTimes kTimes{25, 200, 1500};

struct Case {
    FtlCase ftl;
    std::string policy;
    std::string eviction;
    bool adaptive = false;
    bool tampered = false; ///< one host page is programmed from another frame

    [[nodiscard]] std::string name() const {
        return ftl.name() + (adaptive ? "Adaptive" : policy == "none" ? "WriteThrough" : "");
    }
};
void PrintTo(const Case& each, std::ostream* out) {
    *out << each.name();
}

std::vector<Case> cases() {
    const char* const policies[] = {"lru-page", "lru-block", "none", "bplru", "clc", "fab"};
    const char* const evictions[] = {"single", "cave", "single", "single", "single", "cave"};
    std::vector<Case> all;
    std::size_t variant = 0;
    for (const FtlCase& ftl : ftl_cases()) {
        all.push_back({ftl, policies[variant % 6], evictions[variant % 6]});
        if (ftl.row->map_memory != nullptr) {
            all.push_back({ftl, "lru-page", "single", true});
        }
        ++variant;
    }
    return all;
}

std::string allocator_of(PlacementFreedom freedom) {
    switch (freedom) {
    case PlacementFreedom::kPages:
        return "cwdp";
    case PlacementFreedom::kBlocks:
        return "block-round-robin";
    case PlacementFreedom::kHomes:
        return "stripe-block";
    case PlacementFreedom::kNone:
        break;
    }
    return "stripe-page";
}

class Host {
  public:
    explicit Host(Case each)
        : each_(std::move(each)), geometry_(each_.ftl.geometry), random_(geometry_.blocks()),
          runner_(geometry_, each_.ftl.params.strict_order, 3),
          decided_(geometry_, each_.ftl.params.strict_order), newest_(geometry_.pages(), 0) {
        CoreParts parts;
        parts.geometry = geometry_;
        parts.policy = each_.policy;
        parts.eviction = each_.eviction;
        parts.frames = 2 * geometry_.pages_per_block + 5;
        parts.allocator = allocator_of(each_.ftl.row->freedom);
        parts.rr_mode = RoundRobinMode::kMove;
        parts.ftl = each_.ftl.params;
        std::unique_ptr<AdaptivePartition> partition;
        if (each_.adaptive) {
            partition = divide(parts);
        }
        core_ = make_core(parts, each_.ftl.row->make(geometry_, parts.ftl, nullptr));
        if (partition != nullptr) {
            core_->partition_by(std::move(partition));
        }
        pages_ = core_->ftl().logical_pages();
        std::fill(newest_.begin() + static_cast<std::ptrdiff_t>(pages_), newest_.end(), 1);
        in_frame_.resize(parts.frames, 0);
    }

    void request() {
        const std::uint64_t what = random_.below(100);
        if (what < 25) {
            each_page([this](Lpn lpn) { read(lpn); });
        } else if (what < 80) {
            each_page([this](Lpn lpn) { write(lpn, false); });
        } else if (what < 88) {
            each_page([this](Lpn lpn) { write(lpn, true); });
        } else if (what < 96) {
            each_page([this](Lpn lpn) { trim(lpn); });
        } else {
            flush();
        }
        if (const Batch* batch = core_->end_request()) {
            carry_out(*batch);
            ++moves_;
        }
    }

    /// Everything: each page in the buffer or where the map says, in its newest version.
    void check() {
        runner_.drain();
        std::vector<bool> taken(geometry_.pages(), false);
        for (std::uint64_t i = 0; i < pages_; ++i) {
            const Lpn lpn{i};
            const Ppn place = core_->ftl().location(lpn);
            if (place != kNoPpn) {
                require(!taken[raw(place)], "two pages in one place");
                taken[raw(place)] = true;
                require(runner_.array().stored_lpn(place) == lpn, "another page is there");
            }
            if (!is_resident(lpn)) {
                require((place != kNoPpn) == (newest_[i] != 0), "a page is lost or reappears");
                require(place == kNoPpn || runner_.version_at(place) == newest_[i],
                        "an old version is mapped");
            }
        }
        check_counts(runner_, core_->ftl());
        EXPECT_GT(core_->check_invariants(), pages_);
        if (const AdaptivePartition* partition = core_->partition()) {
            require(core_->buffer()->capacity() == partition->buffer_pages() &&
                        core_->ftl().map_cache()->cache_bytes() == partition->map_bytes() &&
                        partition->buffer_bytes() + partition->map_bytes() == total_bytes_,
                    "the caches have not the sizes decided");
        }
    }
    [[nodiscard]] const DriveCore& core() const { return *core_; }
    [[nodiscard]] std::uint64_t pages_asked() const { return asked_; }
    [[nodiscard]] std::uint64_t moves() const { return moves_; }
    [[nodiscard]] std::uint64_t flushes() const { return flushes_; }

  private:
    static void require(bool holds, const char* what) {
        if (!holds) {
            throw ModelError(what);
        }
    }

    /// As much memory as there are frames, and as much again, to begin with.
    std::unique_ptr<AdaptivePartition> divide(CoreParts& parts) {
        AdaptivePartition::Params p;
        p.interval = 10;
        p.bitmap_bytes = 512;
        p.page_bytes = geometry_.page_bytes;
        p.pages_per_block = geometry_.pages_per_block;
        p.times = kTimes;
        p.map = each_.ftl.row->map_memory(geometry_, parts.ftl);
        p.total_bytes = std::max<std::uint64_t>(2 * p.map.bytes, 24 * geometry_.page_bytes);
        p.tune_scale = 4;
        total_bytes_ = p.total_bytes;
        parts.ftl.map_cache_most = p.total_bytes;
        parts.frames = AdaptivePartition::most_pages(p);
        return std::make_unique<AdaptivePartition>(p);
    }

    template <typename Access>
    void each_page(Access access) {
        const std::uint64_t span = random_.below(2) == 0 ? pages_ : pages_ / 6 + 1;
        const std::uint64_t first = random_.below(span);
        const std::uint64_t most = random_.below(3) == 0 ? 3ull * geometry_.pages_per_block : 3;
        const std::uint64_t end = std::min(first + 1 + random_.below(most), pages_);
        for (std::uint64_t page = first; page < end; ++page, ++asked_) {
            access(Lpn{page});
        }
    }

    [[nodiscard]] bool is_resident(Lpn lpn) const {
        return core_->buffer() != nullptr && core_->buffer()->is_resident(lpn);
    }

    void write(Lpn lpn, bool through) {
        const bool hit = is_resident(lpn);
        const bool stays = !through && core_->buffer() != nullptr;
        const std::uint64_t before = newest_[raw(lpn)];
        // What leaves so that the page can stay does so before it is there.
        newest_[raw(lpn)] = stays ? before : ++versions_;
        const WriteDecision decision = through ? core_->write_through(lpn) : core_->write(lpn);
        require(decision.hit == hit, "a write misses what is there, or hits what is not");
        if (hit) {
            require(in_frame_[raw(decision.frame)] == before, "a hit is in another frame");
            in_frame_[raw(decision.frame)] = newest_[raw(lpn)];
        }
        if (!decision.batch.empty()) {
            carry_out(decision.batch);
        }
        require(is_resident(lpn) == stays, "a page is in the buffer or is not");
        if (stays) {
            newest_[raw(lpn)] = in_frame_[raw(decision.frame)] = ++versions_;
        } else {
            verify(lpn, core_->ftl().location(lpn));
        }
    }

    void read(Lpn lpn) {
        const bool hit = is_resident(lpn);
        const ReadDecision decision = core_->read(lpn);
        require(decision.hit == hit, "a read misses what is there, or hits what is not");
        carry_out(decision.batch);
        if (hit) {
            require(in_frame_[raw(decision.frame)] == newest_[raw(lpn)], "a frame holds another");
        } else {
            verify(lpn, decision.page);
        }
    }

    void trim(Lpn lpn) {
        carry_out(core_->trim(lpn).batch);
        newest_[raw(lpn)] = 0;
        runner_.forget(lpn, versions_);
        require(!is_resident(lpn) && core_->ftl().location(lpn) == kNoPpn, "a trimmed page stays");
    }

    /// Afterwards the spare areas alone say where everything is but what was trimmed.
    void flush() {
        while (const Batch* batch = core_->flush_step()) {
            carry_out(*batch);
        }
        ++flushes_;
        runner_.drain();
        std::vector<std::uint64_t> found(newest_.size(), 0);
        for (std::uint32_t page = 0; page < geometry_.pages(); ++page) {
            const Lpn lpn = runner_.array().stored_lpn(Ppn{page});
            if (lpn != kNoLpn && raw(lpn) < pages_) {
                std::uint64_t& version = found[raw(lpn)];
                version = std::max(version, runner_.version_at(Ppn{page}));
            }
        }
        for (std::uint64_t i = 0; i < pages_; ++i) {
            require(!is_resident(Lpn{i}), "a page stays in the buffer");
            require(newest_[i] == 0 || found[i] == newest_[i], "a flush leaves a page behind");
        }
    }

    void verify(Lpn lpn, Ppn place) {
        runner_.drain();
        require((place != kNoPpn) == (newest_[raw(lpn)] != 0), "a page is lost or reappears");
        if (place != kNoPpn) {
            require(runner_.array().read(place) == lpn, "another page is read");
            require(runner_.version_at(place) == newest_[raw(lpn)], "an old version is read");
        }
    }

    /// Each host program writes what its frame holds, which is the newest version.
    void carry_out(const Batch& batch) {
        for (const FlashOp& op : batch.ops) {
            // A page that was nowhere, programmed with zeros so that its block is whole.
            if (op.kind == FlashOpKind::kProgram && op.origin == Origin::kPadding && !op.copies &&
                op.lpn != kNoLpn && newest_[raw(op.lpn)] == 0) {
                newest_[raw(op.lpn)] = ++versions_;
            }
            const bool from_frame = op.kind == FlashOpKind::kProgram &&
                                    op.origin == Origin::kHost && op.frame != FlashOp::kNoFrame;
            const std::uint32_t frame = each_.tampered ? op.frame ^ 1 : op.frame;
            require(!from_frame || in_frame_[frame] == newest_[raw(op.lpn)],
                    "a page is programmed from another frame");
        }
        decided_.follow(batch.ops, core_->ftl());
        runner_.submit(batch.ops, newest_);
        runner_.step(random_.below(batch.ops.size() + 1));
    }

    Case each_;
    Geometry geometry_;
    Random random_;
    GraphRunner runner_;
    DecidedState decided_;
    std::unique_ptr<DriveCore> core_;
    std::uint64_t pages_ = 0;
    std::vector<std::uint64_t> newest_;   ///< by logical page; 0: none
    std::vector<std::uint64_t> in_frame_; ///< version, by frame
    std::uint64_t versions_ = 0;
    std::uint64_t total_bytes_ = 0;
    std::uint64_t asked_ = 0;
    std::uint64_t moves_ = 0;
    std::uint64_t flushes_ = 0;
};

class DriveModelTest : public ::testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Table, DriveModelTest, ::testing::ValuesIn(few_of(cases())),
                         [](const auto& test) { return test.param.name(); });
INSTANTIATE_TEST_SUITE_P(SlowTable, DriveModelTest, ::testing::ValuesIn(rest_of(cases())),
                         [](const auto& test) { return test.param.name(); });

TEST_P(DriveModelTest, NoAcknowledgedWriteIsLostAndEveryOperationIsCounted) {
    const Case& each = GetParam();
    Host host(each);
    for (int i = 1; i <= kRequests; ++i) {
        host.request();
        if (i % 400 == 0) {
            host.check();
        }
    }
    EXPECT_GT(host.pages_asked(), unless_sanitized(20'000u, 4u));
    EXPECT_GT(host.flushes(), unless_sanitized(200u, 4u));
    EXPECT_EQ(host.moves() > unless_sanitized(20u, 4u), each.adaptive);
    const FtlCounters& count = host.core().ftl().counters();
    EXPECT_GT(count.erases, unless_sanitized(500u, 4u));
    EXPECT_TRUE(each.policy != "bplru" || count.padding_pages > unless_sanitized(100u, 4u));
}

TEST(DriveModelTest, AProgramOfAnotherFrameIsFound) {
    Case each = cases()[0];
    each.tampered = true;
    Host host(each);
    EXPECT_THROW(
        {
            for (int i = 0; i < kRequests; ++i) {
                host.request();
            }
        },
        ModelError);
}

} // namespace
} // namespace cavern::testing
