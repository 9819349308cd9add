#include "config/key_builder.h"

namespace cavern {
namespace {

using T = KeyType;

std::uint64_t fs_of_cycle(std::uint64_t ps) {
    return ps * 1000;
}
/// One byte a transfer; rounded to the nearest femtosecond.
std::uint64_t fs_of_rate(std::uint64_t per_second) {
    return (kFsPerSecond + per_second / 2) / per_second;
}

} // namespace

Keys nand_keys() {
    const auto nand = &SsdConfig::nand;
    const auto ftl = &SsdConfig::ftl;
    const auto params = &FtlConfig::params;
    const auto faults = &FtlParams::faults;
    const auto geometry = &NandConfig::geometry;
    const auto timing = &NandConfig::timing;
    const auto suspend = &NandTiming::suspend;
    const auto cache = &NandTiming::cache;
    const auto copy_back = &NandTiming::copy_back;
    const auto polls = &NandTiming::polls;
    const auto reset = &NandTiming::reset;
    const auto one_shot = &NandTiming::one_shot;
    return {
        KeyRow(T::kText, "nand.part", "NAND part: the name of a file in configs/nand")
            .to(nand, &NandConfig::part)
            .from("CAVE, Table 2"),
        KeyRow(T::kCount, "nand.channels", "the drive has this many channels")
            .range(1, 64)
            .to(nand, geometry, &Geometry::channels)
            .from("CAVE, Table 1"),
        KeyRow(T::kCount, "nand.ways", "a channel has this many ways")
            .range(1, 16)
            .to(nand, geometry, &Geometry::ways)
            .from("CAVE, Table 1"),
        KeyRow(T::kCount, "nand.dies", "a way has this many dies")
            .range(1, 16)
            .to(nand, geometry, &Geometry::dies_per_way),
        KeyRow(T::kCount, "nand.planes", "a die has this many planes")
            .range(1, 16)
            .part()
            .to(nand, geometry, &Geometry::planes_per_die),
        KeyRow(T::kCount, "nand.blocks_per_plane", "a plane has this many erase blocks")
            .at_least(1)
            .part()
            .to(nand, geometry, &Geometry::blocks_per_plane),
        KeyRow(T::kCount, "nand.pages_per_block", "an erase block has this many pages")
            .range(1, 65535)
            .part()
            .to(nand, geometry, &Geometry::pages_per_block),
        KeyRow(T::kBytes, "nand.page_size", "data bytes of a NAND page, a power of two")
            .range(512, 64 * kKiB)
            .part()
            .to(nand, geometry, &Geometry::page_bytes),
        KeyRow(T::kBytes, "nand.spare_size",
               "spare bytes of a NAND page, which move with its data on the bus")
            .range(0, 64 * kKiB)
            .part()
            .to(nand, geometry, &Geometry::spare_bytes),
        KeyRow(T::kTimes, "nand.t_read",
               "tR: time from array to page register; a list: one time per page type")
            .at_least(1)
            .part()
            .to(nand, timing, &NandTiming::t_r),
        KeyRow(T::kTimes, "nand.t_program",
               "tPROG: time from page register to array; a list: one time per page type")
            .at_least(1)
            .part()
            .to(nand, timing, &NandTiming::t_prog),
        KeyRow(T::kTime, "nand.t_erase", "tBERS: time to erase a block")
            .at_least(1)
            .part()
            .to(nand, timing, &NandTiming::t_bers),
        KeyRow(T::kWord, "nand.interface",
               "interface of the part, which with nand.timing_mode gives the times of the bus and "
               "its gaps, where the drive does not")
            .of({{"custom", "The part and the drive give each time themselves."},
                 {"sdr", "ONFI's SDR (asynchronous): a byte takes tRC, a cycle tWC."},
                 {"nv-ddr", "ONFI's NV-DDR: a byte takes half of tCK, a cycle tCAD."},
                 {"nv-ddr2", "ONFI's NV-DDR2: a byte takes half of tRC, a cycle tWC."},
                 {"nv-ddr3", "ONFI's NV-DDR3: the same, and faster modes."}})
            .part_with_default()
            .to(nand, &NandConfig::interface),
        KeyRow(T::kCount, "nand.timing_mode",
               "timing mode of nand.interface: to 5 with sdr and nv-ddr, to 10 with nv-ddr2, to 15 "
               "with nv-ddr3")
            .range(0, 15)
            .part_with_default()
            .to(nand, &NandConfig::timing_mode),
        KeyRow(T::kTime, "nand.bus_cycle", "one byte takes this long on the channel bus")
            .range(1, kMs)
            .instead_of("nand.bus_rate", fs_of_cycle)
            .to(nand, timing, &NandTiming::bus_byte_fs),
        KeyRow(T::kRate, "nand.bus_rate",
               "the channel bus moves this many bytes per second, such as 200MT/s")
            .range(1'000, 100'000'000'000)
            .instead_of("nand.bus_cycle", fs_of_rate)
            .to(nand, timing, &NandTiming::bus_byte_fs),
        KeyRow(T::kTime, "nand.command_cycle",
               "one command or address cycle takes this long on the channel bus")
            .range(0, kMs)
            .part()
            .to(nand, timing, &NandTiming::command_cycle),
        KeyRow(T::kCount, "nand.read_cycles", "a read takes this many command and address cycles")
            .range(0, 100)
            .part_with_default()
            .to(nand, timing, &NandTiming::read_cycles)
            .from("ONFI, READ PAGE: 00h, five address cycles, 30h"),
        KeyRow(T::kCount, "nand.program_cycles",
               "a program takes this many command and address cycles")
            .range(0, 100)
            .part_with_default()
            .to(nand, timing, &NandTiming::program_cycles)
            .from("ONFI, PAGE PROGRAM: 80h, five address cycles, 10h"),
        KeyRow(T::kCount, "nand.erase_cycles",
               "an erase takes this many command and address cycles")
            .range(0, 100)
            .part_with_default()
            .to(nand, timing, &NandTiming::erase_cycles)
            .from("ONFI, BLOCK ERASE: 60h, three row address cycles, D0h"),
        KeyRow(T::kCount, "nand.slc_blocks",
               "the first so many blocks of each plane store one bit in a cell: host pages are "
               "written there first; only with ftl.scheme = slc-cache")
            .range(0, 1'000'000)
            .to(nand, geometry, &Geometry::slc_blocks),
        KeyRow(T::kTime, "nand.slc_t_read", "tR of blocks in SLC mode")
            .range(0, kSecond)
            .part_with_default()
            .to(nand, timing, &NandTiming::slc_t_r),
        KeyRow(T::kTime, "nand.slc_t_program", "tPROG of blocks in SLC mode")
            .range(0, kSecond)
            .part_with_default()
            .to(nand, timing, &NandTiming::slc_t_prog),
        KeyRow(
            T::kFlag, "nand.one_shot",
            "one command programs all pages of a word line, one of each page type, in each plane "
            "that it names; what a decision leaves of a word line is padded")
            .part_with_default()
            .to(nand, timing, one_shot, &NandOneShot::on),
        KeyRow(T::kTime, "nand.t_program_one_shot",
               "tPROG of a word line with nand.one_shot; 0: those of its pages, one behind the "
               "other")
            .range(0, kSecond)
            .part_with_default()
            .to(nand, timing, one_shot, &NandOneShot::t_prog),
        KeyRow(T::kFlag, "nand.strict_order",
               "the pages of a block must be programmed in order, without a gap")
            .part_with_default()
            .to(nand, &NandConfig::strict_order),
        KeyRow(T::kFlag, "nand.multi_plane",
               "a die programs pages of one index in several planes as one operation")
            .part_with_default()
            .to(nand, &NandConfig::multi_plane),
        KeyRow(T::kFlag, "nand.multi_plane_read",
               "a die reads pages of one index in several planes as one operation; each page is "
               "moved out in a bus phase of its own")
            .part_with_default()
            .to(nand, &NandConfig::multi_plane_read)
            .from("ONFI 5.0, 5.26: 32h between the planes, CHANGE READ COLUMN ENHANCED"),
        KeyRow(T::kFlag, "nand.multi_plane_erase",
               "a die erases blocks of several planes as one operation")
            .part_with_default()
            .to(nand, &NandConfig::multi_plane_erase)
            .from("ONFI 5.0, 5.26: D1h between the planes"),
        KeyRow(T::kTime, "nand.t_wb", "tWB: time from the last command cycle to busy")
            .range(0, kMs)
            .part_with_default()
            .to(nand, timing, &NandTiming::t_wb),
        KeyRow(T::kTime, "nand.t_adl", "tADL: time from the last address cycle to data in")
            .range(0, kMs)
            .part_with_default()
            .to(nand, timing, &NandTiming::t_adl),
        KeyRow(T::kTime, "nand.t_ccs", "tCCS: time from a change of column to data out")
            .range(0, kMs)
            .part_with_default()
            .to(nand, timing, &NandTiming::t_ccs),
        KeyRow(T::kTime, "nand.t_rhw", "tRHW: time from data out to the next command on the bus")
            .range(0, kMs)
            .part_with_default()
            .to(nand, timing, &NandTiming::t_rhw),
        KeyRow(T::kTime, "nand.t_dbsy",
               "tDBSY: time that a die is busy between two planes of a command; the bus is kept")
            .range(0, kMs)
            .part_with_default()
            .to(nand, timing, &NandTiming::t_dbsy),
        KeyRow(T::kFlag, "nand.program_suspend",
               "a program is suspended for reads that the host waits for")
            .part_with_default()
            .to(nand, timing, suspend, &NandSuspend::programs),
        KeyRow(T::kFlag, "nand.erase_suspend",
               "an erase is suspended for reads that the host waits for")
            .part_with_default()
            .to(nand, timing, suspend, &NandSuspend::erases),
        KeyRow(T::kCount, "nand.suspend_cycles",
               "a suspend, and a resume, takes this many command and address cycles")
            .range(0, 100)
            .part_with_default()
            .to(nand, timing, suspend, &NandSuspend::cycles)
            .from("Micron MT29F: 84h or 61h with three row address cycles"),
        KeyRow(T::kTime, "nand.t_suspend", "time from a suspend until the die takes a read")
            .range(0, kMs)
            .part_with_default()
            .to(nand, timing, suspend, &NandSuspend::t_suspend),
        KeyRow(T::kTime, "nand.t_resume",
               "a suspension makes the program or erase longer by this time")
            .range(0, kMs)
            .part_with_default()
            .to(nand, timing, suspend, &NandSuspend::t_resume),
        KeyRow(T::kTime, "nand.suspend_least",
               "a program or erase is suspended when the array has worked on it this long, since "
               "its start or the last suspension")
            .range(0, kSecond)
            .part_with_default()
            .to(nand, timing, suspend, &NandSuspend::least_run),
        KeyRow(T::kCount, "nand.suspend_limit",
               "a program or erase is suspended at most so many times; 0: any number")
            .range(0, 1'000'000)
            .part_with_default()
            .to(nand, timing, suspend, &NandSuspend::limit),
        KeyRow(T::kFlag, "nand.cache_read",
               "while a page is moved out, the array reads the next one that waits in the same "
               "block; of several planes, in the same blocks")
            .part_with_default()
            .to(nand, timing, cache, &NandCache::reads)
            .from("ONFI 5.0, READ CACHE: 31h, 00h-31h, 3Fh"),
        KeyRow(T::kFlag, "nand.cache_program",
               "while the array programs a page, the data of the next one of the same block come "
               "in; of several planes, of the same blocks")
            .part_with_default()
            .to(nand, timing, cache, &NandCache::programs)
            .from("ONFI 5.0, PAGE CACHE PROGRAM: 15h, the last 10h"),
        KeyRow(T::kTime, "nand.t_rcbsy",
               "tRCBSY, at least: time to move a page from the page register to the cache register")
            .range(0, kMs)
            .part_with_default()
            .to(nand, timing, cache, &NandCache::t_rcbsy),
        KeyRow(T::kTime, "nand.t_cbsy",
               "tCBSY, at least: time until the array has taken a page from the cache register")
            .range(0, kMs)
            .part_with_default()
            .to(nand, timing, cache, &NandCache::t_cbsy),
        KeyRow(
            T::kFlag, "nand.copy_back",
            "a copy of collection whose source is in the plane of its destination is made in the "
            "die: no data go over the channel, nor through the ECC")
            .part_with_default()
            .to(nand, timing, copy_back, &NandCopyBack::on)
            .from("ONFI 5.0, COPYBACK: 00h-35h, 85h-10h"),
        KeyRow(
            T::kCount, "nand.copy_back_limit",
            "data are copied in the die at most so many times in a row; the next copy passes the "
            "controller")
            .range(1, 255)
            .part_with_default()
            .to(nand, timing, copy_back, &NandCopyBack::limit),
        KeyRow(T::kWord, "nand.ready", "how the controller learns that the array has ended")
            .of({{"pin", "R/B# tells it at once."},
                 {"poll", "It asks for the status on the bus, and asks again."}})
            .part_with_default()
            .to(nand, timing, polls, &NandPolls::on),
        KeyRow(T::kCount, "nand.poll_cycles",
               "a status poll takes this many command and address cycles")
            .range(0, 100)
            .part_with_default()
            .to(nand, timing, polls, &NandPolls::cycles)
            .from("ONFI, READ STATUS ENHANCED: 78h, three row address cycles; READ STATUS: 70h"),
        KeyRow(T::kTime, "nand.t_whr", "tWHR: time from the cycles of a status poll to its byte")
            .range(0, kMs)
            .part_with_default()
            .to(nand, timing, &NandTiming::t_whr),
        KeyRow(T::kTime, "nand.poll_after",
               "the first status poll is asked for so long after the command, nand.t_wb at least")
            .range(0, kSecond)
            .part_with_default()
            .to(nand, timing, polls, &NandPolls::after),
        KeyRow(T::kTime, "nand.poll_interval",
               "each further status poll is asked for so long after the one before; the default is "
               "an estimate")
            .range(0, kSecond)
            .part_with_default()
            .to(nand, timing, polls, &NandPolls::interval),
        KeyRow(T::kFlag, "nand.reset", "each die is reset at the beginning of the run")
            .part_with_default()
            .to(nand, timing, reset, &NandReset::on)
            .from("ONFI, RESET: FFh"),
        KeyRow(T::kTime, "nand.t_reset", "tRST: time that a reset takes a die that is idle")
            .range(0, kSecond)
            .part_with_default()
            .to(nand, timing, reset, &NandReset::t_rst)
            .from("ONFI, RESET: 5 us"),
        KeyRow(T::kFlag, "nand.column_change",
               "a read moves only the sectors asked for over the channel, and what the page "
               "register still holds is not read from the array again")
            .part_with_default()
            .to(nand, &NandConfig::column_change)
            .from("ONFI, CHANGE READ COLUMN: 05h, two address cycles, E0h"),
        KeyRow(T::kCount, "nand.endurance",
               "a block is good for this many erases; 0: the number is not known")
            .part_with_default()
            .to(nand, &NandConfig::endurance),
        KeyRow(T::kFlag, "nand.retire_worn",
               "every erase of a block beyond nand.endurance fails and retires the block")
            .to(nand, &NandConfig::retire_worn),
        KeyRow(T::kReal, "nand.bad_blocks", "this share of the blocks is bad from the beginning")
            .within(0.0, 1.0)
            .to(ftl, params, faults, &BlockFaultParams::factory_bad),
        KeyRow(T::kReal, "nand.program_failures", "this share of the programs fails")
            .within(0.0, 1.0)
            .to(ftl, params, faults, &BlockFaultParams::program_failures),
        KeyRow(T::kReal, "nand.erase_failures", "this share of the erases fails")
            .within(0.0, 1.0)
            .to(ftl, params, faults, &BlockFaultParams::erase_failures),
        KeyRow(T::kText, "nand.fault_list",
               "file of single NAND faults, one per line: factory BLOCK, program BLOCK PAGE ERASES "
               "or erase BLOCK ERASES; none: no such file")
            .names_file()
            .stored_as_none("none")
            .to(ftl, params, faults, &BlockFaultParams::list),
    };
}

} // namespace cavern
