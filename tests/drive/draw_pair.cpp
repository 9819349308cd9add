#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "drive/controller.h"
#include "drive/core_builder.h"
#include "tests/drive/drive_cases.h"
#include "tests/drive/drive_pair.h"
#include "tests/drive/pair_keys.h"

namespace cavern::testing {
namespace {

constexpr std::string_view kOnCommandLine = "<command line>:";

/// The setting that the check of the configuration blames, as an index; nothing: none.
/// It blames that which was given last of those that do not fit each other.
std::optional<std::size_t> blamed(const std::vector<std::string>& settings) {
    try {
        (void)small_drive(settings);
        return std::nullopt;
    } catch (const UserError& error) {
        const std::string text = error.what();
        if (text.rfind(kOnCommandLine, 0) != 0) {
            return settings.size() - 1;
        }
        // The small drive's own settings come first.
        const std::size_t ordinal = std::stoul(text.substr(kOnCommandLine.size()));
        const std::size_t own = small_drive_settings().size();
        return ordinal > own ? ordinal - own - 1 : settings.size() - 1;
    }
}

bool is_any_given(const std::vector<std::string>& settings,
                  const std::vector<std::string>& wanted) {
    return std::find_first_of(settings.begin(), settings.end(), wanted.begin(), wanted.end()) !=
           settings.end();
}

void draw(const std::vector<PairKey>& keys, Random& random, std::vector<std::string>& settings) {
    for (const PairKey& key : keys) {
        const bool given = random.below(100) < key.percent;
        const std::string setting = draw_setting(key, random);
        if (given && (key.with.empty() || is_any_given(settings, key.with))) {
            settings.push_back(setting);
        }
    }
}

/// The layer stays, whatever it takes to find a drive that suits it.
std::vector<std::string> draw_basics(Random& random) {
    const std::string layer = draw_setting(basic_pair_keys().front(), random);
    for (;;) {
        std::vector<std::string> settings;
        draw(basic_pair_keys(), random, settings);
        settings.front() = layer;
        if (!blamed(settings)) {
            return settings;
        }
    }
}

std::uint32_t one_of(std::initializer_list<std::uint32_t> values, Random& random) {
    return values.begin()[random.below(values.size())];
}

/// Two or three jobs in a closed loop, each with an iodepth of its own.
GeneratorSpec draw_jobs(const SsdConfig& config, std::uint32_t requests, Random& random) {
    const std::uint64_t capacity = capacity_of(config);
    const std::uint64_t page = DrivePlan(config).geometry.page_bytes;
    const Pattern patterns[] = {Pattern::kWrite,     Pattern::kRandWrite, Pattern::kRandRw,
                                Pattern::kRandTrim,  Pattern::kRw,        Pattern::kRead,
                                Pattern::kRandWrite, Pattern::kRandRw};
    GeneratorSpec spec{"jobs", {}};
    for (std::uint64_t jobs = 2 + random.below(2); jobs > 0; --jobs) {
        JobSpec job;
        job.name = "job" + std::to_string(jobs);
        // One at least writes.
        job.pattern = jobs == 1 ? Pattern::kRandWrite : patterns[random.below(8)];
        job.block_bytes = static_cast<std::uint32_t>(
            std::min(random.below(3) == 0 ? 512 : page * (1 + random.below(3)), capacity));
        job.size = capacity;
        job.number_ios = requests / 3;
        job.iodepth = one_of({1, 2, 5}, random);
        job.seed = random.next() >> 1;
        job.fsync = random.below(3) == 0 ? 10 : 0;
        job.writefua = random.below(5) == 0;
        job.stream = static_cast<std::uint16_t>(jobs);
        spec.jobs.push_back(job);
    }
    return spec;
}

/// Where the firmware is to decide, settings that it cannot decide with are given up.
void suit_the_firmware(std::vector<std::string>& overrides) {
    const auto find = [&overrides](const std::string& key) {
        return std::find_if(overrides.begin(), overrides.end(), [&](const std::string& setting) {
            return setting.rfind(key + "=", 0) == 0;
        });
    };
    while (find("cpu.decides") != overrides.end()) {
        const auto lacks = controller_why_not(small_drive(overrides));
        if (!lacks) {
            return;
        }
        auto guilty = find("cpu.decides"); // where a default is to blame
        for (const std::string& key : lacks->keys) {
            guilty = find(key) != overrides.end() ? find(key) : guilty;
        }
        overrides.erase(guilty);
        while (const auto fault = blamed(overrides)) {
            overrides.erase(overrides.begin() + static_cast<std::ptrdiff_t>(*fault));
        }
    }
}

} // namespace

DrivePair draw_pair(std::uint64_t seed, std::uint32_t requests) {
    Random random(seed);
    DrivePair pair;
    pair.seed = seed;
    pair.overrides = draw_basics(random);
    draw(pair_keys(), random, pair.overrides);
    while (const auto fault = blamed(pair.overrides)) {
        pair.overrides.erase(pair.overrides.begin() + static_cast<std::ptrdiff_t>(*fault));
    }
    suit_the_firmware(pair.overrides);
    pair.mix.requests = requests;
    pair.mix.seed = random.next();
    pair.mix.writes = one_of({40, 60, 80}, random);
    pair.mix.reads = one_of({5, 12, 18}, random);
    pair.mix.trims = one_of({0, 1, 2}, random);
    pair.mix.max_pages = one_of({1, 4, 4, 12, 40}, random);
    pair.mix.fua = one_of({0, 0, 10, 60}, random);
    pair.mix.streams = 6;
    pair.closed_loop = random.below(3) != 0;
    pair.mix.mean_gap = pair.closed_loop ? 0 : one_of({20, 100, 400}, random) * kUs;
    const SsdConfig config = small_drive(pair.overrides);
    const std::uint64_t pages = capacity_of(config) / DrivePlan(config).geometry.page_bytes;
    pair.mix.max_pages =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(pair.mix.max_pages, pages));
    if (random.below(5) == 0 && !config.ftl.scheme->has_zones) {
        pair.closed_loop = true;
        pair.jobs = draw_jobs(config, requests, random);
    }
    return pair;
}

