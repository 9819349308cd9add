#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/field_info.h"
#include "results/law.h"

namespace cavern {

/// What each number of a file keeps to, whatever else is declared of it: one for each field.
[[nodiscard]] std::vector<LawInfo> bounds_of(const std::vector<FieldInfo>& fields);

/// Throws ModelError that names the first law broken, and its values.
void check_laws(const std::vector<LawInfo>& laws, const Law::Json& whole);

/// The laws of a section ("host", or empty: those of the whole) as a block of Markdown; empty where
/// there are none.
[[nodiscard]] std::string laws_markdown(const std::vector<LawInfo>& laws,
                                        const std::vector<FieldInfo>& fields,
                                        std::string_view section);

} // namespace cavern
