#include "serve/awake_processors.h"

#include <cstdint>
#include <fcntl.h>
#include <unistd.h>

namespace cavern {

AwakeProcessors::AwakeProcessors() : request_(open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC)) {
    constexpr std::int32_t kLatencyUs = 0;
    if (request_ >= 0 && write(request_, &kLatencyUs, sizeof kLatencyUs) != sizeof kLatencyUs) {
        close(request_);
        request_ = -1;
    }
}

AwakeProcessors::~AwakeProcessors() {
    if (request_ >= 0) {
        close(request_);
    }
}

} // namespace cavern
