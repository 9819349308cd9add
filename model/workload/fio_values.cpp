#include "workload/fio_values.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "workload/field.h"
#include "workload/job_text.h"

namespace cavern {

std::optional<std::uint64_t> fio_bytes(std::string_view text, unsigned kb_base) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const Number number = parse_whole(text.substr(0, digits), kMaxWhole);
    if (number.error != NumberError::kNone) {
        return std::nullopt;
    }
    std::string unit;
    for (const char c : text.substr(digits)) {
        unit += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    constexpr std::string_view kPrefixes = "kmgtp";
    std::size_t power = 0;
    std::uint64_t base = kb_base;
    if (!unit.empty() && unit != "b") {
        power = kPrefixes.find(unit.front());
        const std::string rest = unit.substr(1);
        const bool with_i = rest == "i" || rest == "ib";
        if (power == std::string_view::npos || (!rest.empty() && rest != "b" && !with_i)) {
            return std::nullopt;
        }
        base = with_i ? 2024 - kb_base : kb_base;
        ++power;
    }
    std::uint64_t value = number.value;
    for (; power > 0; --power) {
        if (value > kMaxWhole / base) {
            return std::nullopt;
        }
        value *= base;
    }
    return value;
}

std::optional<std::uint32_t> fio_block_bytes(std::string_view text, unsigned kb_base) {
    const auto bytes = fio_bytes(text, kb_base);
    return bytes && *bytes <= std::numeric_limits<std::uint32_t>::max()
               ? std::optional(static_cast<std::uint32_t>(*bytes))
               : std::nullopt;
}

void FioEntry::fail(const std::string& what, const std::string& right) const {
    throw UserError(file, line, std::string(key) + " " + what, right);
}

std::uint64_t FioEntry::whole(std::uint64_t min, std::uint64_t max) const {
    const Number number = parse_whole(value, max);
    if (number.error != NumberError::kNone || number.value < min) {
        fail(quote(value) + " is no whole number from " + std::to_string(min) + " to " +
                 std::to_string(max),
             "it is written with digits alone");
    }
    return number.value;
}

bool FioEntry::flag() const {
    if (!value.empty() && value != "0" && value != "1") {
        fail(quote(value) + " is neither 0 nor 1", "the key alone is 1");
    }
    return value != "0";
}

std::uint64_t FioEntry::bytes() const {
    const auto bytes = fio_bytes(value, kb_base);
    if (!bytes) {
        fail(quote(value) + " is no size", "a size is such as 4k, 512m or 10g");
    }
    return *bytes;
}

std::optional<double> FioEntry::percent() const {
    if (value.empty() || value.back() != '%') {
        return std::nullopt;
    }
    try {
        return parse_percent(value.substr(0, value.size() - 1));
    } catch (const JobTextError& error) {
        fail(error.what(), error.right());
    }
}

TimePs FioEntry::time(TimePs unit) const {
    struct Unit {
        std::string_view name;
        TimePs length;
    };
    constexpr std::array kUnits{
        Unit{"us", kUs},         Unit{"usec", kUs},         Unit{"ms", kMs},
        Unit{"msec", kMs},       Unit{"s", kSecond},        Unit{"sec", kSecond},
        Unit{"m", 60 * kSecond}, Unit{"h", 3600 * kSecond}, Unit{"d", 86400 * kSecond}};
    const std::size_t digits = std::min(value.find_first_not_of("0123456789"), value.size());
    const Number number = parse_whole(value.substr(0, digits), kMaxWhole);
    const std::string_view suffix = value.substr(digits);
    if (!suffix.empty()) {
        const auto* known = std::find_if(kUnits.begin(), kUnits.end(),
                                         [&](const Unit& u) { return u.name == suffix; });
        unit = known == kUnits.end() ? 0 : known->length;
    }
    if (number.error != NumberError::kNone || unit == 0 || number.value > kMaxWhole / unit) {
        fail(quote(value) + " is no time up to 106 days", "a time is such as 100us or 30s");
    }
    return number.value * unit;
}

FioSizes one_size(const FioEntry& entry, std::string_view text) {
    const auto bytes = fio_block_bytes(text, entry.kb_base);
    if (!bytes || *bytes == 0) {
        throw JobTextError(quote(text) + " is no size", "a size is such as 4k");
    }
    return {*bytes, *bytes, {}};
}

FioSizes size_range(const FioEntry& entry, std::string_view text) {
    const std::size_t dash = std::min(text.find_first_of("-:"), text.size());
    const auto low = fio_block_bytes(text.substr(0, dash), entry.kb_base);
    const auto high =
        fio_block_bytes(dash == text.size() ? "" : text.substr(dash + 1), entry.kb_base);
    if (!low || !high || *low == 0 || *high == 0) {
        throw JobTextError(quote(text) + " is no range of sizes", "it is such as 4k-64k");
    }
    return {std::min(*low, *high), std::max(*low, *high), {}};
}

FioSizes size_shares(const FioEntry& entry, std::string_view text) {
    const SizesText shares = parse_bssplit(
        text, [&](std::string_view part) { return fio_block_bytes(part, entry.kb_base); });
    return {shares.read.smallest(), shares.read.largest(), shares.read.shares};
}

/// "10g", "30%", "4z".
FioLength length_of(const FioEntry& entry) {
    FioLength length;
    length.percent = entry.percent();
    if (!length.percent && !entry.value.empty() && entry.value.back() == 'z') {
        const FioEntry zones{entry.file, entry.line, entry.key,
                             entry.value.substr(0, entry.value.size() - 1), entry.kb_base};
        length.zones = zones.whole(0, 1'000'000'000);
    } else if (!length.percent) {
        length.bytes = entry.bytes();
    }
    return length;
}

} // namespace cavern
