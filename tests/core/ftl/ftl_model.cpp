#include "tests/core/ftl/ftl_model.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"

namespace cavern::testing {

namespace {

void require(bool holds, const std::string& what) {
    if (!holds) {
        throw ModelError(what);
    }
}

std::string name(Lpn lpn) {
    return "logical page " + std::to_string(raw(lpn));
}

} // namespace

// ---- operations ---------------------------------------------------------------------------------

GraphRunner::GraphRunner(const Geometry& geometry, bool strict_order, std::uint64_t seed)
    : geometry_(geometry), array_(geometry, strict_order), random_(seed), dies_(geometry.dies()),
      pending_program_(geometry.pages(), kNone), holds_in_block_(geometry.blocks(), 0),
      version_at_(geometry.pages(), 0), durable_(geometry.pages()),
      forgotten_(geometry.pages(), 0) {}

void GraphRunner::submit(const FlashOpList& ops, const std::vector<std::uint64_t>& newest) {
    const std::size_t first = nodes_.size();
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const FlashOp& op = ops[i];
        Node node;
        node.op = op;
        if (op.after != FlashOp::kNone) {
            require(op.after >= 0 && static_cast<std::size_t>(op.after) < i,
                    "an operation waits for a later one");
            node.after = first + static_cast<std::size_t>(op.after);
        }
        Die& die = dies_[raw(geometry_.die_of(op.page))];
        if (op.kind == FlashOpKind::kRead) {
            node.waits_for = pending_program_[raw(op.page)];
            node.holds_block = node.waits_for == kNone;
            holds_in_block_[raw(geometry_.block_of(op.page))] += node.holds_block ? 1 : 0;
            die.reads.push_back(nodes_.size());
        } else {
            if (op.kind == FlashOpKind::kProgram) {
                supersede(node);
                pending_program_[raw(op.page)] = nodes_.size();
                if (op.copies) {
                    require(node.after != kNone &&
                                nodes_[node.after].op.kind == FlashOpKind::kRead &&
                                nodes_[node.after].op.lpn == op.lpn,
                            "a copy of " + name(op.lpn) + " does not follow its read");
                    nodes_[node.after].feeds_copy = true;
                    require(newest[raw(op.lpn)] != 0,
                            name(op.lpn) + " is copied but holds nothing");
                } else if (op.lpn != kNoLpn) {
                    node.version = newest[raw(op.lpn)];
                }
            }
            die.writes.push_back(nodes_.size());
        }
        nodes_.push_back(node);
        ++outstanding_;
    }
}

void GraphRunner::step(std::size_t operations) {
    while (operations > 0 && advance()) {
        --operations;
    }
}

void GraphRunner::drain() {
    while (advance()) {
    }
    require(outstanding_ == 0, "operations wait for each other");
    nodes_.clear();
    for (Die& die : dies_) {
        die.writes.clear();
        die.first = 0;
    }
}

bool GraphRunner::advance() {
    const std::size_t from = random_.below(dies_.size());
    for (std::size_t i = 0; i < dies_.size(); ++i) {
        if (advance(dies_[(from + i) % dies_.size()])) {
            return true;
        }
    }
    return false;
}

bool GraphRunner::advance(Die& die) {
    const bool write_first = random_.below(2) == 0;
    for (int turn = 0; turn < 2; ++turn) {
        if ((turn == 0) == write_first) {
            if (die.first == die.writes.size()) {
                continue;
            }
            Node& node = nodes_[die.writes[die.first]];
            if (!may_go(node)) {
                continue;
            }
            if (node.op.kind == FlashOpKind::kProgram) {
                program(node);
            } else if (holds_in_block_[raw(geometry_.block_of(node.op.page))] == 0) {
                erase(node);
            } else {
                continue;
            }
            ++die.first;
            node.done = true;
            --outstanding_;
            return true;
        }
        const std::size_t start = die.reads.empty() ? 0 : random_.below(die.reads.size());
        for (std::size_t i = 0; i < die.reads.size(); ++i) {
            const std::size_t at = (start + i) % die.reads.size();
            Node& node = nodes_[die.reads[at]];
            if (may_go(node)) {
                read(node);
                die.reads[at] = die.reads.back();
                die.reads.pop_back();
                node.done = true;
                --outstanding_;
                return true;
            }
        }
    }
    return false;
}

