#pragma once

#include <string>
#include <sys/types.h>

namespace cavern {

/// A command of the shell that is a client of the server, and runs beside it. Its end arrives where
/// a ppoll() lets signals through (StopSignals, which must live).
class ClientCommand {
  public:
    /// Starts `command`; it finds the variable uri, and for a Unix socket unixsocket. An empty one
    /// is none.
    ClientCommand(const std::string& command, const std::string& uri, const std::string& socket);
    /// Ends it, if it runs.
    ~ClientCommand();
    ClientCommand(const ClientCommand&) = delete;
    ClientCommand& operator=(const ClientCommand&) = delete;

    /// Whether there was one and it has ended.
    [[nodiscard]] bool ended();
    /// Its exit status, of a shell's kind: 128 and the signal that ended it. 0 without a command.
    [[nodiscard]] int status() const { return status_; }

  private:
    pid_t child_ = 0; ///< 0: none, or it has ended
    bool ended_ = false;
    int status_ = 0;
};

} // namespace cavern
