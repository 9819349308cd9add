#include "core/ftl/heat_map.h"

namespace cavern {

// Words that are zero are not written: they may have no memory behind them.
void HeatMap::halve() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
        if (words_[i] != 0) {
            words_[i] = words_[i] >> 1 & 0x7777'7777'7777'7777u;
        }
    }
}

} // namespace cavern
