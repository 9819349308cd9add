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

  protected:
    virtual std::unique_ptr<tlm::tlm_generic_payload> make();

  private:
    std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
    std::vector<tlm::tlm_generic_payload*> idle_;
};

/// A pool whose payloads all carry one Extension for life. Its owner finds it without a look-up;
/// others find it as any extension.
template <typename Extension>
class ExtendedPayloadPool final : public PayloadPool {
  public:
    /// `payload` must be of such a pool.
    [[nodiscard]] static Extension& extension_of(tlm::tlm_generic_payload& payload) {
        return static_cast<Node&>(payload).extension;
    }

  private:
    struct Node final : tlm::tlm_generic_payload {
        explicit Node(tlm::tlm_mm_interface* pool) : tlm_generic_payload(pool) {
            set_extension(&extension);
        }
        ~Node() override { clear_extension(&extension); }
        Extension extension;
    };
    std::unique_ptr<tlm::tlm_generic_payload> make() override {
        return std::make_unique<Node>(this);
    }
};

} // namespace cavern
