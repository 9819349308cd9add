#include "config/config_words.h"

#include <algorithm>

#include "core/alloc/allocator_table.h"
#include "core/arbiter/arbiter_rules.h"
#include "core/buffer/eviction_policy_table.h"
#include "core/buffer/eviction_trigger_table.h"
#include "core/ftl/ftl_table.h"
#include "core/ftl/victim_policy_table.h"

namespace cavern {
namespace {

template <typename Row>
void append(const std::vector<Row>& rows, WordList& list) {
    for (const Row& row : rows) {
        list.words.emplace_back(row.name);
        list.meanings.emplace_back(row.description);
    }
}

/// One of the orders in which channel, way, die and plane may vary.
bool is_page_order(std::string name) {
    std::sort(name.begin(), name.end());
    return name == "cdpw";
}

} // namespace

WordList buffer_policy_words() {
    WordList list{{"none"}, {"No write buffer: a write completes when its program does."}, ""};
    append(eviction_policy_table(), list);
    return list;
}

WordList eviction_words() {
    WordList list;
    append(eviction_trigger_table(), list);
    return list;
}

WordList alloc_scheme_words() {
    WordList list;
    append(allocator_table(), list);
    for (const std::string& word : list.words) {
        if (!is_page_order(word)) {
            list.text += word + ", ";
        }
    }
    list.text += "or the letters c, w, d, p in any order, such as cwdp";
    return list;
}

WordList round_robin_mode_words() {
    WordList list;
    append(round_robin_mode_table(), list);
    return list;
}

WordList ftl_scheme_words() {
    WordList list;
    append(ftl_table(), list);
    return list;
}

WordList gc_policy_words() {
    WordList list;
    append(victim_policy_table(), list);
    return list;
}

WordList arbiter_policy_words() {
    WordList list;
    for (const ArbiterPolicyRow& row : kArbiterPolicies) {
        list.words.emplace_back(row.name);
        list.meanings.emplace_back(row.summary);
    }
    return list;
}

} // namespace cavern
