// The SDRAM controller on its socket: phases, clocks, exclusion rules, wrong requests. One
// simulation a process.

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>

#include "bench/dram_reference_streams.h"
#include "core/base/error.h"
#include "core/base/random.h"
#include "tests/support/base_protocol_monitor.h"
#include "tests/support/foreign_modules.h"
#include "timed/dram/sdram_controller.h"
#include "timed/tlm/payload_pool.h"

namespace cavern {
namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using sc_core::SC_ZERO_TIME;
using Payload = tlm::tlm_generic_payload;

/// How an initiator takes a BEGIN_RESP.
enum class Reply { kCompleted, kUpdated, kAcceptedThenEnd, kEndInsideCall };

sc_time ps(std::uint64_t value) {
    return sc_time::from_value(value);
}

/// Sends requests at given times, answers BEGIN_RESP as told, notes when each came.
class Initiator final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_initiator_socket<64> socket{"socket"};

    explicit Initiator(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.bind(*this);
        SC_HAS_PROCESS(Initiator);
        SC_METHOD(step);
        sensitive << agenda_event_;
        dont_initialize();
    }

    void at(std::uint64_t time_ps, std::function<void()> action) {
        agenda_.emplace(time_ps, std::move(action));
        agenda_event_.notify(ps(agenda_.begin()->first) - sc_time_stamp());
    }

    Payload& make(tlm::tlm_command command, std::uint64_t address, unsigned int length) {
        Payload& payload = *pool.acquire();
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_length(length);
        payload.set_streaming_width(length);
        payload.set_data_ptr(data.data());
        return payload;
    }

    tlm::tlm_sync_enum send(Payload& payload, std::uint64_t delay_ps = 0) {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_time delay = ps(delay_ps);
        const tlm::tlm_sync_enum result = socket->nb_transport_fw(payload, phase, delay);
        if (result == tlm::TLM_COMPLETED) {
            note(payload, delay);
            payload.release();
        } else {
            EXPECT_EQ(result, tlm::TLM_UPDATED);
            EXPECT_EQ(phase, tlm::END_REQ);
        }
        return result;
    }

    void read_at(std::uint64_t time_ps, std::uint64_t address, unsigned int length = 32) {
        at(time_ps, [=] { send(make(tlm::TLM_READ_COMMAND, address, length)); });
    }

    struct Answer {
        std::uint64_t address;
        TimePs at;
        tlm::tlm_response_status status;
    };

    std::vector<unsigned char> data = std::vector<unsigned char>(16384);
    PayloadPool pool;
    std::vector<Answer> answers;
    std::function<Reply()> reply = [] { return Reply::kCompleted; };
    std::uint64_t end_delay_ps = 0; ///< annotated, or until END_RESP is called
    std::function<void()> on_answer = [] {};

  private:
    void note(const Payload& payload, const sc_time& ahead = SC_ZERO_TIME) {
        answers.push_back({payload.get_address(), (sc_time_stamp() + ahead).value(),
                           payload.get_response_status()});
    }

    void step() {
        while (!agenda_.empty() && agenda_.begin()->first <= sc_time_stamp().value()) {
            const auto action = agenda_.begin()->second;
            agenda_.erase(agenda_.begin());
            action();
        }
        if (!agenda_.empty()) {
            agenda_event_.notify(ps(agenda_.begin()->first) - sc_time_stamp());
        }
    }

    void end_response(Payload& payload) {
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_time delay = SC_ZERO_TIME;
        EXPECT_NE(socket->nb_transport_fw(payload, phase, delay), tlm::TLM_UPDATED);
        payload.release();
    }

    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_time& delay) override {
        EXPECT_EQ(phase, tlm::BEGIN_RESP);
        EXPECT_EQ(delay, SC_ZERO_TIME);
        note(payload);
        on_answer();
        switch (reply()) {
        case Reply::kCompleted:
            delay += ps(end_delay_ps);
            payload.release();
            return tlm::TLM_COMPLETED;
        case Reply::kUpdated:
            phase = tlm::END_RESP;
            delay += ps(end_delay_ps);
            payload.release();
            return tlm::TLM_UPDATED;
        case Reply::kAcceptedThenEnd:
            at(sc_time_stamp().value() + end_delay_ps, [this, &payload] { end_response(payload); });
            return tlm::TLM_ACCEPTED;
        case Reply::kEndInsideCall:
            end_response(payload);
            return tlm::TLM_ACCEPTED;
        }
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) override {}

    std::multimap<std::uint64_t, std::function<void()>> agenda_;
    sc_core::sc_event agenda_event_{"agenda_event"};
};

