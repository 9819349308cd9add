#include "tests/core/ftl/flash_op_text.h"

namespace cavern::testing {

std::string text_of(const FlashOp& op) {
    const char* kinds[] = {"read", "program", "erase"};
    const char* origins[] = {"host", "gc",       "merge",     "padding", "map",
                             "wear", "recovery", "rescue",    "failed",  "rmw",
                             "fold", "refresh",  "checkpoint"};
    std::string text = kinds[static_cast<int>(op.kind)];
    text += std::string(" ") + origins[static_cast<int>(op.origin)];
    text += " page " + std::to_string(raw(op.page));
    text += op.lpn == kNoLpn ? "" : " lpn " + std::to_string(raw(op.lpn));
    text += op.after == FlashOp::kNone ? "" : " after " + std::to_string(op.after);
    return text + (op.copies ? " copies" : "");
}

Lines text_of(const FlashOpList& ops) {
    Lines text;
    for (const FlashOp& op : ops) {
        text.push_back(text_of(op));
    }
    return text;
}

} // namespace cavern::testing
