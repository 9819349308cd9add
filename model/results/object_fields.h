#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// The fields of a JSON object that is made of a `Source`: each is declared once, with its unit, a
/// sentence and how it is read, and the object is printed from the declarations.
template <typename Source>
class ObjectFields {
  public:
    using Json = nlohmann::ordered_json;

    /// A value; its kind is that of what `get` returns, and a std::optional may be null.
    template <typename Get>
    ObjectFields& value(const std::string& name, std::string_view unit, std::string_view meaning,
                        Get get) {
        FieldInfo& info = begin(name, unit, meaning);
        set_kind<std::decay_t<std::invoke_result_t<Get, const Source&>>>(info);
        print([name, get](const Source& source, Json& out) {
            place(out, name) = json_of(get(source));
        });
        return *this;
    }

    /// What stands around fields with dotted names.
    ObjectFields& group(const std::string& name, std::string_view meaning) {
        begin(name, "", meaning);
        print([name](const Source&, Json& out) { place(out, name) = Json::object(); });
        return *this;
    }
    /// An object whose fields have declarations of their own.
    template <typename Get>
    ObjectFields& foreign(const std::string& name, std::string_view meaning, Get get) {
        begin(name, "", meaning).open = true;
        print([name, get](const Source& source, Json& out) { place(out, name) = get(source); });
        return *this;
    }
    /// An object below this one. `get` returns the source of its fields, by value or reference, or
    /// a pointer or std::optional: then null where there is none.
    template <typename Sub, typename Get>
    ObjectFields& object(const std::string& name, std::string_view meaning,
                         const ObjectFields<Sub>& fields, Get get) {
        FieldInfo& info = begin(name, "", meaning);
        info.nullable = may_lack<std::invoke_result_t<Get, const Source&>>();
        adopt(name + ".", name + ".", fields);
        print([name, fields, get](const Source& source, Json& out) {
            Json below;
            with(get(source), [&](const Sub& sub) { below = fields.json(sub); });
            place(out, name) = std::move(below);
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
            const std::string& name = names[index];
            object(name, meaning, fields,
                   [get, index](const Source& source) { return get(source, index); });
            for (std::size_t i = latest_; i < infos_.size(); ++i) {
                infos_[i].family.replace(0, name.size(), family);
            }
        }
        return *this;
    }
    /// An array of objects; `get` returns a container of their sources.
    template <typename Sub, typename Get>
    ObjectFields& list(const std::string& name, std::string_view meaning,
                       const ObjectFields<Sub>& fields, Get get) {
        begin(name, "", meaning).kind = FieldKind::kObjects;
        adopt(name + "[].", name + "[].", fields);
        print([name, fields, get](const Source& source, Json& out) {
            Json& array = place(out, name) = Json::array();
            for (const auto& each : get(source)) {
                array.push_back(fields.json(each));
            }
        });
        return *this;
    }
    /// The fields of another source, among these. With a pointer or std::optional they may lack;
    /// `when` says where they do not.
    template <typename Sub, typename Get>
    ObjectFields& include(const ObjectFields<Sub>& fields, Get get, std::string_view when = "") {
        latest_ = infos_.size();
        adopt("", "", fields);
        if (may_lack<std::invoke_result_t<Get, const Source&>>()) {
            for (std::size_t i = latest_; i < infos_.size(); ++i) {
                infos_[i].optional = true;
                infos_[i].when = when;
            }
        }
        print([fields, get](const Source& source, Json& out) {
            with(get(source), [&](const Sub& sub) { fields.fill(sub, out); });
        });
        return *this;
    }

    /// All counters that a struct declares.
    template <typename Counters, typename Get>
    ObjectFields& counters(Get get) {
        for (std::size_t i = 0; i < Counters::declared.size(); ++i) {
            const CounterInfo& info = Counters::declared[i];
            value(std::string(info.name), info.unit, info.meaning, [get, i](const Source& source) {
                const Counters& counted = get(source);
                return Counters::declared[i].value(counted);
            });
        }
        return *this;
    }
    /// The same of a set that a table names: zeros where what `get` returns is of another set.
    template <typename Get>
    ObjectFields& counters(const CounterSet& set, Get get) {
        for (std::size_t i = 0; i < set.counters().size(); ++i) {
            const CounterInfo& info = set.counters()[i];
            value(std::string(info.name), info.unit, info.meaning,
                  [&set, get, i](const Source& source) -> std::uint64_t {
                      const CounterView view = get(source);
                      return view.set() == &set ? view.value(i) : 0;
                  });
        }
        return *this;
    }

    // What follows is about the field declared last, and all below it.

    /// Present only where `predicate` is true, which `when` says in words.
    template <typename Predicate>
    ObjectFields& present(std::string_view when, Predicate predicate) {
        infos_[latest_].optional = true;
        for (std::size_t i = latest_; i < infos_.size(); ++i) {
            if (infos_[i].when.empty()) {
                infos_[i].when = when;
            }
        }
        printers_.back() = [inner = printers_.back(), predicate](const Source& source, Json& out) {
            if (predicate(source)) {
                inner(source, out);
            }
        };
        return *this;
    }
    /// An old name, for one version beside the new one.
    ObjectFields& deprecated(const std::string& instead) {
        const std::size_t name = infos_[latest_].path.size();
        for (std::size_t i = latest_; i < infos_.size(); ++i) {
            infos_[i].instead = instead + infos_[i].path.substr(name);
        }
        return *this;
    }
    /// Of this machine and this moment.
    ObjectFields& measured() {
        infos_[latest_].measured = true;
        return *this;
    }

    [[nodiscard]] const std::vector<FieldInfo>& infos() const { return infos_; }
    [[nodiscard]] Json json(const Source& source) const {
        Json out = Json::object();
        fill(source, out);
        return out;
    }
    void fill(const Source& source, Json& out) const {
        for (const auto& printer : printers_) {
            printer(source, out);
        }
    }

  private:
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
    static Json json_of(const T& value) {
        if constexpr (is_optional<T>::value) {
            return value ? json_of(*value) : Json(nullptr);
        } else if constexpr (std::is_convertible_v<T, std::string_view>) {
            return std::string(value);
        } else {
            return value;
        }
    }
    /// Where a dotted name stands in an object.
    static Json& place(Json& object, std::string_view name) {
        const std::size_t dot = name.find('.');
        if (dot == std::string_view::npos) {
            return object[std::string(name)];
        }
        return place(object[std::string(name.substr(0, dot))], name.substr(dot + 1));
    }

    FieldInfo& begin(const std::string& name, std::string_view unit, std::string_view meaning) {
        latest_ = infos_.size();
        FieldInfo& info = infos_.emplace_back();
        info.path = info.family = name;
        info.unit = unit;
        info.meaning = meaning;
        return info;
    }
    template <typename Sub>
    void adopt(const std::string& prefix, const std::string& family,
               const ObjectFields<Sub>& fields) {
        for (FieldInfo info : fields.infos()) {
            info.path.insert(0, prefix);
            info.family.insert(0, family);
            if (!info.instead.empty()) {
                info.instead.insert(0, prefix);
            }
            infos_.push_back(std::move(info));
        }
    }
    void print(std::function<void(const Source&, Json&)> printer) {
        printers_.push_back(std::move(printer));
    }

    std::vector<FieldInfo> infos_;
    std::size_t latest_ = 0; ///< in infos_
    std::vector<std::function<void(const Source&, Json&)>> printers_;
};

} // namespace cavern
