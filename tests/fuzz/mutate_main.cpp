// trace_mutation SECONDS SEED [SAMPLE ...]: mutated samples through every reader, for SECONDS of
// wall time. Deterministic in SEED but for where it stops. Built with the sanitizers, it stands in
// for libFuzzer (run.sh) where only gcc is at hand: no feedback from coverage, but no set-up
// either.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tests/fuzz/trace_fuzz.h"
#include "tests/workload/workload_fixture.h"
#include "workload/open_trace.h"

namespace cavern {
namespace {

std::string content_of(const char* path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        std::fprintf(stderr, "%s cannot be read\n", path);
        std::exit(2);
    }
    return {std::istreambuf_iterator<char>(in), {}};
}

/// One edit: a byte changed, a run inserted or erased, a piece of another sample put in, a number
/// made extreme, lines swapped or doubled, the end cut.
void edit(std::string& text, const std::vector<std::string>& samples, Random& random) {
    static const std::vector<std::string> words{"18446744073709551615",
                                                "18446744073709551616",
                                                "9223372036854775807",
                                                "-1",
                                                "1e9",
                                                ".",
                                                "0",
                                                "4294967296",
                                                ";",
                                                ",",
                                                "\t",
                                                " ",
                                                "\n",
                                                "\r\n",
                                                "#",
                                                std::string(70000, '7'),
                                                "\xEF\xBB\xBF",
                                                std::string(1, '\0')};
    const std::size_t place = random.below(text.size() + 1);
    const std::string& other = samples[random.below(samples.size())];
    switch (random.below(8)) {
    case 0:
        if (place < text.size()) {
            text[place] = static_cast<char>(random.below(256));
        }
        break;
    case 1:
        text.erase(place, 1 + random.below(8));
        break;
    case 2:
        text.insert(place, words[random.below(words.size())]);
        break;
    case 3:
        text.replace(place, std::min<std::size_t>(random.below(20), text.size() - place),
                     words[random.below(words.size())]);
        break;
    case 4: {
        const std::size_t from = random.below(other.size() + 1);
        text.insert(place, other.substr(from, random.below(80)));
        break;
    }
    case 5:
        text.resize(place);
        break;
    case 6: {
        const std::size_t end = text.find('\n', place);
        text.insert(place, text.substr(place, end == std::string::npos ? end : end - place + 1));
        break;
    }
    default:
        if (place < text.size()) {
            text[place] = static_cast<char>(text[place] ^ (1 << random.below(8)));
        }
    }
    text.resize(std::min<std::size_t>(text.size(), 200'000));
}

int run(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: trace_mutation SECONDS SEED SAMPLE...\n");
        return 2;
    }
    std::vector<std::string> samples;
    for (int i = 3; i < argc; ++i) {
        samples.push_back(content_of(argv[i]));
    }
    std::vector<std::string> readers{"", "table", "job", "workload"};
    for (const TraceFormat& format : trace_formats()) {
        readers.emplace_back(format.name);
    }
    Random random(std::strtoull(argv[2], nullptr, 10));
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration<double>(std::strtod(argv[1], nullptr));
    std::uint64_t texts = 0;
    std::uint64_t requests = 0;
    while (std::chrono::steady_clock::now() < end || texts < 20) { // a busy machine is no excuse
        std::string text = samples[random.below(samples.size())];
        for (std::uint64_t edits = random.below(6); edits > 0; --edits) {
            edit(text, samples, random);
        }
        for (const std::string& reader : readers) {
            requests += check_bytes(reader, text);
        }
        if (texts % 4 == 0) { // packing takes as long as the readers do
            std::string packed = kCompressions[random.below(kCompressions.size())].pack(text);
            for (std::uint64_t edits = random.below(3); edits > 0; --edits) {
                edit(packed, samples, random);
            }
            check_packed_bytes(packed);
            requests += check_trace_bytes("", packed);
        }
        ++texts;
    }
    std::printf("%llu texts, %llu requests\n", static_cast<unsigned long long>(texts),
                static_cast<unsigned long long>(requests));
    return requests > texts ? 0 : 1; // readers that refuse everything may not pass
}

} // namespace
} // namespace cavern

int main(int argc, char** argv) {
    return cavern::run(argc, argv);
}
