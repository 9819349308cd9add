#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <unistd.h>

#include "core/base/error.h"
#include "workload/request.h"
#include "workload/trace_reader.h"

namespace cavern {

inline bool operator==(const HostRequest& a, const HostRequest& b) {
    return a.arrival == b.arrival && a.offset == b.offset && a.bytes == b.bytes && a.op == b.op &&
           a.fua == b.fua;
}

inline std::ostream& operator<<(std::ostream& out, const HostRequest& request) {
    return out << "{" << request.arrival << " ps, op " << static_cast<int>(request.op) << ", "
               << request.offset << " + " << request.bytes << (request.fua ? ", FUA}" : "}");
}

inline std::vector<HostRequest> drain(RequestSourceIf& source) {
    std::vector<HostRequest> requests;
    for (HostRequest request; source.next(request);) {
        requests.push_back(request);
        source.answered(request.job); // at once
    }
    return requests;
}

/// The lines, or records, that the requests of a trace come from; the requests go to `requests`.
inline std::vector<std::size_t> lines_of(TraceReader& trace, std::vector<HostRequest>& requests) {
    std::vector<std::size_t> lines;
    for (HostRequest request; trace.next(request);) {
        requests.push_back(request);
        lines.push_back(trace.position().line);
    }
    return lines;
}

/// The message of the UserError that `action` throws, or "none".
inline std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const UserError& error) {
        return error.what();
    }
    return "none";
}

/// A file with this content, gone with the object.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& content, const std::string& name = "trace")
        : path_((std::filesystem::temp_directory_path() /
                 ("cavern-" + std::to_string(::getpid()) + "-" + name))
                    .string()) {
        std::ofstream(path_, std::ios::binary) << content;
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() { std::filesystem::remove(path_); }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

inline std::string as_it_is(const std::string& text) {
    return text;
}

inline std::string gzipped(const std::string& text) {
    z_stream state{};
    deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&state, text.size()) + 64, '\0');
    std::string input = text;
    state.next_in = reinterpret_cast<Bytef*>(input.data());
    state.avail_in = static_cast<uInt>(input.size());
    state.next_out = reinterpret_cast<Bytef*>(packed.data());
    state.avail_out = static_cast<uInt>(packed.size());
    deflate(&state, Z_FINISH);
    packed.resize(state.total_out);
    deflateEnd(&state);
    return packed;
}

inline std::string bzipped(const std::string& text) {
    std::string packed(text.size() + text.size() / 100 + 600, '\0'); // as its manual says
    auto size = static_cast<unsigned>(packed.size());
    std::string input = text;
    BZ2_bzBuffToBuffCompress(packed.data(), &size, input.data(),
                             static_cast<unsigned>(input.size()), 1, 0, 0);
    packed.resize(size);
    return packed;
}

inline std::string xzipped(const std::string& text) {
    std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
    std::size_t size = 0;
    lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                            reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                            reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
    packed.resize(size);
    return packed;
}

inline std::string zstandard(const std::string& text) {
    ZSTD_CCtx* state = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(state, ZSTD_c_checksumFlag, 1);
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress2(state, packed.data(), packed.size(), text.data(), text.size()));
    ZSTD_freeCCtx(state);
    return packed;
}

struct Compression {
    const char* name;
    std::string (*pack)(const std::string&);
    std::size_t magic_bytes;
};
inline constexpr std::array kCompressions{
    Compression{"plain", as_it_is, 0}, Compression{"gzip", gzipped, 2},
    Compression{"bzip2", bzipped, 6}, Compression{"xz", xzipped, 6},
    Compression{"zstd", zstandard, 4}};

} // namespace cavern
