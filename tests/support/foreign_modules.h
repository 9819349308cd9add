#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

namespace cavern::testing {

// Modules as others write them. They know IEEE 1666 and nothing of this program: no time of its
// own, no extension, no memory manager but the payload's.

/// A phase of another protocol, which the base protocol lets pass.
TLM_DECLARE_EXTENDED_PHASE(FOREIGN_DATA_MOVING);

/// A memory that holds data.
class ForeignStore {
  public:
    explicit ForeignStore(std::size_t bytes) : bytes_(bytes) {}
    /// Moves the data of a payload, and sets its response.
    void serve(tlm::tlm_generic_payload& payload) {
        const sc_dt::uint64 address = payload.get_address();
        const unsigned length = payload.get_data_length();
        ++served;
        if (payload.get_data_ptr() == nullptr || length == 0) {
            payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        } else if (payload.get_byte_enable_ptr() != nullptr) {
            payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        } else if (payload.get_streaming_width() < length) {
            payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        } else if (address + length > bytes_.size()) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        } else {
            if (payload.is_write()) {
                std::memcpy(&bytes_[address], payload.get_data_ptr(), length);
            } else if (payload.is_read()) {
                std::memcpy(payload.get_data_ptr(), &bytes_[address], length);
            }
            payload.set_response_status(tlm::TLM_OK_RESPONSE);
        }
    }
    std::uint64_t served = 0;

  private:
    std::vector<unsigned char> bytes_;
};

/// Approximately timed, four phases, every one a call of its own: END_REQ after `accept`,
/// BEGIN_RESP after `latency` more, called `annotated` before its time. Requests overlap.
class ForeignAtMemory final : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<ForeignAtMemory, 64> socket{"socket"};
    struct Timing {
        sc_core::sc_time accept;
        sc_core::sc_time latency;
        sc_core::sc_time annotated;
        bool extra_phase = false; ///< between END_REQ and BEGIN_RESP
    };

    ForeignAtMemory(const sc_core::sc_module_name& name, std::size_t bytes, const Timing& timing)
        : sc_module(name), store_(bytes), timing_(timing) {
        socket.register_nb_transport_fw(this, &ForeignAtMemory::forward);
        SC_HAS_PROCESS(ForeignAtMemory);
        SC_METHOD(accept);
        sensitive << requests_.get_event();
        dont_initialize();
        SC_METHOD(respond);
        sensitive << responses_.get_event() << response_ended_;
        dont_initialize();
    }
    [[nodiscard]] std::uint64_t served() const { return store_.served; }
    [[nodiscard]] const std::vector<std::string>& errors() const { return errors_; }

  private:
    using Payload = tlm::tlm_generic_payload;

    tlm::tlm_sync_enum forward(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
        if (phase == tlm::BEGIN_REQ) {
            payload.acquire();
            requests_.notify(payload, delay + timing_.accept);
            return tlm::TLM_ACCEPTED;
        }
        if (phase == tlm::END_RESP) {
            end(payload, delay);
            return tlm::TLM_COMPLETED;
        }
        errors_.emplace_back("a phase that is none of an initiator");
        return tlm::TLM_ACCEPTED;
    }
    void accept() {
        while (Payload* payload = requests_.get_next_transaction()) {
            call(*payload, tlm::END_REQ);
            if (timing_.extra_phase) {
                call(*payload, FOREIGN_DATA_MOVING);
            }
            responses_.notify(*payload, timing_.latency - timing_.annotated);
        }
    }
    void call(Payload& payload, tlm::tlm_phase phase) {
        sc_core::sc_time delay;
        if (socket->nb_transport_bw(payload, phase, delay) != tlm::TLM_ACCEPTED) {
            errors_.emplace_back("a phase between request and response is not accepted");
        }
    }
    void respond() {
        while (Payload* payload = responses_.get_next_transaction()) {
            pending_.push_back(payload);
        }
        while (in_response_ == nullptr && !pending_.empty() &&
               free_at_ <= sc_core::sc_time_stamp()) {
            Payload& payload = *pending_.front();
            pending_.pop_front();
            store_.serve(payload);
            in_response_ = &payload;
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time delay = timing_.annotated;
            if (socket->nb_transport_bw(payload, phase, delay) != tlm::TLM_ACCEPTED) {
                end(payload, delay); // TLM_COMPLETED, or TLM_UPDATED to END_RESP
            }
        }
    }
    void end(Payload& payload, const sc_core::sc_time& delay) {
        if (&payload != in_response_) {
            errors_.emplace_back("END_RESP of another transaction");
        }
        in_response_ = nullptr;
        free_at_ = sc_core::sc_time_stamp() + delay;
        payload.release();
        response_ended_.notify(delay);
    }

    ForeignStore store_;
    Timing timing_;
    tlm_utils::peq_with_get<Payload> requests_{"requests"};
    tlm_utils::peq_with_get<Payload> responses_{"responses"};
    std::deque<Payload*> pending_;
    Payload* in_response_ = nullptr;
    sc_core::sc_time free_at_;
    sc_core::sc_event response_ended_;
    std::vector<std::string> errors_;
};

