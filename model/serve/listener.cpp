#include "serve/listener.h"

#include <arpa/inet.h>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"

namespace cavern {
namespace {

constexpr int kBacklog = 1024;

[[noreturn]] void complain(const std::string& what, const std::string& right) {
    throw UserError("<command line>", 1, what, right);
}

/// A path in a URI: RFC 3986, 2.1 and 3.4.
std::string percent_encoded(const std::string& path) {
    constexpr std::string_view kPlain = "-._~/";
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string text;
    for (const char letter : path) {
        const auto byte = static_cast<unsigned char>(letter);
        if ((byte < 0x80 && std::isalnum(byte) != 0) ||
            kPlain.find(letter) != std::string_view::npos) {
            text += letter;
        } else {
            text += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
        }
    }
    return text;
}

std::string because() {
    return std::strerror(errno);
}

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        complain("the path of the socket has " + std::to_string(path.size()) + " bytes",
                 "name one of 1 to " + std::to_string(sizeof address.sun_path - 1));
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

const sockaddr* as_sockaddr(const sockaddr_un& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

/// Removes a socket that nobody listens to.
void make_way(const std::string& path, const sockaddr_un& address) {
    struct stat found {};
    if (lstat(path.c_str(), &found) != 0) {
        return;
    }
    if (!S_ISSOCK(found.st_mode)) {
        complain("\"" + path + "\" exists and is no socket", "name another path for the socket");
    }
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool refused =
        connect(probe, as_sockaddr(address), sizeof address) != 0 && errno == ECONNREFUSED;
    close(probe);
    if (!refused) {
        complain("a server is at \"" + path + "\"", "stop it, or name another path for the socket");
    }
    unlink(path.c_str());
}

/// Host and port of [HOST:]PORT; an address of IPv6 stands in brackets.
std::pair<std::string, std::string> split(const std::string& where) {
    const std::size_t colon = where.rfind(':');
    std::string host = colon == std::string::npos ? "127.0.0.1" : where.substr(0, colon);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
    }
    std::string port = colon == std::string::npos ? where : where.substr(colon + 1);
    const bool digits = !port.empty() && port.size() <= 5 &&
                        port.find_first_not_of("0123456789") == std::string::npos;
    if (host.empty() || !digits || std::stoul(port) > 65535) {
        complain("\"" + where + "\" is no place to listen", "give --listen [HOST:]PORT");
    }
    return {host, port};
}

std::uint16_t port_of(int descriptor) {
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    getsockname(descriptor, reinterpret_cast<sockaddr*>(&bound), &length);
    // The port lies at the same place in both.
    return ntohs(reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
}

} // namespace

Listener Listener::unix_socket(const std::string& path) {
    const sockaddr_un address = address_of(path);
    make_way(path, address);
    Listener listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const mode_t before = umask(0177);
    const bool bound = bind(listener.descriptor_, as_sockaddr(address), sizeof address) == 0;
    umask(before);
    struct stat made {};
    if (!bound || lstat(path.c_str(), &made) != 0 || listen(listener.descriptor_, kBacklog) != 0) {
        complain("no socket can be made at \"" + path + "\": " + because(),
                 "name a path in a folder of yours");
    }
    listener.path_ = path;
    listener.device_ = made.st_dev;
    listener.inode_ = made.st_ino;
    listener.uri_ = "nbd+unix:///?socket=" +
                    percent_encoded(std::filesystem::absolute(path).lexically_normal().string());
    return listener;
}

Listener Listener::tcp(const std::string& where) {
    const auto [host, port] = split(where);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found); error != 0) {
        complain("\"" + host + "\" is no host: " + gai_strerror(error),
                 "give --listen [HOST:]PORT");
    }
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> keep(found, freeaddrinfo);
    Listener listener(
        socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
    const int yes = 1;
    setsockopt(listener.descriptor_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener.descriptor_, found->ai_addr, found->ai_addrlen) != 0 ||
        listen(listener.descriptor_, kBacklog) != 0) {
        complain("nobody can listen at " + where + ": " + because(), "give another port or host");
    }
    listener.is_tcp_ = true;
    const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
    listener.uri_ = "nbd://" + shown + ":" + std::to_string(port_of(listener.descriptor_));
    return listener;
}

Listener::Listener(Listener&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), uri_(std::move(other.uri_)),
      is_tcp_(other.is_tcp_), path_(std::exchange(other.path_, {})), device_(other.device_),
      inode_(other.inode_) {}

Listener::~Listener() {
    if (descriptor_ >= 0) {
        close(descriptor_);
    }
    struct stat found {};
    if (!path_.empty() && lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ &&
        found.st_ino == inode_) {
        unlink(path_.c_str());
    }
}

int Listener::accept() const {
    const int connection = accept4(descriptor_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (connection >= 0 && is_tcp_) {
        const int yes = 1;
        setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    return connection;
}

} // namespace cavern
