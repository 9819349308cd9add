#include "timed/channel/die_queue.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "timed/channel/cache_lane.h"
#include "timed/channel/partners.h"
#include "timed/tlm/time.h"

namespace cavern {

DieQueue::DieQueue(const DieRules& rules, DieId id, OpGraph& graph, PageTransfers& transfers)
    : rules_(rules), graph_(graph), transfers_(transfers), id_(id), writes_(graph),
      host_reads_(graph), reads_(graph) {
    const auto& [reads, programs, erases] = rules.together;
    const std::size_t most =
        std::max({programs * rules.geometry.units_per_program(), reads, erases});
    running_.reserve(rules.cache.reads ? NandExtension::kMost : most);
    suspended_.reserve(most);
    if (rules.column_change) {
        registers_ = std::make_unique<PageRegisters>(rules.geometry, reads > 1);
    }
    if (rules.cache.any()) {
        cache_ = std::make_unique<CacheLane>(*this, running_.capacity());
    }
}

DieQueue::~DieQueue() = default;

void DieQueue::connect(FlashChannelIf& channel, std::uint32_t slot) {
    channel_ = &channel;
    slot_ = slot;
}

void DieQueue::reset_statistics() {
    since_ = now_ps();
    occupied_ = 0;
}

void DieQueue::check_idle() const {
    CAVERN_CHECK(!busy_ && host_reads_.empty() && reads_.empty() && writes_.empty() &&
                     suspended_.empty() && (cache_ == nullptr || cache_->empty()),
                 "die queues are empty at the end");
}

// ---- programs and erases ------------------------------------------------------------------------

/// What starts next of the programs and erases, once it is ready: the first of the queue, or, while
/// that waits for operations of other dies, the next that is not of a block it would pass.
DieQueue::Place DieQueue::next_write() const {
    Place place{writes_.head(), kNoOp};
    if (place.id == kNoOp || !graph_.is_held(graph_[place.id])) {
        return place;
    }
    PassedBlocks passed;
    while (place.id != kNoOp && !passed.full()) {
        const Op& op = graph_[place.id];
        const BlockId block = rules_.geometry.block_of(op.flash.page);
        if (!graph_.is_held(op) && !passed.has(block)) {
            return place;
        }
        passed.add(block);
        place = {op.next, place.id};
    }
    return {};
}

/// Asks for the data of what starts next of the programs and erases, and of those near it; returns
/// that one.
template <bool kPlain>
DieQueue::Place DieQueue::fetch_ahead() {
    const OpId first = writes_.head();
    if (first == kNoOp) {
        return {};
    }
    const bool alone = kPlain || rules_.max_together(FlashOpKind::kProgram) == 1;
    if (alone && graph_[first].flash.kind == FlashOpKind::kProgram) {
        transfers_.fetch(first);
        return {first, kNoOp};
    }
    return fetch_group_ahead();
}

template DieQueue::Place DieQueue::fetch_ahead<false>(); // for CacheLane

/// The same where planes work together, or an erase is next.
DieQueue::Place DieQueue::fetch_group_ahead() {
    const auto is_program = [this](OpId id) {
        return id != kNoOp && graph_[id].flash.kind == FlashOpKind::kProgram;
    };
    const Place place = next_write();
    OpId id = place.id;
    if (id == fetched_from_) {
        return place;
    }
    fetched_from_ = id;
    for (std::uint32_t i = 0; i < rules_.max_together(FlashOpKind::kProgram) && is_program(id);
         ++i) {
        const OpId next = graph_[id].next;
        transfers_.fetch(id);
        id = next;
    }
    if (id != kNoOp && is_program(place.id)) {
        look_for_partners(writes_, place.id, [this](const Place& partner) {
            transfers_.fetch(partner.id);
            return true;
        });
    }
    return place;
}

/// Other planes get pages of the same command, whose data come soon: one tPROG for all of them is
/// worth the wait.
bool DieQueue::awaits_partners(OpId first) {
    const std::uint64_t request = graph_[first].request;
    if (request == kNoRequest || graph_[first].flash.kind != FlashOpKind::kProgram) {
        return false;
    }
    bool awaits = false;
    look_for_partners(writes_, first, [&](const Place& partner) {
        const Op& op = graph_[partner.id];
        if (op.request != request) {
            return false;
        }
        transfers_.await(partner.id);
        const bool ready = write_is_ready(op);
        const bool comes = !ready && op.flash.kind == FlashOpKind::kProgram &&
                           !graph_.is_held(op) && transfers_.are_coming(op);
        awaits = awaits || comes;
        return ready || comes;
    });
    return awaits;
}

/// Called when something could be written. A die that is not busy has just been asked, so no event
/// is needed for the end of the limit: what reads keep waiting is looked at after each of them.
bool DieQueue::reads_have_had_their_time() {
    if (rules_.write_limit == 0) {
        return false;
    }
    if (write_since_ == kNever) {
        write_since_ = now_ps();
    }
    return now_ps() - write_since_ >= rules_.write_limit;
}

// ---- what starts --------------------------------------------------------------------------------

template <bool kPlain>
bool DieQueue::look() {
    const Place next = fetch_ahead<kPlain>();
    if (busy_) {
        return !kPlain && look_while_busy();
    }
    if (!kPlain && !suspended_.empty()) {
        if (!host_reads_.empty() && !reads_have_had_their_time()) {
            return start_read<kPlain>(host_reads_);
        }
        resume();
        return false;
    }
    if (next.id != kNoOp) {
        transfers_.await(next.id);
    }
    OpQueue& reads = first_reads();
    const bool write = next.id != kNoOp && write_is_ready(graph_[next.id]) &&
                       (kPlain || !awaits_partners(next.id));
    if (!reads.empty() && (!write || reads_go_first(reads, next))) {
        return start_read<kPlain>(reads);
    }
    if (write) {
        write_since_ = kNever;
        return start_write<kPlain>(next);
    }
    return false;
}

template bool DieQueue::look<true>();
template bool DieQueue::look<false>();

template <bool kPlain>
bool DieQueue::start_read(OpQueue& reads) {
    const OpId first = reads.pop();
    if (kPlain) {
        return start_one(first);
    }
    running_.push_back(first);
    if (!register_holds(first)) {
        look_for_partners(reads, first, [&](const Place& partner) {
            if (register_holds(partner.id)) {
                return false;
            }
            reads.remove(partner);
            running_.push_back(partner.id);
            return true;
        });
    }
    return start_running();
}

/// All units of the NAND page, or word line.
void DieQueue::append_units(std::vector<OpId>& ops, OpId first) const {
    for (OpId unit = first; unit != kNoOp; unit = graph_[unit].next_unit) {
        ops.push_back(unit);
    }
}

template <bool kPlain>
bool DieQueue::start_write(const Place& next) {
    busy_ = true; // from now on: data that turns out to be there joins this operation
    writes_.remove(next);
    look_again();
    if (kPlain) {
        return start_one(next.id);
    }
    append_units(running_, next.id);
    look_for_partners(writes_, next.id, [&](const Place& partner) {
        transfers_.await(partner.id);
        if (!write_is_ready(graph_[partner.id])) {
            return false;
        }
        writes_.remove(partner);
        append_units(running_, partner.id);
        return true;
    });
    return start_running();
}

bool DieQueue::start_one(OpId id) {
    busy_ = true;
    since_ = now_ps();
    running_.push_back(id);
    const Op& op = graph_[id];
    NandExtension& command = channel_->command(slot_);
    command.kind = op.flash.kind;
    command.what = command_of(command.kind);
    command.origin = op.flash.origin;
    command.count = command.nand_pages = 1;
    cavern::fill(command, 0, op, rules_.geometry.page_bytes);
    const bool copies = op.copy_page != kNoCopyPage && op.flash.kind == FlashOpKind::kProgram;
    channel_->start(slot_);
    // The queue has a new head whose data can be fetched while this operation runs.
    fetch_ahead<true>();
    return copies && transfers_.give_back_copy_pages(running_);
}

bool DieQueue::start_running() {
    busy_ = true;
    since_ = now_ps();
    NandExtension& command = channel_->command(slot_);
    fill(command, running_);
    note_start(running_);
    channel_->start(slot_);
    fetch_ahead<false>();
    return command.kind == FlashOpKind::kProgram && transfers_.give_back_copy_pages(running_);
}

void DieQueue::note_start(const std::vector<OpId>& ops) const {
    if (rules_.load != nullptr) {
        const auto hosts = std::count_if(ops.begin(), ops.end(), [this](OpId id) {
            return graph_[id].flash.origin == Origin::kHost;
        });
        rules_.load->started(id_, static_cast<std::uint32_t>(hosts),
                             is_collection(graph_[ops.front()].flash.origin));
    }
}

void fill(NandExtension& command, std::uint32_t place, const Op& op, std::uint32_t page_bytes) {
    command.pages[place] = op.flash.page;
    command.lpns[place] = op.flash.lpn;
    command.versions[place] = op.flash.version;
    command.requests[place] = op.request;
    command.origins[place] = op.flash.origin;
    command.data_bytes[place] = op.bytes != 0 ? op.bytes : page_bytes;
}

void DieQueue::fill(NandExtension& command, const std::vector<OpId>& ops) {
    const Op& first = graph_[ops.front()];
    command.kind = first.flash.kind;
    command.what = command_of(command.kind);
    command.origin = first.flash.origin;
    command.count = command.nand_pages = static_cast<std::uint32_t>(ops.size());
    if (command.kind == FlashOpKind::kProgram) {
        command.nand_pages /= rules_.geometry.units_per_page;
    }
    if (command.kind != FlashOpKind::kRead) {
        suspensions_ = 0;
    }
    if (registers_ != nullptr && registers_->begins(graph_, ops)) {
        command.what = NandCommand::kRegisterRead;
    }
    if (first.in_die) {
        command.what = NandCommand::kCopyBack;
        command.source = graph_[first.source].flash.page;
    }
    if (rules_.cache.programs && command.kind == FlashOpKind::kProgram &&
        cache_->another_follows(ops)) {
        command.what = NandCommand::kCacheProgram;
    }
    for (std::uint32_t i = 0; i < command.count; ++i) {
        cavern::fill(command, i, graph_[ops[i]], rules_.geometry.page_bytes);
    }
    for (std::uint32_t i = 0; rules_.data != nullptr && i < command.count; ++i) {
        command.contents[i] = rules_.data->of(raw(ops[i]));
    }
}

// ---- what runs ----------------------------------------------------------------------------------

OpId DieQueue::take_running(std::uint32_t which) {
    return std::exchange(running_[which], kNoOp);
}

void DieQueue::keep_contents(bool ahead) const {
    for (std::size_t i = 0; rules_.data != nullptr && i < running_.size(); ++i) {
        const NandExtension& command =
            ahead ? channel_->next_command(slot_) : channel_->command(slot_);
        if (running_[i] != kNoOp && command.kind == FlashOpKind::kRead) {
            transfers_.keep(running_[i], command.contents[i]);
        }
    }
}

void DieQueue::ended() {
    busy_ = false;
    suspending_ = false;
    occupied_ += now_ps() - since_;
}

// ---- suspend ------------------------------------------------------------------------------------

bool DieQueue::look_while_busy() {
    if (suspending_) {
        return false;
    }
    const bool gave_back = cache_ != nullptr && cache_->consider_next_program();
    // What has come in behind it goes on first: the cache register keeps it.
    if (rules_.suspend.any() && !host_reads_.empty() && (cache_ == nullptr || cache_->empty())) {
        consider_suspension();
    }
    return gave_back;
}

/// The host waits for a read of a busy die.
void DieQueue::consider_suspension() {
    const NandSuspend& suspend = rules_.suspend;
    const NandExtension& command = channel_->command(slot_);
    const bool can = command.kind == FlashOpKind::kProgram ? suspend.programs
                     : command.kind == FlashOpKind::kErase ? suspend.erases
                                                           : false;
    // Before the array works on it nobody knows when it may be: look_while_busy() comes again.
    if (!can || suspending_ || command.ends == 0 ||
        (suspend.limit != 0 && suspensions_ == suspend.limit)) {
        return;
    }
    const TimePs earliest = command.began + suspend.least_run;
    if (std::max(earliest, now_ps()) + suspend.t_suspend + suspend.t_resume >= command.ends) {
        return; // it ends about as soon
    }
    if (earliest > now_ps()) {
        if (!std::exchange(alarmed_, true)) {
            transfers_.schedule(earliest, FlashEvent::kMaySuspend, raw(id_));
        }
        return;
    }
    suspending_ = true;
    channel_->suspend(slot_);
}

void DieQueue::suspended() {
    ends();
    ++suspensions_;
    running_.swap(suspended_);
    ended();
}

void DieQueue::ends() {
    if (rules_.load != nullptr) {
        rules_.load->ended(id_);
    }
    if (cache_ != nullptr) {
        cache_->close();
    }
}

void DieQueue::resume() {
    running_.swap(suspended_);
    busy_ = true;
    since_ = now_ps();
    write_since_ = kNever;
    if (rules_.load != nullptr) {
        rules_.load->started(id_, 0, is_collection(graph_[running_.front()].flash.origin));
    }
    channel_->resume(slot_);
}

} // namespace cavern
