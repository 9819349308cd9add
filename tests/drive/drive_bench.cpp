#include "tests/drive/drive_bench.h"

#include <gtest/gtest.h>
#include <set>
#include <utility>

#include "config/config_loader.h"
#include "drive/core_builder.h"
#include "drive/host_builder.h"
#include "drive/untimed_drive.h"
#include "tests/support/list_source.h"
#include "tests/support/source_dir.h"
#include "timed/tlm/time.h"

namespace cavern::testing {

const std::vector<std::string>& small_drive_settings() {
    static const std::vector<std::string> settings{
        "nand.channels=2",          "nand.ways=2",
        "nand.blocks_per_plane=16", "nand.pages_per_block=8",
        "ftl.overprovision=0.55",   "buffer.policy=lru-page",
        "buffer.size=32KiB",        "dram.size=1MiB",
    };
    return settings;
}

SsdConfig small_drive(const std::vector<std::string>& overrides) {
    return small_drive_resolved(overrides).config;
}

ResolvedConfig small_drive_resolved(const std::vector<std::string>& overrides) {
    std::vector<std::string> all = small_drive_settings();
    all.insert(all.end(), overrides.begin(), overrides.end());
    return load_config(testing::source_dir() + "/configs/conventional.toml", all);
}

std::uint64_t capacity_of(const SsdConfig& config) {
    return build_core(config, nullptr)->ftl().logical_pages() *
           DrivePlan(config).geometry.page_bytes;
}

std::vector<HostRequest> random_requests(const Mix& mix, std::uint64_t capacity,
                                         std::uint32_t page_bytes) {
    Random random(mix.seed);
    std::vector<HostRequest> requests;
    TimePs now = 0;
    for (std::uint32_t i = 0; i < mix.requests; ++i) {
        HostRequest request;
        request.arrival = now;
        now += mix.mean_gap == 0 ? 0 : random.below(2 * mix.mean_gap);
        const std::uint64_t kind = random.below(100);
        request.op = kind < mix.reads                            ? RequestOp::kRead
                     : kind < mix.reads + mix.writes             ? RequestOp::kWrite
                     : kind < mix.reads + mix.writes + mix.trims ? RequestOp::kTrim
                                                                 : RequestOp::kFlush;
        // Whole pages, or any number of sectors at any sector.
        const std::uint64_t unit = random.below(2) == 0 ? page_bytes : 512;
        const std::uint64_t most = std::uint64_t{mix.max_pages} * page_bytes / unit;
        const std::uint64_t bytes = unit * (1 + random.below(most));
        request.offset = unit * random.below((capacity - bytes) / unit + 1);
        request.bytes = static_cast<std::uint32_t>(bytes);
        if (request.op == RequestOp::kFlush) {
            request.offset = 0;
            request.bytes = 0;
        }
        request.fua =
            mix.fua != 0 && request.op == RequestOp::kWrite && random.below(100) < mix.fua;
        if (mix.streams != 0 && request.op == RequestOp::kWrite) {
            request.stream = static_cast<std::uint16_t>(i % mix.streams);
        }
        requests.push_back(request);
    }
    return requests;
}

// ---- spy ----------------------------------------------------------------------------------------

tlm::tlm_sync_enum TransferSpy::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
    const bool request = phase == tlm::BEGIN_REQ;
    if (request) {
        begins(payload);
    }
    const tlm::tlm_sync_enum result = initiator_socket->nb_transport_fw(payload, phase, delay);
    if (request && result == tlm::TLM_COMPLETED) {
        ends(payload, kernel_ps() + to_ps(delay));
    }
    return result;
}

tlm::tlm_sync_enum TransferSpy::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_RESP) {
        ends(payload, kernel_ps() + to_ps(delay));
    }
    return target_socket->nb_transport_bw(payload, phase, delay);
}

FtlCounters untimed_counters(const SsdConfig& config, const std::vector<HostRequest>& requests) {
    UntimedDrive drive(config, build_core(config, nullptr));
    ListSource source(requests);
    drive.run(source, 0, nullptr);
    EXPECT_GT(drive.check_end_of_run(), 0u);
    return drive.core().ftl().counters();
}

// ---- bench --------------------------------------------------------------------------------------

