// A connection without a socket: bytes in, bytes out, an export in memory behind it.

#include "serve/nbd/session.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>

#include "core/base/check.h"
#include "core/base/error.h"
#include "tests/serve/nbd/memory_export.h"
#include "tests/serve/nbd/nbd_client.h"

namespace cavern::testing {
namespace {

using nbd::Command;
using nbd::Session;

constexpr std::uint64_t kSize = 64u << 20;

class SessionTest : public ::testing::Test {
  protected:
    SessionTest() : session_(std::make_unique<Session>(export_, pool_)) {}
    ~SessionTest() override {
        session_.reset();
        EXPECT_EQ(pool_.in_use(), 0u); // no buffer is lost
    }

    /// The handshake, whose answers are thrown away.
    void connect(bool structured = false, bool context = false) {
        ClientBytes client;
        client.hello();
        if (structured) {
            client.option(nbd::Option::kStructuredReply);
        }
        if (context) {
            client.contexts(nbd::Option::kSetMetaContext, {"base:allocation"});
        }
        say(client.go());
        drain(*session_);
    }
    std::size_t say(const ClientBytes& client, std::size_t chunk = ~std::size_t{0}) {
        return feed(*session_, client.bytes(), chunk);
    }
    std::vector<ClientReply> replies(std::size_t chunk = ~std::size_t{0}) {
        std::vector<ClientReply> all;
        ServerBytes server(drain(*session_, chunk));
        while (!server.at_end() && !server.wrong) {
            all.push_back(server.reply([this](std::uint64_t cookie) { return lengths_[cookie]; }));
        }
        EXPECT_FALSE(server.wrong);
        return all;
    }
    ClientReply only_reply() {
        export_.complete_all();
        const std::vector<ClientReply> all = replies();
        EXPECT_EQ(all.size(), 1u);
        return all.empty() ? ClientReply{} : all[0];
    }
    /// The error that a request is answered with.
    std::uint32_t error_of(Command command, std::uint64_t offset, std::uint32_t length,
                           std::uint16_t flags = 0, const std::string& data = {}) {
        say(ClientBytes().request(command, 5, offset, length, flags, data));
        lengths_[5] = command == Command::kRead ? length : 0;
        const ClientReply reply = only_reply();
        EXPECT_EQ(reply.cookie, 5u);
        return reply.error;
    }

    MemoryExport export_{kSize};
    nbd::BufferPool pool_;
    std::unique_ptr<Session> session_;
    std::map<std::uint64_t, std::size_t> lengths_; ///< of reads, by cookie
};

TEST_F(SessionTest, WhatIsWrittenIsRead) {
    connect();
    std::string data(8192, 'a');
    data[4096] = 'b';
    say(ClientBytes().request(Command::kWrite, 77, 1024, 8192, 0, data));
    ClientReply reply = only_reply();
    EXPECT_EQ(reply.cookie, 77u);
    EXPECT_EQ(reply.error, nbd::kOk);
    lengths_[78] = 8192;
    say(ClientBytes().request(Command::kRead, 78, 1024, 8192));
    reply = only_reply();
    EXPECT_EQ(reply.cookie, 78u);
    EXPECT_FALSE(reply.structured);
    EXPECT_EQ(reply.data, data);
    EXPECT_EQ(session_->requests(), 0u);
}

TEST_F(SessionTest, StructuredReadsSayWhereTheirDataAre) {
    connect(true);
    say(ClientBytes().request(Command::kRead, 1, 512, 512, nbd::kDontFragment));
    const ClientReply reply = only_reply();
    EXPECT_TRUE(reply.structured);
    EXPECT_EQ(reply.type, nbd::Chunk::kOffsetData);
    EXPECT_EQ(reply.data,
              ClientBytes().put(std::uint64_t{512}).put(std::string(512, '\0')).bytes());
    say(ClientBytes().request(Command::kFlush, 2));
    EXPECT_EQ(only_reply().type, nbd::Chunk::kNone);
    EXPECT_EQ(error_of(Command::kRead, kSize, 512), nbd::kEinval);
}

// Wherever the bytes are cut, on the way in and on the way out.
TEST_F(SessionTest, PiecesOfAnySizeMakeTheSameRequests) {
    connect();
    for (const std::size_t chunk : {1u, 7u, 28u, 29u, 511u, 4096u}) {
        const std::string data(1024, static_cast<char>('A' + chunk % 20));
        ClientBytes client;
        client.request(Command::kWrite, 1, 0, 1024, 0, data);
        client.request(Command::kWrite, 2, 2048, 1024, nbd::kFua, data);
        EXPECT_EQ(say(client, chunk), client.bytes().size());
        ASSERT_EQ(export_.waiting(), 2u);
        EXPECT_FALSE(export_.request(0).fua);
        EXPECT_TRUE(export_.request(1).fua);
        export_.complete_all();
        EXPECT_EQ(replies(chunk).size(), 2u);
        lengths_[3] = 3072;
        say(ClientBytes().request(Command::kRead, 3, 0, 3072), chunk);
        export_.complete_all();
        const auto all = replies(chunk);
        ASSERT_EQ(all.size(), 1u);
        EXPECT_EQ(all[0].data, data + std::string(1024, '\0') + data);
    }
}

TEST_F(SessionTest, AnswersGoOutInTheOrderOfCompletion) {
    connect();
    ClientBytes client;
    for (std::uint64_t cookie = 0; cookie < 4; ++cookie) {
        client.request(Command::kFlush, cookie);
    }
    say(client);
    ASSERT_EQ(export_.waiting(), 4u);
    export_.complete(2);
    export_.complete(0);
    const auto all = replies();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].cookie, 2u);
    EXPECT_EQ(all[1].cookie, 0u);
    export_.complete_all();
}

