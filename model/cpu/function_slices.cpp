#include "cpu/function_slices.h"

#include <algorithm>
#include <tuple>

namespace cavern::cpu {

FunctionSlices::FunctionSlices(const Program& program) : calls_(program) {
    calls_.listen(*this);
}

void FunctionSlices::begin(std::uint64_t cycle) {
    slices_.clear();
    calls_.skip(cycle);
    for (Open& open : open_) {
        open.since = cycle;
    }
}

const std::vector<FunctionSlice>& FunctionSlices::end(std::uint64_t cycle) {
    const std::vector<Open> still_open = open_;
    close(cycle, 0);
    open_ = still_open;
    std::sort(slices_.begin(), slices_.end(), [](const FunctionSlice& a, const FunctionSlice& b) {
        return std::tie(a.begin, a.depth) < std::tie(b.begin, b.depth);
    });
    return slices_;
}

void FunctionSlices::entered(std::uint64_t cycle, std::size_t depth, const std::string& function) {
    close(cycle, depth);
    open_.push_back({function, cycle});
}

void FunctionSlices::left(std::uint64_t cycle, std::size_t depth) {
    close(cycle, depth);
}

void FunctionSlices::close(std::uint64_t cycle, std::size_t depth) {
    for (std::size_t i = depth; i < open_.size(); ++i) {
        if (open_[i].since != cycle) {
            slices_.push_back(
                {open_[i].function, static_cast<std::uint32_t>(i), open_[i].since, cycle});
        }
    }
    open_.resize(std::min(depth, open_.size()));
}

} // namespace cavern::cpu
