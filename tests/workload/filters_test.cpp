#include "workload/filters.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "tests/workload/workload_fixture.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

constexpr std::uint64_t kCapacity = 1024 * 1024;

class ListSource final : public RequestSourceIf {
  public:
    explicit ListSource(std::vector<HostRequest> requests) : requests_(std::move(requests)) {}
    bool next(HostRequest& request) override {
        if (place_ == requests_.size()) {
            return false;
        }
        request = requests_[place_++];
        return true;
    }

  private:
    std::vector<HostRequest> requests_;
    std::size_t place_ = 0;
};

std::unique_ptr<RequestSourceIf> list(std::vector<HostRequest> requests) {
    return std::make_unique<ListSource>(std::move(requests));
}

HostRequest write_at(std::uint64_t offset, std::uint32_t bytes) {
    return {0, offset, bytes, RequestOp::kWrite};
}

std::uint64_t wrapped(std::uint64_t capacity, std::uint64_t offset, std::uint32_t bytes) {
    AddressFilter filter(list({write_at(offset, bytes)}), capacity, AddressPolicy::kWrap);
    HostRequest request;
    EXPECT_TRUE(filter.next(request));
    EXPECT_EQ(request.bytes, bytes);
    return request.offset;
}

TEST(FiltersTest, LimitGivesTheFirstRequestsAndAsksForNoMore) {
    // The third line is malformed: asking for it would throw.
    const std::string text = "time_us,op,offset,size\n0,W,0,512\n1,W,512,512\nnonsense\n";
    for (const std::uint64_t count : {0u, 1u, 2u}) {
        LimitFilter filter(kCsvTraces.make({byte_stream_of(text), "t"}), count);
        EXPECT_EQ(drain(filter).size(), count);
    }
    LimitFilter filter(kCsvTraces.make({byte_stream_of(text), "t"}), 3);
    EXPECT_NE(error_of([&] { drain(filter); }), "none");
    LimitFilter generous(list({write_at(0, 1)}), 10);
    EXPECT_EQ(drain(generous).size(), 1u);
}

TEST(FiltersTest, RequestsInsideTheDrivePassUnchanged) {
    const std::vector<HostRequest> inside{write_at(0, 512), write_at(kCapacity - 512, 512),
                                          write_at(kCapacity - 1, 1), write_at(0, kCapacity),
                                          write_at(3, 7)};
    for (const AddressPolicy policy : {AddressPolicy::kError, AddressPolicy::kWrap}) {
        AddressFilter filter(list(inside), kCapacity, policy);
        EXPECT_EQ(drain(filter), inside);
    }
}

TEST(FiltersTest, FirstByteBeyondTheDriveIsAnErrorNamingTheTraceLine) {
    const std::string text = "time_us,op,offset,size\n# note\n0,W,1048064,512\n0,R,1048065,512\n";
    AddressFilter filter(kCsvTraces.make({byte_stream_of(text), "oltp.csv"}), kCapacity,
                         AddressPolicy::kError);
    HostRequest request;
    EXPECT_TRUE(filter.next(request));
    EXPECT_EQ(
        error_of([&] { filter.next(request); }),
        "oltp.csv:4: the request of 512 bytes at offset 1048065 ends beyond the drive; the "
        "drive has 1048576 bytes; a larger one, or workload.out_of_range = \"wrap\", takes it");
}

TEST(FiltersTest, SourceWithoutLinesIsNamedByTheNumberOfTheRequest) {
    auto filtered = std::make_unique<LimitFilter>(
        list({write_at(0, 1), write_at(0, 1), write_at(kCapacity, 1)}), 9);
    AddressFilter filter(std::move(filtered), kCapacity, AddressPolicy::kError);
    const std::string error = error_of([&] { drain(filter); });
    EXPECT_EQ(error.substr(0, 12), "workload:3: ");
}

TEST(FiltersTest, OffsetsNearTheEndOfSixtyFourBitsDoNotOverflow) {
    const HostRequest far = write_at(~std::uint64_t{0} - 100, 4096);
    AddressFilter filter(list({far}), kCapacity, AddressPolicy::kError);
    EXPECT_NE(error_of([&] { drain(filter); }), "none");
    EXPECT_LE(wrapped(kCapacity, far.offset, 4096), kCapacity - far.bytes);
}

