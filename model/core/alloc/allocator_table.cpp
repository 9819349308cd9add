#include "core/alloc/allocator_table.h"

#include <algorithm>
#include <utility>

#include "core/alloc/adaptive.h"
#include "core/alloc/least_loaded.h"
#include "core/alloc/page_order.h"
#include "core/alloc/stripe_block.h"

namespace cavern {

namespace {

constexpr std::string_view kStripeOrder = "cwdp";

template <typename Allocator>
std::unique_ptr<AllocatorIf> make(const AllocatorRow&, const AllocatorContext& context,
                                  const SchemeParams& params) {
    return make_scheme<AllocatorIf, Allocator>(context, params);
}

template <typename Allocator>
AllocatorRow allocator_row(std::string name, std::string description) {
    AllocatorRow made{std::move(name), std::move(description), knobs_of_scheme<Allocator>(), false,
                      make<Allocator>};
    return made;
}

AllocatorRow keeping_blocks(AllocatorRow row) {
    row.keeps_blocks = true;
    return row;
}

AllocatorRow watching_load(AllocatorRow row) {
    row.needs_die_load = true;
    return row;
}

AllocatorRow measuring_times(AllocatorRow row) {
    row.measures_times = true;
    return row;
}

AllocatorRow block_round_robin() {
    AllocatorRow made = keeping_blocks(allocator_row<BlockRoundRobin>(
        "block-round-robin", "Evicted logical blocks go to the dies in turn, one die each."));
    made.mode = [](const SchemeParams& params) {
        return params_in<BlockRoundRobinParams>(params).mode;
    };
    return made;
}

AllocatorRow stripe_page() {
    AllocatorRow made{"stripe-page",
                      "Logical pages go to channels in turn, then to ways, dies and planes.",
                      {},
                      false,
                      [](const AllocatorRow&, const AllocatorContext& context,
                         const SchemeParams&) -> std::unique_ptr<AllocatorIf> {
                          return std::make_unique<PageOrder>(context.geometry, kStripeOrder);
                      }};
    made.stripes_by_address = true;
    return made;
}

/// The row's name is the order.
std::unique_ptr<AllocatorIf> make_page_order(const AllocatorRow& row,
                                             const AllocatorContext& context, const SchemeParams&) {
    return std::make_unique<PageOrder>(context.geometry, row.name);
}

std::string_view word_for(char letter) {
    switch (letter) {
    case 'c':
        return "channel";
    case 'w':
        return "way";
    case 'd':
        return "die";
    default:
        return "plane";
    }
}

std::vector<AllocatorRow> make_rows() {
    std::vector<AllocatorRow> rows{
        block_round_robin(),
        stripe_page(),
        keeping_blocks(allocator_row<StripeBlock>(
            "stripe-block", "Logical blocks go to channels in turn, then to ways and dies.")),
        watching_load(allocator_row<LeastLoaded>(
            "least-loaded", "Each page goes to the die with the fewest operations pending.")),
        measuring_times(watching_load(
            allocator_row<Adaptive>("adaptive", "A logical block goes to as many channels as "
                                                "waiting and collecting call for."))),
    };
    std::string order = "cdpw";
    do {
        std::string text = "Logical pages vary the ";
        text += word_for(order[0]);
        text += " fastest, then ";
        text += word_for(order[1]);
        text += ", ";
        text += word_for(order[2]);
        text += " and ";
        text += word_for(order[3]);
        text += '.';
        rows.push_back({order, text, {}, false, make_page_order});
    } while (std::next_permutation(order.begin(), order.end()));
    return rows;
}

} // namespace

const std::vector<AllocatorRow>& allocator_table() {
    static const std::vector<AllocatorRow> rows = make_rows();
    return rows;
}

const AllocatorRow* find_allocator(std::string_view name) {
    return find_row(allocator_table(), name);
}

} // namespace cavern
