# RTL beside the channel arbiter's first design: the weighted arbiter, an arbiter of the user's, the
# channel allocator, waveforms of the flash bus.
cavern_add_test(weighted_rule_test LABEL unit SOURCES unit/weighted_rule_test.cpp LIBS cavern_arbiter_rules)

cavern_add_test(
  weighted_lockstep_test LABEL cosim
  SOURCES cosim/weighted_lockstep_test.cpp
  LIBS cavern_cosim cavern_rtl_models)
cavern_add_test(
  weighted_clocked_test LABEL cosim SYSTEMC
  SOURCES cosim/weighted_clocked_test.cpp
  LIBS cavern_cosim cavern_rtl_models cavern_arbiter)

# Each with a line of the RTL broken (tb/rtl_variant.cmake).
foreach(variant pointer age)
  cavern_add_test(
    weighted_broken_${variant}_test LABEL cosim
    SOURCES cosim/weighted_broken_${variant}_test.cpp
    LIBS cavern_cosim cavern_rtl_models_broken_${variant})
endforeach()

set(port_checker ${PROJECT_SOURCE_DIR}/rtl/arbiter_port_checker.sv)
set(weighted_sources ${PROJECT_SOURCE_DIR}/rtl/lint.vlt ${PROJECT_SOURCE_DIR}/rtl/weighted_arbiter.sv ${port_checker}
                     ${PROJECT_SOURCE_DIR}/rtl/weighted_arbiter_checker.sv
                     ${PROJECT_SOURCE_DIR}/rtl/weighted_arbiter_checked.sv)
foreach(ways 1 2 3 4 8 16)
  add_test(NAME RtlLint.Weighted${ways}Ways
           COMMAND ${VERILATOR_BIN} --lint-only -Wall --assert -GNumWays=${ways} --top-module
                   weighted_arbiter_checked ${weighted_sources})
  set_tests_properties(RtlLint.Weighted${ways}Ways PROPERTIES LABELS cosim TIMEOUT 60)
endforeach()

# An arbiter as a user would bring it (docs/bring-your-own-arbiter.md).
cavern_add_test(
  user_arbiter_test LABEL cosim
  SOURCES cosim/user_arbiter_test.cpp
  LIBS cavern_cosim cavern_rtl_models cavern_example_models)

# The channel allocator beside the drive's own BlockRoundRobin.
cavern_add_test(
  allocator_lockstep_test LABEL cosim
  SOURCES cosim/allocator_lockstep_test.cpp
  LIBS cavern_allocator_tb cavern_allocator_models)
foreach(variant turn pointer)
  cavern_add_test(
    allocator_broken_${variant}_test LABEL cosim
    SOURCES cosim/allocator_broken_${variant}_test.cpp
    LIBS cavern_allocator_tb cavern_allocator_models_broken_${variant})
endforeach()

set(allocator_sources ${PROJECT_SOURCE_DIR}/rtl/lint.vlt ${PROJECT_SOURCE_DIR}/rtl/channel_allocator.sv
                      ${PROJECT_SOURCE_DIR}/rtl/channel_allocator_checker.sv
                      ${PROJECT_SOURCE_DIR}/rtl/channel_allocator_checked.sv)
foreach(shape 1_1_1 1_4_4 3_5_15 5_1_7 8_4_32 16_16_255)
  string(REPLACE "_" ";" numbers ${shape})
  list(GET numbers 0 channels)
  list(GET numbers 1 ways)
  list(GET numbers 2 victims)
  add_test(NAME RtlLint.Allocator${channels}Channels${ways}Ways
           COMMAND ${VERILATOR_BIN} --lint-only -Wall --assert -GNumChannels=${channels} -GNumWays=${ways}
                   -GMaxVictims=${victims} --top-module channel_allocator_checked ${allocator_sources})
  set_tests_properties(RtlLint.Allocator${channels}Channels${ways}Ways PROPERTIES LABELS cosim TIMEOUT 60)
endforeach()
