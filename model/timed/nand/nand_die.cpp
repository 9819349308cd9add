#include "timed/nand/nand_die.h"

#include <algorithm>

#include "core/base/check.h"
#include "timed/nand/die_registers.h"
#include "timed/nand/nand_checks.h"
#include "timed/tlm/time.h"

namespace cavern {

NandDie::NandDie(const sc_core::sc_module_name& name, EventQueue& events, DieId id,
                 const NandTiming& timing, NandArray& array, ActivityLogIf* activity)
    : sc_module(name), events_(events), id_(id), timing_(timing), array_(array),
      clock_(timing, array.geometry()), activity_(activity) {
    channel_target_socket.bind(*this);
    if (timing.cache.any()) {
        cache_ = std::make_unique<CacheRegister>(*this);
    }
    if (timing.copy_back.on) {
        copy_ = std::make_unique<CopyRegister>(*this);
    }
    if (timing.polls.on) {
        status_ = std::make_unique<StatusByte>(*this);
    }
}

NandDie::~NandDie() = default;

// ---- statistics ---------------------------------------------------------------------------------

TimePs NandDie::still_to_come() const {
    const TimePs now = now_ps();
    const auto after_now = [now](TimePs from, TimePs until) {
        from = std::max(from, now);
        return std::max(from, until) - from;
    };
    TimePs all = copy_ != nullptr ? after_now(copy_->from, copy_->until) : 0;
    if (payload_ != nullptr) {
        const NandExtension& command = NandExtension::get(*payload_);
        all += after_now(command.began, command.ends - (command.suspended ? left_ : 0));
    }
    const tlm::tlm_generic_payload* ahead = cache_ != nullptr ? cache_->ahead() : nullptr;
    if (ahead != nullptr && ahead != payload_) {
        const NandExtension& command = NandExtension::get(*ahead);
        all += after_now(command.began, command.ends);
    }
    return all;
}

NandDie::Statistics NandDie::statistics() const {
    Statistics past = statistics_;
    past.busy = clock_.busy() - still_to_come();
    return past;
}

void NandDie::reset_statistics() {
    operations_before_ = operations();
    clock_.reset(payload_ != nullptr ? still_to_come() : 0);
    statistics_ = {};
}

// ---- steps --------------------------------------------------------------------------------------

tlm::tlm_sync_enum NandDie::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const TimePs at = kernel_ps() + to_ps(delay);
    if (phase == NAND_LATCH) {
        take_step(payload, NandExtension::get(payload), at);
    } else {
        CAVERN_CHECK(phase == NAND_SUSPEND, "a die knows the phases of its protocol");
        suspend(payload, at);
    }
    return tlm::TLM_ACCEPTED;
}

void NandDie::tell(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time delay = LocalTime::annotation();
    channel_target_socket->nb_transport_bw(payload, phase, delay);
}

void NandDie::take_step(tlm::tlm_generic_payload& payload, NandExtension& command, TimePs at) {
    switch (command.step) {
    case NandStep::kRead:
    case NandStep::kProgram:
    case NandStep::kErase:
    case NandStep::kCopyProgram:
        latch(payload, command, at);
        return;
    case NandStep::kDataOut:
        data_out(command);
        return;
    case NandStep::kCopyRead:
        CAVERN_CHECK(copy_ != nullptr, "the part has copy-back");
        copy_->read(payload, command, at);
        return;
    case NandStep::kCacheNext:
    case NandStep::kCacheRead:
    case NandStep::kCacheEnd:
        CAVERN_CHECK(cache_ != nullptr, "the part has a cache register");
        cache_->read(payload, command, at, command.step == NandStep::kCacheEnd);
        return;
    case NandStep::kResume:
        resume(payload, command, at);
        return;
    case NandStep::kStatus:
        CAVERN_CHECK(status_ != nullptr, "a die whose R/B# tells is not polled");
        status_->ask(payload, at);
        return;
    case NandStep::kSuspend:
        CAVERN_CHECK(false, "an operation is suspended by a phase of its own");
        return;
    default:
        begin_run(payload, command, at);
        return;
    }
}

TimePs NandDie::begin(const NandExtension& command) {
    CAVERN_CHECK(command.count >= 1, "a NAND command names a page");
    if (timing_.one_shot.on && command.kind == FlashOpKind::kProgram) {
        check_word_lines(array_.geometry(), command);
    }
    if (command.nand_pages > 1) {
        check_planes(array_.geometry(), command);
    }
    return clock_.begin(command);
}

void NandDie::latch(tlm::tlm_generic_payload& payload, NandExtension& command, TimePs at) {
    if (payload_ != nullptr) {
        CAVERN_CHECK(cache_ != nullptr, "a die takes no command while busy");
        cache_->latch_behind(payload, command, at);
        return;
    }
    const TimePs duration = timing_.t_wb + begin(command);
    if (suspended_ != nullptr) {
        CAVERN_CHECK(command.kind == FlashOpKind::kRead, "a suspended die takes reads alone");
        check_beside_suspended(array_.geometry(), command, NandExtension::get(*suspended_));
    }
    if (activity_ != nullptr && !timing_.suspend.any()) {
        activity_->array(id_, at, duration, command);
    }
    if (cache_ != nullptr) {
        cache_->forget();
        cache_->begins(command, at + timing_.t_wb);
    }
    if (copy_ != nullptr) {
        copy_->check(command);
    }
    work(payload, command, at, duration);
}

void NandDie::data_out(NandExtension& command) {
    CAVERN_CHECK(payload_ == nullptr || (cache_ != nullptr && cache_->moves_out()),
                 "the page register is read while the die is ready");
    if (command.what == NandCommand::kRegisterRead) {
        apply(command);
    }
}

