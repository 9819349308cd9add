#include "timed/dram/sdram_controller.h"

#include <algorithm>

#include "core/base/check.h"
#include "timed/tlm/ignorable_phase.h"
#include "timed/tlm/phase_text.h"
#include "timed/tlm/time.h"

namespace cavern {

namespace {

std::uint64_t id_of(tlm::tlm_generic_payload& payload) {
    return reinterpret_cast<std::uintptr_t>(&payload);
}

} // namespace

SdramController::SdramController(const sc_core::sc_module_name& name, const SdramTiming& timing,
                                 std::uint64_t capacity_bytes, bool ideal, bool answer_ahead,
                                 SdramInterleave interleave)
    : sc_module(name), scheduler_(timing, interleave), capacity_bytes_(capacity_bytes),
      ideal_(ideal), answer_ahead_(answer_ahead), t_ck_(timing.t_ck) {
    CAVERN_CHECK(sc_core::sc_get_time_resolution() == sc_core::sc_time(1, sc_core::SC_PS),
                 "the kernel counts picoseconds");
    target_socket.bind(*this);
    SC_HAS_PROCESS(SdramController);
    SC_METHOD(respond);
    sensitive << wake_ << late_.get_event();
    dont_initialize();
}

SdramController::Statistics SdramController::statistics() const {
    Statistics all;
    static_cast<SdramStatistics&>(all) = scheduler_.statistics();
    all.reads += untimed_statistics_.reads;
    all.writes += untimed_statistics_.writes;
    all.bytes += untimed_statistics_.bytes;
    all.refreshes = refreshes(now_ps()) - refreshes_before_;
    all.busy = all.busy_clocks * t_ck_.value();
    all.row_open = ideal_ ? 0 : scheduler_.open_clocks(t_ck_.divide(now_ps())) * t_ck_.value();
    return all;
}

void SdramController::reset_statistics() {
    scheduler_.reset_statistics(t_ck_.divide(now_ps()));
    untimed_statistics_ = {};
    refreshes_before_ = refreshes(now_ps());
}

std::uint64_t SdramController::refreshes(TimePs now) const {
    return ideal_ ? 0 : scheduler_.refreshes(t_ck_.divide(now));
}

bool SdramController::complete_alone(Payload& payload, sc_core::sc_time& delay) {
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND ||
        check(payload) != tlm::TLM_OK_RESPONSE) {
        return false;
    }
    const TimePs ends =
        play_alone(payload.get_address(), payload.get_data_length(), payload.is_write());
    if (ends == kNever) {
        return false;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay = until(ends);
    return true;
}

/// When an access ends that finds nothing queued; kNever: there is something, or it waits.
TimePs SdramController::play_alone(std::uint64_t address, std::uint32_t bytes, bool is_write) {
    if (!answer_ahead_ || outstanding_ != 0) {
        return kNever;
    }
    const DramClock end = scheduler_.push_alone(address, bytes, is_write, next_edge());
    return end == kNoClock ? kNever : end * t_ck_.value();
}

TimePs SdramController::carry_out(const Transfer& transfer) {
    if (transfer.bytes == 0 || transfer.address >= capacity_bytes_ ||
        transfer.bytes > capacity_bytes_ - transfer.address) {
        return kNever;
    }
    const bool is_write = transfer.direction == MoveDirection::kWrite;
    if (ideal_) {
        count_untimed(is_write, transfer.bytes);
        return now_ps();
    }
    return play_alone(transfer.address, transfer.bytes, is_write);
}

tlm::tlm_sync_enum SdramController::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
        end_response(payload, delay);
        schedule_wake();
        return tlm::TLM_COMPLETED;
    }
    if (phase != tlm::BEGIN_REQ) {
        CAVERN_CHECK(is_ignorable(phase), got_phase("the SDRAM controller", phase));
        return tlm::TLM_ACCEPTED;
    }
    if (ideal_) {
        payload.set_response_status(check(payload));
        count_untimed(payload);
        return tlm::TLM_COMPLETED;
    }
    if (is_now(delay) && complete_alone(payload, delay)) {
        return tlm::TLM_COMPLETED;
    }
    ++outstanding_;
    if (payload.has_mm()) {
        payload.acquire();
    }
    if (is_now(delay)) {
        accept(payload);
    } else {
        ++late_count_;
        notify_at(kernel_ps() + to_ps(delay), late_, payload);
    }
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
}

/// Answers a request for which nothing is left to decide, with the time until its data has been
/// transferred: the initiator learns early what would otherwise take a wake-up here.
void SdramController::b_transport(Payload& payload, sc_core::sc_time& delay) {
    const tlm::tlm_response_status status = check(payload);
    if (ideal_ || status != tlm::TLM_OK_RESPONSE ||
        payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        payload.set_response_status(status);
        count_untimed(payload);
        return;
    }
    catch_up(delay);
    if (complete_alone(payload, delay)) {
        return;
    }
    BlockingCalls::Call call(blocking_, payload);
    ++outstanding_;
    accept(payload);
    delay = to_sc_time(call.await());
    --outstanding_;
}

