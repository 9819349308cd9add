#pragma once

#include "serve/serve_clock.h"

namespace cavern {

/// How long this machine takes to bring a write of 4 KiB from a client to a server that looks for
/// it all the time, and the answer back to the client, which sleeps meanwhile. Measured between two
/// threads with a socket; values that half of the messages keep within, and at most 100 us. Takes
/// some 40 ms.
[[nodiscard]] Transport measure_transport();

} // namespace cavern
