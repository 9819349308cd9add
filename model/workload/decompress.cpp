#include "workload/decompress.h"

#include <limits>
#include <utility>
#include <vector>

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "core/base/check.h"

namespace cavern {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kInputBytes = 64 * 1024;
// xz -9 needs 65 MiB to decode; a file may ask for more only within reason.
constexpr std::uint64_t kXzMemory = 256ull * 1024 * 1024;

/// Shared part of the decoders: the packed input, and holding back a defect until every byte before
/// it has been delivered.
class Decoder : public ByteStream {
  public:
    Decoder(std::unique_ptr<ByteStream> packed, const char* name)
        : name_(name), packed_(std::move(packed)), input_(kInputBytes) {}

    std::size_t read(char* buffer, std::size_t size) final {
        if (defect_.empty()) {
            const std::size_t count = decode(buffer, size);
            if (count > 0 || defect_.empty()) {
                return count;
            }
        }
        throw StreamError(std::string("the ") + name_ + " data " + defect_,
                          "give the whole file as it was compressed");
    }

  protected:
    /// Fills as much of `buffer` as it can; on a defect names it with fail() and returns.
    virtual std::size_t decode(char* buffer, std::size_t size) = 0;

    /// Reads packed bytes into the input buffer; the count is 0 at their end.
    std::size_t refill() {
        const std::size_t count = packed_->read(input_.data(), input_.size());
        ended_ = count == 0;
        return count;
    }
    char* input() { return input_.data(); }
    [[nodiscard]] bool ended() const { return ended_; }
    void fail(const char* defect) { defect_ = defect; }

  private:
    const char* name_;
    std::unique_ptr<ByteStream> packed_;
    std::vector<char> input_;
    bool ended_ = false;
    std::string defect_;
};

constexpr const char* kCut = "ends before its end mark (a truncated file)";
constexpr const char* kDamaged = "is damaged";

/// What a step of a codec has come to.
enum class Step : std::uint8_t { kMore, kMemberEnd, kWrong };

struct GzipMembers {
    using State = z_stream;
    static constexpr const char* kName = "gzip";

    static void begin(State& state) {
        constexpr int kWindowBits = 15;
        constexpr int kGzipHeader = 16;
        CAVERN_CHECK(inflateInit2(&state, kWindowBits + kGzipHeader) == Z_OK, "zlib starts");
    }
    static void begin_again(State& state) { inflateReset(&state); }
    static void end(State& state) { inflateEnd(&state); }
    static Step step(State& state) {
        const int result = inflate(&state, Z_NO_FLUSH);
        return result == Z_STREAM_END                    ? Step::kMemberEnd
               : result == Z_OK || result == Z_BUF_ERROR ? Step::kMore
                                                         : Step::kWrong;
    }
};

struct Bzip2Members {
    using State = bz_stream;
    static constexpr const char* kName = "bzip2";

    static void begin(State& state) {
        CAVERN_CHECK(BZ2_bzDecompressInit(&state, 0, 0) == BZ_OK, "libbz2 starts");
    }
    static void begin_again(State& state) {
        end(state);
        begin(state);
    }
    static void end(State& state) { BZ2_bzDecompressEnd(&state); }
    static Step step(State& state) {
        const int result = BZ2_bzDecompress(&state);
        return result == BZ_STREAM_END ? Step::kMemberEnd
               : result == BZ_OK       ? Step::kMore
                                       : Step::kWrong;
    }
};

/// Of a codec with the interface of zlib, member after member.
template <typename Codec>
class MemberDecoder final : public Decoder {
  public:
    explicit MemberDecoder(std::unique_ptr<ByteStream> packed)
        : Decoder(std::move(packed), Codec::kName) {
        Codec::begin(state_);
    }
    MemberDecoder(const MemberDecoder&) = delete;
    MemberDecoder& operator=(const MemberDecoder&) = delete;
    ~MemberDecoder() override { Codec::end(state_); }

  private:
    std::size_t decode(char* buffer, std::size_t size) override {
        constexpr std::size_t kMost = std::numeric_limits<unsigned>::max();
        const auto room = static_cast<unsigned>(size < kMost ? size : kMost);
        state_.next_out = reinterpret_cast<decltype(state_.next_out)>(buffer);
        state_.avail_out = room;
        while (state_.avail_out > 0) {
            if (state_.avail_in == 0 && !ended()) {
                state_.avail_in = static_cast<unsigned>(refill());
                state_.next_in = reinterpret_cast<decltype(state_.next_in)>(input());
            }
            if (member_done_) {
                if (state_.avail_in == 0) {
                    break;
                }
                Codec::begin_again(state_);
            }
            const unsigned left = state_.avail_out;
            const Step step = Codec::step(state_);
            member_done_ = step == Step::kMemberEnd;
            if (step == Step::kWrong) {
                fail(kDamaged);
                break;
            }
            if (!member_done_ && ended() && state_.avail_in == 0 && state_.avail_out == left) {
                fail(kCut);
                break;
            }
        }
        return room - state_.avail_out;
    }