constexpr std::uint64_t kCapacity = 64 * kMiB;
constexpr TimePs kClock = 1250;

class SdramProtocolTest : public ::testing::Test {
  protected:
    void build(bool ideal = false, bool answer_ahead = false, const SdramTiming& timing = {},
               SdramInterleave interleave = {}) {
        sdram = std::make_unique<SdramController>("sdram", timing, kCapacity, ideal, answer_ahead,
                                                  interleave);
        monitor = std::make_unique<BaseProtocolMonitor>("monitor");
        initiator = std::make_unique<Initiator>("initiator");
        initiator->socket.bind(monitor->target_socket);
        monitor->initiator_socket.bind(sdram->target_socket);
    }

    /// Runs until nothing is left to happen, then asks that all is answered by the rules, and that
    /// so many requests were wrong.
    void run_clean(std::size_t transactions, std::size_t wrong = 0) {
        sc_core::sc_start(sc_time(1, sc_core::SC_SEC));
        EXPECT_EQ(monitor->breaches().size(), wrong)
            << (monitor->breaches().empty() ? "" : monitor->breaches().front());
        EXPECT_EQ(monitor->transactions(), transactions);
        EXPECT_EQ(monitor->unfinished(), 0u);
        EXPECT_EQ(initiator->answers.size(), transactions);
        EXPECT_EQ(sdram->outstanding(), 0u);
        EXPECT_EQ(initiator->pool.in_flight(), 0u);
    }

    [[nodiscard]] const Initiator::Answer& answer(std::size_t i) const {
        return initiator->answers.at(i);
    }

    std::unique_ptr<SdramController> sdram;
    std::unique_ptr<BaseProtocolMonitor> monitor;
    std::unique_ptr<Initiator> initiator;
};

TEST_F(SdramProtocolTest, AReadIsAnsweredAtTheClockItsDataEnds) {
    build();
    initiator->read_at(0, 0);
    initiator->read_at(1'000'000, 64);
    run_clean(2);
    EXPECT_EQ(answer(0).at, (11 + 11 + 4) * kClock);
    EXPECT_EQ(answer(1).at, 1'000'000 + (11 + 4) * kClock);
    EXPECT_EQ(answer(0).status, tlm::TLM_OK_RESPONSE);
    const SdramController::Statistics s = sdram->statistics();
    EXPECT_EQ(s.reads, 2u);
    EXPECT_EQ(s.bytes, 64u);
    EXPECT_EQ(s.row_hits, 1u);
    EXPECT_EQ(s.busy, 2 * 4 * kClock);
}

// Alone from its request to its end, an access takes as long whether it is answered ahead or not.
TEST_F(SdramProtocolTest, AnAnswerAheadNamesTheClockTheDataEnds) {
    build(false, true);
    FrFcfsScheduler alone{SdramTiming{}};
    Random random(3);
    std::vector<DramClock> expected;
    std::uint64_t ahead = 0;
    DramClock now = 0;
    for (std::uint64_t i = 0; i < 3000; ++i) {
        now += 4000 + random.below(6000); // beyond the end of the one before
        const std::uint64_t address = random.below(4096) * 4096;
        const bool write = random.below(2) == 0;
        const unsigned int bytes = random.below(4) == 0 ? 16384 : 4096; // several rows or one
        alone.push(i, address, bytes, write, now);
        DramClock end = 0;
        while (end == 0) {
            const DramClock wake = alone.next_wake();
            alone.advance(wake);
            while (alone.has_completion(wake)) {
                end = alone.pop_completion().end;
            }
        }
        expected.push_back(end);
        initiator->at(now * kClock, [=, &ahead] {
            const tlm::tlm_sync_enum result = initiator->send(initiator->make(
                write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, bytes));
            ahead += result == tlm::TLM_COMPLETED ? 1 : 0;
        });
    }
    run_clean(3000);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(answer(i).at, expected[i] * kClock) << i;
    }
    EXPECT_GT(ahead, 2000u);
    EXPECT_LT(ahead, 2500u); // only accesses to one row
    EXPECT_GT(sdram->statistics().row_conflicts, 100u);
}

