// Memory and link behind sockets: when a transfer ends, told at once or later.

#include "timed/buffer/mover.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "tests/support/systemc_test.h"
#include "timed/tlm/at_target.h"
#include "timed/tlm/event_queue.h"
#include "timed/tlm/time.h"

namespace cavern::testing {
namespace {

using Payload = tlm::tlm_generic_payload;

/// Answers as the test says.
class Target final : public AtRequestIf {
  public:
    explicit Target(const char* name) : socket(name, *this) {}
    void request(Payload& payload) override {
        requests.push_back(&payload);
        answer(payload);
    }
    void respond(std::size_t index) {
        requests.at(index)->set_response_status(tlm::TLM_OK_RESPONSE);
        socket.respond(*requests.at(index));
    }
    void complete_ahead(Payload& payload, TimePs ahead) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        socket.complete_ahead(payload, ahead);
    }

    AtTarget socket;
    std::vector<Payload*> requests;
    std::function<void(Payload&)> answer = [](Payload&) {};
};

class MoverTest : public SystemcTest, public MoveDoneIf, private EventHandlerIf {
  protected:
    MoverTest() {
        mover_.sdram_initiator.socket.bind(sdram_.socket.socket);
        mover_.link_initiator.socket.bind(link_.socket.socket);
    }
    TimePs read(std::uint32_t index) {
        return mover_.access(MoveDirection::kRead, 4096, 2048, {5, index}, *this);
    }
    /// Runs `what` at a time.
    void at(TimePs when, std::function<void()> what) {
        script_.push_back(std::move(what));
        events_.schedule(when, *this, script_.size() - 1);
    }

    struct Told {
        std::uint32_t stage;
        std::uint32_t index;
        TimePs ends;
        TimePs at;
        bool operator==(const Told& other) const {
            return stage == other.stage && index == other.index && ends == other.ends &&
                   at == other.at;
        }
    };
    EventQueue events_{"events"};
    Mover mover_;
    Target sdram_{"sdram"};
    Target link_{"link"};
    std::vector<Told> told_;
    std::function<void()> on_moved_ = [] {};

  private:
    void moved(MoveTicket ticket, TimePs ends) override {
        told_.push_back({ticket.stage, ticket.index, ends, now_ps()});
        on_moved_();
    }
    void on_event(std::uint64_t what) override { script_.at(what)(); }
    std::vector<std::function<void()>> script_;
};

TEST_F(MoverTest, ATransferCarriesWhatTheTargetNeeds) {
    at(10, [this] {
        EXPECT_EQ(mover_.access(MoveDirection::kWrite, 4096, 512, {1, 2}, *this), kNever);
        EXPECT_EQ(mover_.carry(MoveDirection::kRead, 8192, 1024, 3072, {3, 4}, *this), kNever);
        EXPECT_EQ(mover_.in_flight(), 2u);
        ASSERT_EQ(sdram_.requests.size(), 1u);
        ASSERT_EQ(link_.requests.size(), 1u);
        const Payload& page = *sdram_.requests[0];
        EXPECT_TRUE(page.is_write());
        EXPECT_EQ(page.get_address(), 4096u);
        EXPECT_EQ(page.get_data_length(), 512u);
        EXPECT_EQ(page.get_streaming_width(), 512u);
        EXPECT_EQ(page.get_byte_enable_ptr(), nullptr);
        EXPECT_EQ(TransferExtension::get(page).ticket.stage, 1u);
        EXPECT_EQ(TransferExtension::get(page).ticket.index, 2u);
        EXPECT_EQ(TransferExtension::get(page).moved_before, 0u);
        const Payload& data = *link_.requests[0];
        EXPECT_TRUE(data.is_read());
        EXPECT_EQ(data.get_address(), 8192u);
        EXPECT_EQ(TransferExtension::get(data).moved_before, 3072u);
        sdram_.respond(0);
        link_.respond(0);
    });
    run();
    EXPECT_EQ(told_, (std::vector<Told>{{1, 2, 10, 10}, {3, 4, 10, 10}}));
    EXPECT_EQ(mover_.in_flight(), 0u);
}

// A module of others may copy the data, although nobody looks at them here.
TEST_F(MoverTest, EveryTransferPointsToAsManyBytesAsItMoves) {
    const std::vector<std::uint32_t> lengths{512, 2048, 16384, 1 << 20, 64};
    at(10, [&] {
        for (const std::uint32_t length : lengths) {
            mover_.access(MoveDirection::kWrite, 0, length, {1, 2}, *this);
            mover_.carry(MoveDirection::kRead, 0, length, 0, {3, 4}, *this);
        }
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            for (const Target* target : {&sdram_, &link_}) {
                Payload& payload = *target->requests.at(i);
                ASSERT_NE(payload.get_data_ptr(), nullptr);
                ASSERT_EQ(payload.get_data_length(), lengths[i]);
                std::vector<unsigned char> bytes(lengths[i], 1);
                std::copy_n(bytes.begin(), lengths[i], payload.get_data_ptr());
                std::copy_n(payload.get_data_ptr(), lengths[i], bytes.begin());
                sum += bytes.back();
            }
        }
        EXPECT_EQ(sum, 2 * lengths.size());
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            sdram_.respond(i);
            link_.respond(i);
        }
    });
    run();
}

