// Programs that record what was decided before them, and who waits for them.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/random.h"
#include "tests/support/core_fixtures.h"
#include "timed/channel/op_graph.h"

namespace cavern {
namespace {

/// The same said by looking at every operation.
class Operations {
  public:
    explicit Operations(const Geometry& geometry) : geometry_(geometry), graph_(geometry) {}

    void program(bool records) {
        FlashOp flash(FlashOpKind::kProgram, Origin::kHost,
                      geometry_.page(BlockId{0}, page_++ % 8));
        flash.records = records;
        graph_.add_program(add(flash));
    }
    void erase() { add(FlashOp(FlashOpKind::kErase, Origin::kGc, geometry_.page(BlockId{1}, 0))); }
    [[nodiscard]] std::size_t size() const { return ids_.size(); }
    [[nodiscard]] const Op& operator[](std::size_t i) const { return graph_[ids_[i]]; }
    [[nodiscard]] bool is_held(std::size_t i) const { return graph_.is_held((*this)[i]); }
    [[nodiscard]] bool waits(std::size_t i) const {
        const bool erase = (*this)[i].flash.kind == FlashOpKind::kErase;
        return (erase || (*this)[i].flash.records) &&
               std::any_of(
                   ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(i), [&](OpId id) {
                       const FlashOp& before = graph_[id].flash;
                       return erase ? bool{before.records} : before.kind == FlashOpKind::kProgram;
                   });
    }
    /// Returns whether some that were held no longer are.
    bool end(std::size_t i, std::optional<bool>& told) {
        const std::size_t held = count_held();
        const bool itself = is_held(i);
        const OpId id = ids_[i];
        if (graph_[id].flash.kind == FlashOpKind::kProgram) {
            told = graph_.end_program(id);
            graph_.set_programmed(id);
        }
        graph_.remove(id);
        ids_.erase(ids_.begin() + static_cast<std::ptrdiff_t>(i));
        return count_held() < held - (itself ? 1 : 0);
    }
    [[nodiscard]] std::uint64_t check_idle() const { return graph_.check_idle(); }

  private:
    OpId add(const FlashOp& flash) {
        ids_.push_back(graph_.add(flash, kNoRequest));
        return ids_.back();
    }
    [[nodiscard]] std::size_t count_held() const {
        std::size_t count = 0;
        for (std::size_t i = 0; i < size(); ++i) {
            count += is_held(i) ? 1 : 0;
        }
        return count;
    }

    Geometry geometry_;
    OpGraph graph_;
    std::vector<OpId> ids_;
    std::uint32_t page_ = 0;
};

TEST(OpGraphTest, ARecordWaitsForEveryProgramBeforeItAndErasesForEveryRecord) {
    std::uint64_t freed = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        Operations operations(testing::geometry_of(1, 1, 1, 4, 8));
        for (int step = 0; step < 100 || operations.size() != 0; ++step) {
            if (step < 100 && random.below(3) != 0) {
                random.below(5) == 0 ? operations.erase()
                                     : operations.program(random.below(3) == 0);
            } else if (operations.size() != 0) {
                // Mostly one that may start; a record may also end with another's page.
                std::size_t one = random.below(operations.size());
                if (random.below(20) != 0) {
                    while (operations.is_held(one)) {
                        --one; // the first is never held
                    }
                }
                std::optional<bool> told;
                const bool goes_on = operations.end(one, told);
                freed += goes_on ? 1 : 0;
                ASSERT_TRUE(!goes_on || told.value_or(false)) << "seed " << seed;
            }
            for (std::size_t i = 0; i < operations.size(); ++i) {
                ASSERT_EQ(operations.is_held(i), operations.waits(i)) << "seed " << seed;
            }
        }
        EXPECT_GT(operations.check_idle(), 0u);
    }
    EXPECT_GT(freed, 1000u);
}

} // namespace
} // namespace cavern
