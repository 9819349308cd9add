#include <string_view>

#include "workload/column_reader.h"
#include "workload/trace_format.h"

namespace cavern {
namespace {

/// A table in which traces are published.
struct SharedTable {
    const char* columns; ///< as --columns has it
    std::size_t fields;
    const char* header = "";
    std::size_t text = 0; ///< the column that may hold blanks
    bool skips_empty = false;
};

/// Li, Wang et al., "An in-depth analysis of cloud block storage workloads in large-scale
/// production", IISWC 2020 (github.com/alibaba/block-traces): device_id,opcode,offset,length,
/// timestamp; bytes and microseconds since 1970.
constexpr SharedTable kAlibaba{"device=1,op=2,offset=3,size=4,time=5:us", 5};

/// Zhang et al., "OSCA: an online-model based cache allocation scheme in cloud block storage
/// systems", ATC 2020 (SNIA IOTTA): Timestamp,Offset,Size,IOType,VolumeID; seconds since 1970,
/// sectors, 0 for a read and 1 for a write.
constexpr SharedTable kTencent{"time=1:s,offset=2:512,size=3:512,op=4:0/1,device=5", 5};

/// Lee et al., "Understanding storage traffic characteristics on enterprise virtual desktop
/// infrastructure", SYSTOR 2017 (SNIA IOTTA): Timestamp,Response,IOType,LUN,Offset,Size; seconds
/// since 1970 and bytes. Response times are not used.
constexpr SharedTable kSystor17{"time=1:s,op=3,device=4,offset=5,size=6", 6,
                                "Timestamp,Response,IOType,LUN,Offset,Size"};

/// Koller and Rangaswami, "I/O deduplication", FAST 2010, of Florida International University (SNIA
/// IOTTA): time in ns, process id, process, first block of 512 bytes, blocks, W or R, device as
/// major and minor number, hash of the content, between blanks.
constexpr SharedTable kFiu{"time=1:ns,offset=4:512,size=5:512,op=6,host=7,device=8", 9, "", 3};

/// What biosnoop of bcc-tools prints: TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms). Lines of no
/// bytes are flushes and other commands, all of which it calls R or W.
constexpr SharedTable kBiosnoop{"time=TIME(s):s,op=T,offset=SECTOR:512,size=BYTES,device=DISK", 0,
                                "", 2, true};

TraceColumns columns_of(const SharedTable& table) {
    TraceColumns columns = parse_columns(table.columns);
    columns.fields = table.fields;
    columns.header = table.header;
    columns.text = table.text;
    columns.skips_empty = table.skips_empty;
    return columns;
}

template <const SharedTable& Table>
std::unique_ptr<TraceReader> make(LineReader lines) {
    return make_column_reader(std::move(lines), columns_of(Table));
}

template <const SharedTable& Table>
bool is_one(const std::vector<std::string_view>& lines) {
    static const TraceColumns columns = columns_of(Table);
    return std::any_of(lines.begin(), lines.end(),
                       [](std::string_view line) { return is_row_of(columns, line); });
}

bool is_biosnoop(const std::vector<std::string_view>& lines) {
    return !lines.empty() && trimmed(lines.front()).substr(0, 7) == "TIME(s)" &&
           lines.front().find(" SECTOR ") != std::string_view::npos &&
           lines.front().find(" BYTES ") != std::string_view::npos;
}

} // namespace

const TraceReading kAlibabaTraces{is_one<kAlibaba>, make<kAlibaba>};
const TraceReading kTencentTraces{is_one<kTencent>, make<kTencent>};
const TraceReading kSystor17Traces{is_one<kSystor17>, make<kSystor17>};
const TraceReading kFiuTraces{is_one<kFiu>, make<kFiu>};
const TraceReading kBiosnoopTraces{is_biosnoop, make<kBiosnoop>};

} // namespace cavern
