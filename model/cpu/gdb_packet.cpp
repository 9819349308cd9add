#include "cpu/gdb_packet.h"

#include <charconv>

#include <fmt/format.h>

namespace cavern::cpu {

namespace {

constexpr char kEscape = '}';
constexpr char kFlip = 0x20;

std::uint8_t checksum(std::string_view data) {
    std::uint8_t sum = 0;
    for (const char byte : data) {
        sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(byte));
    }
    return sum;
}

std::string unescaped(std::string_view data) {
    std::string result;
    for (std::size_t i = 0; i < data.size(); ++i) {
        if (data[i] == kEscape && i + 1 < data.size()) {
            result += static_cast<char>(data[++i] ^ kFlip);
        } else {
            result += data[i];
        }
    }
    return result;
}

} // namespace

std::string gdb_packet(std::string_view data) {
    std::string escaped;
    for (const char byte : data) {
        if (byte == '$' || byte == '#' || byte == '*' || byte == kEscape) {
            escaped += kEscape;
            escaped += static_cast<char>(byte ^ kFlip);
        } else {
            escaped += byte;
        }
    }
    return fmt::format("${}#{:02x}", escaped, checksum(escaped));
}

std::string hex_of(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        text += fmt::format("{:02x}", static_cast<std::uint8_t>(byte));
    }
    return text;
}

std::optional<std::string> bytes_of_hex(std::string_view text) {
    if (text.size() % 2 != 0) {
        return std::nullopt;
    }
    std::string bytes;
    for (; !text.empty(); text.remove_prefix(2)) {
        std::uint8_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + 2, value, 16);
        if (error != std::errc{} || end != text.data() + 2) {
            return std::nullopt;
        }
        bytes += static_cast<char>(value);
    }
    return bytes;
}

std::string hex_of_word(std::uint32_t value) {
    return fmt::format("{:08x}", __builtin_bswap32(value));
}

std::optional<std::uint32_t> word_of_hex(std::string_view text) {
    const auto value = text.size() == 8 ? take_number(text) : std::nullopt;
    return value && text.empty() ? std::optional(__builtin_bswap32(*value)) : std::nullopt;
}

std::optional<std::uint32_t> take_number(std::string_view& text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

bool take(std::string_view& text, std::string_view word) {
    if (text.substr(0, word.size()) != word) {
        return false;
    }
    text.remove_prefix(word.size());
    return true;
}

std::optional<std::uint32_t> take_number_after(std::string_view& text, std::string_view word) {
    return take(text, word) ? take_number(text) : std::nullopt;
}

std::optional<GdbPacketReader::Item> GdbPacketReader::next(bool running) {
    while (!bytes_.empty()) {
        const char first = bytes_.front();
        if (first == '$') {
            return running ? std::nullopt : packet();
        }
        bytes_.erase(0, 1);
        switch (first) {
        case '+':
            return Item{Kind::kAck, {}};
        case '-':
            return Item{Kind::kNack, {}};
        case 0x03:
            return Item{Kind::kInterrupt, {}};
        default:
            break;
        }
    }
    return std::nullopt;
}

// A '#' always ends the data: inside it is escaped. A '$' begins again: what came before was cut.
std::optional<GdbPacketReader::Item> GdbPacketReader::packet() {
    const std::size_t end = bytes_.find('#');
    if (end == std::string::npos) {
        // The end of a packet that is too long anyway is enough.
        if (bytes_.size() > 2 * kLongest + 1) {
            bytes_.erase(kLongest + 2, bytes_.size() - kLongest - 2);
        }
        return std::nullopt;
    }
    if (bytes_.size() < end + 3) {
        return std::nullopt;
    }
    const std::size_t begin = bytes_.rfind('$', end) + 1;
    const std::string raw = bytes_.substr(begin, end - begin);
    const auto expected = bytes_of_hex(std::string_view(bytes_).substr(end + 1, 2));
    bytes_.erase(0, end + 3);
    if (raw.size() > kLongest) {
        return Item{Kind::kLong, raw.substr(0, kLongest)};
    }
    if (!expected || static_cast<std::uint8_t>(expected->front()) != checksum(raw)) {
        return Item{Kind::kBad, {}};
    }
    return Item{Kind::kPacket, unescaped(raw)};
}

} // namespace cavern::cpu
