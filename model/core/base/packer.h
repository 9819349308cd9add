#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace cavern {

/// Packs a stream of bytes as the name of its file says: gzip for ".gz", Zstandard for ".zst". The
/// same bytes give the same file: no name and no time is in it.
class Packer {
  public:
    using Write = std::function<void(const char* bytes, std::size_t size)>;

    virtual ~Packer() = default;
    virtual void add(std::string_view bytes, const Write& write) = 0;
    virtual void finish(const Write& write) = 0;
};

/// Null for any other name.
[[nodiscard]] std::unique_ptr<Packer> packer_for(std::string_view path);

} // namespace cavern
