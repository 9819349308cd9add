#include "app/built_without.h"

#include <algorithm>

#include "core/base/error.h"

namespace cavern {

std::string built_without() {
    return CAVERN_WITHOUT;
}

void refuse_built_without(const std::string& part) {
    std::string option = part;
    std::transform(option.begin(), option.end(), option.begin(),
                   [](char letter) { return letter - 'a' + 'A'; });
    throw UserError("<command line>", 1, "this program is built without " + part,
                    "build one with -DCAVERN_" + option + "=ON");
}

} // namespace cavern