TEST_F(MoverTest, TransfersInSteadyStateShareTheirArea) {
    sdram_.answer = [this](Payload&) { sdram_.respond(sdram_.requests.size() - 1); };
    std::vector<unsigned char*> areas;
    at(10, [&] {
        for (std::uint32_t i = 0; i < 100; ++i) {
            read(i);
            areas.push_back(sdram_.requests.back()->get_data_ptr());
        }
    });
    run();
    EXPECT_EQ(areas, std::vector<unsigned char*>(100, areas.at(0)));
}

TEST_F(MoverTest, AnErrorStopsTheRunAndIsNamed) {
    sdram_.answer = [this](Payload& payload) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        sdram_.socket.respond(payload);
    };
    at(10, [this] { read(1); });
    EXPECT_NE(run_to_error().find("TLM_ADDRESS_ERROR_RESPONSE"), std::string::npos);
}

TEST_F(MoverTest, AnEndKnownInsideTheRequestIsReturnedAndNotTold) {
    sdram_.answer = [this](Payload& payload) { sdram_.complete_ahead(payload, 700); };
    at(10, [this] { EXPECT_EQ(read(1), 710u); });
    run();
    EXPECT_TRUE(told_.empty());
    EXPECT_EQ(mover_.in_flight(), 0u);
}

TEST_F(MoverTest, AnAnswerInsideTheRequestIsAnEndNow) {
    sdram_.answer = [this](Payload&) { sdram_.respond(sdram_.requests.size() - 1); };
    at(10, [this] {
        EXPECT_EQ(read(1), 10u);
        EXPECT_EQ(read(2), 10u);
    });
    run();
    EXPECT_TRUE(told_.empty());
}

TEST_F(MoverTest, ALaterAnswerIsToldToTheOwner) {
    at(10, [this] { EXPECT_EQ(read(1), kNever); });
    at(20, [this] { EXPECT_EQ(read(2), kNever); });
    at(50, [this] { sdram_.respond(1); });
    at(60, [this] { sdram_.respond(0); });
    run();
    EXPECT_EQ(told_, (std::vector<Told>{{5, 2, 50, 50}, {5, 1, 60, 60}}));
}

// The owner begins the next transfer as it hears of one, on the same socket or the other.
TEST_F(MoverTest, ATransferMayBeginWhileAnotherIsTold) {
    at(10, [this] { EXPECT_EQ(read(1), kNever); });
    on_moved_ = [this] {
        sdram_.answer = [this](Payload& payload) { sdram_.complete_ahead(payload, 5); };
        EXPECT_EQ(read(2), kNever); // its response waits for the one that is being told
        EXPECT_EQ(mover_.carry(MoveDirection::kWrite, 0, 64, 0, {6, 3}, *this), kNever);
        on_moved_ = [] {};
    };
    at(30, [this] { sdram_.respond(0); });
    at(40, [this] { link_.respond(0); });
    run();
    EXPECT_EQ(told_, (std::vector<Told>{{5, 1, 30, 30}, {5, 2, 35, 35}, {6, 3, 40, 40}}));
    EXPECT_EQ(mover_.in_flight(), 0u);
}

// A target may ask for another transfer, through its own channels, before it answers.
TEST_F(MoverTest, ATransferInsideAnotherKeepsItsOwnEnd) {
    link_.answer = [this](Payload& payload) {
        sdram_.answer = [this](Payload& inner) { sdram_.complete_ahead(inner, 3); };
        EXPECT_EQ(read(9), 13u);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        link_.socket.complete_ahead(payload, 100);
    };
    at(10, [this] {
        EXPECT_EQ(mover_.carry(MoveDirection::kWrite, 0, 64, 0, {6, 3}, *this), 110u);
    });
    run();
    EXPECT_TRUE(told_.empty());
}

TEST_F(MoverTest, ATransferThatFailsStopsTheRun) {
    sdram_.answer = [this](Payload& payload) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        sdram_.socket.respond(payload);
    };
    at(10, [this] { read(1); });
    EXPECT_NE(run_to_error().find("carry out what the buffer manager asks"), std::string::npos);
}

} // namespace
} // namespace cavern::testing
