#include "core/ftl/log_table.h"

#include <algorithm>
#include <string>

#include "core/base/check.h"

namespace cavern {

LogTable::LogTable(std::uint32_t groups, std::uint32_t logs_per_group, std::uint32_t columns,
                   std::uint32_t pages_per_block)
    : logs_per_group_(logs_per_group), columns_(columns), unit_pages_(columns * pages_per_block),
      groups_(groups), logs_(std::size_t{groups} * logs_per_group),
      blocks_(logs_.size() * columns, 0), map_(logs_.size() * unit_pages_) {
    CAVERN_CHECK(logs_per_group >= 1, "a group of logs has room for one");
    for (std::uint32_t g = 0; g < groups; ++g) {
        for (std::uint32_t i = logs_per_group; i-- > 0;) {
            const std::uint32_t log = g * logs_per_group + i;
            logs_[log].group = g;
            logs_[log].newer = groups_[g].closed;
            groups_[g].closed = log;
        }
    }
}

std::uint32_t LogTable::open(std::uint32_t group, std::uint32_t unit) {
    CAVERN_CHECK(!is_full(group), "a log is opened in a full group");
    const std::uint32_t log = groups_[group].closed;
    groups_[group].closed = logs_[log].newer;
    ++groups_[group].used;
    logs_[log] = Log{};
    logs_[log].unit = unit;
    logs_[log].group = group;
    std::uint16_t* map = &map_[std::size_t{log} * unit_pages_];
    std::fill(map, map + unit_pages_, std::uint16_t{0});
    link_newest(log);
    return log;
}

void LogTable::close(std::uint32_t log) {
    unlink(log);
    Group& group = groups_[logs_[log].group];
    --group.used;
    logs_[log].newer = group.closed;
    group.closed = log;
}

void LogTable::append(std::uint32_t log, std::uint32_t offset, std::uint32_t page) {
    Log& l = logs_[log];
    std::uint16_t& entry = map_[std::size_t{log} * unit_pages_ + offset];
    l.in_order = l.in_order && page == offset / columns_;
    l.valid += entry == 0 ? 1 : 0;
    ++l.appended;
    entry = static_cast<std::uint16_t>(page + 1);
    if (groups_[l.group].newest != log) {
        unlink(log);
        link_newest(log);
    }
}

void LogTable::drop(std::uint32_t log, std::uint32_t offset) {
    std::uint16_t& entry = map_[std::size_t{log} * unit_pages_ + offset];
    logs_[log].valid -= entry != 0 ? 1 : 0;
    entry = 0;
}

void LogTable::unlink(std::uint32_t log) {
    const Log& l = logs_[log];
    Group& group = groups_[l.group];
    (l.older == kNone ? group.oldest : logs_[l.older].newer) = l.newer;
    (l.newer == kNone ? group.newest : logs_[l.newer].older) = l.older;
}

void LogTable::link_newest(std::uint32_t log) {
    Log& l = logs_[log];
    Group& group = groups_[l.group];
    l.older = group.newest;
    l.newer = kNone;
    (group.newest == kNone ? group.oldest : logs_[group.newest].newer) = log;
    group.newest = log;
}

std::uint64_t LogTable::check_invariants(std::uint32_t group,
                                         std::vector<std::uint32_t>& logs) const {
    const std::string where = "group " + std::to_string(group) + " of logs: ";
    logs.clear();
    for (std::uint32_t log = groups_[group].oldest; log != kNone; log = logs_[log].newer) {
        CAVERN_CHECK(logs.size() < groups_[group].used && logs_[log].group == group,
                     where + "the order of use is longer than its count");
        logs.push_back(log);
    }
    CAVERN_CHECK(logs.size() == groups_[group].used,
                 where + "the order of use is shorter than its count");
    std::uint64_t facts = 1;
    for (const std::uint32_t log : logs) {
        std::uint32_t valid = 0;
        for (std::uint32_t offset = 0; offset < unit_pages_; ++offset) {
            valid += page(log, offset) != kNone ? 1 : 0;
        }
        CAVERN_CHECK(valid == logs_[log].valid && valid <= logs_[log].appended,
                     where + "log " + std::to_string(log) + " counts " +
                         std::to_string(logs_[log].valid) + " valid pages and has " +
                         std::to_string(valid));
        facts += 2;
    }
    return facts;
}

} // namespace cavern