/// The array works on the command until it ends or is suspended.
void NandDie::work(tlm::tlm_generic_payload& payload, NandExtension& command, TimePs from,
                   TimePs duration) {
    payload_ = &payload;
    command.began = from;
    command.ends = from + duration;
    clock_.add(duration);
    events_.schedule(command.ends, *this, ++work_);
}

/// The command ends at `at`; one that comes too late is ignored.
void NandDie::suspend(const tlm::tlm_generic_payload& payload, TimePs at) {
    CAVERN_CHECK(suspended_ == nullptr, "a die has one suspended operation");
    CAVERN_CHECK(payload_ == &payload, "what is suspended is under way");
    NandExtension& command = NandExtension::get(payload);
    CAVERN_CHECK(command.kind == FlashOpKind::kProgram ? timing_.suspend.programs
                 : command.kind == FlashOpKind::kErase ? timing_.suspend.erases
                                                       : false,
                 "the part can suspend this operation");
    if (command.ends <= at) {
        return;
    }
    left_ = command.ends - at;
    clock_.take_back(left_);
    ++statistics_.suspensions;
    command.suspended = true;
    if (cache_ != nullptr) {
        cache_->close();
    }
    note_work(command, at);
    events_.schedule(at + timing_.suspend.t_suspend, *this, ++work_);
}

void NandDie::resume(tlm::tlm_generic_payload& payload, NandExtension& command, TimePs at) {
    CAVERN_CHECK(payload_ == nullptr, "a die takes no command while busy");
    CAVERN_CHECK(suspended_ == &payload, "what is resumed is suspended");
    suspended_ = nullptr;
    command.suspended = false;
    (void)clock_.begin(command);
    if (cache_ != nullptr) {
        cache_->begins(command, at + timing_.suspend.t_resume);
    }
    work(payload, command, at, timing_.suspend.t_resume + left_);
}

/// Where an operation can be suspended, its length is known when it stops.
void NandDie::note_work(const NandExtension& command, TimePs until) {
    if (activity_ != nullptr && timing_.suspend.any()) {
        activity_->array(id_, command.began, until - command.began, command);
    }
}

/// NandBeginning
void NandDie::begin_run(tlm::tlm_generic_payload& payload, const NandExtension& command,
                        TimePs at) {
    const NandBeginning& beginning = row_of(command.what).beginning;
    CAVERN_CHECK(beginning.given != nullptr && beginning.given(timing_),
                 "a die is given what its part has");
    CAVERN_CHECK(payload_ == nullptr && suspended_ == nullptr &&
                     (status_ == nullptr || !status_->untold()),
                 "a die that begins the run is idle");
    const TimePs duration = timing_.t_wb + beginning.busy(timing_);
    if (activity_ != nullptr) {
        activity_->array(id_, at, duration, command);
    }
    statistics_.resets += command.what == NandCommand::kReset ? 1 : 0;
    payload_ = &payload;
    events_.schedule(at + duration, *this, kBegun);
}

/// The array operation ends, or the die has suspended it: R/B# rises.
void NandDie::on_event(std::uint64_t work) {
    if (work != work_ && work != kBegun) {
        return; // of what has been suspended since
    }
    tlm::tlm_generic_payload& payload = *payload_;
    NandExtension& command = NandExtension::get(payload);
    payload_ = nullptr;
    if (work == kBegun) {
        // Nothing was done.
    } else if (command.suspended) {
        suspended_ = &payload;
    } else {
        note_work(command, command.ends);
        apply(command);
        if (cache_ != nullptr) {
            cache_->ended(payload);
        }
    }
    if (status_ != nullptr) {
        status_->ended(payload);
    } else {
        tell(payload, NAND_READY);
    }
}

/// The array gives what a read is for, and takes what is programmed.
void NandDie::move_contents(NandExtension& command) {
    for (std::uint32_t i = 0; i < command.count; ++i) {
        switch (command.kind) {
        case FlashOpKind::kRead:
            command.contents[i] = contents_->read(command.pages[i]);
            break;
        case FlashOpKind::kProgram:
            contents_->program(command.pages[i], command.what == NandCommand::kCopyBack
                                                     ? copy_->content()
                                                     : command.contents[i]);
            break;
        case FlashOpKind::kErase:
            contents_->erase(command.pages[i]);
            break;
        }
    }
}

void NandDie::apply(NandExtension& command) {
    if (contents_ != nullptr) {
        move_contents(command);
    }
    switch (command.kind) {
    case FlashOpKind::kRead:
        for (std::uint32_t i = 0; i < command.count; ++i) {
            array_.read_expecting(command.pages[i], command.lpns[i], command.versions[i]);
        }
        (command.what == NandCommand::kRegisterRead ? statistics_.register_reads
                                                    : statistics_.reads) += command.count;
        break;
    case FlashOpKind::kProgram:
        for (std::uint32_t i = 0; i < command.count; ++i) {
            array_.program(command.pages[i], command.lpns[i], command.versions[i]);
        }
        statistics_.programs += command.nand_pages;
        if (timing_.one_shot.on && !array_.geometry().is_slc(command.pages[0])) {
            statistics_.one_shots += command.count / array_.geometry().units_per_program();
        }
        if (copy_ != nullptr) {
            copy_->programmed(command);
        }
        break;
    case FlashOpKind::kErase:
        for (std::uint32_t i = 0; i < command.count; ++i) {
            array_.erase(array_.geometry().block_of(command.pages[i]));
        }
        statistics_.erases += command.count;
        break;
    }
}

void NandDie::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
}

bool NandDie::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) {
    return false;
}

unsigned int NandDie::transport_dbg(tlm::tlm_generic_payload&) {
    return 0;
}

} // namespace cavern