    typename Codec::State state_{};
    bool member_done_ = false;
};

class XzDecoder final : public Decoder {
  public:
    explicit XzDecoder(std::unique_ptr<ByteStream> packed) : Decoder(std::move(packed), "xz") {
        CAVERN_CHECK(lzma_stream_decoder(&state_, kXzMemory, LZMA_CONCATENATED) == LZMA_OK,
                     "liblzma starts");
    }
    XzDecoder(const XzDecoder&) = delete;
    XzDecoder& operator=(const XzDecoder&) = delete;
    ~XzDecoder() override { lzma_end(&state_); }

  private:
    std::size_t decode(char* buffer, std::size_t size) override {
        state_.next_out = reinterpret_cast<std::uint8_t*>(buffer);
        state_.avail_out = size;
        while (state_.avail_out > 0 && !done_) {
            if (state_.avail_in == 0 && !ended()) {
                state_.avail_in = refill();
                state_.next_in = reinterpret_cast<const std::uint8_t*>(input());
            }
            const lzma_ret result = lzma_code(&state_, ended() ? LZMA_FINISH : LZMA_RUN);
            if (result == LZMA_STREAM_END) {
                done_ = true;
            } else if (result != LZMA_OK) {
                fail(result == LZMA_BUF_ERROR        ? kCut
                     : result == LZMA_MEMLIMIT_ERROR ? "needs more than 256 MiB to unpack"
                                                     : kDamaged);
                break;
            }
        }
        return size - state_.avail_out;
    }

    lzma_stream state_ = LZMA_STREAM_INIT;
    bool done_ = false;
};

class ZstdDecoder final : public Decoder {
  public:
    explicit ZstdDecoder(std::unique_ptr<ByteStream> packed)
        : Decoder(std::move(packed), "zstd"), state_(ZSTD_createDStream()) {
        CAVERN_CHECK(state_ != nullptr, "libzstd starts");
    }

  private:
    struct Free {
        void operator()(ZSTD_DStream* state) const { ZSTD_freeDStream(state); }
    };

    std::size_t decode(char* buffer, std::size_t size) override {
        ZSTD_outBuffer out{buffer, size, 0};
        while (out.pos < out.size) {
            if (in_.pos == in_.size && !ended()) {
                in_ = {input(), refill(), 0};
            }
            if (in_.pos == in_.size && frame_done_) {
                break;
            }
            const std::size_t out_before = out.pos;
            const std::size_t in_before = in_.pos;
            const std::size_t result = ZSTD_decompressStream(state_.get(), &out, &in_);
            if (ZSTD_isError(result) != 0) {
                fail(kDamaged);
                break;
            }
            frame_done_ = result == 0;
            if (!frame_done_ && out.pos == out_before && in_.pos == in_before && ended()) {
                fail(kCut);
                break;
            }
        }
        return out.pos;
    }

    std::unique_ptr<ZSTD_DStream, Free> state_;
    ZSTD_inBuffer in_{nullptr, 0, 0};
    bool frame_done_ = false;
};

} // namespace

std::unique_ptr<ByteStream> decompress(std::unique_ptr<ByteStream> packed, std::string_view magic) {
    const auto starts_with = [magic](std::string_view mark) {
        return magic.substr(0, mark.size()) == mark;
    };
    if (starts_with("\x1F\x8B"sv)) {
        return std::make_unique<MemberDecoder<GzipMembers>>(std::move(packed));
    }
    if (starts_with("\xFD"
                    "7zXZ\0"sv)) {
        return std::make_unique<XzDecoder>(std::move(packed));
    }
    if (starts_with("\x28\xB5\x2F\xFD"sv)) {
        return std::make_unique<ZstdDecoder>(std::move(packed));
    }
    // With the mark of its first block, or of its end.
    if (starts_with("BZh"sv) && magic.size() > 5 &&
        (magic.substr(4) == "1A"sv || magic.substr(4) == "\x17\x72"sv)) {
        return std::make_unique<MemberDecoder<Bzip2Members>>(std::move(packed));
    }
    return packed;
}

} // namespace cavern
