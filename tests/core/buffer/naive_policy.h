#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace cavern::testing {

using Pages = std::vector<std::uint64_t>;
using IsPinned = std::function<bool(std::uint64_t unit)>;

/// An order policy as its paper words it, with lists searched from end to end: what the policies of
/// the write buffer are compared with. Pages are named by logical page number.
class NaivePolicy {
  public:
    virtual ~NaivePolicy() = default;
    virtual void miss(std::uint64_t /*lpn*/) {}
    virtual void batch(std::uint32_t /*units*/) {}
    virtual void insert(std::uint64_t lpn, bool write) = 0;
    virtual void hit(std::uint64_t lpn, bool write) = 0;
    virtual void remove(std::uint64_t lpn) = 0;
    /// Takes the next unit that is not pinned; its pages ascending, none if there is none.
    virtual Pages victim(const IsPinned& pinned) = 0;
    /// Every page in the order in which a FLUSH writes those that are dirty.
    [[nodiscard]] virtual Pages drain_order() const = 0;
    /// A dirty page was written and stays.
    virtual void clean(std::uint64_t /*lpn*/) {}
};

} // namespace cavern::testing
