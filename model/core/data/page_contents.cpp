#include "core/data/page_contents.h"

namespace cavern {

PageContents::~PageContents() {
    for (std::size_t page = 0; page < words_.size(); ++page) {
        if (words_[page] != 0) {
            const PageContent last = PageContent::attach(words_[page]);
        }
    }
}

PageContent PageContents::read(Ppn page) const {
    PageContent held = PageContent::attach(words_[raw(page)]);
    PageContent copy = held;
    (void)held.detach();
    return copy;
}

void PageContents::program(Ppn page, PageContent content) {
    const PageContent before = PageContent::attach(words_[raw(page)]);
    if (!before.is_zeros() || !content.is_zeros()) {
        words_[raw(page)] = content.detach();
    }
}

void PageContents::erase(Ppn of_block) {
    const std::uint64_t first = raw(of_block) / pages_per_block_ * pages_per_block_;
    for (std::uint64_t page = first; page < first + pages_per_block_; ++page) {
        if (words_[page] != 0) {
            const PageContent last = PageContent::attach(words_[page]);
            words_[page] = 0;
        }
    }
}

} // namespace cavern
