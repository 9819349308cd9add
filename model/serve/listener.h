#pragma once

#include <string>
#include <sys/types.h>

namespace cavern {

/// A socket that clients connect to. Errors are the user's: UserError.
class Listener {
  public:
    /// A Unix socket that this user alone may use (mode 0600). What another server left behind is
    /// removed; a server that answers there is an error, and so is any other file.
    [[nodiscard]] static Listener unix_socket(const std::string& path);
    /// `where` is [HOST:]PORT; without a host the loopback, port 0 is any free one.
    [[nodiscard]] static Listener tcp(const std::string& where);

    Listener(Listener&& other) noexcept;
    Listener& operator=(Listener&&) = delete;
    ~Listener();

    [[nodiscard]] int descriptor() const { return descriptor_; }
    /// A connection that does not block, or -1 with errno.
    [[nodiscard]] int accept() const;
    /// Path of a Unix socket.
    [[nodiscard]] const std::string& path() const { return path_; }
    /// How clients name it: nbd+unix:///?socket=PATH or nbd://HOST:PORT.
    [[nodiscard]] const std::string& uri() const { return uri_; }

  private:
    explicit Listener(int descriptor) : descriptor_(descriptor) {}

    int descriptor_;
    std::string uri_;
    bool is_tcp_ = false;
    std::string path_; ///< of a Unix socket, to be removed
    dev_t device_ = 0; ///< which file it is
    ino_t inode_ = 0;
};

} // namespace cavern
