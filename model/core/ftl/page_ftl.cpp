#include "core/ftl/page_ftl.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"
#include "core/ftl/page_ftl_why_not.h"

namespace cavern {

namespace {

std::unique_ptr<ReclaimHandles> make_handles(const FtlParams& params, std::uint64_t pages) {
    return params.placement.handles != 0 ? std::make_unique<ReclaimHandles>(params.placement, pages)
                                         : nullptr;
}

std::unique_ptr<HostStreamsIf> make_host_streams(const FtlParams& params, ReclaimHandles* handles,
                                                 std::uint64_t pages) {
    if (handles != nullptr) {
        return std::make_unique<HandleStreams>(*handles);
    }
    return params.hot_cold ? std::make_unique<HeatStreams>(params, pages) : nullptr;
}

Streams streams_of(const FtlParams& params, const ReclaimHandles* handles) {
    Streams streams = handles != nullptr ? HandleStreams::shape(*handles)
                      : params.hot_cold  ? HeatStreams::shape()
                                         : Streams{};
    CAVERN_CHECK(streams.hosts == 0 || (!params.gc_shared_frontier && !params.gc_in_pages),
                 "pages that are told apart need blocks of their own and watermarks in blocks");
    streams.shared = params.gc_shared_frontier;
    streams.levels = params.wear_leveling == WearLeveling::kStatic;
    return streams;
}

CollectorParams collector_params(const FtlParams& params, std::uint32_t apart) {
    return {page_ftl_kept(params), page_ftl_begun(params), apart};
}

} // namespace

HeatStreams::HeatStreams(const FtlParams& params, std::uint64_t pages)
    : heat_(pages,
            std::max<std::uint64_t>(
                static_cast<std::uint64_t>(params.hot_decay * static_cast<double>(pages)), 1)) {}

PageFtl::PageFtl(const Geometry& geometry, const FtlParams& params, DecisionLogIf* log)
    : PageFtl(PlanesInStep(geometry, params.gc_placement), params, 0, log) {}

PageFtl::PageFtl(const PlanesInStep& step, const FtlParams& params, std::uint32_t apart,
                 DecisionLogIf* log)
    : l2p_(page_ftl_logical_pages(step.shape().without_slc(), params.overprovision),
           step.shape().pages(), Touches::kScattered),
      handles_(make_handles(params, l2p_.size())),
      host_streams_(make_host_streams(params, handles_.get(), l2p_.size())),
      space_(step, params, streams_of(params, handles_.get()), log),
      collector_(space_, *this, params, collector_params(params, apart), log), log_(log) {
    CAVERN_CHECK(handles_ == nullptr || (!params.hot_cold && !space_.streams().levels &&
                                         !params.faults.any() && space_.together() == 1),
                 "handles have blocks of their own, of whole pages, that do not fail");
    parts_.handles = handles_.get();
    parts_.nand_pages = space_.together() != 1 ? &space_ : nullptr;
    parts_.idle_work = params.gc_background != 0 ? this : nullptr;
    parts_.refresh = space_.refreshes() ? &space_ : nullptr;
    parts_.mount = this;
}

void PageFtl::note_host_page(Lpn lpn, Ppn at, std::uint64_t old, FlashOpList& ops) {
    l2p_.set(raw(lpn), raw(at) + 1);
    ++space_.counters().host_pages;
    const Ppn page = space_.in_flash(at);
    if (log_ != nullptr) {
        log_->program(Origin::kHost, lpn, page);
    }
    FlashOp& op = ops.emplace_back();
    op.kind = FlashOpKind::kProgram;
    op.page = page;
    op.lpn = lpn;
    op.supersedes = old != 0 ? space_.in_flash(Ppn{old - 1}) : kNoPpn;
}

void PageFtl::write(Lpn lpn, PlaneId wanted, FlashOpList& ops) {
    const PlaneId plane = space_.step().plane(wanted);
    check_range(lpn);
    Frontier& host = host_frontier(plane, lpn, false, ops);
    // Only now: collection may have moved the older version.
    const std::uint64_t old = l2p_.get(raw(lpn));
    if (old != 0) {
        space_.invalidate(Ppn{old - 1});
    }
    note_host_page(lpn, space_.add(host, plane, lpn), old, ops);
}

// As the general one, but without a virtual call for each page.
void PageFtl::write_unit(const UnitPage* pages, std::size_t count, FlashOpList& ops) {
    for (std::size_t i = 0; i < count; ++i) {
        if (pages[i].padding) {
            PageFtl::pad(pages[i].lpn, pages[i].target, ops);
        } else {
            PageFtl::write(pages[i].lpn, pages[i].target, ops);
        }
    }
}

void PageFtl::pad(Lpn lpn, PlaneId wanted, FlashOpList& ops) {
    const PlaneId plane = space_.step().plane(wanted);
    Frontier& host = host_frontier(plane, lpn, true, ops);
    const Ppn old = place(lpn);
    if (old != kNoPpn) {
        space_.invalidate(old);
    }
    const Ppn at = space_.add(host, plane, lpn);
    l2p_.set(raw(lpn), raw(at) + 1);
    const Ppn to = space_.in_flash(at);
    ++space_.counters().padding_pages;
    if (log_ != nullptr) {
        log_->program(Origin::kPadding, lpn, to);
    }
    if (old == kNoPpn) {
        ops.push_back({FlashOpKind::kProgram, Origin::kPadding, to, lpn});
        return;
    }
    push_copy(Origin::kPadding, space_.in_flash(old), to, lpn, ops);
}

Ppn PageFtl::read(Lpn lpn, FlashOpList&) {
    const Ppn page = place(lpn);
    if (page == kNoPpn) {
        return kNoPpn;
    }
    space_.on_read(page);
    return space_.in_flash(page);
}

void PageFtl::trim(Lpn lpn, FlashOpList&) {
    const Ppn old = place(lpn);
    if (old != kNoPpn) {
        space_.invalidate(old);
        l2p_.set(raw(lpn), 0);
    }
}

// Asks for a block of room, not a page: callers place a whole batch before they write it.
bool PageFtl::has_room(PlaneId wanted, Lpn) const {
    const PlaneId plane = space_.step().plane(wanted);
    // Collecting a victim takes at most the one block it gives back.
    return space_.free_blocks(plane) > collector_.room() ||
           space_.has_room_packed(plane, collector_.room());
}

std::exception_ptr PageFtl::lack_of_room() const {
    const std::exception_ptr worn = space_.lack_of_room();
    return worn != nullptr ? worn : SpaceIf::lack_of_room();
}

Ppn PageFtl::location(Lpn lpn) const {
    const Ppn page = place(lpn);
    return page == kNoPpn ? kNoPpn : space_.in_flash(page);
}

Ppn PageFtl::place(Lpn lpn) const {
    check_range(lpn);
    const std::uint64_t entry = l2p_.get(raw(lpn));
    return entry == 0 ? kNoPpn : Ppn{entry - 1};
}

Frontier& PageFtl::choose_frontier(PlaneId plane, Lpn lpn, bool padding, FlashOpList& ops) {
    const Stream stream =
        host_streams_ == nullptr ? Streams::kHost : host_streams_->of_host(lpn, padding);
    Frontier& host = space_.frontier(plane, stream);
    if (host.next == host.stop) {
        const bool opens = !host.is_open();
        collector_.make_room(host, plane, ops);
        if (opens && host_streams_ != nullptr) {
            host_streams_->on_open(stream);
        }
    }
    return host;
}

bool PageFtl::move(Emptying& task, PlaneId plane, std::uint32_t units, FlashOpList& ops) {
    const BlockId block = task.block();
    const std::uint32_t pages = space_.geometry().pages_per_block;
    const std::uint32_t copies = std::min<std::uint32_t>(units, space_.block(block).valid);
    // The places of the pages in the map are scattered: have them fetched while the first ones are
    // looked at.
    const std::uint32_t ahead = std::min(pages - task.next, 2 * copies);
    for (std::uint32_t i = task.next; i < task.next + ahead; ++i) {
        l2p_.prefetch(raw(space_.owner(space_.geometry().page(block, i))));
    }
    const Streams& streams = space_.streams();
    const bool levels = task.origin == Origin::kWear;
    HostStreamsIf* apart = levels ? nullptr : host_streams_.get();
    Frontier& to = space_.frontier(plane, levels ? streams.leveled() : streams.copy());
    for (std::uint32_t left = copies; left != 0; ++task.next) {
        CAVERN_CHECK(task.next < pages, block_name(block) + " has fewer valid pages than counted");
        const Ppn from = space_.geometry().page(block, task.next);
        const Lpn lpn = space_.owner(from);
        if (!is_valid(from)) {
            continue;
        }
        Frontier& into = apart == nullptr ? to : space_.frontier(plane, apart->of_copy(lpn));
        if (into.next == into.fail) {
            space_.prepare(into, plane, ops);
        }
        const Ppn at = space_.append(into, plane, lpn);
        l2p_.set(raw(lpn), raw(at) + 1);
        const Ppn page = space_.in_flash(at);
        if (log_ != nullptr) {
            log_->program(task.origin, lpn, page);
        }
        task.last = push_copy(task.origin, space_.in_flash(from), page, lpn, ops);
        --left;
    }
    space_.leave(block, copies);
    task.copied += copies;
    space_.counters().moved_by(task.origin) += copies;
    return space_.block(block).valid == 0;
}

std::uint32_t PageFtl::count_valid(Ppn first, std::uint32_t count) const {
    std::uint32_t valid = 0;
    for (std::uint64_t page = raw(first); page < raw(first) + count; ++page) {
        valid += is_valid(Ppn{page}) ? 1 : 0;
    }
    return valid;
}

MountNeeds PageFtl::mount_needs() const {
    MountNeeds needs{collector_.reserve()};
    needs.bad = space_.factory_bad();
    return needs;
}

void PageFtl::mount(const MountedDrive& drive) {
    CAVERN_CHECK(handles_ == nullptr && drive.places.size() == l2p_.size(),
                 "what is mounted has the shape of the drive");
    space_.mount(drive, l2p_.size());
    for (std::uint64_t lpn = 0; lpn < drive.places.size(); ++lpn) {
        if (drive.places[lpn] != 0) {
            l2p_.set(lpn, raw(space_.in_step(Ppn{drive.places[lpn] - 1})) + 1);
        }
    }
}

std::uint64_t PageFtl::check_invariants() const {
    const std::uint64_t facts = collector_.check();
    const std::uint64_t mapped = l2p_.count_used();
    const std::uint64_t valid = space_.valid_pages();
    // With the check of the blocks this makes the map injective: as many physical pages name a
    // logical page that points back to them as there are logical pages that point anywhere.
    CAVERN_CHECK(mapped == valid, std::to_string(mapped) + " logical pages are mapped but " +
                                      std::to_string(valid) + " physical pages are valid");
    check_handles();
    return facts + 1;
}

/// No block holds data of two handles that are isolated persistently.
void PageFtl::check_handles() const {
    if (handles_ == nullptr || !handles_->isolates_persistently()) {
        return;
    }
    std::vector<std::uint32_t> handles(space_.geometry().blocks(), 0); // + 1
    for (std::uint64_t lpn = 0; lpn < l2p_.size(); ++lpn) {
        if (const std::uint64_t entry = l2p_.get(lpn)) {
            const BlockId block = space_.block_of(Ppn{entry - 1});
            std::uint32_t& handle = handles[raw(block)];
            const std::uint32_t placed = handles_->placed(Lpn{lpn}) + 1;
            CAVERN_CHECK(handle == 0 || handle == placed,
                         block_name(block) +
                             " holds data of two handles that are isolated persistently");
            handle = placed;
        }
    }
}

} // namespace cavern
