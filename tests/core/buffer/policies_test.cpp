#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/buffer/cave_trigger.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/lru_block.h"
#include "core/buffer/lru_page.h"
#include "core/buffer/write_buffer.h"
#include "tests/support/core_fixtures.h"

// What must hold whatever the order: every row of the table is put to it.

namespace {

std::uint64_t allocations = 0;

} // namespace

// Not inlined: GCC would see malloc and delete, or new and free, and warn of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* memory = std::malloc(bytes != 0 ? bytes : 1)) {
        return memory;
    }
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace cavern {

/// In messages of failures.
void PrintTo(const EvictionPolicyRow& row, std::ostream* out) {
    *out << row.name;
}

namespace {

constexpr std::uint32_t kPagesPerBlock = 4;

struct Setting {
    std::uint32_t capacity = 40;
    std::uint32_t victims = 1;
    bool cache_reads = false;
    bool pins = false;
    int steps = 100'000;
};

/// A write buffer beside a plain account of what it must hold.
class Account {
  public:
    Account(std::unique_ptr<EvictionPolicyIf> policy, const Setting& setting)
        : setting_(setting), random_(setting.capacity * 31 + setting.victims),
          buffer_(setting.capacity, testing::geometry_of(1, 1, 1, 64, kPagesPerBlock),
                  std::move(policy), std::make_unique<CaveTrigger>(setting.victims), false, nullptr,
                  setting.cache_reads) {}

    /// The first thing that does not hold, or nothing.
    std::string first_violation() {
        try {
            for (int step = 0; step < setting_.steps && fault_.empty(); ++step) {
                advance();
                fault(buffer_.used() > setting_.capacity, "more frames than the buffer has");
                fault(buffer_.used() != pages_.size(), "a page is gone, or there twice");
            }
            while (fault_.empty() && buffer_.evict_batch()) {
                check_batch();
            }
            fault(fault_.empty() && !pages_.empty(), "pages stay behind after everything left");
        } catch (const ModelError& error) {
            fault(true, error.what());
        }
        return fault_;
    }
    [[nodiscard]] int pinned_that_left() const { return pinned_that_left_; }
    [[nodiscard]] const BufferCounters& counters() const { return buffer_.counters(); }

  private:
    struct Page {
        bool dirty = false;
        FrameId frame = kNoFrame;
    };

    void fault(bool is_one, const std::string& what) {
        if (is_one && fault_.empty()) {
            fault_ = what;
        }
    }

    void advance() {
        const std::uint64_t footprint = setting_.capacity * 3ull;
        const std::uint64_t lpn = random_.below(footprint);
        const std::uint64_t what = random_.below(100);
        if (what < 8 && setting_.pins) {
            pin_or_unpin(lpn, what < 5);
        } else if (what < 10) {
            fault((buffer_.trim(Lpn{lpn}) != kNoFrame) != (pages_.erase(lpn) != 0),
                  "TRIM of a page that is not there");
        } else if (what < 12) {
            if (buffer_.evict_batch()) {
                check_batch();
            }
        } else {
            access(lpn, what < 60);
        }
    }

    void access(std::uint64_t lpn, bool write) {
        const BufferAccess access = write ? buffer_.write(Lpn{lpn}) : buffer_.read(Lpn{lpn});
        fault(access.hit != (pages_.count(lpn) != 0), "a hit of a page that is not there");
        if (access.evicted) {
            check_batch();
        }
        if (write || access.hit || setting_.cache_reads) {
            Page& page = pages_[lpn];
            page.dirty = page.dirty || write;
            page.frame = access.frame;
        }
    }

    void pin_or_unpin(std::uint64_t lpn, bool pin) {
        if (pin && pages_.count(lpn) != 0) {
            buffer_.pins().pin(buffer_.unit_of(Lpn{lpn}));
            pinned_.insert(buffer_.unit_of(Lpn{lpn}));
        } else if (!pin && !pinned_.empty()) {
            buffer_.pins().unpin(*pinned_.begin());
            pinned_.erase(pinned_.begin());
        }
    }

    void check_batch() {
        std::set<std::uint64_t> units;
        for (const Victim& victim : buffer_.victims()) {
            const auto page = pages_.find(raw(victim.lpn));
            if (victim.padding) {
                fault(victim.frame != kNoFrame, "padding with a frame");
                continue;
            }
            fault(page == pages_.end(), "a victim that was not resident");
            if (page != pages_.end()) {
                fault(page->second.frame != victim.frame, "a victim from another frame");
                fault(!page->second.dirty, "a clean page is written");
                pages_.erase(page);
            }
            units.insert(buffer_.unit_of(victim.lpn));
        }
        fault(units.size() != buffer_.units(), "another number of units");
        for (const FrameId frame : buffer_.dropped()) {
            const auto page = std::find_if(pages_.begin(), pages_.end(), [frame](const auto& p) {
                return p.second.frame == frame;
            });
            fault(page == pages_.end(), "a dropped page that was not resident");
            if (page != pages_.end()) {
                fault(page->second.dirty, "a dirty page is dropped");
                units.insert(buffer_.unit_of(Lpn{page->first}));
                pages_.erase(page);
            }
        }
        fault(units.empty(), "nothing leaves");
        fault(units.size() > setting_.victims, "more units than asked for");
        check_units(units);
    }

    void check_units(const std::set<std::uint64_t>& units) {
        bool all_left_pinned = true;
        for (const auto& [lpn, page] : pages_) {
            const std::uint64_t unit = buffer_.unit_of(Lpn{lpn});
            fault(units.count(unit) != 0, "part of a unit stays");
            all_left_pinned = all_left_pinned && pinned_.count(unit) != 0;
        }
        for (const std::uint64_t unit : units) {
            if (pinned_.erase(unit) != 0) {
                ++pinned_that_left_;
                fault(!all_left_pinned, "a pinned unit leaves while others are there");
            }
        }
    }

    Setting setting_;
    Random random_;
    WriteBuffer buffer_;
    std::map<std::uint64_t, Page> pages_;
    std::multiset<std::uint64_t> pinned_;
    int pinned_that_left_ = 0;
    std::string fault_;
};

std::unique_ptr<EvictionPolicyIf> make(const EvictionPolicyRow& row, std::uint32_t capacity) {
    EvictionPolicyContext params;
    params.capacity = capacity;
    params.geometry = testing::geometry_of(1, 1, 1, 64, kPagesPerBlock);
    return row.make(params);
}

class EveryPolicyTest : public ::testing::TestWithParam<EvictionPolicyRow> {};

TEST_P(EveryPolicyTest, KeepsAndGivesEveryPage) {
    for (const std::uint32_t capacity : {1u, 3u, 40u}) {
        for (const std::uint32_t victims : {1u, 4u}) {
            for (const bool cache_reads : {false, true}) {
                Setting setting;
                setting.capacity = capacity;
                setting.victims = victims;
                setting.cache_reads = cache_reads;
                Account account(make(GetParam(), capacity), setting);
                EXPECT_EQ(account.first_violation(), "") << capacity << " " << victims;
                EXPECT_GT(account.counters().evicted_pages, 0u);
                EXPECT_EQ(account.counters().dropped_pages > 0, cache_reads);
            }
        }
    }
}

TEST_P(EveryPolicyTest, GivesAPinnedUnitOnlyWhenAllArePinned) {
    for (const std::uint32_t capacity : {4u, 40u}) {
        for (const std::uint32_t victims : {1u, 4u}) {
            Setting setting;
            setting.capacity = capacity;
            setting.victims = victims;
            setting.pins = true;
            setting.cache_reads = GetParam().needs_read_cache;
            Account account(make(GetParam(), capacity), setting);
            EXPECT_EQ(account.first_violation(), "") << capacity << " " << victims;
            if (capacity == 4) {
                EXPECT_GT(account.pinned_that_left(), 0);
            }
        }
    }
}

/// Allocations while a buffer of the policy, made before, is used.
std::uint64_t allocations_of(std::unique_ptr<EvictionPolicyIf> policy, bool cache_reads) {
    constexpr std::uint32_t kCapacity = 40;
    WriteBuffer buffer(kCapacity, testing::geometry_of(1, 1, 1, 64, kPagesPerBlock),
                       std::move(policy), std::make_unique<CaveTrigger>(4), false, nullptr,
                       cache_reads);
    Random random(7);
    const std::uint64_t before = allocations;
    for (int step = 0; step < 20'000; ++step) {
        const Lpn lpn{random.below(kCapacity * 3)};
        switch (random.below(20)) {
        case 0:
            buffer.trim(lpn);
            break;
        case 1:
            buffer.evict_batch();
            break;
        case 2:
        case 3:
        case 4:
            buffer.read(lpn);
            break;
        default:
            buffer.write(lpn);
        }
    }
    return allocations - before;
}

TEST_P(EveryPolicyTest, AllocatesNothingAfterItsConstruction) {
    const bool reads = GetParam().needs_read_cache;
    allocations_of(make(GetParam(), 40), reads); // what is made once in the life of a program
    EXPECT_EQ(allocations_of(make(GetParam(), 40), reads), 0u);
}

std::string name_of(const ::testing::TestParamInfo<EvictionPolicyRow>& info) {
    std::string name(info.param.name);
    name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
    name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
    return name;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryPolicyTest, ::testing::ValuesIn(eviction_policy_table()),
                         name_of);

/// A policy with a fault in the victims it gives.
class Faulty final : public EvictionPolicyIf {
  public:
    using Fault = std::function<bool(std::vector<FrameId>& frames)>;

    Faulty(std::unique_ptr<EvictionPolicyIf> policy, Fault fault, bool ignores_pins = false)
        : policy_(std::move(policy)), fault_(std::move(fault)), ignores_pins_(ignores_pins) {}

    [[nodiscard]] bool evicts_blocks() const override { return policy_->evicts_blocks(); }
    void on_insert(FrameId frame, Lpn lpn, Access access) override {
        policy_->on_insert(frame, lpn, access);
    }
    void on_hit(FrameId frame, Lpn lpn, Access access) override {
        policy_->on_hit(frame, lpn, access);
    }
    void remove(FrameId frame, Lpn lpn) override { policy_->remove(frame, lpn); }
    bool pop_victim(std::vector<FrameId>& frames, const Pins& pins) override {
        if (!policy_->pop_victim(frames, ignores_pins_ ? Pins() : pins)) {
            return false;
        }
        return fault_(frames);
    }

  private:
    std::unique_ptr<EvictionPolicyIf> policy_;
    Fault fault_;
    bool ignores_pins_;
};

TEST(EveryPolicyCheckTest, NoticesAnAllocation) {
    auto hoard = std::make_shared<std::vector<FrameId>>();
    const auto keep = [hoard](std::vector<FrameId>& frames) {
        hoard->insert(hoard->end(), frames.begin(), frames.end());
        return true;
    };
    EXPECT_GT(allocations_of(std::make_unique<Faulty>(std::make_unique<LruPage>(40), keep), false),
              0u);
}

std::string violation_of(std::unique_ptr<EvictionPolicyIf> policy, Faulty::Fault fault,
                         bool ignores_pins = false) {
    Setting setting;
    setting.pins = true;
    Faulty faulty(std::move(policy), std::move(fault), ignores_pins);
    return Account(std::make_unique<Faulty>(std::move(faulty)), setting).first_violation();
}

TEST(EveryPolicyCheckTest, NoticesEachKindOfFault) {
    const auto pages = [] { return std::make_unique<LruPage>(40); };
    const auto blocks = [] { return std::make_unique<LruBlock>(40, kPagesPerBlock); };
    const auto none = [](std::vector<FrameId>&) { return true; };
    EXPECT_EQ(violation_of(pages(), none), "");
    EXPECT_EQ(violation_of(blocks(), none), "");
    EXPECT_EQ(violation_of(pages(), none, true), "a pinned unit leaves while others are there");

    int victims = 0;
    const auto now_and_then = [&victims] { return ++victims % 100 == 0; };
    // Half a block, whose other half the policy forgets.
    EXPECT_EQ(violation_of(blocks(),
                           [&](std::vector<FrameId>& frames) {
                               if (frames.size() > 1 && now_and_then()) {
                                   frames.pop_back();
                               }
                               return true;
                           }),
              "part of a unit stays");
    // A victim that is found and not given.
    EXPECT_NE(violation_of(pages(),
                           [&](std::vector<FrameId>& frames) {
                               if (now_and_then()) {
                                   frames.clear();
                                   return false;
                               }
                               return true;
                           }),
              "");
    // One that left already.
    FrameId last = kNoFrame;
    EXPECT_NE(violation_of(pages(),
                           [&](std::vector<FrameId>& frames) {
                               if (last != kNoFrame && now_and_then()) {
                                   frames.push_back(last);
                               }
                               last = frames.front();
                               return true;
                           }),
              "");
}

} // namespace
} // namespace cavern
