// The initiator side against a target that answers as the test tells it: every return value in both
// directions, annotated delays, exclusion of requests. The monitor watches in-line.

#include "timed/tlm/at_initiator.h"

#include <gtest/gtest.h>

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

class AtInitiatorTest : public SystemcTest, private AtResponseIf {
  protected:
    AtInitiatorTest() {
        initiator_.socket.bind(monitor_.target_socket);
        monitor_.initiator_socket.bind(target_.socket);
    }

    /// A read of `address`, which names it in responses_.
    void send(std::uint64_t address) {
        Payload& payload = *pool_.acquire();
        payload.set_read();
        payload.set_address(address);
        payload.set_data_ptr(data_);
        payload.set_data_length(64);
        payload.set_streaming_width(64);
        initiator_.send(payload);
    }
    static void ok(Payload& payload) { payload.set_response_status(tlm::TLM_OK_RESPONSE); }
    /// What the target answers to each BEGIN_REQ.
    void target_answers(Answer given) {
        target_.answer = [given](Payload& payload, const tlm::tlm_phase& phase) {
            if (phase == END_RESP) {
                return Answer{TLM_COMPLETED};
            }
            if (given.result == TLM_COMPLETED || given.phase == BEGIN_RESP) {
                ok(payload);
            }
            return given;
        };
    }
    Payload& arrived(std::size_t index) {
        return const_cast<Payload&>(*target_.seen.at(index).payload);
    }
    void run_clean(std::uint64_t transactions) {
        run();
        EXPECT_TRUE(monitor_.breaches().empty()) << monitor_.breaches()[0];
        EXPECT_EQ(monitor_.transactions(), transactions);
        EXPECT_EQ(monitor_.unfinished(), 0u);
        EXPECT_EQ(initiator_.outstanding(), 0u);
        EXPECT_EQ(pool_.in_flight(), 0u);
    }

    struct Response {
        std::uint64_t address;
        TimePs at;
        TimePs ahead = 0;
        bool operator==(const Response& other) const {
            return address == other.address && at == other.at && ahead == other.ahead;
        }
    };
    using Responses = std::vector<Response>;

    void response(Payload& payload, TimePs ahead) override {
        EXPECT_TRUE(payload.is_response_ok());
        responses_.push_back({payload.get_address(), now_ps(), ahead});
        on_response_(payload);
        payload.release();
    }

    unsigned char data_[64] = {};
    PayloadPool pool_;
    AtInitiator initiator_{"initiator", *this};
    BaseProtocolMonitor monitor_{"monitor"};
    RawTarget target_{"target"};
    Script script_{"script"};
    Responses responses_;
    std::function<void(Payload&)> on_response_ = [](Payload&) {};
};

TEST_F(AtInitiatorTest, TakesFourPhasesOneByOne) {
    script_.at(0, [this] { send(1); });
    script_.at(2 * kNs,
               [this] { EXPECT_EQ(target_.call(arrived(0), END_REQ).result, TLM_ACCEPTED); });
    script_.at(5 * kNs, [this] {
        ok(arrived(0));
        EXPECT_EQ(target_.call(arrived(0), BEGIN_RESP).result, TLM_COMPLETED);
    });
    run_clean(1);
    EXPECT_EQ(responses_, (Responses{{1, 5 * kNs}}));
    EXPECT_EQ(target_.seen.size(), 1u); // END_RESP went back on the return path
}

TEST_F(AtInitiatorTest, TakesEndReqOnTheReturnPath) {
    target_answers({TLM_UPDATED, END_REQ});
    script_.at(0, [this] {
        send(1);
        send(2);
        EXPECT_EQ(target_.seen.size(), 2u); // the second did not have to wait
        EXPECT_EQ(initiator_.outstanding(), 2u);
    });
    script_.at(3 * kNs, [this] {
        for (const std::size_t index : {1u, 0u}) {
            ok(arrived(index));
            target_.call(arrived(index), BEGIN_RESP);
        }
    });
    run_clean(2);
    EXPECT_EQ(responses_, (Responses{{2, 3 * kNs}, {1, 3 * kNs}}));
}

