#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/uio.h>
#include <vector>

#include "core/base/ring.h"
#include "serve/nbd/buffer_pool.h"
#include "serve/nbd/export_if.h"
#include "serve/nbd/handshake.h"
#include "serve/nbd/protocol.h"

namespace cavern::nbd {

/// One connection of a client, without its socket: bytes come in, bytes go out, requests go to the
/// export. Whoever has the socket
///   - while wants_input(): receives into space() and says how much by received()
///   - while has_output(): sends what gather() names and says how much by sent()
///   - closes when ended(), and deletes the session when nothing is in_export() any more
///
/// A client gets bounded memory. A session with kMostRequests requests or kMostBytes of data that
/// are not answered, or whose answers are not received, takes no input: the client has to wait. One
/// request alone may have more data.
class Session {
  public:
    static constexpr std::uint32_t kMostRequests = 256;
    static constexpr std::size_t kMostBytes = std::size_t{8} << 20;
    static constexpr std::size_t kInputBytes = 64 * 1024;
    static constexpr std::size_t kMostPieces = 64; ///< that gather() names
    /// Extents of a block status; more are left to the next request.
    static constexpr std::uint32_t kMostExtents = 1024;
    static constexpr std::uint32_t kMostLooks = kMostExtents + 16; ///< for it, into the map

    struct Space {
        std::byte* to;
        std::size_t bytes;
    };

    /// Both outlive the session.
    Session(ExportIf& drive, BufferPool& pool);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    [[nodiscard]] bool wants_input() const;
    [[nodiscard]] Space space();
    void received(std::size_t bytes);
    /// The client sends nothing any more; it may still receive.
    void end_of_input();
    /// The client is gone.
    void abort();
    /// Takes no further request; what has begun is answered.
    void shut_down();

    [[nodiscard]] bool has_output() const {
        return control_sent_ < control_.size() || !ready_.empty();
    }
    /// The next bytes to go out; returns how many pieces there are.
    std::size_t gather(std::array<iovec, kMostPieces>& pieces);
    void sent(std::size_t bytes);

    /// The export has finished the request of this slot.
    void completed(std::uint32_t slot, std::uint32_t error);

    [[nodiscard]] bool ended() const {
        return aborted_ || (closing_ && in_export_ == 0 && !has_output());
    }
    [[nodiscard]] std::uint32_t in_export() const { return in_export_; }
    /// Requests that are not answered, or whose answer is not sent.
    [[nodiscard]] std::uint32_t requests() const { return used_; }
    /// Bytes of data that they have.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] const Handshake& handshake() const { return handshake_; }

  private:
    static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

    struct Slot {
        Command command = Command::kRead;
        std::uint16_t flags = 0;
        std::uint64_t cookie = 0;
        std::uint64_t offset = 0;
        std::uint32_t length = 0;
        Buffer buffer;
        std::uint32_t buffer_bytes = 0; ///< as counted in bytes_
        std::array<std::byte, 40> head{};
        std::uint32_t head_bytes = 0;
        std::uint32_t body_bytes = 0; ///< of the buffer, behind the head
    };

    void parse();
    /// Whether something was done, so that more may follow.
    bool parse_step();
    bool take_payload();
    bool take_request();
    [[nodiscard]] std::uint32_t error_of(Command command, std::uint16_t flags, std::uint64_t offset,
                                         std::uint32_t length) const;
    [[nodiscard]] std::size_t available() const { return filled_ - taken_; }
    std::uint32_t allocate();
    void release(std::uint32_t slot);
    void give_buffer(Slot& slot, std::uint32_t bytes);
    void start(std::uint32_t slot);
    void answer(std::uint32_t slot, std::uint32_t error);
    void answer_status(std::uint32_t slot);
    std::byte* begin_chunk(Slot& slot, Chunk type, std::uint32_t length);

    ExportIf& drive_;
    BufferPool& pool_;
    Handshake handshake_;
    std::vector<std::byte> input_;
    std::size_t taken_ = 0;          ///< of input_: up to here it is parsed
    std::size_t filled_ = 0;         ///< and up to here it is received
    std::uint32_t filling_ = kNone;  ///< slot of a write whose data are received
    std::uint32_t payload_left_ = 0; ///< of it, or of a write that is refused
    std::string control_;            ///< output of the handshake
    std::size_t control_sent_ = 0;
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> free_;
    std::uint32_t used_ = 0;
    std::size_t bytes_ = 0;
    Ring<std::uint32_t> ready_;  ///< slots with answers, in the order in which they go out
    std::size_t front_sent_ = 0; ///< bytes of the first of them
    std::uint32_t in_export_ = 0;
    bool stalled_ = false; ///< a request waits for slots or memory
    bool input_ended_ = false;
    bool closing_ = false; ///< takes no request any more
    bool aborted_ = false;
};

} // namespace cavern::nbd
