#pragma once

#include <memory>
#include <string_view>

#include "workload/trace_reader.h"

namespace cavern {

/// SCSI commands of a virtual disk as VMware's vscsiStats records them, in the two binary forms of
/// the CloudPhysics traces. The records stand one behind the other with no head, little-endian. The
/// layout is that of libCacheSim, which reads the same files (github.com/1a1a11a/libCacheSim,
/// libCacheSim/traceReader/include/vscsi.h, trace_v1_record_t and trace_v2_record_t):
///
///     version 1, 32 bytes: sn:4 len:4 nSG:4 cmd:2 ver:2 lbn:8 ts:8
///     version 2, 40 bytes: cmd:2 ver:2 sn:4 len:4 nSG:4 lbn:8 ts:8 rt:8
///
/// `cmd` is the operation code of SBC-4, the upper byte of `ver` the version, `lbn` a sector of 512
/// bytes, `len` in bytes, `ts` in microseconds; serial number, scatter-gather elements and response
/// time are not used. Reads, writes and SYNCHRONIZE CACHE are requests. UNMAP, WRITE SAME and
/// the like change blocks that the record does not tell: skipped and counted. Commands that move no
/// block, and those with length 0, are passed over. Time counts from the first record.
[[nodiscard]] bool is_vscsi_trace(std::string_view start);
[[nodiscard]] std::unique_ptr<TraceReader> make_vscsi_reader(LineReader lines);

} // namespace cavern