TEST_F(AtInitiatorTest, AnAnnotatedEndReqHoldsBackTheNextRequest) {
    target_answers({TLM_UPDATED, END_REQ, 7 * kNs});
    script_.at(1 * kNs, [this] {
        send(1);
        send(2);
        EXPECT_EQ(target_.seen.size(), 1u);
    });
    script_.at(30 * kNs, [this] {
        ASSERT_EQ(target_.seen.size(), 2u);
        EXPECT_EQ(target_.seen[1].at, 8 * kNs);
        for (const std::size_t index : {0u, 1u}) {
            ok(arrived(index));
            target_.call(arrived(index), BEGIN_RESP);
        }
    });
    run_clean(2);
}

TEST_F(AtInitiatorTest, TakesAResponseOnTheReturnPathOfItsRequest) {
    target_answers({TLM_UPDATED, BEGIN_RESP});
    script_.at(0, [this] { send(1); });
    run_clean(1);
    EXPECT_EQ(responses_, (Responses{{1, 0}}));
    ASSERT_EQ(target_.seen.size(), 2u);
    EXPECT_EQ(target_.seen[1].phase, END_RESP);
}

TEST_F(AtInitiatorTest, AnAnnotatedResponseIsTakenAtItsTime) {
    target_answers({TLM_UPDATED, BEGIN_RESP, 4 * kNs});
    script_.at(1 * kNs, [this] {
        send(1);
        send(2);
    });
    run_clean(2);
    EXPECT_EQ(responses_, (Responses{{1, 5 * kNs}, {2, 9 * kNs}}));
    ASSERT_EQ(target_.seen.size(), 4u);
    EXPECT_EQ(target_.seen[1].phase, END_RESP);
    EXPECT_EQ(target_.seen[1].at, 5 * kNs);
    EXPECT_EQ(target_.seen[2].at, 5 * kNs); // request 2 as soon as request 1 has ended
}

TEST_F(AtInitiatorTest, TakesAnEarlyCompletion) {
    target_answers({TLM_COMPLETED});
    script_.at(0, [this] {
        send(1);
        EXPECT_EQ(initiator_.outstanding(), 0u);
        send(2);
    });
    run_clean(2);
    EXPECT_EQ(responses_, (Responses{{1, 0}, {2, 0}}));
    EXPECT_EQ(target_.seen.size(), 2u); // no END_RESP after TLM_COMPLETED
}

TEST_F(AtInitiatorTest, AnAnnotatedCompletionIsToldAheadOfItsTime) {
    target_answers({TLM_COMPLETED, tlm::UNINITIALIZED_PHASE, 6 * kNs});
    script_.at(1 * kNs, [this] {
        send(1);
        send(2);
        EXPECT_EQ(initiator_.outstanding(), 0u);
    });
    run_clean(2);
    EXPECT_EQ(responses_, (Responses{{1, 1 * kNs, 6 * kNs}, {2, 1 * kNs, 6 * kNs}}));
    EXPECT_EQ(target_.seen.size(), 2u);
}

TEST_F(AtInitiatorTest, AnnotatedCallsOnTheBackwardPathAreTakenAtTheirTime) {
    script_.at(0, [this] {
        send(1);
        send(2);
        EXPECT_EQ(target_.call(arrived(0), END_REQ, 3 * kNs).result, TLM_ACCEPTED);
        ok(arrived(0));
        EXPECT_EQ(target_.call(arrived(0), BEGIN_RESP, 5 * kNs).result, TLM_ACCEPTED);
        EXPECT_EQ(target_.seen.size(), 1u);
    });
    script_.at(10 * kNs, [this] {
        ASSERT_EQ(target_.seen.size(), 3u);
        EXPECT_EQ(target_.seen[1].phase, BEGIN_REQ);
        EXPECT_EQ(target_.seen[1].at, 3 * kNs);
        EXPECT_EQ(target_.seen[2].phase, END_RESP);
        EXPECT_EQ(target_.seen[2].at, 5 * kNs);
        ok(arrived(1));
        target_.call(arrived(1), BEGIN_RESP); // implies END_REQ
    });
    target_.answer = [](Payload&, const tlm::tlm_phase& phase) {
        return phase == END_RESP ? Answer{TLM_COMPLETED} : Answer{};
    };
    run_clean(2);
    EXPECT_EQ(responses_, (Responses{{1, 5 * kNs}, {2, 10 * kNs}}));
}

TEST_F(AtInitiatorTest, EndRespMayBeMerelyAccepted) {
    target_.answer = [](Payload& payload, const tlm::tlm_phase& phase) {
        ok(payload);
        return phase == END_RESP ? Answer{} : Answer{TLM_UPDATED, BEGIN_RESP};
    };
    script_.at(0, [this] { send(1); });
    run_clean(1);
}