void GraphRunner::read(Node& node) {
    require(array_.read(node.op.page) == node.op.lpn,
            "a read of " + name(node.op.lpn) + " finds another page");
    node.version = version_at_[raw(node.op.page)];
    ++reads_[node.feeds_copy ? 1 : 0][static_cast<std::size_t>(node.op.origin)];
    --holds_in_block_[raw(geometry_.block_of(node.op.page))];
}

/// The page that a program replaces is held until that is done; if its own program is still to
/// come, its block from then on.
void GraphRunner::supersede(Node& node) {
    if (node.op.supersedes == kNoPpn || !(node.op.copies ? copies_hold_ : others_hold_)) {
        return;
    }
    node.holds_block = true;
    node.writer = pending_program_[raw(node.op.supersedes)];
    ++(node.writer != kNone ? nodes_[node.writer].holders
                            : holds_in_block_[raw(geometry_.block_of(node.op.supersedes))]);
}

void GraphRunner::release_superseded(const Node& node) {
    if (node.holds_block) {
        --(is_done(node.writer) ? holds_in_block_[raw(geometry_.block_of(node.op.supersedes))]
                                : nodes_[node.writer].holders);
    }
}

void GraphRunner::program(Node& node) {
    const FlashOp& op = node.op;
    if (op.copies) {
        const Node& source = nodes_[node.after];
        node.version = source.version;
        ++copies_[static_cast<std::size_t>(op.origin)];
    }
    array_.program(op.page, op.lpn);
    version_at_[raw(op.page)] = node.version;
    ++programs_[static_cast<std::size_t>(op.origin)];
    if (op.lpn != kNoLpn) {
        Durable& durable = durable_[raw(op.lpn)];
        if (node.version > durable.version) {
            durable = {node.version, 1};
        } else if (node.version == durable.version) {
            ++durable.places;
        }
    }
    release_superseded(node);
    // Those that waited for it hold its block from now on.
    holds_in_block_[raw(geometry_.block_of(op.page))] += node.holders;
    const std::size_t self = static_cast<std::size_t>(&node - nodes_.data());
    if (pending_program_[raw(op.page)] == self) {
        pending_program_[raw(op.page)] = kNone;
    }
    for (const std::size_t reader : dies_[raw(geometry_.die_of(op.page))].reads) {
        if (nodes_[reader].waits_for == self && !nodes_[reader].holds_block) {
            nodes_[reader].holds_block = true;
            ++holds_in_block_[raw(geometry_.block_of(op.page))];
        }
    }
}

void GraphRunner::erase(const Node& node) {
    const BlockId block = geometry_.block_of(node.op.page);
    for (std::uint32_t i = 0; i < array_.write_pointer(block); ++i) {
        const Ppn page = geometry_.page(block, i);
        const Lpn lpn = array_.stored_lpn(page);
        const std::uint64_t version = version_at_[raw(page)];
        if (lpn != kNoLpn && version == durable_[raw(lpn)].version) {
            --durable_[raw(lpn)].places;
            require(durable_[raw(lpn)].places > 0 || version <= forgotten_[raw(lpn)],
                    "the last copy of " + name(lpn) + " is erased");
        }
        version_at_[raw(page)] = 0;
    }
    array_.erase(block);
    ++erases_;
}

namespace {

void check_programs(const GraphRunner& runner, const FtlIf& ftl) {
    const FtlCounters& count = ftl.counters();
    const CounterView own = ftl.own_counters();
    require(runner.programs(Origin::kHost) == count.host_pages &&
                runner.programs(Origin::kGc) == count.gc_pages &&
                runner.programs(Origin::kMerge) == count.merge_pages &&
                runner.programs(Origin::kPadding) == count.padding_pages &&
                runner.programs(Origin::kMapping) == own.value_of("map_pages_written") &&
                runner.programs(Origin::kWear) == count.wear_pages &&
                runner.programs(Origin::kRefresh) == count.refresh_pages &&
                runner.programs(Origin::kRescue) == count.rescued_pages &&
                runner.programs(Origin::kFold) == own.value_of("fold_pages") &&
                runner.programs(Origin::kFailed) == count.failed_programs &&
                runner.programs(Origin::kRecovery) == 0,
            "programs are not those counted");
    std::uint64_t programs = 0;
    for (std::size_t origin = 0; origin < kOrigins; ++origin) {
        programs += runner.programs(static_cast<Origin>(origin));
    }
    require(programs == ftl.programs() && programs >= count.host_pages,
            "programs are more than the sum of their kinds");
}

void check_reads(const GraphRunner& runner, const FtlIf& ftl) {
    std::uint64_t map_reads = 0;
    for (std::size_t i = 0; i < kOrigins; ++i) {
        const auto origin = static_cast<Origin>(i);
        require(runner.reads(origin, true) == runner.copies(origin),
                "reads for copies are not as many as copies");
        if (origin == Origin::kMapping) {
            map_reads = runner.reads(origin, true) + runner.reads(origin, false);
        } else {
            require(runner.reads(origin, false) == 0, "a page is read for nothing");
        }
    }
    require(map_reads == ftl.own_counters().value_of("map_pages_read"),
            "reads of the map are not those counted");
}

} // namespace

