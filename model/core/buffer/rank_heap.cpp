#include "core/buffer/rank_heap.h"

namespace cavern {

RankHeap::RankHeap(std::uint32_t items) : ranks_(items), where_(items, kNone) {
    heap_.reserve(items);
    shown_.reserve(items);
}

void RankHeap::set(std::uint32_t item, Rank rank) {
    ranks_[item] = rank;
    if (where_[item] == kNone) {
        heap_.push_back(item);
        rise(item, static_cast<std::uint32_t>(heap_.size()) - 1);
        return;
    }
    const std::uint32_t place = where_[item];
    if (place != 0 && before(item, heap_[(place - 1) / 2])) {
        rise(item, place);
    } else {
        sink(item, place);
    }
}

void RankHeap::remove(std::uint32_t item) {
    const std::uint32_t place = where_[item];
    if (place == kNone) {
        return;
    }
    where_[item] = kNone;
    const std::uint32_t last = heap_.back();
    heap_.pop_back();
    if (last == item) {
        return;
    }
    if (place != 0 && before(last, heap_[(place - 1) / 2])) {
        rise(last, place);
    } else {
        sink(last, place);
    }
}

void RankHeap::put(std::uint32_t item, std::uint32_t place) {
    heap_[place] = item;
    where_[item] = place;
}

void RankHeap::rise(std::uint32_t item, std::uint32_t place) {
    while (place != 0 && before(item, heap_[(place - 1) / 2])) {
        put(heap_[(place - 1) / 2], place);
        place = (place - 1) / 2;
    }
    put(item, place);
}

void RankHeap::sink(std::uint32_t item, std::uint32_t place) {
    const auto size = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
        std::uint32_t child = 2 * place + 1;
        if (child >= size) {
            break;
        }
        if (child + 1 < size && before(heap_[child + 1], heap_[child])) {
            ++child;
        }
        if (!before(heap_[child], item)) {
            break;
        }
        put(heap_[child], place);
        place = child;
    }
    put(item, place);
}

} // namespace cavern