namespace {

std::string describe(const GeneratorSpec& jobs) {
    std::string text;
    for (const JobSpec& job : jobs.jobs) {
        text += (text.empty() ? "of jobs with " : " and ") + std::to_string(*job.number_ios);
    }
    return text + " requests";
}

} // namespace

std::string describe(const DrivePair& pair) {
    std::string text = "pair " + std::to_string(pair.seed) + ":";
    for (const std::string& setting : pair.overrides) {
        text += " --set '" + setting + "'";
    }
    text += "\n" + std::to_string(pair.mix.requests) + " requests, of 100 " +
            std::to_string(pair.mix.reads) + " reads, " + std::to_string(pair.mix.writes) +
            " writes (" + std::to_string(pair.mix.fua) + " % FUA), " +
            std::to_string(pair.mix.trims) + " trims, to " + std::to_string(pair.mix.max_pages) +
            " pages, " +
            (pair.jobs          ? describe(*pair.jobs)
             : pair.closed_loop ? "closed loop"
                                : "open loop");
    return text;
}

DrivePair shrink(DrivePair pair, const std::vector<std::string>& untimed_too) {
    const auto find = [&](const DrivePair& any) {
        return kind_of(play_pair(any, untimed_too).difference);
    };
    const std::string wanted = find(pair);
    if (wanted.empty()) {
        return pair;
    }
    const auto try_smaller = [&](const DrivePair& smaller) {
        if (!blamed(smaller.overrides) && find(smaller) == wanted) {
            pair = smaller;
        }
    };
    for (std::size_t i = pair.overrides.size(); i-- > 0;) {
        DrivePair smaller = pair;
        smaller.overrides.erase(smaller.overrides.begin() + static_cast<std::ptrdiff_t>(i));
        try_smaller(smaller);
    }
    for (std::size_t i = pair.jobs ? pair.jobs->jobs.size() : 0; i-- > 0;) {
        DrivePair smaller = pair;
        smaller.jobs.value().jobs.erase(smaller.jobs.value().jobs.begin() +
                                        static_cast<std::ptrdiff_t>(i));
        if (!smaller.jobs.value().jobs.empty()) {
            try_smaller(smaller);
        }
    }
    // `number`: of a pair, where it says how many.
    const auto fewer = [&](auto number) {
        for (std::uint64_t step = number(pair) / 2; step > 0; step /= 2) {
            if (step < number(pair)) {
                DrivePair smaller = pair;
                number(smaller) -= static_cast<std::uint32_t>(step);
                try_smaller(smaller);
            }
        }
    };
    if (!pair.jobs) {
        fewer([](DrivePair& any) -> std::uint32_t& { return any.mix.requests; });
    }
    for (std::size_t i = 0; pair.jobs && i < pair.jobs->jobs.size(); ++i) {
        fewer(
            [i](DrivePair& any) -> std::uint64_t& { return *any.jobs.value().jobs[i].number_ios; });
    }
    return pair;
}

} // namespace cavern::testing
