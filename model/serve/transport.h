#pragma once

#include "serve/serve_clock.h"

namespace cavern {

/// How long this machine takes to bring a small request from a client to a server that looks for
/// it all the time, and the answer back to the client, which sleeps meanwhile. Measured between
/// two threads with a socket; a value that half of the messages keep within, and at most 100 us.
/// Takes some 30 ms.
[[nodiscard]] ServeClock::Wall::duration measure_transport();

} // namespace cavern
