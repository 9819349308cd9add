#include "tests/core/buffer/naive_buffer.h"

#include <algorithm>
#include <cstddef>

namespace cavern::testing {
namespace {

bool contains(const std::vector<std::uint64_t>& list, std::uint64_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

void add_once(std::vector<std::uint64_t>& list, std::uint64_t value) {
    if (!contains(list, value)) {
        list.push_back(value);
    }
}

bool same(const Victim& a, const Victim& b) {
    return a.lpn == b.lpn && a.frame == b.frame && a.padding == b.padding;
}

std::string text(const std::vector<Victim>& victims) {
    std::string all = "[";
    for (const Victim& victim : victims) {
        all += " " + std::to_string(raw(victim.lpn)) + (victim.padding ? "+" : "");
    }
    return all + " ]";
}

} // namespace

void UnitLog::evict_block(Lbn, const std::vector<Lpn>& pages, const std::vector<Lpn>&) {
    units.emplace_back();
    for (const Lpn lpn : pages) {
        units.back().push_back(raw(lpn));
    }
}

NaiveBuffer::NaiveBuffer(WriteBuffer& buffer, const BufferRules& rules, NaivePolicy* order,
                         UnitLog* log)
    : buffer_(buffer), rules_(rules), order_(order), log_(log), pages_(rules.pages),
      page_in_(buffer.frames(), kNoLpn) {}

void NaiveBuffer::check(bool holds, const char* fault) {
    if (!holds && fault_.empty()) {
        fault_ = fault;
    }
}

std::uint64_t NaiveBuffer::unit_of(std::uint64_t lpn) const {
    return buffer_.evicts_blocks() ? lpn / rules_.pages_per_block : lpn;
}

void NaiveBuffer::access(std::uint64_t lpn, bool write) {
    const bool hit = resident(lpn);
    const bool kept = hit || write || rules_.cache_reads;
    const bool evicts = !hit && kept && used_ == buffer_.capacity();
    std::vector<Pages> ordered;
    if (order_ != nullptr && hit && (write || rules_.read_touch || rules_.cache_reads)) {
        order_->hit(lpn, write);
    } else if (order_ != nullptr && !hit && kept) {
        order_->miss(lpn);
        ordered = evicts ? ordered_batch() : ordered;
    }
    std::uint64_t& count = write ? (hit ? expected_.write_hits : expected_.write_misses)
                                 : (hit ? expected_.read_hits : expected_.read_misses);
    ++count;
    const BufferAccess got = write ? buffer_.write(Lpn{lpn}) : buffer_.read(Lpn{lpn});
    check(got.hit == hit, "a hit of a page that is not there, or a miss of one that is");
    check(got.evicted == evicts, "an eviction though there is room, or none though there is not");
    if (evicts) {
        check_batch(ordered);
    }
    if (hit) {
        check(got.frame == pages_[lpn].frame, "a page changed its frame");
    } else if (kept) {
        place(lpn, got.frame);
        if (order_ != nullptr) {
            order_->insert(lpn, write);
        }
    } else {
        check(got.frame == kNoFrame, "a page that is not kept has a frame");
    }
    pages_[lpn].dirty = pages_[lpn].dirty || write;
    check_state(lpn);
}

void NaiveBuffer::trim(std::uint64_t lpn) {
    check(buffer_.trim(Lpn{lpn}) == pages_[lpn].frame, "TRIM of a page that is not there");
    if (resident(lpn)) {
        if (order_ != nullptr) {
            order_->remove(lpn);
        }
        leave(lpn);
    }
    check_state(lpn);
}

void NaiveBuffer::evict() {
    const bool any = used_ != 0;
    const std::vector<Pages> ordered =
        any && order_ != nullptr ? ordered_batch() : std::vector<Pages>{};
    check(buffer_.evict_batch() == any, "a batch of an empty buffer, or none of another");
    if (any) {
        check_batch(ordered);
    } else {
        check(buffer_.victims().empty() && buffer_.dropped().empty(), "a batch that is not empty");
    }
    check_state(0);
}

void NaiveBuffer::flush() {
    Pages order = order_ != nullptr ? order_->drain_order() : Pages{};
    const auto is_clean = [this](std::uint64_t lpn) { return !pages_[lpn].dirty; };
    for (;;) {
        order.erase(std::remove_if(order.begin(), order.end(), is_clean), order.end());
        std::vector<Pages> batch;
        for (const std::uint64_t lpn : order) {
            if (batch.empty() || unit_of(batch.back().front()) != unit_of(lpn)) {
                if (batch.size() == batch_) {
                    break;
                }
                batch.emplace_back();
            }
            batch.back().push_back(lpn);
        }
        const bool any =
            std::any_of(pages_.begin(), pages_.end(), [](const Page& page) { return page.dirty; });
        check(buffer_.flush_batch() == any, "a FLUSH ends too early or too late");
        check(any || buffer_.victims().empty(), "a batch that is not empty");
        check(buffer_.dropped().empty(), "a FLUSH drops clean pages");
        if (!any || !fault_.empty()) {
            break;
        }
        check_flushed(batch);
    }
    check_state(0);
}

void NaiveBuffer::check_flushed(const std::vector<Pages>& ordered) {
    if (order_ != nullptr) {
        std::vector<Victim> written;
        for (const Pages& unit : ordered) {
            add_written(unit, written);
        }
        check_victims(written);
        check(log_ == nullptr || log_->units == ordered, "other units, or pages in another order");
    }
    std::vector<std::uint64_t> units;
    for (const Victim& victim : buffer_.victims()) {
        const std::uint64_t lpn = raw(victim.lpn);
        if (victim.padding) {
            ++expected_.padding_pages;
            continue;
        }
        if (lpn >= pages_.size() || !pages_[lpn].dirty) {
            check(false, "a FLUSH writes a page that is not dirty");
            continue;
        }
        check(pages_[lpn].frame == victim.frame, "a victim from another frame");
        add_once(units, unit_of(lpn));
        if (rules_.flush_keep) {
            ++expected_.cleaned_pages;
            pages_[lpn].dirty = false;
            if (order_ != nullptr) {
                order_->clean(lpn);
            }
        } else {
            ++expected_.evicted_pages;
            if (order_ != nullptr) {
                order_->remove(lpn);
            }
            leave(lpn);
        }
    }
    for (std::uint64_t lpn = 0; lpn < pages_.size(); ++lpn) {
        check(!pages_[lpn].dirty || !contains(units, unit_of(lpn)), "part of a unit stays dirty");
    }
    check(units.size() == buffer_.units() && units.size() <= batch_, "another number of units");
    if (!rules_.flush_keep) {
        ++expected_.eviction_events;
        expected_.victims += units.size();
    }
    if (log_ != nullptr) {
        log_->units.clear();
    }
}

void NaiveBuffer::pin(std::uint64_t lpn) {
    if (resident(lpn)) {
        buffer_.pins().pin(unit_of(lpn));
        pinned_.push_back(unit_of(lpn));
    }
}

void NaiveBuffer::unpin(std::size_t index) {
    buffer_.pins().unpin(pinned_[index]);
    pinned_.erase(pinned_.begin() + static_cast<std::ptrdiff_t>(index));
}

void NaiveBuffer::finish() {
    while (fault_.empty() && used_ != 0) {
        evict();
    }
    check(buffer_.used() == 0, "pages stay behind after everything left");
    facts_ += buffer_.check_invariants();
    check(facts_ > 0, "no invariant was checked");
    check_counters();
}

std::vector<Pages> NaiveBuffer::ordered_batch() const {
    std::vector<std::uint64_t> pinned = pinned_;
    std::vector<Pages> leaving;
    order_->batch(batch_);
    while (leaving.size() < batch_) {
        Pages unit = order_->victim([&](std::uint64_t id) { return contains(pinned, id); });
        if (unit.empty() && !pinned.empty()) {
            unit = order_->victim([](std::uint64_t) { return false; });
        }
        if (unit.empty()) {
            break;
        }
        pinned.erase(std::remove(pinned.begin(), pinned.end(), unit_of(unit.front())),
                     pinned.end());
        leaving.push_back(std::move(unit));
    }
    return leaving;
}

void NaiveBuffer::place(std::uint64_t lpn, FrameId frame) {
    if (frame == kNoFrame || raw(frame) >= page_in_.size()) {
        check(false, "a frame that the buffer does not have");
        return;
    }
    check(page_in_[raw(frame)] == kNoLpn, "two pages in one frame");
    page_in_[raw(frame)] = Lpn{lpn};
    pages_[lpn] = {frame, false};
    ++used_;
}

void NaiveBuffer::leave(std::uint64_t lpn) {
    page_in_[raw(pages_[lpn].frame)] = kNoLpn;
    pages_[lpn] = {};
    --used_;
}

void NaiveBuffer::check_batch(const std::vector<Pages>& ordered) {
    ++expected_.eviction_events;
    if (order_ != nullptr) {
        check_order(ordered);
    }
    std::vector<std::uint64_t> units;
    check_written(units);
    check(units.size() == buffer_.units(), "another number of units");
    check_dropped(units);
    check(!units.empty(), "nothing leaves");
    check(units.size() <= batch_, "more units than asked for");
    check_units(units);
    expected_.victims += units.size();
    if (log_ != nullptr) {
        log_->units.clear();
    }
}

/// Exactly the units of the naive policy, their dirty pages to be written (with what pads them),
/// the others dropped.
void NaiveBuffer::check_order(const std::vector<Pages>& ordered) {
    std::vector<Victim> written;
    std::vector<FrameId> dropped;
    for (const Pages& unit : ordered) {
        for (const std::uint64_t lpn : unit) {
            if (!pages_[lpn].dirty) {
                dropped.push_back(pages_[lpn].frame);
            }
        }
        add_written(unit, written);
    }
    check_victims(written);
    check(buffer_.dropped() == dropped, "other clean pages leave");
    check(log_ == nullptr || log_->units == ordered, "other units, or pages in another order");
}

void NaiveBuffer::add_written(const Pages& unit, std::vector<Victim>& written) const {
    const bool any_dirty =
        std::any_of(unit.begin(), unit.end(), [&](auto lpn) { return pages_[lpn].dirty; });
    Pages pages = unit;
    if (rules_.pads_blocks && any_dirty) {
        const std::uint64_t first = unit_of(unit.front()) * rules_.pages_per_block;
        pages.clear();
        for (std::uint64_t i = 0; i < rules_.pages_per_block; ++i) {
            pages.push_back(first + i);
        }
    }
    for (const std::uint64_t lpn : pages) {
        if (lpn < pages_.size() && pages_[lpn].dirty) {
            written.push_back({Lpn{lpn}, pages_[lpn].frame, false});
        } else if (rules_.pads_blocks && any_dirty) {
            written.push_back({Lpn{lpn}, kNoFrame, true});
        }
    }
}

void NaiveBuffer::check_victims(const std::vector<Victim>& written) {
    const std::vector<Victim>& got = buffer_.victims();
    if (!std::equal(got.begin(), got.end(), written.begin(), written.end(), same) &&
        fault_.empty()) {
        fault_ = "pages " + text(got) + " leave, not " + text(written);
    }
}

void NaiveBuffer::check_written(std::vector<std::uint64_t>& units) {
    for (const Victim& victim : buffer_.victims()) {
        const std::uint64_t lpn = raw(victim.lpn);
        if (victim.padding) {
            check(victim.frame == kNoFrame, "padding with a frame");
            ++expected_.padding_pages;
            continue;
        }
        if (lpn >= pages_.size() || !resident(lpn)) {
            check(false, "a victim that was not resident");
            continue;
        }
        check(pages_[lpn].frame == victim.frame, "a victim from another frame");
        check(pages_[lpn].dirty, "a clean page is written");
        ++expected_.evicted_pages;
        add_once(units, unit_of(lpn));
        leave(lpn);
    }
}

void NaiveBuffer::check_dropped(std::vector<std::uint64_t>& units) {
    for (const FrameId frame : buffer_.dropped()) {
        const Lpn lpn = raw(frame) < page_in_.size() ? page_in_[raw(frame)] : kNoLpn;
        if (lpn == kNoLpn) {
            check(false, "a dropped page that was not resident");
            continue;
        }
        check(!pages_[raw(lpn)].dirty, "a dirty page is dropped");
        ++expected_.dropped_pages;
        add_once(units, unit_of(raw(lpn)));
        leave(raw(lpn));
    }
}

void NaiveBuffer::check_units(const std::vector<std::uint64_t>& units) {
    bool only_pinned_stay = true;
    for (const Lpn lpn : page_in_) {
        if (lpn != kNoLpn) {
            const std::uint64_t unit = unit_of(raw(lpn));
            check(!contains(units, unit), "part of a unit stays");
            only_pinned_stay = only_pinned_stay && (pinned_.empty() || contains(pinned_, unit));
        }
    }
    for (const std::uint64_t unit : units) {
        if (contains(pinned_, unit)) {
            ++pinned_victims_;
            check(only_pinned_stay, "a pinned unit leaves while others are there");
            pinned_.erase(std::remove(pinned_.begin(), pinned_.end(), unit), pinned_.end());
        }
    }
}

void NaiveBuffer::check_state(std::uint64_t lpn) {
    check(buffer_.used() == used_, "a page is gone, or there twice");
    check(buffer_.used() <= buffer_.capacity(), "more frames than the buffer has");
    check(buffer_.is_resident(Lpn{lpn}) == resident(lpn), "a page is there, or not, by mistake");
    if (calls_++ % 1000 == 0) {
        facts_ += buffer_.check_invariants();
    }
}

void NaiveBuffer::check_counters() {
    const BufferCounters& got = buffer_.counters();
    check(got.write_hits == expected_.write_hits && got.write_misses == expected_.write_misses,
          "counters of writes");
    check(got.read_hits == expected_.read_hits && got.read_misses == expected_.read_misses,
          "counters of reads");
    check(got.eviction_events == expected_.eviction_events && got.victims == expected_.victims,
          "counters of evictions");
    check(got.evicted_pages == expected_.evicted_pages &&
              got.dropped_pages == expected_.dropped_pages &&
              got.padding_pages == expected_.padding_pages &&
              got.cleaned_pages == expected_.cleaned_pages,
          "counters of pages that left");
}

} // namespace cavern::testing
