# cmake -D VARIANT=... -D INPUT=... -D OUTPUT=... -P wrong_hart.cmake: the interpreter's loop with one
# instruction wrong, for showing that the comparisons see it. Fails unless the line is there exactly once.
if(VARIANT STREQUAL sra) # the sign is not shifted in when the amount is in a register
  set(FROM "result(d, shift_right_arithmetic(x[d.rs1], x[d.rs2] & 31), timing.alu);")
  set(TO "result(d, x[d.rs1] >> (x[d.rs2] & 31), timing.alu);")
elseif(VARIANT STREQUAL mulhsu) # the second factor is taken for a signed one
  set(FROM "result(d, high_product(as_signed(x[d.rs1]), x[d.rs2]), timing.mulh);")
  set(TO "result(d, high_product(as_signed(x[d.rs1]), as_signed(x[d.rs2])), timing.mulh);")
elseif(VARIANT STREQUAL lb) # a byte is not sign-extended
  set(FROM "usual = load<std::int8_t, kTrace>(d, at, retired);")
  set(TO "usual = load<std::uint8_t, kTrace>(d, at, retired);")
elseif(VARIANT STREQUAL bgeu) # equal is not "greater or equal"
  set(FROM "branch(d, x[d.rs1] >= x[d.rs2]);")
  set(TO "branch(d, x[d.rs1] > x[d.rs2]);")
elseif(VARIANT STREQUAL jalr) # the link is written before the base is read
  set(FROM "const std::uint32_t target = (x[d.rs1] + imm) & ~1u;")
  set(TO "const std::uint32_t target = ((d.rd == d.rs1 ? at.pc() + d.size : x[d.rs1]) + imm) & ~1u;")
elseif(VARIANT STREQUAL div) # one that differs for two operands only: the overflow
  set(FROM "if (a == 0x8000'0000 && b == ~0u) {\n        return a;")
  set(TO "if (a == 0x8000'0000 && b == ~0u) {\n        return ~a;")
else()
  message(FATAL_ERROR "no variant ${VARIANT}")
endif()

include(${CMAKE_CURRENT_LIST_DIR}/../../../cmake/one_line.cmake)
