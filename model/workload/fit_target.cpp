#include "core/base/error.h"
#include "core/base/sectors.h"
#include "keys/key_file.h"
#include "keys/key_row.h"
#include "workload/fit.h"
#include "workload/job_keys.h"
#include "workload/job_text.h"

namespace cavern {
namespace {

using T = KeyType;

constexpr double kMostGiB = 1024.0 * 1024;

/// A real that is `Factor` / `Parts` of the member's unit.
template <auto Member, std::uint64_t Factor, std::uint64_t Parts = 1>
Refused take_scaled(FitTarget& target, const double& value) {
    target.*Member = value * static_cast<double>(Factor) / static_cast<double>(Parts);
    return {};
}

Refused take_space(FitTarget& target, const double& gib) {
    target.address_space = static_cast<std::uint64_t>(gib * kGiB);
    return {};
}

Refused take_interarrival(FitTarget& target, const double& us) {
    target.interarrival = static_cast<TimePs>(us * static_cast<double>(kUs));
    return {};
}

Refused take_target_places(FitTarget& target, const std::string& text) {
    target.distribution_text = text;
    return refused_text([&] { target.distribution = parse_distribution(text); });
}

Refused take_cluster(FitTarget& target, const std::uint64_t& bytes) {
    target.cluster = bytes;
    return JobSpec::kPieceBytes % bytes == 0
               ? Refused()
               : Refusal{{},
                         "is no size of a neighbourhood",
                         "it is a power of two up to 4MiB, such as \"128KiB\""};
}

Refused take_unit(FitTarget& target, const std::uint64_t& bytes) {
    target.unit = static_cast<std::uint32_t>(bytes);
    return bytes % kSectorBytes == 0
               ? Refused()
               : Refusal{{},
                         "is no unit of sizes",
                         "it is a multiple of 512B up to 1MiB, such as \"4KiB\""};
}

Keys target_rows() {
    return {
        KeyRow(T::kText, "target.name", "name of the job that is made").to(&FitTarget::name),
        KeyRow(T::kCount, "target.requests", "number of requests")
            .to(&FitTarget::requests)
            .range(1000, kMaxCount)
            .required(),
        KeyRow(T::kReal, "target.reads_percent", "percentage of reads among the requests")
            .within(0, 100)
            .taken(take_scaled<&FitTarget::read_share, 1, 100>)
            .otherwise("0.0"),
        KeyRow(T::kReal, "target.read_mean_kib", "mean size of a read, in KiB")
            .within(0.5, 4096)
            .taken(take_scaled<&FitTarget::read_mean, kKiB>),
        KeyRow(T::kReal, "target.write_mean_kib", "mean size of a write, in KiB")
            .within(0.5, 4096)
            .taken(take_scaled<&FitTarget::write_mean, kKiB>),
        KeyRow(T::kReal, "target.random_percent",
               "percentage of requests that do not continue the one before them")
            .within(0.01, 100)
            .taken(take_scaled<&FitTarget::random_share, 1, 100>),
        KeyRow(T::kReal, "target.read_footprint_gib", "pages of 4 KiB that are read, in GiB")
            .within(1e-4, kMostGiB)
            .taken(take_scaled<&FitTarget::read_footprint, kGiB>),
        KeyRow(T::kReal, "target.write_footprint_gib", "pages of 4 KiB that are written, in GiB")
            .within(1e-4, kMostGiB)
            .taken(take_scaled<&FitTarget::write_footprint, kGiB>),
        KeyRow(T::kReal, "target.address_space_gib", "over how many GiB these pages are spread")
            .within(0.01, kMostGiB)
            .taken(take_space)
            .required(),
        KeyRow(T::kReal, "target.interarrival_us",
               "mean time between requests, in microseconds; absent: closed loop")
            .within(1e-3, 1e12)
            .taken(take_interarrival),
        KeyRow(T::kText, "target.distribution",
               "how popular random places are, as job.random_distribution: an assumption")
            .taken(take_target_places)
            .otherwise("random"),
        KeyRow(T::kBytes, "target.cluster",
               "size of a neighbourhood, as job.cluster: an assumption")
            .range(1, JobSpec::kPieceBytes)
            .taken(take_cluster),
        KeyRow(T::kBytes, "target.bs", "sizes and offsets are multiples of this size")
            .range(512, kMiB)
            .taken(take_unit)
            .otherwise("4KiB"),
        KeyRow(T::kCount, "target.seed", "seed of the job")
            .to(&FitTarget::seed)
            .range(0, 1'000'000'000'000'000),
    };
}

} // namespace

const Keys& target_keys() {
    static const FitTarget fresh;
    static const Keys keys = with_defaults(target_rows(), &fresh);
    return keys;
}

FitTarget parse_fit_target(std::string_view text, const std::string& file) {
    const toml::table root =
        parse_toml(text, file, "a description of a target is TOML with a table [target]");
    const toml::table* table = root["target"].as_table();
    if (table == nullptr) {
        throw UserError(file, 1, "there is no table [target]",
                        "it says what statistics the workload is to have");
    }
    FitTarget target;
    const KeyTable keys = read_table(*table, file, target_keys(), "a target");
    keys.store(&target);
    if (target.cluster &&
        (*target.cluster % target.unit != 0 || (target.distribution.kind != Popularity::kZipf &&
                                                target.distribution.kind != Popularity::kPareto))) {
        throw UserError(file, keys.line,
                        "the target has a cluster that is no multiple of its bs, or a "
                        "distribution without popular places",
                        "cluster goes with zipf or pareto, and is at least bs");
    }
    for (const auto& footprint : {target.read_footprint, target.write_footprint}) {
        if (footprint && *footprint > static_cast<double>(target.address_space)) {
            throw UserError(file, keys.line, "a footprint is larger than the address space",
                            "address_space_gib is at least as large");
        }
    }
    return target;
}

} // namespace cavern
