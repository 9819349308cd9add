#include "core/recovery/pending_operations.h"

#include <algorithm>

#include "core/base/check.h"

namespace cavern {

PendingOperations::PendingOperations(NandArray& array, std::uint32_t word_line, std::uint64_t seed)
    : array_(array), geometry_(array.geometry()), word_line_(word_line), random_(seed),
      dies_(geometry_.dies()) {}

void PendingOperations::add(const FlashOpList& ops) {
    const std::uint64_t base = decided();
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const FlashOp& op = ops[i];
        Item& added = items_.emplace_back();
        added.op = op;
        if (op.after != FlashOp::kNone) {
            added.after = base + static_cast<std::uint64_t>(op.after);
        }
        if (op.kind == FlashOpKind::kRead) {
            added.done = true; // by the program that it is for
            continue;
        }
        if ((op.copies || op.merges) && op.after != FlashOp::kNone) {
            const FlashOp& read = ops[static_cast<std::size_t>(op.after)];
            const auto source = programs_.find(raw(read.page));
            added.source = source == programs_.end() ? kNothing : source->second;
            added.read = read.page;
            added.read_lpn = read.lpn;
            added.read_version = read.version;
        }
        if (op.kind == FlashOpKind::kProgram) {
            if (data_ != nullptr && !op.copies) {
                const PageContent under = op.merges ? read(added.read) : PageContent();
                added.content = data_->take(op, under);
            }
            programs_[raw(op.page)] = base + i;
        }
        dies_[raw(geometry_.die_of(op.page))].push_back(base + i);
        if ((op.merges || op.copies) && geometry_.units_per_page != 1) {
            send_back(base + i);
        }
        ++left_;
    }
}

/// What a unit merges, or copies, is on its way, by a copy decided after another unit of the same
/// NAND page: both would wait for each other. It is read where the copy comes from; what is merged
/// has been.
void PendingOperations::send_back(std::uint64_t number) {
    Item& unit = item(number);
    const std::uint64_t first = units_with(number).front();
    while (unit.source != kNothing && item(unit.source).op.copies && first < unit.source) {
        const Item& copy = item(unit.source);
        unit.read = unit.op.copies ? copy.read : kNoPpn;
        unit.sent_back = unit.op.copies;
        unit.source = copy.source;
    }
}

// ---- data ---------------------------------------------------------------------------------------

void PendingOperations::keep(UntimedData& data) {
    data_ = &data;
    data.read_from([this](Ppn page) { return read(page); });
}

PageContent PendingOperations::read(Ppn page) const {
    const auto latest = programs_.find(raw(page));
    return latest != programs_.end() ? content_of(items_[latest->second - first_])
                                     : data_->data().flash().read(page);
}

/// The page that a copy reads is there until the copy is done.
PageContent PendingOperations::content_of(const Item& item) const {
    if (!item.op.copies) {
        return item.content;
    }
    return is_done(item.source) ? data_->data().flash().read(source_of_copy(item.read))
                                : content_of(items_[item.source - first_]);
}

// ---- order --------------------------------------------------------------------------------------

/// The mapping units of a NAND page are programmed at once.
bool PendingOperations::may_start(std::uint64_t number) const {
    if (geometry_.units_per_page == 1) {
        return is_ready(number);
    }
    const std::vector<std::uint64_t> together = done_with(number);
    return std::all_of(together.begin(), together.end(),
                       [this](std::uint64_t each) { return is_ready(each); });
}

std::vector<std::uint64_t> PendingOperations::units_with(std::uint64_t number) const {
    const FlashOp& op = items_[number - first_].op;
    std::vector<std::uint64_t> units;
    for (const std::uint64_t other : dies_[raw(geometry_.die_of(op.page))]) {
        const FlashOp& beside = items_[other - first_].op;
        if (beside.kind == FlashOpKind::kErase) {
            if (geometry_.block_of(beside.page) != geometry_.block_of(op.page)) {
                continue;
            }
            if (other > number) {
                break; // what follows is programmed anew
            }
            units.clear();
        } else if (raw(beside.page) / geometry_.units_per_page ==
                   raw(op.page) / geometry_.units_per_page) {
            units.push_back(other);
        }
    }
    return units;
}

