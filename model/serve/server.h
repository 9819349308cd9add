#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <poll.h>
#include <vector>

#include "drive/live_drive.h"
#include "serve/drive_export.h"
#include "serve/listener.h"
#include "serve/nbd/buffer_pool.h"
#include "serve/nbd/session.h"
#include "serve/serve_clock.h"

namespace cavern {

/// Serves a drive to clients, in one thread: it looks at the sockets, hands requests to the drive,
/// steps the drive, sends what is done. SIGINT and SIGTERM are awaited only where it looks at the
/// sockets: whoever runs it blocks them and installs handlers (StopSignals).
class Server {
  public:
    struct Statistics {
        std::uint64_t connections = 0; ///< accepted
        std::uint64_t refused = 0;     ///< of those, closed at once: too many
        std::uint64_t most_connections = 0;
    };
    /// More than these are closed at once, but that one in its handshake makes room.
    static constexpr std::size_t kMostConnections = 256;

    Server(LiveDrive& drive, DriveExport& exported, ServeClock& clock, Listener& listener);
    ~Server();

    /// Until `stops` says so. Called about every `look_every` at most is `look`, if there is one.
    void run(const std::function<bool()>& stops, const std::function<void()>& look,
             std::chrono::milliseconds look_every);
    /// No further request is taken; what is outstanding is answered, for at most `within`.
    void shut_down(std::chrono::milliseconds within);

    /// The drive has lost its power: every client is cut off, whatever it waits for. New ones may
    /// come.
    void cut_off();

    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    [[nodiscard]] std::size_t connections() const { return connections_.size(); }

  private:
    using Wall = ServeClock::Wall;
    struct Connection {
        int socket;
        std::unique_ptr<nbd::Session> session;
    };

    [[nodiscard]] Wall::duration may_sleep(Wall::time_point now) const;
    void look_at_sockets(Wall::duration longest);
    void try_sockets();
    void step_drive();
    void catch_up();
    void accept_some();
    [[nodiscard]] bool make_room();
    void receive(Connection& from);
    void send(Connection& to);
    void send_all();
    void close_ended();
    void drop(std::size_t connection);

    LiveDrive& drive_;
    DriveExport& export_;
    ServeClock& clock_;
    Listener& listener_;
    nbd::BufferPool pool_;
    std::vector<Connection> connections_;
    std::vector<std::unique_ptr<nbd::Session>>
        left_; ///< without client, with requests in the drive
    std::vector<pollfd> polled_;
    Wall::time_point accept_again_{}; ///< too few descriptors: not before
    Wall::time_point last_heard_{};   ///< from or to a client; of a clock that is not free
    Wall::time_point ask_next_{};     ///< until then sockets are tried, and the kernel is not asked
    bool accepts_ = true;
    Statistics statistics_;
};

} // namespace cavern
