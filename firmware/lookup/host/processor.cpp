#include "firmware/lookup/host/processor.h"

#include <optional>

#include "core/base/check.h"
#include "core/base/error.h"
#include "cosim/rtl_machine.h"
#include "cpu/machine.h"
#include "cpu/program.h"
#include "firmware/lookup/host/built_in_image.h"

namespace cavern::lookup {
namespace {

/// Far more than a sample takes.
constexpr std::uint64_t kMostInstructions = 1'000'000'000'000;

std::uint32_t place_of(const cpu::Program& program, const char* symbol) {
    const std::optional<std::uint32_t> address = program.address_of(symbol);
    if (!address) {
        throw UserError(program.path(), 1, std::string("no symbol ") + symbol,
                        "expected the image lookup.elf");
    }
    return *address;
}

cpu::Program program_of(const std::string& path, const cpu::MemoryMap& map) {
    return path.empty() ? cpu::Program::parse("lookup.elf", {kBuiltInImage, kBuiltInImageEnd}, map)
                        : cpu::Program::read(path, map);
}

/// Both machines run an image the same way.
template <typename Machine>
session_result play_in(Machine& machine, const cpu::Program& program, const RunSettings& settings,
                       const std::string& log, access_log* accesses) {
    const std::uint32_t given = place_of(program, "lookup_settings");
    const std::uint32_t result_place = place_of(program, "lookup_result");
    machine.load(program);
    if (!machine.memory().write(given, &settings.session, sizeof settings.session)) {
        throw UserError(program.path(), 1, "lookup_settings lies in no memory",
                        "expected the image lookup.elf");
    }
    const cpu::Outcome outcome = machine.run(kMostInstructions);
    if (outcome.end == cpu::End::kExit && outcome.status == 2) {
        throw UserError(program.path(), 1, log.substr(0, log.find('\n')),
                        "expected other settings");
    }
    session_result result{};
    if (outcome.end != cpu::End::kExit || outcome.status != 0 ||
        !machine.memory().read(result_place, &result, sizeof result) || result.done != 1) {
        throw ModelError("the image plays a session to its end");
    }
    if (accesses != nullptr &&
        !machine.memory().read(place_of(program, "lookup_log"), accesses, sizeof *accesses)) {
        throw ModelError("the image has its log in memory");
    }
    return result;
}

} // namespace

session_result play_on_processor(const RunSettings& settings, access_log* accesses) {
    CAVERN_CHECK(settings.played_on != "host", "a run on the processor names its core");
    cpu::MemoryMap map;
    map.line_bytes = settings.line_bytes;
    map.cache_bytes = settings.cache_bytes;
    map.line_fill_cycles = settings.line_fill_cycles;
    map.line_write_back_cycles = settings.line_write_back_cycles;
    const cpu::Program program = program_of(settings.image, map);
    std::string log;
    const auto keep = [&log](char byte, std::uint64_t) { log += byte; };
    if (settings.played_on == "iss") {
        cpu::Machine machine(map, {}, cpu::FaultPolicy::kStop, keep);
        return play_in(machine, program, settings, log, accesses);
    }
    RtlMachine::Options options;
    options.core =
        settings.played_on == "rtl" ? RtlMachine::Core::kIbex : RtlMachine::Core::kLockstep;
    options.map = map;
    RtlMachine machine(options, keep);
    return play_in(machine, program, settings, log, accesses);
}

} // namespace cavern::lookup
