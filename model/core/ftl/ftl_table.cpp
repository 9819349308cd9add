#include "core/ftl/ftl_table.h"

#include "core/ftl/page_ftl.h"
#include "core/ftl/page_ftl_fits.h"

namespace cavern {

namespace {

std::unique_ptr<FtlIf> make_page(const Geometry& geometry, const FtlParams& params,
                                 DecisionLogIf* log) {
    return std::make_unique<PageFtl>(geometry, params, log);
}

} // namespace

const std::vector<FtlRow>& ftl_table() {
    static const std::vector<FtlRow> rows{
        {"page", "Any logical page may lie anywhere; full planes are garbage-collected.",
         page_ftl_fits, make_page},
    };
    return rows;
}

const FtlRow* find_ftl(std::string_view name) {
    for (const FtlRow& row : ftl_table()) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

} // namespace cavern
