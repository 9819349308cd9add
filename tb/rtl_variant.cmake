# cmake -D VARIANT=... -D INPUT=... -D OUTPUT=... -P rtl_variant.cmake: a copy of the arbiter with one
# line broken, for showing that the checks catch it. Fails unless the line is there exactly once.
if(VARIANT STREQUAL pointer) # the priority pointer is not advanced
  set(from "last_d  = winner;")
  set(to "last_d  = last_q;")
elseif(VARIANT STREQUAL hold) # a grant is not held against another request
  set(from "assign free = !busy_q || release_i;")
  set(to "assign free = 1'b1;")
elseif(VARIANT STREQUAL age) # ageing is late by one cycle
  set(from "age >= age_limit_i;")
  set(to "age > age_limit_i;")
elseif(VARIANT STREQUAL weighted_pointer) # weighted_arbiter: the pointer of a class is not advanced
  set(from "if (served[c]) last_d = winner;")
  set(to "if (served[c]) last_d = last_q;")
elseif(VARIANT STREQUAL weighted_credit) # weighted_arbiter: an empty class is not filled up
  set(from "assign level = refill ? Weight : credit_q[4*c +: 4];")
  set(to "assign level = credit_q[4*c +: 4];")
elseif(VARIANT STREQUAL allocator_turn) # channel_allocator: after the last channel the way stays
  set(from "if (channel == LastChannel) begin")
  set(to "if (channel == LastChannel && way == LastWay) begin")
elseif(VARIANT STREQUAL allocator_pointer) # channel_allocator: busy channels do not lose their turn
  set(from "channel_d = channel + ChannelWidth'(1);")
  set(to "channel_d = channel_q + ChannelWidth'(1);")
else()
  message(FATAL_ERROR "no variant ${VARIANT}")
endif()

file(READ "${INPUT}" text)
string(FIND "${text}" "${from}" first)
string(FIND "${text}" "${from}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "${INPUT}: \"${from}\" must be there exactly once")
endif()
string(REPLACE "${from}" "${to}" text "${text}")
file(WRITE "${OUTPUT}" "${text}")
