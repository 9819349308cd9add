#pragma once

namespace cavern {

/// A kernel elaborates once. Puts another one in its place, whose time begins at 0, for a drive
/// that is built anew in this process. No module is left by then, and none is running.
void restart_kernel();

} // namespace cavern
