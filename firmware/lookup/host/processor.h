#pragma once

#include "firmware/lookup/host/run_settings.h"

namespace cavern::lookup {

/// Plays a run on the controller's processor: the interpreter, Ibex, or both in lockstep. The image
/// takes the settings from its memory and leaves the result there. Throws UserError where the image
/// is none or refuses the settings, and ModelError where the run does not end well or the two
/// differ.
session_result play_on_processor(const RunSettings& settings);

} // namespace cavern::lookup
