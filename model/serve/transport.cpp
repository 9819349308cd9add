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

// A write of a page as libnbd has it: the header of the request and its data are sent apart, the
// answer is received in two parts. A read takes about as many calls.
constexpr std::size_t kHeader = 28;
constexpr std::size_t kData = 4096;
constexpr std::size_t kAnswerHeader = 16;
constexpr std::size_t kAnswer = 20;
constexpr int kRounds = 64;
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
    const std::array<std::byte, kHeader + kData> request{};
    while (receive_all(socket, answer.data(), kAnswerHeader, -1) &&
           receive_all(socket, answer.data(), kAnswer - kAnswerHeader, 0)) {
        if (send(socket, request.data(), kHeader, MSG_NOSIGNAL) < 0 ||
            send(socket, request.data() + kHeader, kData, MSG_NOSIGNAL) < 0) {
            return;
        }
    }
}

/// From the beginning of an answer to the request that follows it, each time after so long a pause.
Wall::duration middle_of(int server, Wall::duration pause) {
    std::vector<Wall::duration> took;
    const std::array<std::byte, kAnswer> answer{};
    std::array<std::byte, kHeader + kData> request{};
    for (int round = 0; round < kRounds; ++round) {
        const Wall::time_point begin = Wall::now() + pause;
        while (Wall::now() < begin) { // awake, as a server shortly before an answer is due
        }
        const bool right = send(server, answer.data(), answer.size(), MSG_NOSIGNAL) ==
                               static_cast<ssize_t>(answer.size()) &&
                           receive_all(server, request.data(), request.size(), 0);
        if (!right) {
            break;
        }
        took.push_back(Wall::now() - begin);
    }
    if (took.empty()) {
        return {};
    }
    const auto middle = took.begin() + static_cast<std::ptrdiff_t>(took.size() / 2);
    std::nth_element(took.begin(), middle, took.end());
    return std::min(*middle, kMost);
}

} // namespace

Transport measure_transport() {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
        return {};
    }
    std::thread client(be_client, ends[1]);
    Transport measured;
    measured.after_long = middle_of(ends[0], Transport::kLong);
    measured.after_short = middle_of(ends[0], Transport::kShort);
    shutdown(ends[0], SHUT_RDWR);
    client.join();
    close(ends[0]);
    close(ends[1]);
    return measured;
}

} // namespace cavern