TEST_F(SessionTest, WrongRequestsAreAnsweredAndChangeNothing) {
    connect();
    const std::string block(512, 'x');
    EXPECT_EQ(error_of(Command::kRead, kSize, 512), nbd::kEinval);
    EXPECT_EQ(error_of(Command::kRead, ~std::uint64_t{511}, 1024), nbd::kEinval);
    EXPECT_EQ(error_of(Command::kWrite, kSize, 512, 0, block), nbd::kEnospc);
    EXPECT_EQ(error_of(Command::kWrite, kSize - 256, 512, 0, block), nbd::kEnospc);
    EXPECT_EQ(error_of(Command::kWriteZeroes, kSize - 512, 1024), nbd::kEnospc);
    EXPECT_EQ(error_of(Command::kTrim, kSize - 512, 1024), nbd::kEinval);
    EXPECT_EQ(error_of(Command::kRead, 256, 512), nbd::kEinval);
    EXPECT_EQ(error_of(Command::kWrite, 0, 100, 0, block.substr(0, 100)), nbd::kEinval);
    EXPECT_EQ(error_of(Command::kRead, 0, 0), nbd::kEinval);
    EXPECT_EQ(error_of(Command::kRead, 0, (32u << 20) + 512), nbd::kEinval);
    EXPECT_EQ(error_of(Command::kRead, 0, 512, nbd::kNoHole), nbd::kEinval);
    EXPECT_EQ(error_of(Command::kRead, 0, 512, nbd::kDontFragment), nbd::kEinval);
    EXPECT_EQ(error_of(Command::kWriteZeroes, 0, 512, 1 << 4), nbd::kEinval); // fast zero
    EXPECT_EQ(error_of(Command::kFlush, 0, 512), nbd::kEinval);
    EXPECT_EQ(error_of(Command::kBlockStatus, 0, 512), nbd::kEinval); // no context
    EXPECT_EQ(error_of(static_cast<Command>(5), 0, 512), nbd::kEinval);
    EXPECT_EQ(error_of(static_cast<Command>(99), 0, 512), nbd::kEinval);
    EXPECT_EQ(export_.at(0), std::byte{0});
    EXPECT_EQ(error_of(Command::kWrite, 0, 512, 0, block), nbd::kOk); // and it goes on
    EXPECT_EQ(export_.at(0), std::byte{'x'});
}