TEST_F(AtInitiatorTest, RequestsWaitInOrderWhileTheTargetWithholdsEndReq) {
    script_.at(0, [this] {
        for (std::uint64_t address = 1; address <= 4; ++address) {
            send(address);
        }
        EXPECT_EQ(target_.seen.size(), 1u);
        EXPECT_EQ(initiator_.outstanding(), 4u);
    });
    for (std::size_t index = 0; index < 4; ++index) {
        script_.at((10 + 10 * index) * kNs, [this, index] {
            ASSERT_EQ(target_.seen.size(), index + 1);
            EXPECT_EQ(arrived(index).get_address(), index + 1);
            target_.call(arrived(index), END_REQ);
        });
    }
    script_.at(100 * kNs, [this] {
        for (std::size_t index = 0; index < 4; ++index) {
            ok(arrived(index));
            target_.call(arrived(index), BEGIN_RESP);
        }
    });
    run_clean(4);
}

// The response to 1 implies its END_REQ. What its receiver sends must not overtake 2, which waits.
TEST_F(AtInitiatorTest, ARequestSentFromAResponseQueuesBehindThoseThatWait) {
    on_response_ = [this](Payload& payload) {
        if (payload.get_address() == 1) {
            send(3);
        }
    };
    script_.at(0, [this] {
        send(1);
        send(2);
    });
    for (std::size_t index = 0; index < 3; ++index) {
        script_.at((10 + 10 * index) * kNs, [this, index] {
            ok(arrived(index));
            target_.call(arrived(index), BEGIN_RESP);
        });
    }
    run_clean(3);
    EXPECT_EQ(responses_, (Responses{{1, 10 * kNs}, {2, 20 * kNs}, {3, 30 * kNs}}));
}

TEST_F(AtInitiatorTest, LetsIgnorablePhasesPass) {
    script_.at(0, [this] {
        send(1);
        send(2);
        EXPECT_EQ(target_.call(arrived(0), FOREIGN_DATA_MOVING).result, TLM_ACCEPTED);
        EXPECT_EQ(target_.seen.size(), 1u) << "the request has not ended";
        target_.call(arrived(0), END_REQ);
        const Answer later = target_.call(arrived(0), FOREIGN_DATA_MOVING, 2 * kNs);
        EXPECT_EQ(later.result, TLM_ACCEPTED);
        EXPECT_EQ(later.phase, FOREIGN_DATA_MOVING);
        EXPECT_EQ(later.delay, 2 * kNs);
        EXPECT_EQ(initiator_.outstanding(), 2u);
    });
    script_.at(5 * kNs, [this] {
        EXPECT_TRUE(responses_.empty());
        for (const std::size_t index : {0u, 1u}) {
            ok(arrived(index));
            target_.call(arrived(index), BEGIN_RESP);
        }
    });
    run_clean(2);
}

TEST_F(AtInitiatorTest, AnIgnorablePhaseOnTheReturnPathSaysAsMuchAsAccepted) {
    target_answers({TLM_UPDATED, FOREIGN_DATA_MOVING, 1 * kNs});
    script_.at(0, [this] { send(1); });
    script_.at(2 * kNs, [this] { target_.call(arrived(0), END_REQ); });
    script_.at(5 * kNs, [this] {
        ok(arrived(0));
        target_.call(arrived(0), BEGIN_RESP);
    });
    run_clean(1);
    EXPECT_EQ(responses_, (Responses{{1, 5 * kNs}}));
}

TEST_F(AtInitiatorTest, ATargetMayCallEndReqFromInsideTheRequest) {
    target_.answer = [this](Payload& payload, const tlm::tlm_phase& phase) {
        if (phase == BEGIN_REQ) {
            target_.call(payload, END_REQ);
        }
        return Answer{};
    };
    script_.at(0, [this] {
        send(1);
        send(2);
        EXPECT_EQ(target_.seen.size(), 2u);
    });
    script_.at(1 * kNs, [this] {
        for (const std::size_t index : {0u, 1u}) {
            ok(arrived(index));
            target_.call(arrived(index), BEGIN_RESP);
        }
    });
    run_clean(2);
}