void check_counts(const GraphRunner& runner, const FtlIf& ftl) {
    const FtlCounters& count = ftl.counters();
    check_programs(runner, ftl);
    check_reads(runner, ftl);
    require(count.moved_pages <= count.merge_pages, "moved pages are copies");
    std::uint64_t erases = 0;
    for (std::uint32_t block = 0; block < runner.array().geometry().blocks(); ++block) {
        erases += runner.array().erase_count(BlockId{block});
    }
    require(erases == count.erases && runner.erases() == count.erases,
            "erases are not those counted");
}

// ---- decisions ----------------------------------------------------------------------------------

DecidedState::DecidedState(const Geometry& geometry, bool strict_order)
    : geometry_(geometry), strict_order_(strict_order), owner_(geometry.pages(), kNoLpn),
      next_(geometry.blocks(), 0) {}

void DecidedState::follow(const FlashOpList& ops, const FtlIf& ftl) {
    touched_.clear();
    for (const FlashOp& op : ops) {
        add(static_cast<std::uint64_t>(op.kind) << 8 | static_cast<std::uint64_t>(op.origin));
        add(raw(op.page));
        add(raw(op.lpn));
        if (op.kind == FlashOpKind::kProgram) {
            program(op);
        } else if (op.kind == FlashOpKind::kErase) {
            erase(geometry_.block_of(op.page));
        }
    }
    for (const Lpn lpn : touched_) {
        const Ppn place = ftl.location(lpn);
        require(place == kNoPpn || owner_[raw(place)] == lpn,
                name(lpn) + " is not where it was put, or was erased");
    }
}

void DecidedState::program(const FlashOp& op) {
    const std::uint32_t page = geometry_.page_in_block(op.page);
    std::uint32_t& next = next_[raw(geometry_.block_of(op.page))];
    require(strict_order_ ? page == next : page >= next,
            "a page is decided to be programmed out of order");
    next = page + 1;
    owner_[raw(op.page)] = op.lpn;
    if (op.lpn != kNoLpn) {
        touched_.push_back(op.lpn);
    }
}

void DecidedState::erase(BlockId block) {
    for (std::uint32_t i = 0; i < next_[raw(block)]; ++i) {
        Lpn& owner = owner_[raw(geometry_.page(block, i))];
        if (owner != kNoLpn) {
            touched_.push_back(owner);
        }
        owner = kNoLpn;
    }
    next_[raw(block)] = 0;
}

void DecidedState::add(std::uint64_t value) {
    fingerprint_ = (fingerprint_ ^ value) * 0x9E37'79B9'7F4A'7C15u;
    fingerprint_ ^= fingerprint_ >> 29;
}

// ---- model --------------------------------------------------------------------------------------

FtlModel::FtlModel(const Geometry& geometry, bool strict_order, std::uint64_t logical_pages,
                   std::uint64_t seed)
    : geometry_(geometry), pages_(logical_pages), runner_(geometry, strict_order, seed + 1),
      decided_(geometry, strict_order), random_(seed), newest_(geometry.pages(), 0),
      place_(geometry.pages(), kNoPpn) {
    std::fill(newest_.begin() + static_cast<std::ptrdiff_t>(pages_), newest_.end(), 1);
}

