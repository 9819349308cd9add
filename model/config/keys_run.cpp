#include "config/key_builder.h"

namespace cavern {
namespace {

using T = KeyType;

WordList arbiter_policies() {
    WordList list;
    for (const ArbiterPolicyRow& row : kArbiterPolicies) {
        list.words.emplace_back(row.name);
        list.meanings.emplace_back(row.summary);
    }
    return list;
}

} // namespace

Keys channel_keys() {
    const auto channel = &SsdConfig::channel;
    return {
        KeyRow(T::kWord, "channel.arbiter", "which model of the arbiter grants the channel bus")
            .of(words_of(kArbiters))
            .to(channel, &ChannelConfig::arbiter),
        KeyRow(T::kWord, "channel.policy", "in which order the arbiter grants the channel bus")
            .of(arbiter_policies())
            .to(channel, &ChannelConfig::policy),
        KeyRow(T::kHertz, "channel.arbiter_clock", "clock frequency of the channel arbiter")
            .to(channel, &ChannelConfig::arbiter_hz)
            .at_least(1'000),
        KeyRow(T::kCount, "channel.age_limit",
               "the policy priority-age promotes a request that has waited this many clock cycles; "
               "0: channel.age_limit_pages says how long")
            .range(0, 1'000'000)
            .to(channel, &ChannelConfig::age_limit),
        KeyRow(T::kCount, "channel.age_limit_pages",
               "the policy priority-age promotes a request that has waited as long as this many "
               "page programs hold the bus, unless channel.age_limit is given")
            .range(1, 1'000'000)
            .to(channel, &ChannelConfig::age_limit_pages),
        KeyRow(
            T::kText, "channel.rtl_top",
            "top module of the RTL arbiter: built-in, or the module of your own that the program "
            "was built with")
            .stored_as_none("built-in")
            .to(channel, &ChannelConfig::rtl_top),
        KeyRow(T::kFlag, "channel.gate_clock",
               "an RTL arbiter evaluates clock edges only while something can change")
            .to(channel, &ChannelConfig::gate_clock),
        KeyRow(T::kWord, "scheduler.discipline", "which of several ready operations a die starts")
            .of(kDisciplines)
            .to(&SsdConfig::scheduler, &SchedulerConfig::discipline),
        KeyRow(T::kTime, "scheduler.write_limit",
               "with scheduler.discipline = read-first, reads go first only so long: then the next "
               "program or erase that is ready has its turn; 0: as long as there are reads")
            .range(0, 1000 * kSecond)
            .to(&SsdConfig::scheduler, &SchedulerConfig::write_limit),
    };
}

Keys sampled_keys() {
    const auto sampled = &SsdConfig::sampled;
    return {
        KeyRow(T::kCount, "sampled.windows",
               "a run with fidelity = sampled measures this many windows; fewer where they would "
               "overlap, and more where sampled.error asks for them")
            .range(2, 100'000)
            .to(sampled, &SampledConfig::windows),
        KeyRow(T::kCount, "sampled.requests", "a window measures this many requests")
            .range(1, 10'000'000)
            .to(sampled, &SampledConfig::requests),
        KeyRow(T::kCount, "sampled.warmup_depths",
               "before those, a window plays so many requests that bring queues, buffer and dies "
               "into the state of the run: this many times the commands that the host keeps "
               "outstanding, or times 32 if requests arrive at times of their own")
            .range(0, 10'000)
            .to(sampled, &SampledConfig::warmup_depths)
            .from("Wunderlich et al., SMARTS, ISCA 2003: detailed warming"),
        KeyRow(T::kWord, "sampled.placement", "where windows are placed in a run")
            .of({{"systematic", "At equal distances, from a place drawn at random on."},
                 {"random", "Each at a place drawn at random in its own part of the run."}})
            .to(sampled, &SampledConfig::random),
        KeyRow(T::kReal, "sampled.error",
               "the interval of the mean latency is to be no further from it than this share of "
               "it: if it is, the run is played once more with as many windows as that takes; 0: "
               "any")
            .within(0.0, 1.0)
            .to(sampled, &SampledConfig::error),
        KeyRow(T::kReal, "sampled.confidence",
               "share of runs whose intervals contain the figure of the whole run")
            .within(0.5, 0.999)
            .to(sampled, &SampledConfig::confidence),
        KeyRow(T::kCount, "sampled.jobs",
               "processes at the same time, that of the run among them; 1: the run waits for each "
               "window; 0: one for each processor of the machine")
            .range(0, 1024)
            .to(sampled, &SampledConfig::jobs),
    };
}

Keys workload_keys() {
    const auto workload = &SsdConfig::workload;
    const auto precondition = &SsdConfig::precondition;
    const auto steady = &PreconditionConfig::steady;
    return {
        KeyRow(T::kWord, "workload.out_of_range",
               "what happens to a request that reaches beyond the end of the drive")
            .of({{"error", "The run stops with an error."},
                 {"wrap", "Its address wraps around at the end of the drive."}})
            .to(workload, &WorkloadConfig::wraps),
        KeyRow(T::kWord, "workload.arrival", "when requests arrive")
            .of({{"trace", "They arrive at the times of the trace."},
                 {"closed", "Each arrives when an earlier one completes (workload.depth)."}})
            .to(workload, &WorkloadConfig::closed_loop),
        KeyRow(T::kCount, "workload.depth",
               "with workload.arrival = closed, the host keeps this many commands outstanding")
            .range(1, 65536)
            .to(workload, &WorkloadConfig::depth),
        KeyRow(T::kReal, "workload.speedup",
               "with workload.arrival = trace, arrival times are divided by this number")
            .within(1e-6, 1e6)
            .to(workload, &WorkloadConfig::speedup),
        KeyRow(T::kText, "workload.device",
               "device of a trace whose requests are played; all: every device, laid end to end")
            .stored_as_none("all")
            .to(workload, &WorkloadConfig::device),
        KeyRow(T::kReal, "precondition.fill",
               "before the run, this share of the logical pages is written once")
            .within(0.0, 1.0)
            .to(precondition, &PreconditionConfig::fill),
        KeyRow(T::kWord, "precondition.pattern",
               "in which order precondition.fill writes the logical pages")
            .of({{"sequential", "It writes them by ascending address."},
                 {"random", "It writes them in random order."}})
            .to(precondition, &PreconditionConfig::random),
        KeyRow(T::kReal, "precondition.overwrite",
               "after precondition.fill, random writes to the filled pages: this many per page")
            .within(0.0, 1000.0)
            .to(precondition, &PreconditionConfig::overwrite),
        KeyRow(T::kWord, "precondition.until", "when the random writes before a run end")
            .of({{"overwrite", "They end after the writes that precondition.overwrite asks for."},
                 {"steady", "They continue in rounds until the write amplification is steady."}})
            .to(precondition, &PreconditionConfig::until_steady)
            .from("SNIA SSS PTS 2.0.2: preconditioning to a steady state"),
        KeyRow(T::kReal, "precondition.round",
               "with precondition.until = steady, a round writes this many pages per filled page")
            .within(0.001, 100.0)
            .to(precondition, steady, &SteadyState::round),
        KeyRow(T::kCount, "precondition.window",
               "a drive is steady, before a run (precondition.until) or at its end, by the last "
               "rounds: this many")
            .range(2, 1000)
            .to(precondition, steady, &SteadyState::window)
            .from("SNIA SSS PTS 2.0.2, 2.1.24"),
        KeyRow(T::kReal, "precondition.range",
               "a drive is steady when the write amplifications, or the bandwidths of a run, of "
               "precondition.window rounds lie within this share of their mean")
            .within(0.0, 10.0)
            .to(precondition, steady, &SteadyState::range)
            .from("SNIA SSS PTS 2.0.2, 2.1.24"),
        KeyRow(
            T::kReal, "precondition.slope",
            "a drive is steady when the line fitted to precondition.window rounds rises or falls "
            "by less than this share of their mean")
            .within(0.0, 10.0)
            .to(precondition, steady, &SteadyState::slope)
            .from("SNIA SSS PTS 2.0.2, 2.1.24"),
        KeyRow(
            T::kCount, "precondition.max_rounds",
            "with precondition.until = steady, the run starts after this many rounds even if the "
            "drive is not steady; a run is judged in at least as many rounds, or in 64")
            .range(1, 1'000'000)
            .to(precondition, steady, &SteadyState::max_rounds)
            .from("SNIA SSS PTS 2.0.2, IOPS test: 25 rounds"),
    };
}

Keys data_keys() {
    const auto data = &SsdConfig::data;
    return {
        KeyRow(T::kWord, "data.store",
               "what the drive keeps of the data in its pages; with any but none every read is "
               "compared with what was written, and a write of a part of a page keeps the rest "
               "whatever ftl.unit says")
            .of({{"none", "It keeps which page holds which version, and no data."},
                 {"fingerprint", "Eight bytes a sector: its logical block and its version."},
                 {"full", "All bytes as well, compressed in memory."}})
            .to(data, &DataConfig::store),
        KeyRow(T::kWord, "data.trim_reads",
               "what a read finds in pages that a TRIM covered whole; parts of pages are left as "
               "they are")
            .of({{"zeros", "Zeros: the drive forgets the pages."},
                 {"old", "What was there: the drive takes no notice of the hint, so that "
                         "collection goes on copying the pages."}})
            .to(data, &DataConfig::trim_reads)
            .from("NVM Command Set 1.0, 3.2.3.2.1: a deallocated block reads as zeros; a TRIM is a "
                  "hint"),
    };
}

Keys power_loss_keys() {
    const auto loss = &SsdConfig::power_loss;
    return {
        KeyRow(T::kTime, "power_loss.at",
               "simulated time at which the power is cut, in a run with time; the run ends there, "
               "and what the drive recovers is compared with what it owes the host")
            .range(1, kMaxTime)
            .stored_as_zero("never")
            .to(loss, &PowerLossConfig::at),
        KeyRow(T::kFlag, "power_loss.on_signal",
               "SIGUSR1 cuts the power of a drive that is served, whenever it comes")
            .to(loss, &PowerLossConfig::on_signal),
        KeyRow(T::kCount, "power_loss.cuts",
               "in a run without time, the power is cut this often, at random moments; the drive "
               "recovers, and the run goes on")
            .range(0, 1'000'000)
            .to(loss, &PowerLossConfig::cuts),
        KeyRow(T::kCount, "power_loss.gap",
               "so many requests lie between two of power_loss.cuts, in the mean")
            .range(1, 1'000'000'000)
            .to(loss, &PowerLossConfig::gap),
        KeyRow(T::kCount, "power_loss.under_way",
               "with power_loss.cuts, this many programs and erases are decided and not done, at "
               "most")
            .range(1, 100'000)
            .to(loss, &PowerLossConfig::under_way),
        KeyRow(T::kCount, "power_loss.seed", "seed of the moments of power_loss.cuts")
            .to(loss, &PowerLossConfig::seed),
        KeyRow(T::kCount, "power_loss.cuts_in_mount",
               "the power is cut again while the drive comes back, so often at most after each cut")
            .range(0, 100)
            .to(loss, &PowerLossConfig::cuts_in_mount),
        KeyRow(T::kWord, "power_loss.recovery", "how the drive comes back after a loss of power")
            .of({{"oob-scan", "It finds its map in the spare areas of all pages."},
                 {"plp", "Stored energy (power_loss.energy) drains the write buffer before; then "
                         "as oob-scan."},
                 {"checkpoint", "It writes its map to flash from time to time, and a journal; it "
                                "reads those, and the spare areas of what was programmed since."},
                 {"ltftl",
                  "It keeps what was superseded until a mark is in flash, and goes back to "
                  "the newest mark."}})
            .to(loss, &PowerLossConfig::recovery),
        KeyRow(T::kFlag, "power_loss.ends_programs",
               "stored energy ends the operations that dies have begun when the power is cut, so "
               "that no page is torn")
            .to(loss, &PowerLossConfig::ends_programs),
        KeyRow(T::kJoules, "power_loss.energy",
               "with power_loss.recovery = plp, the drive has stored this energy")
            .range(1, 1'000'000'000'000'000)
            .stored_as_zero("none")
            .to(loss, &PowerLossConfig::energy_fj),
        KeyRow(T::kCount, "power_loss.checkpoint_pages",
               "with power_loss.recovery = checkpoint or ltftl, a checkpoint or mark is written "
               "after so many programs")
            .range(1, 1'000'000'000)
            .to(loss, &PowerLossConfig::checkpoint_pages),
        KeyRow(T::kCount, "power_loss.journal",
               "with power_loss.recovery = checkpoint, the journal gets a page after so many "
               "programs and erases; 0: there is no journal")
            .range(0, 1'000'000)
            .to(loss, &PowerLossConfig::journal),
    };
}

} // namespace cavern
