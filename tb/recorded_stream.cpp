#include "tb/recorded_stream.h"

#include <string_view>

#include "core/base/error.h"

namespace cavern {
namespace {

constexpr std::string_view kMagic = "cavern-arbiter-stream-1";

// Flags of an edge; the numbers follow in this order.
constexpr std::uint32_t kRelease = 1;
constexpr std::uint32_t kRequest = 2; ///< request lines that changed
constexpr std::uint32_t kClasses = 4; ///< class lines that changed
constexpr std::uint32_t kTime = 8;    ///< clock edges since the last one, unless 1
constexpr std::uint32_t kValid = 16;  ///< holder
constexpr std::uint32_t kKnown = 31;

} // namespace

StreamRecorder::StreamRecorder(const std::string& path, const StreamShape& shape)
    : file_(path, std::ios::binary) {
    if (!file_) {
        throw UserError(path, 0, "cannot write the stream", "a file in a folder that is writable");
    }
    file_ << kMagic << ' ' << shape.ways << ' ' << static_cast<std::uint32_t>(shape.policy) << ' '
          << shape.age_limit << '\n';
}

void StreamRecorder::write(const RecordedEdge& edge) {
    const std::uint32_t request = edge.inputs.request ^ last_.request;
    const std::uint32_t classes = edge.inputs.classes ^ last_.classes;
    const std::uint32_t time = edge.inputs.time - last_.time;
    put((edge.inputs.release ? kRelease : 0u) | (request != 0 ? kRequest : 0u) |
        (classes != 0 ? kClasses : 0u) | (time != 1 ? kTime : 0u) |
        (edge.outputs.valid ? kValid : 0u));
    if (request != 0) {
        put(request);
    }
    if (classes != 0) {
        put(classes);
    }
    if (time != 1) {
        put(time);
    }
    if (edge.outputs.valid) {
        put(edge.outputs.index);
    }
    last_ = edge.inputs;
}

void StreamRecorder::put(std::uint32_t value) {
    for (; value >= 128; value >>= 7) {
        file_.put(static_cast<char>(value | 128u));
    }
    file_.put(static_cast<char>(value));
}

StreamReader::StreamReader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    std::string magic;
    std::uint32_t policy = 0;
    file_ >> magic >> shape_.ways >> policy >> shape_.age_limit;
    if (!file_ || magic != kMagic || file_.get() != '\n') {
        fail("this is no recorded stream");
    }
    if (shape_.ways < 1 || shape_.ways > kMaxRequesters || policy >= kArbiterPolicies.size()) {
        fail("a stream of an arbiter that does not exist");
    }
    shape_.policy = static_cast<ArbiterPolicy>(policy);
}

bool StreamReader::next(RecordedEdge& edge) {
    if (file_.peek() == std::ifstream::traits_type::eof()) {
        return false;
    }
    const std::uint32_t flags = get();
    if (flags > kKnown) {
        fail("an edge with flags that mean nothing");
    }
    last_.release = (flags & kRelease) != 0;
    last_.request ^= (flags & kRequest) != 0 ? get() : 0;
    last_.classes ^= (flags & kClasses) != 0 ? get() : 0;
    last_.time += (flags & kTime) != 0 ? get() : 1;
    edge.inputs = last_;
    edge.outputs = {};
    if ((flags & kValid) != 0) {
        const std::uint32_t index = get();
        if (index >= shape_.ways) {
            fail("a grant to a slot that does not exist");
        }
        edge.outputs = {true, 1u << index, index};
    }
    return true;
}

std::uint32_t StreamReader::get() {
    std::uint32_t value = 0;
    for (std::uint32_t shift = 0; shift < 35; shift += 7) {
        const int byte = file_.get();
        if (byte == std::ifstream::traits_type::eof()) {
            fail("the stream ends in the middle of an edge");
        }
        value |= (static_cast<std::uint32_t>(byte) & 127u) << shift;
        if (byte < 128) {
            return value;
        }
    }
    fail("a number of more than 32 bits");
}

void StreamReader::fail(const std::string& what) const {
    throw UserError(path_, 0, what, "record it with cavern-sim-recording");
}

} // namespace cavern