bool PendingOperations::is_ready(std::uint64_t number) const {
    const Item& next = items_[number - first_];
    if (!is_done(next.after) || !is_done(next.source)) {
        return false;
    }
    return next.op.kind == FlashOpKind::kErase ? erase_may_start(number)
                                               : program_may_start(number);
}

bool PendingOperations::program_may_start(std::uint64_t number) const {
    const FlashOp& op = items_[number - first_].op;
    if (!op.records || !records_keep_order(op.origin)) {
        return true;
    }
    for (std::uint64_t before = first_; before < number; ++before) {
        const Item& other = items_[before - first_];
        if (!other.done && other.op.kind == FlashOpKind::kProgram) {
            return false;
        }
    }
    return true;
}

bool PendingOperations::erase_may_start(std::uint64_t number) const {
    const BlockId block = geometry_.block_of(items_[number - first_].op.page);
    for (const Item& other : items_) {
        if (other.sent_back && !other.done && geometry_.block_of(other.read) == block) {
            return false;
        }
    }
    for (std::uint64_t before = first_; before < number; ++before) {
        const Item& other = items_[before - first_];
        if (other.done || other.op.kind != FlashOpKind::kProgram) {
            continue;
        }
        if (other.op.records && records_keep_order(other.op.origin)) {
            return false;
        }
        if (other.op.supersedes != kNoPpn && geometry_.block_of(other.op.supersedes) == block &&
            (erase_waits() || other.read != kNoPpn)) {
            return false;
        }
    }
    return true;
}

std::uint64_t PendingOperations::next_of(std::uint32_t die) const {
    std::vector<BlockId> passed;
    for (const std::uint64_t number : dies_[die]) {
        const FlashOp& op = items_[number - first_].op;
        const BlockId block = geometry_.block_of(op.page);
        const bool behind = std::find(passed.begin(), passed.end(), block) != passed.end();
        if (!behind && (passed.empty() || op.kind == FlashOpKind::kProgram) && may_start(number)) {
            return number;
        }
        if (op.kind == FlashOpKind::kProgram) {
            return kNothing;
        }
        passed.push_back(block);
    }
    return kNothing;
}

std::uint64_t PendingOperations::draw_next() {
    const auto dies = static_cast<std::uint32_t>(dies_.size());
    const auto first = static_cast<std::uint32_t>(random_.below(dies));
    if (random_.below(64) == 0) {
        slow_ = static_cast<std::uint32_t>(random_.below(dies));
    }
    std::uint64_t next = kNothing;
    for (std::uint32_t i = 0; i < dies && next == kNothing; ++i) {
        const std::uint32_t die = (first + i) % dies;
        next = die == slow_ ? kNothing : next_of(die);
    }
    next = next == kNothing ? next_of(slow_) : next;
    CAVERN_CHECK(next != kNothing, "some operation can always go on");
    return next;
}

void PendingOperations::settle(std::size_t left) {
    while (left_ > left) {
        for (const std::uint64_t number : done_with(draw_next())) {
            finish(number);
        }
    }
    forget_done();
}

std::vector<std::uint64_t> PendingOperations::done_with(std::uint64_t number) const {
    const bool alone =
        geometry_.units_per_page == 1 || items_[number - first_].op.kind == FlashOpKind::kErase;
    return alone ? std::vector<std::uint64_t>{number} : units_with(number);
}

