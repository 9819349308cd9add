#include "results/object_fields.h"

namespace cavern {

FieldInfo& FieldDeclarations::begin(std::string_view name, std::string_view unit,
                                    std::string_view meaning) {
    latest_ = infos_.size();
    latest_laws_ = laws_.size();
    FieldInfo& info = infos_.emplace_back();
    info.path = info.family = name;
    info.unit = unit;
    info.meaning = meaning;
    return info;
}

void FieldDeclarations::adopt(const std::string& prefix, const FieldDeclarations& fields) {
    for (FieldInfo info : fields.infos_) {
        info.path.insert(0, prefix);
        info.family.insert(0, prefix);
        if (!info.instead.empty()) {
            info.instead.insert(0, prefix);
        }
        infos_.push_back(std::move(info));
    }
    const auto below = [&prefix](const std::string& place) {
        const std::string path = prefix + place;
        return path.substr(0, path.size() - (place.empty() && !path.empty() ? 1 : 0));
    };
    for (const LawInfo& law : fields.laws_) {
        laws_.push_back({below(law.place), below(law.family), law.text});
    }
}

void FieldDeclarations::adopt_beside(const FieldDeclarations& fields) {
    latest_ = infos_.size();
    latest_laws_ = laws_.size();
    adopt("", fields);
}

void FieldDeclarations::add_laws(std::initializer_list<std::string_view> laws,
                                 std::string_view condition) {
    constexpr std::string_view kIf = "if ";
    for (const std::string_view law : laws) {
        const bool has_its_own = law.substr(0, kIf.size()) == kIf;
        std::string text(law);
        if (!condition.empty()) {
            text = std::string(kIf).append(condition) +
                   (has_its_own ? " and " + text.substr(kIf.size()) : ": " + text);
        }
        laws_.push_back({"", "", text});
    }
}

void FieldDeclarations::set_family(std::string_view name, std::string_view family) {
    for (std::size_t i = latest_; i < infos_.size(); ++i) {
        infos_[i].family.replace(0, name.size(), family);
    }
    for (std::size_t i = latest_laws_; i < laws_.size(); ++i) {
        laws_[i].family.replace(0, name.size(), family);
    }
}

void FieldDeclarations::set_optional(std::string_view when) {
    latest().optional = true;
    for (std::size_t i = latest_; i < infos_.size(); ++i) {
        if (infos_[i].when.empty()) {
            infos_[i].when = when;
        }
    }
}

void FieldDeclarations::set_all_optional(std::string_view when) {
    for (std::size_t i = latest_; i < infos_.size(); ++i) {
        infos_[i].optional = true;
        infos_[i].when = when;
    }
}

void FieldDeclarations::set_instead(const std::string& instead) {
    const std::size_t name = latest().path.size();
    for (std::size_t i = latest_; i < infos_.size(); ++i) {
        infos_[i].instead = instead + infos_[i].path.substr(name);
    }
}

FieldDeclarations::Json& FieldDeclarations::place(Json& object, std::string_view name) {
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) {
        return object[std::string(name)];
    }
    return place(object[std::string(name.substr(0, dot))], name.substr(dot + 1));
}

void FieldDeclarations::put(Json& out, bool value) {
    out = value;
}

void FieldDeclarations::put(Json& out, std::int64_t value) {
    out = value;
}

void FieldDeclarations::put(Json& out, std::uint64_t value) {
    out = value;
}

void FieldDeclarations::put(Json& out, double value) {
    out = value;
}

void FieldDeclarations::put(Json& out, std::string_view value) {
    out = value;
}

void FieldDeclarations::put_null(Json& out) {
    out = nullptr;
}

void FieldDeclarations::put_object(Json& out) {
    out = Json::object();
}

} // namespace cavern
