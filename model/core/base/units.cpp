#include "core/base/units.h"

#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace cavern {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};

// The order is that of preference when a value is printed: the largest factor that divides it.
constexpr std::array kTimeUnits{Unit{"s", kSecond}, Unit{"ms", kMs}, Unit{"us", kUs},
                                Unit{"ns", kNs}, Unit{"ps", kPs}};
constexpr std::array kByteUnits{Unit{"TiB", kGiB * 1024},
                                Unit{"GiB", kGiB},
                                Unit{"MiB", kMiB},
                                Unit{"KiB", kKiB},
                                Unit{"TB", 1'000'000'000'000},
                                Unit{"GB", 1'000'000'000},
                                Unit{"MB", 1'000'000},
                                Unit{"KB", 1'000},
                                Unit{"kB", 1'000},
                                Unit{"B", 1}};
// fio and GNU's tools have them as powers of 1024; they are read, never printed.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kByteLetters{{{"K", "KiB"},
                                                                                     {"M", "MiB"},
                                                                                     {"G", "GiB"},
                                                                                     {"T", "TiB"},
                                                                                     {"k", "KiB"},
                                                                                     {"m", "MiB"},
                                                                                     {"g", "GiB"},
                                                                                     {"t", "TiB"}}};
constexpr std::array kRateUnits{Unit{"GB/s", 1'000'000'000}, Unit{"MB/s", 1'000'000},
                                Unit{"GiB/s", kGiB},         Unit{"MiB/s", kMiB},
                                Unit{"KB/s", 1'000},         Unit{"kB/s", 1'000},
                                Unit{"KiB/s", kKiB},         Unit{"GT/s", 1'000'000'000},
                                Unit{"MT/s", 1'000'000},     Unit{"B/s", 1}};
constexpr std::array kHertzUnits{Unit{"GHz", 1'000'000'000}, Unit{"MHz", 1'000'000},
                                 Unit{"kHz", 1'000}, Unit{"Hz", 1}};

// In mV, nA, uW and fJ.
constexpr std::array kVoltUnits{Unit{"V", 1'000}, Unit{"mV", 1}};
constexpr std::array kAmpereUnits{Unit{"A", 1'000'000'000}, Unit{"mA", 1'000'000},
                                  Unit{"uA", 1'000}, Unit{"nA", 1}};
constexpr std::array kWattUnits{Unit{"W", 1'000'000}, Unit{"mW", 1'000}, Unit{"uW", 1}};
constexpr std::array kJouleUnits{Unit{"uJ", 1'000'000'000}, Unit{"nJ", 1'000'000},
                                 Unit{"pJ", 1'000}, Unit{"fJ", 1}};

struct UnitTable {
    const Unit* first;
    std::size_t count;
    std::string_view help;
};

UnitTable table_of(Quantity quantity) {
    switch (quantity) {
    case Quantity::kTime:
        return {kTimeUnits.data(), kTimeUnits.size(),
                "a time in ps, ns, us, ms or s, such as \"25us\""};
    case Quantity::kBytes:
        return {kByteUnits.data(), kByteUnits.size(),
                "a size in B, KiB, MiB, GiB, TiB (or KB, MB, GB, TB), such as \"16MiB\""};
    case Quantity::kBytesPerSecond:
        return {
            kRateUnits.data(), kRateUnits.size(),
            "a rate in B/s, KB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s or MT/s, such as \"200MB/s\""};
    case Quantity::kVolts:
        return {kVoltUnits.data(), kVoltUnits.size(), "a voltage in mV or V, such as \"3.3V\""};
    case Quantity::kAmperes:
        return {kAmpereUnits.data(), kAmpereUnits.size(),
                "a current in nA, uA, mA or A, such as \"15mA\""};
    case Quantity::kWatts:
        return {kWattUnits.data(), kWattUnits.size(), "a power in uW, mW or W, such as \"500mW\""};
    case Quantity::kJoules:
        return {kJouleUnits.data(), kJouleUnits.size(),
                "an energy in fJ, pJ, nJ or uJ, such as \"40pJ\""};
    case Quantity::kHertz:
        break;
    }
    return {kHertzUnits.data(), kHertzUnits.size(),
            "a frequency in Hz, kHz, MHz or GHz, such as \"400MHz\""};
}

} // namespace

std::optional<std::uint64_t> parse_quantity(std::string_view text, Quantity quantity) {
    // A decimal number: whole part, optional fraction. Kept as integer and power of ten, so that
    // "63.36us" is exact.
    std::uint64_t mantissa = 0;
    std::uint64_t scale = 1;
    std::size_t i = 0;
    bool digits = false;
    bool fraction = false;
    for (; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '.' && !fraction) {
            fraction = true;
            continue;
        }
        if (c < '0' || c > '9') {
            break;
        }
        digits = true;
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (mantissa > (std::numeric_limits<std::uint64_t>::max() - digit) / 10 ||
            scale > std::numeric_limits<std::uint64_t>::max() / 10) {
            return std::nullopt;
        }
        mantissa = mantissa * 10 + digit;
        if (fraction) {
            scale *= 10;
        }
    }
    if (!digits) {
        return std::nullopt;
    }
    while (i < text.size() && text[i] == ' ') {
        ++i;
    }
    std::string_view unit = text.substr(i);
    // The micro sign, and the Greek letter that looks like it.
    for (const std::string_view micro : {"\u00b5s", "\u03bcs"}) {
        unit = quantity == Quantity::kTime && unit == micro ? "us" : unit;
    }
    for (const auto& [letter, name] : kByteLetters) {
        unit = quantity == Quantity::kBytes && unit == letter ? name : unit;
    }
    const UnitTable table = table_of(quantity);
    for (std::size_t k = 0; k < table.count; ++k) {
        if (table.first[k].name != unit) {
            continue;
        }
        const auto product = static_cast<Uint128>(mantissa) * table.first[k].factor;
        if (product % scale != 0 || product / scale > std::numeric_limits<std::uint64_t>::max()) {
            return std::nullopt;
        }
        return static_cast<std::uint64_t>(product / scale);
    }
    return std::nullopt;
}

std::string_view accepted_units(Quantity quantity) {
    return table_of(quantity).help;
}

std::vector<std::string_view> unit_names(Quantity quantity) {
    const UnitTable table = table_of(quantity);
    std::vector<std::string_view> names;
    for (std::size_t k = 0; k < table.count; ++k) {
        names.push_back(table.first[k].name);
    }
    if (quantity == Quantity::kBytes) {
        for (const auto& [letter, name] : kByteLetters) {
            names.push_back(letter);
        }
    }
    return names;
}

std::string format_quantity(std::uint64_t value, Quantity quantity) {
    const UnitTable table = table_of(quantity);
    const Unit* best = &table.first[table.count - 1];
    if (value != 0) {
        for (std::size_t k = 0; k < table.count; ++k) {
            const Unit& unit = table.first[k];
            if (value % unit.factor == 0 && unit.factor > best->factor) {
                best = &unit;
            }
        }
    }
    return std::to_string(value / best->factor) + std::string(best->name);
}

std::string size_text(double bytes) {
    constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < kUnits.size()) {
        bytes /= 1024;
        ++unit;
    }
    std::string text = fmt::format("{:.2f}", bytes);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
        text.pop_back();
    }
    return text + " " + kUnits[unit];
}

} // namespace cavern
