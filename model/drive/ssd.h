#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "config/drive_plan.h"
#include "core/data/data_path.h"
#include "core/data/host_data_if.h"
#include "core/drive/drive_core.h"
#include "core/drive/precondition.h"
#include "core/nand/nand_array.h"
#include "core/recovery/version_oracle.h"
#include "drive/drive_beginning.h"
#include "drive/run_observer.h"
#include "timed/buffer/buffer_manager.h"
#include "timed/channel/channel.h"
#include "timed/channel/clocked_arbiter.h"
#include "timed/channel/ecc.h"
#include "timed/channel/flash_scheduler.h"
#include "timed/dram/sdram_controller.h"
#include "timed/host/host_interface.h"
#include "timed/nand/nand_die.h"
#include "timed/tlm/event_queue.h"

namespace cavern {

class Drain;

/// Binds the base-protocol sockets of a drive; a test may put something in-line.
class SocketBinderIf {
  public:
    virtual ~SocketBinderIf() = default;
    virtual void bind(tlm::tlm_initiator_socket<64>& from, tlm::tlm_target_socket<64>& to) = 0;
};

/// What is left of a drive without power.
struct SsdFlash {
    NandArray array;
    std::unique_ptr<DriveData> data; ///< null: none are kept
};

/// What looks at a drive from outside, or is put into its paths; each may be null or empty.
struct SsdProbes {
    RequestLogIf* requests = nullptr;
    ActivityLogIf* activity = nullptr;
    ProcessorLogIf* processors = nullptr;
    RunObserverIf* observer = nullptr;
    /// How a new drive begins; null: preconditioned as configured.
    DriveBeginningIf* beginning = nullptr;
    /// The data of the commands. Null: the drive makes what is written, and checks what is read.
    HostDataIf* data = nullptr;
    SocketBinderIf* binder = nullptr;
    /// What decisions take; null: what the configuration says.
    std::shared_ptr<DecisionCostIf> decision_cost;
    /// Hears what the drive owes the host when its power is cut (Ssd::lose_power).
    VersionOracle* oracle = nullptr;
    std::string waves; ///< FST of the arbiter of channel 0; needs an RTL arbiter
    /// Puts something around the transport between host and device, for a test.
    std::function<std::unique_ptr<HostTransportIf>(std::unique_ptr<HostTransportIf>)>
        around_transport;
};

/// The whole drive, put together from a configuration: the place where the data path is read.
///
///   HostTransport (direct | SATA | NVMe)
///        |
///   HostInterface <=> BufferManager <=> SdramController
///                      |         |
///               DriveCore     FlashScheduler -> Channel[c] -> NandDie[c][slot] -> NandArray
///                                                  |
///                                            arbiter: TLM | RTL | lockstep
///
/// Doubled arrows are sockets of the base protocol, of which those for data are asked by a plain
/// call where nobody stands between; channel and dies speak NandProtocol. The buffer manager asks
/// the DriveCore what to do; dies keep the NandArray true. One EventQueue holds the future of all
/// of them but the SDRAM.
class Ssd final : public sc_core::sc_module, public RunListenerIf {
  public:
    /// `flash`: of the drive that lost its power, from which `core` was recovered, or that went on
    /// without time until now; null: a new one, which is preconditioned.
    Ssd(const sc_core::sc_module_name& name, const DrivePlan& config,
        std::unique_ptr<DriveCore> core, RequestSourceIf& source, const HostInterface::Params& host,
        const SsdProbes& taps, std::unique_ptr<SsdFlash> flash = nullptr);
    ~Ssd() override;

    /// Lets the drive's own future pass without the kernel where nobody else has one: for runs to
    /// the end (EventQueue::run_ahead). Asked for before the simulation starts; a drive with a
    /// module of others on a socket stays with the kernel all the same.
    void run_ahead() { run_ahead_ = true; }
    [[nodiscard]] bool runs_ahead() const { return events_.runs_ahead(); }
    /// A live source of requests has some, or has ended (RequestSourceIf::is_live()).
    void ask_for_requests() { host_->ask_again(); }
    /// Statistics begin anew, as after a warm-up. Of a live source, with nothing outstanding.
    void restart_statistics();
    /// After the simulation: everything idle, nothing lost, state of core and array consistent.
    /// Throws ModelError. Returns facts checked.
    std::uint64_t check_end_of_run() const;