/// Remembers what it gave.
class DriveBench::Source final : public RequestSourceIf {
  public:
    Source(std::shared_ptr<RequestSourceIf> source, std::vector<HostRequest> requests)
        : source_(source != nullptr ? std::move(source)
                                    : std::make_shared<ListSource>(std::move(requests))) {}
    bool next(HostRequest& request) override {
        const bool any = source_->next(request);
        if (any) {
            requests_.push_back(request);
        }
        return any;
    }
    [[nodiscard]] bool has_jobs() const override { return source_->has_jobs(); }
    void answered(std::uint32_t job) override { source_->answered(job); }
    [[nodiscard]] const std::vector<HostRequest>& requests() const { return requests_; }

  private:
    std::shared_ptr<RequestSourceIf> source_;
    std::vector<HostRequest> requests_;
};

class DriveBench::Observer final : public RunObserverIf {
  public:
    explicit Observer(std::function<void(std::uint64_t)> tell) : tell_(std::move(tell)) {}
    bool dispatching(std::uint64_t id) override {
        if (tell_) {
            tell_(id);
        }
        return true;
    }

  private:
    std::function<void(std::uint64_t)> tell_;
};

DriveBench::DriveBench(const sc_core::sc_module_name& name, const SsdConfig& config,
                       std::vector<HostRequest> requests)
    : DriveBench(name, config, std::move(requests), Options{}) {}

DriveBench::DriveBench(const sc_core::sc_module_name& name, const SsdConfig& config,
                       std::vector<HostRequest> requests, const Options& options)
    : sc_module(name), instead_{options.data, options.memory}, log_(options.log),
      observer_(std::make_unique<Observer>(options.dispatching)),
      source_(std::make_unique<Source>(options.source, std::move(requests))) {
    const DrivePlan plan(config);
    Shadow::Drive drive;
    drive.geometry = plan.geometry;
    drive.frames = plan.frames + plan.staging_slots + plan.copy_slots();
    drive.buffered = config.buffer.policy != nullptr;
    drive.keeps_reads = drive.buffered && config.buffer.cache_reads;
    drive.keeps_flushed = drive.buffered && config.buffer.flush_keep;
    drive.keeps_sectors = plan.keeps_sectors;
    drive.reads_again = config.ecc.errors.model != BitErrors::kNone;
    drive.location = [this](Lpn lpn) { return ssd_->core().ftl().location(lpn); };
    drive.pending = [this](Ppn page) {
        const OpGraph::Pending pending = ssd_->scheduler().queues().graph().pending_program(page);
        return pending.found && pending.host;
    };
    drive.page_of = [this](TaskId task) { return ssd_->buffer_manager().page_of(task); };
    shadow_ = std::make_unique<Shadow>(std::move(drive));
    std::unique_ptr<DriveCore> core = options.make_core ? options.make_core(config, shadow_.get())
                                                        : build_core(config, shadow_.get());
    capacity_ = core->ftl().logical_pages() * plan.geometry.page_bytes;
    HostInterface::Params host;
    host.queue_depth = most_outstanding(config.host);
    host.closed_loop = options.closed_loop;
    host.warmup = options.warmup;
    SsdProbes taps;
    taps.requests = this;
    taps.activity = shadow_.get();
    taps.binder = this;
    taps.data = options.host_data;
    taps.observer = observer_.get();
    taps.around_transport = options.around_transport;
    ssd_ = std::make_unique<Ssd>("ssd", config, std::move(core), *source_, host, taps);
    if (options.run_ahead) {
        ssd_->run_ahead();
    }
    shadow_->begin_timed();
}

DriveBench::~DriveBench() = default;

