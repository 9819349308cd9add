// The target side against an initiator that answers as the test tells it: every return value,
// annotated delays, answers from inside the call, exclusion of responses. The monitor watches
// in-line.

#include "timed/tlm/at_target.h"

#include <gtest/gtest.h>
#include <memory>

#include "tests/support/base_protocol_monitor.h"
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

class AtTargetTest : public SystemcTest, private AtRequestIf {
  protected:
    AtTargetTest() {
        initiator_.socket.bind(monitor_.target_socket);
        monitor_.initiator_socket.bind(target_.socket);
    }

    Payload& make(std::uint64_t address) {
        Payload& payload = *pool_.acquire();
        payload.set_read();
        payload.set_address(address);
        payload.set_data_ptr(data_);
        payload.set_data_length(64);
        payload.set_streaming_width(64);
        return payload;
    }
    /// Sends a new request and gives up our reference: from here on the target's keeps it alive.
    Answer send(std::uint64_t address, TimePs delay = 0) {
        Payload& payload = make(address);
        const Answer answer = initiator_.call(payload, BEGIN_REQ, delay);
        payload.release();
        return answer;
    }
    void respond(std::size_t index) {
        requests_.at(index)->set_response_status(tlm::TLM_OK_RESPONSE);
        target_.respond(*requests_.at(index));
    }
    void initiator_answers(Answer given) {
        initiator_.answer = [given](Payload&, const tlm::tlm_phase&) { return given; };
    }
    void run_clean(std::uint64_t transactions) {
        run();
        EXPECT_TRUE(monitor_.breaches().empty()) << monitor_.breaches()[0];
        EXPECT_EQ(monitor_.transactions(), transactions);
        EXPECT_EQ(monitor_.unfinished(), 0u);
        EXPECT_EQ(target_.outstanding(), 0u);
        EXPECT_EQ(pool_.in_flight(), 0u);
    }
    /// Addresses of the responses, in order.
    std::vector<std::uint64_t> answered() const {
        std::vector<std::uint64_t> addresses;
        for (const SeenPhase& seen : initiator_.seen) {
            EXPECT_EQ(seen.phase, BEGIN_RESP);
            addresses.push_back(seen.payload->get_address());
        }
        return addresses;
    }

    void request(Payload& payload) override {
        requests_.push_back(&payload);
        arrived_at_.push_back(now_ps());
        on_request_(payload);
    }

    using Addresses = std::vector<std::uint64_t>;

    unsigned char data_[64] = {};
    PayloadPool pool_;
    RawInitiator initiator_{"initiator"};
    BaseProtocolMonitor monitor_{"monitor"};
    AtTarget target_{"target", *this};
    Script script_{"script"};
    std::vector<Payload*> requests_;
    std::vector<TimePs> arrived_at_;
    std::function<void(Payload&)> on_request_ = [](Payload&) {};
};

TEST_F(AtTargetTest, EndsARequestOnTheReturnPath) {
    initiator_answers({TLM_COMPLETED});
    script_.at(0, [this] {
        const Answer answer = send(1);
        EXPECT_EQ(answer.result, TLM_UPDATED);
        EXPECT_EQ(answer.phase, END_REQ);
        EXPECT_EQ(target_.outstanding(), 1u);
    });
    script_.at(5 * kNs, [this] { respond(0); });
    run_clean(1);
    ASSERT_EQ(initiator_.seen.size(), 1u);
    EXPECT_EQ(initiator_.seen[0].at, 5 * kNs);
}

TEST_F(AtTargetTest, AnAnswerFromInsideTheCallCompletesIt) {
    on_request_ = [this](Payload&) { respond(requests_.size() - 1); };
    script_.at(0, [this] {
        EXPECT_EQ(send(1).result, TLM_COMPLETED);
        EXPECT_EQ(send(2).result, TLM_COMPLETED);
    });
    run_clean(2);
    EXPECT_TRUE(initiator_.seen.empty());
}

