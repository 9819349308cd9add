// One die on its socket: R/B#, what it refuses, what it checks.

#include "timed/nand/nand_die.h"

#include <gtest/gtest.h>

#include "tests/support/script.h"
#include "tests/support/systemc_test.h"

namespace cavern::testing {
namespace {

/// The channel's end of the socket.
class Controller final : public sc_core::sc_module, private tlm::tlm_bw_transport_if<NandProtocol> {
  public:
    tlm::tlm_initiator_socket<32, NandProtocol> socket{"socket"};

    explicit Controller(const sc_core::sc_module_name& name) : sc_module(name) {
        payload.set_extension(&command);
        socket.bind(*this);
    }
    ~Controller() override { payload.clear_extension(&command); }

    void step(NandStep what, TimePs delay) {
        command.step = what;
        call(NAND_LATCH, delay);
    }
    void call(tlm::tlm_phase phase, TimePs delay) {
        sc_core::sc_time time = to_sc_time(delay);
        EXPECT_EQ(socket->nb_transport_fw(payload, phase, time), tlm::TLM_ACCEPTED);
    }

    tlm::tlm_generic_payload payload;
    NandExtension command;
    std::vector<TimePs> ready_at;
    std::vector<TimePs> busy_at;
    std::function<void()> on_ready = [] {};

  private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
        if (phase == NAND_BUSY) {
            busy_at.push_back(now_ps());
            return tlm::TLM_ACCEPTED;
        }
        EXPECT_EQ(phase, NAND_READY);
        ready_at.push_back(now_ps());
        const std::function<void()> action = on_ready; // which may set another
        action();
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

NandStep step_of(FlashOpKind kind) {
    return row_of(command_of(kind)).step[0];
}

class NandDieTest : public SystemcTest {
  protected:
    explicit NandDieTest(bool polls = false) {
        timing_.polls.on = polls;
        geometry_.channels = 1;
        geometry_.ways = 1;
        geometry_.blocks_per_plane = 4;
        geometry_.pages_per_block = 4;
        timing_.t_r = {25 * kUs};
        timing_.t_prog = {200 * kUs};
        timing_.t_bers = 1500 * kUs;
        array_ = std::make_unique<NandArray>(geometry_, false);
        die_ = std::make_unique<NandDie>("die", clock_, DieId{0}, timing_, *array_, nullptr);
        controller_.socket.bind(die_->channel_target_socket);
    }
    void command(FlashOpKind kind, std::uint32_t page, Lpn lpn = kNoLpn) {
        controller_.command.kind = kind;
        controller_.command.count = controller_.command.nand_pages = 1;
        controller_.command.pages[0] = Ppn{page};
        controller_.command.lpns[0] = lpn;
        controller_.step(step_of(kind), 100 * kNs);
    }
    void reset() {
        controller_.command.what = NandCommand::kReset;
        controller_.step(NandStep::kReset, 0);
    }

