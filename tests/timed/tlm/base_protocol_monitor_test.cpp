// The monitor lets every legal form of a transaction pass, and reports each rule when an initiator
// or a target breaks it once. Were a rule not checked, its test here would find nothing reported.

#include "tests/support/base_protocol_monitor.h"

#include <functional>
#include <gtest/gtest.h>
#include <ostream>
#include <string>

#include "tests/support/foreign_modules.h"
#include "tests/support/raw_sockets.h"
#include "tests/support/script.h"
#include "tests/support/systemc_test.h"
#include "timed/tlm/payload_pool.h"

namespace cavern::testing {
namespace {

using Payload = tlm::tlm_generic_payload;
using tlm::BEGIN_REQ;
using tlm::BEGIN_RESP;
using tlm::END_REQ;
using tlm::END_RESP;
using tlm::TLM_ACCEPTED;
using tlm::TLM_COMPLETED;
using tlm::TLM_UPDATED;

class BaseProtocolMonitorTest : public SystemcTest {
  protected:
    BaseProtocolMonitorTest() {
        initiator_.socket.bind(monitor_.target_socket);
        monitor_.initiator_socket.bind(target_.socket);
    }

    Payload& make() {
        Payload& payload = *pool_.acquire();
        payload.set_command(tlm::TLM_READ_COMMAND);
        payload.set_address(0x1000);
        payload.set_data_ptr(data_);
        payload.set_data_length(64);
        payload.set_streaming_width(64);
        return payload;
    }
    static void answered(Payload& payload) { payload.set_response_status(tlm::TLM_OK_RESPONSE); }
    Answer request(Payload& payload, TimePs delay = 0) {
        return initiator_.call(payload, BEGIN_REQ, delay);
    }
    /// What the target answers to BEGIN_REQ.
    void target_answers(Answer given) {
        target_.answer = [given](Payload& payload, const tlm::tlm_phase& phase) {
            if (phase != BEGIN_REQ) {
                return Answer{TLM_COMPLETED};
            }
            if (given.result == TLM_COMPLETED || given.phase == BEGIN_RESP) {
                answered(payload);
            }
            return given;
        };
    }
    void initiator_answers(Answer given) {
        initiator_.answer = [given](Payload&, const tlm::tlm_phase& phase) {
            return phase == BEGIN_RESP ? given : Answer{};
        };
    }
    /// A request that is accepted and has had END_REQ.
    Payload& requested() {
        Payload& payload = make();
        request(payload);
        target_.call(payload, END_REQ);
        answered(payload);
        return payload;
    }
    void respond(Payload& payload, TimePs delay = 0) { target_.call(payload, BEGIN_RESP, delay); }

    /// Runs `wrong` and expects that it is reported once, with these words.
    void expect_breach(const std::string& words, const std::function<void()>& wrong) {
        script_.at(10 * kNs, wrong);
        run();
        ASSERT_EQ(monitor_.breaches().size(), 1u)
            << (monitor_.breaches().size() > 1 ? monitor_.breaches()[1] : "");
        EXPECT_NE(monitor_.breaches()[0].find(words), std::string::npos) << monitor_.breaches()[0];
        EXPECT_NE(monitor_.breaches()[0].find("monitor at 10 ns"), std::string::npos);
    }
    void expect_clean(std::uint64_t transactions, const std::function<void()>& right) {
        script_.at(10 * kNs, right);
        run();
        EXPECT_TRUE(monitor_.breaches().empty()) << monitor_.breaches()[0];
        EXPECT_EQ(monitor_.transactions(), transactions);
        EXPECT_EQ(monitor_.unfinished(), 0u);
    }