TEST_F(AtTargetTest, AnAnswerToAnotherRequestDoesNotCompleteTheCall) {
    initiator_answers({TLM_COMPLETED});
    script_.at(0, [this] { send(1); });
    script_.at(1 * kNs, [this] {
        on_request_ = [this](Payload&) { respond(0); };
        EXPECT_EQ(send(2).result, TLM_UPDATED);
        on_request_ = [](Payload&) {};
        respond(1);
    });
    run_clean(2);
    EXPECT_EQ(answered(), (Addresses{1, 2}));
}

TEST_F(AtTargetTest, AnAnnotatedRequestArrivesAtItsTime) {
    initiator_answers({TLM_COMPLETED});
    script_.at(2 * kNs, [this] {
        const Answer answer = send(1, 5 * kNs);
        EXPECT_EQ(answer.result, TLM_UPDATED);
        EXPECT_EQ(answer.phase, END_REQ);
        EXPECT_EQ(answer.delay, 5 * kNs);
        EXPECT_TRUE(requests_.empty());
        EXPECT_EQ(target_.outstanding(), 1u);
    });
    script_.at(20 * kNs, [this] { respond(0); });
    run_clean(1);
    EXPECT_EQ(arrived_at_, (std::vector<TimePs>{7 * kNs}));
}

TEST_F(AtTargetTest, AnAnnotatedRequestMayBeAnsweredAsItArrives) {
    initiator_answers({TLM_COMPLETED});
    on_request_ = [this](Payload&) { respond(requests_.size() - 1); };
    script_.at(0, [this] { EXPECT_EQ(send(1, 5 * kNs).result, TLM_UPDATED); });
    run_clean(1);
    EXPECT_EQ(initiator_.seen.at(0).at, 5 * kNs);
}

TEST_F(AtTargetTest, ACompletionAheadOfItsTimeTravelsOnTheReturnPath) {
    on_request_ = [this](Payload& payload) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        target_.complete_ahead(payload, 7 * kNs);
        EXPECT_EQ(pool_.in_flight(), 1u);
    };
    script_.at(0, [this] {
        const Answer answer = send(1);
        EXPECT_EQ(answer.result, TLM_COMPLETED);
        EXPECT_EQ(answer.delay, 7 * kNs);
        on_request_ = [this](Payload&) { respond(1); };
        EXPECT_EQ(send(2).delay, 0u); // the next is not late as well
    });
    run_clean(2);
    EXPECT_TRUE(initiator_.seen.empty());
}

TEST_F(AtTargetTest, ACompletionAheadOfARequestThatCameWithADelayIsAResponseInTime) {
    initiator_answers({TLM_COMPLETED});
    on_request_ = [this](Payload& payload) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        target_.complete_ahead(payload, 7 * kNs);
    };
    script_.at(1 * kNs, [this] { EXPECT_EQ(send(1, 5 * kNs).result, TLM_UPDATED); });
    run_clean(1);
    ASSERT_EQ(initiator_.seen.size(), 1u);
    EXPECT_EQ(initiator_.seen[0].at, 13 * kNs);
}

TEST_F(AtTargetTest, TwoRequestsAnnotatedWithOneTimeBothArrive) {
    initiator_answers({TLM_COMPLETED});
    script_.at(0, [this] {
        send(1, 5 * kNs);
        send(2, 5 * kNs);
    });
    script_.at(6 * kNs, [this] {
        ASSERT_EQ(requests_.size(), 2u);
        EXPECT_EQ(requests_[0]->get_address(), 1u);
        respond(0);
        respond(1);
    });
    run_clean(2);
}

TEST_F(AtTargetTest, TakesEndRespOnTheReturnPath) {
    initiator_answers({TLM_UPDATED, END_RESP});
    script_.at(0, [this] {
        send(1);
        send(2);
        respond(0);
        respond(1);
        EXPECT_EQ(target_.outstanding(), 0u);
    });
    run_clean(2);
}

