#include "firmware/controller/drive_image.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "firmware/controller/firmware_parts.h"
#include "firmware/controller/processor_firmware.h"
#include "firmware/drive/host/built_in_image.h"

namespace cavern {
namespace {

constexpr const char* kBuiltIn = "built-in drive.elf";

} // namespace

cpu::Program read_drive_image(const DrivePlan& config) {
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

std::string drive_image_file(const DrivePlan& config) {
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

} // namespace cavern
