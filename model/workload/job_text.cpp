#include "workload/job_text.h"

#include <algorithm>
#include <vector>

#include "workload/field.h"

namespace cavern {
namespace {

constexpr unsigned kDecimals = 6;
constexpr double kUnit = 1e6;
constexpr double kRest = -1; ///< of a zone without a size
constexpr const char* kGoodDistribution =
    "it is random, zipf:THETA, pareto:H, zoned:ACCESS/SIZE:ACCESS/SIZE... or hotspot:ACCESS/SIZE";

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t at = text.find(separator);
        parts.push_back(trimmed(text.substr(0, at)));
        if (at == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(at + 1);
    }
}

double decimal(std::string_view text, std::uint64_t max, const char* right) {
    const Number number = parse_decimal(text, kDecimals, max * 1'000'000, ExcessDigits::kReject);
    if (number.error != NumberError::kNone) {
        throw JobTextError(quote(text) + " " + std::string(describe(number.error)), right);
    }
    return static_cast<double>(number.value) / kUnit;
}

std::uint32_t bytes(std::string_view text, const BytesOf& bytes_of) {
    const std::optional<std::uint32_t> value = bytes_of(text);
    if (!value || *value == 0) {
        throw JobTextError(quote(text) + " is no size",
                           "a size is such as 4KiB (in fio, 4k), and below 4GiB");
    }
    return *value;
}

/// The texts of the two directions; the second is the first where there is one only.
std::vector<std::string_view> directions(std::string_view text) {
    std::vector<std::string_view> parts = split(text, ',');
    if (parts.size() > 3) {
        throw JobTextError("has more than three parts", "reads, writes and trims have one each");
    }
    if (parts.size() == 1) {
        parts.push_back(parts.front());
    }
    return parts;
}

SizeDistribution shares(std::string_view text, const BytesOf& bytes_of) {
    SizeDistribution sizes;
    double given = 0;
    std::size_t open = 0;
    for (const std::string_view entry : split(text, ':')) {
        const std::size_t slash = entry.find('/');
        const std::string_view percent =
            slash == std::string_view::npos ? std::string_view() : entry.substr(slash + 1);
        const double share = percent.empty() ? -1 : parse_percent(percent);
        sizes.shares.push_back({bytes(entry.substr(0, slash), bytes_of), share});
        given += percent.empty() ? 0 : share;
        open += percent.empty() ? 1 : 0;
    }
    for (SizeDistribution::Share& share : sizes.shares) {
        if (share.percent < 0) {
            share.percent = given < 100 ? (100 - given) / static_cast<double>(open) : 0;
        }
    }
    if (given > 100.0001 || (open == 0 && given < 99.9999)) {
        throw JobTextError("adds up to " + std::to_string(given) + " percent",
                           "the shares add up to 100");
    }
    return sizes;
}

PlaceDistribution::Zone zone(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) {
        throw JobTextError(quote(text) + " is no zone", kGoodDistribution);
    }
    const std::string_view size = text.substr(slash + 1);
    return {parse_percent(text.substr(0, slash)), size.empty() ? kRest : parse_percent(size)};
}

PlaceDistribution zoned(std::string_view text) {
    PlaceDistribution distribution;
    distribution.kind = Popularity::kZoned;
    double access = 0;
    double size = 0;
    for (const std::string_view part : split(text, ':')) {
        distribution.zones.push_back(zone(part));
        access += distribution.zones.back().access_percent;
        PlaceDistribution::Zone& last = distribution.zones.back();
        last.size_percent =
            last.size_percent == kRest ? std::max(100 - size, 0.0) : last.size_percent;
        size += last.size_percent;
    }
    if (access < 99.99 || access > 100.01 || size < 99.99 || size > 100.01) {
        throw JobTextError("has zones that are not 100 percent",
                           "both columns of ACCESS/SIZE add up to 100");
    }
    return distribution;
}

} // namespace

double parse_percent(std::string_view text) {
    return decimal(text, 100, "a percentage is from 0 to 100");
}

SizesText parse_block_sizes(std::string_view text, const BytesOf& bytes_of) {
    const std::vector<std::string_view> parts = directions(text);
    return {SizeDistribution::constant(bytes(parts[0], bytes_of)),
            SizeDistribution::constant(bytes(parts[1], bytes_of))};
}

SizesText parse_bssplit(std::string_view text, const BytesOf& bytes_of) {
    const std::vector<std::string_view> parts = directions(text);
    return {shares(parts[0], bytes_of), shares(parts[1], bytes_of)};
}

MeansText parse_means(std::string_view text, const BytesOf& bytes_of) {
    const std::vector<std::string_view> parts = directions(text);
    return {bytes(parts[0], bytes_of), bytes(parts[1], bytes_of)};
}

PlaceDistribution parse_distribution(std::string_view text) {
    PlaceDistribution distribution;
    const std::size_t colon = text.find(':');
    const std::string_view kind = trimmed(text.substr(0, colon));
    const std::string_view rest =
        colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
    if (kind == "random" && rest.empty()) {
        return distribution;
    }
    if (kind == "zipf") {
        distribution.kind = Popularity::kZipf;
        distribution.parameter = decimal(rest, 20, "zipf:THETA has a THETA such as 1.2");
        if (distribution.parameter <= 0) {
            throw JobTextError("has a zipf theta of 0", "theta is above 0, such as 1.2");
        }
        return distribution;
    }
    if (kind == "pareto") {
        distribution.kind = Popularity::kPareto;
        distribution.parameter = decimal(rest, 1, "pareto:H has an H such as 0.2");
        if (distribution.parameter <= 0 || distribution.parameter >= 1) {
            throw JobTextError("has a pareto h of 0 or 1", "h lies between, such as 0.2");
        }
        return distribution;
    }
    if (kind == "zoned") {
        return zoned(rest);
    }
    if (kind == "hotspot") {
        PlaceDistribution::Zone hot = zone(rest);
        hot.size_percent = std::max(hot.size_percent, 0.0);
        distribution.kind = Popularity::kZoned;
        distribution.zones = {hot, {100 - hot.access_percent, 100 - hot.size_percent}};
        return distribution;
    }
    throw JobTextError(quote(text) + " is unknown", kGoodDistribution);
}

} // namespace cavern
