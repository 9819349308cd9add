#pragma once

namespace cavern {

class StateArchive;

/// Throws StateError: `part`, as the object of a sentence, cannot be saved.
[[noreturn]] void refuse_to_serialize(const char* part);

} // namespace cavern
