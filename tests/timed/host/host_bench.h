#pragma once

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include "tests/support/base_protocol_monitor.h"
#include "tests/support/script.h"
#include "tests/support/systemc_test.h"
#include "timed/host/host_interface.h"
#include "timed/host/link_transport.h"
#include "timed/tlm/scratch_data.h"
#include "timed/tlm/time.h"

namespace cavern::testing {

using Payload = tlm::tlm_generic_payload;

class ListedRequests final : public RequestSourceIf {
  public:
    bool next(HostRequest& request) override {
        if (next_ == list.size()) {
            return false;
        }
        request = list[next_++];
        return true;
    }
    std::vector<HostRequest> list;

  private:
    std::size_t next_ = 0;
};

/// Takes commands, and after `service` either answers or moves the command's data over the link
/// first.
class ScriptedDevice final : public sc_core::sc_module, public AtRequestIf, public AtResponseIf {
  public:
    AtTarget commands{"commands", *this};
    AtInitiator data{"data", *this};

    explicit ScriptedDevice(const sc_core::sc_module_name& name) : sc_module(name) {}

    void request(Payload& payload) override {
        const HostCommandExtension& command = *HostCommandExtension::find(payload);
        dispatched.push_back(command.id);
        bytes.push_back(command.bytes);
        dispatched_at[command.id] = now_ps();
        held[command.id] = &payload;
        EXPECT_TRUE(tags.insert(command.tag).second) << "tag used twice";
        most = std::max(most, held.size());
        if (answers_ahead != 0) {
            held.erase(command.id);
            tags.erase(command.tag);
            payload.set_response_status(status);
            commands.complete_ahead(payload, answers_ahead);
            return;
        }
        if (!hold) {
            script.after(service, [this, id = command.id] { serve(id); });
        }
    }
    void serve(std::uint64_t id) {
        Payload& command = *held.at(id);
        if (!moves_data || !(command.is_read() || command.is_write())) {
            answer(id);
            return;
        }
        Payload* transfer = pool.acquire();
        transfer->set_command(command.is_read() ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        transfer->set_address(command.get_address());
        scratch.attach(*transfer, command.get_data_length());
        owner[transfer] = id;
        data.send(*transfer);
    }
    void response(Payload& transfer, TimePs ahead) override {
        EXPECT_TRUE(transfer.is_response_ok());
        const std::uint64_t id = owner[&transfer];
        moved_at[id] = now_ps() + ahead;
        transfer.release();
        script.after(ahead, [this, id] { answer(id); });
    }
    void answer(std::uint64_t id) {
        Payload& payload = *held.at(id);
        held.erase(id);
        tags.erase(HostCommandExtension::find(payload)->tag);
        payload.set_response_status(status);
        commands.respond(payload);
    }

    TimePs service = 0;
    bool moves_data = false;
    TimePs answers_ahead = 0; ///< answers inside the request, so much before its time
    bool hold = false;        ///< until told to serve or answer
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    std::vector<std::uint64_t> dispatched; ///< ids in order
    std::vector<std::uint64_t> bytes;      ///< of the commands, in order
    std::map<std::uint64_t, TimePs> dispatched_at;
    std::map<std::uint64_t, TimePs> moved_at;
    std::map<std::uint64_t, Payload*> held;
    std::set<std::uint32_t> tags;
    std::size_t most = 0;
    Script script{"script"};

  private:
    PayloadPool pool;
    ScratchData scratch;
    std::map<Payload*, std::uint64_t> owner;
};

/// A host with a scripted device, and what became of each request.
class HostBench : public SystemcTest, public RunListenerIf, public RequestLogIf {
  protected:
    struct Done {
        std::uint64_t id;
        TimePs arrival;
        TimePs dispatch;
        TimePs completed;
        bool operator==(const Done& o) const {
            return id == o.id && arrival == o.arrival && dispatch == o.dispatch &&
                   completed == o.completed;
        }
        friend void PrintTo(const Done& done, std::ostream* out) {
            *out << done.id << " arrived " << done.arrival << " dispatched " << done.dispatch
                 << " completed " << done.completed;
        }
    };

    EventQueue clock_{"clock"};

    template <typename Link>
    void build(const Link& link, const HostInterface::Params& params = {}, TimePs turnaround = 0) {
        build_with(
            std::make_unique<LinkTransport>(clock_, std::make_unique<Link>(link), turnaround),
            params);
    }
    void build_with(std::unique_ptr<HostTransportIf> transport,
                    const HostInterface::Params& params) {
        host_ = std::make_unique<HostInterface>("host", params, std::move(transport), source_,
                                                *this, this, nullptr);
        host_->command_initiator.socket.bind(commands_.target_socket);
        commands_.initiator_socket.bind(device_.commands.socket);
        device_.data.socket.bind(data_.target_socket);
        data_.initiator_socket.bind(host_->data_target.socket);
    }
    void add(RequestOp op, TimePs arrival = 0, std::uint32_t bytes = 2048) {
        const bool moves = op == RequestOp::kRead || op == RequestOp::kWrite;
        source_.list.push_back(
            {arrival, 4096 * source_.list.size(), op == RequestOp::kFlush ? 0 : bytes, op});
        bytes_ += moves ? bytes : 0;
    }
    /// Runs to the end, which must be clean.
    void finish() {
        run();
        for (const BaseProtocolMonitor* monitor : {&commands_, &data_}) {
            EXPECT_TRUE(monitor->breaches().empty()) << monitor->breaches()[0];
            EXPECT_EQ(monitor->unfinished(), 0u);
        }
        EXPECT_EQ(commands_.transactions(), source_.list.size());
        EXPECT_EQ(done_.size() + left_out_, source_.list.size());
        EXPECT_GT(host_->check_idle(), 0u);
        EXPECT_EQ(finished_, 1);
    }

    bool dispatching(std::uint64_t id) override { return id < take_; }
    void host_finished() override { ++finished_; }
    void completed(const CompletedRequest& request) override {
        done_.push_back({request.where->id, request.request.arrival, request.where->dispatch,
                         request.completed});
    }

    ListedRequests source_;
    ScriptedDevice device_{"device"};
    BaseProtocolMonitor commands_{"command_monitor"};
    BaseProtocolMonitor data_{"data_monitor"};
    std::unique_ptr<HostInterface> host_;
    std::vector<Done> done_;
    std::uint64_t bytes_ = 0;
    std::uint64_t take_ = ~std::uint64_t{0};
    std::size_t left_out_ = 0;
    int finished_ = 0;
};

} // namespace cavern::testing