TEST(FiltersTest, WrapTakesTheOffsetModuloTheCapacity) {
    EXPECT_EQ(wrapped(kCapacity, kCapacity, 512), 0u);
    EXPECT_EQ(wrapped(kCapacity, kCapacity + 4096, 4096), 4096u);
    EXPECT_EQ(wrapped(kCapacity, 5 * kCapacity + 1536, 4096), 1536u);
    EXPECT_EQ(wrapped(kCapacity, kCapacity + 5, 1), 5u);
}

TEST(FiltersTest, WrapMovesARequestThatCrossesTheEndSoThatItFits) {
    EXPECT_EQ(wrapped(kCapacity, kCapacity - 512, 4096), kCapacity - 4096);
    EXPECT_EQ(wrapped(kCapacity, 7 * kCapacity - 512, 4096), kCapacity - 4096);
    EXPECT_EQ(wrapped(kCapacity, kCapacity - 1, 512), kCapacity - 513);
    EXPECT_EQ(wrapped(kCapacity, 512, kCapacity), 0u);
    EXPECT_EQ(wrapped(kCapacity, 100, kCapacity), 0u);
}

TEST(FiltersTest, WrappedRequestsFitAndKeepTheirPlaceInTheSector) {
    Random random(11);
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t capacity = 4096 + random.below(1'000'000);
        const auto bytes = static_cast<std::uint32_t>(1 + random.below(2048));
        const std::uint64_t offset = random.below(std::uint64_t{1} << (1 + random.below(63)));
        const std::uint64_t to = wrapped(capacity, offset, bytes);
        ASSERT_LE(to + bytes, capacity) << offset;
        ASSERT_EQ(to % 512, offset % 512) << offset << " in " << capacity;
    }
}

TEST(FiltersTest, RequestLargerThanTheDriveIsAnErrorUnderEitherPolicy) {
    for (const AddressPolicy policy : {AddressPolicy::kError, AddressPolicy::kWrap}) {
        AddressFilter filter(list({write_at(0, kCapacity + 1)}), kCapacity, policy);
        EXPECT_EQ(error_of([&] { drain(filter); }),
                  "workload:1: a request of 1048577 bytes is larger than the drive; the drive has "
                  "1048576 bytes");
    }
}

TEST(FiltersTest, FlushPassesWhateverItsOffset) {
    AddressFilter filter(list({{7, 9 * kCapacity, 0, RequestOp::kFlush}}), kCapacity,
                         AddressPolicy::kError);
    EXPECT_EQ(drain(filter).size(), 1u);
}

TEST(FiltersTest, SpeedupDividesArrivalsAndRoundsDown) {
    const auto sped = [](TimePs arrival, double factor) {
        SpeedupFilter filter(list({{arrival, 0, 1, RequestOp::kRead}}), factor);
        return drain(filter).at(0).arrival;
    };
    EXPECT_EQ(sped(1000, 2.0), 500u);
    EXPECT_EQ(sped(1001, 2.0), 500u);
    EXPECT_EQ(sped(1000, 0.5), 2000u);
    EXPECT_EQ(sped(0, 3.0), 0u);
    // Ten days in ps, beyond the 53 bits of a double.
    EXPECT_EQ(sped(864'000'000'000'000'001, 1.0), 864'000'000'000'000'001u);
    EXPECT_EQ(error_of([&] { sped(std::uint64_t{1} << 62, 0.25); }),
              "workload:1: the arrival lies more than 106 days after the start; a larger "
              "workload.speedup brings it nearer");
}

TEST(FiltersTest, OptionsChooseTheFilters) {
    const std::vector<HostRequest> requests{{kUs, 0, 512, RequestOp::kRead},
                                            {2 * kUs, kCapacity, 512, RequestOp::kRead},
                                            {3 * kUs, 0, 512, RequestOp::kRead}};
    FilterOptions options;
    options.capacity = kCapacity;
    EXPECT_NE(error_of([&] { drain(*apply_filters(list(requests), options)); }), "none");
    options.limit = 1;
    EXPECT_EQ(drain(*apply_filters(list(requests), options)).size(), 1u);
    options.limit = 2;
    options.out_of_range = AddressPolicy::kWrap;
    options.speedup = 4.0;
    EXPECT_EQ(drain(*apply_filters(list(requests), options)),
              (std::vector<HostRequest>{{kUs / 4, 0, 512, RequestOp::kRead},
                                        {kUs / 2, 0, 512, RequestOp::kRead}}));
}

} // namespace
} // namespace cavern
