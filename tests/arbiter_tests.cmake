# The channel arbiter: rules, RTL against its C++ twin, the modules around both.
cavern_add_test(arbiter_rules_test LABEL unit SOURCES unit/arbiter_rules_test.cpp LIBS cavern_arbiter_rules)

cavern_add_test(
  arbiter_lockstep_test LABEL cosim
  SOURCES cosim/arbiter_lockstep_test.cpp
  LIBS cavern_cosim cavern_rtl_models)

# Each with a line of the RTL broken (tb/rtl_variant.cmake): the checks must see it.
foreach(variant pointer hold age)
  cavern_add_test(
    arbiter_broken_${variant}_test LABEL cosim
    SOURCES cosim/arbiter_broken_${variant}_test.cpp
    LIBS cavern_cosim cavern_rtl_models_broken_${variant})
endforeach()

cavern_add_test(
  arbiter_clocked_test LABEL cosim SYSTEMC
  SOURCES cosim/arbiter_clocked_test.cpp
  LIBS cavern_cosim cavern_rtl_models cavern_arbiter)

cavern_add_test(
  arbiter_tlm_test LABEL cosim SYSTEMC
  SOURCES cosim/arbiter_tlm_test.cpp
  LIBS cavern_arbiter)

# Lint is clean for every shape that is built, and lint can fail.
set(lint_sources ${PROJECT_SOURCE_DIR}/rtl/lint.vlt ${PROJECT_SOURCE_DIR}/rtl/channel_arbiter.sv
                 ${PROJECT_SOURCE_DIR}/rtl/channel_arbiter_checker.sv
                 ${PROJECT_SOURCE_DIR}/rtl/channel_arbiter_checked.sv)
foreach(ways 1 2 3 4 8 16)
  foreach(policy 0 1)
    add_test(NAME RtlLint.${ways}WaysPolicy${policy}
             COMMAND ${VERILATOR_BIN} --lint-only -Wall --assert -GNumWays=${ways} -GPolicy=${policy}
                     --top-module channel_arbiter_checked ${lint_sources})
    set_tests_properties(RtlLint.${ways}WaysPolicy${policy} PROPERTIES LABELS cosim TIMEOUT 60)
  endforeach()
endforeach()
add_test(NAME RtlLint.FailsWithoutTheWaiver
         COMMAND ${VERILATOR_BIN} --lint-only -Wall --assert --top-module channel_arbiter_checked
                 ${PROJECT_SOURCE_DIR}/rtl/channel_arbiter.sv
                 ${PROJECT_SOURCE_DIR}/rtl/channel_arbiter_checker.sv
                 ${PROJECT_SOURCE_DIR}/rtl/channel_arbiter_checked.sv)
set_tests_properties(RtlLint.FailsWithoutTheWaiver PROPERTIES LABELS cosim TIMEOUT 60 WILL_FAIL TRUE)

# Long streams: their shapes, and the file of a recorded one.
cavern_add_test(
  arbiter_recorded_test LABEL cosim
  SOURCES cosim/arbiter_recorded_test.cpp
  LIBS cavern_streams)

