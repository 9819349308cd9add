#include "cpu/gdb_session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cpu/gdb_description.h"
#include "cpu/machine_debug.h"
#include "tests/cpu/assemble.h"
#include "tests/cpu/firmware_images.h"

namespace cavern::cpu {
namespace {

using Why = DebugStop::Why;

/// A session over the image `debugger`, with what comes out of it taken apart.
class GdbSessionTest : public testing::Test {
  protected:
    void SetUp() override { machine.load(program); }

    /// The answer to one packet; "none" when there is none. It is acknowledged.
    std::string ask(const std::string& packet) {
        session.receive(gdb_packet(packet));
        std::string output = session.take_output();
        EXPECT_EQ(output.substr(0, 1), "+") << packet;
        output.erase(0, 1);
        return answers(output);
    }
    static std::string answers(const std::string& output) {
        GdbPacketReader reader;
        reader.add(output);
        std::string text;
        while (const auto item = reader.next(false)) {
            EXPECT_EQ(item->kind, GdbPacketReader::Kind::kPacket);
            text += (text.empty() ? "" : " ") + item->data;
        }
        return output.empty() ? "none" : text;
    }
    /// As if the machine had stopped; the answer that the debugger waited for.
    std::string stop(Why why, const Fault& fault = {}, std::uint32_t status = 0) {
        DebugStop stop;
        stop.why = why;
        stop.fault = fault;
        stop.status = status;
        session.stopped(stop);
        return answers(session.take_output());
    }
    std::uint32_t address_of(const char* symbol) { return program.address_of(symbol).value(); }