    Geometry geometry_;
    NandTiming timing_;
    EventQueue clock_{"clock"};
    std::unique_ptr<NandArray> array_;
    std::unique_ptr<NandDie> die_;
    Controller controller_{"controller"};
    Script script_{"script"};
};

class PolledDieTest : public NandDieTest {
  protected:
    PolledDieTest() : NandDieTest(true) {}
};

TEST_F(NandDieTest, IsBusyFromTheLatchToTheEndOfTheArrayOperation) {
    EXPECT_FALSE(die_->busy());
    const TimePs end = 100 * kNs + 200 * kUs;
    script_.at(0, [this] {
        command(FlashOpKind::kProgram, 0);
        EXPECT_TRUE(die_->busy());
    });
    script_.at(end - 1, [this] { EXPECT_TRUE(die_->busy()); });
    controller_.on_ready = [this] { EXPECT_FALSE(die_->busy()); };
    run();
    EXPECT_EQ(controller_.ready_at, (std::vector<TimePs>{end}));
}

TEST_F(NandDieTest, TakesTheNextCommandAtTheMomentItIsReady) {
    script_.at(0, [this] { command(FlashOpKind::kProgram, 0); });
    controller_.on_ready = [this] {
        controller_.on_ready = [] {};
        command(FlashOpKind::kErase, 0);
    };
    run();
    const TimePs first = 100 * kNs + 200 * kUs;
    EXPECT_EQ(controller_.ready_at, (std::vector<TimePs>{first, first + 100 * kNs + 1500 * kUs}));
    EXPECT_EQ(die_->statistics().busy, 1700 * kUs);
}

TEST_F(NandDieTest, TimeOfTheArrayCountsUpToNow) {
    const auto busy = [this] { return die_->statistics().busy; };
    script_.at(0, [&] {
        command(FlashOpKind::kProgram, 0);
        EXPECT_EQ(busy(), 0u);
    });
    script_.at(100 * kNs + 50 * kUs, [&] {
        EXPECT_EQ(busy(), 50 * kUs);
        die_->reset_statistics();
        EXPECT_EQ(busy(), 0u);
    });
    script_.at(100 * kNs + 60 * kUs, [&] { EXPECT_EQ(busy(), 10 * kUs); });
    run();
    EXPECT_EQ(busy(), 150 * kUs);
    EXPECT_EQ(die_->operations(), 1u);
    die_->reset_statistics();
    EXPECT_EQ(busy(), 0u);
    EXPECT_EQ(die_->operations(), 1u);
}

// What a suspension takes back was begun before the statistics were.
TEST_F(NandDieTest, ASuspensionTakesBackNoMoreThanIsCounted) {
    timing_.suspend.programs = true;
    script_.at(0, [this] { command(FlashOpKind::kProgram, 0); });
    script_.at(50 * kUs, [this] { die_->reset_statistics(); });
    script_.at(80 * kUs, [this] { controller_.call(NAND_SUSPEND, kUs); });
    run();
    EXPECT_EQ(die_->statistics().busy, 31 * kUs);
    EXPECT_EQ(die_->array_times().program[0], 31 * kUs);
}

TEST_F(NandDieTest, RefusesACommandOneStepBeforeItIsReady) {
    script_.at(0, [this] { command(FlashOpKind::kProgram, 0); });
    script_.at(100 * kNs + 200 * kUs - 1, [this] { command(FlashOpKind::kErase, 0); });
    EXPECT_NE(run_to_error().find("a die takes no command while busy"), std::string::npos);
}

TEST_F(NandDieTest, RefusesReadOutWhileItIsBusy) {
    script_.at(0, [this] { command(FlashOpKind::kProgram, 0); });
    script_.at(1 * kUs, [this] { controller_.step(NandStep::kDataOut, 0); });
    EXPECT_NE(run_to_error().find("the page register is read while the die is ready"),
              std::string::npos);
}

TEST_F(NandDieTest, RefusesPhasesOfTheBaseProtocol) {
    script_.at(0, [this] { controller_.call(tlm::BEGIN_REQ, 0); });
    EXPECT_NE(run_to_error().find("a die knows the phases of its protocol"), std::string::npos);
}

TEST_F(NandDieTest, RefusesACommandThatNamesNoPage) {
    script_.at(0, [this] {
        controller_.command.count = 0;
        controller_.step(NandStep::kRead, 0);
    });
    EXPECT_NE(run_to_error().find("a NAND command names a page"), std::string::npos);
}

TEST_F(PolledDieTest, TellsItsStatusAndNothingBefore) {
    timing_.bus_byte_fs = 5'000'000;
    const TimePs end = 100 * kNs + 200 * kUs;
    script_.at(0, [this] { command(FlashOpKind::kProgram, 0); });
    // The byte begins 5 ns before the end of the poll.
    script_.at(end - 10 * kNs, [this] { controller_.step(NandStep::kStatus, 15 * kNs - 1); });
    script_.at(end + 10 * kUs, [this] { controller_.step(NandStep::kStatus, 15 * kNs); });
    run();
    EXPECT_EQ(controller_.busy_at, (std::vector<TimePs>{end + 5 * kNs - 1}));
    EXPECT_EQ(controller_.ready_at, (std::vector<TimePs>{end + 10 * kUs + 15 * kNs}));
    EXPECT_EQ(die_->statistics().polls, 2u);
}

TEST_F(NandDieTest, RefusesAPollWhereThePinTells) {
    script_.at(0, [this] { command(FlashOpKind::kProgram, 0); });
    script_.at(kUs, [this] { controller_.step(NandStep::kStatus, 0); });
    EXPECT_NE(run_to_error().find("a die whose R/B# tells is not polled"), std::string::npos);
}

TEST_F(PolledDieTest, RefusesAPollOfNothing) {
    script_.at(0, [this] { controller_.step(NandStep::kStatus, 0); });
    EXPECT_NE(run_to_error().find("what is polled is under way"), std::string::npos);
}

TEST_F(NandDieTest, RefusesAResetWhileItIsBusy) {
    timing_.reset.on = true;
    script_.at(0, [this] { command(FlashOpKind::kProgram, 0); });
    script_.at(kUs, [this] { reset(); });
    EXPECT_NE(run_to_error().find("a die that begins the run is idle"), std::string::npos);
}

TEST_F(NandDieTest, RefusesAResetThatItsPartHasNot) {
    script_.at(0, [this] { reset(); });
    EXPECT_NE(run_to_error().find("a die is given what its part has"), std::string::npos);
}

TEST_F(NandDieTest, RefusesACommandWhileItIsReset) {
    timing_.reset.on = true;
    script_.at(0, [this] { reset(); });
    script_.at(5 * kUs - 1, [this] {
        controller_.command.what = NandCommand::kErase;
        command(FlashOpKind::kErase, 0);
    });
    EXPECT_NE(run_to_error().find("a die takes no command while busy"), std::string::npos);
}

TEST_F(NandDieTest, AReadOfTheLogicalPageStoredIsFine) {
    array_->program(Ppn{0}, Lpn{7});
    script_.at(0, [this] { command(FlashOpKind::kRead, 0, Lpn{7}); });
    run();
    EXPECT_EQ(die_->statistics().reads, 1u);
}

TEST_F(NandDieTest, AReadThatFindsAnotherLogicalPageStopsTheRun) {
    array_->program(Ppn{0}, Lpn{8});
    script_.at(0, [this] { command(FlashOpKind::kRead, 0, Lpn{7}); });
    EXPECT_NE(run_to_error().find("the spare area of a page read names the logical page"),
              std::string::npos);
    EXPECT_EQ(now_ps(), 100 * kNs + 25 * kUs);
}

TEST_F(NandDieTest, AProgramOutOfOrderStopsTheRun) {
    array_->program(Ppn{2}, Lpn{1});
    script_.at(0, [this] { command(FlashOpKind::kProgram, 1); });
    EXPECT_NE(run_to_error().find("page 1 of block 0 is programmed after page 2"),
              std::string::npos);
}

/// The first two of four blocks store one bit in a cell.
class SlcDieTest : public NandDieTest {
  protected:
    SlcDieTest() {
        geometry_.planes_per_die = 2;
        geometry_.slc_blocks = 2;
        geometry_.slc_pages = 2;
        timing_.slc_t_r = 20 * kUs;
        timing_.slc_t_prog = 90 * kUs;
        array_ = std::make_unique<NandArray>(geometry_, false);
        die_ = std::make_unique<NandDie>("slc", clock_, DieId{0}, timing_, *array_, nullptr);
        slc_.socket.bind(die_->channel_target_socket);
    }
    void command(FlashOpKind kind, std::initializer_list<std::uint32_t> pages) {
        slc_.command.kind = kind;
        slc_.command.count = slc_.command.nand_pages = 0;
        for (const std::uint32_t page : pages) {
            slc_.command.pages[slc_.command.count] = Ppn{page};
            slc_.command.lpns[slc_.command.count++] = kNoLpn;
            ++slc_.command.nand_pages;
        }
        slc_.step(step_of(kind), 0);
    }