TEST_F(SdramProtocolTest, WhatOverlapsAnAnswerAheadWaitsItsTurn) {
    build(false, true);
    initiator->read_at(0, 0, 4096);
    initiator->read_at(0, 8192, 32);
    run_clean(2);
    EXPECT_EQ(answer(0).at, (11 + 11 + 128 * 4) * kClock);
    EXPECT_EQ(answer(1).at, answer(0).at + 4 * kClock);
}

// 64 of the 128 bursts in each channel, by turns in two bank groups.
TEST_F(SdramProtocolTest, APageOverTwoChannelsOfDdr4TakesHalfItsBurstsInEach) {
    build(false, false, ddr4_3200(), {2, 512});
    initiator->read_at(0, 0, 4096);
    initiator->read_at(1'000'000, 8192 - 256, 512); // half of it in each channel
    run_clean(2);
    EXPECT_EQ(answer(0).at, (22 + 63 * 4 + 22 + 4) * 625u);
    EXPECT_EQ(answer(1).at, 1'000'000 + (7 * 4 + 22 + 4) * 625u); // the rows are open
    EXPECT_EQ(sdram->statistics().reads, 2u);
    EXPECT_EQ(sdram->statistics().activates, 4u);
}

TEST_F(SdramProtocolTest, EveryReplyKeepsTheRulesOverSeveralChannelsAndRanks) {
    SdramTiming timing = ddr4_3200();
    timing.ranks = 2;
    build(false, true, timing, {4, 256});
    Random random(4);
    int sent = 0;
    const auto send_one = [&] {
        initiator->send(initiator->make(
            random.below(2) != 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
            random.below(kCapacity - 16384), 1 + static_cast<unsigned int>(random.below(8192))));
    };
    initiator->reply = [&] { return static_cast<Reply>(random.below(4)); };
    for (; sent < 3000; ++sent) {
        initiator->at(1000 * random.below(3'000'000), send_one);
    }
    run_clean(3000);
    EXPECT_GT(sdram->statistics().row_open, 0u);
}

// Two rows of a bank, and the first again: bank 0 rows 0 and 1.
TEST_F(SdramProtocolTest, WhereAccessesCompeteAnOpenRowGoesFirst) {
    build();
    initiator->read_at(0, 0);
    initiator->read_at(0, 8 * 4096);
    initiator->read_at(0, 64);
    run_clean(3);
    EXPECT_EQ(answer(1).address, 64u);
    EXPECT_EQ(answer(1).at, (11 + 4 + 11 + 4) * kClock);
    EXPECT_EQ(answer(2).at, (28 + 11 + 11 + 11 + 4) * kClock); // tRAS tRP tRCD CL BL/2
}

TEST_F(SdramProtocolTest, WhereAccessesAreAnsweredAheadTheirOrderStays) {
    build(false, true);
    initiator->read_at(0, 0);
    initiator->read_at(0, 8 * 4096);
    initiator->read_at(0, 64);
    run_clean(3);
    EXPECT_EQ(answer(1).address, 8u * 4096);
    EXPECT_EQ(answer(2).at, (2 * (28 + 11) + 11 + 11 + 4) * kClock);
}

TEST_F(SdramProtocolTest, AnArrivalBetweenClockEdgesCountsFromTheNext) {
    build();
    initiator->read_at(1, 0);
    run_clean(1);
    EXPECT_EQ(answer(0).at, (1 + 11 + 11 + 4) * kClock);
}

