#include "core/drive/trim_map.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "core/base/check.h"

namespace cavern {

/// Records are programmed in order: the newest in flash is behind those under way. A drive that
/// goes back behind a mark finds the one before the mark, of which there is one for each record.
void TrimContents::store(Lpn record, PageVersion version, Ranges trimmed, std::uint64_t under_way) {
    std::map<PageVersion, Ranges>& versions = records_[record];
    versions.insert_or_assign(version, std::move(trimmed));
    while (versions.size() > under_way + 2) {
        versions.erase(versions.begin());
    }
}

void TrimContents::forget_but(Lpn record, PageVersion version) {
    const auto found = records_.find(record);
    if (found == records_.end()) {
        return;
    }
    std::map<PageVersion, Ranges>& versions = found->second;
    for (auto each = versions.begin(); each != versions.end();) {
        each = each->first == version ? std::next(each) : versions.erase(each);
    }
}

const TrimContents::Ranges& TrimContents::read(Lpn record, PageVersion version) const {
    const auto versions = records_.find(record);
    CAVERN_CHECK(versions != records_.end() && versions->second.count(version) != 0,
                 "record page " + std::to_string(raw(record)) + " holds a version never written");
    return versions->second.at(version);
}

TrimMap::TrimMap(std::uint64_t logical_pages, std::uint32_t page_bytes,
                 std::shared_ptr<TrimContents> contents)
    : logical_pages_(logical_pages), pages_in_record_(std::uint64_t{page_bytes} * 8),
      host_pages_(host_pages_of(logical_pages, page_bytes)),
      contents_(contents != nullptr ? std::move(contents) : std::make_shared<TrimContents>()),
      trimmed_(host_pages_) {
    CAVERN_CHECK(host_pages_ != 0, "a drive has pages beside its records");
}

void TrimMap::trim(Lpn first, std::uint64_t count) {
    const auto begin = trimmed_.begin() + static_cast<std::ptrdiff_t>(raw(first));
    std::fill(begin, begin + static_cast<std::ptrdiff_t>(count), true);
}

void TrimMap::keep(Lpn record, PageVersion version, std::uint64_t under_way) {
    const std::uint64_t first = (raw(record) - host_pages_) * pages_in_record_;
    const std::uint64_t end = std::min(first + pages_in_record_, host_pages_);
    TrimContents::Ranges ranges;
    for (std::uint64_t page = first; page < end; ++page) {
        if (!trimmed_[page]) {
            continue;
        }
        if (ranges.empty() || ranges.back().second != page) {
            ranges.emplace_back(page, page);
        }
        ranges.back().second = page + 1;
    }
    contents_->store(record, version, std::move(ranges), under_way);
}

} // namespace cavern