    Controller slc_{"slc_controller"};
};

TEST_F(SlcDieTest, TimesAreThoseOfTheModeOfTheBlock) {
    const std::uint32_t in_slc = 4;  // block 1
    const std::uint32_t beyond = 12; // block 3
    std::vector<std::function<void()>> next{
        [&] { command(FlashOpKind::kProgram, {beyond}); },
        [&] { command(FlashOpKind::kRead, {in_slc}); },
        [&] { command(FlashOpKind::kRead, {beyond}); },
        [&] { command(FlashOpKind::kErase, {in_slc}); },
    };
    std::size_t done = 0;
    slc_.on_ready = [&] {
        if (done < next.size()) {
            next[done++]();
        }
    };
    script_.at(0, [&] { command(FlashOpKind::kProgram, {in_slc}); });
    run();
    std::vector<TimePs> ends;
    TimePs end = 0;
    for (const TimePs time : {90 * kUs, 200 * kUs, 20 * kUs, 25 * kUs, 1500 * kUs}) {
        ends.push_back(end += time);
    }
    EXPECT_EQ(slc_.ready_at, ends);
}

TEST_F(SlcDieTest, PlanesOfACommandAreInOneMode) {
    const std::uint32_t second_plane = 16;
    script_.at(0, [&] { command(FlashOpKind::kProgram, {4, second_plane}); });
    script_.at(kMs, [&] { command(FlashOpKind::kProgram, {5, second_plane + 8 + 1}); });
    EXPECT_NE(run_to_error().find("the planes of a command are in one mode"), std::string::npos);
    EXPECT_EQ(slc_.ready_at, std::vector<TimePs>{90 * kUs}); // the first was right
}

TEST_F(NandDieTest, OtherInterfacesAreRefused) {
    script_.at(0, [this] {
        sc_core::sc_time delay;
        tlm::tlm_dmi dmi;
        controller_.socket->b_transport(controller_.payload, delay);
        EXPECT_EQ(controller_.payload.get_response_status(), tlm::TLM_COMMAND_ERROR_RESPONSE);
        EXPECT_FALSE(controller_.socket->get_direct_mem_ptr(controller_.payload, dmi));
        EXPECT_EQ(controller_.socket->transport_dbg(controller_.payload), 0u);
    });
    run();
    EXPECT_FALSE(die_->busy());
}

} // namespace
} // namespace cavern::testing
