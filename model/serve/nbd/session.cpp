#include "serve/nbd/session.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/check.h"

namespace cavern::nbd {

Session::Session(ExportIf& drive, BufferPool& pool)
    : drive_(drive), pool_(pool), handshake_(drive), input_(kInputBytes) {
    handshake_.greet(control_);
}

Session::~Session() {
    for (Slot& slot : slots_) {
        pool_.give_back(std::move(slot.buffer));
    }
}

// ---- input --------------------------------------------------------------------------------------

/// A client that asks for options without reading the answers is left waiting as well.
bool Session::wants_input() const {
    constexpr std::size_t kMostControl = 64 * 1024;
    return !closing_ && !input_ended_ && !stalled_ &&
           control_.size() - control_sent_ < kMostControl;
}

/// Data of a write go straight to where they are wanted.
Session::Space Session::space() {
    if (filling_ != kNone && available() == 0) {
        Slot& slot = slots_[filling_];
        return {slot.buffer.data.get() + (slot.length - payload_left_), payload_left_};
    }
    if (taken_ == filled_) {
        taken_ = filled_ = 0;
    } else if (filled_ == input_.size()) {
        std::memmove(input_.data(), input_.data() + taken_, available());
        filled_ -= taken_;
        taken_ = 0;
    }
    return {input_.data() + filled_, input_.size() - filled_};
}

void Session::received(std::size_t bytes) {
    if (filling_ != kNone && available() == 0) {
        CAVERN_CHECK(bytes <= payload_left_, "no more is received than there is space for");
        payload_left_ -= static_cast<std::uint32_t>(bytes);
        if (payload_left_ == 0) {
            start(std::exchange(filling_, kNone));
        }
    } else {
        CAVERN_CHECK(bytes <= input_.size() - filled_,
                     "no more is received than there is space for");
        filled_ += bytes;
    }
    parse();
}

void Session::parse() {
    while (!closing_ && !aborted_ && parse_step()) {
    }
}

bool Session::parse_step() {
    if (payload_left_ != 0) {
        return take_payload();
    }
    if (handshake_.state() == Handshake::State::kTransmission) {
        return take_request();
    }
    const std::size_t took =
        available() == 0 ? 0 : handshake_.consume(input_.data() + taken_, available(), control_);
    taken_ += took;
    closing_ = handshake_.state() == Handshake::State::kEnded;
    return took != 0;
}

/// Takes the data of a write into its buffer, or drops them where it is refused.
bool Session::take_payload() {
    const auto took = static_cast<std::uint32_t>(std::min<std::size_t>(available(), payload_left_));
    if (took == 0) {
        return false;
    }
    if (filling_ != kNone) {
        Slot& slot = slots_[filling_];
        std::memcpy(slot.buffer.data.get() + (slot.length - payload_left_), input_.data() + taken_,
                    took);
    }
    taken_ += took;
    payload_left_ -= took;
    if (payload_left_ == 0 && filling_ != kNone) {
        start(std::exchange(filling_, kNone));
    }
    return true;
}

bool Session::take_request() {
    if (available() < kRequestBytes) {
        return false;
    }
    const std::byte* in = input_.data() + taken_;
    const auto flags = load<std::uint16_t>(in + 4);
    const auto command = static_cast<Command>(load<std::uint16_t>(in + 6));
    const auto offset = load<std::uint64_t>(in + 16);
    const auto length = load<std::uint32_t>(in + 24);
    if (load<std::uint32_t>(in) != kRequestMagic ||
        (command == Command::kWrite && length > kMostPayload)) {
        abort(); // where its next request begins nobody knows, or it is an attack
        return false;
    }
    if (command == Command::kDisconnect) {
        closing_ = true;
        return false;
    }
    const std::uint32_t error = error_of(command, flags, offset, length);
    const bool moves = command == Command::kRead || command == Command::kWrite;
    const std::uint32_t data = error == kOk && moves ? length : 0;
    stalled_ = used_ == kMostRequests || (bytes_ != 0 && bytes_ + data > kMostBytes);
    if (stalled_) {
        return false;
    }
    const std::uint32_t index = allocate();
    Slot& slot = slots_[index];
    slot.command = command;
    slot.flags = flags;
    slot.cookie = load<std::uint64_t>(in + 8);
    slot.offset = offset;
    slot.length = length;
    taken_ += kRequestBytes;
    give_buffer(slot, data);
    if (error != kOk) {
        payload_left_ = command == Command::kWrite ? length : 0;
        answer(index, error);
    } else if (command == Command::kWrite) {
        filling_ = index;
        payload_left_ = length;
    } else {
        start(index);
    }
    return true;
}

std::uint32_t Session::error_of(Command command, std::uint16_t flags, std::uint64_t offset,
                                std::uint32_t length) const {
    std::uint32_t allowed = kFua;
    std::uint32_t beyond = kEinval;
    switch (command) {
    case Command::kRead:
        allowed |= handshake_.structured() ? kDontFragment : 0u;
        break;
    case Command::kWrite:
        beyond = kEnospc;
        break;
    case Command::kWriteZeroes:
        allowed |= kNoHole;
        beyond = kEnospc;
        break;
    case Command::kTrim:
        break;
    case Command::kBlockStatus:
        allowed |= kReqOne;
        if (!handshake_.has_context()) {
            return kEinval;
        }
        break;
    case Command::kFlush:
        return (flags & ~allowed) == 0 && offset == 0 && length == 0 ? kOk : kEinval;
    case Command::kDisconnect:
        return kOk;
    default:
        return kEinval;
    }
    if ((flags & ~allowed) != 0) {
        return kEinval;
    }
    if (offset > drive_.size() || length > drive_.size() - offset) {
        return beyond;
    }
    const std::uint32_t inside = drive_.block_bytes() - 1;
    const bool too_long = command == Command::kRead && length > kMostPayload;
    return length == 0 || ((offset | length) & inside) != 0 || too_long ? kEinval : kOk;
}

/// Requests that wait for slots or memory have been received.
void Session::end_of_input() {
    input_ended_ = true;
    closing_ = closing_ || !stalled_;
}

void Session::abort() {
    aborted_ = closing_ = true;
}

void Session::shut_down() {
    closing_ = true;
}

// ---- requests -----------------------------------------------------------------------------------

std::uint32_t Session::allocate() {
    if (free_.empty()) {
        slots_.emplace_back();
        free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    ++used_;
    return slot;
}

void Session::release(std::uint32_t index) {
    Slot& slot = slots_[index];
    pool_.give_back(std::move(slot.buffer));
    bytes_ -= slot.buffer_bytes;
    slot = Slot{};
    free_.push_back(index);
    --used_;
}

void Session::give_buffer(Slot& slot, std::uint32_t bytes) {
    if (bytes == 0) {
        return;
    }
    slot.buffer = pool_.take(bytes);
    slot.buffer_bytes = bytes;
    bytes_ += bytes;
    if (slot.command == Command::kRead) {
        // Nothing of another client is in it, whatever the drive leaves out.
        std::memset(slot.buffer.data.get(), 0, bytes);
    }
}

void Session::start(std::uint32_t index) {
    Slot& slot = slots_[index];
    ExportRequest request;
    switch (slot.command) {
    case Command::kBlockStatus:
        answer_status(index);
        return;
    case Command::kWrite:
        request.op = ExportOp::kWrite;
        break;
    case Command::kTrim:
        request.op = ExportOp::kTrim;
        break;
    case Command::kWriteZeroes:
        request.op = ExportOp::kWriteZeroes;
        break;
    case Command::kFlush:
        request.op = ExportOp::kFlush;
        break;
    case Command::kRead:
    case Command::kDisconnect:
        break;
    }
    request.fua = (slot.flags & kFua) != 0;
    request.no_hole = (slot.flags & kNoHole) != 0;
    request.offset = slot.offset;
    request.bytes = slot.length;
    request.data = slot.buffer.data.get();
    ++in_export_;
    drive_.submit(*this, index, request);
}

void Session::completed(std::uint32_t slot, std::uint32_t error) {
    CAVERN_CHECK(slot < slots_.size() && in_export_ > 0, "a request completes once");
    --in_export_;
    if (aborted_) {
        release(slot);
    } else {
        answer(slot, error);
    }
}

// ---- answers ------------------------------------------------------------------------------------

std::byte* Session::begin_chunk(Slot& slot, Chunk type, std::uint32_t length) {
    std::byte* to = store(slot.head.data(), kChunkMagic);
    to = store(to, kChunkDone);
    to = store(to, static_cast<std::uint16_t>(type));
    to = store(to, slot.cookie);
    return store(to, length);
}

void Session::answer(std::uint32_t index, std::uint32_t error) {
    Slot& slot = slots_[index];
    const bool reads = slot.command == Command::kRead && error == kOk;
    slot.body_bytes = reads ? slot.length : 0;
    std::byte* end = nullptr;
    if (!handshake_.structured()) {
        end = store(slot.head.data(), kSimpleReplyMagic);
        end = store(store(end, error), slot.cookie);
    } else if (error != kOk) {
        end = begin_chunk(slot, Chunk::kError, 6);
        end = store(store(end, error), std::uint16_t{0});
    } else if (reads) {
        end = store(begin_chunk(slot, Chunk::kOffsetData, 8 + slot.length), slot.offset);
    } else {
        end = begin_chunk(slot, Chunk::kNone, 0);
    }
    slot.head_bytes = static_cast<std::uint32_t>(end - slot.head.data());
    ready_.push(index);
}

void Session::answer_status(std::uint32_t index) {
    constexpr std::uint32_t kExtentBytes = 8;
    Slot& slot = slots_[index];
    const std::uint32_t most = (slot.flags & kReqOne) != 0 ? 1 : kMostExtents;
    give_buffer(slot, most * kExtentBytes);
    std::byte* to = slot.buffer.data.get();
    std::uint32_t extents = 0;
    std::uint64_t done = 0;
    std::uint32_t state = 0;
    std::uint64_t length = 0; ///< of the extent at hand
    for (std::uint32_t looks = 0; done < slot.length && looks < kMostLooks; ++looks) {
        const Extent next = drive_.extent(slot.offset + done, slot.length - done);
        CAVERN_CHECK(next.bytes > 0 && next.bytes <= slot.length - done, "an extent is some bytes");
        const std::uint32_t its = (next.hole ? kStateHole : 0) | (next.zeros ? kStateZero : 0);
        if (length != 0 && its != state) {
            to = store(store(to, static_cast<std::uint32_t>(length)), state);
            ++extents;
            length = 0;
            if (extents == most) {
                break;
            }
        }
        state = its;
        length += next.bytes;
        done += next.bytes;
    }
    if (length != 0) {
        to = store(store(to, static_cast<std::uint32_t>(length)), state);
    }
    slot.body_bytes = static_cast<std::uint32_t>(to - slot.buffer.data.get());
    const std::byte* end =
        store(begin_chunk(slot, Chunk::kBlockStatus, 4 + slot.body_bytes), Handshake::kContextId);
    slot.head_bytes = static_cast<std::uint32_t>(end - slot.head.data());
    ready_.push(index);
}

// ---- output -------------------------------------------------------------------------------------

std::size_t Session::gather(std::array<iovec, kMostPieces>& pieces) {
    std::size_t count = 0;
    const auto add = [&](const std::byte* from, std::size_t bytes, std::size_t skip) {
        if (skip < bytes) {
            // The kernel reads what it sends.
            pieces[count++] = {const_cast<std::byte*>(from) + skip, bytes - skip};
        }
        return skip < bytes ? 0 : skip - bytes;
    };
    if (control_sent_ < control_.size()) {
        add(reinterpret_cast<const std::byte*>(control_.data()), control_.size(), control_sent_);
    }
    std::size_t skip = front_sent_;
    for (std::size_t i = 0; i < ready_.size() && count + 2 <= kMostPieces; ++i) {
        const Slot& slot = slots_[ready_[i]];
        skip = add(slot.head.data(), slot.head_bytes, skip);
        skip = add(slot.buffer.data.get(), slot.body_bytes, skip);
    }
    return count;
}

void Session::sent(std::size_t bytes) {
    const std::size_t control = std::min(bytes, control_.size() - control_sent_);
    control_sent_ += control;
    bytes -= control;
    if (control_sent_ == control_.size()) {
        control_.clear();
        control_sent_ = 0;
    }
    front_sent_ += bytes;
    while (!ready_.empty()) {
        const std::uint32_t index = ready_.front();
        const std::size_t all = slots_[index].head_bytes + slots_[index].body_bytes;
        if (front_sent_ < all) {
            break;
        }
        front_sent_ -= all;
        ready_.pop();
        release(index);
    }
    if (stalled_) {
        stalled_ = false;
        parse();
        closing_ = closing_ || (input_ended_ && !stalled_);
    }
}

} // namespace cavern::nbd
