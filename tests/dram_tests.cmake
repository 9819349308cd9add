# The SDRAM: every timing rule, the scheduler's order, other simulators' figures, the bus protocol.
cavern_add_test(
  sdram_constraint_test LABEL timing
  SOURCES timing/sdram_constraint_test.cpp timing/sdram_command_checker.cpp
  LIBS cavern_dram_scheduler)
cavern_add_test(
  sdram_scheduling_test LABEL timing
  SOURCES timing/sdram_scheduling_test.cpp timing/sdram_command_checker.cpp
  LIBS cavern_dram_scheduler)
cavern_add_test(
  sdram_reference_test LABEL timing
  SOURCES timing/sdram_reference_test.cpp
  LIBS cavern_dram_reference tomlplusplus::tomlplusplus)
cavern_add_test(
  sdram_protocol_test LABEL protocol SYSTEMC
  SOURCES protocol/sdram_protocol_test.cpp
  LIBS cavern_dram cavern_tlm)
# sc_main is in a static library and only the kernel's shared one asks for it: say so to the linker.
target_link_options(sdram_protocol_test PRIVATE LINKER:-u,sc_main)
