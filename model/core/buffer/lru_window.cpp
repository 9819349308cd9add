#include "core/buffer/lru_window.h"

namespace cavern {

std::uint32_t LruWindow::push_mru(std::uint32_t index) {
    list_.push_mru(index);
    if (count_ == window_) {
        return kNone;
    }
    ++count_;
    inside_[index] = 1;
    newest_inside_ = index;
    return index;
}

std::uint32_t LruWindow::remove(std::uint32_t index) {
    if (inside_[index] == 0) {
        list_.remove(index);
        return kNone;
    }
    const std::uint32_t entering = list_.newer(newest_inside_);
    if (index == newest_inside_) {
        newest_inside_ = list_.older(index);
    }
    list_.remove(index);
    inside_[index] = 0;
    if (entering == kNone) {
        --count_;
    } else {
        inside_[entering] = 1;
        newest_inside_ = entering;
    }
    return entering;
}

} // namespace cavern
