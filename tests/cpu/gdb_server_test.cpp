#include "cpu/gdb_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "cpu/gdb_packet.h"
#include "cpu/hart_debug_target.h"
#include "cpu/machine.h"
#include "tests/cpu/firmware_images.h"

namespace cavern::cpu {
namespace {

using Why = DebugStop::Why;

class GdbServerTest : public testing::Test {
  protected:
    void SetUp() override {
        machine_.load(program_);
        client_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(server.port());
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        ASSERT_EQ(::connect(client_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
                  0);
    }
    void TearDown() override { leave(); }
    void send(const std::string& packet) const {
        const std::string bytes = gdb_packet(packet);
        ASSERT_EQ(::send(client_, bytes.data(), bytes.size(), 0),
                  static_cast<ssize_t>(bytes.size()));
    }
    void leave() {
        if (client_ >= 0) {
            ::close(client_);
        }
        client_ = -1;
    }

    Program program_ = Program::read(firmware_image("debugger"), {});
    Machine machine_;
    HartDebugTarget target_{machine_.hart()};
    GdbServer server{target_, 0};
    int client_ = -1;
};

TEST_F(GdbServerTest, WhoBreaksOffHasDetached) {
    send("Z2,200000,4");
    leave();
    EXPECT_EQ(server.hold({Why::kStart, {}, {}, 0}), Resume::kDetach);
    EXPECT_FALSE(server.has_changed());
}

TEST_F(GdbServerTest, TheEndOfTheProgramIsToldToWhoHasLeft) {
    send("Z2,200000,4");
    send("c");
    EXPECT_EQ(server.hold({Why::kStart, {}, {}, 0}), Resume::kContinue);
    leave();
    EXPECT_TRUE(server.interrupts());
    EXPECT_EQ(server.hold({Why::kExit, {}, {}, 0}), Resume::kDetach);
}

TEST_F(GdbServerTest, WhatIsWrittenIsAChange) {
    send("m200000,4");
    send("c");
    EXPECT_EQ(server.hold({Why::kStart, {}, {}, 0}), Resume::kContinue);
    EXPECT_FALSE(server.has_changed());
    send("M200000,4:00000000");
    send("c");
    EXPECT_EQ(server.hold({Why::kInterrupt, {}, {}, 0}), Resume::kContinue);
    EXPECT_TRUE(server.has_changed());
}

} // namespace
} // namespace cavern::cpu
