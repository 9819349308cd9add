#include "state/state_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <utility>

#include <zstd.h>

#include "core/base/error.h"
#include "core/base/sha256.h"

namespace cavern {
namespace {

constexpr std::array<char, 8> kName{'C', 'A', 'V', 'S', 'T', 'A', 'T', 'E'};
constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kBlock = std::size_t{4} << 20;
/// Numbers of pages that were written at random hardly shrink at any level: this one is the fastest
/// to load (1 GB a second on two cores, level 1 half of it; the file is a sixth larger).
constexpr int kLevel = -5;

struct Sizes {
    std::uint32_t bytes = 0;
    std::uint32_t packed = 0;
};

std::size_t workers() {
    return std::max(2U, std::thread::hardware_concurrency());
}

std::vector<unsigned char> packed(const std::vector<unsigned char>& block) {
    Sizes sizes{static_cast<std::uint32_t>(block.size()), 0};
    std::vector<unsigned char> all(sizeof sizes + ZSTD_compressBound(block.size()));
    const std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context(ZSTD_createCCtx(),
                                                                          ZSTD_freeCCtx);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
    ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
    const std::size_t size = ZSTD_compress2(context.get(), all.data() + sizeof sizes,
                                            all.size() - sizeof sizes, block.data(), block.size());
    if (ZSTD_isError(size) != 0) {
        throw std::bad_alloc{}; // it has nothing else to lack
    }
    sizes.packed = static_cast<std::uint32_t>(size);
    std::memcpy(all.data(), &sizes, sizeof sizes);
    all.resize(sizeof sizes + size);
    return all;
}

[[noreturn]] void throw_damaged() {
    throw StateError("it is damaged; save it anew");
}

void unpack(const std::vector<unsigned char>& packed, std::vector<unsigned char>& block) {
    if (ZSTD_decompress(block.data(), block.size(), packed.data(), packed.size()) != block.size()) {
        throw_damaged();
    }
}

} // namespace

StateWriter::StateWriter(const std::string& path) : file_(path, false) {
    block_.reserve(kBlock);
    file_.add(kName.data(), kName.size());
    file_.add(&kFormat, sizeof kFormat);
}

void StateWriter::move(void* bytes, std::size_t size) {
    const auto* from = static_cast<const unsigned char*>(bytes);
    while (size != 0) {
        const std::size_t part = std::min(size, kBlock - block_.size());
        block_.insert(block_.end(), from, from + part);
        from += part;
        size -= part;
        if (block_.size() == kBlock) {
            pack();
        }
    }
}

void StateWriter::pack() {
    packed_.push_back(
        std::async(std::launch::async, [block = std::move(block_)] { return packed(block); }));
    block_ = {};
    block_.reserve(kBlock);
    write_all_but(workers());
}

void StateWriter::write_all_but(std::size_t most) {
    for (; packed_.size() > most; packed_.pop_front()) {
        const Block block = packed_.front().get();
        file_.add(block.data(), block.size());
    }
}

void StateWriter::commit() {
    if (!block_.empty()) {
        pack();
    }
    write_all_but(0);
    const Sizes end;
    file_.add(&end, sizeof end);
    file_.commit();
}

std::string state_id(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               std::fclose);
    constexpr long kBegin = kName.size() + sizeof kFormat;
    if (file == nullptr || std::fseek(file.get(), kBegin, SEEK_SET) != 0) {
        return {};
    }
    Sha256 hash;
    Sizes sizes;
    std::uint32_t checksum = 0; // the last bytes of a frame
    while (std::fread(&sizes, 1, sizeof sizes, file.get()) == sizeof sizes && sizes.bytes != 0) {
        const long before = static_cast<long>(sizes.packed) - static_cast<long>(sizeof checksum);
        if (before < 0 || std::fseek(file.get(), before, SEEK_CUR) != 0 ||
            std::fread(&checksum, 1, sizeof checksum, file.get()) != sizeof checksum) {
            return {};
        }
        hash.add(&sizes.bytes, sizeof sizes.bytes);
        hash.add(&checksum, sizeof checksum);
    }
    constexpr std::size_t kDigits = 16;
    return hash.digest().substr(0, kDigits);
}

StateReader::StateReader(const std::string& path) : from_(std::fopen(path.c_str(), "rb")) {
    if (from_ == nullptr) {
        throw UserError(path, "cannot be read", "a file that --save-state has written");
    }
    std::array<char, kName.size()> name{};
    std::uint32_t format = 0;
    if (std::fread(name.data(), 1, name.size(), from_) != name.size() || name != kName) {
        std::fclose(from_);
        throw StateError("it is no saved state of a drive; give a file of --save-state");
    }
    if (std::fread(&format, 1, sizeof format, from_) != sizeof format || format != kFormat) {
        std::fclose(from_);
        throw StateError("it was saved by another version of the program; save it anew");
    }
}

StateReader::~StateReader() {
    std::fclose(from_);
}

void StateReader::read(void* bytes, std::size_t size) {
    if (std::fread(bytes, 1, size, from_) != size) {
        throw StateError("it ends too early; save it anew");
    }
}

void StateReader::look_ahead() {
    while (!ended_ && unpacked_.size() < workers()) {
        Sizes sizes;
        read(&sizes, sizeof sizes);
        ended_ = sizes.bytes == 0;
        if (ended_) {
            return;
        }
        if (sizes.bytes > kBlock || sizes.packed > ZSTD_compressBound(kBlock)) {
            throw_damaged();
        }
        Block block;
        if (!spare_.empty()) {
            block = std::move(spare_.back());
            spare_.pop_back();
        }
        block.packed.resize(sizes.packed);
        block.bytes.resize(sizes.bytes);
        read(block.packed.data(), block.packed.size());
        unpacked_.push_back(std::async(std::launch::async, [block = std::move(block)]() mutable {
            unpack(block.packed, block.bytes);
            return std::move(block);
        }));
    }
}

void StateReader::move(void* bytes, std::size_t size) {
    auto* to = static_cast<unsigned char*>(bytes);
    while (size != 0) {
        if (next_ == block_.bytes.size()) {
            spare_.push_back(std::move(block_));
            block_ = {};
            look_ahead();
            if (unpacked_.empty()) {
                throw StateError("it ends too early; save it anew");
            }
            block_ = unpacked_.front().get();
            unpacked_.pop_front();
            next_ = 0;
        }
        const std::size_t part = std::min(size, block_.bytes.size() - next_);
        std::memcpy(to, block_.bytes.data() + next_, part);
        to += part;
        next_ += part;
        size -= part;
    }
}

void StateReader::finish() {
    if (next_ == block_.bytes.size() && unpacked_.empty()) {
        look_ahead();
    }
    if (next_ != block_.bytes.size() || !unpacked_.empty() || std::fgetc(from_) != EOF) {
        throw StateError("there is more in it than a drive; save it anew");
    }
}

} // namespace cavern
