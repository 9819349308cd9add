#include "core/drive/precondition.h"

#include <algorithm>
#include <utility>

#include "core/base/random.h"

namespace cavern {
namespace {

constexpr std::uint64_t kTellEvery = 4096; // pages

} // namespace

void apply_untimed(const FlashOpList& ops, NandArray& array) {
    for (const FlashOp& op : ops) {
        switch (op.kind) {
        case FlashOpKind::kRead:
            array.read_expecting(op.page, op.lpn, op.version);
            break;
        case FlashOpKind::kProgram:
            array.program(op.page, op.lpn, op.version);
            break;
        case FlashOpKind::kErase:
            array.erase(array.geometry().block_of(op.page));
            break;
        }
    }
}

PreconditionResult precondition(DriveCore& core, NandArray& array, const Precondition& what,
                                std::uint64_t seed, const PreconditionWatch& watch,
                                UntimedData* data) {
    PreconditionResult result;
    const auto pages =
        static_cast<std::uint64_t>(what.fill * static_cast<double>(core.host_pages()));
    if (pages == 0) {
        return result;
    }
    const auto overwrites = static_cast<std::uint64_t>(what.overwrite * static_cast<double>(pages));
    const auto round = static_cast<std::uint64_t>(
        what.until ? std::max(1.0, what.until->round * static_cast<double>(pages)) : 0.0);
    const std::uint64_t most =
        pages + overwrites + (what.until ? round * what.until->max_rounds : 0);
    std::uint64_t done = 0;
    std::uint64_t told = 0;
    const auto tell = [&](std::uint64_t more) {
        done += more;
        if (watch && done - told >= kTellEvery) {
            told = done;
            watch(done, most);
        }
    };
    FlashOpList ops;
    std::vector<Lpn> lpns;
    const auto carry_out = [&](const FlashOpList& list) {
        apply_untimed(list, array);
        if (data != nullptr) {
            data->fill(list);
        }
    };
    const auto write_together = [&] {
        carry_out(core.fill(lpns.data(), lpns.size()).ops);
        tell(lpns.size());
        lpns.clear();
    };
    // Pages of one logical block, as an eviction would write them.
    const auto write = [&](std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t page = first; page < first + count; ++page) {
            lpns.push_back(Lpn{page});
        }
        write_together();
    };
    // Pages that have nothing to do with each other fill NAND pages and word lines all the same.
    const std::size_t together = array.geometry().units_per_program();
    const auto write_one = [&](std::uint64_t page) {
        lpns.push_back(Lpn{page});
        if (lpns.size() == together) {
            write_together();
        }
    };
    // In one step, of which no listener could be told.
    const auto fill = [&](std::uint64_t first, std::uint64_t count, bool last) {
        FillIf* filler = core.ftl().parts().fill;
        if (core.listener() != nullptr || filler == nullptr) {
            return false;
        }
        ops.clear();
        const std::optional<FilledRun> run =
            filler->fill(Lpn{first}, static_cast<std::uint32_t>(count), last, ops);
        if (run) {
            array.program_run(run->page, run->lpn, run->count);
            if (data != nullptr) {
                data->fill_run(run->page, run->lpn, run->count);
            }
            core.number_versions(ops);
            carry_out(ops);
        }
        return run.has_value();
    };
    Random random(seed);
    if (what.random_order) {
        std::vector<std::uint32_t> order(pages);
        for (std::uint64_t i = 0; i < pages; ++i) {
            order[i] = static_cast<std::uint32_t>(i);
        }
        for (std::uint64_t i = pages - 1; i > 0; --i) {
            std::swap(order[i], order[random.below(i + 1)]);
        }
        for (const std::uint32_t page : order) {
            write_one(page);
        }
    } else {
        const std::uint64_t block = array.geometry().pages_per_block;
        for (std::uint64_t page = 0; page < pages; page += block) {
            const std::uint64_t count = std::min(block, pages - page);
            if (fill(page, count, page + count == pages)) {
                tell(count);
            } else {
                write(page, count);
            }
        }
    }
    for (std::uint64_t i = 0; i < overwrites; ++i) {
        write_one(random.below(pages));
    }
    if (what.until) {
        while (!result.steady && result.amplification.size() < what.until->max_rounds) {
            const std::uint64_t before = core.ftl().programs();
            for (std::uint64_t i = 0; i < round; ++i) {
                write_one(random.below(pages));
            }
            result.amplification.push_back(static_cast<double>(core.ftl().programs() - before) /
                                           static_cast<double>(round));
            if (result.amplification.size() >= what.until->window) {
                result.window = look_at(result.amplification.data() + result.amplification.size() -
                                            what.until->window,
                                        what.until->window);
                result.steady = is_steady(result.window, *what.until);
            }
        }
    }
    if (!lpns.empty()) {
        write_together();
    }
    core.begin_run();
    return result;
}

} // namespace cavern
