#include "serve/transport.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace cavern {
namespace {

using namespace std::chrono_literals;
using Wall = ServeClock::Wall;

constexpr std::size_t kRequest = 28; // of a read
constexpr std::size_t kAnswer = 16 + 4096;
constexpr int kRounds = 64;
/// A client sleeps so deep after this time as it will.
constexpr auto kPause = 400us;
constexpr Wall::duration kMost = 100us;

/// Both directions of one socket, nonblocking.
bool receive_all(int socket, std::byte* to, std::size_t bytes, int timeout) {
    while (bytes > 0) {
        pollfd ready{socket, POLLIN, 0};
        if (timeout != 0 && poll(&ready, 1, timeout) <= 0) {
            return false;
        }
        const ssize_t got = recv(socket, to, bytes, MSG_DONTWAIT);
        if (got > 0) {
            to += got;
            bytes -= static_cast<std::size_t>(got);
        } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
            return false;
        }
    }
    return true;
}

/// A client that sends a request as soon as it has an answer, until its server is gone.
void be_client(int socket) {
    std::array<std::byte, kAnswer> answer{};
    const std::array<std::byte, kRequest> request{};
    while (receive_all(socket, answer.data(), answer.size(), -1)) {
        if (send(socket, request.data(), request.size(), MSG_NOSIGNAL) < 0) {
            return;
        }
    }
}

} // namespace

Wall::duration measure_transport() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
        return {};
    }
    std::thread client(be_client, ends[1]);
    std::vector<Wall::duration> took;
    const std::array<std::byte, kAnswer> answer{};
    std::array<std::byte, kRequest> request{};
    for (int round = 0; round < kRounds; ++round) {
        const Wall::time_point begin = Wall::now() + kPause;
        while (Wall::now() < begin) { // awake, as a server shortly before an answer is due
        }
        const bool right = send(ends[0], answer.data(), answer.size(), MSG_NOSIGNAL) ==
                               static_cast<ssize_t>(answer.size()) &&
                           receive_all(ends[0], request.data(), request.size(), 0);
        if (!right) {
            break;
        }
        took.push_back(Wall::now() - begin);
    }
    shutdown(ends[0], SHUT_RDWR);
    client.join();
    close(ends[0]);
    close(ends[1]);
    if (took.empty()) {
        return {};
    }
    const auto middle = took.begin() + static_cast<std::ptrdiff_t>(took.size() / 2);
    std::nth_element(took.begin(), middle, took.end());
    return std::min(*middle, kMost);
}

} // namespace cavern