void PendingOperations::finish(std::uint64_t number) {
    Item& next = item(number);
    const FlashOp& op = next.op;
    if (op.kind == FlashOpKind::kErase) {
        array_.erase(geometry_.block_of(op.page));
        if (data_ != nullptr) {
            contents()->erase(op.page);
        }
    } else {
        if (next.read != kNoPpn) {
            array_.read_expecting(next.read, next.read_lpn, next.read_version);
        }
        array_.program(op.page, op.lpn, op.version);
        if (data_ != nullptr) {
            contents()->program(op.page, content_of(next));
            next.content = {};
        }
        const auto latest = programs_.find(raw(op.page));
        if (latest != programs_.end() && latest->second == number) {
            programs_.erase(latest);
        }
    }
    next.done = true;
    std::deque<std::uint64_t>& die = dies_[raw(geometry_.die_of(op.page))];
    die.erase(std::find(die.begin(), die.end(), number));
    --left_;
}

void PendingOperations::forget_done() {
    while (!items_.empty() && items_.front().done) {
        items_.pop_front();
        ++first_;
    }
}

// ---- the power goes -----------------------------------------------------------------------------

std::vector<std::uint64_t> PendingOperations::group_of(std::uint64_t number) {
    const FlashOp& op = item(number).op;
    std::vector<std::uint64_t> group{number};
    std::vector<PlaneId> planes{geometry_.plane_of(geometry_.block_of(op.page))};
    const bool multi_plane = op.kind == FlashOpKind::kProgram && random_.below(2) == 0;
    if (geometry_.units_per_page != 1 && op.kind == FlashOpKind::kProgram) {
        return units_with(number);
    }
    std::vector<BlockId> passed; // of erases that wait
    for (const std::uint64_t other : dies_[raw(geometry_.die_of(op.page))]) {
        const FlashOp& beside = item(other).op;
        if (other < number) {
            passed.push_back(geometry_.block_of(beside.page));
        }
        if (other <= number || op.kind != FlashOpKind::kProgram) {
            continue;
        }
        if (beside.kind != FlashOpKind::kProgram || !may_start(other)) {
            break;
        }
        const BlockId block = geometry_.block_of(beside.page);
        const PlaneId plane = geometry_.plane_of(block);
        const bool other_plane =
            multi_plane && std::find(passed.begin(), passed.end(), block) == passed.end() &&
            geometry_.page_in_block(beside.page) == geometry_.page_in_block(op.page) &&
            geometry_.is_slc(block) == geometry_.is_slc(op.page) &&
            std::find(planes.begin(), planes.end(), plane) == planes.end();
        if (!other_plane) {
            break;
        }
        group.push_back(other);
        planes.push_back(plane);
    }
    return group;
}

Torn PendingOperations::cut(const Pays& pays) {
    Torn torn;
    std::vector<std::vector<std::uint64_t>> running; // all were begun before any of them is torn
    for (std::uint32_t die = 0; die < dies_.size(); ++die) {
        const std::uint64_t next = next_of(die);
        if (next != kNothing && random_.below(4) != 0) {
            running.push_back(group_of(next));
        }
    }
    for (const std::vector<std::uint64_t>& group : running) {
        const bool paid = are_paid(group, pays);
        for (const std::uint64_t number : group) {
            if (paid) {
                finish(number);
            } else {
                torn += tear(array_, item(number).op, word_line_, random_, contents());
            }
        }
    }
    return torn;
}

bool PendingOperations::are_paid(const std::vector<std::uint64_t>& group, const Pays& pays) {
    return std::all_of(group.begin(), group.end(),
                       [&](std::uint64_t number) { return pays(item(number).op); });
}

void PendingOperations::carry_on(const Pays& pays) {
    while (left_ != 0) {
        const std::vector<std::uint64_t> together = done_with(draw_next());
        if (!are_paid(together, pays)) {
            break;
        }
        for (const std::uint64_t number : together) {
            finish(number);
        }
    }
    forget_done();
}

std::uint64_t PendingOperations::drop() {
    const auto hosts = std::count_if(items_.begin(), items_.end(), [](const Item& each) {
        return !each.done && each.op.is_hosts();
    });
    first_ = decided();
    items_.clear();
    programs_.clear();
    for (auto& die : dies_) {
        die.clear();
    }
    left_ = 0;
    return static_cast<std::uint64_t>(hosts);
}

} // namespace cavern