TEST_F(AtTargetTest, ResponsesWaitInOrderWhileTheInitiatorWithholdsEndResp) {
    script_.at(0, [this] {
        for (std::uint64_t address = 1; address <= 3; ++address) {
            send(address);
        }
        respond(2);
        respond(0);
        respond(1);
        EXPECT_EQ(answered(), (Addresses{3}));
    });
    for (std::size_t index = 0; index < 3; ++index) {
        script_.at((10 + 10 * index) * kNs, [this, index] {
            ASSERT_EQ(initiator_.seen.size(), index + 1);
            auto& payload = const_cast<Payload&>(*initiator_.seen[index].payload);
            EXPECT_EQ(initiator_.call(payload, END_RESP).result, TLM_COMPLETED);
        });
    }
    run_clean(3);
    EXPECT_EQ(answered(), (Addresses{3, 1, 2}));
    EXPECT_EQ(initiator_.seen[1].at, 10 * kNs);
    EXPECT_EQ(initiator_.seen[2].at, 20 * kNs);
}

TEST_F(AtTargetTest, AnAnnotatedEndOfAResponseHoldsBackTheNext) {
    initiator_answers({TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, 4 * kNs});
    script_.at(1 * kNs, [this] {
        send(1);
        send(2);
        respond(0);
        respond(1);
    });
    run_clean(2);
    ASSERT_EQ(initiator_.seen.size(), 2u);
    EXPECT_EQ(initiator_.seen[1].at, 5 * kNs);
}

TEST_F(AtTargetTest, AnAnnotatedEndRespHoldsBackTheNextResponse) {
    script_.at(1 * kNs, [this] {
        send(1);
        send(2);
        respond(0);
        respond(1);
        initiator_answers({TLM_COMPLETED});
        initiator_.call(const_cast<Payload&>(*initiator_.seen[0].payload), END_RESP, 4 * kNs);
        EXPECT_EQ(initiator_.seen.size(), 1u);
    });
    run_clean(2);
    ASSERT_EQ(initiator_.seen.size(), 2u);
    EXPECT_EQ(initiator_.seen[1].at, 5 * kNs);
}

TEST_F(AtTargetTest, AnInitiatorMayEndTheResponseFromInsideTheCall) {
    initiator_.answer = [this](Payload& payload, const tlm::tlm_phase&) {
        initiator_.call(payload, END_RESP);
        return Answer{};
    };
    script_.at(0, [this] {
        send(1);
        send(2);
        respond(0);
        respond(1);
    });
    run_clean(2);
}

TEST_F(AtTargetTest, AThousandRequestsMayBeOutstanding) {
    initiator_answers({TLM_COMPLETED});
    script_.at(0, [this] {
        for (std::uint64_t address = 0; address < 1000; ++address) {
            send(address);
        }
        EXPECT_EQ(target_.outstanding(), 1000u);
        EXPECT_EQ(pool_.in_flight(), 1000u);
    });
    script_.at(1 * kNs, [this] {
        for (std::size_t index = 0; index < 1000; ++index) {
            respond((index * 7) % 1000);
        }
    });
    run_clean(1000);
}

TEST_F(AtTargetTest, LetsIgnorablePhasesPass) {
    script_.at(0, [this] {
        send(1);
        auto& payload = *requests_.at(0);
        const Answer answer = initiator_.call(payload, FOREIGN_DATA_MOVING, 3 * kNs);
        EXPECT_EQ(answer.result, TLM_ACCEPTED);
        EXPECT_EQ(answer.phase, FOREIGN_DATA_MOVING);
        EXPECT_EQ(answer.delay, 3 * kNs);
        EXPECT_EQ(requests_.size(), 1u);
        EXPECT_EQ(target_.outstanding(), 1u);
    });
    script_.at(4 * kNs, [this] { respond(0); });
    script_.at(5 * kNs, [this] {
        auto& payload = *requests_.at(0);
        EXPECT_EQ(initiator_.call(payload, FOREIGN_DATA_MOVING).result, TLM_ACCEPTED);
        EXPECT_EQ(target_.outstanding(), 1u) << "the response has not ended";
        initiator_.call(payload, END_RESP);
    });
    run_clean(1);
}

