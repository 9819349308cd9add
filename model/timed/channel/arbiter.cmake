# The arbiter without its RTL: its rules and their edge-by-edge form, which know nothing of SystemC, and
# the two modules that stand behind ChannelArbiterIf.
cavern_add_library(
  cavern_arbiter_rules
  SOURCES arbiter_rules.cpp reference_arbiter.cpp weighted_rule.cpp
  PUBLIC cavern_base)
cavern_add_library(
  cavern_arbiter
  SOURCES tlm_arbiter.cpp clocked_arbiter.cpp
  PUBLIC cavern_arbiter_rules cavern_tlm)
