#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/lazy_array.h"

namespace cavern {

/// What was saved cannot be loaded here. what() is "what; what would be right".
class StateError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Saves the state of a drive's parts, or loads it into parts of the same make. A part that has
/// state has one function for both,
///
///     void serialize(StateArchive& archive) { archive(order_, lpns_, accesses_); }
///
/// which names every member that changes once it is built. What follows from the configuration, and
/// scratch, is not named. Members may be numbers, enumerations and structs of these without
/// pointers; parts that have serialize(); unique_ptr, vector, array and LazyArray of any of them.
///
/// Each member is kept behind a mark of its type, so that what a program of another make has saved
/// is noticed where it differs.
class StateArchive {
  public:
    virtual ~StateArchive() = default;
    [[nodiscard]] virtual bool loads() const = 0;

    template <typename... Members>
    void operator()(Members&... members) {
        (item(members), ...);
    }

  protected:
    /// Writes the bytes, or reads as many into them.
    virtual void move(void* bytes, std::size_t size) = 0;

  private:
    template <typename T, typename = void>
    struct HasSerialize : std::false_type {};
    template <typename T>
    struct HasSerialize<
        T, std::void_t<decltype(std::declval<T&>().serialize(std::declval<StateArchive&>()))>>
        : std::true_type {};

    /// Of the name that the compiler has for the type (FNV-1a).
    template <typename T>
    [[nodiscard]] static constexpr std::uint32_t mark_of() {
        std::uint32_t hash = 0x811C9DC5u;
        for (const char c : std::string_view(__PRETTY_FUNCTION__)) {
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193u;
        }
        return hash ^ static_cast<std::uint32_t>(sizeof(T));
    }

    /// Throws where another one was saved.
    void mark(std::uint32_t mark);
    /// The number of elements, which are `each` bytes at least.
    [[nodiscard]] std::size_t count(std::size_t have, std::size_t each);
    /// Sets the padding of each value in these bytes to zero; null where there is none.
    using ClearPadding = void (*)(unsigned char* from, std::size_t begin, std::size_t end);
    /// Bytes of which long stretches are zero; they are zero where this loads.
    void sparse(unsigned char* bytes, std::size_t size, ClearPadding clear);

    template <typename T>
    void item(T& value) {
        mark(mark_of<T>());
        if constexpr (HasSerialize<T>::value) {
            value.serialize(*this);
        } else {
            plain(&value, 1);
        }
    }
    template <typename T>
    void item(std::unique_ptr<T>& part) {
        mark(mark_of<T>() + (part == nullptr ? 1 : 0));
        if (part != nullptr) {
            item(*part);
        }
    }
    template <typename T>
    void item(std::vector<T>& values) {
        mark(mark_of<std::vector<T>>());
        values.resize(count(values.size(), sizeof(T)));
        if constexpr (std::is_same_v<T, bool>) {
            for (std::size_t i = 0; i < values.size(); ++i) {
                bool value = values[i];
                plain(&value, 1);
                values[i] = value;
            }
        } else if constexpr (std::is_trivially_copyable_v<T> && !HasSerialize<T>::value) {
            plain(values.data(), values.size());
        } else {
            for (T& value : values) {
                item(value);
            }
        }
    }
    template <typename T>
    void item(LazyArray<T>& values) {
        mark(mark_of<LazyArray<T>>());
        const std::size_t size = count(values.size(), sizeof(T));
        if (size != values.size()) {
            values = LazyArray<T>(size);
        } else if (loads()) {
            values.clear();
        }
        if (size != 0) {
            sparse(reinterpret_cast<unsigned char*>(&values[0]), size * sizeof(T),
                   clear_padding<T>());
        }
    }

    template <typename T>
    void plain(T* values, std::size_t count) {
        static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>,
                      "a member that is saved is plain, or has serialize()");
        if constexpr (std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>) {
            move(values, count * sizeof(T));
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                T value = values[i];
                clear_padding_of(value);
                move(&value, sizeof value);
                values[i] = value;
            }
        }
    }
    template <typename T>
    static void clear_padding_of([[maybe_unused]] T& value) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
        __builtin_clear_padding(&value);
#endif
#endif
    }
    template <typename T>
    [[nodiscard]] static ClearPadding clear_padding() {
        if constexpr (std::has_unique_object_representations_v<T>) {
            return nullptr;
        } else {
            return [](unsigned char* from, std::size_t begin, std::size_t end) {
                T* const values = reinterpret_cast<T*>(from);
                for (std::size_t i = begin / sizeof(T); i * sizeof(T) < end; ++i) {
                    clear_padding_of(values[i]);
                }
            };
        }
    }
    [[noreturn]] static void throw_another();
};

} // namespace cavern
