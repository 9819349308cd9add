#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "config/resolved_config.h"
#include "core/base/random.h"
#include "drive/ssd.h"
#include "tests/drive/shadow.h"
#include "tests/support/base_protocol_monitor.h"
#include "tests/support/raw_sockets.h"
#include "tests/support/transparent_module.h"

namespace cavern::testing {

/// A small drive: 2 channels of 2 ways, 16 blocks of 8 pages of 2 KiB a die, 16 frames, page LRU,
/// 45 % of the raw pages exported. `overrides` as on the command line.
[[nodiscard]] SsdConfig small_drive(const std::vector<std::string>& overrides = {});
/// The same with what was set where.
[[nodiscard]] ResolvedConfig small_drive_resolved(const std::vector<std::string>& overrides);
/// What makes it small; `overrides` come after these.
[[nodiscard]] const std::vector<std::string>& small_drive_settings();

/// Shares of a random workload, of 100.
struct Mix {
    std::uint32_t requests = 1500;
    std::uint32_t reads = 40;
    std::uint32_t writes = 50;
    std::uint32_t trims = 7; ///< what remains are flushes
    std::uint32_t max_pages = 4;
    TimePs mean_gap = 0; ///< open loop: mean time between arrivals
    std::uint64_t seed = 1;
    std::uint32_t fua = 0;     ///< of 100 writes: those with force unit access
    std::uint32_t streams = 0; ///< that writes have in turn, from 0 on
};

/// Requests of random operation, place and size; half of them not aligned to pages.
[[nodiscard]] std::vector<HostRequest> random_requests(const Mix& mix, std::uint64_t capacity,
                                                       std::uint32_t page_bytes);

/// A command answered, with what the device said of it.
struct Answered {
    HostRequest request;
    std::uint64_t id;
    TimePs dispatch;
    TimePs completed;
    std::uint32_t pages;
    std::uint32_t hits;
    TimePs frame_wait;
    TimePs flash;
};

/// Shows transfers on a base-protocol socket to others; changes nothing.
class TransferSpy final : public TransparentModule {
  public:
    explicit TransferSpy(const sc_core::sc_module_name& name) : TransparentModule(name) {}

    std::function<void(const Payload&)> begins = [](const Payload&) {};
    std::function<void(const Payload&, TimePs)> ends = [](const Payload&, TimePs) {};

  private:
    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
};

/// A whole drive under test: a monitor on each of its three base-protocol sockets, a shadow of all
/// its data, and what became of each request.
class DriveBench final : public sc_core::sc_module, private SocketBinderIf, private RequestLogIf {
  public:
    /// A core around a broken part: called with the shadow as log. Empty: build_core.
    using CoreMaker = std::function<std::unique_ptr<DriveCore>(const SsdConfig&, DecisionLogIf*)>;
    struct Options {
        /// Gives the requests in place of the list: jobs that wait for answers.
        std::shared_ptr<RequestSourceIf> source;
        bool closed_loop = true;
        bool run_ahead = false; ///< EventQueue::run_ahead
        std::uint64_t warmup = 0;
        /// What the buffer manager speaks to instead of the host's data or the SDRAM, which is
        /// then left without requests.
        tlm::tlm_target_socket<64>* data = nullptr;
        tlm::tlm_target_socket<64>* memory = nullptr;
        RequestLogIf* log = nullptr; ///< told as well
        CoreMaker make_core;
        HostDataIf* host_data = nullptr; ///< SsdProbes::data
        /// Before a request is dispatched, by its number: for who spoils something then.
        std::function<void(std::uint64_t)> dispatching;
        /// See SsdProbes.
        std::function<std::unique_ptr<HostTransportIf>(std::unique_ptr<HostTransportIf>)>
            around_transport;
    };

    DriveBench(const sc_core::sc_module_name& name, const SsdConfig& config,
               std::vector<HostRequest> requests);
    DriveBench(const sc_core::sc_module_name& name, const SsdConfig& config,
               std::vector<HostRequest> requests, const Options& options);
    ~DriveBench() override;

    /// After the run: everything at rest and consistent, every request answered once, no breach of
    /// the protocol, no contradiction in the data, every flush kept its promise.
    void expect_sound() const;

    [[nodiscard]] const Ssd& ssd() const { return *ssd_; }
    [[nodiscard]] DataPath& data_path() { return *ssd_->data_path(); }
    [[nodiscard]] const Shadow& shadow() const { return *shadow_; }
    /// In order of completion.
    [[nodiscard]] const std::vector<Answered>& answered() const { return answered_; }
    /// As they reached the device, which is the order in which they are decided.
    [[nodiscard]] const std::vector<HostRequest>& arrived() const { return arrived_; }
    [[nodiscard]] std::uint64_t capacity() const { return capacity_; }
    [[nodiscard]] double waf() const;
    /// Operations that dies have done.
    [[nodiscard]] std::uint64_t programs() const;
    [[nodiscard]] std::uint64_t erases() const;
    /// Pages and parts of pages that went into or out of the SDRAM.
    [[nodiscard]] std::uint64_t sdram_transfers() const { return monitors_.at(2)->transactions(); }

  private:
    class Source;
    class Observer;
    void bind(tlm::tlm_initiator_socket<64>& from, tlm::tlm_target_socket<64>& to) override;
    void completed(const CompletedRequest& request) override;

    std::uint64_t capacity_ = 0;
    std::array<tlm::tlm_target_socket<64>*, 2> instead_; ///< of data and SDRAM
    std::vector<std::unique_ptr<RawInitiator>> idle_;    ///< at what is left
    RequestLogIf* log_;
    std::unique_ptr<Observer> observer_;
    std::unique_ptr<Source> source_;
    std::unique_ptr<Shadow> shadow_;
    std::vector<std::unique_ptr<BaseProtocolMonitor>> monitors_;
    std::vector<std::unique_ptr<TransferSpy>> spies_;
    std::vector<Answered> answered_;
    std::vector<HostRequest> arrived_;
    std::unique_ptr<Ssd> ssd_;
};

/// What the translation layer counts when the requests are played without time.
[[nodiscard]] FtlCounters untimed_counters(const SsdConfig& config,
                                           const std::vector<HostRequest>& requests);

/// Bytes a drive of this configuration exports.
[[nodiscard]] std::uint64_t capacity_of(const SsdConfig& config);

} // namespace cavern::testing
