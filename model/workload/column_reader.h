#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "workload/trace_reader.h"

namespace cavern {

/// A column of a table: by its name in the header, or by its number from 1 on.
struct TraceColumn {
    std::string name;
    std::size_t number = 0; ///< 0: by name
    std::uint64_t unit = 1; ///< of offset and size in bytes; of a time the power of ten of ps
    [[nodiscard]] bool given() const { return number != 0 || !name.empty(); }
};

/// Which column of a table is what.
struct TraceColumns {
    TraceColumn time; ///< not given: all requests arrive at once
    TraceColumn op;
    TraceColumn offset;
    TraceColumn size;
    /// Whether the first line says what the columns are called.
    [[nodiscard]] bool have_header() const;
};

/// From "time=timestamp:ms,op=rw,offset=lba:512,size=sectors:512". Throws UserError.
[[nodiscard]] TraceColumns parse_columns(std::string_view text);

/// The form of --columns, for help and messages.
inline constexpr const char* kColumnsForm =
    "time=COLUMN[:UNIT], op=COLUMN, offset=COLUMN[:UNIT], size=COLUMN[:UNIT]; a COLUMN is a name "
    "of "
    "the first line, or a number from 1; a UNIT s, ms, us or ns, or bytes such as 512 or 4KiB";

/// A table of somebody else's: fields between commas, semicolons, tabs or bars, whichever the first
/// line has most of, else between blanks. The time counts from the first request.
[[nodiscard]] std::unique_ptr<TraceReader> make_column_reader(LineReader lines,
                                                              TraceColumns columns);

} // namespace cavern
