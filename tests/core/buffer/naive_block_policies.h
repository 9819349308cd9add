#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "tests/core/buffer/naive_policy.h"

namespace cavern::testing {

/// Resident blocks, least recently touched first.
class NaiveBlocks : public NaivePolicy {
  public:
    explicit NaiveBlocks(std::uint64_t pages_per_block) : pages_per_block_(pages_per_block) {}

    void insert(std::uint64_t lpn, bool write) override {
        touch(lpn);
        blocks_.back().pages.insert(lpn);
        touched(lpn, write);
    }
    void hit(std::uint64_t lpn, bool write) override {
        touch(lpn);
        touched(lpn, write);
    }
    void remove(std::uint64_t lpn) override {
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (blocks_[i].pages.erase(lpn) != 0 && blocks_[i].pages.empty()) {
                blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
                break;
            }
        }
    }

    [[nodiscard]] Pages drain_order() const override { return pages_of(blocks_); }

  protected:
    struct Block {
        std::uint64_t lbn = 0;
        std::set<std::uint64_t> pages;
        Pages written; ///< offsets in the order of the writes
    };

    /// What the last block of blocks_, which holds `lpn`, is due after the access.
    virtual void touched(std::uint64_t /*lpn*/, bool /*write*/) {}

    void touch(std::uint64_t lpn) {
        Block block{lpn / pages_per_block_, {}, {}};
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (blocks_[i].lbn == block.lbn) {
                block = blocks_[i];
                blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
                break;
            }
        }
        blocks_.push_back(block);
    }

    [[nodiscard]] static Pages pages_of(const std::vector<Block>& blocks) {
        Pages pages;
        for (const Block& block : blocks) {
            pages.insert(pages.end(), block.pages.begin(), block.pages.end());
        }
        return pages;
    }
    /// The largest first, of several the first.
    [[nodiscard]] static std::vector<Block> by_size(std::vector<Block> blocks) {
        std::stable_sort(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) {
            return a.pages.size() > b.pages.size();
        });
        return blocks;
    }

    static Pages take(std::vector<Block>& from, std::size_t index) {
        const Pages pages(from[index].pages.begin(), from[index].pages.end());
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(index));
        return pages;
    }

    std::uint64_t pages_per_block_;
    std::vector<Block> blocks_;
};

/// Block LRU: the first of the list that is not pinned.
class NaiveLruBlock : public NaiveBlocks {
  public:
    using NaiveBlocks::NaiveBlocks;
    Pages victim(const IsPinned& pinned) override {
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (!pinned(blocks_[i].lbn)) {
                return take(blocks_, i);
            }
        }
        return {};
    }
};

/// FAB: most pages; of several the least recently touched.
class NaiveFab final : public NaiveBlocks {
  public:
    using NaiveBlocks::NaiveBlocks;
    Pages victim(const IsPinned& pinned) override {
        std::size_t best = blocks_.size();
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (!pinned(blocks_[i].lbn) &&
                (best == blocks_.size() || blocks_[i].pages.size() > blocks_[best].pages.size())) {
                best = i;
            }
        }
        return best == blocks_.size() ? Pages{} : take(blocks_, best);
    }
    [[nodiscard]] Pages drain_order() const override { return pages_of(by_size(blocks_)); }
};

/// BPLRU without its padding: a block whose writes so far are exactly 0, 1, .. last becomes the LRU
/// one.
class NaiveBplru final : public NaiveLruBlock {
  public:
    using NaiveLruBlock::NaiveLruBlock;

  protected:
    void touched(std::uint64_t lpn, bool write) override {
        Block block = blocks_.back();
        if (!write) {
            return;
        }
        block.written.push_back(lpn % pages_per_block_);
        Pages in_order;
        for (std::uint64_t i = 0; i < pages_per_block_; ++i) {
            in_order.push_back(i);
        }
        blocks_.pop_back();
        blocks_.insert(block.written == in_order ? blocks_.begin() : blocks_.end(), block);
    }
};

/// CLC: the size-independent list is blocks_, the size-dependent ones are one list in order of
/// entry.
class NaiveClc final : public NaiveBlocks {
  public:
    NaiveClc(std::uint64_t pages_per_block, double alpha)
        : NaiveBlocks(pages_per_block), alpha_(alpha) {}

    void insert(std::uint64_t lpn, bool write) override {
        promote(lpn);
        NaiveBlocks::insert(lpn, write);
    }
    void hit(std::uint64_t lpn, bool write) override {
        promote(lpn);
        NaiveBlocks::hit(lpn, write);
    }
    void remove(std::uint64_t lpn) override {
        NaiveBlocks::remove(lpn);
        for (std::size_t i = 0; i < cold_.size(); ++i) {
            if (cold_[i].pages.erase(lpn) != 0) {
                const Block block = cold_[i];
                cold_.erase(cold_.begin() + static_cast<std::ptrdiff_t>(i));
                if (!block.pages.empty()) {
                    cold_.push_back(block);
                }
                break;
            }
        }
    }
    Pages victim(const IsPinned& pinned) override {
        for (std::uint64_t size = pages_per_block_; size > 0; --size) {
            for (std::size_t i = 0; i < cold_.size(); ++i) {
                if (cold_[i].pages.size() == size && !pinned(cold_[i].lbn)) {
                    return take(cold_, i);
                }
            }
        }
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (!pinned(blocks_[i].lbn)) {
                return take(blocks_, i);
            }
        }
        return {};
    }
    [[nodiscard]] Pages drain_order() const override {
        Pages order = pages_of(by_size(cold_));
        const Pages recent = pages_of(blocks_);
        order.insert(order.end(), recent.begin(), recent.end());
        return order;
    }

  protected:
    void touched(std::uint64_t, bool) override {
        const double share = alpha_ * static_cast<double>(blocks_.size() + cold_.size());
        const auto limit = static_cast<std::size_t>(std::max(1.0, std::floor(share)));
        while (blocks_.size() > limit) {
            cold_.push_back(blocks_.front());
            blocks_.erase(blocks_.begin());
        }
    }

  private:
    void promote(std::uint64_t lpn) {
        for (std::size_t i = 0; i < cold_.size(); ++i) {
            if (cold_[i].lbn == lpn / pages_per_block_) {
                blocks_.push_back(cold_[i]);
                cold_.erase(cold_.begin() + static_cast<std::ptrdiff_t>(i));
                break;
            }
        }
    }

    double alpha_;
    std::vector<Block> cold_;
};

} // namespace cavern::testing
