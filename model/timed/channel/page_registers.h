#pragma once

#include <cstdint>
#include <vector>

#include "timed/channel/op_graph.h"

namespace cavern {

/// What the page registers of a die still hold, where reads can take it from there
/// (nand.column_change).
class PageRegisters {
  public:
    /// `of_all_planes`: multi-plane reads alone leave the registers of several planes in use.
    PageRegisters(const Geometry& geometry, bool of_all_planes)
        : geometry_(geometry), of_all_planes_(of_all_planes),
          pages_(geometry.planes_per_die, kNoPage) {}

    [[nodiscard]] bool holds(const Op& read) const {
        return read.attempt == 0 && pages_[plane_of(read)] == nand_page(read);
    }
    /// A command begins. True: it reads what is there.
    bool begins(const OpGraph& graph, const std::vector<OpId>& ops) {
        const bool reads = graph[ops.front()].flash.kind == FlashOpKind::kRead;
        const bool there = reads && holds(graph[ops.front()]);
        if (!reads || !of_all_planes_) {
            pages_.assign(pages_.size(), kNoPage);
        }
        for (std::size_t i = 0; reads && i < ops.size(); ++i) {
            const Op& op = graph[ops[i]];
            // At other read voltages it holds other data.
            pages_[plane_of(op)] = op.attempt == 0 ? nand_page(op) : kNoPage;
        }
        return there;
    }
    [[nodiscard]] std::uint64_t nand_page(const Op& op) const {
        return raw(op.flash.page) / geometry_.units_per_page;
    }

  private:
    static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
    [[nodiscard]] std::size_t plane_of(const Op& op) const {
        return geometry_.plane_in_die(geometry_.plane_of(geometry_.block_of(op.flash.page)));
    }

    const Geometry& geometry_;
    bool of_all_planes_;
    std::vector<std::uint64_t> pages_; ///< by plane
};

} // namespace cavern