TEST_F(AtTargetTest, AnIgnorablePhaseOnTheReturnPathSaysAsMuchAsAccepted) {
    initiator_answers({TLM_UPDATED, FOREIGN_DATA_MOVING});
    script_.at(0, [this] {
        send(1);
        respond(0);
        EXPECT_EQ(target_.outstanding(), 1u);
    });
    script_.at(3 * kNs, [this] { initiator_.call(*requests_.at(0), END_RESP); });
    run_clean(1);
}

// TLM_COMPLETED would imply a second response beside the one in progress.
TEST_F(AtTargetTest, AnAnswerFromInsideTheCallWaitsForTheResponseInProgress) {
    script_.at(0, [this] {
        send(1);
        respond(0);
        on_request_ = [this](Payload&) { respond(1); };
        EXPECT_EQ(send(2).result, TLM_UPDATED);
    });
    script_.at(5 * kNs, [this] {
        initiator_answers({TLM_COMPLETED});
        initiator_.call(*requests_.at(0), END_RESP);
    });
    run_clean(2);
    EXPECT_EQ(answered(), (Addresses{1, 2}));
    EXPECT_EQ(initiator_.seen.at(1).at, 5 * kNs);
}

TEST_F(AtTargetTest, ACompletionAheadWaitsForTheResponseInProgress) {
    script_.at(0, [this] {
        send(1);
        respond(0);
        on_request_ = [this](Payload& payload) {
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
            target_.complete_ahead(payload, 7 * kNs);
        };
        EXPECT_EQ(send(2).result, TLM_UPDATED);
    });
    script_.at(5 * kNs, [this] {
        initiator_answers({TLM_COMPLETED});
        initiator_.call(*requests_.at(0), END_RESP);
    });
    run_clean(2);
    EXPECT_EQ(initiator_.seen.at(1).at, 7 * kNs);
}

// ---- b_transport --------------------------------------------------------------------------------

class AtTargetBlockingTest : public SystemcTest, private AtRequestIf {
  protected:
    using Access = ForeignLtInitiator::Access;

    ForeignLtInitiator& initiator(const std::vector<std::uint64_t>& addresses, TimePs quantum = 0,
                                  TimePs work = 0) {
        std::vector<Access> accesses;
        for (const std::uint64_t address : addresses) {
            accesses.push_back({tlm::TLM_READ_COMMAND, address, 64});
        }
        initiator_ = std::make_unique<ForeignLtInitiator>("initiator", accesses,
                                                          to_sc_time(quantum), to_sc_time(work));
        initiator_->socket.bind(monitor_.target_socket);
        monitor_.initiator_socket.bind(target_.socket);
        return *initiator_;
    }
    std::vector<TimePs> answered_at() const {
        std::vector<TimePs> times;
        for (const auto& answer : initiator_->answers()) {
            EXPECT_EQ(answer.status, tlm::TLM_OK_RESPONSE);
            times.push_back(to_ps(answer.at));
        }
        return times;
    }
    void run_clean() {
        run();
        EXPECT_TRUE(monitor_.breaches().empty()) << monitor_.breaches()[0];
        EXPECT_EQ(target_.outstanding(), 0u);
    }
    void request(Payload& payload) override {
        arrived_at_.push_back(now_ps());
        EXPECT_EQ(target_.outstanding(), 1u);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        on_request_(payload);
    }
    using Times = std::vector<TimePs>;

    BaseProtocolMonitor monitor_{"monitor"};
    AtTarget target_{"target", *this};
    Script script_{"script"};
    std::unique_ptr<ForeignLtInitiator> initiator_;
    Times arrived_at_;
    std::function<void(Payload&)> on_request_ = [](Payload&) {};
};

