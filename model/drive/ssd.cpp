#include "drive/ssd.h"

#include <utility>

#include "core/arbiter/reference_arbiter.h"
#include "core/base/check.h"
#include "core/drive/array_check.h"
#include "core/recovery/torn.h"
#include "cosim/lockstep_arbiter.h"
#include "cosim/rtl_arbiter.h"
#include "cosim/user_models.h"
#include "drive/core_builder.h"
#include "drive/cpu_builder.h"
#include "drive/host_builder.h"
#include "drive/power_loss.h"
#include "timed/channel/tlm_arbiter.h"
#include "timed/tlm/local_time_if.h"
#include "timed/tlm/time.h"

namespace cavern {
Ssd::Ssd(const sc_core::sc_module_name& name, const DrivePlan& config,
         std::unique_ptr<DriveCore> core, RequestSourceIf& source,
         const HostInterface::Params& host, const SsdProbes& taps, std::unique_ptr<SsdFlash> flash)
    : sc_module(name), config_(config), probes_(taps), warmup_(host.warmup), core_(std::move(core)),
      array_(flash != nullptr ? std::move(flash->array)
                              : NandArray(config.geometry, config.nand.strict_order, true)),
      data_(flash != nullptr ? std::move(flash->data) : make_data(config, *core_, taps.data)) {
    const Geometry& geometry = config_.geometry;
    if (flash == nullptr) {
        begin_life(); // the shell finds what is in the buffer
    }
    if (data_ != nullptr) {
        data_path_ = std::make_unique<DataPath>(*data_, config_.frames + config_.staging_slots,
                                                config_.copy_slots());
    }

    std::unique_ptr<HostTransportIf> transport =
        make_transport(config.host, host.queue_depth, events_);
    if (taps.around_transport) {
        transport = taps.around_transport(std::move(transport));
    }
    host_ = std::make_unique<HostInterface>("host", host, std::move(transport), source, *this,
                                            taps.requests, taps.activity);
    const WriteBuffer* buffer = std::as_const(*core_).buffer();
    if (probes_.decision_cost == nullptr) {
        probes_.decision_cost = make_decision_cost(config_, core_->ftl().logical_pages());
    }
    buffer_manager_ = std::make_unique<BufferManager>(
        "buffer_manager", events_,
        BufferManager::Params{
            geometry,
            config_.frames,
            config_.staging_slots,
            buffer != nullptr && buffer->trigger().insert_waits_for_batch(),
            config_.in_turn,
            config_.read_grain,
            config_.ecc.errors.model != BitErrors::kNone,
            core_->ftl().maintains() ? config_.ftl.background_after : kNever,
            probes_.decision_cost.get(),
            {config_.cpu.cores, clock_period(config_.cpu.hz), geometry.page_bytes, taps.processors},
            {config_.dram.map_traffic, config_.dram.bytes - config_.map_bytes, kMapEntryBytes},
            data_path_.get()},
        *core_, taps.activity);
    sdram_ = std::make_unique<SdramController>(
        "sdram", config_.dram.timing, config_.dram.bytes, config_.dram.model == SdramModel::kIdeal,
        config_.dram.scheduling == SdramScheduling::kAhead,
        SdramInterleave{config_.dram.channels, config_.dram.stripe_bytes});
    scheduler_ = std::make_unique<FlashScheduler>(
        geometry,
        FlashScheduler::Params{config_.scheduler.discipline, config_.nand.multi_plane,
                               config_.nand.column_change, config_.copy_slots_per_die,
                               config_.nand.multi_plane_read, config_.nand.multi_plane_erase,
                               config_.nand.timing.suspend, config_.scheduler.write_limit,
                               config_.nand.timing.cache, config_.nand.timing.copy_back.most()},
        *buffer_manager_, events_);

    if (config_.ecc.engine) {
        ecc_ =
            std::make_unique<Ecc>(geometry, config_.nand.timing, config_.ecc, array_, config_.seed);
        scheduler_->queues().use(*ecc_);
    }
    if (data_path_ != nullptr) {
        scheduler_->queues().use(*data_path_);
    }
    if (probes_.decision_cost != nullptr && taps.processors != nullptr) {
        probes_.decision_cost->report_to(*taps.processors);
    }
    scheduler_->queues().report_to(core_->load(), now_ps);
    if (core_->trims() != nullptr) {
        const std::uint64_t torn = pages_torn_along(geometry, config_.cell_pages);
        core_->carried_out_by([this, torn] { return scheduler_->outstanding() + torn; });
    }
    bind(host_->command_initiator.socket, buffer_manager_->host_target.socket);
    bind(buffer_manager_->link_initiator().socket, host_->data_target.socket);
    bind(buffer_manager_->sdram_initiator().socket, sdram_->target_socket);
    if (probes_.binder == nullptr) {
        buffer_manager_->ask_directly(*host_, *sdram_);
    }
    buffer_manager_->connect(*scheduler_);

    dies_.resize(geometry.dies());
    for (std::uint32_t c = 0; c < geometry.channels; ++c) {
        build_channel(c);
    }
    if (flash == nullptr && probes_.oracle != nullptr) {
        core_->begin_map_log(array_);
        probes_.oracle->start(*core_, array_, data_.get());
    }
    if (config_.nand.timing.copy_back.on) {
        array_.count_copies();
    }
}

/// Of a drive that comes from the factory.
void Ssd::begin_life() {
    std::unique_ptr<UntimedData> fill;
    if (data_ != nullptr) {
        fill = std::make_unique<UntimedData>(*data_, 0);
    }
    preconditioned_ =
        begin_drive(config_, *core_, array_, fill.get(), probes_.observer, probes_.beginning);
}

Ssd::~Ssd() = default;

void Ssd::bind(tlm::tlm_initiator_socket<64>& from, tlm::tlm_target_socket<64>& to) {
    if (probes_.binder != nullptr) {
        probes_.binder->bind(from, to);
    } else {
        from.bind(to);
    }
}

void Ssd::start_of_simulation() {
    if (run_ahead_ && all_keep_local_time()) {
        events_.run_ahead();
    }
}

/// Each socket of the base protocol is asked from both ends: either may be
/// bound to somebody else.
bool Ssd::all_keep_local_time() const {
    const auto both = [](const auto& from, const auto& to) {
        return peer_keeps_local_time(from, CallPath::kForward) &&
               peer_keeps_local_time(to, CallPath::kBackward);
    };
    return both(host_->command_initiator.socket, buffer_manager_->host_target.socket) &&
           both(buffer_manager_->link_initiator().socket, host_->data_target.socket) &&
           both(buffer_manager_->sdram_initiator().socket, sdram_->target_socket);
}

void Ssd::build_channel(std::uint32_t c) {
    const Geometry& geometry = config_.geometry;
    const ChannelId id{c};
    channels_.push_back(std::make_unique<Channel>(("channel_" + std::to_string(c)).c_str(), events_,
                                                  id, geometry, config_.nand.timing, *scheduler_,
                                                  probes_.activity));
    Channel& channel = *channels_.back();
    scheduler_->queues().connect(id, channel);
    for (std::uint32_t slot = 0; slot < geometry.dies_per_channel(); ++slot) {
        const DieId die = geometry.die_at(id, slot);
        const std::string die_name = "die_" + std::to_string(c) + "_" + std::to_string(slot);
        dies_[raw(die)] = std::make_unique<NandDie>(die_name.c_str(), events_, die,
                                                    config_.nand.timing, array_, probes_.activity);
        if (data_ != nullptr) {
            dies_[raw(die)]->keep(data_->flash());
        }
        channel.nand_initiator_socket(slot).bind(dies_[raw(die)]->channel_target_socket);
    }
    arbiters_.push_back(make_arbiter(c));
    channel.connect(dynamic_cast<ChannelArbiterIf&>(*arbiters_.back()));
}

std::unique_ptr<sc_core::sc_module> Ssd::make_arbiter(std::uint32_t c) {
    const std::string name = "arbiter_" + std::to_string(c);
    const std::string label = "channel " + std::to_string(c);
    const ChannelConfig& arbiter = config_.channel;
    const std::uint32_t slots = config_.nand.geometry.dies_per_channel();
    const TimePs period = clock_period(arbiter.arbiter_hz);
    const std::uint32_t age_limit = config_.age_limit_cycles;
    if (arbiter.arbiter == ArbiterKind::kTlm) {
        return std::make_unique<TlmArbiter>(name.c_str(), slots, arbiter.policy, age_limit, period,
                                            *channels_[c]);
    }
    const std::uint64_t seed = config_.seed + c;
    std::unique_ptr<RtlArbiter> rtl =
        arbiter.rtl_top.empty()
            ? make_rtl_arbiter(slots, arbiter.policy, age_limit, seed, period, label)
            : make_user_arbiter(slots, age_limit, seed, period, label);
    if (c == 0 && !probes_.waves.empty()) {
        rtl->open_waves(probes_.waves);
    }
    std::unique_ptr<ClockedArbiterIf> model = std::move(rtl);
    if (arbiter.arbiter == ArbiterKind::kLockstep) {
        model = std::make_unique<LockstepArbiter>(
            std::move(model), std::make_unique<ReferenceArbiter>(slots, arbiter.policy, age_limit),
            label);
    }
    return std::make_unique<ClockedArbiter>(name.c_str(), std::move(model), slots, period,
                                            arbiter.gate_clock, *channels_[c]);
}

const ClockedArbiter* Ssd::clocked_arbiter(std::uint32_t c) const {
    return dynamic_cast<const ClockedArbiter*>(arbiters_[c].get());
}

bool Ssd::dispatching(std::uint64_t id) {
    if (id == warmup_) {
        begin_statistics();
    }
    return id % RunObserverIf::kAskEvery != 0 || probes_.observer == nullptr ||
           probes_.observer->dispatching(id);
}

void Ssd::host_finished() {
    // An ungated clock would keep the simulation alive for ever.
    for (const auto& arbiter : arbiters_) {
        if (auto* clocked = dynamic_cast<ClockedArbiter*>(arbiter.get())) {
            clocked->gate();
        }
    }
}

void Ssd::begin_statistics() {
    if (warmup_ != 0) {
        reset_statistics();
    } else {
        host_->begin_statistics();
    }
}

void Ssd::restart_statistics() {
    host_->restart_statistics();
    reset_statistics();
}

void Ssd::reset_statistics() {
    statistics_since_ = now_ps();
    host_->reset_statistics();
    core_->reset_counters();
    if (data_ != nullptr) {
        data_->reset_statistics();
    }
    buffer_manager_->reset_statistics();
    if (probes_.decision_cost != nullptr) {
        probes_.decision_cost->reset_statistics();
    }
    sdram_->reset_statistics();
    scheduler_->queues().reset_statistics();
    if (ecc_ != nullptr) {
        ecc_->reset_statistics();
    }
    for (const auto& channel : channels_) {
        channel->reset_statistics();
    }
    for (const auto& die : dies_) {
        die->reset_statistics();
    }
}

bool Ssd::read_stored(Lpn page, std::byte* to) {
    const Ppn place = core_->ftl().location(page);
    if (place != kNoPpn) {
        data_->store().read(data_->flash().read(place), 0, data_->store().sectors(), to);
    }
    return place != kNoPpn;
}

std::uint64_t Ssd::check_end_of_run() const {
    std::uint64_t facts = host_->check_idle() + buffer_manager_->check_idle() +
                          scheduler_->check_idle() + array_.checks();
    // Proportional to the drive, written or not.
    if (core_->ftl().logical_pages() <= kFullCheckPages) {
        facts += core_->check_invariants();
    }
    return facts + check_array_follows_core(*core_, array_);
}

} // namespace cavern