TEST_F(AtInitiatorTest, ATargetMayRespondFromInsideTheRequest) {
    target_.answer = [this](Payload& payload, const tlm::tlm_phase&) {
        ok(payload);
        EXPECT_EQ(target_.call(payload, BEGIN_RESP).result, TLM_COMPLETED);
        return Answer{};
    };
    script_.at(0, [this] {
        send(1);
        send(2);
    });
    run_clean(2);
    EXPECT_EQ(responses_, (Responses{{1, 0}, {2, 0}}));
}

// The target may look at the payload until its call with BEGIN_RESP returns.
TEST_F(AtInitiatorTest, WhatIsSentFromAResponseTravelsInAnotherPayload) {
    on_response_ = [this](Payload& payload) {
        payload.release();
        if (responses_.size() == 1) {
            send(2);
        }
        payload.acquire();
    };
    script_.at(0, [this] { send(1); });
    for (std::size_t index = 0; index < 2; ++index) {
        script_.at((10 + 10 * index) * kNs, [this, index] {
            Payload& payload = arrived(index);
            ok(payload);
            EXPECT_EQ(target_.call(payload, BEGIN_RESP).result, TLM_COMPLETED);
            EXPECT_EQ(payload.get_address(), index + 1);
        });
    }
    run_clean(2);
    EXPECT_NE(target_.seen.at(0).payload, target_.seen.at(1).payload);
}

TEST_F(AtInitiatorTest, AnOwnerMaySendTheNextRequestFromEveryResponse) {
    target_answers({TLM_COMPLETED});
    on_response_ = [this](Payload& payload) {
        if (payload.get_address() < 100) {
            send(payload.get_address() + 1);
        }
    };
    script_.at(0, [this] { send(1); });
    run_clean(100);
    EXPECT_EQ(responses_.back(), (Response{100, 0}));
}

TEST_F(AtInitiatorTest, AThousandRequestsAreAllAnsweredOnce) {
    target_answers({TLM_UPDATED, END_REQ});
    script_.at(0, [this] {
        for (std::uint64_t address = 0; address < 1000; ++address) {
            send(address);
        }
        EXPECT_EQ(initiator_.outstanding(), 1000u);
    });
    script_.at(1 * kNs, [this] {
        for (std::size_t index = 1000; index > 0; --index) {
            ok(arrived(index - 1));
            target_.call(arrived(index - 1), BEGIN_RESP);
        }
    });
    run_clean(1000);
    EXPECT_EQ(responses_.front().address, 999u);
    EXPECT_EQ(responses_.size(), 1000u);
}

// ---- a target that errs stops the run, and the message says what came
// -----------------------------

TEST_F(AtInitiatorTest, StopsAtABackwardCallThatIsNoneOfATarget) {
    script_.at(0, [this] {
        send(1);
        target_.call(arrived(0), BEGIN_REQ);
    });
    EXPECT_NE(run_to_error().find("an initiator got phase BEGIN_REQ"), std::string::npos);
}

TEST_F(AtInitiatorTest, StopsAtAnUpdateToAPhaseThatIsNoneOfATarget) {
    target_answers({TLM_UPDATED, END_RESP});
    script_.at(0, [this] { send(1); });
    EXPECT_NE(run_to_error().find("an initiator got phase END_RESP"), std::string::npos);
}

TEST_F(AtInitiatorTest, StopsAtEndReqOfAnotherTransaction) {
    script_.at(0, [this] {
        send(1);
        target_.call(arrived(0), END_REQ);
        send(2);
        target_.call(arrived(0), END_REQ);
    });
    EXPECT_NE(run_to_error().find("END_REQ answers the request in progress"), std::string::npos);
}

TEST_F(AtInitiatorTest, StopsAtADelayedEndReqOfAnotherTransaction) {
    script_.at(0, [this] {
        send(1);
        target_.call(arrived(0), END_REQ);
        target_.call(arrived(0), END_REQ, 1 * kNs);
    });
    EXPECT_NE(run_to_error().find("END_REQ answers the request in progress"), std::string::npos);
}

TEST_F(AtInitiatorTest, StopsAtAnUpdateOfEndResp) {
    target_.answer = [](Payload& payload, const tlm::tlm_phase& phase) {
        ok(payload);
        return phase == END_RESP ? Answer{TLM_UPDATED, BEGIN_RESP}
                                 : Answer{TLM_UPDATED, BEGIN_RESP};
    };
    script_.at(0, [this] { send(1); });
    EXPECT_NE(run_to_error().find("ending a response, an initiator got phase BEGIN_RESP"),
              std::string::npos);
}

} // namespace
} // namespace cavern::testing
