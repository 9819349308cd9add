#pragma once

#include <cstdint>

namespace cavern {

/// A kind of pages that fills a block of its own in every plane: a number below Streams::count().
using Stream = std::uint32_t;

/// The streams of a layer. Blocks hold pages of the layer's own map or pages of data, not both.
struct Streams {
    static constexpr Stream kHost = 0; ///< unused where pages of the host are told apart

    bool shared = false;      ///< copies go behind pages of the host, in one block
    std::uint32_t hosts = 0;  ///< kinds of host pages, where they are told apart
    std::uint32_t copies = 0; ///< kinds of copies that have a block beside copy()
    bool levels = false;      ///< pages moved to level wear have one
    bool tables = false;      ///< so has the layer's own map

    [[nodiscard]] Stream copy() const { return shared ? kHost : 1; }
    [[nodiscard]] Stream host(std::uint32_t kind) const { return 2 + kind; }
    [[nodiscard]] Stream copy(std::uint32_t kind) const { return 2 + hosts + kind; }
    [[nodiscard]] Stream leveled() const { return 2 + hosts + copies; }
    [[nodiscard]] Stream table() const { return leveled() + (levels ? 1 : 0); }
    [[nodiscard]] std::uint32_t count() const { return table() + (tables ? 1 : 0); }
    /// Copies of data wait for no further page of the host, nor does what is beyond them.
    [[nodiscard]] bool is_of_host(Stream stream) const {
        return stream == kHost || (stream >= 2 && stream < 2 + hosts);
    }
};

/// A block being filled, or none: then nothing is left. All but the block are physical pages,
/// next <= stop <= fail <= end.
struct Frontier {
    std::uint32_t block = 0;
    std::uint64_t next = 0;
    std::uint64_t stop = 0; ///< the page to think at before it is taken
    std::uint64_t fail = 0; ///< the page whose program will fail, or `end`
    std::uint64_t end = 0;

    [[nodiscard]] bool is_open() const { return next < end; }
    [[nodiscard]] std::uint32_t left() const { return static_cast<std::uint32_t>(end - next); }
};

} // namespace cavern
