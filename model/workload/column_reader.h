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
    TraceColumn host; ///< of the device, if names have two parts
    TraceColumn device;
    std::string read = {}; ///< what `op` says beside the usual words
    std::string write = {};
    std::size_t text = 0;     ///< the column that may hold blanks that separate nothing; 0: none
    std::size_t fields = 0;   ///< of a line with such a text; 0: as many as the first line has
    std::string header = {};  ///< a line that is none of the table; empty: all are
    bool skips_empty = false; ///< requests of no bytes: they are something else
    /// Whether the first line says what the columns are called.
    [[nodiscard]] bool have_header() const;
};

/// From "time=timestamp:ms,op=rw:RD/WR,offset=lba:512,size=sectors:512,device=disk". Throws
/// UserError.
[[nodiscard]] TraceColumns parse_columns(std::string_view text);

/// The form of --columns, for help and messages.
inline constexpr const char* kColumnsForm =
    "time=COLUMN[:UNIT], op=COLUMN[:READ/WRITE], offset=COLUMN[:UNIT], size=COLUMN[:UNIT], "
    "host=COLUMN, device=COLUMN; a COLUMN is a name of the first line, or a number from 1; a UNIT "
    "s, ms, us or ns, or bytes such as 512 or 4KiB; READ and WRITE are what the table calls them";

/// Whether a line is the header or a request of a table of `columns.fields` numbered columns.
[[nodiscard]] bool is_row_of(const TraceColumns& columns, std::string_view line);

/// A table of somebody else's: fields between commas, semicolons, tabs or bars, whichever the first
/// line has most of, else between blanks. The time counts from the first request.
[[nodiscard]] std::unique_ptr<TraceReader> make_column_reader(LineReader lines,
                                                              TraceColumns columns);

} // namespace cavern
