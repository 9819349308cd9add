// The options of a connection, byte for byte as the public document of the protocol has them.

#include "serve/nbd/handshake.h"

#include <gtest/gtest.h>
#include <string>

#include "tests/serve/nbd/memory_export.h"
#include "tests/serve/nbd/nbd_client.h"

namespace cavern::testing {
namespace {

using nbd::Handshake;
using nbd::Option;
using nbd::OptionReply;

class HandshakeTest : public ::testing::Test {
  protected:
    /// All that it takes of these bytes.
    std::size_t say(const std::string& bytes) {
        std::size_t taken = 0;
        while (taken < bytes.size()) {
            const std::size_t now =
                handshake_.consume(reinterpret_cast<const std::byte*>(bytes.data()) + taken,
                                   bytes.size() - taken, out_);
            if (now == 0 || handshake_.state() == Handshake::State::kTransmission) {
                return taken + now;
            }
            taken += now;
        }
        return taken;
    }
    /// After the flags, an option alone; the type of its only or last answer.
    OptionReply ask(Option option, const std::string& data = {}) {
        if (handshake_.state() == Handshake::State::kFlags) {
            say(ClientBytes().hello().bytes());
        }
        out_.clear();
        say(ClientBytes().option(option, data).bytes());
        answers_.clear();
        ServerBytes server(out_);
        while (!server.at_end() && !server.wrong) {
            answers_.push_back(server.option());
            EXPECT_EQ(answers_.back().option, option);
        }
        EXPECT_FALSE(server.wrong);
        return answers_.empty() ? OptionReply{} : answers_.back().type;
    }
    static std::string info_data(const std::string& name, const std::vector<std::uint16_t>& items) {
        ClientBytes data;
        data.text(name).put(static_cast<std::uint16_t>(items.size()));
        for (const std::uint16_t item : items) {
            data.put(item);
        }
        return data.bytes();
    }