    unsigned char data_[64] = {};
    PayloadPool pool_;
    RawInitiator initiator_{"initiator"};
    BaseProtocolMonitor monitor_{"monitor"};
    RawTarget target_{"target"};
    Script script_{"script"};
};

// ---- what is right ------------------------------------------------------------------------------

TEST_F(BaseProtocolMonitorTest, FourCallsMakeATransaction) {
    expect_clean(1, [this] {
        Payload& payload = requested();
        respond(payload);
        initiator_.call(payload, END_RESP);
    });
    ASSERT_EQ(target_.seen.size(), 2u);
    ASSERT_EQ(initiator_.seen.size(), 2u);
}

TEST_F(BaseProtocolMonitorTest, PhasesMayComeOnReturnPaths) {
    target_answers({TLM_UPDATED, END_REQ, 2 * kNs});
    initiator_answers({TLM_UPDATED, END_RESP, 3 * kNs});
    expect_clean(1, [this] {
        Payload& payload = make();
        const Answer answer = request(payload, 1 * kNs);
        EXPECT_EQ(answer.phase, END_REQ);
        EXPECT_EQ(answer.delay, 3 * kNs); // handed on unchanged
        answered(payload);
        const Answer end = target_.call(payload, BEGIN_RESP, 4 * kNs);
        EXPECT_EQ(end.result, TLM_UPDATED);
        EXPECT_EQ(end.delay, 7 * kNs);
    });
    EXPECT_EQ(target_.seen.at(0).delay, 1 * kNs);
}

TEST_F(BaseProtocolMonitorTest, AResponseMayImplyTheEndOfItsRequest) {
    target_answers({TLM_UPDATED, BEGIN_RESP});
    expect_clean(1, [this] {
        Payload& payload = make();
        EXPECT_EQ(request(payload).phase, BEGIN_RESP);
        initiator_.call(payload, END_RESP);
    });
}

TEST_F(BaseProtocolMonitorTest, EitherSideMayCompleteEarly) {
    target_answers({TLM_COMPLETED});
    initiator_answers({TLM_COMPLETED});
    expect_clean(2, [this] {
        request(make());
        target_answers({});
        Payload& second = make();
        request(second);
        answered(second);
        respond(second);
    });
}

TEST_F(BaseProtocolMonitorTest, ManyRequestsMayBeOutstandingAndAnsweredInAnyOrder) {
    initiator_answers({TLM_COMPLETED});
    expect_clean(3, [this] {
        Payload& a = requested();
        Payload& b = requested();
        Payload& c = requested();
        respond(c);
        respond(a);
        respond(b);
    });
}

TEST_F(BaseProtocolMonitorTest, AnEarlyCompletionAheadOfItsTimeLeavesTheRequestPathFree) {
    target_answers({TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, 5 * kNs});
    expect_clean(2, [this] {
        EXPECT_EQ(request(make()).delay, 5 * kNs);
        request(make());
    });
}

TEST_F(BaseProtocolMonitorTest, OtherInterfacesPassThrough) {
    expect_clean(0, [this] {
        Payload& payload = make();
        tlm::tlm_dmi dmi;
        EXPECT_TRUE(initiator_.socket->get_direct_mem_ptr(payload, dmi));
        EXPECT_EQ(dmi.get_start_address(), 17u);
        EXPECT_EQ(initiator_.socket->transport_dbg(payload), 23u);
        target_.socket->invalidate_direct_mem_ptr(0, 1);
        EXPECT_EQ(initiator_.invalidations, 1);
        sc_core::sc_time delay;
        target_.on_b_transport = answered;
        initiator_.socket->b_transport(payload, delay);
    });
}

TEST_F(BaseProtocolMonitorTest, IgnorablePhasesPassOnBothPaths) {
    expect_clean(1, [this] {
        Payload& payload = make();
        request(payload);
        EXPECT_EQ(initiator_.call(payload, FOREIGN_DATA_MOVING, 1).result, TLM_ACCEPTED);
        target_.call(payload, END_REQ, 1);
        EXPECT_EQ(target_.call(payload, FOREIGN_DATA_MOVING, 2).result, TLM_ACCEPTED);
        answered(payload);
        respond(payload, 2);
        initiator_.call(payload, END_RESP, 2);
    });
    EXPECT_EQ(target_.seen.at(1).phase, FOREIGN_DATA_MOVING);
    EXPECT_EQ(initiator_.seen.at(1).phase, FOREIGN_DATA_MOVING);
}

TEST_F(BaseProtocolMonitorTest, AnIgnorablePhaseOnAReturnPathSaysAsMuchAsAccepted) {
    target_answers({TLM_UPDATED, FOREIGN_DATA_MOVING});
    initiator_answers({TLM_UPDATED, FOREIGN_DATA_MOVING});
    expect_clean(1, [this] {
        Payload& payload = requested();
        respond(payload);
        initiator_.call(payload, END_RESP);
    });
}

// ---- phases out of place ------------------------------------------------------------------------

TEST_F(BaseProtocolMonitorTest, ReportsAPhaseOnTheWrongPath) {
    expect_breach("phase END_REQ in a call on the forward path",
                  [this] { initiator_.call(make(), END_REQ); });
}

TEST_F(BaseProtocolMonitorTest, ReportsARequestOnTheBackwardPath) {
    expect_breach("phase BEGIN_REQ in a call on the backward path",
                  [this] { target_.call(make(), BEGIN_REQ); });
}

TEST_F(BaseProtocolMonitorTest, ReportsEndRespOnTheReturnOfARequest) {
    target_answers({TLM_UPDATED, END_RESP});
    expect_breach("phase END_RESP in the return from a forward call", [this] { request(make()); });
}

TEST_F(BaseProtocolMonitorTest, ReportsAnUpdateOfEndResp) {
    expect_breach("in the return from a forward call", [this] {
        Payload& payload = requested();
        respond(payload);
        target_.answer = [](auto&, const auto&) { return Answer{TLM_UPDATED, END_REQ}; };
        initiator_.call(payload, END_RESP);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsAnUpdateOfEndReq) {
    initiator_.answer = [](auto&, const auto&) { return Answer{TLM_UPDATED, END_RESP}; };
    expect_breach("phase END_RESP in the return from a backward call", [this] {
        Payload& payload = make();
        request(payload);
        target_.call(payload, END_REQ);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsEndReqAnsweredAsIfTheTransactionWereComplete) {
    initiator_.answer = [](auto&, const auto&) { return Answer{TLM_COMPLETED}; };
    expect_breach("no response yet", [this] {
        Payload& payload = make();
        request(payload);
        target_.call(payload, END_REQ);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsASecondEndReq) {
    expect_breach("END_REQ out of order", [this] {
        Payload& payload = requested();
        target_.call(payload, END_REQ);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsASecondBeginResp) {
    expect_breach("BEGIN_RESP out of order", [this] {
        Payload& payload = requested();
        respond(payload);
        respond(payload);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsEndRespBeforeTheResponse) {
    expect_breach("END_RESP out of order", [this] { initiator_.call(requested(), END_RESP); });
}

TEST_F(BaseProtocolMonitorTest, ReportsAResponseToNothing) {
    expect_breach("not in flight", [this] { respond(make()); });
}

TEST_F(BaseProtocolMonitorTest, ReportsATransactionThatEndsTwice) {
    expect_breach("not in flight", [this] {
        Payload& payload = requested();
        respond(payload);
        initiator_.call(payload, END_RESP);
        initiator_.call(payload, END_RESP);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsARequestOfATransactionInFlight) {
    expect_breach("BEGIN_REQ for a transaction in flight", [this] {
        Payload& payload = make();
        request(payload);
        target_.call(payload, END_REQ);
        request(payload);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsACompletionWhoseResponseIsUnderWay) {
    target_.answer = [this](Payload& payload, const tlm::tlm_phase&) {
        answered(payload);
        respond(payload); // the initiator only accepts it
        return Answer{TLM_COMPLETED};
    };
    expect_breach("while its response is under way", [this] { request(make()); });
}

TEST_F(BaseProtocolMonitorTest, ReportsACompletionWhileAnotherResponseIsUnderWay) {
    expect_breach("while another response is under way", [this] {
        respond(requested()); // the initiator withholds END_RESP
        target_answers({TLM_COMPLETED});
        request(make());
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsAnIgnorablePhaseBeforeTheRequest) {
    expect_breach("phase FOREIGN_DATA_MOVING in a call before BEGIN_REQ or after END_RESP",
                  [this] { initiator_.call(make(), FOREIGN_DATA_MOVING); });
}

TEST_F(BaseProtocolMonitorTest, ReportsAnIgnorablePhaseAfterTheResponse) {
    expect_breach("phase FOREIGN_DATA_MOVING in a call before BEGIN_REQ or after END_RESP", [this] {
        Payload& payload = requested();
        respond(payload);
        initiator_.call(payload, END_RESP);
        target_.call(payload, FOREIGN_DATA_MOVING);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsATargetThatAnswersAnIgnorablePhase) {
    target_.answer = [](Payload&, const tlm::tlm_phase& phase) {
        return phase == BEGIN_REQ ? Answer{} : Answer{TLM_UPDATED, END_REQ};
    };
    expect_breach("an ignorable phase is not merely accepted", [this] {
        Payload& payload = make();
        request(payload);
        initiator_.call(payload, FOREIGN_DATA_MOVING);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsAnInitiatorThatAnswersAnIgnorablePhase) {
    initiator_.answer = [](auto&, const auto&) { return Answer{TLM_COMPLETED}; };
    expect_breach("an ignorable phase is not merely accepted", [this] {
        Payload& payload = make();
        request(payload);
        target_.call(payload, FOREIGN_DATA_MOVING);
    });
}

// ---- exclusion ----------------------------------------------------------------------------------

TEST_F(BaseProtocolMonitorTest, ReportsASecondRequestBeforeTheFirstHasEnded) {
    expect_breach("a second request begins", [this] {
        request(make());
        request(make());
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsARequestEarlierThanTheAnnotatedEndOfTheLast) {
    target_answers({TLM_UPDATED, END_REQ, 5 * kNs});
    expect_breach("a second request begins", [this] {
        request(make());
        target_answers({});
        request(make(), 4 * kNs);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsASecondResponseBeforeTheFirstHasEnded) {
    expect_breach("a second response begins", [this] {
        Payload& first = requested();
        Payload& second = requested();
        respond(first);
        respond(second);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsAResponseEarlierThanTheAnnotatedEndOfTheLast) {
    initiator_answers({TLM_UPDATED, END_RESP, 5 * kNs});
    expect_breach("a second response begins", [this] {
        Payload& first = requested();
        Payload& second = requested();
        respond(first);
        respond(second, 4 * kNs);
    });
}

// ---- time ---------------------------------------------------------------------------------------

TEST_F(BaseProtocolMonitorTest, ReportsTimeThatDecreasesWithinATransaction) {
    expect_breach("the time of a transaction decreases", [this] {
        Payload& payload = make();
        request(payload, 5 * kNs);
        target_.call(payload, END_REQ, 4 * kNs);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsAnAcceptedCallWhoseDelayWasChanged) {
    target_answers({TLM_ACCEPTED, tlm::UNINITIALIZED_PHASE, 1 * kNs});
    expect_breach("only accepted changes its phase or its delay", [this] { request(make()); });
}

TEST_F(BaseProtocolMonitorTest, ReportsAnAcceptedResponseWhosePhaseWasChanged) {
    initiator_answers({TLM_ACCEPTED, END_RESP});
    expect_breach("only accepted changes its phase or its delay", [this] { respond(requested()); });
}

// ---- the payload --------------------------------------------------------------------------------

TEST_F(BaseProtocolMonitorTest, ReportsARequestWhoseStatusIsNotIncomplete) {
    expect_breach("has not set the response status to incomplete", [this] {
        Payload& payload = make();
        answered(payload);
        request(payload);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsAResponseWithoutStatus) {
    expect_breach("a response begins with its status incomplete", [this] {
        Payload& payload = make();
        request(payload);
        respond(payload);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsACompletionWithoutStatus) {
    target_.answer = [](auto&, const auto&) { return Answer{TLM_COMPLETED}; };
    expect_breach("completed with its status incomplete", [this] { request(make()); });
}

TEST_F(BaseProtocolMonitorTest, ReportsAStatusThatChangesAfterTheResponse) {
    expect_breach("the response status changes", [this] {
        Payload& payload = requested();
        respond(payload);
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        initiator_.call(payload, END_RESP);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsAPayloadWithoutReference) {
    static Payload loose; // no memory manager
    loose.set_data_ptr(data_);
    loose.set_data_length(64);
    loose.set_streaming_width(64);
    expect_breach("without memory manager or reference", [this] { request(loose); });
}

TEST_F(BaseProtocolMonitorTest, ReportsAReferenceGivenUpInFlight) {
    expect_breach("without memory manager or reference", [this] {
        Payload& payload = make();
        request(payload);
        payload.release();
        target_.call(payload, END_REQ);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsBlockingTransportInBetween) {
    expect_breach("b_transport is called for a transaction that nb_transport carries", [this] {
        Payload& payload = requested();
        payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        target_.on_b_transport = answered;
        sc_core::sc_time delay;
        initiator_.socket->b_transport(payload, delay);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsNonBlockingTransportWithinABlockingOne) {
    target_.on_b_transport = [this](Payload& payload) {
        request(payload);
        answered(payload);
    };
    expect_breach("nb_transport is called for a transaction that b_transport carries", [this] {
        Payload& payload = make();
        sc_core::sc_time delay;
        initiator_.socket->b_transport(payload, delay);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsABlockingCallWhoseStatusIsNotIncomplete) {
    target_.on_b_transport = answered;
    expect_breach("has not set the response status to incomplete", [this] {
        Payload& payload = make();
        answered(payload);
        sc_core::sc_time delay;
        initiator_.socket->b_transport(payload, delay);
    });
}

TEST_F(BaseProtocolMonitorTest, ReportsABlockingCallThatReturnsWithoutStatus) {
    expect_breach("b_transport returns with the response status incomplete", [this] {
        sc_core::sc_time delay;
        initiator_.socket->b_transport(make(), delay);
    });
}

/// Each attribute that an initiator must set, set wrong.
struct WrongAttribute {
    const char* name;
    const char* words;
    void (*change)(Payload&);
};
void PrintTo(const WrongAttribute& wrong, std::ostream* out) {
    *out << wrong.name;
}
unsigned char some_bytes[4];

class WrongAttributeTest : public BaseProtocolMonitorTest,
                           public ::testing::WithParamInterface<WrongAttribute> {};

TEST_P(WrongAttributeTest, IsReported) {
    expect_breach(GetParam().words, [this] {
        Payload& payload = make();
        GetParam().change(payload);
        request(payload);
    });
}

TEST_P(WrongAttributeTest, IsReportedOfABlockingCall) {
    target_.on_b_transport = answered;
    expect_breach(GetParam().words, [this] {
        Payload& payload = make();
        GetParam().change(payload);
        sc_core::sc_time delay;
        initiator_.socket->b_transport(payload, delay);
    });
}

INSTANTIATE_TEST_SUITE_P(
    Of, WrongAttributeTest,
    ::testing::Values(
        WrongAttribute{"DataPointer", "the data pointer is null",
                       [](Payload& p) { p.set_data_ptr(nullptr); }},
        WrongAttribute{"Length", "the data length is 0", [](Payload& p) { p.set_data_length(0); }},
        WrongAttribute{"LengthOfWhatMovesNothing", "the data length is 0",
                       [](Payload& p) {
                           p.set_command(tlm::TLM_IGNORE_COMMAND);
                           p.set_data_length(0);
                       }},
        WrongAttribute{"NoStreamingWidth", "the streaming width is below the data length",
                       [](Payload& p) { p.set_streaming_width(0); }},
        WrongAttribute{"StreamingWidth", "the streaming width is below the data length",
                       [](Payload& p) { p.set_streaming_width(32); }},
        WrongAttribute{"ByteEnables", "byte enables have the length 0",
                       [](Payload& p) { p.set_byte_enable_ptr(some_bytes); }}),
    [](const auto& test) { return test.param.name; });

/// Each attribute that must stay, changed by a target between request and END_REQ.
struct AttributeChange {
    const char* name;
    void (*change)(Payload&);
};
void PrintTo(const AttributeChange& change, std::ostream* out) {
    *out << change.name;
}

class AttributeChangeTest : public BaseProtocolMonitorTest,
                            public ::testing::WithParamInterface<AttributeChange> {};

TEST_P(AttributeChangeTest, IsReported) {
    expect_breach("an attribute changes in flight", [this] {
        Payload& payload = make();
        request(payload);
        GetParam().change(payload);
        target_.call(payload, END_REQ);
    });
}

INSTANTIATE_TEST_SUITE_P(
    Of, AttributeChangeTest,
    ::testing::Values(
        AttributeChange{"Command", [](Payload& p) { p.set_write(); }},
        AttributeChange{"Address", [](Payload& p) { p.set_address(1); }},
        AttributeChange{"DataPointer", [](Payload& p) { p.set_data_ptr(some_bytes); }},
        AttributeChange{"Length", [](Payload& p) { p.set_data_length(1); }},
        AttributeChange{"StreamingWidth", [](Payload& p) { p.set_streaming_width(1); }},
        AttributeChange{"ByteEnables", [](Payload& p) { p.set_byte_enable_ptr(some_bytes); }},
        AttributeChange{"ByteEnableLength", [](Payload& p) { p.set_byte_enable_length(1); }}),
    [](const auto& test) { return test.param.name; });

} // namespace
} // namespace cavern::testing
