#include "workload/column_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/units.h"
#include "workload/digits.h"

namespace cavern {
namespace {

constexpr std::size_t kMostColumns = 10'000;

[[noreturn]] void refuse(const std::string& what) {
    throw UserError("<command line>", 1, "--columns: " + what, kColumnsForm);
}

std::uint64_t time_unit(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, std::uint64_t>, 4> units{
        {{"s", 12}, {"ms", 9}, {"us", 6}, {"ns", 3}}};
    for (const auto& [name, digits] : units) {
        if (text == name) {
            return digits;
        }
    }
    refuse("the time has no unit " + quote(text));
}

std::uint64_t byte_unit(std::string_view text) {
    const Number number = parse_whole(text, TraceReader::kMax32);
    if (number.error == NumberError::kNone && number.value != 0) {
        return number.value;
    }
    const auto bytes = parse_quantity(text, Quantity::kBytes);
    if (!bytes || *bytes == 0 || *bytes > TraceReader::kMax32) {
        refuse("offset and size have no unit " + quote(text));
    }
    return *bytes;
}

/// A column by name or number.
TraceColumn parse_column(std::string_view name) {
    TraceColumn column;
    const Number number = parse_whole(name, kMostColumns);
    if (number.error == NumberError::kNone && number.value != 0) {
        column.number = number.value;
    } else {
        column.name = name;
    }
    if (name.empty() || number.error == NumberError::kTooLarge) {
        refuse("no column " + quote(name));
    }
    return column;
}

/// What stands behind the colon of a column.
void set_unit(TraceColumns& columns, std::string_view what, TraceColumn& column,
              std::string_view unit) {
    if (what == "op") {
        const std::size_t slash = std::min(unit.find('/'), unit.size());
        columns.read = unit.substr(0, slash);
        columns.write = unit.substr(std::min(slash + 1, unit.size()));
        if (columns.read.empty() || columns.write.empty() || columns.read == columns.write) {
            refuse("op is called " + quote(unit));
        }
    } else if (what == "host" || what == "device") {
        refuse(std::string(what) + " has no unit");
    } else {
        column.unit = what == "time" ? time_unit(unit) : byte_unit(unit);
    }
}

std::optional<RequestOp> op_of(std::string_view text, const TraceColumns& columns) {
    if (!columns.read.empty() && text == columns.read) {
        return RequestOp::kRead;
    }
    if (!columns.write.empty() && text == columns.write) {
        return RequestOp::kWrite;
    }
    constexpr std::array<std::pair<std::string_view, RequestOp>, 9> words{
        {{"r", RequestOp::kRead},
         {"read", RequestOp::kRead},
         {"w", RequestOp::kWrite},
         {"write", RequestOp::kWrite},
         {"t", RequestOp::kTrim},
         {"trim", RequestOp::kTrim},
         {"discard", RequestOp::kTrim},
         {"f", RequestOp::kFlush},
         {"flush", RequestOp::kFlush}}};
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == b;
    };
    for (const auto& [word, op] : words) {
        if (std::equal(text.begin(), text.end(), word.begin(), word.end(), same)) {
            return op;
        }
    }
    return std::nullopt;
}

/// Without blanks and quotation marks around it.
std::string_view bare(std::string_view text) {
    text = trimmed(text);
    const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    return quoted ? text.substr(1, text.size() - 2) : text;
}

char separator_of(std::string_view line) {
    char found = ' ';
    std::ptrdiff_t most = 0;
    for (const char separator : {',', ';', '\t', '|'}) {
        const auto count = std::count(line.begin(), line.end(), separator);
        if (count > most) {
            most = count;
            found = separator;
        }
    }
    return found;
}

/// The fields of a line. More than `columns.fields` are of the text.
void split(std::string_view line, char separator, const TraceColumns& columns,
           std::vector<std::string_view>& fields) {
    fields.clear();
    if (separator == ' ') {
        line = trimmed(line);
    }
    for (;;) {
        const std::size_t end = separator == ' ' ? line.find_first_of(" \t") : line.find(separator);
        fields.push_back(bare(line.substr(0, end)));
        if (end == std::string_view::npos) {
            break;
        }
        line.remove_prefix(end + 1);
        if (separator == ' ') {
            line = trimmed(line);
        }
    }
    if (columns.text != 0 && columns.fields != 0 && fields.size() > columns.fields) {
        const auto text = fields.begin() + static_cast<std::ptrdiff_t>(columns.text);
        fields.erase(text, text + static_cast<std::ptrdiff_t>(fields.size() - columns.fields));
    }
}

class ColumnReader final : public TraceReader {
  public:
    ColumnReader(LineReader lines, TraceColumns columns)
        : TraceReader(std::move(lines), Clock::kFromFirst), columns_(std::move(columns)) {}

