#include "core/alloc/allocator_table.h"

#include <algorithm>

#include "core/alloc/adaptive.h"
#include "core/alloc/least_loaded.h"
#include "core/alloc/page_order.h"
#include "core/alloc/stripe_block.h"
#include "core/base/check.h"

namespace cavern {

namespace {

constexpr std::string_view kStripeOrder = "cwdp";

std::unique_ptr<AllocatorIf> make_block_round_robin(std::string_view, const AllocatorParams& params,
                                                    const SpaceIf& space, DecisionLogIf* log) {
    const RoundRobinModeRow* mode = find_round_robin_mode(params.rr_mode);
    CAVERN_CHECK(mode != nullptr, "unknown round-robin mode " + std::string(params.rr_mode));
    return std::make_unique<BlockRoundRobin>(params.geometry, mode->mode, space, log);
}

std::unique_ptr<AllocatorIf> make_stripe_page(std::string_view, const AllocatorParams& params,
                                              const SpaceIf&, DecisionLogIf*) {
    return std::make_unique<PageOrder>(params.geometry, kStripeOrder);
}

std::unique_ptr<AllocatorIf> make_stripe_block(std::string_view, const AllocatorParams& params,
                                               const SpaceIf&, DecisionLogIf*) {
    return std::make_unique<StripeBlock>(params.geometry);
}

std::unique_ptr<AllocatorIf> make_least_loaded(std::string_view, const AllocatorParams& params,
                                               const SpaceIf& space, DecisionLogIf*) {
    return std::make_unique<LeastLoaded>(params.geometry, params.load, space);
}

std::unique_ptr<AllocatorIf> make_adaptive(std::string_view, const AllocatorParams& params,
                                           const SpaceIf& space, DecisionLogIf* log) {
    return std::make_unique<Adaptive>(params.geometry, params.adaptive, params.load, space, log);
}

std::unique_ptr<AllocatorIf> make_page_order(std::string_view name, const AllocatorParams& params,
                                             const SpaceIf&, DecisionLogIf*) {
    return std::make_unique<PageOrder>(params.geometry, name);
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
        {"block-round-robin", "Evicted logical blocks go to the dies in turn, one die each.", true,
         make_block_round_robin},
        {"stripe-page", "Logical pages go to channels in turn, then to ways, dies and planes.",
         false, make_stripe_page},
        {"stripe-block", "Logical blocks go to channels in turn, then to ways and dies.", true,
         make_stripe_block},
        {"least-loaded", "Each page goes to the die with the fewest operations pending.", false,
         make_least_loaded, true},
        {"adaptive", "A logical block goes to as many channels as waiting and collecting call for.",
         false, make_adaptive, true},
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
        rows.push_back({order, text, false, make_page_order});
    } while (std::next_permutation(order.begin(), order.end()));
    return rows;
}

template <typename Row>
const Row* find(const std::vector<Row>& rows, std::string_view name) {
    const auto row =
        std::find_if(rows.begin(), rows.end(), [name](const Row& r) { return r.name == name; });
    return row == rows.end() ? nullptr : &*row;
}

} // namespace

const std::vector<AllocatorRow>& allocator_table() {
    static const std::vector<AllocatorRow> rows = make_rows();
    return rows;
}

const std::vector<RoundRobinModeRow>& round_robin_mode_table() {
    static const std::vector<RoundRobinModeRow> rows{
        {"sticky", "A logical block keeps the die it was given first.", RoundRobinMode::kSticky},
        {"free", "A logical block is given the next die at each eviction; no data moves.",
         RoundRobinMode::kFree},
        {"move",
         "As free, and a block-mapped translation layer moves what the block had elsewhere.",
         RoundRobinMode::kMove},
    };
    return rows;
}

const AllocatorRow* find_allocator(std::string_view name) {
    return find(allocator_table(), name);
}

const RoundRobinModeRow* find_round_robin_mode(std::string_view name) {
    return find(round_robin_mode_table(), name);
}

} // namespace cavern
