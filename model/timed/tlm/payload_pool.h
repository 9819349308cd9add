#pragma once

#include <cstddef>
#include <memory>
#include <tlm>
#include <vector>

namespace cavern {

/// Memory manager of TLM generic payloads: hands out reset payloads and takes them back when their
/// reference count drops to zero. Sticky extensions stay attached over reuse. Grows when empty; no
/// allocation once the peak number of payloads in flight has been reached.
class PayloadPool : public tlm::tlm_mm_interface {
  public:
    PayloadPool() = default;
    PayloadPool(const PayloadPool&) = delete;
    PayloadPool& operator=(const PayloadPool&) = delete;
    ~PayloadPool() override;

    /// A payload with one reference held by the caller, response status incomplete.
    tlm::tlm_generic_payload* acquire();
    void free(tlm::tlm_generic_payload* payload) override;

    /// Payloads handed out and not returned: 0 at the end of a clean simulation.
    [[nodiscard]] std::size_t in_flight() const { return all_.size() - idle_.size(); }

  private:
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
    std::vector<tlm::tlm_generic_payload*> idle_;
};

} // namespace cavern