    /// The power goes now, while the kernel stands still: what dies have begun is torn, or ended by
    /// stored energy, which may drain the write buffer as well, and all else is gone. Returns the
    /// core that recovery has built from the flash and checked. The drive itself is of no use any
    /// more.
    [[nodiscard]] std::unique_ptr<DriveCore> lose_power(RecoveryCounters& counters);
    /// After that, for the drive that is built from it.
    [[nodiscard]] std::unique_ptr<SsdFlash> take_flash();

    [[nodiscard]] const DrivePlan& config() const { return config_; }
    [[nodiscard]] const DriveCore& core() const { return *core_; }
    [[nodiscard]] const NandArray& array() const { return array_; }
    [[nodiscard]] const PreconditionResult& preconditioned() const { return preconditioned_; }
    /// Null where no data are kept.
    [[nodiscard]] const DriveData* data() const { return data_.get(); }
    [[nodiscard]] DataPath* data_path() { return data_path_.get(); }
    /// The bytes that the flash holds of a page, where all are kept; false: it has no place there.
    [[nodiscard]] bool read_stored(Lpn page, std::byte* to);
    [[nodiscard]] const HostInterface& host() const { return *host_; }
    /// Null where decisions take no time.
    [[nodiscard]] const DecisionCostIf* decision_cost() const {
        return probes_.decision_cost.get();
    }
    [[nodiscard]] const BufferManager& buffer_manager() const { return *buffer_manager_; }
    [[nodiscard]] const FlashScheduler& scheduler() const { return *scheduler_; }
    /// Null where error correction takes no time.
    [[nodiscard]] const Ecc* ecc() const { return ecc_.get(); }
    [[nodiscard]] const SdramController& sdram() const { return *sdram_; }
    [[nodiscard]] const Channel& channel(std::uint32_t c) const { return *channels_[c]; }
    [[nodiscard]] const NandDie& die(DieId die) const { return *dies_[raw(die)]; }
    /// The clocked arbiter of a channel, or null with the TLM arbiter.
    [[nodiscard]] const ClockedArbiter* clocked_arbiter(std::uint32_t c) const;
    /// When the statistics began: 0, or the end of the warm-up.
    [[nodiscard]] TimePs statistics_since() const { return statistics_since_; }

  private:
    void start_of_simulation() override;
    [[nodiscard]] bool all_keep_local_time() const;
    bool dispatching(std::uint64_t id) override;
    void host_finished() override;
    void warmed_up() override { reset_statistics(); }
    [[nodiscard]] std::uint64_t programs() const override { return core_->programs(); }
    void bind(tlm::tlm_initiator_socket<64>& from, tlm::tlm_target_socket<64>& to);
    void build_channel(std::uint32_t c);
    std::unique_ptr<sc_core::sc_module> make_arbiter(std::uint32_t c);
    void begin_life();
    void begin_statistics();
    void reset_statistics();
    void end_or_tear(Drain& drain, RecoveryCounters& counters);
    void drain_buffer(Drain& drain, RecoveryCounters& counters);

    DrivePlan config_;
    SsdProbes probes_;
    std::uint64_t warmup_;
    bool run_ahead_ = false;
    TimePs statistics_since_ = 0;
    std::unique_ptr<DriveCore> core_;
    NandArray array_;
    std::unique_ptr<DriveData> data_; ///< null: none are kept
    std::unique_ptr<DataPath> data_path_;
    PreconditionResult preconditioned_;
    EventQueue events_{"events"};
    std::unique_ptr<HostInterface> host_;
    std::unique_ptr<BufferManager> buffer_manager_;
    std::unique_ptr<SdramController> sdram_;
    std::unique_ptr<Ecc> ecc_; ///< null: none
    std::unique_ptr<FlashScheduler> scheduler_;
    std::vector<std::unique_ptr<Channel>> channels_;
    std::vector<std::unique_ptr<sc_core::sc_module>> arbiters_;
    std::vector<std::unique_ptr<NandDie>> dies_; ///< by DieId
};

} // namespace cavern
