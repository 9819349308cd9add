#include "serve/nbd/buffer_pool.h"

#include <utility>

#include "core/base/check.h"

namespace cavern::nbd {

Buffer BufferPool::take(std::uint32_t bytes) {
    std::uint32_t size_class = 0;
    while (bytes_of(size_class) < bytes) {
        ++size_class;
        CAVERN_CHECK(size_class < kClasses, "a request has 64 MiB of data at most");
    }
    ++in_use_;
    auto& free = free_[size_class];
    if (free.empty()) {
        // Not set to zero: a client sees of it what the drive wrote into it, or nothing.
        return {std::unique_ptr<std::byte[]>(new std::byte[bytes_of(size_class)]), size_class};
    }
    Buffer buffer{std::move(free.back()), size_class};
    free.pop_back();
    kept_ -= bytes_of(size_class);
    return buffer;
}

void BufferPool::give_back(Buffer buffer) {
    if (buffer.data == nullptr) {
        return;
    }
    --in_use_;
    if (kept_ + bytes_of(buffer.size_class) > kMostKept) {
        return; // freed
    }
    kept_ += bytes_of(buffer.size_class);
    free_[buffer.size_class].push_back(std::move(buffer.data));
}

} // namespace cavern::nbd
