#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "serve/nbd/export_if.h"
#include "serve/nbd/protocol.h"

namespace cavern::nbd {

/// The first phase of a connection, fixed newstyle: the client asks for options until it has the
/// export. There is one export, with the name kExport or none. Refused: STARTTLS, the old
/// styles, what this program does not know; a client that breaks the protocol is cut off.
class Handshake {
  public:
    static constexpr std::string_view kExport = "cavern";
    static constexpr std::string_view kContext = "base:allocation";
    static constexpr std::uint32_t kContextId = 1;
    /// Options with more data are answered "too big"; beyond kMostSkipped the client is cut off.
    static constexpr std::uint32_t kMostOption = 16 * 1024;
    static constexpr std::uint32_t kMostSkipped = 1u << 20;

    enum class State : std::uint8_t {
        kFlags, ///< of the client are awaited
        kOptions,
        kTransmission, ///< the client has the export
        kEnded         ///< the client asked for the end, or broke the protocol
    };

    explicit Handshake(const ExportIf& drive) : drive_(drive) {}

    /// Writes the greeting of the server.
    void greet(std::string& out) const;
    /// Takes what it can of the bytes received and says what follows. Returns how many it took; 0:
    /// it needs more.
    std::size_t consume(const std::byte* in, std::size_t size, std::string& out);

    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] bool structured() const { return structured_; }
    /// The client has chosen base:allocation.
    [[nodiscard]] bool has_context() const { return context_; }

  private:
    [[nodiscard]] std::uint16_t transmission_flags() const;
    void take_option(Option option, std::string_view data, std::string& out);
    void export_name(std::string_view name, std::string& out);
    void info(Option option, std::string_view data, std::string& out);
    void list(std::string_view data, std::string& out);
    void meta_context(Option option, std::string_view data, std::string& out);

    const ExportIf& drive_;
    State state_ = State::kFlags;
    bool no_zeroes_ = false;
    bool structured_ = false;
    bool context_ = false;
    std::uint32_t skip_ = 0; ///< bytes of an option that was too big
};

} // namespace cavern::nbd
