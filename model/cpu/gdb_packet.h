#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cavern::cpu {

/// "$data#checksum", with what would end a packet escaped (GDB manual, appendix E.1).
[[nodiscard]] std::string gdb_packet(std::string_view data);

/// Two digits for each byte.
[[nodiscard]] std::string hex_of(std::string_view bytes);
/// Nothing unless `text` is pairs of hexadecimal digits.
[[nodiscard]] std::optional<std::string> bytes_of_hex(std::string_view text);
/// A register's value: its bytes in the order of memory, as hexadecimal digits.
[[nodiscard]] std::string hex_of_word(std::uint32_t value);
[[nodiscard]] std::optional<std::uint32_t> word_of_hex(std::string_view text);

/// A hexadecimal number of at most 32 bits from the front of `text`, which becomes what follows it.
/// Nothing, and `text` as it was, when there is none.
[[nodiscard]] std::optional<std::uint32_t> take_number(std::string_view& text);
/// True, and `text` is what follows, if it begins with `word`.
[[nodiscard]] bool take(std::string_view& text, std::string_view word);
/// Both in turn.
[[nodiscard]] std::optional<std::uint32_t> take_number_after(std::string_view& text,
                                                             std::string_view word);

/// Finds packets in the bytes that come from a debugger.
class GdbPacketReader {
  public:
    /// Longest data of a packet, as announced in qSupported.
    static constexpr std::size_t kLongest = 0x4000;

    enum class Kind {
        kPacket,    ///< `data`, unescaped
        kBad,       ///< its checksum is wrong
        kLong,      ///< longer than kLongest; `data` has its beginning
        kAck,       ///< '+'
        kNack,      ///< '-'
        kInterrupt, ///< 0x03 between packets
    };
    struct Item {
        Kind kind = Kind::kPacket;
        std::string data;
    };

    void add(std::string_view bytes) { bytes_ += bytes; }
    [[nodiscard]] std::size_t waiting() const { return bytes_.size(); }
    /// The next item; nothing until more bytes come. Bytes between packets that are none of the
    /// above are passed over. With `running`, packets stay where they are.
    [[nodiscard]] std::optional<Item> next(bool running);

  private:
    std::optional<Item> packet();

    std::string bytes_;
};

} // namespace cavern::cpu
