#include "cpu/gdb_server.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/error.h"

namespace cavern::cpu {

namespace {

/// Between two looks at whether the program is to end, which a signal may ask for at any time.
constexpr int kLookMs = 100;

sockaddr* generic(sockaddr_in& address) {
    return reinterpret_cast<sockaddr*>(&address); // as the interface of sockets wants it
}

[[noreturn]] void refuse(std::uint16_t port) {
    throw UserError(
        "<command line>", 1,
        fmt::format("no debugger can connect to port {}: {}", port, std::strerror(errno)),
        "give another one with --gdb, or 0 for any that is free");
}

} // namespace

void GdbServer::Socket::take(int number) {
    close();
    number_ = number;
}

void GdbServer::Socket::close() {
    if (open()) {
        ::close(number_);
        number_ = -1;
    }
}

GdbServer::GdbServer(HartDebugTarget& target, std::uint16_t port, std::function<bool()> stopping)
    : session_(target), stopping_(std::move(stopping)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    const int yes = 1; // a port that was used a moment ago can be had
    if (!listener_.open() ||
        ::setsockopt(listener_.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
        ::bind(listener_.number(), generic(address), length) != 0 ||
        ::listen(listener_.number(), 1) != 0 ||
        ::getsockname(listener_.number(), generic(address), &length) != 0) {
        refuse(port);
    }
    port_ = ntohs(address.sin_port);
}

GdbServer::~GdbServer() = default;

bool GdbServer::await(const Socket& socket, short what) const {
    pollfd asked{socket.number(), what, 0};
    int found = 0;
    while (!stopping_ || !stopping_()) {
        found = ::poll(&asked, 1, stopping_ ? kLookMs : -1);
        if (found > 0 || (found < 0 && errno != EINTR)) {
            return true; // or what follows says why not
        }
    }
    return false;
}

bool GdbServer::accept() {
    int number = -1;
    do {
        if (!await(listener_, POLLIN)) {
            return false;
        }
        number = ::accept4(listener_.number(), nullptr, nullptr, SOCK_CLOEXEC);
    } while (number < 0 && (errno == EINTR || errno == ECONNABORTED));
    if (number < 0) {
        refuse(port_);
    }
    connection_.take(number);
    listener_.close();
    const int yes = 1; // answers are short and waited for
    ::setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    return true;
}

bool GdbServer::receive() {
    std::array<char, 4096> bytes;
    ssize_t count = 0;
    do {
        count = ::recv(connection_.number(), bytes.data(), bytes.size(), 0);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) {
        return false;
    }
    session_.receive({bytes.data(), static_cast<std::size_t>(count)});
    return true;
}

bool GdbServer::send() {
    const std::string bytes = session_.take_output();
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t count = ::send(connection_.number(), bytes.data() + sent, bytes.size() - sent,
                                     MSG_NOSIGNAL | MSG_DONTWAIT);
        if (count > 0) {
            sent += static_cast<std::size_t>(count);
        } else if (errno == EAGAIN) { // a debugger that reads nothing
            if (!await(connection_, POLLOUT)) {
                return false;
            }
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

Resume GdbServer::hold(const DebugStop& stop) {
    if (!connection_.open() && !lost_) {
        lost_ = !accept();
    }
    session_.stopped(stop);
    const bool over = stop.why == DebugStop::Why::kExit || stop.why == DebugStop::Why::kWatchdog;
    while (!lost_) {
        lost_ = !send();
        if (over) {
            return Resume::kDetach;
        }
        if (const auto resume = session_.take_resume()) {
            lost_ = lost_ || *resume == Resume::kDetach;
            return *resume;
        }
        lost_ = lost_ || !await(connection_, POLLIN) || !receive();
    }
    session_.forget_breakpoints();
    connection_.close();
    return Resume::kDetach;
}

bool GdbServer::interrupts() {
    pollfd asked{connection_.number(), POLLIN, 0};
    if (lost_ || session_.waiting() > GdbPacketReader::kLongest || ::poll(&asked, 1, 0) <= 0) {
        return false;
    }
    if (!receive()) {
        lost_ = true;
        return true; // hold() then says that it runs on
    }
    return session_.take_interrupt();
}

} // namespace cavern::cpu
