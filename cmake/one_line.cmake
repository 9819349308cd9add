# cmake -D INPUT=... -D OUTPUT=... -D FROM=... -D TO=... -P one_line.cmake: a copy of a source with one line
# broken. Fails unless FROM is there exactly once.
file(READ "${INPUT}" text)
string(FIND "${text}" "${FROM}" first)
string(FIND "${text}" "${FROM}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "${INPUT}: \"${FROM}\" must be there exactly once")
endif()
string(REPLACE "${FROM}" "${TO}" text "${text}")
file(WRITE "${OUTPUT}" "${text}")
