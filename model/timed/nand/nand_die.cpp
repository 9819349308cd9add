#include "timed/nand/nand_die.h"

#include <algorithm>

#include "core/base/check.h"
#include "timed/tlm/time.h"

namespace cavern {

NandDie::NandDie(const sc_core::sc_module_name& name, EventQueue& events, DieId id,
                 const NandTiming& timing, NandArray& array, ActivityLogIf* activity)
    : sc_module(name), events_(events), id_(id), timing_(timing),
      word_line_(timing.one_shot.on ? timing.program_times() : std::vector<TimePs>{}),
      t_prog_(timing.one_shot.on ? word_line_ : timing.t_prog), array_(array), activity_(activity) {
    channel_target_socket.bind(*this);
    reset_statistics();
}

TimePs NandDie::still_to_come() const {
    const TimePs now = now_ps();
    const auto after_now = [now](TimePs from, TimePs until) {
        from = std::max(from, now);
        return std::max(from, until) - from;
    };
    TimePs all = after_now(source_from_, source_until_);
    if (payload_ != nullptr) {
        const NandExtension& command = NandExtension::get(*payload_);
        all += after_now(command.began, command.ends - (command.suspended ? left_ : 0));
    }
    if (to_cache_ != nullptr && to_cache_ != payload_ && read_ends_) {
        const NandExtension& ahead = NandExtension::get(*to_cache_);
        all += after_now(ahead.began, ahead.ends);
    }
    return all;
}

NandDie::Statistics NandDie::statistics() const {
    Statistics past = statistics_;
    past.busy -= still_to_come();
    return past;
}

void NandDie::reset_statistics() {
    operations_before_ = operations();
    const TimePs goes_on = payload_ != nullptr ? still_to_come() : 0;
    statistics_ = {};
    statistics_.busy = goes_on;
    const std::size_t slc = array_.geometry().slc_blocks == 0 ? 0 : 1;
    array_times_.read.assign(timing_.t_r.size() + slc, 0);
    array_times_.program.assign(t_prog_.size() + slc, 0);
    array_times_.erase = 0;
    if (counted_ != nullptr) {
        *counted_ = goes_on; // a suspension takes from it
    }
}

tlm::tlm_sync_enum NandDie::nb_transport_fw(tlm::tlm_generic_payload& payload,
                                            tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    const TimePs at = kernel_ps() + to_ps(delay);
    if (phase == NAND_LATCH) {
        latch(payload, at);
    } else if (phase == NAND_SUSPEND) {
        suspend(payload, at);
    } else if (phase == NAND_RESUME) {
        resume(payload, at);
    } else if (phase == NAND_CACHE_READ || phase == NAND_CACHE_END) {
        cache_read(payload, at, phase == NAND_CACHE_END);
    } else if (phase == NAND_COPY_READ) {
        copy_read(payload, at);
    } else if (phase == NAND_STATUS) {
        status(payload, at);
    } else if (phase == NAND_RESET) {
        reset(payload, at);
    } else {
        CAVERN_CHECK(phase == NAND_DATA_OUT, "a die knows the phases of its protocol");
        CAVERN_CHECK(payload_ == nullptr || caching_reads_,
                     "the page register is read while the die is ready");
        if (NandExtension::get(payload).from_register) {
            apply(NandExtension::get(payload));
        }
    }
    return tlm::TLM_ACCEPTED;
}

void NandDie::latch(tlm::tlm_generic_payload& payload, TimePs at) {
    if (payload_ != nullptr) {
        latch_behind(payload, at);
        return;
    }
    NandExtension& command = NandExtension::get(payload);
    const TimePs duration = timing_.t_wb + array_time(command);
    if (suspended_ != nullptr) {
        check_beside_suspended(command);
    }
    if (activity_ != nullptr && !timing_.suspend.any()) {
        activity_->array(id_, at, duration, command);
    }
    in_register_ = nullptr;
    if (timing_.cache.programs) {
        announce_cache(command, at + timing_.t_wb);
    }
    if (timing_.copy_back.on) {
        check_copy(command);
    }
    work(payload, at, duration);
}

/// The array works on the command until it ends or is suspended.
void NandDie::work(tlm::tlm_generic_payload& payload, TimePs from, TimePs duration) {
    NandExtension& command = NandExtension::get(payload);
    payload_ = &payload;
    command.began = from;
    command.ends = from + duration;
    statistics_.busy += duration;
    *counted_ += duration;
    events_.schedule(command.ends, *this, ++work_);
}

/// A program keeps the other pages of its block readable, an erase keeps none.
void NandDie::check_beside_suspended(const NandExtension& command) const {
    const NandExtension& other = NandExtension::get(*suspended_);
    CAVERN_CHECK(command.kind == FlashOpKind::kRead, "a suspended die takes reads alone");
    const Geometry& geometry = array_.geometry();
    for (std::uint32_t i = 0; i < command.count; ++i) {
        for (std::uint32_t j = 0; j < other.count; ++j) {
            const bool touches =
                other.kind == FlashOpKind::kErase
                    ? geometry.block_of(command.pages[i]) == geometry.block_of(other.pages[j])
                    : command.pages[i] == other.pages[j];
            CAVERN_CHECK(!touches, "what is suspended is not read");
        }
    }
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
    statistics_.busy -= left_;
    *counted_ -= left_;
    ++statistics_.suspensions;
    command.suspended = true;
    cache_free_ = false;
    cache_frees_at_ = kNever;
    note_work(command, at);
    events_.schedule(at + timing_.suspend.t_suspend, *this, ++work_);
}

void NandDie::resume(tlm::tlm_generic_payload& payload, TimePs at) {
    CAVERN_CHECK(payload_ == nullptr, "a die takes no command while busy");
    CAVERN_CHECK(suspended_ == &payload, "what is resumed is suspended");
    suspended_ = nullptr;
    NandExtension::get(payload).suspended = false;
    counted_ = &array_time_of(NandExtension::get(payload));
    if (timing_.cache.programs) {
        announce_cache(NandExtension::get(payload), at + timing_.suspend.t_resume);
    }
    work(payload, at, timing_.suspend.t_resume + left_);
}

/// Where an operation can be suspended, its length is known when it stops.
void NandDie::note_work(const NandExtension& command, TimePs until) {
    if (activity_ != nullptr && timing_.suspend.any()) {
        activity_->array(id_, command.began, until - command.began, command);
    }
}

/// ONFI 5.0, 5.26: the planes of a command differ, and so do not the page addresses of reads and
/// programs.
void NandDie::check_planes(const NandExtension& command) const {
    const Geometry& geometry = array_.geometry();
    const auto page_of = [&](std::uint32_t i) {
        return geometry.nand_page_in_block(command.pages[i]);
    };
    const auto mode_of = [&](std::uint32_t i) { return geometry.is_slc(command.pages[i]); };
    const std::uint32_t units =
        command.kind == FlashOpKind::kProgram ? geometry.units_per_program(command.pages[0]) : 1;
    std::uint32_t planes = 0;
    for (std::uint32_t i = 0; i < command.count; i += units) {
        const std::uint32_t plane =
            1u << geometry.plane_in_die(geometry.plane_of(geometry.block_of(command.pages[i])));
        CAVERN_CHECK((planes & plane) == 0, "a command names a plane once");
        CAVERN_CHECK(command.kind == FlashOpKind::kErase || page_of(i) == page_of(0),
                     "the planes of a command work on pages of one index");
        CAVERN_CHECK(command.kind == FlashOpKind::kErase || mode_of(i) == mode_of(0),
                     "the planes of a command are in one mode, SLC or not");
        planes |= plane;
    }
}

/// Plane by plane the pages of a word line, none too few.
void NandDie::check_word_lines(const NandExtension& command) const {
    const Geometry& geometry = array_.geometry();
    const std::uint32_t units = geometry.units_per_program(command.pages[0]);
    CAVERN_CHECK(command.count % units == 0, "a one-shot program has all pages of its word lines");
    for (std::uint32_t i = 0; i < command.count; ++i) {
        const std::uint64_t first = raw(command.pages[i - i % units]);
        CAVERN_CHECK(first % units == 0 && raw(command.pages[i]) == first + i % units,
                     "the pages of a one-shot program are those of a word line, in order");
    }
}

/// Pages in SLC mode are counted behind the others.
std::size_t NandDie::page_type(Ppn page, std::size_t types) const {
    if (array_.geometry().is_slc(page)) {
        return types;
    }
    return types == 1 ? 0 : array_.geometry().nand_page_in_block(page) % types;
}

/// Where the time of the array is counted.
TimePs& NandDie::array_time_of(const NandExtension& command) {
    switch (command.kind) {
    case FlashOpKind::kRead:
        return array_times_.read[page_type(command.pages[0], timing_.t_r.size())];
    case FlashOpKind::kProgram:
        return array_times_.program[page_type(command.pages[0], t_prog_.size())];
    case FlashOpKind::kErase:
        break;
    }
    return array_times_.erase;
}

TimePs NandDie::array_time(const NandExtension& command) {
    CAVERN_CHECK(command.count >= 1, "a NAND command names a page");
    if (timing_.one_shot.on && command.kind == FlashOpKind::kProgram) {
        check_word_lines(command);
    }
    if (command.nand_pages > 1) {
        check_planes(command);
    }
    switch (command.kind) {
    case FlashOpKind::kRead:
        return read_time(command.pages[0]);
    case FlashOpKind::kProgram:
        return timed(t_prog_, timing_.slc_t_prog, array_times_.program, command.pages[0]);
    case FlashOpKind::kErase:
        break;
    }
    counted_ = &array_times_.erase;
    return timing_.t_bers;
}

/// The array operation ends, or the die has suspended it: R/B# rises.
void NandDie::on_event(std::uint64_t work) {
    if (work != work_) {
        // Else it is of what has been suspended since.
        if (work == kPageCached) {
            page_cached();
        } else if (work == kCacheFree) {
            free_cache();
        } else if (work == kSourceRead) {
            source_read();
        } else if (work == kStatusOut) {
            tell_status();
        } else if (work == kResetEnds) {
            reset_ends();
        }
        return;
    }
    tlm::tlm_generic_payload& payload = *payload_;
    NandExtension& command = NandExtension::get(payload);
    payload_ = nullptr;
    if (command.suspended) {
        suspended_ = &payload;
    } else {
        note_work(command, command.ends);
        apply(command);
        in_register_ = &payload;
        cache_free_ = false;
        cache_frees_at_ = kNever;
        if (behind_ != nullptr) {
            start_behind();
        }
    }
    if (timing_.polls.on) {
        wait_for_poll(payload);
        return;
    }
    tlm::tlm_phase phase = NAND_READY;
    sc_core::sc_time delay = LocalTime::annotation();
    channel_target_socket->nb_transport_bw(payload, phase, delay);
}

/// The array gives what a read is for, and takes what is programmed.
void NandDie::move_contents(NandExtension& command) {
    for (std::uint32_t i = 0; i < command.count; ++i) {
        switch (command.kind) {
        case FlashOpKind::kRead:
            command.contents[i] = contents_->read(command.pages[i]);
            break;
        case FlashOpKind::kProgram:
            contents_->program(command.pages[i],
                               command.source != kNoPpn ? register_ : command.contents[i]);
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
        (command.from_register ? statistics_.register_reads : statistics_.reads) += command.count;
        break;
    case FlashOpKind::kProgram:
        for (std::uint32_t i = 0; i < command.count; ++i) {
            array_.program(command.pages[i], command.lpns[i], command.versions[i]);
        }
        statistics_.programs += command.nand_pages;
        if (timing_.one_shot.on && !array_.geometry().is_slc(command.pages[0])) {
            statistics_.one_shots += command.count / array_.geometry().units_per_program();
        }
        if (timing_.copy_back.on) {
            note_copies(command);
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
