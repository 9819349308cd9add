#include "timed/nand/die_registers.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "timed/nand/nand_checks.h"
#include "timed/tlm/time.h"

namespace cavern {

// ---- cache --------------------------------------------------------------------------------------

void CacheRegister::read(tlm::tlm_generic_payload& payload, NandExtension& command, TimePs at,
                         bool last) {
    CAVERN_CHECK(die_.timing_.cache.reads, "the part has cache reads");
    CAVERN_CHECK(to_cache_ == nullptr, "a die takes no command while busy");
    const bool reads_on = die_.payload_ != nullptr;
    tlm::tlm_generic_payload* const before = reads_on ? die_.payload_ : in_page_register_;
    CAVERN_CHECK(before != nullptr && NandExtension::get(*before).kind == FlashOpKind::kRead,
                 "a cache read follows a read");
    CAVERN_CHECK(!last || (reads_on && before == &payload), "what 3Fh ends was begun with 31h");
    const NandExtension& ahead = NandExtension::get(*before);
    const TimePs free_at = reads_on ? ahead.ends : 0; // the array
    const TimePs moves = std::max(at + die_.timing_.t_wb, free_at);
    if (!last) {
        CAVERN_CHECK(command.kind == FlashOpKind::kRead, "a cache read reads");
        check_same_blocks(die_.array_.geometry(), command, ahead,
                          "a cache read stays in its blocks");
        command.began = std::max(at, free_at);
        command.ends = moves + die_.begin(command);
        die_.clock_.add(command.ends - command.began);
        die_.statistics_.cache_reads += command.count;
        if (die_.activity_ != nullptr) {
            die_.activity_->array(die_.id_, command.began, command.ends - command.began, command);
        }
    }
    to_cache_ = before;
    read_ends_ = reads_on;
    moves_out_ = false;
    forget();
    die_.payload_ = &payload;
    die_.events_.schedule(moves + die_.timing_.cache.t_rcbsy, *this, kPageCached);
}

/// R/B# rises.
void CacheRegister::page_cached() {
    tlm::tlm_generic_payload& payload = *std::exchange(to_cache_, nullptr);
    NandExtension& command = NandExtension::get(payload);
    if (die_.contents_ != nullptr) {
        die_.move_contents(command);
    }
    for (std::uint32_t i = read_ends_ ? 0 : command.nand_pages; i < command.count; ++i) {
        die_.array_.read_expecting(command.pages[i], command.lpns[i], command.versions[i]);
    }
    die_.statistics_.reads += read_ends_ ? command.nand_pages : 0;
    die_.statistics_.register_reads += command.count - command.nand_pages;
    moves_out_ = die_.payload_ != &payload;
    if (!moves_out_) {
        die_.payload_ = nullptr;
    }
    die_.tell(payload, NAND_READY);
}

void CacheRegister::begins(const NandExtension& command, TimePs from) {
    if (command.what == NandCommand::kCacheProgram) {
        frees_at_ = from + die_.timing_.cache.t_cbsy;
        die_.events_.schedule(frees_at_, *this, kFree);
    }
}

void CacheRegister::on_event(std::uint64_t what) {
    if (what == kPageCached) {
        page_cached();
    } else if (frees_at_ == now_ps()) { // else the program was suspended since, or has ended
        frees_at_ = kNever;
        free_ = true;
        die_.tell(*die_.payload_, NAND_BUSY);
    }
}

void CacheRegister::close() {
    free_ = false;
    frees_at_ = kNever;
}

void CacheRegister::latch_behind(tlm::tlm_generic_payload& payload, const NandExtension& command,
                                 TimePs at) {
    CAVERN_CHECK(free_, "a die takes no command while busy");
    CAVERN_CHECK(command.kind == FlashOpKind::kProgram, "a die that programs takes programs alone");
    check_same_blocks(die_.array_.geometry(), command, NandExtension::get(*die_.payload_),
                      "a cache program stays in its blocks");
    free_ = false;
    behind_ = &payload;
    behind_at_ = at;
    die_.statistics_.cache_programs += command.nand_pages;
}

void CacheRegister::ended(tlm::tlm_generic_payload& payload) {
    in_page_register_ = &payload;
    close();
    if (behind_ != nullptr) {
        start_behind();
    }
}

/// The array has ended the program before this one.
void CacheRegister::start_behind() {
    tlm::tlm_generic_payload& payload = *std::exchange(behind_, nullptr);
    NandExtension& command = NandExtension::get(payload);
    const TimePs from = std::max(behind_at_, now_ps());
    const TimePs starts = std::max(behind_at_ + die_.timing_.t_wb, now_ps());
    const TimePs duration = starts - from + die_.begin(command);
    if (die_.activity_ != nullptr && !die_.timing_.suspend.any()) {
        die_.activity_->array(die_.id_, from, duration, command);
    }
    begins(command, starts);
    die_.work(payload, command, from, duration);
}

// ---- copy-back ----------------------------------------------------------------------------------

void CopyRegister::read(tlm::tlm_generic_payload& payload, const NandExtension& command,
                        TimePs at) {
    CAVERN_CHECK(die_.payload_ == nullptr, "a die takes no command while busy");
    CAVERN_CHECK(die_.suspended_ == nullptr, "a suspended die takes reads alone");
    const TimePs duration = die_.timing_.t_wb + die_.clock_.begin_read(command.source);
    if (die_.activity_ != nullptr) {
        NandExtension read;
        read.count = read.nand_pages = 1;
        read.pages[0] = command.source;
        read.lpns[0] = command.lpns[0];
        read.requests[0] = command.requests[0];
        read.origin = read.origins[0] = command.origin;
        die_.activity_->array(die_.id_, at, duration, read);
    }
    die_.payload_ = &payload;
    from = at;
    until = at + duration;
    die_.clock_.add(duration);
    die_.events_.schedule(until, *this, 0);
}

void CopyRegister::on_event(std::uint64_t /*what*/) {
    tlm::tlm_generic_payload& payload = *std::exchange(die_.payload_, nullptr);
    const NandExtension& command = NandExtension::get(payload);
    die_.array_.read_expecting(command.source, command.lpns[0], command.versions[0]);
    ++die_.statistics_.reads;
    page_ = command.source;
    if (die_.cache_ != nullptr) {
        die_.cache_->forget();
    }
    if (die_.contents_ != nullptr) {
        content_ = die_.contents_->read(command.source);
    }
    die_.tell(payload, NAND_READY);
}

void CopyRegister::check(const NandExtension& command) const {
    const Geometry& geometry = die_.array_.geometry();
    const bool copies = command.what == NandCommand::kCopyBack;
    CAVERN_CHECK(copies || page_ == kNoPpn, "a page read to be copied in the die is programmed");
    if (!copies) {
        return;
    }
    CAVERN_CHECK(page_ == command.source, "a copy-back programs what the page register holds");
    CAVERN_CHECK(command.count == 1, "a copy-back copies one page");
    CAVERN_CHECK(geometry.plane_of(geometry.block_of(command.source)) ==
                     geometry.plane_of(geometry.block_of(command.pages[0])),
                 "a copy-back stays in its plane");
    CAVERN_CHECK(geometry.is_slc(command.source) == geometry.is_slc(command.pages[0]),
                 "a copy-back keeps the mode of its block");
    CAVERN_CHECK(die_.array_.copies_in_die(command.source) < die_.timing_.copy_back.limit,
                 "data copied in the die as often as allowed pass the controller");
}

void CopyRegister::programmed(const NandExtension& command) {
    const bool copies = command.what == NandCommand::kCopyBack;
    for (std::uint32_t i = 0; i < command.count; ++i) {
        die_.array_.set_copies_in_die(
            command.pages[i],
            static_cast<std::uint8_t>(copies ? die_.array_.copies_in_die(command.source) + 1 : 0));
    }
    if (copies) {
        page_ = kNoPpn;
        ++die_.statistics_.copy_backs;
    }
}

// ---- status -------------------------------------------------------------------------------------

void StatusByte::ended(tlm::tlm_generic_payload& payload) {
    ended_ = &payload;
    ended_at_ = now_ps();
}

void StatusByte::ask(const tlm::tlm_generic_payload& payload, TimePs at) {
    CAVERN_CHECK(&payload == die_.payload_ || &payload == ended_, "what is polled is under way");
    ++die_.statistics_.polls;
    die_.events_.schedule(at, *this, 0);
}

/// The byte tells what was true when it began.
void StatusByte::on_event(std::uint64_t /*what*/) {
    const bool ready = ended_ != nullptr && ended_at_ + die_.timing_.data_time(1) <= now_ps();
    tlm::tlm_generic_payload& payload = ended_ != nullptr ? *ended_ : *die_.payload_;
    if (ready) {
        ended_ = nullptr;
    }
    die_.tell(payload, ready ? NAND_READY : NAND_BUSY);
}

} // namespace cavern