TEST_F(SessionTest, ZerosAndTrimsHaveTheirFlags) {
    connect();
    say(ClientBytes()
            .request(Command::kWriteZeroes, 1, 0, 0xFFFF'FE00 & (kSize - 512), nbd::kNoHole)
            .request(Command::kTrim, 2, 512, 512, nbd::kFua));
    ASSERT_EQ(export_.waiting(), 2u);
    EXPECT_EQ(export_.request(0).op, nbd::ExportOp::kWriteZeroes);
    EXPECT_TRUE(export_.request(0).no_hole);
    EXPECT_EQ(export_.request(1).op, nbd::ExportOp::kTrim);
    EXPECT_TRUE(export_.request(1).fua);
    export_.complete_all();
}

TEST_F(SessionTest, LostDataAreAnErrorWithoutData) {
    for (const bool structured : {false, true}) {
        session_ = std::make_unique<Session>(export_, pool_);
        connect(structured);
        lengths_[9] = 512;
        say(ClientBytes().request(Command::kRead, 9, 0, 512));
        export_.complete(0, nbd::kEio);
        const auto all = replies();
        ASSERT_EQ(all.size(), 1u);
        EXPECT_EQ(all[0].error, nbd::kEio);
    }
}

// ---- block status -------------------------------------------------------------------------------

std::string extents(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& all) {
    ClientBytes bytes;
    bytes.put(std::uint32_t{1});
    for (const auto& [length, state] : all) {
        bytes.put(length).put(state);
    }
    return bytes.bytes();
}

TEST_F(SessionTest, BlockStatusTellsHolesFromData) {
    connect(true, true);
    const std::string block(512, 'x');
    error_of(Command::kWrite, 1024, 512, 0, block);
    error_of(Command::kWrite, 1536, 512, 0, block);
    say(ClientBytes().request(Command::kBlockStatus, 1, 512, 4096));
    EXPECT_EQ(only_reply().data, extents({{512, 3}, {1024, 0}, {2560, 3}}));
    say(ClientBytes().request(Command::kBlockStatus, 1, 512, 4096, nbd::kReqOne));
    EXPECT_EQ(only_reply().data, extents({{512, 3}}));
    say(ClientBytes().request(Command::kBlockStatus, 1, 1536, 512));
    EXPECT_EQ(only_reply().data, extents({{512, 0}}));
    EXPECT_EQ(error_of(Command::kBlockStatus, kSize, 512), nbd::kEinval);
}

TEST_F(SessionTest, ABlockStatusHasSoManyExtentsAndNoMore) {
    connect(true, true);
    const std::string block(512, 'x');
    for (std::uint64_t at = 0; at < 4 * Session::kMostExtents; at += 2) {
        error_of(Command::kWrite, at * 512, 512, 0, block);
    }
    say(ClientBytes().request(Command::kBlockStatus, 1, 0, kSize));
    EXPECT_EQ(only_reply().data.size(), 4 + 8 * Session::kMostExtents);
}

// ---- bounds -------------------------------------------------------------------------------------

TEST_F(SessionTest, AClientThatReadsNoRepliesIsKeptWaiting) {
    connect();
    ClientBytes client;
    for (std::uint64_t i = 0; i < 1000; ++i) {
        client.request(Command::kRead, i, 0, 65536);
        lengths_[i] = 65536;
    }
    std::size_t fed = say(client);
    export_.complete_all();
    EXPECT_FALSE(session_->wants_input());
    EXPECT_LE(session_->bytes(), Session::kMostBytes);
    EXPECT_LE(session_->requests(), Session::kMostRequests);
    std::size_t answered = 0;
    while (answered < 1000) { // as it reads, it may send
        const std::size_t now = replies().size();
        ASSERT_GT(now + export_.waiting(), 0u);
        answered += now;
        fed += feed(*session_, client.bytes().substr(fed));
        export_.complete_all();
    }
    EXPECT_EQ(fed, client.bytes().size());
    EXPECT_EQ(session_->requests(), 0u);
}

TEST_F(SessionTest, SoManyRequestsAreTakenAndNoMore) {
    connect();
    ClientBytes client;
    for (std::uint64_t i = 0; i < 2 * Session::kMostRequests; ++i) {
        client.request(Command::kFlush, i);
    }
    say(client);
    EXPECT_EQ(export_.waiting(), Session::kMostRequests);
    export_.complete(0);
    EXPECT_EQ(export_.waiting(), Session::kMostRequests - 1); // the answer has not gone out
    EXPECT_EQ(replies().size(), 1u);
    EXPECT_EQ(export_.waiting(), Session::kMostRequests);
    export_.complete_all();
    EXPECT_EQ(replies().size(), Session::kMostRequests);
    export_.complete_all();
}

TEST_F(SessionTest, OneRequestMayBeLargerThanTheBound) {
    connect();
    const std::string data(32 << 20, 'z');
    ClientBytes client;
    client.request(Command::kWrite, 1, 0, 32 << 20, 0, data);
    client.request(Command::kWrite, 2, 0, 512, 0, std::string(512, 'y'));
    say(client);
    EXPECT_EQ(export_.waiting(), 1u);
    export_.complete_all();
    EXPECT_EQ(replies().size(), 1u);
    EXPECT_EQ(export_.waiting(), 1u);
    export_.complete_all();
    EXPECT_EQ(replies().size(), 1u);
}

TEST_F(SessionTest, AClientThatAsksForOptionsWithoutReadingIsKeptWaiting) {
    ClientBytes client;
    client.hello();
    for (int i = 0; i < 100'000; ++i) {
        client.option(nbd::Option::kList);
    }
    EXPECT_LT(say(client), client.bytes().size());
    EXPECT_FALSE(session_->wants_input());
    EXPECT_LT(drain(*session_).size(), 2u << 20);
    EXPECT_TRUE(session_->wants_input());
}

// ---- ends ---------------------------------------------------------------------------------------

TEST_F(SessionTest, AWrongMagicCutsOff) {
    connect();
    std::string request = ClientBytes().request(Command::kFlush, 1).bytes();
    request[3] ^= 1;
    feed(*session_, request);
    EXPECT_TRUE(session_->ended());
}

TEST_F(SessionTest, MoreDataThanAnyServerTakesCutOff) {
    connect();
    say(ClientBytes().request(Command::kWrite, 1, 0, (32u << 20) + 512));
    EXPECT_TRUE(session_->ended());
}

TEST_F(SessionTest, DisconnectWaitsForWhatHasBegun) {
    connect();
    say(ClientBytes()
            .request(Command::kFlush, 1)
            .request(Command::kDisconnect, 2)
            .request(Command::kFlush, 3));
    EXPECT_FALSE(session_->ended());
    EXPECT_FALSE(session_->wants_input());
    ASSERT_EQ(export_.waiting(), 1u);
    export_.complete_all();
    EXPECT_FALSE(session_->ended());
    EXPECT_EQ(replies().size(), 1u);
    EXPECT_TRUE(session_->ended());
}

TEST_F(SessionTest, AClientThatOnlyListensFromNowOnGetsItsAnswers) {
    connect();
    ClientBytes client;
    for (std::uint64_t i = 0; i < Session::kMostRequests + 10; ++i) {
        client.request(Command::kFlush, i);
    }
    EXPECT_EQ(say(client), client.bytes().size());
    session_->end_of_input();
    std::size_t answered = 0;
    while (!session_->ended()) {
        export_.complete_all();
        answered += replies().size();
    }
    EXPECT_EQ(answered, Session::kMostRequests + 10);
}

TEST_F(SessionTest, WhatAGoneClientAskedForIsForgottenWhenItIsDone) {
    connect();
    lengths_[1] = 4096;
    say(ClientBytes()
            .request(Command::kRead, 1, 0, 4096)
            .request(Command::kWrite, 2, 0, 512, 0, std::string(512, 'q'))
            .request(Command::kWrite, 3, 512, 512, 0, std::string(100, 'q'))); // half of it
    EXPECT_EQ(session_->in_export(), 2u);
    session_->abort();
    EXPECT_TRUE(session_->ended());
    EXPECT_EQ(session_->in_export(), 2u);
    export_.complete_all();
    EXPECT_EQ(session_->in_export(), 0u);
    EXPECT_EQ(export_.at(0), std::byte{'q'});
    EXPECT_EQ(export_.at(512), std::byte{0});
}

TEST_F(SessionTest, ARequestThatCompletesTwiceIsAnError) {
    connect();
    say(ClientBytes().request(Command::kFlush, 1));
    export_.complete_all();
    EXPECT_THROW(session_->completed(0, nbd::kOk), ModelError);
}

TEST_F(SessionTest, NobodyReadsWhatWasInTheBufferBefore) {
    connect();
    error_of(Command::kWrite, 0, 4096, 0, std::string(4096, 's'));
    Session other(export_, pool_);
    feed(other, ClientBytes().hello().go().request(Command::kRead, 1, 8192, 4096).bytes());
    ASSERT_EQ(export_.waiting(), 1u);
    for (std::size_t i = 0; i < 4096; ++i) { // of the same buffer, before the export writes to it
        ASSERT_EQ(export_.request(0).data[i], std::byte{0}) << i;
    }
    export_.complete_all();
}

} // namespace
} // namespace cavern::testing
