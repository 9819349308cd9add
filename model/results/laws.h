#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/field_info.h"
#include "results/law.h"

namespace cavern {

/// Throws ModelError where a number is not within what each keeps to, whatever else is declared of
/// it: at least 0, less than 2^63, and a share at most 1. `where` is the name of the whole.
void check_bounds(const std::vector<FieldInfo>& fields, const Law::Json& whole,
                  const std::string& where = {});

/// Throws ModelError that names the first law broken, and its values.
void check_laws(const std::vector<LawInfo>& laws, const Law::Json& whole);

/// The laws of a section ("host", or empty: those of the whole) as a block of Markdown; empty where
/// there are none.
[[nodiscard]] std::string laws_markdown(const std::vector<LawInfo>& laws,
                                        const std::vector<FieldInfo>& fields,
                                        std::string_view section);

} // namespace cavern
