// Drives with a module of others on a socket: a memory in place of the SDRAM, an initiator in place
// of the host. These know the base protocol only.

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "drive/core_builder.h"
#include "drive/host_builder.h"
#include "tests/drive/drive_bench.h"
#include "tests/drive/drive_times.h"
#include "tests/support/foreign_modules.h"
#include "tests/support/list_source.h"
#include "tests/support/systemc_test.h"
#include "timed/tlm/restart_kernel.h"
#include "timed/tlm/time.h"

namespace cavern::testing {
namespace {

constexpr std::size_t kMemoryBytes = 1 << 20;
constexpr TimePs kLatency = 1 * kUs;
constexpr TimePs kAccept = 100 * kNs;

std::vector<HostRequest> pages(RequestOp op, std::uint64_t first, std::uint64_t count,
                               std::uint32_t pages_each = 1) {
    std::vector<HostRequest> requests;
    for (std::uint64_t lpn = first; lpn < first + count; ++lpn) {
        requests.push_back({0, lpn * kPageBytes, pages_each * kPageBytes, op});
    }
    return requests;
}

std::vector<HostRequest> operator+(std::vector<HostRequest> a, const std::vector<HostRequest>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// ---- a memory of others -------------------------------------------------------------------------

class ForeignMemoryTest : public SystemcTest {
  protected:
    void play(tlm::tlm_target_socket<64>& memory, const std::vector<HostRequest>& requests,
              const std::vector<std::string>& overrides) {
        std::vector<std::string> all{"alloc.scheme=cwdp"};
        all.insert(all.end(), overrides.begin(), overrides.end());
        DriveBench::Options options;
        options.memory = &memory;
        options.run_ahead = true; // as the program does
        bench_ = std::make_unique<DriveBench>("bench", small_drive(all), requests, options);
        run();
        bench_->expect_sound();
    }
    void play_at(const ForeignAtMemory::Timing& timing, const std::vector<HostRequest>& requests,
                 const std::vector<std::string>& overrides) {
        at_ = std::make_unique<ForeignAtMemory>("memory", kMemoryBytes, timing);
        play(at_->socket, requests, overrides);
        EXPECT_EQ(at_->served(), bench_->sdram_transfers());
        EXPECT_TRUE(at_->errors().empty()) << at_->errors().front();
    }
    [[nodiscard]] std::vector<TimePs> latencies() const {
        std::vector<TimePs> all(bench_->answered().size());
        for (const Answered& each : bench_->answered()) {
            all[each.id] = each.completed - each.request.arrival;
        }
        return all;
    }
    static ForeignAtMemory::Timing timing(bool extra_phase = false, TimePs annotated = 0) {
        return {to_sc_time(kAccept), to_sc_time(kLatency), to_sc_time(annotated), extra_phase};
    }

    std::unique_ptr<ForeignAtMemory> at_;
    std::unique_ptr<DriveBench> bench_;
};

const std::vector<std::string> kOneByOne{"host.queue_depth=1", "precondition.fill=1.0"};
constexpr TimePs kMemory = kAccept + kLatency; ///< one access

std::vector<HostRequest> each_way() {
    return pages(RequestOp::kWrite, 0, 4) + pages(RequestOp::kRead, 0, 4) +
           pages(RequestOp::kRead, 40, 4);
}

std::vector<TimePs> times_of_each_way(TimePs memory) {
    std::vector<TimePs> times(8, kLink + memory);                  // into a frame, out of a frame
    times.resize(12, kCommand + kTr + kPage + 2 * memory + kLink); // from the die through staging
    return times;
}

TEST_F(ForeignMemoryTest, AnAtMemoryAddsItsLatencyToEachAccess) {
    play_at(timing(), each_way(), kOneByOne);
    EXPECT_EQ(latencies(), times_of_each_way(kMemory));
}

TEST_F(ForeignMemoryTest, AnAtMemoryMayAnnotateItsResponses) {
    play_at(timing(false, 400 * kNs), each_way(), kOneByOne);
    EXPECT_EQ(latencies(), times_of_each_way(kMemory));
}

TEST_F(ForeignMemoryTest, AnAtMemoryMaySendPhasesThatWeIgnore) {
    play_at(timing(true), each_way(), kOneByOne);
    EXPECT_EQ(latencies(), times_of_each_way(kMemory));
}

// Requests overlap: the memory takes the next page of a command after `accept`, the link is slower.
TEST_F(ForeignMemoryTest, PagesOfACommandOverlapInAnAtMemory) {
    play_at(timing(), pages(RequestOp::kWrite, 0, 1, 4) + pages(RequestOp::kRead, 0, 1, 4),
            kOneByOne);
    EXPECT_EQ(latencies(), (std::vector<TimePs>(2, 4 * kLink + kMemory)));
}

TEST_F(ForeignMemoryTest, AnAtMemoryMayBeWhereTheHostHasItsData) {
    ForeignAtMemory host("host", kMemoryBytes, timing(true));
    DriveBench::Options options;
    options.data = &host.socket;
    options.run_ahead = true;
    bench_ =
        std::make_unique<DriveBench>("bench",
                                     small_drive({"alloc.scheme=cwdp", "dram.model=ideal",
                                                  "host.queue_depth=1", "precondition.fill=1.0"}),
                                     each_way(), options);
    run();
    bench_->expect_sound();
    std::vector<TimePs> times(8, kMemory); // the memory instead of the link
    times.resize(12, kCommand + kTr + kPage + kMemory);
    EXPECT_EQ(latencies(), times);
    EXPECT_EQ(host.served(), 12u);
}

TEST_F(ForeignMemoryTest, AWorkloadRunsThroughAnAtMemory) {
    Mix mix;
    mix.requests = 600;
    const SsdConfig config = small_drive({"host.interface=sata"});
    play_at(timing(true, 400 * kNs), random_requests(mix, capacity_of(config), kPageBytes),
            {"host.interface=sata"});
    EXPECT_GT(at_->served(), 1000u);
    EXPECT_GT(bench_->erases(), 0u);
}

TEST_F(ForeignMemoryTest, AnLtMemoryAddsItsLatencyToEachAccess) {
    ForeignLtMemory memory("memory", kMemoryBytes, to_sc_time(kLatency), true);
    play(memory.socket, each_way(), kOneByOne);
    EXPECT_EQ(latencies(), times_of_each_way(kLatency));
    EXPECT_EQ(memory.served(), bench_->sdram_transfers());
}

TEST_F(ForeignMemoryTest, AnLtMemoryMayAnnotateItsLatency) {
    ForeignLtMemory memory("memory", kMemoryBytes, to_sc_time(kLatency), false);
    play(memory.socket, each_way(), kOneByOne);
    EXPECT_EQ(latencies(), times_of_each_way(kLatency));
}

TEST_F(ForeignMemoryTest, TheClockRunsAheadOnlyWhereAllModulesAreOurs) {
    DriveBench::Options options;
    options.run_ahead = true;
    DriveBench ours("ours", small_drive(), pages(RequestOp::kWrite, 0, 8), options);
    ForeignAtMemory memory("memory", kMemoryBytes, timing());
    options.memory = &memory.socket;
    DriveBench theirs("theirs", small_drive(), pages(RequestOp::kWrite, 0, 8), options);
    options = {};
    DriveBench unasked("unasked", small_drive(), pages(RequestOp::kWrite, 0, 8), options);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    EXPECT_TRUE(ours.ssd().runs_ahead()) << "through monitors and spies";
    EXPECT_FALSE(theirs.ssd().runs_ahead());
    EXPECT_FALSE(unasked.ssd().runs_ahead());
}

TEST_F(ForeignMemoryTest, AMemoryThatIsTooSmallStopsTheRunAndSaysWhy) {
    ForeignAtMemory memory("memory", 4096, timing());
    DriveBench::Options options;
    options.memory = &memory.socket;
    DriveBench bench("bench", small_drive(), pages(RequestOp::kWrite, 0, 8), options);
    EXPECT_NE(run_to_error().find("TLM_ADDRESS_ERROR_RESPONSE"), std::string::npos);
}

// ---- modules that know each other ---------------------------------------------------------------

/// A binder of its own keeps a drive from asking its modules without a payload.
class AskedDirectlyTest : public SystemcTest, private SocketBinderIf, private RequestLogIf {
  protected:
    /// When each request was answered, and what the SDRAM did.
    std::vector<std::uint64_t> play(const std::vector<std::string>& overrides,
                                    SocketBinderIf* binder) {
        completed_.clear();
        const SsdConfig config = small_drive(overrides);
        std::unique_ptr<DriveCore> core = build_core(config, nullptr);
        Mix mix;
        mix.fua = 10;
        ListSource source(
            random_requests(mix, core->ftl().logical_pages() * kPageBytes, kPageBytes));
        HostInterface::Params host;
        host.queue_depth = most_outstanding(config.host);
        host.closed_loop = true;
        SsdProbes probes;
        probes.binder = binder;
        probes.requests = this;
        Ssd ssd("ssd", config, std::move(core), source, host, probes);
        ssd.run_ahead();
        run();
        EXPECT_GT(ssd.check_end_of_run(), 0u);
        const auto sdram = ssd.sdram().statistics();
        completed_.insert(completed_.end(), {sdram.reads, sdram.writes, sdram.bytes});
        return completed_;
    }
    SocketBinderIf* with_payloads() { return this; }
    std::size_t bound_ = 0;

  private:
    void bind(tlm::tlm_initiator_socket<64>& from, tlm::tlm_target_socket<64>& to) override {
        ++bound_;
        from.bind(to);
    }
    void completed(const CompletedRequest& request) override {
        completed_.push_back(request.completed);
    }
    std::vector<std::uint64_t> completed_;
};

TEST_F(AskedDirectlyTest, TakesTheTimeOfAPayload) {
    const std::vector<std::vector<std::string>> drives{
        {"dram.model=ideal", "host.interface=direct"},
        {"dram.model=banked"},
        {"dram.model=banked", "dram.scheduling=fr-fcfs"},
        {"dram.model=banked", "host.interface=sata"},
        {"dram.model=banked", "host.interface=nvme"},
        {"dram.model=banked", "buffer.policy=none"}};
    for (const std::vector<std::string>& drive : drives) {
        restart_kernel();
        const std::vector<std::uint64_t> direct = play(drive, nullptr);
        EXPECT_EQ(bound_, 0u);
        restart_kernel();
        EXPECT_EQ(play(drive, with_payloads()), direct) << drive.back();
        EXPECT_EQ(std::exchange(bound_, 0), 3u);
        EXPECT_GT(direct.size(), 1000u);
    }
}

// ---- a host of others ---------------------------------------------------------------------------

/// Any host in place of ours, which has nothing to do but the link.
class ForeignHostTest : public SystemcTest, private SocketBinderIf {
  protected:
    using Access = ForeignLtInitiator::Access;

    void play(const std::vector<std::vector<Access>>& hosts,
              const std::vector<std::string>& overrides, TimePs quantum = 0, TimePs work = 0) {
        for (const auto& accesses : hosts) {
            const std::string name = "host_" + std::to_string(hosts_.size());
            hosts_.push_back(std::make_unique<ForeignLtInitiator>(
                name.c_str(), accesses, to_sc_time(quantum), to_sc_time(work)));
        }
        std::vector<std::string> all{"alloc.scheme=cwdp", "dram.model=ideal"};
        all.insert(all.end(), overrides.begin(), overrides.end());
        const SsdConfig config = small_drive(all);
        SsdProbes probes;
        probes.binder = this;
        HostInterface::Params host;
        host.queue_depth = most_outstanding(config.host);
        ssd_ = std::make_unique<Ssd>("ssd", config, build_core(config, nullptr), source_, host,
                                     probes);
        ssd_->run_ahead();
        run();
        EXPECT_GT(ssd_->check_end_of_run(), 0u);
        for (const auto& monitor : monitors_) {
            EXPECT_EQ(monitor->breaches().size(), wrong_) << monitor->name();
            EXPECT_EQ(monitor->unfinished(), 0u);
        }
    }
    [[nodiscard]] std::vector<TimePs> answered_at(std::size_t host = 0) const {
        std::vector<TimePs> times;
        for (const auto& answer : hosts_[host]->answers()) {
            EXPECT_EQ(answer.status, tlm::TLM_OK_RESPONSE);
            times.push_back(to_ps(answer.at));
        }
        return times;
    }
    static std::vector<Access> pages(tlm::tlm_command command, std::uint64_t first,
                                     std::uint64_t count) {
        std::vector<Access> all;
        for (std::uint64_t lpn = first; lpn < first + count; ++lpn) {
            all.push_back({command, lpn * kPageBytes, kPageBytes});
        }
        return all;
    }
    /// Each takes so long, one after the other.
    static std::vector<TimePs> every(TimePs time, std::size_t count) {
        std::vector<TimePs> times;
        for (std::size_t i = 1; i <= count; ++i) {
            times.push_back(i * time);
        }
        return times;
    }

    std::size_t wrong_ = 0; ///< accesses of each host that the monitor reports
    std::vector<std::unique_ptr<ForeignLtInitiator>> hosts_;
    std::unique_ptr<Ssd> ssd_;

  private:
    /// Called for commands, link and SDRAM in this order.
    void bind(tlm::tlm_initiator_socket<64>& from, tlm::tlm_target_socket<64>& to) override {
        if (bound_++ != 0) {
            from.bind(to);
            return;
        }
        idle_ = std::make_unique<RawTarget>("idle");
        from.bind(idle_->socket);
        bus_ = std::make_unique<Bus>("bus", hosts_.size());
        for (std::size_t i = 0; i < hosts_.size(); ++i) {
            const std::string name = "monitor_" + std::to_string(i);
            monitors_.push_back(std::make_unique<BaseProtocolMonitor>(name.c_str()));
            hosts_[i]->socket.bind(monitors_[i]->target_socket);
            monitors_[i]->initiator_socket.bind(*bus_->sockets[i]);
        }
        bus_->out.bind(to);
    }
    /// Several loosely timed hosts share the drive.
    struct Bus final : sc_core::sc_module {
        Bus(const sc_core::sc_module_name& name, std::size_t hosts) : sc_module(name) {
            for (std::size_t i = 0; i < hosts; ++i) {
                sockets.push_back(std::make_unique<tlm_utils::simple_target_socket<Bus, 64>>(
                    ("in_" + std::to_string(i)).c_str()));
                sockets.back()->register_b_transport(this, &Bus::transport);
            }
        }
        void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
            out->b_transport(payload, delay);
        }
        std::vector<std::unique_ptr<tlm_utils::simple_target_socket<Bus, 64>>> sockets;
        tlm_utils::simple_initiator_socket<Bus, 64> out{"out"};
    };

    ListSource source_{std::vector<HostRequest>{}};
    std::unique_ptr<RawTarget> idle_;
    std::unique_ptr<Bus> bus_;
    std::vector<std::unique_ptr<BaseProtocolMonitor>> monitors_;
    int bound_ = 0;
};

TEST_F(ForeignHostTest, AWriteIntoTheBufferReturnsAfterTheLink) {
    play({pages(tlm::TLM_WRITE_COMMAND, 0, 10)}, {});
    EXPECT_EQ(answered_at(), every(kLink, 10));
    EXPECT_EQ(ssd_->core().buffer_counters().write_misses, 10u);
}

TEST_F(ForeignHostTest, AReadFromFlashReturnsAfterCommandTrReadOutAndLink) {
    play({pages(tlm::TLM_READ_COMMAND, 0, 10)}, {"precondition.fill=1.0"});
    EXPECT_EQ(answered_at(), every(kCommand + kTr + kPage + kLink, 10));
}

TEST_F(ForeignHostTest, AnAccessBeginsAtTheLocalTimeOfItsInitiator) {
    play({pages(tlm::TLM_WRITE_COMMAND, 0, 10)}, {}, 100 * kUs, 3 * kUs);
    EXPECT_EQ(answered_at(), every(3 * kUs + kLink, 10));
}

TEST_F(ForeignHostTest, TwoHostsShareTheLink) {
    play({pages(tlm::TLM_WRITE_COMMAND, 0, 1), pages(tlm::TLM_WRITE_COMMAND, 8, 1)}, {});
    EXPECT_EQ(answered_at(0), every(kLink, 1));
    EXPECT_EQ(answered_at(1), every(2 * kLink, 1));
}

TEST_F(ForeignHostTest, OverwritingTheDriveManyTimesCollects) {
    std::vector<Access> accesses;
    Random random(5);
    for (int i = 0; i < 3000; ++i) {
        accesses.push_back({random.below(4) == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
                            random.below(100) * kPageBytes, kPageBytes});
    }
    play({accesses, accesses}, {"precondition.fill=1.0"});
    EXPECT_EQ(answered_at(0).size(), 3000u);
    EXPECT_EQ(answered_at(1).size(), 3000u);
    EXPECT_GT(ssd_->core().ftl().counters().gc_pages, 0u);
}

TEST_F(ForeignHostTest, WhatTheDriveCannotDoIsAnsweredAtOnceWithItsError) {
    const std::uint64_t capacity = capacity_of(small_drive());
    static unsigned char enables = 0xFF;
    wrong_ = 2; // streaming, byte enables without length
    play({{
             {tlm::TLM_READ_COMMAND, capacity, kPageBytes},
             {tlm::TLM_WRITE_COMMAND, capacity - 512, 1024},
             {tlm::TLM_WRITE_COMMAND, ~std::uint64_t{0} - 511, 512},
             {tlm::TLM_READ_COMMAND, 0, 1024, [](auto& p) { p.set_streaming_width(512); }},
             {tlm::TLM_WRITE_COMMAND, 0, 512, [](auto& p) { p.set_byte_enable_ptr(&enables); }},
             {tlm::TLM_IGNORE_COMMAND, 0, 512},
             {tlm::TLM_WRITE_COMMAND, capacity - 512, 512},
         }},
         {});
    const tlm::tlm_response_status expected[] = {tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                                 tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                                 tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                                 tlm::TLM_BURST_ERROR_RESPONSE,
                                                 tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE,
                                                 tlm::TLM_OK_RESPONSE,
                                                 tlm::TLM_OK_RESPONSE};
    ASSERT_EQ(hosts_[0]->answers().size(), 7u);
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_EQ(hosts_[0]->answers()[i].status, expected[i]) << i;
        EXPECT_EQ(to_ps(hosts_[0]->answers()[i].at), i < 6 ? 0 : kLink / 4) << i;
    }
    EXPECT_EQ(ssd_->core().buffer_counters().write_misses, 1u);
}

} // namespace
} // namespace cavern::testing