  private:
    bool parse(std::string_view line, Record& record) override {
        if (separator_ == '\0') {
            separator_ = separator_of(line);
            split(line, separator_, columns_, fields_);
            columns_.fields = std::max(columns_.fields, fields_.size());
            for (TraceColumn* column : {&columns_.time, &columns_.op, &columns_.offset,
                                        &columns_.size, &columns_.host, &columns_.device}) {
                find(*column);
                needed_ = std::max(needed_, column->number);
            }
            if (columns_.have_header()) {
                return false;
            }
        }
        if (!columns_.header.empty() && trimmed(line) == columns_.header) {
            return false;
        }
        split(line, separator_, columns_, fields_);
        if (fields_.size() < needed_) {
            fail_fields(fields_.size(), needed_, "every line has the columns of its table");
        }
        const std::optional<RequestOp> op = op_of(field(columns_.op), columns_);
        if (!op) {
            fail("op " + quote(field(columns_.op)) + " is unknown",
                 columns_.read.empty()
                     ? "op is R, W, T or F, or read, write, trim or flush, in either case"
                     : "op is " + columns_.read + " or " + columns_.write);
        }
        record.op = *op;
        if (columns_.time.given()) {
            record.time = since_first(field(columns_.time));
        }
        if (columns_.device.given()) {
            name_device(record);
        }
        if (record.op == RequestOp::kFlush) {
            return true;
        }
        record.bytes = bytes(columns_.size, "size");
        if (record.bytes == 0 && columns_.skips_empty) {
            skip_artefact();
            return false;
        }
        record.offset = bytes(columns_.offset, "offset");
        return true;
    }

    /// By its number, or where it has a name as device 0 of that.
    void name_device(Record& record) const {
        const std::string_view name = field(columns_.device);
        const Number number = parse_whole(name, kMax);
        const bool has_number = number.error == NumberError::kNone;
        record.device = has_number ? number.value : 0;
        record.host = columns_.host.given() ? field(columns_.host)
                      : has_number          ? std::string_view()
                                            : name;
        if (name.empty()) {
            fail("the device is missing", "a number or a name");
        }
    }

    /// Where a column is that the header has.
    void find(TraceColumn& column) const {
        if (column.name.empty()) {
            return;
        }
        const auto found = std::find(fields_.begin(), fields_.end(), column.name);
        if (found == fields_.end()) {
            std::string names;
            for (const std::string_view name : fields_) {
                names += (names.empty() ? "" : ", ") + printable(name);
            }
            fail("the first line has no column " + quote(column.name), "it has " + names);
        }
        column.number = static_cast<std::size_t>(found - fields_.begin()) + 1;
    }

    [[nodiscard]] std::string_view field(const TraceColumn& column) const {
        return fields_[column.number - 1];
    }

