#include "serve/nbd/handshake.h"

#include <algorithm>
#include <array>

namespace cavern::nbd {
namespace {

template <typename Number>
void put(std::string& out, Number value) {
    std::array<std::byte, sizeof(Number)> bytes{};
    store(bytes.data(), value);
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void reply(std::string& out, Option option, OptionReply type, std::string_view data = {}) {
    put(out, kOptionReplyMagic);
    put(out, static_cast<std::uint32_t>(option));
    put(out, static_cast<std::uint32_t>(type));
    put(out, static_cast<std::uint32_t>(data.size()));
    out += data;
}

/// The data of an option, read from the front; what is not there makes it wrong.
class Reader {
  public:
    explicit Reader(std::string_view data) : data_(data) {}

    template <typename Number>
    Number number() {
        if (data_.size() < sizeof(Number)) {
            wrong_ = true;
            data_ = {};
            return 0;
        }
        const auto value = load<Number>(reinterpret_cast<const std::byte*>(data_.data()));
        data_.remove_prefix(sizeof(Number));
        return value;
    }
    /// With its length before it, of 32 bits.
    std::string_view text() {
        const auto length = number<std::uint32_t>();
        if (length > data_.size() || length > kMostName) {
            wrong_ = true;
            data_ = {};
            return {};
        }
        const std::string_view text = data_.substr(0, length);
        data_.remove_prefix(length);
        return text;
    }
    /// Everything was there, and nothing else.
    [[nodiscard]] bool right() const { return !wrong_ && data_.empty(); }
    [[nodiscard]] bool wrong() const { return wrong_; }

  private:
    std::string_view data_;
    bool wrong_ = false;
};

bool is_known(std::string_view name) {
    return name.empty() || name == Handshake::kExport;
}

} // namespace

void Handshake::greet(std::string& out) const {
    put(out, kMagic);
    put(out, kOptionMagic);
    put(out, static_cast<std::uint16_t>(kFixedNewstyle | kNoZeroes));
}

std::size_t Handshake::consume(const std::byte* in, std::size_t size, std::string& out) {
    if (skip_ != 0) {
        const std::size_t skipped = std::min<std::size_t>(skip_, size);
        skip_ -= static_cast<std::uint32_t>(skipped);
        return skipped;
    }
    if (state_ == State::kFlags) {
        if (size < sizeof(std::uint32_t)) {
            return 0;
        }
        const auto flags = load<std::uint32_t>(in);
        const std::uint32_t known = kFixedNewstyle | kNoZeroes;
        const bool right = (flags & kFixedNewstyle) != 0 && (flags & ~known) == 0;
        state_ = right ? State::kOptions : State::kEnded;
        no_zeroes_ = (flags & kNoZeroes) != 0;
        return sizeof flags;
    }
    if (size < kOptionBytes) {
        return 0;
    }
    const auto option = static_cast<Option>(load<std::uint32_t>(in + 8));
    const auto length = load<std::uint32_t>(in + 12);
    if (load<std::uint64_t>(in) != kOptionMagic || length > kMostSkipped) {
        state_ = State::kEnded;
        return kOptionBytes;
    }
    if (length > kMostOption) {
        reply(out, option, OptionReply::kErrorTooBig);
        skip_ = length;
        return kOptionBytes;
    }
    if (size < kOptionBytes + length) {
        return 0;
    }
    take_option(option, {reinterpret_cast<const char*>(in) + kOptionBytes, length}, out);
    return kOptionBytes + length;
}

void Handshake::take_option(Option option, std::string_view data, std::string& out) {
    switch (option) {
    case Option::kExportName:
        export_name(data, out);
        return;
    case Option::kAbort:
        reply(out, option, OptionReply::kAck);
        state_ = State::kEnded;
        return;
    case Option::kList:
        list(data, out);
        return;
    case Option::kInfo:
    case Option::kGo:
        info(option, data, out);
        return;
    case Option::kStructuredReply:
        structured_ = structured_ || data.empty();
        reply(out, option, data.empty() ? OptionReply::kAck : OptionReply::kErrorInvalid);
        return;
    case Option::kListMetaContext:
    case Option::kSetMetaContext:
        meta_context(option, data, out);
        return;
    case Option::kStartTls:
        break;
    }
    reply(out, option, OptionReply::kErrorUnsupported);
}

std::uint16_t Handshake::transmission_flags() const {
    const std::uint16_t flags =
        kHasFlags | kSendFlush | kSendFua | kSendTrim | kSendWriteZeroes | kCanMultiConn;
    return static_cast<std::uint16_t>(structured_ ? flags | kSendDf : flags);
}

/// The oldest way in has no answer but the export: a client that errs is cut off.
void Handshake::export_name(std::string_view name, std::string& out) {
    if (!is_known(name)) {
        state_ = State::kEnded;
        return;
    }
    put(out, drive_.size());
    put(out, transmission_flags());
    if (!no_zeroes_) {
        out.append(124, '\0');
    }
    state_ = State::kTransmission;
}

void Handshake::info(Option option, std::string_view data, std::string& out) {
    Reader reader(data);
    const std::string_view name = reader.text();
    bool wants_name = false;
    bool wants_description = false;
    for (auto left = reader.number<std::uint16_t>(); left > 0 && !reader.wrong(); --left) {
        const auto item = static_cast<Info>(reader.number<std::uint16_t>());
        wants_name = wants_name || item == Info::kName;
        wants_description = wants_description || item == Info::kDescription;
    }
    if (!reader.right()) {
        reply(out, option, OptionReply::kErrorInvalid);
        return;
    }
    if (!is_known(name)) {
        reply(out, option, OptionReply::kErrorUnknown);
        return;
    }
    std::string item;
    put(item, static_cast<std::uint16_t>(Info::kExport));
    put(item, drive_.size());
    put(item, transmission_flags());
    reply(out, option, OptionReply::kInfo, item);
    item.clear(); // whether asked for or not: who does not keep to it gets errors
    put(item, static_cast<std::uint16_t>(Info::kBlockSize));
    put(item, drive_.block_bytes());
    put(item, drive_.preferred_bytes());
    put(item, kMostPayload);
    reply(out, option, OptionReply::kInfo, item);
    if (wants_name) {
        item.clear();
        put(item, static_cast<std::uint16_t>(Info::kName));
        reply(out, option, OptionReply::kInfo, item.append(kExport));
    }
    if (wants_description) {
        item.clear();
        put(item, static_cast<std::uint16_t>(Info::kDescription));
        reply(out, option, OptionReply::kInfo, item.append(drive_.description()));
    }
    reply(out, option, OptionReply::kAck);
    if (option == Option::kGo) {
        state_ = State::kTransmission;
    }
}

void Handshake::list(std::string_view data, std::string& out) {
    if (!data.empty()) {
        reply(out, Option::kList, OptionReply::kErrorInvalid);
        return;
    }
    std::string item;
    put(item, static_cast<std::uint32_t>(kExport.size()));
    item.append(kExport).append(drive_.description());
    reply(out, Option::kList, OptionReply::kServer, item);
    reply(out, Option::kList, OptionReply::kAck);
}

/// A list without a query is asked for all; a choice without one takes none.
void Handshake::meta_context(Option option, std::string_view data, std::string& out) {
    const bool sets = option == Option::kSetMetaContext;
    Reader reader(data);
    const std::string_view name = reader.text();
    const auto queries = reader.number<std::uint32_t>();
    bool wanted = !sets && queries == 0;
    for (std::uint32_t i = 0; i < queries && !reader.wrong(); ++i) {
        const std::string_view query = reader.text();
        wanted = wanted || query == kContext || (!sets && query == "base:");
    }
    if (sets) {
        context_ = false; // whatever comes of this
    }
    if (!reader.right() || (sets && !structured_)) {
        reply(out, option, OptionReply::kErrorInvalid);
        return;
    }
    if (!is_known(name)) {
        reply(out, option, OptionReply::kErrorUnknown);
        return;
    }
    if (wanted) {
        std::string item;
        put(item, sets ? kContextId : 0u);
        reply(out, option, OptionReply::kMetaContext, item.append(kContext));
    }
    context_ = sets ? wanted : context_;
    reply(out, option, OptionReply::kAck);
}

} // namespace cavern::nbd
