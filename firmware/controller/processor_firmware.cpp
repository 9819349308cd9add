#include "firmware/controller/processor_firmware.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/base/error.h"
#include "cosim/ibex_processor.h"
#include "cosim/rtl_registers.h"
#include "cpu/iss_processor.h"
#include "cpu/register_block.h"
#include "firmware/drive/drive.h"
#include "firmware/drive/image/boot.h"
#include "firmware/twin/drive_words.h"
#include "timed/tlm/time.h"

namespace cavern {

namespace {

namespace regs = cpu::regs;

constexpr std::uint32_t kNone = DRIVE_NONE;
constexpr std::uint32_t kArenaOffset = 4096; ///< behind drive_boot
constexpr std::uint64_t kMegabyte = 1024 * 1024;
/// Instructions that clearing a byte of the tables may take, generously.
constexpr std::uint64_t kInstructionsPerByte = 2;

static_assert(sizeof(drive_boot) <= kArenaOffset);
static_assert(kNone == FlashOp::kNoFrame);

cpu::RegisterGeometry shown(const FirmwareParams& drive, const drive_config& config,
                            const ProcessorFirmware::Params& params) {
    const Geometry& g = drive.geometry;
    cpu::RegisterGeometry geometry;
    geometry.channels = static_cast<std::uint8_t>(g.channels);
    geometry.ways = static_cast<std::uint8_t>(g.ways * g.dies_per_way);
    geometry.planes = static_cast<std::uint8_t>(g.planes_per_die);
    geometry.blocks = g.blocks_per_plane;
    geometry.pages = g.pages_per_block;
    geometry.page_bytes = params.page_bytes;
    geometry.logical_pages = config.logical_pages;
    geometry.frames = config.frames;
    geometry.clock_khz = static_cast<std::uint32_t>(1'000'000'000 / params.period);
    return geometry;
}

} // namespace

std::optional<cpu::MemoryMap> controller_map(const FirmwareParams& drive) {
    const drive_config config = firmware_config(drive);
    // The host's tables are no smaller: their pointers are wider.
    const std::uint64_t tables =
        kArenaOffset + drive_boot_scratch(&config) + drive_bytes(&config) + 64;
    cpu::MemoryMap map;
    const std::uint64_t size =
        std::max<std::uint64_t>(map.sdram.size, (tables + kMegabyte - 1) / kMegabyte * kMegabyte);
    if (size > std::uint64_t{1} << 31) {
        return std::nullopt;
    }
    map.sdram.size = static_cast<std::uint32_t>(size);
    return map;
}

ProcessorFirmware::ProcessorFirmware(const FirmwareParams& drive, cpu::Program program,
                                     const Params& params)
    : program_(std::move(program)), period_(params.period), page_bytes_(params.page_bytes),
      geometry_(drive.geometry), runner_(params.watchdog),
      versions_(drive.geometry), batch_{ops_, victims_, none_} {
    if (params.watch != nullptr) {
        watches_.push_back(params.watch);
    }
    build(drive, params);
}

ProcessorFirmware::~ProcessorFirmware() = default;

void ProcessorFirmware::report_to(ProcessorLogIf& log) {
    timeline_ = std::make_unique<FirmwareTimeline>(log, *processor_, program_, period_);
    watches_.push_back(timeline_.get());
}

void ProcessorFirmware::build(const FirmwareParams& drive, const Params& params) {
    const std::optional<cpu::MemoryMap> map = controller_map(drive);
    CAVERN_CHECK(map, "the tables of the firmware fit into the SDRAM");
    if (params.rtl_registers) {
        registers_ = std::make_unique<RtlRegisters>(make_register_model(params.seed), nullptr,
                                                    "registers of the drive");
    } else {
        registers_ = std::make_unique<cpu::RegisterBlock>(nullptr);
    }
    devices_ = std::make_unique<cpu::ControllerDevices>(
        *map, *registers_,
        [this](const cpu::FlashOperation& entry, std::uint64_t cycle) {
            runner_.take(entry, cycle);
        },
        [this](char byte, std::uint64_t cycle) {
            runner_.log(byte);
            for (FirmwareWatchIf* const watch : watches_) {
                watch->printed(byte, cycle);
            }
        },
        params.cycles_per_entry);
    cpu::BusIf* bus = devices_.get();
    if (params.transactions) {
        bus_ = std::make_unique<ProcessorBus>("controller_processor", *devices_, period_);
        bus = bus_.get();
    }
    if (params.core == ProcessorCore::kIss) {
        processor_ = std::make_unique<cpu::IssProcessor>(*map, *devices_, *bus);
    } else {
        processor_ = std::make_unique<IbexProcessor>(params.core == ProcessorCore::kIbex
                                                         ? IbexProcessor::Core::kIbex
                                                         : IbexProcessor::Core::kLockstep,
                                                     *map, *devices_, *bus, params.seed);
    }
    if (params.transactions) {
        bus_->connect(processor_->memory());
        target_ = std::make_unique<ControllerTarget>("controller_devices", *devices_,
                                                     processor_->memory(), period_);
        bus_->socket.bind(target_->socket);
    }
    drive_boot boot{};
    boot.magic = DRIVE_BOOT_MAGIC;
    boot.bytes = sizeof boot;
    boot.arena = map->sdram.base + kArenaOffset;
    boot.arena_bytes = map->sdram.size - kArenaOffset;
    boot.config = firmware_config(drive);
    CAVERN_CHECK(processor_->memory().write(map->sdram.base, &boot, sizeof boot),
                 "the SDRAM holds the boot block");
    registers_->set_geometry(shown(drive, boot.config, params));
    runner_.connect(*processor_, *devices_, program_);
    for (FirmwareWatchIf* const watch : watches_) {
        watch->starting(*processor_, program_);
    }
    runner_.start(params.watchdog + kInstructionsPerByte * drive_bytes(&boot.config));
    for (FirmwareWatchIf* const watch : watches_) {
        watch->asleep(processor_->cycle());
    }
}

// ---- requests -----------------------------------------------------------------------------------

std::string ProcessorFirmware::name_of(const cpu::HostRequest& request) const {
    const auto pages = [&request](const char* what) {
        return fmt::format("{} of {} logical pages from {} on", what, request.pages, request.page);
    };
    std::string text;
    switch (request.opcode) {
    case regs::Opcode::kRead:
        text = pages("read");
        break;
    case regs::Opcode::kWrite:
        text = pages(request.fua ? "write through" : "write");
        break;
    case regs::Opcode::kTrim:
        text = pages("trim");
        break;
    case regs::Opcode::kFlush:
        text = "flush";
        break;
    case regs::Opcode::kMaintain:
        text = fmt::format("work ahead for plane {}", request.page);
        break;
    case regs::Opcode::kFill:
        text = pages("fill");
        break;
    }
    return fmt::format("request {}, {}", host_request_, text);
}

void ProcessorFirmware::refuse(const cpu::HostRequest& request, const std::string& what) const {
    throw FirmwareError(fmt::format("{}: {}: {}", program_.path(), name_of(request), what));
}

std::uint64_t ProcessorFirmware::ask(const cpu::HostRequest& request) {
    if (cycle_at_zero_) {
        catch_up();
    }
    const auto named = [this, &request] { return name_of(request); };
    if (!watches_.empty()) {
        const auto now = cycle_at_zero_ ? std::optional(now_ps()) : std::nullopt;
        for (FirmwareWatchIf* const watch : watches_) {
            watch->woken({processor_->cycle(), now, named});
        }
    }
    const cpu::RequestRunner::Cost cost = runner_.run(request, named);
    for (FirmwareWatchIf* const watch : watches_) {
        watch->asleep(processor_->cycle());
    }
    ++statistics_.requests;
    statistics_.instructions += cost.instructions;
    statistics_.cycles += cost.to_doorbell + cost.after_doorbell;
    after_doorbell_ = cost.after_doorbell;
    keep_answers(request);
    return cost.to_doorbell;
}

FlashOp ProcessorFirmware::op_of(const Entry& entry, std::size_t number) const {
    const bool program = entry.kind == regs::Operation::kProgram;
    const bool read = entry.kind == regs::Operation::kRead;
    const bool host = entry.origin == regs::Origin::kHost;
    const Ppn page = page_of(read ? entry.source : entry.destination);
    const Lpn lpn = entry.logical_page == kNone ? kNoLpn : Lpn{entry.logical_page};
    CAVERN_CHECK(page != kNoPpn && raw(page) < geometry_.pages(), "a page that the drive has");
    CAVERN_CHECK(lpn == kNoLpn || raw(lpn) < geometry_.pages(), "a logical page of the drive");
    CAVERN_CHECK(host || entry.origin == regs::Origin::kCollection, "an origin that it knows");
    CAVERN_CHECK(!entry.waits || entry.after < number, "an operation waits for one before it");
    FlashOp op(read      ? FlashOpKind::kRead
               : program ? FlashOpKind::kProgram
                         : FlashOpKind::kErase,
               host ? Origin::kHost : Origin::kGc, page, lpn,
               entry.waits ? static_cast<std::int32_t>(entry.after) : FlashOp::kNone);
    if (program) {
        op.copies = entry.copies;
        op.frame = entry.frame;
        op.supersedes = page_of(entry.supersedes);
        CAVERN_CHECK(op.supersedes == kNoPpn || raw(op.supersedes) < geometry_.pages(),
                     "a page replaces one that the drive has");
    }
    return op;
}

void ProcessorFirmware::keep_answers(const cpu::HostRequest& request) {
    if (next_answer_ == answers_.size()) {
        answers_.clear();
        next_answer_ = 0;
        all_ops_.clear();
        all_drops_.clear();
    }
    const std::size_t before = answers_.size();
    std::size_t first_op = all_ops_.size();
    std::size_t first_drop = all_drops_.size();
    for (const Entry& entry : runner_.entries()) {
        switch (entry.kind) {
        case regs::Operation::kRead:
        case regs::Operation::kProgram:
        case regs::Operation::kErase:
            try {
                all_ops_.push_back(op_of(entry, all_ops_.size() - first_op));
            } catch (const ModelError& error) {
                refuse(request, error.what());
            }
            break;
        case regs::Operation::kDrop:
            all_drops_.push_back(FrameId{entry.frame});
            break;
        case regs::Operation::kAnswer: {
            Answer answer;
            answer.of = request;
            answer.entry = entry;
            answer.first_op = first_op;
            answer.ops = all_ops_.size() - first_op;
            answer.first_drop = first_drop;
            answer.drops = all_drops_.size() - first_drop;
            first_op = all_ops_.size();
            first_drop = all_drops_.size();
            answers_.push_back(answer);
            break;
        }
        default:
            refuse(request, fmt::format("it pushes an entry of kind {}, which this drive does not "
                                        "know",
                                        static_cast<unsigned>(entry.kind)));
        }
    }
    if (first_op != all_ops_.size() || first_drop != all_drops_.size()) {
        refuse(request, "it pushes operations of no answer");
    }
    const bool by_page =
        request.opcode == regs::Opcode::kRead || request.opcode == regs::Opcode::kWrite;
    const std::size_t expected = by_page ? request.pages : 1;
    const std::size_t answers = answers_.size() - before;
    if (request.opcode != regs::Opcode::kFlush && answers != expected) {
        refuse(request, fmt::format("it gives {} answers and not {}", answers, expected));
    }
}

// ---- answers ------------------------------------------------------------------------------------

ProcessorFirmware::Answer ProcessorFirmware::take_answer(const cpu::HostRequest& wanted) {
    if (next_answer_ == answers_.size()) {
        ask(wanted);
        if (answers_.empty()) {
            refuse(wanted, "it gives no answer");
        }
    }
    const Answer answer = answers_[next_answer_++];
    const bool flush = wanted.opcode == regs::Opcode::kFlush;
    if (answer.of.opcode != wanted.opcode || answer.of.fua != wanted.fua ||
        (!flush && answer.entry.logical_page != wanted.page)) {
        refuse(wanted, fmt::format("it has answered for page {} of a {}", answer.entry.logical_page,
                                   name_of(answer.of)));
    }
    const auto begin = all_ops_.begin() + static_cast<std::ptrdiff_t>(answer.first_op);
    ops_.assign(begin, begin + static_cast<std::ptrdiff_t>(answer.ops));
    return answer;
}

const Batch& ProcessorFirmware::batch_of(const Answer& answer, bool victims) {
    versions_.number(ops_);
    victims_.clear();
    for (const FlashOp& op : ops_) {
        if (victims && op.is_hosts()) {
            victims_.push_back({op.lpn, FrameId{op.frame}});
        }
    }
    batch_.units = answer.entry.units;
    return batch_;
}

WriteDecision ProcessorFirmware::write(Lpn lpn) {
    const Answer answer = take_answer({regs::Opcode::kWrite, false, 0, narrow(raw(lpn)), 1, 0});
    return {answer.entry.hit, FrameId{answer.entry.frame}, batch_of(answer)};
}

WriteDecision ProcessorFirmware::write_through(Lpn lpn) {
    const Answer answer = take_answer({regs::Opcode::kWrite, true, 0, narrow(raw(lpn)), 1, 0});
    return {answer.entry.hit, FrameId{answer.entry.frame}, batch_of(answer)};
}

ReadDecision ProcessorFirmware::read(Lpn lpn) {
    const Answer answer = take_answer({regs::Opcode::kRead, false, 0, narrow(raw(lpn)), 1, 0});
    const Entry& entry = answer.entry;
    const PageVersion version = entry.hit ? 0 : versions_.newest(lpn);
    return {entry.hit, FrameId{entry.frame}, page_of(entry.source), false,
            version,   batch_of(answer)};
}

TrimDecision ProcessorFirmware::trim(Lpn first, std::uint64_t count) {
    const Answer answer =
        take_answer({regs::Opcode::kTrim, false, 0, narrow(raw(first)), narrow(count), 0});
    const auto begin = all_drops_.begin() + static_cast<std::ptrdiff_t>(answer.first_drop);
    trimmed_.assign(begin, begin + static_cast<std::ptrdiff_t>(answer.drops));
    const Batch& batch = batch_of(answer);
    for (std::uint64_t page = raw(first); page < raw(first) + count; ++page) {
        versions_.forget(Lpn{page});
    }
    return {count, trimmed_, batch};
}

const Batch* ProcessorFirmware::flush_step() {
    const Answer answer = take_answer({regs::Opcode::kFlush, false, 0, 0, 1, 0});
    const Batch& batch = batch_of(answer);
    return answer.entry.done ? &batch : nullptr;
}

const Batch* ProcessorFirmware::maintain(PlaneId plane, std::uint32_t copies) {
    const Answer answer =
        take_answer({regs::Opcode::kMaintain, false, 0, narrow(raw(plane)), copies, 0});
    const Batch& batch = batch_of(answer);
    return answer.entry.done ? &batch : nullptr;
}

const Batch& ProcessorFirmware::fill(const Lpn* lpns, std::size_t count) {
    CAVERN_CHECK(count != 0 && raw(lpns[count - 1]) - raw(lpns[0]) == count - 1,
                 "pages that fill a drive together follow each other");
    const Answer answer =
        take_answer({regs::Opcode::kFill, false, 0, narrow(raw(lpns[0])), narrow(count), 0});
    return batch_of(answer, false);
}

// ---- time ---------------------------------------------------------------------------------------

std::uint64_t ProcessorFirmware::to_decide(const DeviceCommand& command,
                                           const CommandPages& pages) {
    host_request_ = command.request;
    after_doorbell_ = 0;
    if (command.op != RequestOp::kFlush && pages.count() == 0) {
        return 0; // nothing is decided
    }
    begin_time();
    constexpr regs::Opcode kOpcodes[] = {regs::Opcode::kRead, regs::Opcode::kWrite,
                                         regs::Opcode::kTrim, regs::Opcode::kFlush};
    const bool flush = command.op == RequestOp::kFlush;
    const bool through = command.fua && command.op == RequestOp::kWrite;
    return ask({kOpcodes[static_cast<std::size_t>(command.op)], through, 0,
                flush ? 0 : narrow(pages.first), flush ? 0 : narrow(pages.count()), 0});
}

std::uint64_t ProcessorFirmware::to_work_ahead(PlaneId plane, std::uint32_t copies) {
    begin_time();
    return ask({regs::Opcode::kMaintain, false, 0, narrow(raw(plane)), copies, 0});
}

void ProcessorFirmware::begin_time() {
    if (!cycle_at_zero_) {
        cycle_at_zero_ = processor_->cycle();
        reset_statistics();
    }
}

/// Time has passed while it slept.
void ProcessorFirmware::catch_up() {
    const std::uint64_t now = *cycle_at_zero_ + now_ps() / period_;
    if (now > processor_->cycle()) {
        processor_->pass(now - processor_->cycle());
    }
    if (bus_ != nullptr) {
        bus_->begin(processor_->cycle());
    }
}

std::uint64_t ProcessorFirmware::to_hand_on(const DecisionWork& /*brought*/) {
    return std::exchange(after_doorbell_, 0);
}

} // namespace cavern