    Program program = Program::read(firmware_image("debugger"), {});
    Machine machine;
    MachineDebugTarget target{machine, program};
    GdbSession session{target};
};

TEST_F(GdbSessionTest, SaysWhatItCan) {
    EXPECT_EQ(ask("qSupported:swbreak+;vContSupported+"),
              "PacketSize=4000;QStartNoAckMode+;qXfer:features:read+;vContSupported+");
    EXPECT_EQ(ask("vCont?"), "vCont;c;C;s;S");
    EXPECT_EQ(ask("qAttached"), "1");
    EXPECT_EQ(ask("?"), "S05");
    EXPECT_EQ(ask("Hg0"), "OK");
    EXPECT_EQ(ask("qSymbol::"), "OK");
}

TEST_F(GdbSessionTest, WhatItDoesNotKnowGetsTheEmptyAnswer) {
    for (const char* packet : {"vMustReplyEmpty", "vRun;a", "!", "R00", "", "Z5,100080,4", "qC",
                               "qTStatus", "QNonStop:1", "_M10", "\xff\xfe"}) {
        EXPECT_EQ(ask(packet), "") << packet;
    }
}

TEST_F(GdbSessionTest, RegistersAreThoseOfTheHart) {
    machine.hart().set_reg(10, 0x0123'4567);
    machine.hart().set_reg(31, 0x89AB'CDEF);
    const std::string all = ask("g");
    ASSERT_EQ(all.size(), 33u * 8);
    EXPECT_EQ(all.substr(0, 8), "00000000");
    EXPECT_EQ(all.substr(10 * 8, 8), "67452301");
    EXPECT_EQ(all.substr(31 * 8, 8), "efcdab89");
    EXPECT_EQ(all.substr(32 * 8), "80001000");
    EXPECT_EQ(ask("pa"), "67452301");
    EXPECT_EQ(ask("p20"), "80001000");
    EXPECT_EQ(ask("Pb=78563412"), "OK");
    EXPECT_EQ(machine.hart().reg(11), 0x1234'5678u);
    EXPECT_EQ(ask("P20=00011000"), "OK");
    EXPECT_EQ(machine.hart().pc(), 0x0010'0100u);
    EXPECT_EQ(ask("P0=78563412"), "OK");
    EXPECT_EQ(ask("p0"), "00000000");
    std::string changed = all;
    changed.replace(5 * 8, 8, "01000000");
    EXPECT_EQ(ask("G" + changed), "OK");
    EXPECT_EQ(machine.hart().reg(5), 1u);
    EXPECT_EQ(machine.hart().reg(11), 0u) << "as it was";
    EXPECT_EQ(machine.hart().pc(), 0x0010'0080u);
}

TEST_F(GdbSessionTest, ControlAndStatusRegistersHaveGdbsNumbers) {
    machine.hart().set_csr(csr::kMscratch, 0xAABB'CCDD);
    EXPECT_EQ(ask("p381"), "ddccbbaa"); // 65 + 0x340
    EXPECT_EQ(ask("P381=01000000"), "OK");
    EXPECT_EQ(machine.hart().csr(csr::kMscratch), 1u);
    EXPECT_EQ(ask("P3d6=01000000"), "E16"); // 65 + 0x395: there is none
    EXPECT_EQ(ask("Pf55=01000000"), "E16"); // mhartid is read-only
    EXPECT_EQ(ask("p21"), "E16");           // a floating-point register
    EXPECT_EQ(ask("pffffffff"), "E16");
}

// Every register of the description can be read by its number, and is described once.
TEST_F(GdbSessionTest, TheDescriptionComesInPiecesAndIsTrue) {
    std::string text;
    for (;;) {
        const std::string part =
            ask("qXfer:features:read:target.xml:" + fmt::format("{:x},100", text.size()));
        ASSERT_TRUE(part[0] == 'm' || part[0] == 'l');
        EXPECT_LE(part.size(), 0x101u);
        text += part.substr(1);
        if (part[0] == 'l') {
            break;
        }
    }
    EXPECT_EQ(text, gdb_target_description());
    EXPECT_EQ(ask("qXfer:features:read:other.xml:0,100"), "E00");
    EXPECT_EQ(ask("qXfer:features:read:target.xml:99999,100"), "l");
    int registers = 0;
    const std::string mark = "regnum=\"";
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; ++registers) {
        at += mark.size();
        const auto number = static_cast<unsigned>(std::stoul(text.substr(at)));
        EXPECT_EQ(ask(fmt::format("p{:x}", number)).size(), 8u) << number;
        EXPECT_EQ(text.find(mark + std::to_string(number) + '"', at), std::string::npos);
    }
    EXPECT_EQ(registers, 33 + 22);
}

TEST_F(GdbSessionTest, MemoryIsReadAndWritten) {
    EXPECT_EQ(ask("M200100,4:01020304"), "OK");
    EXPECT_EQ(ask("m200100,6"), "010203040000");
    EXPECT_EQ(ask("X200101,3:#}" + std::string(1, '\0')), "OK");
    EXPECT_EQ(ask("m200100,4"), "01237d00");
    EXPECT_EQ(ask("X0,0:"), "OK") << "GDB asks so whether there is an X";
    // To the end of the memory, and not further.
    EXPECT_EQ(ask("m23fffe,8"), "0000");
    EXPECT_EQ(ask("m240000,4"), "E0e");
    EXPECT_EQ(ask("m40010000,4"), "E0e") << "a device";
    EXPECT_EQ(ask("M23fffe,4:01020304"), "E0e");
    EXPECT_EQ(ask("m23fffe,2"), "0000") << "nothing is written";
    EXPECT_EQ(ask("m200000,ffffffff").size(), GdbPacketReader::kLongest);
}

TEST_F(GdbSessionTest, CodeThatIsWrittenIsExecuted) {
    const std::string jump_to_itself = hex_of_word(assemble::jal(0, 0));
    machine.hart().step(); // decoded
    machine.hart().set_pc(program.entry());
    EXPECT_EQ(ask("M100080,4:" + jump_to_itself), "OK");
    EXPECT_EQ(machine.run(100).end, End::kWatchdog);
    EXPECT_EQ(machine.hart().pc(), program.entry());
}

TEST_F(GdbSessionTest, BreakpointsOfBothKindsAreOneToTheHart) {
    const std::uint32_t main = address_of("main");
    const std::string place = fmt::format("{:x},2", main);
    EXPECT_EQ(ask("Z0," + place), "OK");
    EXPECT_EQ(ask("Z0," + place), "OK");
    EXPECT_EQ(ask("Z1," + place), "OK");
    EXPECT_EQ(ask("z0," + place), "OK");
    EXPECT_EQ(machine.run(100'000).end, End::kBreakpoint);
    EXPECT_EQ(machine.hart().pc(), main);
    ask("qRcmd,7265736574"); // reset
    EXPECT_EQ(ask("z1," + place), "OK");
    EXPECT_EQ(ask("z1," + place), "OK") << "removing twice is removing once";
    EXPECT_EQ(machine.run(100'000).end, End::kExit);
    EXPECT_EQ(ask("Z0,200000,4"), "E0e") << "no instruction can be there";
    EXPECT_EQ(ask("Z0,100081,4"), "E0e");
}

TEST_F(GdbSessionTest, WatchpointsOfThreeKinds) {
    const std::string place = fmt::format("{:x},4", address_of("delivered"));
    struct Case {
        const char* type;
        const char* reply;
    };
    // start clears it, take() loads it before it stores it.
    for (const Case& kind : {Case{"2", "watch"}, Case{"3", "rwatch"}, Case{"4", "awatch"}}) {
        machine.load(program);
        EXPECT_EQ(ask(std::string("Z") + kind.type + ',' + place), "OK");
        EXPECT_EQ(ask("vCont;c"), "none");
        EXPECT_EQ(session.take_resume(), Resume::kContinue);
        ASSERT_EQ(machine.run(100'000).end, End::kWatchpoint);
        DebugStop stop;
        stop.why = Why::kWatchpoint;
        stop.hit = machine.hart().watch_hit();
        session.stopped(stop);
        EXPECT_EQ(answers(session.take_output()),
                  fmt::format("T05{}:{:x};", kind.reply, address_of("delivered")));
        EXPECT_EQ(program.symbol_at(machine.hart().pc())->name,
                  *kind.type == '3' ? "take" : "start");
        EXPECT_EQ(ask(std::string("z") + kind.type + ',' + place), "OK");
        EXPECT_EQ(machine.run(100'000).end, End::kExit);
    }
    EXPECT_EQ(ask("Z2,fffffffe,4"), "E0e") << "past the end of the addresses";
}

TEST_F(GdbSessionTest, ResumesInEveryWay) {
    struct Case {
        const char* packet;
        Resume resume;
        std::uint32_t pc;
    };
    for (const Case& way :
         {Case{"c", Resume::kContinue, 0x0010'0080}, Case{"s", Resume::kStep, 0x0010'0080},
          Case{"c100100", Resume::kContinue, 0x0010'0100},
          Case{"s100104", Resume::kStep, 0x0010'0104}, Case{"C05", Resume::kContinue, 0x0010'0104},
          Case{"S05;100080", Resume::kStep, 0x0010'0080},
          Case{"vCont;c", Resume::kContinue, 0x0010'0080},
          Case{"vCont;s:1;c", Resume::kStep, 0x0010'0080},
          Case{"vCont;S05:-1;c", Resume::kStep, 0x0010'0080},
          Case{"vCont;C05", Resume::kContinue, 0x0010'0080}}) {
        EXPECT_EQ(ask(way.packet), "none") << way.packet;
        EXPECT_EQ(session.take_resume(), way.resume) << way.packet;
        EXPECT_EQ(machine.hart().pc(), way.pc) << way.packet;
        EXPECT_EQ(session.take_resume(), std::nullopt) << "once";
        EXPECT_EQ(stop(Why::kStep), "S05");
    }
    EXPECT_EQ(stop(Why::kBreakpoint), "none") << "nobody waits";
}

TEST_F(GdbSessionTest, PacketsThatMakeNoSenseAreErrors) {
    const std::string digits(33 * 8, '0');
    for (const std::string& packet : {std::string("m"),
                                      std::string("m,4"),
                                      std::string("m100080"),
                                      std::string("m100080,"),
                                      std::string("m100080,4x"),
                                      std::string("m100000080,4"),
                                      std::string("M200000,4:0102"),
                                      std::string("M200000,2:010g"),
                                      std::string("M200000,2"),
                                      std::string("X200000,2:a"),
                                      std::string("p"),
                                      std::string("px"),
                                      std::string("pa,"),
                                      std::string("P"),
                                      std::string("Pa"),
                                      std::string("Pa="),
                                      std::string("Pa=0102"),
                                      std::string("Pa=0102030g"),
                                      std::string("G"),
                                      std::string("G00"),
                                      "G" + digits + "00",
                                      "G" + digits.substr(1) + 'g',
                                      std::string("Z"),
                                      std::string("Z0"),
                                      std::string("Z0,100080"),
                                      std::string("Z0,100080,"),
                                      std::string("Z2,200000,0"),
                                      std::string("z9999999999,1,1"),
                                      std::string("c100x"),
                                      std::string("cx"),
                                      std::string("C"),
                                      std::string("C05x"),
                                      std::string("C05;"),
                                      std::string("vCont;"),
                                      std::string("vCont;t"),
                                      std::string("vCont;r1,2"),
                                      std::string("vCont;C"),
                                      std::string("vCont;cc"),
                                      std::string("qXfer:features:read:target.xml:0"),
                                      std::string("qXfer:features:read:target.xml:x,1")}) {
        EXPECT_EQ(ask(packet), "E16") << packet;
        EXPECT_EQ(session.take_resume(), std::nullopt) << packet;
    }
    EXPECT_EQ(machine.hart().pc(), program.entry());
    EXPECT_EQ(ask("G" + digits), "OK") << "33 registers are right";
}

// Any cut or damage of a packet that does something gets an answer, and the session lives on.
TEST_F(GdbSessionTest, DamagedPacketsDoNotEndIt) {
    for (const std::string& whole :
         {std::string("M200000,4:01020304"), std::string("Z2,200000,4"),
          std::string("P20=80001000"), std::string("qXfer:features:read:target.xml:0,100"),
          std::string("vCont;C05:1;c")}) {
        for (std::size_t i = 0; i < whole.size(); ++i) {
            for (const char byte : {'\0', 'g', ';', ':', ',', '\x7f', '\xff'}) {
                std::string damaged = whole;
                damaged[i] = byte;
                for (const std::string& packet : {damaged, whole.substr(0, i)}) {
                    ask(packet);
                    if (session.take_resume()) {
                        stop(Why::kStep);
                    }
                }
            }
        }
    }
    EXPECT_EQ(ask("?"), "S05");
}

TEST_F(GdbSessionTest, WhatStoppedItIsASignal) {
    const auto told = [this](Why why, const Fault& fault = {}) {
        ask("c");
        return stop(why, fault);
    };
    EXPECT_EQ(told(Why::kInterrupt), "S02");
    EXPECT_EQ(told(Why::kBreakpoint), "S05");
    Fault fault{FaultKind::kIllegal, 0x0010'0100, 0, 0x0010'0100};
    EXPECT_EQ(told(Why::kFault, fault),
              'O' + hex_of("0x00100100 is an illegal instruction (0x00100100)\n") + " S04");
    fault.kind = FaultKind::kMisaligned;
    EXPECT_EQ(told(Why::kFault, fault).substr(told(Why::kFault, fault).size() - 4), " S0a");
    fault.kind = FaultKind::kLoad;
    EXPECT_EQ(told(Why::kFault, fault).substr(told(Why::kFault, fault).size() - 4), " S0b");
    EXPECT_EQ(ask("?"), "S0b") << "the last one";
    EXPECT_EQ(told(Why::kWaiting),
              'O' + hex_of("waits for an interrupt that never comes\n") + " S02");
    EXPECT_EQ(told(Why::kWatchdog).substr(told(Why::kWatchdog).size() - 4), " X18");
    ask("c");
    EXPECT_EQ(stop(Why::kExit), "W00");
    ask("c");
    EXPECT_EQ(stop(Why::kExit, {}, 0x7D), "W7d");
}

TEST_F(GdbSessionTest, InterruptsWhileItRunsAndOnlyThen) {
    session.receive("\x03");
    EXPECT_FALSE(session.take_interrupt());
    ask("c");
    EXPECT_FALSE(session.take_interrupt());
    session.receive("\x03");
    EXPECT_TRUE(session.take_interrupt());
    EXPECT_FALSE(session.take_interrupt()) << "once";
    session.receive("\x03");
    EXPECT_EQ(stop(Why::kBreakpoint), "S05");
    ask("c");
    EXPECT_FALSE(session.take_interrupt()) << "it was for the run before";
}

TEST_F(GdbSessionTest, PacketsWaitUntilItStands) {
    ask("c");
    session.receive(gdb_packet("p20"));
    EXPECT_EQ(session.take_output(), "");
    session.stopped({});
    EXPECT_EQ(session.take_output(), gdb_packet("S05") + '+' + gdb_packet("80001000"));
}

TEST_F(GdbSessionTest, AsksForABadPacketAgainAndSendsItsOwnAgain) {
    session.receive("$?#00");
    EXPECT_EQ(session.take_output(), "-");
    session.receive(gdb_packet("?"));
    EXPECT_EQ(session.take_output(), '+' + gdb_packet("S05"));
    session.receive("-");
    EXPECT_EQ(session.take_output(), gdb_packet("S05"));
    session.receive("+");
    EXPECT_EQ(session.take_output(), "");
    EXPECT_EQ(ask(std::string(GdbPacketReader::kLongest + 1, 'm')), "E16");
}

TEST_F(GdbSessionTest, LeavesOffAcknowledging) {
    session.receive(gdb_packet("QStartNoAckMode"));
    EXPECT_EQ(session.take_output(), '+' + gdb_packet("OK"));
    session.receive('+' + gdb_packet("?"));
    EXPECT_EQ(session.take_output(), gdb_packet("S05"));
    session.receive("$?#00");
    EXPECT_EQ(session.take_output(), gdb_packet("E16")) << "nobody would ask again";
}

TEST_F(GdbSessionTest, LeavesNothingBehind) {
    for (const char* packet : {"D", "D;1", "vKill;1"}) {
        machine.load(program);
        ask(fmt::format("Z0,{:x},2", address_of("main")));
        ask(fmt::format("Z4,{:x},4", address_of("delivered")));
        EXPECT_EQ(ask(packet), "OK");
        EXPECT_EQ(session.take_resume(), *packet == 'D' ? Resume::kDetach : Resume::kKill);
        EXPECT_EQ(machine.run(100'000).end, End::kExit) << "neither holds it";
    }
    EXPECT_EQ(ask("k"), "none");
    EXPECT_EQ(session.take_resume(), Resume::kKill);
}

TEST_F(GdbSessionTest, MonitorsCyclesAndResets) {
    const auto monitor = [this](const std::string& words) {
        return bytes_of_hex(ask("qRcmd," + hex_of(words))).value();
    };
    EXPECT_EQ(monitor("cycles"), "3 cycles, 0 instructions\n");
    const std::uint32_t delivered = address_of("delivered");
    EXPECT_EQ(machine.run(100'000).end, End::kExit);
    EXPECT_EQ(monitor("cycles"), fmt::format("{} cycles, {} instructions\n", machine.hart().cycle(),
                                             machine.hart().instructions()));
    EXPECT_NE(ask(fmt::format("m{:x},4", delivered)), "00000000");
    EXPECT_NE(monitor("reset").find("reset"), std::string::npos);
    EXPECT_EQ(ask(fmt::format("m{:x},4", delivered)), "00000000");
    EXPECT_EQ(ask("p20"), "80001000");
    EXPECT_EQ(ask("?"), "S05");
    EXPECT_EQ(machine.run(100'000).end, End::kExit) << "it runs a second time";
    EXPECT_NE(monitor("fly").find("monitor cycles"), std::string::npos) << "what there is";
    EXPECT_NE(ask("qRcmd,6"), "");
    // A hart that somebody else runs.
    HartDebugTarget other(machine.hart());
    GdbSession elsewhere(other);
    elsewhere.receive(gdb_packet("qRcmd," + hex_of("reset")));
    EXPECT_EQ(elsewhere.take_output(), '+' + gdb_packet(hex_of("it cannot be reset by itself\n")));
}

} // namespace
} // namespace cavern::cpu
