#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "serve/nbd/protocol.h"
#include "serve/nbd/session.h"

namespace cavern::testing {

/// What a client says, as bytes on the wire. Written from the public document, apart from the code
/// under test but for the words of the protocol.
class ClientBytes {
  public:
    template <typename Number>
    ClientBytes& put(Number value) {
        std::byte bytes[sizeof(Number)];
        nbd::store(bytes, value);
        return put(std::string(reinterpret_cast<const char*>(bytes), sizeof bytes));
    }
    ClientBytes& put(const std::string& text) {
        bytes_ += text;
        return *this;
    }
    /// Flags of the client, fixed newstyle without padding.
    ClientBytes& hello() { return put(std::uint32_t{3}); }
    ClientBytes& option(nbd::Option option, const std::string& data = {}) {
        put(nbd::kOptionMagic).put(static_cast<std::uint32_t>(option));
        return put(static_cast<std::uint32_t>(data.size())).put(data);
    }
    ClientBytes& go(const std::string& name = {}) {
        ClientBytes data;
        data.text(name).put(std::uint16_t{0});
        return option(nbd::Option::kGo, data.bytes());
    }
    /// SET_META_CONTEXT or LIST_META_CONTEXT.
    ClientBytes& contexts(nbd::Option which, const std::vector<std::string>& queries) {
        ClientBytes data;
        data.text("").put(static_cast<std::uint32_t>(queries.size()));
        for (const std::string& query : queries) {
            data.text(query);
        }
        return option(which, data.bytes());
    }
    ClientBytes& request(nbd::Command command, std::uint64_t cookie, std::uint64_t offset = 0,
                         std::uint32_t length = 0, std::uint16_t flags = 0,
                         const std::string& data = {}) {
        put(nbd::kRequestMagic).put(flags).put(static_cast<std::uint16_t>(command)).put(cookie);
        return put(offset).put(length).put(data);
    }
    ClientBytes& text(const std::string& words) {
        return put(static_cast<std::uint32_t>(words.size())).put(words);
    }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

  private:
    std::string bytes_;
};

/// A reply to a request. Of a structured one the error is that of its error chunk.
struct ClientReply {
    std::uint64_t cookie = 0;
    std::uint32_t error = 0;
    bool structured = false;
    nbd::Chunk type = nbd::Chunk::kNone;
    std::string data; ///< of a structured reply: its payload
};

/// Reads what the server says from the front; `wrong` where that is against the protocol.
class ServerBytes {
  public:
    explicit ServerBytes(std::string bytes) : bytes_(std::move(bytes)) {}

    template <typename Number>
    Number number() {
        if (bytes_.size() - at_ < sizeof(Number)) {
            wrong = true;
            at_ = bytes_.size();
            return 0;
        }
        const auto value =
            nbd::load<Number>(reinterpret_cast<const std::byte*>(bytes_.data()) + at_);
        at_ += sizeof(Number);
        return value;
    }
    std::string text(std::size_t bytes) {
        if (bytes_.size() - at_ < bytes) {
            wrong = true;
            at_ = bytes_.size();
            return {};
        }
        at_ += bytes;
        return bytes_.substr(at_ - bytes, bytes);
    }
    void greeting() {
        wrong = number<std::uint64_t>() != nbd::kMagic || wrong;
        wrong = number<std::uint64_t>() != nbd::kOptionMagic || wrong;
        wrong = number<std::uint16_t>() != 3 || wrong;
    }
    struct OptionAnswer {
        nbd::Option option{};
        nbd::OptionReply type{};
        std::string data;
    };
    OptionAnswer option() {
        wrong = number<std::uint64_t>() != nbd::kOptionReplyMagic || wrong;
        OptionAnswer answer;
        answer.option = static_cast<nbd::Option>(number<std::uint32_t>());
        answer.type = static_cast<nbd::OptionReply>(number<std::uint32_t>());
        answer.data = text(number<std::uint32_t>());
        return answer;
    }
    /// `length_of`: how many bytes a simple reply to a cookie carries.
    template <typename LengthOf>
    ClientReply reply(LengthOf length_of) {
        ClientReply reply;
        const auto magic = number<std::uint32_t>();
        if (magic == nbd::kSimpleReplyMagic) {
            reply.error = number<std::uint32_t>();
            reply.cookie = number<std::uint64_t>();
            reply.data = text(reply.error == nbd::kOk ? length_of(reply.cookie) : 0);
            return reply;
        }
        wrong = magic != nbd::kChunkMagic || wrong;
        reply.structured = true;
        wrong = number<std::uint16_t>() != nbd::kChunkDone || wrong; // one chunk each
        reply.type = static_cast<nbd::Chunk>(number<std::uint16_t>());
        reply.cookie = number<std::uint64_t>();
        reply.data = text(number<std::uint32_t>());
        if (reply.type == nbd::Chunk::kError) {
            ServerBytes error(reply.data);
            reply.error = error.number<std::uint32_t>();
            wrong = error.number<std::uint16_t>() != 0 || !error.at_end() || error.wrong || wrong;
        }
        return reply;
    }
    [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
    [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

    bool wrong = false;

  private:
    std::string bytes_;
    std::size_t at_ = 0;
};

/// Feeds a session; as much at a time as it has space for, at most `chunk`. Returns what it took.
inline std::size_t feed(nbd::Session& session, const std::string& bytes,
                        std::size_t chunk = ~std::size_t{0}) {
    std::size_t fed = 0;
    while (fed < bytes.size() && session.wants_input()) {
        const nbd::Session::Space space = session.space();
        const std::size_t now = std::min({chunk, space.bytes, bytes.size() - fed});
        std::memcpy(space.to, bytes.data() + fed, now);
        fed += now;
        session.received(now);
    }
    return fed;
}

/// Takes all that it has to say; as it comes from gather(), at most `chunk` bytes at a time.
inline std::string drain(nbd::Session& session, std::size_t chunk = ~std::size_t{0}) {
    std::string all;
    while (session.has_output()) {
        std::array<iovec, nbd::Session::kMostPieces> pieces{};
        const std::size_t count = session.gather(pieces);
        std::size_t left = chunk;
        std::size_t sent = 0;
        for (std::size_t i = 0; i < count && left > 0; ++i) {
            const std::size_t bytes = std::min(left, pieces[i].iov_len);
            all.append(static_cast<const char*>(pieces[i].iov_base), bytes);
            sent += bytes;
            left -= bytes;
        }
        session.sent(sent);
    }
    return all;
}

} // namespace cavern::testing
