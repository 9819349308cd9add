#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cpu/debug_if.h"
#include "cpu/gdb_session.h"

namespace cavern::cpu {

/// A connection for one GDB on a TCP port of this machine alone (127.0.0.1).
class GdbServer final : public DebuggerIf {
  public:
    /// Listens; 0 is any free port. Throws UserError where it cannot. The target must outlive it.
    /// `stopping` (may be empty) says whether the program has been told to end: then nobody waits
    /// for a debugger, and one that is there has detached.
    GdbServer(HartDebugTarget& target, std::uint16_t port, std::function<bool()> stopping = {});
    GdbServer(const GdbServer&) = delete;
    GdbServer& operator=(const GdbServer&) = delete;
    ~GdbServer() override;

    [[nodiscard]] std::uint16_t port() const { return port_; }

    /// The first call waits for a debugger. One that breaks the connection off has detached.
    Resume hold(const DebugStop& stop) override;
    bool interrupts() override;
    /// The debugger has written to registers or memory.
    [[nodiscard]] bool has_changed() const { return session_.has_changed(); }

  private:
    /// Owns a file descriptor.
    class Socket {
      public:
        Socket() = default;
        explicit Socket(int number) : number_(number) {}
        Socket(const Socket&) = delete;
        Socket& operator=(const Socket&) = delete;
        ~Socket() { close(); }
        void take(int number);
        void close();
        [[nodiscard]] int number() const { return number_; }
        [[nodiscard]] bool open() const { return number_ >= 0; }

      private:
        int number_ = -1;
    };

    /// Until there is something to be read or accepted (POLLIN), or room to send (POLLOUT). False:
    /// the program is to end.
    bool await(const Socket& socket, short what) const;
    /// False: the program is to end.
    bool accept();
    /// False: the connection is broken off, or the program is to end.
    bool receive();
    bool send();

    GdbSession session_;
    std::function<bool()> stopping_;
    Socket listener_;
    Socket connection_;
    std::uint16_t port_ = 0;
    bool lost_ = false; ///< after a connection
};

} // namespace cavern::cpu
