# Writes OUTPUT: the version, and the last commit that changed what the program is built of, as
# results/run_identity.h declares them.
set(parts model rtl firmware cmake CMakeLists.txt)
set(commit unknown)
find_program(git git)
if(git)
  execute_process(
    COMMAND ${git} -C ${SOURCE} log -1 --format=%H -- ${parts}
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(found)
    set(commit ${found})
    execute_process(
      COMMAND ${git} -C ${SOURCE} status --porcelain -- ${parts}
      OUTPUT_VARIABLE changed ERROR_QUIET)
    if(changed)
      string(APPEND commit -modified)
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "results/run_identity.h"

namespace cavern {

const char* program_version() {
    return "@VERSION@";
}

const char* program_commit() {
    return "@commit@";
}

} // namespace cavern
]])
