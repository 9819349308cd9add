#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/counter.h"
#include "results/field_info.h"

namespace cavern {

/// The part of ObjectFields that does not depend on the source. Hundreds of fields are declared:
/// what they share is compiled once.
class FieldDeclarations {
  public:
    using Json = nlohmann::ordered_json;

    [[nodiscard]] const std::vector<FieldInfo>& infos() const { return infos_; }
    /// Laws of these fields, in their order, and of those below them.
    [[nodiscard]] const std::vector<LawInfo>& laws() const { return laws_; }

  protected:
    FieldInfo& begin(std::string_view name, std::string_view unit, std::string_view meaning);
    /// Fields of an object below the one declared last, whose names begin with `prefix`.
    void adopt(const std::string& prefix, const FieldDeclarations& fields);
    /// The fields of another source: from here on they are what was declared last.
    void adopt_beside(const FieldDeclarations& fields);
    void add_laws(std::initializer_list<std::string_view> laws, std::string_view condition);

    // The functions that follow change the field declared last, and all below it.

    void set_family(std::string_view name, std::string_view family);
    void set_optional(std::string_view when);
    /// Makes each field optional, whatever was said of it before.
    void set_all_optional(std::string_view when);
    void set_instead(const std::string& instead);
    [[nodiscard]] FieldInfo& latest() { return infos_[latest_]; }

    /// Where a dotted name stands in an object.
    static Json& place(Json& object, std::string_view name);
    static void put(Json& out, bool value);
    static void put(Json& out, std::int64_t value);
    static void put(Json& out, std::uint64_t value);
    static void put(Json& out, double value);
    static void put(Json& out, std::string_view value);
    static void put_null(Json& out);
    static void put_object(Json& out);

  private:
    std::vector<FieldInfo> infos_;
    std::vector<LawInfo> laws_;
    std::size_t latest_ = 0;      ///< in infos_
    std::size_t latest_laws_ = 0; ///< in laws_: those of what was declared last begin there
};

/// The fields of a JSON object that is made of a `Source`: each is declared once, with its unit, a
/// sentence and how it is read, and the object is printed from the declarations.
template <typename Source>
class ObjectFields : public FieldDeclarations {
  public:
    /// A value; its kind is that of what `get` returns, and a std::optional may be null.
    template <typename Get>
    ObjectFields& value(std::string_view name, std::string_view unit, std::string_view meaning,
                        Get get) {
        FieldInfo& info = begin(name, unit, meaning);
        set_kind<std::decay_t<std::invoke_result_t<Get, const Source&>>>(info);
        print(name, [get](const Source& source, Json& out) { put_value(out, get(source)); });
        return *this;
    }

    /// Declares the object around fields with dotted names.
    ObjectFields& group(std::string_view name, std::string_view meaning) {
        begin(name, "", meaning);
        print(name, [](const Source&, Json& out) { put_object(out); });
        return *this;
    }
    /// An object whose fields have declarations of their own.
    template <typename Get>
    ObjectFields& foreign(std::string_view name, std::string_view meaning, Get get) {
        begin(name, "", meaning).open = true;
        print(name, [get](const Source& source, Json& out) { out = get(source); });
        return *this;
    }
    /// An object below this one. `get` returns the source of its fields, by value or reference, or
    /// a pointer or std::optional: then null where there is none.
    template <typename Sub, typename Get>
    ObjectFields& object(std::string_view name, std::string_view meaning,
                         const ObjectFields<Sub>& fields, Get get) {
        begin(name, "", meaning).nullable = may_lack<std::invoke_result_t<Get, const Source&>>();
        adopt(std::string(name) + ".", fields);
        print(name, [fields = shared(fields), get](const Source& source, Json& out) {
            put_null(out);
            with(get(source), [&](const Sub& sub) { out = fields->json(sub); });
        });
        return *this;
    }
    /// Several objects of one form; `get` has the index of the name.
    template <typename Sub, typename Get>
    ObjectFields& objects(const std::vector<std::string>& names, std::string_view meaning,
                          const ObjectFields<Sub>& fields, Get get) {
        std::string family = "{";
        for (const std::string& name : names) {
            family += (family.size() > 1 ? "," : "") + name;
        }
        family += "}";
        for (std::size_t index = 0; index < names.size(); ++index) {
            object(names[index], meaning, fields,
                   [get, index](const Source& source) { return get(source, index); });
            set_family(names[index], family);
        }
        return *this;
    }
    /// An array of objects; `get` returns a container of their sources.
    template <typename Sub, typename Get>
    ObjectFields& list(std::string_view name, std::string_view meaning,
                       const ObjectFields<Sub>& fields, Get get) {
        begin(name, "", meaning).kind = FieldKind::kObjects;
        adopt(std::string(name) + "[].", fields);
        print(name, [fields = shared(fields), get](const Source& source, Json& out) {
            out = Json::array();
            for (const auto& each : get(source)) {
                out.push_back(fields->json(each));
            }
        });
        return *this;
    }
    /// The fields of another source, among these. With a pointer or std::optional they may lack;
    /// `when` says where they do not.
    template <typename Sub, typename Get>
    ObjectFields& include(const ObjectFields<Sub>& fields, Get get, std::string_view when = "") {
        adopt_beside(fields);
        if (may_lack<std::invoke_result_t<Get, const Source&>>()) {
            set_all_optional(when);
        }
        print("", [fields = shared(fields), get](const Source& source, Json& out) {
            with(get(source), [&](const Sub& sub) { fields->fill(sub, out); });
        });
        return *this;
    }