    /// In ps. Seconds since 1970 are more than 64 bits of them.
    [[nodiscard]] std::int64_t since_first(std::string_view text) {
        constexpr NumberRule rule{"time", kMax, "a time is a number from 0 on"};
        const auto digits = static_cast<unsigned>(columns_.time.unit);
        const std::size_t point = std::min(text.find('.'), text.size());
        const std::uint64_t units = whole(text.substr(0, point), rule);
        first_units_ = first_units_.value_or(units);
        const auto apart = static_cast<std::int64_t>(units - *first_units_);
        const auto unit = static_cast<std::int64_t>(digits::kPowersOfTen[digits]);
        const std::int64_t most = static_cast<std::int64_t>(kMax / 2) / unit;
        if (apart > most || apart < -most) { // sums and differences of two fit
            fail("time " + quote(text) + " is too far from the first one", "at most 53 days");
        }
        // Digits behind the picosecond do not count.
        const std::string_view fraction = text.substr(point);
        return apart * unit + (fraction.size() > 1 ? time(fraction, digits, false, rule) : 0);
    }

    [[nodiscard]] std::uint64_t bytes(const TraceColumn& column, const char* name) const {
        const NumberRule rule{name, kMax / column.unit, "it is a whole number of its unit"};
        return column.unit * whole(field(column), rule);
    }

    TraceColumns columns_;
    std::vector<std::string_view> fields_; ///< of the line
    std::optional<std::uint64_t> first_units_;
    std::size_t needed_ = 0;
    char separator_ = '\0'; ///< not known yet
};

} // namespace

bool TraceColumns::have_header() const {
    return !(time.name.empty() && op.name.empty() && offset.name.empty() && size.name.empty() &&
             host.name.empty() && device.name.empty());
}

TraceColumns parse_columns(std::string_view text) {
    TraceColumns columns;
    const std::vector<std::pair<std::string_view, TraceColumn*>> names{
        {"op", &columns.op},     {"offset", &columns.offset}, {"size", &columns.size},
        {"time", &columns.time}, {"host", &columns.host},     {"device", &columns.device}};
    for (std::string_view left = text; !left.empty();) {
        const std::size_t end = std::min(left.find(','), left.size());
        const std::string_view one = trimmed(left.substr(0, end));
        left.remove_prefix(std::min(end + 1, left.size()));
        const std::size_t equals = one.find('=');
        const auto found = std::find_if(names.begin(), names.end(), [&](const auto& name) {
            return name.first == one.substr(0, equals);
        });
        if (found == names.end() || equals == std::string_view::npos) {
            refuse(quote(one) + " says nothing");
        }
        const auto [what, column] = *found;
        if (column->given()) {
            refuse(std::string(what) + " is given twice");
        }
        const std::string_view value = one.substr(equals + 1);
        const std::size_t colon = value.find(':');
        *column = parse_column(value.substr(0, colon));
        column->unit = what == "time" ? time_unit("us") : 1;
        if (colon != std::string_view::npos) {
            set_unit(columns, what, *column, value.substr(colon + 1));
        }
    }
    for (std::size_t i = 0; i < 3; ++i) {
        if (!names[i].second->given()) {
            refuse(std::string(names[i].first) + " is missing");
        }
    }
    if (columns.host.given() && !columns.device.given()) {
        refuse("host is given without device");
    }
    return columns;
}

bool is_row_of(const TraceColumns& columns, std::string_view line) {
    if (!columns.header.empty() && trimmed(line) == columns.header) {
        return true;
    }
    std::vector<std::string_view> fields;
    split(line, separator_of(line), columns, fields);
    const auto is_number = [&](const TraceColumn& column, ExcessDigits decimals) {
        const std::string_view text = fields[column.number - 1];
        return (decimals == ExcessDigits::kDrop
                    ? parse_decimal(text, 0, TraceReader::kMax, decimals)
                    : parse_whole(text, TraceReader::kMax))
                   .error == NumberError::kNone;
    };
    const auto op = fields.size() == columns.fields ? op_of(fields[columns.op.number - 1], columns)
                                                    : std::nullopt;
    return (op == RequestOp::kRead || op == RequestOp::kWrite) &&
           is_number(columns.time, ExcessDigits::kDrop) &&
           is_number(columns.offset, ExcessDigits::kReject) &&
           is_number(columns.size, ExcessDigits::kReject);
}

std::unique_ptr<TraceReader> make_column_reader(LineReader lines, TraceColumns columns) {
    return std::make_unique<ColumnReader>(std::move(lines), std::move(columns));
}

} // namespace cavern