/// Called for commands, link and SDRAM in this order.
void DriveBench::bind(tlm::tlm_initiator_socket<64>& from, tlm::tlm_target_socket<64>& to) {
    const std::string number = std::to_string(monitors_.size());
    monitors_.push_back(std::make_unique<BaseProtocolMonitor>(("monitor_" + number).c_str()));
    BaseProtocolMonitor& monitor = *monitors_.back();
    from.bind(monitor.target_socket);
    spies_.push_back(std::make_unique<TransferSpy>(("spy_" + number).c_str()));
    TransferSpy& spy = *spies_.back();
    monitor.initiator_socket.bind(spy.target_socket);
    // The first link is that of commands.
    tlm::tlm_target_socket<64>* instead =
        monitors_.size() == 1 ? nullptr : instead_.at(monitors_.size() - 2);
    if (instead != nullptr) {
        idle_.push_back(std::make_unique<RawInitiator>(("idle_" + number).c_str()));
        idle_.back()->socket.bind(to);
        spy.initiator_socket.bind(*instead);
    } else {
        spy.initiator_socket.bind(to);
    }
    using Payload = tlm::tlm_generic_payload;
    if (monitors_.size() == 1) {
        spy.begins = [this](const Payload& payload) {
            arrived_.push_back(source_->requests()[HostCommandExtension::find(payload)->id]);
        };
    } else if (monitors_.size() == 2) {
        spy.begins = [this](const Payload& payload) { shadow_->link_begins(payload); };
    } else {
        spy.begins = [this](const Payload& payload) { shadow_->sdram_begins(payload); };
        spy.ends = [this](const Payload& payload, TimePs at) { shadow_->sdram_ends(payload, at); };
    }
}

void DriveBench::completed(const CompletedRequest& request) {
    const HostCommandExtension& where = *request.where;
    answered_.push_back({request.request, where.id, where.dispatch, request.completed, where.pages,
                         where.hits, where.frame_wait, where.flash});
    if (log_ != nullptr) {
        log_->completed(request);
    }
}

std::uint64_t DriveBench::programs() const {
    std::uint64_t sum = 0;
    for (std::uint32_t die = 0; die < DrivePlan(ssd_->config()).geometry.dies(); ++die) {
        sum += ssd_->die(DieId{die}).statistics().programs;
    }
    return sum;
}

std::uint64_t DriveBench::erases() const {
    std::uint64_t sum = 0;
    for (std::uint32_t die = 0; die < DrivePlan(ssd_->config()).geometry.dies(); ++die) {
        sum += ssd_->die(DieId{die}).statistics().erases;
    }
    return sum;
}

double DriveBench::waf() const {
    const FtlCounters& counters = ssd_->core().ftl().counters();
    return 1.0 + static_cast<double>(counters.gc_pages) / static_cast<double>(counters.host_pages);
}

void DriveBench::expect_sound() const {
    EXPECT_GT(ssd_->check_end_of_run(), 0u);
    // The host's ledger has four steps of every command: issued, taken up, answered, completed.
    EXPECT_GE(ssd_->host().check_idle(), 4 * source_->requests().size());

    std::set<std::uint64_t> ids;
    for (const Answered& each : answered_) {
        EXPECT_TRUE(ids.insert(each.id).second) << "request " << each.id << " answered twice";
        EXPECT_LE(each.request.arrival, each.dispatch);
        EXPECT_LE(each.dispatch, each.completed);
        EXPECT_LE(each.frame_wait + each.flash, each.completed - each.dispatch)
            << "the parts of request " << each.id << " overlap";
    }
    EXPECT_EQ(ids.size(), source_->requests().size());

    ASSERT_EQ(monitors_.size(), 3u);
    for (const auto& monitor : monitors_) {
        EXPECT_TRUE(monitor->breaches().empty()) << monitor->breaches().front();
        EXPECT_GT(monitor->transactions(), 0u) << monitor->name();
        EXPECT_EQ(monitor->unfinished(), 0u);
    }
    EXPECT_EQ(monitors_[0]->transactions(), source_->requests().size());

    for (const std::string& contradiction : shadow_->contradictions()) {
        ADD_FAILURE() << contradiction;
    }
    EXPECT_EQ(shadow_->unserved(), 0u);
    EXPECT_EQ(ssd_->buffer_manager().statistics().zero_reads, shadow_->checked().zeros);
    for (const Answered& each : answered_) {
        if (each.request.op == RequestOp::kFlush) {
            const auto missing = shadow_->missing_after_flush(each.dispatch, each.completed);
            EXPECT_TRUE(missing.empty()) << "flush " << each.id << " left " << missing.size();
        }
        if (each.request.fua) {
            const std::uint64_t page_bytes = DrivePlan(ssd_->config()).geometry.page_bytes;
            for (std::uint64_t at = each.request.offset / page_bytes;
                 at * page_bytes < each.request.offset + each.request.bytes; ++at) {
                EXPECT_TRUE(shadow_->programmed_between(Lpn{at}, each.dispatch, each.completed))
                    << "write " << each.id << " with force unit access, page " << at;
            }
        }
    }
}

} // namespace cavern::testing