/// Loosely timed: b_transport and nothing else. Waits, or annotates what it takes.
class ForeignLtMemory final : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<ForeignLtMemory, 64> socket{"socket"};

    ForeignLtMemory(const sc_core::sc_module_name& name, std::size_t bytes,
                    const sc_core::sc_time& latency, bool waits)
        : sc_module(name), store_(bytes), latency_(latency), waits_(waits) {
        socket.register_b_transport(this, &ForeignLtMemory::transport);
    }
    [[nodiscard]] std::uint64_t served() const { return store_.served; }

  private:
    void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
        store_.serve(payload);
        delay += latency_;
        if (waits_) {
            wait(delay);
            delay = sc_core::SC_ZERO_TIME;
        }
    }
    ForeignStore store_;
    sc_core::sc_time latency_;
    bool waits_;
};

/// Loosely timed: makes one b_transport after the other from a thread, ahead of the kernel by at
/// most `quantum` (IEEE 1666-2011, 12.1).
class ForeignLtInitiator final : public sc_core::sc_module {
  public:
    tlm_utils::simple_initiator_socket<ForeignLtInitiator, 64> socket{"socket"};
    struct Access {
        tlm::tlm_command command;
        std::uint64_t address;
        unsigned length;
        std::function<void(tlm::tlm_generic_payload&)> change = [](auto&) {};
    };
    struct Answer {
        sc_core::sc_time at; ///< local time included
        tlm::tlm_response_status status;
    };

    ForeignLtInitiator(const sc_core::sc_module_name& name, std::vector<Access> accesses,
                       const sc_core::sc_time& quantum = sc_core::SC_ZERO_TIME,
                       const sc_core::sc_time& work = sc_core::SC_ZERO_TIME)
        : sc_module(name), accesses_(std::move(accesses)), quantum_(quantum), work_(work) {
        SC_HAS_PROCESS(ForeignLtInitiator);
        SC_THREAD(run);
    }
    [[nodiscard]] const std::vector<Answer>& answers() const { return answers_; }

  private:
    void run() {
        sc_core::sc_time local;
        std::vector<unsigned char> data(1 << 20);
        for (const Access& each : accesses_) {
            local += work_;                   // what it does between two accesses
            tlm::tlm_generic_payload payload; // no memory manager: not needed for b_transport
            payload.set_command(each.command);
            payload.set_address(each.address);
            payload.set_data_ptr(data.data());
            payload.set_data_length(each.length);
            payload.set_streaming_width(each.length);
            payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            each.change(payload);
            socket->b_transport(payload, local);
            answers_.push_back({sc_core::sc_time_stamp() + local, payload.get_response_status()});
            if (local >= quantum_) {
                wait(local);
                local = sc_core::SC_ZERO_TIME;
            }
        }
    }
    std::vector<Access> accesses_;
    sc_core::sc_time quantum_;
    sc_core::sc_time work_;
    std::vector<Answer> answers_;
};

} // namespace cavern::testing
