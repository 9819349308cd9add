#pragma once

#include "firmware/lookup/host/run_settings.h"

namespace cavern::lookup {

/// Plays a run on the controller's processor: the interpreter, Ibex, or both in lockstep. The image
/// takes the settings from its memory and leaves the result there. Throws UserError where the image
/// is none or refuses the settings, and ModelError where the run does not end well or the two
/// differ.
/// `log`, where given, gets the accesses, if the settings say that the image logs them.
session_result play_on_processor(const RunSettings& settings, access_log* log = nullptr);

} // namespace cavern::lookup