bool SdramController::get_direct_mem_ptr(Payload& /*payload*/, tlm::tlm_dmi& dmi) {
    dmi.allow_none();
    dmi.set_start_address(0);
    dmi.set_end_address(~sc_dt::uint64{0});
    return false;
}

unsigned int SdramController::transport_dbg(Payload& /*payload*/) {
    return 0;
}

tlm::tlm_response_status SdramController::check(const Payload& payload) const {
    const std::uint64_t length = payload.get_data_length();
    if (payload.get_byte_enable_ptr() != nullptr) {
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    }
    // A streaming width of 0 is taken for "not set" by an initiator that moves no data.
    const std::uint64_t width = payload.get_streaming_width();
    if (length == 0 || (width != 0 && width < length)) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (payload.get_address() >= capacity_bytes_ ||
        length > capacity_bytes_ - payload.get_address()) {
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    return tlm::TLM_OK_RESPONSE;
}

void SdramController::count_untimed(const Payload& payload) {
    if (payload.is_response_ok() && payload.get_command() != tlm::TLM_IGNORE_COMMAND) {
        count_untimed(payload.is_write(), payload.get_data_length());
    }
}

void SdramController::count_untimed(bool is_write, std::uint32_t bytes) {
    ++(is_write ? untimed_statistics_.writes : untimed_statistics_.reads);
    untimed_statistics_.bytes += bytes;
}

void SdramController::accept(Payload& payload) {
    const tlm::tlm_response_status status = check(payload);
    if (status != tlm::TLM_OK_RESPONSE || payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        payload.set_response_status(status);
        untimed_.push(&payload);
    } else {
        scheduler_.push(id_of(payload), payload.get_address(), payload.get_data_length(),
                        payload.is_write(), next_edge());
    }
    schedule_wake();
}

/// The process: sends the responses that are due, then sleeps until the next can be.
void SdramController::respond() {
    ++wakes_;
    wake_at_ = kNever;
    responding_ = true;
    while (late_count_ != 0) {
        Payload* payload = late_.get_next_transaction();
        if (payload == nullptr) {
            break;
        }
        --late_count_;
        accept(*payload);
    }
    while (in_response_ == nullptr && response_free_ <= now_ps()) {
        Payload* payload = next_answered();
        if (payload == nullptr) {
            break;
        }
        begin_response(*payload);
    }
    responding_ = false;
    schedule_wake();
}

/// The clock edge at or before now. Remembered, for several requests and responses share a time.
DramClock SdramController::last_edge() {
    const TimePs now = now_ps();
    if (now != edge_known_at_) {
        edge_known_at_ = now;
        edge_ = t_ck_.divide(now);
    }
    return edge_;
}

DramClock SdramController::next_edge() {
    const DramClock last = last_edge();
    return last * t_ck_.value() == edge_known_at_ ? last : last + 1;
}

SdramController::Payload* SdramController::next_answered() {
    if (!untimed_.empty()) {
        return untimed_.pop();
    }
    const DramClock now = last_edge();
    scheduler_.advance(now);
    if (!scheduler_.has_completion(now)) {
        return nullptr;
    }
    auto* payload = reinterpret_cast<Payload*>(scheduler_.pop_completion().id);
    payload->set_response_status(tlm::TLM_OK_RESPONSE);
    return payload;
}

void SdramController::begin_response(Payload& payload) {
    if (blocking_.answer(payload)) {
        return;
    }
    in_response_ = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = LocalTime::annotation();
    switch (target_socket->nb_transport_bw(payload, phase, delay)) {
    case tlm::TLM_ACCEPTED:
        break; // END_RESP comes, or has come from inside the call
    case tlm::TLM_UPDATED:
        if (phase != tlm::END_RESP) {
            CAVERN_CHECK(is_ignorable(phase), got_phase("the SDRAM controller", phase));
            break;
        }
        end_response(payload, delay);
        break;
    case tlm::TLM_COMPLETED:
        end_response(payload, delay);
        break;
    }
}

void SdramController::end_response(Payload& payload, const sc_core::sc_time& delay) {
    CAVERN_CHECK(in_response_ == &payload, "END_RESP answers the response in progress");
    in_response_ = nullptr;
    response_free_ = kernel_ps() + to_ps(delay);
    --outstanding_;
    if (payload.has_mm()) {
        payload.release();
    }
}

void SdramController::schedule_wake() {
    if (responding_ || in_response_ != nullptr) {
        return; // respond() or END_RESP will call again
    }
    const TimePs now = now_ps();
    TimePs at = kNever;
    if (!untimed_.empty()) {
        at = now;
    } else if (const DramClock clock = scheduler_.next_wake(); clock != kNoClock) {
        at = clock * t_ck_.value();
    }
    if (at != kNever) {
        at = std::max(std::max(at, response_free_), now);
    }
    if (at == wake_at_) {
        return;
    }
    if (at > wake_at_) {
        wake_.cancel(); // of two notifications the kernel keeps the earlier
    }
    wake_at_ = at;
    if (at != kNever) {
        notify_at(at, wake_);
    }
}

} // namespace cavern
