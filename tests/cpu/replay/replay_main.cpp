// iss_replay: executes pieces of code on the interpreter, for comparison with another processor in
// another process. Reads from stdin, until its end, requests of 32-bit little-endian words:
//
//     address, bytes of code, instructions at most, flags, x0 to x31, [4096 bytes], code
//
// and answers each on stdout with: pc, instructions, how it stopped (enum Stop), CRC-32 of the
// first 4096 bytes of the data memory, x0 to x31. These bytes stay from request to request, unless
// the lowest flag says that they are given. A piece ends where its pc is behind its code.
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

#include <zlib.h>

#include "core/base/check.h"
#include "cpu/hart.h"
#include "cpu/memory_system.h"

namespace cavern::cpu {
namespace {

constexpr std::uint32_t kArenaBytes = 4096;

bool take(void* to, std::size_t bytes) {
    return std::fread(to, 1, bytes, stdin) == bytes;
}

void answer(MemorySystem& memory, Hart& hart, Stop stop) {
    std::array<std::uint32_t, 36> words{};
    const std::uint8_t* arena = memory.direct(memory.map().data.base, kArenaBytes);
    words[0] = hart.pc();
    words[1] = static_cast<std::uint32_t>(hart.executed());
    words[2] = static_cast<std::uint32_t>(stop);
    words[3] = static_cast<std::uint32_t>(::crc32(0, arena, kArenaBytes));
    for (std::uint32_t i = 0; i < 32; ++i) {
        words[4 + i] = hart.reg(i);
    }
    CAVERN_CHECK(std::fwrite(words.data(), 4, words.size(), stdout) == words.size(),
                 "nobody reads the answers");
}

struct Request {
    std::array<std::uint32_t, 36> words{};
    std::vector<std::uint8_t> arena;
};

void execute(MemorySystem& memory, Hart& hart, const Request& request) {
    const std::uint32_t address = request.words[0];
    const std::uint32_t end = address + request.words[1];
    if (!request.arena.empty()) {
        CAVERN_CHECK(memory.write(memory.map().data.base, request.arena.data(), kArenaBytes),
                     "the data memory is too small");
    }
    hart.reset(address);
    for (std::uint32_t i = 0; i < 32; ++i) {
        hart.set_reg(i, request.words[4 + i]);
    }
    Stop stop = Stop::kInstructions;
    for (std::uint32_t i = 0;
         i < request.words[2] && hart.pc() != end && stop == Stop::kInstructions; ++i) {
        stop = hart.run(1);
    }
    answer(memory, hart, stop);
}

void replay() {
    MemorySystem memory{MemoryMap{}};
    Hart hart(memory, {}, FaultPolicy::kTrap);
    std::vector<Request> requests;
    std::vector<std::uint8_t> code;
    for (Request request; take(request.words.data(), sizeof(request.words));) {
        request.arena.resize((request.words[3] & 1) != 0 ? kArenaBytes : 0);
        code.resize(request.words[1]);
        CAVERN_CHECK(take(request.arena.data(), request.arena.size()) &&
                         take(code.data(), code.size()) &&
                         memory.write(request.words[0], code.data(), request.words[1]),
                     "a request is cut short, or its code does not fit");
        requests.push_back(request);
    }
    for (const Request& request : requests) {
        execute(memory, hart, request);
    }
}

} // namespace
} // namespace cavern::cpu

int main() {
    try {
        cavern::cpu::replay();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
    return 0;
}
