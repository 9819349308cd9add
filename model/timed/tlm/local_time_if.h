#pragma once

#include <cstdint>
#include <systemc>

namespace cavern {

/// The way that calls take through a base-protocol socket.
enum class CallPath : std::uint8_t { kForward, kBackward };

/// A module on a base-protocol socket that lives at LocalTime: what it waits
/// for it notifies through notify_at(), and it reads the time from now_ps(). An
/// event queue may run ahead of the kernel only where every module that its
/// calls reach is one; another may have the kernel do something that the queue
/// does not know of.
class LocalTimeIf {
  public:
    virtual ~LocalTimeIf() = default;
    /// Also of the modules to which it passes calls on, along that path.
    [[nodiscard]] virtual bool keeps_local_time(CallPath /*path*/) const { return true; }
};

/// Whether what is bound to the other side of a socket does. Not before the end
/// of elaboration.
template <typename Socket>
[[nodiscard]] bool peer_keeps_local_time(const Socket& socket, CallPath path) {
    const auto* peer = dynamic_cast<const LocalTimeIf*>(socket.get_base_port().get_interface());
    return peer != nullptr && peer->keeps_local_time(path);
}

} // namespace cavern