void FtlModel::write_unit(const std::vector<UnitPage>& pages, bool overlap) {
    for (const UnitPage& page : pages) {
        // Padding keeps the version there is, or writes zeros as a new one.
        if (!page.padding || newest_[raw(page.lpn)] == 0) {
            newest_[raw(page.lpn)] = ++versions_;
        }
    }
    if (ReclaimHandles* handles = ftl_->parts().handles) {
        handles->begin_command(static_cast<std::uint32_t>(random_.below(handles->count() + 1)));
        for (const UnitPage& page : pages) {
            if (!page.padding) {
                handles->on_host_write(page.lpn);
            }
        }
    }
    ops_.clear();
    const bool alone = pages.size() == 1 && !pages[0].padding && pages[0].together <= 1;
    const std::optional<DieId> target = geometry_.die_of(pages[0].target);
    const std::optional<DieId> said =
        alone ? ftl_->destination(pages[0].lpn, target) : std::nullopt;
    const std::optional<DieId> unasked =
        alone ? ftl_->destination(pages[0].lpn, std::nullopt) : std::nullopt;
    ftl_->write_unit(pages.data(), pages.size(), ops_);
    inspect(pages);
    alone_ += alone ? 1 : 0;
    foretold_ += said ? 1 : 0;
    for (const FlashOp& op : ops_) {
        if (alone && op.kind == FlashOpKind::kProgram && op.origin == Origin::kHost) {
            const DieId die = geometry_.die_of(op.page);
            require(!said || *said == die, "the page goes to another die than was said");
            require(!unasked || *unasked == die, "what is said of a page leans on a guess");
        }
    }
    submit();
    if (overlap) {
        runner_.step(random_.below(ops_.size() + 1));
        return;
    }
    runner_.drain();
    for (const UnitPage& page : pages) {
        check_page(page.lpn, ftl_->location(page.lpn));
    }
}

void FtlModel::submit() {
    for (const FlashOp& op : ops_) {
        named_programs_ += op.kind == FlashOpKind::kProgram && op.lpn != kNoLpn ? 1 : 0;
        require(op.kind == FlashOpKind::kErase || op.lpn == kNoLpn ||
                    (op.origin == Origin::kMapping) == (raw(op.lpn) >= pages_),
                "the layer's own pages are not told from the host's");
        if (op.kind == FlashOpKind::kProgram && op.lpn != kNoLpn) {
            Ppn& place = place_[raw(op.lpn)];
            require(op.supersedes == place, name(op.lpn) + " supersedes another page than its own");
            place = op.page;
        }
    }
    decided_.follow(ops_, *ftl_);
    runner_.submit(ops_, newest_);
}

/// Each host page of the unit is programmed once, in order; padding once or more (a merge may
/// follow).
void FtlModel::inspect(const std::vector<UnitPage>& pages) const {
    std::size_t next = 0;
    for (const FlashOp& op : ops_) {
        if (op.kind != FlashOpKind::kProgram || op.origin != Origin::kHost) {
            continue;
        }
        while (next < pages.size() && pages[next].padding) {
            ++next;
        }
        require(next < pages.size() && pages[next].lpn == op.lpn,
                "host programs are not those of the unit, in order");
        ++next;
    }
    while (next < pages.size() && pages[next].padding) {
        ++next;
    }
    require(next == pages.size(), "a page of the unit is not programmed");
}

bool FtlModel::collect_ahead(PlaneId plane) {
    ops_.clear();
    const bool collected = ftl_->parts().idle_work->maintain(plane, 1, ops_);
    require(collected != ops_.empty(), "collecting ahead takes operations");
    inspect({});
    submit();
    runner_.drain();
    return collected;
}

void FtlModel::trim(Lpn first, std::uint64_t count) {
    ops_.clear();
    ftl_->trim_range(first, count, ops_);
    submit();
    for (std::uint64_t page = raw(first); page < raw(first) + count; ++page) {
        const Lpn lpn{page};
        newest_[page] = 0;
        place_[page] = kNoPpn;
        runner_.forget(lpn, versions_);
        require(ftl_->location(lpn) == kNoPpn, name(lpn) + " has a place after it was trimmed");
    }
}

void FtlModel::act(const std::function<void(FlashOpList&)>& what) {
    ops_.clear();
    what(ops_);
    inspect({});
    submit();
    runner_.step(random_.below(ops_.size() + 1));
}

void FtlModel::read(Lpn lpn) {
    ops_.clear();
    const Ppn place = ftl_->read(lpn, ops_);
    submit();
    runner_.drain();
    check_page(lpn, place);
}

