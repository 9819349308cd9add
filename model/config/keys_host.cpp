#include <limits>

#include "config/key_builder.h"

namespace cavern {
namespace {

using T = KeyType;

constexpr std::uint64_t kMaxSeed = std::numeric_limits<std::int64_t>::max(); // TOML's largest

} // namespace

Keys run_keys() {
    return {
        KeyRow(T::kText, "name", "title of the drive in reports; absent: the stem of the file")
            .to(&SsdConfig::name),
        KeyRow(T::kWord, "fidelity", "what a run models: times and decisions, or decisions alone")
            .of({{"at", "Approximately timed: every transfer and operation takes its time."},
                 {"untimed", "Decisions and counts alone; flash operations are done at once."},
                 {"sampled", "Decisions and counts of the whole run; times of windows of it, from "
                             "which those of the whole are estimated (sampled.*)."}})
            .to(&SsdConfig::fidelity),
        KeyRow(T::kCount, "seed", "all random choices of a run follow from this number")
            .range(0, kMaxSeed)
            .to(&SsdConfig::seed),
    };
}

Keys host_keys() {
    const auto host = &SsdConfig::host;
    const Keys plain{
        KeyRow(T::kWord, "host.interface", "link between host and drive")
            .of(words_of(host_link_table()))
            .to_row<host_link_table>(host, &HostConfig::link),
        KeyRow(T::kCount, "host.generation",
               "generation of the host link; SATA 1 .. 3: 1.5, 3 or 6 Gb/s; NVMe: PCIe 1 .. 5")
            .range(1, 5)
            .to(host, &HostConfig::generation),
        KeyRow(T::kCount, "host.lanes", "an NVMe link has this many PCIe lanes")
            .range(1, 16)
            .to(host, &HostConfig::lanes),
        KeyRow(T::kCount, "host.queues", "an NVMe host has this many submission queues")
            .range(1, 65535)
            .to(host, &HostConfig::queues),
        KeyRow(T::kCount, "host.queue_depth",
               "the host keeps at most this many commands outstanding; NVMe: per submission queue")
            .range(1, 65536)
            .to(host, &HostConfig::queue_depth)
            .from("Serial ATA 3.x: NCQ has 32 tags"),
        KeyRow(T::kRate, "host.bandwidth", "a direct link moves data at this rate")
            .at_least(1)
            .to(host, &HostConfig::bandwidth)
            .from("CAVE, Table 1: 190.735 MB/s is 200e6 bytes per second counted in MiB"),
        KeyRow(T::kWord, "host.duplex", "whether reads and writes share a direct link")
            .of({{"half", "Data of reads and of writes share the bandwidth."},
                 {"full", "Reads and writes have the bandwidth each."}})
            .to(host, &HostConfig::full_duplex),
        KeyRow(T::kTime, "host.turnaround",
               "the host's software takes this long per command before the command reaches the "
               "link")
            .to(host, &HostConfig::turnaround),
        KeyRow(T::kJoules, "host.link_energy",
               "the link spends this energy for each byte of the host's data")
            .range(1, 1'000'000'000'000)
            .stored_as_zero("unknown")
            .to(host, &HostConfig::link_byte_fj),
        KeyRow(T::kCount, "host.fdp.handles",
               "Flexible Data Placement: so many reclaim unit handles, by which the streams of "
               "writes are kept in blocks of their own; 0: none")
            .range(0, ReclaimHandleParams::kMost)
            .to(host, &HostConfig::fdp, &ReclaimHandleParams::handles)
            .from("NVMe TP4146"),
        KeyRow(T::kWord, "host.fdp.isolation",
               "what the data of a handle share when they are moved")
            .of({{"initially", "Data that collection moves share blocks with those of other "
                               "handles."},
                 {"persistently", "Data that collection moves stay with those of their handle."}})
            .to(host, &HostConfig::fdp, &ReclaimHandleParams::isolation)
            .from("NVMe TP4146: reclaim unit handle types 1h and 2h"),
    };
    return joined({plain, knob_keys("host", host_link_table(), host, &HostConfig::link_params)});
}

} // namespace cavern
