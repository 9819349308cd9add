// For clang's libFuzzer: the format under test is FUZZ_FORMAT, a string; "job" is the fio job file.
#include <cstdint>
#include <string>

#include "tests/fuzz/trace_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (std::string(FUZZ_FORMAT) == "job") {
        cavern::check_job_bytes(text);
    } else {
        cavern::check_trace_bytes(FUZZ_FORMAT, text);
    }
    return 0;
}