void FtlModel::resize_cache(std::uint64_t bytes) {
    ops_.clear();
    MapCacheIf& cache = *ftl_->parts().map_cache;
    cache.resize_cache(bytes, ops_);
    require(cache.cache_bytes() == bytes, "the mapping cache has not the size it was given");
    submit();
}

void FtlModel::check_page(Lpn lpn, Ppn place) {
    require((place != kNoPpn) == (newest_[raw(lpn)] != 0),
            name(lpn) + (place == kNoPpn ? " is lost" : " reappears"));
    if (place == kNoPpn) {
        return;
    }
    require(runner_.array().read(place) == lpn, name(lpn) + " is mapped to another page");
    require(runner_.version_at(place) == newest_[raw(lpn)],
            name(lpn) + " is read in an old version");
}

void FtlModel::check_tables() const {
    std::uint64_t tables = 0;
    for (std::uint32_t page = 0; page < geometry_.pages(); ++page) {
        const Lpn lpn = runner_.array().stored_lpn(Ppn{page});
        if (lpn != kNoLpn && raw(lpn) >= pages_) {
            tables += ftl_->location(lpn) == Ppn{page} ? 1 : 0;
        }
    }
    require(tables == ftl_->table_pages(), "a page of the layer's own is lost");
}

std::uint64_t FtlModel::check_valid_counts(const std::vector<bool>& taken) const {
    std::uint64_t counts = 0;
    for (std::uint32_t block = 0; block < geometry_.blocks(); ++block) {
        const std::optional<std::uint32_t> told = ftl_->valid_count(BlockId{block});
        if (!told) {
            continue;
        }
        std::uint32_t valid = 0;
        for (std::uint32_t i = 0; i < geometry_.pages_per_block; ++i) {
            const Ppn page = geometry_.page(BlockId{block}, i);
            const Lpn lpn = runner_.array().stored_lpn(page);
            const bool own = lpn != kNoLpn && raw(lpn) >= pages_;
            valid += taken[raw(page)] || (own && ftl_->location(lpn) == page) ? 1 : 0;
        }
        require(counts_exact_ ? *told == valid : *told >= valid,
                "block " + std::to_string(block) + " has " + std::to_string(valid) +
                    " valid pages but counts " + std::to_string(*told));
        ++counts;
    }
    return counts;
}

std::uint64_t FtlModel::check() {
    runner_.drain();
    check_tables();
    std::vector<bool> taken(geometry_.pages(), false);
    std::uint64_t mapped = 0;
    for (std::uint64_t page = 0; page < pages_; ++page) {
        const Ppn place = ftl_->location(Lpn{page});
        check_page(Lpn{page}, place);
        if (place != kNoPpn) {
            ++mapped;
            require(!taken[raw(place)], "two logical pages have one place");
            taken[raw(place)] = true;
        }
    }
    require(mapped == ftl_->mapped_pages(), "the number of mapped pages is not as counted");

    const std::uint64_t counts = check_valid_counts(taken);
    check_counts(runner_, *ftl_);
    const FtlCounters& count = ftl_->counters();
    const MapCacheIf* cache = std::as_const(*ftl_).map_cache();
    const std::uint64_t table_copies =
        cache != nullptr ? cache->own_cache_counters().value_of("table_copies") : 0;
    const std::uint64_t copies = count.gc_pages + count.merge_pages + count.wear_pages +
                                 count.refresh_pages + ftl_->own_counters().value_of("fold_pages") +
                                 table_copies;
    // Those of a block that is emptied in steps are summed up when it is erased.
    const std::uint64_t under_way = in_steps_ ? events_.moved + table_copies - events_.copies : 0;
    require(events_.programs == named_programs_ && events_.copies + under_way == copies &&
                under_way <= std::uint64_t{geometry_.planes()} * geometry_.pages_per_block &&
                events_.erases == count.erases,
            "what was logged is not what was counted");
    require(events_.retired == ftl_->bad_blocks().grown, "blocks retired are not those counted");
    require(events_.merges[0] == count.merges_switch && events_.merges[1] == count.merges_partial &&
                events_.merges[2] == count.merges_full,
            "merges logged are not those counted");
    return ftl_->check_invariants() + 2 * pages_ + counts + 13;
}

} // namespace cavern::testing