    MemoryExport export_{1 << 20};
    Handshake handshake_{export_};
    std::string out_;
    std::vector<ServerBytes::OptionAnswer> answers_;
};

TEST_F(HandshakeTest, TheGreetingIsFixedNewstyle) {
    handshake_.greet(out_);
    EXPECT_EQ(out_, std::string("NBDMAGICIHAVEOPT\0\3", 18));
}

TEST_F(HandshakeTest, AClientWithoutFixedNewstyleOrWithUnknownFlagsIsCutOff) {
    for (const std::uint32_t flags : {0u, 2u, 5u, 0xFFFF'FFFFu}) {
        Handshake handshake(export_);
        const std::string bytes = ClientBytes().put(flags).bytes();
        EXPECT_EQ(handshake.consume(reinterpret_cast<const std::byte*>(bytes.data()), 4, out_), 4u);
        EXPECT_EQ(handshake.state(), Handshake::State::kEnded) << flags;
    }
}

TEST_F(HandshakeTest, HalfAnOptionIsWaitedFor) {
    say(ClientBytes().hello().bytes());
    const std::string go = ClientBytes().go().bytes();
    for (std::size_t part = 0; part < go.size(); ++part) {
        EXPECT_EQ(say(go.substr(0, part)), 0u) << part;
    }
    EXPECT_EQ(say(go), go.size());
    EXPECT_EQ(handshake_.state(), Handshake::State::kTransmission);
}

TEST_F(HandshakeTest, GoTellsSizeFlagsAndBlockSizes) {
    EXPECT_EQ(ask(Option::kGo, info_data("cavern", {1, 2, 77})), OptionReply::kAck);
    ASSERT_EQ(answers_.size(), 5u);
    const auto flags = static_cast<std::uint16_t>(1 | 4 | 8 | 32 | 64 | 256);
    EXPECT_EQ(answers_[0].data,
              ClientBytes().put(std::uint16_t{0}).put(std::uint64_t{1 << 20}).put(flags).bytes());
    EXPECT_EQ(answers_[1].data, ClientBytes()
                                    .put(std::uint16_t{3})
                                    .put(std::uint32_t{512})
                                    .put(std::uint32_t{4096})
                                    .put(std::uint32_t{32 << 20})
                                    .bytes());
    EXPECT_EQ(answers_[2].data, std::string("\0\1cavern", 8));
    EXPECT_EQ(answers_[3].data, std::string("\0\2memory of a test", 18));
    EXPECT_EQ(handshake_.state(), Handshake::State::kTransmission);
}

TEST_F(HandshakeTest, InfoTellsTheSameAndGoesOn) {
    EXPECT_EQ(ask(Option::kInfo, info_data("", {})), OptionReply::kAck);
    EXPECT_EQ(answers_.size(), 3u);
    EXPECT_EQ(handshake_.state(), Handshake::State::kOptions);
    EXPECT_EQ(ask(Option::kInfo, info_data("other", {})), OptionReply::kErrorUnknown);
    EXPECT_EQ(ask(Option::kGo, info_data("other", {})), OptionReply::kErrorUnknown);
    EXPECT_EQ(handshake_.state(), Handshake::State::kOptions);
}

TEST_F(HandshakeTest, InfoThatIsCutShortOrTooLongIsInvalid) {
    const std::string right = info_data("cavern", {1, 2});
    for (std::size_t bytes = 0; bytes < right.size(); ++bytes) {
        EXPECT_EQ(ask(Option::kGo, right.substr(0, bytes)), OptionReply::kErrorInvalid) << bytes;
    }
    EXPECT_EQ(ask(Option::kGo, right + '\0'), OptionReply::kErrorInvalid);
    EXPECT_EQ(ask(Option::kInfo, right), OptionReply::kAck);
}

TEST_F(HandshakeTest, ExportNameIsAnsweredByTheExportAlone) {
    say(ClientBytes().hello().bytes());
    say(ClientBytes().option(Option::kExportName, "cavern").bytes());
    EXPECT_EQ(out_.size(), 10u);
    EXPECT_EQ(handshake_.state(), Handshake::State::kTransmission);
    Handshake padded(export_);
    out_.clear();
    const std::string bytes =
        ClientBytes().put(std::uint32_t{1}).option(Option::kExportName).bytes();
    const auto* in = reinterpret_cast<const std::byte*>(bytes.data());
    padded.consume(in, bytes.size(), out_);
    padded.consume(in + 4, bytes.size() - 4, out_);
    EXPECT_EQ(out_.size(), 134u);
    EXPECT_EQ(out_.substr(10), std::string(124, '\0'));
}

TEST_F(HandshakeTest, AnUnknownExportNameIsCutOff) {
    say(ClientBytes().hello().option(Option::kExportName, "other").bytes());
    EXPECT_EQ(out_, "");
    EXPECT_EQ(handshake_.state(), Handshake::State::kEnded);
}

TEST_F(HandshakeTest, TheListHasOneExport) {
    EXPECT_EQ(ask(Option::kList), OptionReply::kAck);
    ASSERT_EQ(answers_.size(), 2u);
    EXPECT_EQ(answers_[0].type, OptionReply::kServer);
    EXPECT_EQ(answers_[0].data,
              ClientBytes().text("cavern").put(std::string("memory of a test")).bytes());
    EXPECT_EQ(ask(Option::kList, "x"), OptionReply::kErrorInvalid);
}

TEST_F(HandshakeTest, AbortIsAnsweredAndEnds) {
    EXPECT_EQ(ask(Option::kAbort), OptionReply::kAck);
    EXPECT_EQ(handshake_.state(), Handshake::State::kEnded);
}

TEST_F(HandshakeTest, TlsAndUnknownOptionsAreRefused) {
    EXPECT_EQ(ask(Option::kStartTls), OptionReply::kErrorUnsupported);
    EXPECT_EQ(ask(static_cast<Option>(11)), OptionReply::kErrorUnsupported);
    EXPECT_EQ(ask(static_cast<Option>(0xFFFF'FFFF), "whatever"), OptionReply::kErrorUnsupported);
    EXPECT_EQ(handshake_.state(), Handshake::State::kOptions);
}

TEST_F(HandshakeTest, AWrongMagicEnds) {
    say(ClientBytes().hello().bytes());
    std::string go = ClientBytes().go().bytes();
    go[0] ^= 1;
    say(go);
    EXPECT_EQ(handshake_.state(), Handshake::State::kEnded);
}

TEST_F(HandshakeTest, AnOptionThatIsTooBigIsSkipped) {
    const std::string big(Handshake::kMostOption + 1, 'x');
    EXPECT_EQ(ask(Option::kGo, big), OptionReply::kErrorTooBig);
    EXPECT_EQ(ask(Option::kList), OptionReply::kAck); // the next begins where it should
    std::string out;
    const std::string huge = ClientBytes()
                                 .put(nbd::kOptionMagic)
                                 .put(std::uint32_t{7})
                                 .put(Handshake::kMostSkipped + 1)
                                 .bytes();
    say(huge);
    EXPECT_EQ(handshake_.state(), Handshake::State::kEnded);
}

TEST_F(HandshakeTest, AContextIsChosenAfterStructuredReplies) {
    const auto data = [](const std::vector<std::string>& queries) {
        return ClientBytes().contexts(Option::kSetMetaContext, queries).bytes().substr(16);
    };
    EXPECT_EQ(ask(Option::kSetMetaContext, data({"base:allocation"})), OptionReply::kErrorInvalid);
    EXPECT_EQ(ask(Option::kStructuredReply, "x"), OptionReply::kErrorInvalid);
    EXPECT_FALSE(handshake_.structured());
    EXPECT_EQ(ask(Option::kStructuredReply), OptionReply::kAck);
    EXPECT_TRUE(handshake_.structured());
    EXPECT_EQ(ask(Option::kSetMetaContext, data({"qemu:x", "base:allocation"})), OptionReply::kAck);
    ASSERT_EQ(answers_.size(), 2u);
    EXPECT_EQ(answers_[0].type, OptionReply::kMetaContext);
    EXPECT_EQ(answers_[0].data, std::string("\0\0\0\1base:allocation", 19));
    EXPECT_TRUE(handshake_.has_context());
    EXPECT_EQ(ask(Option::kSetMetaContext, data({})), OptionReply::kAck); // and given back
    EXPECT_EQ(answers_.size(), 1u);
    EXPECT_FALSE(handshake_.has_context());
    ask(Option::kSetMetaContext, data({"base:allocation"}));
    const std::string cut = data({"base:allocation"}).substr(0, 20);
    EXPECT_EQ(ask(Option::kSetMetaContext, cut), OptionReply::kErrorInvalid);
    EXPECT_FALSE(handshake_.has_context()); // a choice that fails leaves none
}

TEST_F(HandshakeTest, ContextsAreListedByNameByNamespaceAndAll) {
    for (const std::vector<std::string>& queries :
         {std::vector<std::string>{}, {"base:"}, {"base:allocation"}}) {
        const std::string data =
            ClientBytes().contexts(Option::kListMetaContext, queries).bytes().substr(16);
        EXPECT_EQ(ask(Option::kListMetaContext, data), OptionReply::kAck);
        EXPECT_EQ(answers_.size(), 2u);
    }
    const std::string other =
        ClientBytes().contexts(Option::kListMetaContext, {"qemu:"}).bytes().substr(16);
    EXPECT_EQ(ask(Option::kListMetaContext, other), OptionReply::kAck);
    EXPECT_EQ(answers_.size(), 1u);
}

TEST_F(HandshakeTest, AMillionQueriesThatAreNotThereAreInvalid) {
    ClientBytes data;
    data.text("").put(std::uint32_t{0xFFFF'FFFF});
    EXPECT_EQ(ask(Option::kListMetaContext, data.bytes()), OptionReply::kErrorInvalid);
}

} // namespace
} // namespace cavern::testing
