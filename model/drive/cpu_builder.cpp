#include "drive/cpu_builder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "config/look_up_check.h"
#include "core/base/error.h"
#include "drive/core_builder.h"
#include "drive/firmware_parts.h"
#include "drive/look_up_costs.h"
#include "firmware/drive/host/built_in_image.h"

namespace cavern {
namespace {

constexpr const char* kBuiltIn = "built-in drive.elf";

ProcessorCore core_of(CpuModel model) {
    return model == CpuModel::kRtl        ? ProcessorCore::kIbex
           : model == CpuModel::kLockstep ? ProcessorCore::kLockstep
                                          : ProcessorCore::kIss;
}

std::unique_ptr<DecisionCostIf> make_costs(const SsdConfig& config, std::uint64_t logical_pages) {
    const CpuConfig& cpu = config.cpu;
    const FixedCosts::Cycles cycles{
        cpu.command_cycles,  cpu.read_cycles,       cpu.write_cycles, cpu.operation_cycles,
        cpu.eviction_cycles, cpu.allocation_cycles, cpu.map_cycles,   cpu.collection_cycles};
    if (cpu.look_up == CpuLookUp::kNone) {
        return std::make_unique<FixedCosts>(cycles);
    }
    // As precondition() has it: pages from 0 on.
    const auto written =
        static_cast<std::uint64_t>(config.precondition.fill * static_cast<double>(logical_pages));
    return std::make_unique<LookUpCosts>(cycles, look_up_params(config, logical_pages), written);
}

} // namespace

std::unique_ptr<DecisionCostIf> make_decision_cost(const SsdConfig& config,
                                                   std::uint64_t logical_pages) {
    return config.cpu.model == CpuModel::kCost ? make_costs(config, logical_pages) : nullptr;
}

cpu::Program read_drive_image(const SsdConfig& config) {
    const std::string& path = config.cpu.firmware;
    const std::string name = path.empty() ? kBuiltIn : path;
    const std::optional<cpu::MemoryMap> map = controller_map(firmware_params(config));
    if (!map) {
        throw UserError(name, "the tables of the firmware do not fit into 2 GiB of SDRAM",
                        "a smaller drive, or cpu.model = \"none\"");
    }
    cpu::Program program =
        path.empty() ? cpu::Program::parse(
                           name, std::vector<std::uint8_t>(kDriveImage, kDriveImageEnd), *map)
                     : cpu::Program::read(path, *map);
    if (program.entry() != map->reset_pc()) {
        throw UserError(name, "the image does not start where the processor does, at 0x00100080",
                        "link it with firmware/runtime/link.ld");
    }
    return program;
}

std::string drive_image_file(const SsdConfig& config) {
    namespace fs = std::filesystem;
    if (!config.cpu.firmware.empty()) {
        return config.cpu.firmware;
    }
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    const fs::path file = program.parent_path().parent_path() / "firmware" / "drive.elf";
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    if (!std::equal(bytes.begin(), bytes.end(), kDriveImage, kDriveImageEnd,
                    [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; })) {
        return {};
    }
    const fs::path near = fs::proximate(file, error);
    return error || *near.begin() == ".." ? file.string() : near.string();
}

std::shared_ptr<ProcessorFirmware> make_processor_firmware(const SsdConfig& config,
                                                           FirmwareWatchIf* watch) {
    const CpuConfig& cpu = config.cpu;
    if (!executes_firmware(cpu.model)) {
        return nullptr;
    }
    ProcessorFirmware::Params params;
    params.core = core_of(cpu.model);
    params.rtl_registers = cpu.registers == CpuRegisters::kRtl;
    params.watchdog = cpu.watchdog;
    params.period = clock_period(cpu.hz);
    params.page_bytes = drive_geometry(config).page_bytes;
    params.transactions = config.fidelity != Fidelity::kUntimed;
    params.seed = config.seed;
    params.watch = watch;
    return std::make_shared<ProcessorFirmware>(firmware_params(config), read_drive_image(config),
                                               params);
}

} // namespace cavern
