#include "core/device/command_front.h"

namespace cavern {

template class CommandFront<CommandSinkIf>;

} // namespace cavern
