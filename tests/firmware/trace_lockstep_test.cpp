// The traces of the tree, played through the command front into the decision core, with the
// firmware beside it.

#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <vector>

#include "core/drive/precondition.h"
#include "tests/firmware/array_sink.h"
#include "tests/firmware/twin.h"
#include "tests/support/nightly.h"
#include "workload/open_trace.h"

namespace cavern::testing {
namespace {

/// 128 MiB of pages of 4 KiB, filled and overwritten before: what the traces write is collected.
CoreParts drive_of(const std::string& policy, const std::string& eviction,
                   const std::string& allocator, GcPace pace) {
    CoreParts parts;
    parts.geometry.channels = 4;
    parts.geometry.ways = 2;
    parts.geometry.dies_per_way = 1;
    parts.geometry.planes_per_die = 2;
    parts.geometry.blocks_per_plane = 64;
    parts.geometry.pages_per_block = 32;
    parts.geometry.page_bytes = 4096;
    parts.frames = 512;
    parts.policy = policy;
    parts.eviction = eviction;
    parts.allocator = allocator;
    parts.ftl.overprovision = 0.2;
    parts.ftl.gc_pace = pace;
    return parts;
}

struct Kind {
    const char* policy;
    const char* eviction;
    const char* allocator;
    GcPace pace;
};

class TraceLockstepTest : public ::testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(TraceLockstepTest, FirmwareDecidesAsTheCore) {
    constexpr Kind kKinds[] = {
        {"lru-page", "single", "stripe-page", GcPace::kBurst},
        {"lru-block", "cave", "block-round-robin", GcPace::kBurst},
        {"lru-page", "cave", "block-round-robin", GcPace::kPaced},
        {"lru-block", "single", "stripe-page", GcPace::kPaced},
    };
    const auto& [name, number] = GetParam();
    const Kind& kind = kKinds[number];
    Twin twin(drive_of(kind.policy, kind.eviction, kind.allocator, kind.pace));
    NandArray array(twin.parts.geometry, true);
    precondition(*twin.core, array, {1.0, false, 0.3}, 1);
    ArraySink sink(array);
    CommandFront<> front(*twin.core, twin.parts.geometry, sink);
    TraceOptions options;
    options.path = std::string(CAVERN_TRACES) + "/" + name + ".csv.xz";
    const auto trace = open_trace(options);
    const std::uint64_t limit = nightly() ? ~std::uint64_t{0} : 20'000;
    const std::uint64_t bytes = twin.core->ftl().logical_pages() * twin.parts.geometry.page_bytes;
    std::uint64_t request = 0;
    for (HostRequest asked; request < limit && trace->next(asked); ++request) {
        const std::uint64_t offset = asked.offset % (bytes - asked.bytes);
        front.take_up(CommandId{}, {asked.op, asked.fua, offset, asked.bytes, request});
    }
    front.take_up(CommandId{}, {RequestOp::kFlush, false, 0, 0, request});
    EXPECT_GT(request, 1000u);
    EXPECT_GT(twin.lockstep->compared()->calls, request);
    EXPECT_GT(twin.core->ftl().programs(), 0u);
    (void)twin.core->check_invariants();
    expect_array_follows(*twin.core, array);
    RecordProperty("requests", std::to_string(request));
    RecordProperty("calls", std::to_string(twin.lockstep->compared()->calls));
    RecordProperty("operations", std::to_string(twin.lockstep->compared()->operations));
    RecordProperty("erases", std::to_string(twin.core->ftl().counters().erases));
}

const auto kTraces =
    ::testing::Combine(::testing::Values("oltp-mysql-1h", "oltp-mssql-51min", "shared-hosting-1h",
                                         "tpcc-136ms", "websearch-60s"),
                       ::testing::Range(0, 4));
INSTANTIATE_TEST_SUITE_P(Slow, TraceLockstepTest, kTraces);
INSTANTIATE_TEST_SUITE_P(Nightly, TraceLockstepTest, kTraces);

} // namespace
} // namespace cavern::testing
