#include "results/flash_waves.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/base/check.h"

namespace cavern {
namespace {

// First and second command cycle, ONFI 5.1 section 5.1.
struct Opcodes {
    std::uint32_t first;
    std::uint32_t second;
};
constexpr Opcodes kRead{0x00, 0x30};
constexpr Opcodes kProgram{0x80, 0x10};
constexpr Opcodes kErase{0x60, 0xD0};
constexpr Opcodes kColumn{0x05, 0xE0}; // of the page register
constexpr Opcodes kPlane{0x06, 0xE0};  // of the page register of a plane
// Instead of the second cycle, or alone: by way of the cache register.
constexpr Opcodes kCopyRead{0x00, 0x35}, kCopyProgram{0x85, 0x10};
constexpr std::uint32_t kCacheRead = 0x31, kCacheEnd = 0x3F, kCacheProgram = 0x15;
// Instead of the second cycle: another plane's page follows.
constexpr std::uint32_t kNextRead = 0x32, kNextProgram = 0x11, kNextErase = 0xD1;
// Micron MT29F data sheets; ONFI has none.
constexpr std::uint32_t kSuspendProgram = 0x84, kResumeProgram = 0x13;
constexpr std::uint32_t kSuspendErase = 0x61, kResumeErase = 0xD2;

constexpr std::uint32_t kWidths[] = {1, 1, 1, 1, 8, 0}; // by BusSignal; 0 is text
constexpr std::uint32_t kStatus = 0x70, kStatusEnhanced = 0x78;

constexpr std::uint32_t kCounterWidth = 32;

} // namespace

FlashWaves::FlashWaves(const std::string& path, const Geometry& geometry, const NandTiming& timing,
                       TimeWindow window, std::string rtl_waves)
    : ResultFile(path), geometry_(geometry), timing_(timing), window_(window),
      rtl_waves_(std::move(rtl_waves)),
      page_time_(timing.data_time(std::uint64_t{geometry.page_bytes} + geometry.spare_bytes)),
      slots_(geometry.dies_per_channel()),
      signals_(2 + geometry.channels * (kBusSignals + slots_ * kWaySignals)) {
    number_of("");
}

std::uint32_t FlashWaves::host_signal(std::uint32_t which) const {
    return which;
}

std::uint32_t FlashWaves::bus_signal(std::uint32_t channel, BusSignal signal) const {
    return 2 + channel * (kBusSignals + slots_ * kWaySignals) + signal;
}

std::uint32_t FlashWaves::way_signal(std::uint32_t channel, std::uint32_t slot,
                                     WaySignal signal) const {
    return bus_signal(channel, kBusSignals) + slot * kWaySignals + signal;
}

void FlashWaves::add(TimePs time, std::uint32_t signal, std::uint32_t value) {
    changes_.push_back({time, signal, value});
}

std::uint32_t FlashWaves::number_of(const std::string& text) {
    const auto [entry, fresh] = numbers_.emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (fresh) {
        texts_.push_back(text);
    }
    return entry->second;
}

/// One command or address cycle; returns its end.
TimePs FlashWaves::cycle(std::uint32_t channel, TimePs time, BusSignal latch, std::uint32_t byte) {
    const TimePs end = time + timing_.command_cycle;
    add(time, bus_signal(channel, latch), 1);
    add(time, bus_signal(channel, kWeN), 0);
    add(time, bus_signal(channel, kDq), byte);
    add(time, bus_signal(channel, kPhase), number_of(latch == kCle ? "command" : "address"));
    add(time + timing_.command_cycle / 2, bus_signal(channel, kWeN), 1);
    add(end, bus_signal(channel, latch), 0);
    add(end, bus_signal(channel, kDq), kUndriven);
    add(end, bus_signal(channel, kPhase), 0);
    return end;
}

/// Column, two bytes if there is one, then the row, lowest byte first.
TimePs FlashWaves::addresses(std::uint32_t channel, TimePs time, std::uint32_t cycles, bool column,
                             std::uint64_t row) {
    const std::uint32_t columns = column ? std::min(cycles, 2u) : 0;
    for (std::uint32_t n = 0; n < cycles; ++n) {
        const std::uint32_t shift = 8 * (n - columns);
        const auto byte =
            static_cast<std::uint32_t>(n < columns || shift >= 64 ? 0 : (row >> shift) & 0xFFu);
        time = cycle(channel, time, kAle, byte);
    }
    return time;
}

TimePs FlashWaves::data(std::uint32_t channel, TimePs time, TimePs duration, BusSignal strobe,
                        const char* phase) {
    const TimePs end = time + duration;
    add(time, bus_signal(channel, strobe), 0);
    add(time, bus_signal(channel, kDq), kUnknown);
    add(time, bus_signal(channel, kPhase), number_of(phase));
    add(end, bus_signal(channel, strobe), 1);
    add(end, bus_signal(channel, kDq), kUndriven);
    add(end, bus_signal(channel, kPhase), 0);
    return end;
}

void FlashWaves::latch(std::uint32_t channel, TimePs time, const NandExtension& command,
                       bool cache_read) {
    const bool program = command.kind == FlashOpKind::kProgram;
    const bool erase = command.kind == FlashOpKind::kErase;
    Opcodes opcodes = program ? kProgram : erase ? kErase : kRead;
    const bool copies = command.what == NandCommand::kCopyBack;
    if (copies) {
        opcodes = kCopyProgram;
    } else if (command.what == NandCommand::kCacheProgram) {
        opcodes.second = kCacheProgram;
    } else if (cache_read) {
        opcodes.second = kCacheRead;
    }
    const std::uint32_t next = program ? kNextProgram : erase ? kNextErase : kNextRead;
    const std::uint32_t cycles = program ? timing_.program_cycles
                                 : erase ? timing_.erase_cycles
                                         : timing_.read_cycles;
    const std::uint32_t units = program ? geometry_.units_per_page : 1;
    const std::uint32_t pages = command.count / units;
    for (std::uint32_t n = 0; n < pages; ++n) {
        time = cycle(channel, time, kCle, opcodes.first);
        if (cycles > 2) {
            time = addresses(channel, time, cycles - 2, !erase, row_of(command.pages[n * units]));
        }
        if (program && !copies) {
            time = data(channel, time + timing_.t_adl, units * page_time_, kWeN, "data in");
        }
        if (cycles > 1) {
            time = cycle(channel, time, kCle, n + 1 < pages ? next : opcodes.second);
        }
        time += timing_.t_wb + timing_.t_dbsy;
    }
}

/// The row address of a NAND page in its die.
std::uint64_t FlashWaves::row_of(Ppn page) const {
    const std::uint64_t die_pages = std::uint64_t{geometry_.planes_per_die} *
                                    geometry_.blocks_per_plane * geometry_.pages_per_block;
    return raw(page) % die_pages / geometry_.units_per_page;
}

/// A command that suspends or resumes, with the row.
void FlashWaves::suspend(std::uint32_t channel, TimePs time, std::uint32_t opcode,
                         const NandExtension& command) {
    if (timing_.suspend.cycles > 0) {
        time = cycle(channel, time, kCle, opcode);
        addresses(channel, time, timing_.suspend.cycles - 1, false, row_of(command.pages[0]));
    }
}

void FlashWaves::read_out(std::uint32_t channel, TimePs time, TimePs end,
                          const NandExtension& command) {
    if (command.changes_column(geometry_)) {
        time = cycle(channel, time, kCle, kColumn.first);
        time = addresses(channel, time, 2, true, 0);
        time = cycle(channel, time, kCle, kColumn.second) + timing_.t_ccs;
    } else if (command.nand_pages > 1) {
        time = cycle(channel, time, kCle, kPlane.first);
        time = addresses(channel, time, 5, true, row_of(command.pages[command.out]));
        time = cycle(channel, time, kCle, kPlane.second) + timing_.t_ccs;
    } else if (timing_.polls.on) {
        time = cycle(channel, time, kCle, kRead.first);
    }
    data(channel, time, end - time, kReN, "data out");
}

void FlashWaves::status(std::uint32_t channel, TimePs time, TimePs end,
                        const NandExtension& command) {
    if (timing_.polls.cycles > 0) {
        time = cycle(channel, time, kCle, timing_.polls.cycles > 1 ? kStatusEnhanced : kStatus);
        addresses(channel, time, timing_.polls.cycles - 1, false, row_of(command.pages[0]));
    }
    const TimePs byte = timing_.data_time(1);
    data(channel, end - byte, byte, kReN, "status");
}

void FlashWaves::grant(ChannelId channel, std::uint32_t slot, TimePs at, TimePs waited) {
    if (window_.contains(at)) {
        add(std::max(at - waited, window_.begin), way_signal(raw(channel), slot, kReq), 1);
        add(at, way_signal(raw(channel), slot, kReq), 0);
    }
}

void FlashWaves::bus(ChannelId channel, std::uint32_t slot, const char* phase, TimePs start,
                     TimePs duration, const NandExtension& command) {
    if (!window_.contains(start)) {
        return;
    }
    const std::uint32_t c = raw(channel);
    const TimePs end = start + duration;
    for (const auto& [signal, level] : {std::pair{kGrant, 1u}, std::pair{kCeN, 0u}}) {
        add(start, way_signal(c, slot, signal), level);
        add(end, way_signal(c, slot, signal), 1 - level);
    }
    const bool program = command.kind == FlashOpKind::kProgram;
    if (std::string_view(phase) == "data out") {
        read_out(c, start, end, command);
        if (command.out + 1 == command.count) {
            add(end, way_signal(c, slot, kOp), 0);
        }
        return;
    }
    if (std::string_view(phase) == "suspend") {
        suspend(c, start, program ? kSuspendProgram : kSuspendErase, command);
        return;
    }
    if (std::string_view(phase) == "resume") {
        suspend(c, start, program ? kResumeProgram : kResumeErase, command);
        return;
    }
    if (std::string_view(phase) == "status") {
        status(c, start, end, command);
        return;
    }
    if (const NandCommandRow& row = cavern::row_of(command.what); begins_run(command.what)) {
        const TimePs named = cycle(c, start, kCle, row.beginning.opcode);
        addresses(c, named, cavern::row_of(row.step[0]).cycles(timing_) - 1, false, 0);
        return;
    }
    if (std::string_view(phase) == "cache end") {
        cycle(c, start, kCle, kCacheEnd);
        return;
    }
    if (std::string_view(phase) == "copy read") {
        const TimePs named = cycle(c, start, kCle, kCopyRead.first);
        cycle(c, addresses(c, named, timing_.read_cycles - 2, true, row_of(command.source)), kCle,
              kCopyRead.second);
        add(start, way_signal(c, slot, kOp),
            number_of("copy " + std::to_string(raw(command.lpns[0]))));
        return;
    }
    const bool cache_read = std::string_view(phase) == "cache read";
    if (cache_read && duration == timing_.command_cycle) {
        cycle(c, start, kCle, kCacheRead);
    } else {
        latch(c, start, command, cache_read);
    }
    std::string what = command.kind == FlashOpKind::kRead       ? "read "
                       : command.what == NandCommand::kCopyBack ? "copy "
                       : program                                ? "program "
                                                                : "erase block ";
    what += command.kind == FlashOpKind::kErase
                ? std::to_string(raw(geometry_.block_of(command.pages[0])))
                : std::to_string(raw(command.lpns[0]));
    add(start, way_signal(c, slot, kOp), number_of(what));
}

void FlashWaves::array(DieId die, TimePs start, TimePs duration, const NandExtension& command) {
    if (!window_.contains(start)) {
        return;
    }
    const std::uint32_t channel = raw(geometry_.channel_of(die));
    const std::uint32_t slot = geometry_.slot_of(die);
    add(start, way_signal(channel, slot, kRbN), 0);
    add(start + duration, way_signal(channel, slot, kRbN), 1);
    if (command.kind != FlashOpKind::kRead) {
        add(start + duration, way_signal(channel, slot, kOp), 0);
    }
}

void FlashWaves::host_queue(TimePs at, std::uint32_t outstanding) {
    if (window_.contains(at)) {
        add(at, host_signal(0), outstanding);
    }
}

void FlashWaves::buffer_pages(TimePs at, std::uint32_t resident) {
    if (window_.contains(at)) {
        add(at, host_signal(1), resident);
    }
}

void FlashWaves::finish() {
    write();
    file_.finish();
    check_fst(file_.place(), file_.name());
}

void FlashWaves::write() {
    FstWriter writer(file_.place());
    struct Shown {
        FstWriter::Signal signal;
        std::uint32_t width; ///< 0: text
        std::uint32_t idle;  ///< value at the begin
    };
    std::vector<Shown> shown;
    const auto wire = [&](const char* name, std::uint32_t width, std::uint32_t idle) {
        shown.push_back({width == 0 ? writer.text(name) : writer.wire(name, width), width, idle});
    };
    writer.open_scope("ssd");
    writer.open_scope("host");
    wire("queue_depth", kCounterWidth, 0);
    wire("buffer_pages", kCounterWidth, 0);
    writer.close_scope();
    for (std::uint32_t channel = 0; channel < geometry_.channels; ++channel) {
        writer.open_scope("channel_" + std::to_string(channel));
        wire("cle", 1, 0);
        wire("ale", 1, 0);
        wire("we_n", 1, 1);
        wire("re_n", 1, 1);
        wire("dq", kWidths[kDq], kUndriven);
        wire("phase", 0, 0);
        for (std::uint32_t slot = 0; slot < slots_; ++slot) {
            writer.open_scope("way_" + std::to_string(slot));
            wire("req", 1, 0);
            wire("grant", 1, 0);
            wire("ce_n", 1, 1);
            wire("rb_n", 1, 1);
            wire("op", 0, 0);
            writer.close_scope();
        }
        writer.close_scope();
    }
    writer.close_scope();
    CAVERN_CHECK(shown.size() == signals_, "every signal is shown");
    std::optional<FstImport> rtl;
    if (!rtl_waves_.empty()) {
        rtl.emplace(writer, rtl_waves_, "arbiter_0");
    }

    const auto put = [&](std::uint32_t number, std::uint32_t value) {
        const Shown& signal = shown[number];
        if (signal.width == 0) {
            writer.set_text(signal.signal, texts_[value]);
        } else if (value == kUndriven || value == kUnknown) {
            writer.fill(signal.signal, signal.width, value == kUndriven ? 'z' : 'x');
        } else {
            writer.set(signal.signal, signal.width, value);
        }
    };
    // The last of several changes of a signal at one instant counts: a phase that ends is added
    // before the one that begins there.
    std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
        return a.time != b.time ? a.time < b.time : a.signal < b.signal;
    });
    std::vector<std::uint32_t> standing;
    for (const Shown& signal : shown) {
        standing.push_back(signal.idle);
    }
    writer.at(window_.begin);
    for (std::uint32_t number = 0; number < shown.size(); ++number) {
        put(number, standing[number]);
    }
    TimePs now = window_.begin;
    std::size_t next = 0;
    const auto show_until = [&](TimePs time) {
        for (; next < changes_.size() && changes_[next].time <= time; ++next) {
            const Change& change = changes_[next];
            const bool last = next + 1 == changes_.size() ||
                              changes_[next + 1].time != change.time ||
                              changes_[next + 1].signal != change.signal;
            if (!last || standing[change.signal] == change.value) {
                continue;
            }
            if (change.time != now) {
                now = change.time;
                writer.at(now);
            }
            standing[change.signal] = change.value;
            put(change.signal, change.value);
        }
        if (time != kNever && time != now) {
            now = time;
            writer.at(now);
        }
    };
    if (rtl) {
        rtl->copy(window_, show_until);
    }
    show_until(kNever);
}

} // namespace cavern
