#include "tb/recorded_stream.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <unistd.h>
#include <vector>

#include "core/arbiter/reference_arbiter.h"
#include "core/base/error.h"
#include "tb/request_stream.h"
#include "tests/cosim/arbiter_print.h"

namespace cavern {
namespace {

constexpr StreamShape kShape{16, ArbiterPolicy::kPriorityAge, 24};

class ArbiterRecordedTest : public testing::Test {
  protected:
    ~ArbiterRecordedTest() override { std::filesystem::remove(path_); }

    std::vector<RecordedEdge> record(RequestShape shape, std::size_t edges) {
        StreamRecorder recorder(path_, kShape);
        ReferenceArbiter arbiter(kShape.ways, kShape.policy, kShape.age_limit);
        RequestStream stream(shape, kShape.ways, 3);
        std::vector<RecordedEdge> written;
        ArbiterOutputs outputs;
        for (std::size_t n = 0; n < edges; ++n) {
            const ArbiterInputs& inputs = stream.next(outputs);
            outputs = arbiter.step(inputs);
            written.push_back({inputs, outputs});
            recorder.write(written.back());
        }
        return written;
    }

    std::string read() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    void write(const std::string& bytes) const {
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
    }
    /// The error of reading the file to its end; empty when there is none.
    std::string error() const {
        try {
            StreamReader reader(path_);
            for (RecordedEdge edge; reader.next(edge);) {
            }
        } catch (const UserError& failure) {
            return failure.what();
        }
        return {};
    }

    const std::string path_ = (std::filesystem::temp_directory_path() /
                               ("arbiter_recorded_" + std::to_string(::getpid()) + ".stream"))
                                  .string();
};

TEST_F(ArbiterRecordedTest, EveryShapeIsReadAsItWasWritten) {
    for (const RequestShapeRow& row : kRequestShapes) {
        SCOPED_TRACE(std::string(row.name));
        const std::vector<RecordedEdge> written = record(row.shape, 6000);
        StreamReader reader(path_);
        EXPECT_EQ(reader.shape().ways, 16u);
        EXPECT_EQ(reader.shape().policy, ArbiterPolicy::kPriorityAge);
        EXPECT_EQ(reader.shape().age_limit, 24u);
        RecordedEdge edge;
        for (const RecordedEdge& expected : written) {
            ASSERT_TRUE(reader.next(edge));
            ASSERT_EQ(std::tie(edge.inputs.request, edge.inputs.classes, edge.inputs.release,
                               edge.inputs.time),
                      std::tie(expected.inputs.request, expected.inputs.classes,
                               expected.inputs.release, expected.inputs.time));
            ASSERT_EQ(edge.outputs, expected.outputs);
        }
        EXPECT_FALSE(reader.next(edge));
    }
}

TEST_F(ArbiterRecordedTest, StreamThatEndsInsideAnEdgeIsRefused) {
    record(RequestShape::kBackToBack, 100);
    EXPECT_EQ(error(), "");
    const std::string bytes = read();
    write(bytes.substr(0, bytes.size() - 1));
    EXPECT_NE(error().find("ends in the middle of an edge"), std::string::npos) << error();
}

TEST_F(ArbiterRecordedTest, FileThatIsNoStreamIsRefused) {
    for (const char* text :
         {"", "time_us,op\n", "cavern-arbiter-stream-1 4 0\n", "cavern-arbiter-stream-1 17 0 24\n",
          "cavern-arbiter-stream-1 4 9 24\n"}) {
        write(text);
        EXPECT_NE(error(), "") << text;
    }
    write("cavern-arbiter-stream-1 4 0 24\n\x20");
    EXPECT_NE(error().find("flags"), std::string::npos) << error();
    write(std::string("cavern-arbiter-stream-1 4 0 24\n\x10\x04"));
    EXPECT_NE(error().find("slot that does not exist"), std::string::npos) << error();
}

/// What makes each shape worth having.
class RequestStreamTest : public testing::Test {
  protected:
    struct Figures {
        std::uint64_t grants = 0;
        std::uint64_t idle = 0;         ///< edges without request and holder
        std::uint64_t together = 0;     ///< edges at which all slots ask
        std::uint64_t longest_wait = 0; ///< of slot 0, in edges
        std::set<std::uint32_t> classes;
    };

    static Figures run(RequestShape shape) {
        constexpr std::uint32_t kSlots = 4;
        RequestStream stream(shape, kSlots, 1);
        ReferenceArbiter arbiter(kSlots, ArbiterPolicy::kPriorityAge, 24);
        Figures figures;
        ArbiterOutputs outputs;
        std::uint64_t waits = 0;
        for (int n = 0; n < 20'000; ++n) {
            const bool held = outputs.valid;
            const ArbiterInputs& inputs = stream.next(outputs);
            outputs = arbiter.step(inputs);
            figures.grants += (!held || inputs.release) && outputs.valid ? 1 : 0;
            figures.idle += !held && inputs.request == 0 ? 1 : 0;
            figures.together += inputs.request == 15u ? 1 : 0;
            waits = (inputs.request & 1u) != 0 && outputs.grant != 1u ? waits + 1 : 0;
            figures.longest_wait = std::max(figures.longest_wait, waits);
            figures.classes.insert(inputs.classes & 3u);
        }
        return figures;
    }
};

TEST_F(RequestStreamTest, BurstsHavePausesBetweenThem) {
    const Figures bursty = run(RequestShape::kBursty);
    EXPECT_GT(bursty.idle, 2000u);
    EXPECT_GT(bursty.grants, 2000u);
}

TEST_F(RequestStreamTest, StarvedSlotWaitsUntilItIsAged) {
    EXPECT_GE(run(RequestShape::kStarving).longest_wait, 24u);
    EXPECT_LT(run(RequestShape::kBackToBack).longest_wait, 24u + 4u);
}

TEST_F(RequestStreamTest, SimultaneousRequestsComeTogether) {
    const Figures together = run(RequestShape::kSimultaneous);
    EXPECT_NEAR(static_cast<double>(together.grants), 4.0 * static_cast<double>(together.together),
                4.0);
}

TEST_F(RequestStreamTest, BackToBackGrantsAtEveryEdge) {
    const Figures busy = run(RequestShape::kBackToBack);
    EXPECT_EQ(busy.grants, 20'000u);
    EXPECT_EQ(busy.idle, 0u);
}

TEST_F(RequestStreamTest, OnlyTheLawlessUseTheClassThatDoesNotExist) {
    for (const RequestShapeRow& row : kRequestShapes) {
        EXPECT_EQ(run(row.shape).classes.count(3) == 1, row.shape == RequestShape::kLawless)
            << row.name;
    }
}

} // namespace
} // namespace cavern