    /// All counters that a struct declares.
    template <typename Counters, typename Get>
    ObjectFields& counters(Get get) {
        for (std::size_t i = 0; i < Counters::declared.size(); ++i) {
            const CounterInfo& info = Counters::declared[i];
            value(info.name, info.unit, info.meaning, [get, i](const Source& source) {
                const Counters& counted = get(source);
                return Counters::declared[i].value(counted);
            });
        }
        return *this;
    }
    /// Declares a set that a table names: zeros where what `get` returns is of another set.
    template <typename Get>
    ObjectFields& counters(const CounterSet& set, Get get) {
        for (std::size_t i = 0; i < set.counters().size(); ++i) {
            const CounterInfo& info = set.counters()[i];
            value(info.name, info.unit, info.meaning,
                  [&set, get, i](const Source& source) -> std::uint64_t {
                      const CounterView view = get(source);
                      return view.set() == &set ? view.value(i) : 0;
                  });
        }
        return *this;
    }

    /// Declares what holds between the fields of this object, or between these and others (Law).
    ObjectFields& laws(std::initializer_list<std::string_view> texts) {
        return laws_where("", texts);
    }
    /// Declares laws that hold where `condition` does ("no recovery"), beside a condition of their
    /// own.
    ObjectFields& laws_where(std::string_view condition,
                             std::initializer_list<std::string_view> texts) {
        add_laws(texts, condition);
        return *this;
    }
    using FieldDeclarations::laws;

    // The functions that follow change the field declared last, and all below it.

    /// Present only where `predicate` is true, which `when` says in words.
    template <typename Predicate>
    ObjectFields& present(std::string_view when, Predicate predicate) {
        set_optional(when);
        printers_.back().conditions.push_back(predicate);
        return *this;
    }
    /// An old name, for one version beside the new one.
    ObjectFields& deprecated(const std::string& instead) {
        set_instead(instead);
        return *this;
    }
    /// A number that may be below 0.
    ObjectFields& below_zero() {
        latest().below_zero = true;
        return *this;
    }
    /// Marks a field of this machine and this moment.
    ObjectFields& measured() {
        latest().measured = true;
        return *this;
    }

    [[nodiscard]] Json json(const Source& source) const {
        Json out;
        put_object(out);
        fill(source, out);
        return out;
    }
    void fill(const Source& source, Json& out) const {
        for (const Printer& printer : printers_) {
            if (printer.applies(source)) {
                printer.print(source, printer.name.empty() ? out : place(out, printer.name));
            }
        }
    }

  private:
    struct Printer {
        std::string name; ///< empty: what is printed has names of its own
        std::function<void(const Source&, Json&)> print;
        std::vector<std::function<bool(const Source&)>> conditions;

        [[nodiscard]] bool applies(const Source& source) const {
            for (const auto& condition : conditions) {
                if (!condition(source)) {
                    return false;
                }
            }
            return true;
        }
    };

    template <typename T>
    static constexpr bool may_lack() {
        return std::is_pointer_v<std::decay_t<T>> || is_optional<std::decay_t<T>>::value;
    }
    template <typename T>
    struct is_optional : std::false_type {};
    template <typename T>
    struct is_optional<std::optional<T>> : std::true_type {
        using Value = T;
    };
    template <typename T>
    struct is_vector : std::false_type {};
    template <typename T>
    struct is_vector<std::vector<T>> : std::true_type {
        using Value = T;
    };

    template <typename Got, typename Use>
    static void with(const Got& got, Use use) {
        if constexpr (may_lack<Got>()) {
            if (got) {
                use(*got);
            }
        } else {
            use(got);
        }
    }
    template <typename T>
    static void set_kind(FieldInfo& info) {
        if constexpr (is_optional<T>::value) {
            info.nullable = true;
            set_kind<typename is_optional<T>::Value>(info);
        } else if constexpr (is_vector<T>::value) {
            info.listed = true;
            set_kind<typename is_vector<T>::Value>(info);
        } else if constexpr (std::is_same_v<T, bool>) {
            info.kind = FieldKind::kBoolean;
        } else if constexpr (std::is_integral_v<T>) {
            info.kind = FieldKind::kInteger;
        } else if constexpr (std::is_floating_point_v<T>) {
            info.kind = FieldKind::kNumber;
        } else {
            static_assert(std::is_convertible_v<T, std::string_view>);
            info.kind = FieldKind::kText;
        }
    }
    template <typename T>
    static void put_value(Json& out, const T& value) {
        if constexpr (is_optional<T>::value) {
            if (value) {
                put_value(out, *value);
            } else {
                put_null(out);
            }
        } else if constexpr (is_vector<T>::value) {
            out = value;
        } else if constexpr (std::is_same_v<T, bool>) {
            put(out, value);
        } else if constexpr (std::is_floating_point_v<T>) {
            put(out, static_cast<double>(value));
        } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
            put(out, static_cast<std::int64_t>(value));
        } else if constexpr (std::is_integral_v<T>) {
            put(out, static_cast<std::uint64_t>(value));
        } else {
            put(out, std::string_view(value));
        }
    }

    /// For a printer, which is copied with every object above it.
    template <typename Sub>
    static std::shared_ptr<const ObjectFields<Sub>> shared(const ObjectFields<Sub>& fields) {
        return std::make_shared<const ObjectFields<Sub>>(fields);
    }
    void print(std::string_view name, std::function<void(const Source&, Json&)> printer) {
        printers_.push_back({std::string(name), std::move(printer), {}});
    }

    std::vector<Printer> printers_;
};

} // namespace cavern
