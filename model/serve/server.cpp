#include "serve/server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace cavern {
namespace {

using namespace std::chrono_literals;

/// A sleeping thread wakes late by so much at times; it looks again and again instead.
constexpr auto kSpin = 100us;
/// Time of spinning after a client was heard of: the next request of a client that waits for the
/// answer would come late by the time of waking up.
constexpr auto kListen = 1ms;
/// Where it looks again and again so few clients are tried one by one, and the kernel is asked this
/// often which has something: a request would come late by the time of asking.
constexpr std::size_t kTried = 4;
constexpr auto kAskEvery = 100us;
/// So long the drive is stepped before the sockets are looked at again.
constexpr auto kLongestStep = 500us;
/// Answers that are due so close to each other are sent together: sending one takes some us.
constexpr auto kGather = 10us;
/// A free clock answers one of this number of outstanding requests before their clients hear of
/// it.
constexpr std::uint32_t kTogether = 8;
/// The drive is stepped so far at once, where nothing completes.
constexpr TimePs kStep = 1'000 * kUs;
/// Where the process has no descriptor left.
constexpr auto kAcceptAgain = 100ms;

timespec as_timespec(std::chrono::steady_clock::duration span) {
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(span).count();
    return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

} // namespace

Server::Server(LiveDrive& drive, DriveExport& exported, ServeClock& clock, Listener& listener)
    : drive_(drive), export_(exported), clock_(clock), listener_(listener) {}

Server::~Server() {
    for (const Connection& connection : connections_) {
        close(connection.socket);
    }
}

void Server::run(const std::function<bool()>& stops, const std::function<void()>& look,
                 std::chrono::milliseconds look_every) {
    Wall::time_point look_next = Wall::now();
    while (!stops()) {
        const Wall::time_point now = Wall::now();
        Wall::duration longest = may_sleep(now);
        if (look) {
            if (now >= look_next) {
                look();
                look_next = now + look_every;
            }
            longest = std::min<Wall::duration>(longest, look_next - now);
        }
        look_at_sockets(longest);
        step_drive();
        send_all();
        close_ended();
    }
}

void Server::shut_down(std::chrono::milliseconds within) {
    const Wall::time_point end = Wall::now() + within;
    accepts_ = false;
    for (Connection& each : connections_) {
        each.session->shut_down();
    }
    while (Wall::now() < end && (!connections_.empty() || !left_.empty())) {
        if (drive_.outstanding() != 0) {
            drive_.step_to_completion(kNever); // the clock has stopped
            export_.deliver();
            send_all();
        } else {
            look_at_sockets(10ms);
        }
        close_ended();
    }
}

void Server::cut_off() {
    for (const Connection& each : connections_) {
        close(each.socket);
    }
    connections_.clear();
    left_.clear();
}

// ---- time ---------------------------------------------------------------------------------------

/// Until something may have to be done for the drive's sake.
Server::Wall::duration Server::may_sleep(Wall::time_point now) const {
    constexpr Wall::duration kLongest = 1h;
    if (clock_.is_free()) {
        return drive_.outstanding() != 0 ? 0s : kLongest;
    }
    if (now - last_heard_ < kListen) {
        return 0s;
    }
    const TimePs next = drive_.next_event();
    if (next == kNever) {
        return kLongest;
    }
    const Wall::duration until = clock_.wall_time(next) - now;
    return std::clamp<Wall::duration>(until - kSpin, 0s, kLongest);
}

void Server::step_drive() {
    if (!clock_.is_free()) {
        catch_up();
        return;
    }
    // Answers are sent together, which costs half of a request, but so few that the drive does not
    // lack what their clients send next.
    const std::uint32_t most = std::max(1u, drive_.outstanding() / kTogether);
    std::uint32_t answers = 0;
    for (std::uint32_t more = 1; more != 0 && answers < most && drive_.outstanding() != 0;) {
        drive_.step_to_completion(kNever);
        more = export_.deliver();
        answers += more;
    }
}

/// Does what is to happen in the drive up to the time on the wall, as far as that takes no longer
/// than kLongestStep. Where nothing happens the drive stands still before the time of requests that
/// may be on their way.
void Server::catch_up() {
    const Wall::time_point begin = Wall::now();
    Wall::time_point now = begin;
    Wall::time_point answered{}; // the first answer that has not been sent
    const auto send_answers = [&] {
        send_all();
        answered = {};
        last_heard_ = now;
        clock_.answered(now);
    };
    for (; now - begin < kLongestStep; now = Wall::now()) {
        const TimePs target = clock_.drive_time(now);
        const TimePs sure = clock_.drive_time(now - clock_.transport());
        const TimePs next = drive_.next_event();
        if (next >= target) {
            drive_.step_to(sure);
            break;
        }
        drive_.step_to_completion(next < sure ? std::min(sure, drive_.now() + kStep) : next + 1);
        if (export_.deliver() != 0 && answered == Wall::time_point{}) {
            answered = now;
        }
        if (answered != Wall::time_point{} &&
            (now - answered > kGather || drive_.outstanding() == 0)) {
            send_answers();
        }
    }
    if (answered != Wall::time_point{}) {
        send_answers();
    }
}

// ---- sockets ------------------------------------------------------------------------------------

/// Requests that come have the time to which the drive has been stepped, as that was just now.
void Server::try_sockets() {
    for (Connection& each : connections_) {
        receive(each);
    }
}

void Server::look_at_sockets(Wall::duration longest) {
    const Wall::time_point now = Wall::now();
    if (longest == 0s && !clock_.is_free()) {
        if (now < ask_next_ && connections_.size() <= kTried) {
            try_sockets();
            return;
        }
        ask_next_ = now + kAskEvery;
    }
    polled_.clear();
    const bool accepts = accepts_ && now >= accept_again_;
    if (accepts_ && !accepts) {
        longest = std::min<Wall::duration>(longest, accept_again_ - now);
    }
    polled_.push_back({accepts ? listener_.descriptor() : -1, POLLIN, 0});
    for (const Connection& each : connections_) {
        const int wanted =
            (each.session->wants_input() ? POLLIN : 0) | (each.session->has_output() ? POLLOUT : 0);
        polled_.push_back({each.socket, static_cast<short>(wanted), 0});
    }
    const timespec most = as_timespec(longest);
    sigset_t nothing;
    sigemptyset(&nothing);
    if (ppoll(polled_.data(), polled_.size(), &most, &nothing) <= 0) {
        return; // nothing, or a signal
    }
    if (!clock_.is_free()) {
        catch_up(); // what comes now, comes at this time of the drive
    }
    for (std::size_t i = 0; i + 1 < polled_.size(); ++i) {
        const short events = polled_[i + 1].revents;
        if ((events & (POLLERR | POLLHUP | POLLNVAL)) != 0 && (events & POLLIN) == 0) {
            connections_[i].session->abort();
        } else if ((events & POLLIN) != 0) {
            receive(connections_[i]);
        }
    }
    if (polled_[0].revents != 0) {
        accept_some();
    }
}

void Server::accept_some() {
    for (int socket = listener_.accept(); socket >= 0; socket = listener_.accept()) {
        ++statistics_.connections;
        if (connections_.size() >= kMostConnections && !make_room()) {
            ++statistics_.refused;
            close(socket);
            continue;
        }
        connections_.push_back({socket, std::make_unique<nbd::Session>(export_, pool_)});
        statistics_.most_connections =
            std::max<std::uint64_t>(statistics_.most_connections, connections_.size());
    }
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        accept_again_ = Wall::now() + kAcceptAgain;
    }
}