TEST_F(AtTargetBlockingTest, ReturnsWhenTheRequestIsAnswered) {
    initiator({1, 2});
    on_request_ = [this](Payload& payload) {
        script_.after(5 * kNs, [this, &payload] { target_.respond(payload); });
    };
    run_clean();
    EXPECT_EQ(arrived_at_, (Times{0, 5 * kNs}));
    EXPECT_EQ(answered_at(), (Times{5 * kNs, 10 * kNs}));
}

TEST_F(AtTargetBlockingTest, ReturnsAtOnceWhenAnsweredInside) {
    initiator({1, 2});
    on_request_ = [this](Payload& payload) { target_.respond(payload); };
    run_clean();
    EXPECT_EQ(answered_at(), (Times{0, 0}));
}

TEST_F(AtTargetBlockingTest, AnnotatesACompletionAheadOfItsTime) {
    initiator({1, 2}, 100 * kNs);
    on_request_ = [this](Payload& payload) { target_.complete_ahead(payload, 7 * kNs); };
    run_clean();
    EXPECT_EQ(arrived_at_, (Times{0, 7 * kNs}));
    EXPECT_EQ(answered_at(), (Times{7 * kNs, 14 * kNs}));
}

TEST_F(AtTargetBlockingTest, TheRequestArrivesAtTheLocalTimeOfItsInitiator) {
    initiator({1, 2}, 100 * kNs, 3 * kNs);
    on_request_ = [this](Payload& payload) {
        script_.after(5 * kNs, [this, &payload] { target_.respond(payload); });
    };
    run_clean();
    EXPECT_EQ(arrived_at_, (Times{3 * kNs, 11 * kNs}));
    EXPECT_EQ(answered_at(), (Times{8 * kNs, 16 * kNs}));
}

// ---- an initiator that errs stops the run, and the message says what came
// ------------------------

TEST_F(AtTargetTest, StopsAtAForwardCallThatIsNoneOfAnInitiator) {
    script_.at(0, [this] { initiator_.call(make(1), END_REQ); });
    EXPECT_NE(run_to_error().find("a target got phase END_REQ"), std::string::npos);
}

TEST_F(AtTargetTest, StopsAtARequestInsideAnother) {
    on_request_ = [this](Payload& payload) {
        if (payload.get_address() == 1) {
            send(2);
        }
    };
    script_.at(0, [this] { send(1); });
    EXPECT_NE(run_to_error().find("no request inside another"), std::string::npos);
}

TEST_F(AtTargetTest, StopsAtEndRespOfAnotherTransaction) {
    script_.at(0, [this] {
        send(1);
        send(2);
        respond(0);
        initiator_.call(*requests_[1], END_RESP);
    });
    EXPECT_NE(run_to_error().find("END_RESP answers the response in progress"), std::string::npos);
}

TEST_F(AtTargetTest, StopsAtAnUpdateOfAResponseToAnotherPhase) {
    initiator_answers({TLM_UPDATED, END_REQ});
    script_.at(0, [this] {
        send(1);
        respond(0);
    });
    EXPECT_NE(run_to_error().find("a target got phase END_REQ"), std::string::npos);
}

TEST_F(AtTargetTest, StopsAtAnAnswerWithoutStatus) {
    script_.at(0, [this] {
        send(1);
        target_.respond(*requests_[0]);
    });
    EXPECT_NE(run_to_error().find("a target answers with a status"), std::string::npos);
}

TEST_F(AtTargetTest, StopsAtACompletionWithoutStatus) {
    on_request_ = [this](Payload& payload) { target_.complete_ahead(payload, 0); };
    script_.at(0, [this] { send(1); });
    EXPECT_NE(run_to_error().find("a target answers with a status"), std::string::npos);
}

} // namespace
} // namespace cavern::testing
