# cmake -D VARIANT=... -D INPUT=... -D OUTPUT=... -P wrong_hart.cmake: the interpreter's loop with one
# instruction wrong, for showing that the comparisons see it. Fails unless the line is there exactly once.
if(VARIANT STREQUAL sra) # the sign is not shifted in when the amount is in a register
  set(from "result(d, shift_right_arithmetic(x[d.rs1], x[d.rs2] & 31), timing.alu);")
  set(to "result(d, x[d.rs1] >> (x[d.rs2] & 31), timing.alu);")
elseif(VARIANT STREQUAL mulhsu) # the second factor is taken for a signed one
  set(from "result(d, high_product(as_signed(x[d.rs1]), x[d.rs2]), timing.mulh);")
  set(to "result(d, high_product(as_signed(x[d.rs1]), as_signed(x[d.rs2])), timing.mulh);")
elseif(VARIANT STREQUAL lb) # a byte is not sign-extended
  set(from "usual = load<std::int8_t, kTrace>(d, at, retired);")
  set(to "usual = load<std::uint8_t, kTrace>(d, at, retired);")
elseif(VARIANT STREQUAL bgeu) # equal is not "greater or equal"
  set(from "branch(d, x[d.rs1] >= x[d.rs2]);")
  set(to "branch(d, x[d.rs1] > x[d.rs2]);")
elseif(VARIANT STREQUAL jalr) # the link is written before the base is read
  set(from "const std::uint32_t target = (x[d.rs1] + imm) & ~1u;")
  set(to "const std::uint32_t target = ((d.rd == d.rs1 ? at.pc() + d.size : x[d.rs1]) + imm) & ~1u;")
elseif(VARIANT STREQUAL div) # one that differs for two operands only: the overflow
  set(from "if (a == 0x8000'0000 && b == ~0u) {\n        return a;")
  set(to "if (a == 0x8000'0000 && b == ~0u) {\n        return ~a;")
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