TEST_F(SdramProtocolTest, ASecondResponseWaitsForTheEndOfTheFirst) {
    build();
    initiator->reply = [] { return Reply::kAcceptedThenEnd; };
    initiator->end_delay_ps = 777'000;
    initiator->read_at(0, 0);
    initiator->read_at(0, 32);
    initiator->read_at(0, 64);
    run_clean(3);
    EXPECT_EQ(answer(0).at, 26 * kClock);
    EXPECT_EQ(answer(1).at, 26 * kClock + 777'000);
    EXPECT_EQ(answer(2).at, 26 * kClock + 2 * 777'000);
}

TEST_F(SdramProtocolTest, AnAnnotatedEndOfAResponseIsWaitedFor) {
    build();
    initiator->reply = [] { return Reply::kUpdated; };
    initiator->end_delay_ps = 55'000;
    initiator->read_at(0, 0);
    initiator->read_at(0, 32);
    run_clean(2);
    EXPECT_EQ(answer(1).at, 26 * kClock + 55'000);
}

TEST_F(SdramProtocolTest, AnAnnotatedRequestArrivesLater) {
    build();
    initiator->at(0, [this] {
        initiator->send(initiator->make(tlm::TLM_READ_COMMAND, 0, 32), 10'000);
        initiator->send(initiator->make(tlm::TLM_READ_COMMAND, 4096, 32), 10'000);
    });
    run_clean(2);
    EXPECT_EQ(answer(0).at, (8 + 11 + 11 + 4) * kClock);
    EXPECT_EQ(answer(1).at, (8 + 5 + 11 + 11 + 4) * kClock); // its ACT waits for tRRD
}

TEST_F(SdramProtocolTest, WrongRequestsGetTheirErrorAndDisturbNothing) {
    build();
    unsigned char enable = 0;
    initiator->at(0, [&] {
        initiator->send(initiator->make(tlm::TLM_READ_COMMAND, 0, 0));
        initiator->send(initiator->make(tlm::TLM_WRITE_COMMAND, kCapacity, 32));
        initiator->send(initiator->make(tlm::TLM_WRITE_COMMAND, kCapacity - 32, 64));
        initiator->send(initiator->make(tlm::TLM_READ_COMMAND, ~std::uint64_t{0}, 32));
        Payload& enabled = initiator->make(tlm::TLM_WRITE_COMMAND, 0, 32);
        enabled.set_byte_enable_ptr(&enable);
        initiator->send(enabled);
        Payload& streaming = initiator->make(tlm::TLM_READ_COMMAND, 0, 32);
        streaming.set_streaming_width(16);
        initiator->send(streaming);
        initiator->send(initiator->make(tlm::TLM_IGNORE_COMMAND, 0, 32));
        initiator->send(initiator->make(tlm::TLM_READ_COMMAND, kCapacity - 32, 32));
    });
    run_clean(8, 4); // neither length nor width, byte enables without length, streaming
    const tlm::tlm_response_status expected[] = {tlm::TLM_BURST_ERROR_RESPONSE,
                                                 tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                                 tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                                 tlm::TLM_ADDRESS_ERROR_RESPONSE,
                                                 tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE,
                                                 tlm::TLM_BURST_ERROR_RESPONSE,
                                                 tlm::TLM_OK_RESPONSE,
                                                 tlm::TLM_OK_RESPONSE};
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(answer(i).status, expected[i]) << i;
    }
    EXPECT_EQ(answer(6).at, 0u);
    EXPECT_EQ(answer(7).at, 26 * kClock);
    EXPECT_EQ(sdram->statistics().reads + sdram->statistics().writes, 1u);
}

TEST_F(SdramProtocolTest, EveryKindOfReplyKeepsTheRulesUnderLoad) {
    build();
    Random random(5);
    std::uint64_t sent = 0;
    const auto send_one = [&] {
        const unsigned int lengths[] = {32, 64, 4096, 16384};
        initiator->send(
            initiator->make(random.below(2) == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND,
                            random.below(kCapacity / 2) + (random.below(20) == 0 ? kCapacity : 0),
                            lengths[random.below(4)]));
    };
    initiator->reply = [&] { return static_cast<Reply>(random.below(4)); };
    initiator->on_answer = [&] {
        initiator->end_delay_ps = random.below(3) == 0 ? random.below(100'000) : 0;
        if (sent < 5000) {
            ++sent;
            initiator->at(sc_time_stamp().value() + random.below(50'000), send_one);
        }
    };
    for (; sent < 40; ++sent) { // more than the window of 32
        initiator->at(0, send_one);
    }
    run_clean(5000);
    EXPECT_GT(sdram->statistics().refreshes, 100u);
}

TEST_F(SdramProtocolTest, TheMonitorSeesAnInitiatorThatBreaksTheRules) {
    build();
    initiator->at(0, [this] {
        Payload& payload = initiator->make(tlm::TLM_READ_COMMAND, 0, 32);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        initiator->send(payload);
    });
    sc_core::sc_start(sc_time(1, sc_core::SC_MS));
    EXPECT_EQ(monitor->breaches().size(), 1u);
}

TEST_F(SdramProtocolTest, ResponsesComeWhenTheSchedulerAloneSaysSo) {
    build();
    const SdramTiming timing;
    FrFcfsScheduler alone(timing);
    Random random(9);
    DramClock now = 0;
    std::vector<DramClock> expected;
    const auto drain = [&](DramClock until) {
        for (DramClock wake = alone.next_wake(); wake <= until && wake != kNoClock;
             wake = alone.next_wake()) {
            alone.advance(wake);
            while (alone.has_completion(wake)) {
                expected.push_back(alone.pop_completion().end);
            }
        }
    };
    for (std::uint64_t i = 0; i < 3000; ++i) {
        now += random.below(900);
        const std::uint64_t address = random.below(4096) * 4096;
        drain(now);
        alone.push(i, address, 4096, false, now);
        initiator->read_at(now * kClock, address, 4096);
    }
    drain(kNoClock - 1);
    run_clean(3000);
    ASSERT_EQ(expected.size(), 3000u);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(answer(i).at, expected[i] * kClock) << i;
    }
    EXPECT_LT(static_cast<double>(sdram->wakes()), 1.3 * 3000);
}

TEST_F(SdramProtocolTest, TheIdealModelCompletesAtOnce) {
    build(true);
    initiator->read_at(100, 0, 16384);
    initiator->read_at(100, kCapacity, 32);
    run_clean(2);
    EXPECT_EQ(answer(0).at, 100u);
    EXPECT_EQ(answer(0).status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(answer(1).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(sdram->statistics().reads, 1u);
    EXPECT_EQ(sdram->statistics().bytes, 16384u);
    EXPECT_EQ(sdram->statistics().refreshes, 0u);
}

TEST_F(SdramProtocolTest, StatisticsStartAgainAfterAReset) {
    build();
    initiator->read_at(0, 0);
    initiator->at(8'000'000, [this] { sdram->reset_statistics(); });
    initiator->read_at(9'000'000, 0, 64);
    initiator->at(16'000'000, [] { sc_core::sc_stop(); });
    sc_core::sc_start();
    EXPECT_EQ(sdram->statistics().reads, 1u);
    EXPECT_EQ(sdram->statistics().bytes, 64u);
    EXPECT_EQ(sdram->statistics().refreshes, 1u); // 15.6 us; the one at 7.8 us was before
    EXPECT_EQ(sdram->refreshes(16'000'000), 2u);
}

TEST_F(SdramProtocolTest, DebugAndDmiRefuse) {
    build();
    Payload payload;
    EXPECT_EQ(sdram->target_socket.get_base_export()->transport_dbg(payload), 0u);
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(sdram->target_socket.get_base_export()->get_direct_mem_ptr(payload, dmi));
    EXPECT_TRUE(dmi.is_none_allowed());
}

TEST_F(SdramProtocolTest, IgnorablePhasesPass) {
    build();
    initiator->reply = [] { return Reply::kAcceptedThenEnd; };
    initiator->end_delay_ps = 50'000;
    initiator->at(0, [this] {
        Payload& payload = initiator->make(tlm::TLM_READ_COMMAND, 0, 32);
        initiator->send(payload);
        const auto pass = [this, &payload] {
            tlm::tlm_phase phase = testing::FOREIGN_DATA_MOVING;
            sc_time delay = ps(3);
            EXPECT_EQ(initiator->socket->nb_transport_fw(payload, phase, delay), tlm::TLM_ACCEPTED);
            EXPECT_EQ(phase, testing::FOREIGN_DATA_MOVING);
            EXPECT_EQ(delay, ps(3));
        };
        pass();
        initiator->at(26 * kClock + 20'000, pass); // within the response
    });
    run_clean(1);
    EXPECT_EQ(answer(0).at, 26 * kClock);
}

/// A loosely timed initiator alone: each access takes as long as the scheduler says that it takes.
class SdramBlockingTest : public SdramProtocolTest, public ::testing::WithParamInterface<bool> {};

TEST_P(SdramBlockingTest, TakesAsLongAsTheAccess) {
    FrFcfsScheduler alone{SdramTiming{}};
    Random random(4);
    std::vector<testing::ForeignLtInitiator::Access> accesses;
    std::vector<TimePs> expected;
    constexpr TimePs kWork = 1'000 * kClock;
    DramClock now = 0;
    for (std::uint64_t i = 0; i < 500; ++i) {
        const std::uint64_t address = random.below(4096) * 4096;
        const bool write = random.below(2) == 0;
        const unsigned int bytes = random.below(4) == 0 ? 16384 : 4096; // several rows or one
        accesses.push_back(
            {write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, address, bytes});
        now += kWork / kClock;
        alone.push(i, address, bytes, write, now);
        for (DramClock end = 0; end == 0;) {
            const DramClock wake = alone.next_wake();
            alone.advance(wake);
            while (alone.has_completion(wake)) {
                end = alone.pop_completion().end;
                now = end;
            }
        }
        expected.push_back(now * kClock);
    }
    SdramController target("sdram", SdramTiming{}, kCapacity, false, GetParam());
    BaseProtocolMonitor watch("monitor");
    testing::ForeignLtInitiator host("host", accesses, ps(10 * kWork), ps(kWork));
    host.socket.bind(watch.target_socket);
    watch.initiator_socket.bind(target.target_socket);
    sc_core::sc_start(sc_time(1, sc_core::SC_SEC));
    ASSERT_EQ(host.answers().size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(host.answers()[i].status, tlm::TLM_OK_RESPONSE);
        ASSERT_EQ(host.answers()[i].at.value(), expected[i]) << i;
    }
    EXPECT_TRUE(watch.breaches().empty()) << watch.breaches().front();
    EXPECT_EQ(target.statistics().reads + target.statistics().writes, 500u);
    EXPECT_EQ(target.outstanding(), 0u);
}

INSTANTIATE_TEST_SUITE_P(BothKinds, SdramBlockingTest, ::testing::Bool(),
                         [](const auto& ahead) { return ahead.param ? "Annotated" : "WithAWait"; });

TEST_F(SdramProtocolTest, BlockingTransportRefusesWhatIsWrong) {
    SdramController target("target", SdramTiming{}, kCapacity, false);
    testing::ForeignLtInitiator host(
        "host", {{tlm::TLM_READ_COMMAND, 0, 0},
                 {tlm::TLM_WRITE_COMMAND, kCapacity, 32},
                 {tlm::TLM_IGNORE_COMMAND, 0, 32},
                 {tlm::TLM_READ_COMMAND, 0, 32, [](Payload& p) { p.set_streaming_width(16); }}});
    host.socket.bind(target.target_socket);
    sc_core::sc_start(sc_time(1, sc_core::SC_SEC));
    const tlm::tlm_response_status expected[] = {
        tlm::TLM_BURST_ERROR_RESPONSE, tlm::TLM_ADDRESS_ERROR_RESPONSE, tlm::TLM_OK_RESPONSE,
        tlm::TLM_BURST_ERROR_RESPONSE};
    ASSERT_EQ(host.answers().size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(host.answers()[i].status, expected[i]) << i;
        EXPECT_EQ(host.answers()[i].at, SC_ZERO_TIME) << i;
    }
    EXPECT_EQ(target.statistics().reads + target.statistics().writes, 0u);
}

TEST_F(SdramProtocolTest, APayloadWithoutMemoryManagerIsServed) {
    build();
    Payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(0);
    payload.set_data_length(32);
    // Straight into the controller: the monitor asks for a memory manager, as the standard does.
    Initiator direct("direct");
    SdramController other("other", SdramTiming{}, kCapacity, false, false);
    direct.socket.bind(other.target_socket);
    direct.reply = [] { return Reply::kAcceptedThenEnd; };
    direct.at(0, [&] {
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_time delay = SC_ZERO_TIME;
        direct.socket->nb_transport_fw(payload, phase, delay);
    });
    direct.on_answer = [&] {
        EXPECT_EQ(payload.get_response_status(), tlm::TLM_OK_RESPONSE);
        sc_core::sc_stop(); // END_RESP would release what has no references
    };
    sc_core::sc_start();
    EXPECT_EQ(direct.answers.size(), 1u);
    EXPECT_EQ(payload.get_ref_count(), 0);
}

TEST_F(SdramProtocolTest, AnUnexpectedPhaseIsFatal) {
    build();
    Payload payload;
    for (const tlm::tlm_phase_enum wrong : {tlm::END_REQ, tlm::BEGIN_RESP, tlm::END_RESP}) {
        tlm::tlm_phase phase = wrong;
        sc_time delay = SC_ZERO_TIME;
        EXPECT_THROW(sdram->target_socket.get_base_export()->nb_transport_fw(payload, phase, delay),
                     ModelError);
    }
}

} // namespace
} // namespace cavern
