#include "core/recovery/drain.h"

#include <cmath>
#include <utility>

namespace cavern {
namespace {

/// Of a NAND page with its first unit: the others are programmed with it.
double cost_of(const Geometry& geometry, const DrainCosts& costs, const FlashOp& op) {
    switch (op.kind) {
    case FlashOpKind::kRead:
        return costs.read;
    case FlashOpKind::kProgram:
        return raw(op.page) % geometry.units_per_page == 0 ? costs.program * geometry.units_per_page
                                                           : 0;
    case FlashOpKind::kErase:
        break;
    }
    return costs.erase;
}

} // namespace

bool Drain::pay(const FlashOp& op) {
    double cost = cost_of(array_.geometry(), costs_, op);
    if (op.copies || op.merges) {
        cost += costs_.read;
    }
    exhausted_ = exhausted_ || cost > energy_;
    if (exhausted_) {
        return false;
    }
    energy_ -= cost;
    used_ += cost;
    if (op.copies) {
        ops_.push_back({FlashOpKind::kRead, op.origin, op.supersedes, op.lpn});
    }
    ops_.push_back(op);
    return true;
}

void Drain::perform(const FlashOp& op, PageContent content) {
    if (op.kind == FlashOpKind::kErase) {
        array_.erase(array_.geometry().block_of(op.page));
        if (contents_ != nullptr) {
            contents_->erase(op.page);
        }
        return;
    }
    array_.program(op.page, op.lpn, op.version);
    if (contents_ != nullptr) {
        contents_->program(op.page, std::move(content));
    }
}

bool Drain::end(const FlashOp& op, const PageContent& content) {
    if (!pay(op)) {
        return false;
    }
    perform(op, content);
    return true;
}

bool Drain::carry_out(const FlashOp& op, const PageContent& content) {
    if (exhausted_) {
        return false;
    }
    const bool done = op.kind == FlashOpKind::kProgram
                          ? array_.is_programmed(op.page)
                          : array_.write_pointer(array_.geometry().block_of(op.page)) == 0;
    if (op.kind == FlashOpKind::kRead || done) {
        return true;
    }
    if (!pay(op)) {
        return false;
    }
    perform(op, op.copies ? superseded(op) : content);
    return true;
}

void Drain::count(const MountTimes& times, RecoveryCounters& counters) const {
    counters.drain_nj += static_cast<std::uint64_t>(std::llround(used_ * 1e9));
    counters.drain_time += rebuild_time(array_.geometry(), times, ops_);
}

} // namespace cavern
