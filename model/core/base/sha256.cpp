#include "core/base/sha256.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <fmt/format.h>

namespace cavern {
namespace {

/// FIPS 180-4, 4.2.2: fractions of the cube roots of the first primes.
constexpr std::array<std::uint32_t, 64> kConstants{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::uint32_t rotated(std::uint32_t word, int by) {
    return word >> by | word << (32 - by);
}

constexpr std::size_t kFilePiece = 1 << 18; // read at once

} // namespace

void Sha256::block(const unsigned char* bytes) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 16; ++i) {
        w[i] = std::uint32_t{bytes[4 * i]} << 24 | std::uint32_t{bytes[4 * i + 1]} << 16 |
               std::uint32_t{bytes[4 * i + 2]} << 8 | bytes[4 * i + 3];
    }
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t s0 = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3;
        const std::uint32_t s1 = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t t1 = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                                 ((e & f) ^ (~e & g)) + kConstants[i] + w[i];
        const std::uint32_t t2 =
            (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> mixed{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < state_.size(); ++i) {
        state_[i] += mixed[i];
    }
}

void Sha256::add(const void* bytes, std::size_t size) {
    const auto* from = static_cast<const unsigned char*>(bytes);
    const std::size_t kept = size_ % kBlock;
    size_ += size;
    if (kept != 0) {
        const std::size_t more = std::min(size, kBlock - kept);
        std::memcpy(rest_.data() + kept, from, more);
        from += more;
        size -= more;
        if (kept + more < kBlock) {
            return;
        }
        block(rest_.data());
    }
    for (; size >= kBlock; from += kBlock, size -= kBlock) {
        block(from);
    }
    if (size != 0) {
        std::memcpy(rest_.data(), from, size);
    }
}

std::string Sha256::digest() {
    const std::uint64_t bits = size_ * 8;
    std::array<unsigned char, kBlock + 8> padding{0x80};
    const std::size_t zeros = (size_ % kBlock < 56 ? 56 : 56 + kBlock) - size_ % kBlock;
    for (std::size_t i = 0; i < 8; ++i) {
        padding[zeros + i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
    }
    add(padding.data(), zeros + 8);
    std::string text;
    for (const std::uint32_t word : state_) {
        text += fmt::format("{:08x}", word);
    }
    return text;
}

std::string sha256(std::string_view text) {
    Sha256 hash;
    hash.add(text);
    return hash.digest();
}

std::string sha256_of_file(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               std::fclose);
    if (file == nullptr) {
        return {};
    }
    Sha256 hash;
    std::vector<char> piece(kFilePiece);
    std::size_t got = 0;
    while ((got = std::fread(piece.data(), 1, piece.size(), file.get())) != 0) {
        hash.add(piece.data(), got);
    }
    return std::ferror(file.get()) == 0 ? hash.digest() : std::string();
}

} // namespace cavern
