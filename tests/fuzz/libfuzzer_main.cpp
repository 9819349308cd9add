// For clang's libFuzzer: what is under test is FUZZ_READER, a string; see check_bytes().
#include <cstdint>
#include <string>

#include "tests/fuzz/trace_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    cavern::check_bytes(FUZZ_READER, {reinterpret_cast<const char*>(data), size});
    return 0;
}