/// The connection that has been in its handshake for longest goes.
bool Server::make_room() {
    for (std::size_t i = 0; i < connections_.size(); ++i) {
        if (connections_[i].session->handshake().state() != nbd::Handshake::State::kTransmission) {
            drop(i);
            return true;
        }
    }
    return false;
}

void Server::receive(Connection& from) {
    if (!from.session->wants_input()) {
        return;
    }
    const nbd::Session::Space space = from.session->space();
    const ssize_t got = recv(from.socket, space.to, space.bytes, 0);
    if (got > 0) {
        last_heard_ = clock_.is_free() ? last_heard_ : Wall::now();
        from.session->received(static_cast<std::size_t>(got));
    } else if (got == 0) {
        from.session->end_of_input();
    } else if (errno != EAGAIN && errno != EINTR) {
        from.session->abort();
    }
}

void Server::send(Connection& to) {
    while (to.session->has_output()) {
        std::array<iovec, nbd::Session::kMostPieces> pieces;
        msghdr message{};
        message.msg_iov = pieces.data();
        message.msg_iovlen = to.session->gather(pieces);
        const ssize_t gone = sendmsg(to.socket, &message, MSG_NOSIGNAL);
        if (gone > 0) {
            to.session->sent(static_cast<std::size_t>(gone));
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            to.session->abort();
            return;
        }
    }
}

void Server::send_all() {
    for (Connection& each : connections_) {
        if (each.session->has_output() && !each.session->ended()) {
            send(each);
        }
    }
}

void Server::close_ended() {
    for (std::size_t i = connections_.size(); i > 0; --i) {
        if (connections_[i - 1].session->ended()) {
            drop(i - 1);
        }
    }
    left_.erase(std::remove_if(left_.begin(), left_.end(),
                               [](const auto& session) { return session->in_export() == 0; }),
                left_.end());
}

void Server::drop(std::size_t connection) {
    Connection& dropped = connections_[connection];
    close(dropped.socket);
    dropped.session->abort();
    if (dropped.session->in_export() != 0) {
        left_.push_back(std::move(dropped.session));
    }
    connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(connection));
}

} // namespace cavern
