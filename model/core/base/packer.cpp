#include "core/base/packer.h"

#include <vector>
#include <zlib.h>
#include <zstd.h>

#include "core/base/error.h"

namespace cavern {
namespace {

constexpr std::size_t kPackedPiece = 1 << 16;
constexpr int kZstdLevel = 3; // its default

class Gzip final : public Packer {
  public:
    Gzip() : piece_(kPackedPiece) {
        constexpr int kGzipOf32KiB = 15 + 16;
        constexpr int kMemory = 8; // zlib's default
        if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipOf32KiB, kMemory,
                         Z_DEFAULT_STRATEGY) != Z_OK) {
            throw ModelError("zlib cannot be set up");
        }
    }
    Gzip(const Gzip&) = delete;
    Gzip& operator=(const Gzip&) = delete;
    ~Gzip() override { deflateEnd(&stream_); }

    void add(std::string_view bytes, const Write& write) override {
        // zlib does not change its input.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream_.avail_in = static_cast<uInt>(bytes.size());
        while (stream_.avail_in != 0) {
            step(Z_NO_FLUSH, write);
        }
    }
    void finish(const Write& write) override {
        while (step(Z_FINISH, write) != Z_STREAM_END) {
        }
    }

  private:
    int step(int flush, const Write& write) {
        stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
        stream_.avail_out = static_cast<uInt>(piece_.size());
        const int status = deflate(&stream_, flush);
        write(piece_.data(), piece_.size() - stream_.avail_out);
        return status;
    }

    z_stream stream_{};
    std::vector<char> piece_;
};

class Zstandard final : public Packer {
  public:
    Zstandard() : context_(ZSTD_createCCtx(), ZSTD_freeCCtx), piece_(kPackedPiece) {
        if (context_ == nullptr) {
            throw ModelError("zstd cannot be set up");
        }
        ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kZstdLevel);
    }

    void add(std::string_view bytes, const Write& write) override {
        ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
        while (in.pos != in.size) {
            step(in, ZSTD_e_continue, write);
        }
    }
    void finish(const Write& write) override {
        ZSTD_inBuffer in{nullptr, 0, 0};
        while (step(in, ZSTD_e_end, write) != 0) {
        }
    }

  private:
    std::size_t step(ZSTD_inBuffer& in, ZSTD_EndDirective directive, const Write& write) {
        ZSTD_outBuffer out{piece_.data(), piece_.size(), 0};
        const std::size_t left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
        if (ZSTD_isError(left) != 0) {
            throw ModelError(std::string("zstd: ") + ZSTD_getErrorName(left));
        }
        write(piece_.data(), out.pos);
        return left;
    }

    std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
    std::vector<char> piece_;
};

bool ends_with(std::string_view text, std::string_view end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

} // namespace

std::unique_ptr<Packer> packer_for(std::string_view path) {
    if (ends_with(path, ".gz")) {
        return std::make_unique<Gzip>();
    }
    if (ends_with(path, ".zst")) {
        return std::make_unique<Zstandard>();
    }
    return nullptr;
}

} // namespace cavern
