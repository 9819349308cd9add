#pragma once

namespace cavern {

/// While it exists, no processor of this machine enters an idle state that takes time to leave: a
/// client that waits for an answer runs as soon as it has one. Asks the kernel for a wake-up
/// latency of 0 us by /dev/cpu_dma_latency (Linux kernel documentation, "PM Quality Of Service
/// Interface"), which is for root alone, and has no effect where that is not permitted.
class AwakeProcessors {
  public:
    AwakeProcessors();
    ~AwakeProcessors();
    AwakeProcessors(const AwakeProcessors&) = delete;
    AwakeProcessors& operator=(const AwakeProcessors&) = delete;

    [[nodiscard]] bool granted() const { return request_ >= 0; }

  private:
    int request_; ///< a descriptor, for as long as which the kernel keeps to it
};

} // namespace cavern
