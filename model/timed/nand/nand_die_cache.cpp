// Reads and programs whose data are on the bus while the array works.

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "timed/nand/nand_die.h"
#include "timed/tlm/time.h"

namespace cavern {

/// 31h, with the read that the array begins when the page before it has left the page register; or,
/// for the last one, 3Fh.
void NandDie::cache_read(tlm::tlm_generic_payload& payload, TimePs at, bool last) {
    CAVERN_CHECK(timing_.cache.reads, "the part has cache reads");
    CAVERN_CHECK(to_cache_ == nullptr, "a die takes no command while busy");
    const bool reads_on = payload_ != nullptr;
    tlm::tlm_generic_payload* const before = reads_on ? payload_ : in_register_;
    CAVERN_CHECK(before != nullptr && NandExtension::get(*before).kind == FlashOpKind::kRead,
                 "a cache read follows a read");
    CAVERN_CHECK(!last || (reads_on && before == &payload), "what 3Fh ends was begun with 31h");
    const NandExtension& ahead = NandExtension::get(*before);
    const TimePs free_at = reads_on ? ahead.ends : 0; // the array
    const TimePs moves = std::max(at + timing_.t_wb, free_at);
    if (!last) {
        NandExtension& command = NandExtension::get(payload);
        CAVERN_CHECK(command.kind == FlashOpKind::kRead, "a cache read reads");
        check_same_blocks(command, ahead, "a cache read stays in its blocks");
        command.began = std::max(at, free_at);
        command.ends = moves + array_time(command);
        statistics_.busy += command.ends - command.began;
        *counted_ += command.ends - command.began;
        statistics_.cache_reads += command.count;
        if (activity_ != nullptr) {
            activity_->array(id_, command.began, command.ends - command.began, command);
        }
    }
    to_cache_ = before;
    read_ends_ = reads_on;
    caching_reads_ = false;
    in_register_ = nullptr;
    payload_ = &payload;
    events_.schedule(moves + timing_.cache.t_rcbsy, *this, kPageCached);
}

/// The page is in the cache register: R/B# rises.
void NandDie::page_cached() {
    tlm::tlm_generic_payload& payload = *std::exchange(to_cache_, nullptr);
    NandExtension& command = NandExtension::get(payload);
    if (contents_ != nullptr) {
        move_contents(command);
    }
    for (std::uint32_t i = read_ends_ ? 0 : command.nand_pages; i < command.count; ++i) {
        array_.read_expecting(command.pages[i], command.lpns[i], command.versions[i]);
    }
    statistics_.reads += read_ends_ ? command.nand_pages : 0;
    statistics_.register_reads += command.count - command.nand_pages;
    caching_reads_ = payload_ != &payload;
    if (!caching_reads_) {
        payload_ = nullptr;
    }
    tlm::tlm_phase phase = NAND_READY;
    sc_core::sc_time delay = LocalTime::annotation();
    channel_target_socket->nb_transport_bw(payload, phase, delay);
}

/// The array takes the data of a program from the cache register.
void NandDie::announce_cache(const NandExtension& command, TimePs from) {
    if (command.kind == FlashOpKind::kProgram && command.cached) {
        cache_frees_at_ = from + timing_.cache.t_cbsy;
        events_.schedule(cache_frees_at_, *this, kCacheFree);
    }
}

void NandDie::free_cache() {
    if (cache_frees_at_ != now_ps()) {
        return; // the program was suspended since, or has ended
    }
    cache_frees_at_ = kNever;
    cache_free_ = true;
    tlm::tlm_phase phase = NAND_CACHE_FREE;
    sc_core::sc_time delay = LocalTime::annotation();
    channel_target_socket->nb_transport_bw(*payload_, phase, delay);
}

/// A program whose data come in while the array is busy: the die takes it if it is one of the same
/// blocks, and waits with it for the array.
void NandDie::latch_behind(tlm::tlm_generic_payload& payload, TimePs at) {
    CAVERN_CHECK(cache_free_, "a die takes no command while busy");
    NandExtension& command = NandExtension::get(payload);
    CAVERN_CHECK(command.kind == FlashOpKind::kProgram, "a die that programs takes programs alone");
    check_same_blocks(command, NandExtension::get(*payload_),
                      "a cache program stays in its blocks");
    cache_free_ = false;
    behind_ = &payload;
    behind_at_ = at;
    statistics_.cache_programs += command.nand_pages;
}

/// The array has ended the program before this one.
void NandDie::start_behind() {
    tlm::tlm_generic_payload& payload = *std::exchange(behind_, nullptr);
    const NandExtension& command = NandExtension::get(payload);
    const TimePs from = std::max(behind_at_, now_ps());
    const TimePs starts = std::max(behind_at_ + timing_.t_wb, now_ps());
    const TimePs duration = starts - from + array_time(command);
    if (activity_ != nullptr && !timing_.suspend.any()) {
        activity_->array(id_, from, duration, command);
    }
    announce_cache(command, starts);
    work(payload, from, duration);
}

void NandDie::check_same_blocks(const NandExtension& command, const NandExtension& before,
                                const char* what) const {
    const Geometry& geometry = array_.geometry();
    for (std::uint32_t i = 0; i < command.count; ++i) {
        const BlockId block = geometry.block_of(command.pages[i]);
        const auto end = before.pages.begin() + before.count;
        CAVERN_CHECK(std::any_of(before.pages.begin(), end,
                                 [&](Ppn page) { return geometry.block_of(page) == block; }),
                     what);
    }
}

} // namespace cavern
