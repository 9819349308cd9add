# The timed shell, from plain classes to the whole drive.
cavern_add_test(execution_time_test LABEL unit SOURCES unit/execution_time_test.cpp LIBS cavern_drive_core)
cavern_add_test(flash_periods_test LABEL unit SOURCES unit/flash_periods_test.cpp SYSTEMC LIBS cavern_app)
cavern_add_test(host_link_test LABEL unit SOURCES unit/host_link_test.cpp SYSTEMC LIBS cavern_host)
cavern_add_test(pcie_link_test LABEL unit SOURCES unit/pcie_link_test.cpp SYSTEMC LIBS cavern_host)
cavern_add_test(prp_test LABEL unit SOURCES unit/prp_test.cpp SYSTEMC LIBS cavern_host)
cavern_add_test(nvme_arbiter_test LABEL unit SOURCES unit/nvme_arbiter_test.cpp SYSTEMC LIBS cavern_host)
cavern_add_test(nvme_queue_test LABEL unit SOURCES unit/nvme_queue_test.cpp SYSTEMC LIBS cavern_host)
cavern_add_test(link_direction_test LABEL unit SOURCES unit/link_direction_test.cpp SYSTEMC LIBS cavern_host)
cavern_add_test(command_ledger_test LABEL unit SOURCES unit/command_ledger_test.cpp SYSTEMC LIBS cavern_host)
cavern_add_test(
  flash_scheduler_test LABEL unit SYSTEMC
  SOURCES unit/flash_scheduler_test.cpp unit/flash_scheduler_data_test.cpp unit/flash_scheduler_group_test.cpp
          unit/flash_scheduler_look_up_test.cpp
  LIBS cavern_channel)
cavern_add_test(base_protocol_monitor_test LABEL protocol SOURCES protocol/base_protocol_monitor_test.cpp SYSTEMC
                LIBS cavern_tlm)
cavern_add_test(at_initiator_test LABEL protocol SOURCES protocol/at_initiator_test.cpp SYSTEMC LIBS cavern_tlm)
cavern_add_test(at_target_test LABEL protocol SOURCES protocol/at_target_test.cpp SYSTEMC LIBS cavern_tlm)
cavern_add_test(payload_pool_test LABEL protocol SOURCES protocol/payload_pool_test.cpp SYSTEMC LIBS cavern_tlm)
cavern_add_test(slab_test LABEL unit SOURCES unit/slab_test.cpp LIBS cavern_base)
cavern_add_test(flat_map_test LABEL unit SOURCES unit/flat_map_test.cpp LIBS cavern_base)
cavern_add_test(statistics_test LABEL unit SOURCES unit/statistics_test.cpp LIBS cavern_base)
cavern_add_test(lazy_array_test LABEL unit SOURCES unit/lazy_array_test.cpp LIBS cavern_base)
cavern_add_test(frame_table_test LABEL unit SOURCES unit/frame_table_test.cpp SYSTEMC LIBS cavern_buffer_manager)
cavern_add_test(drive_core_test LABEL unit SOURCES unit/drive_core_test.cpp LIBS cavern_drive_core)
cavern_add_test(precondition_test LABEL unit SOURCES unit/precondition_test.cpp LIBS cavern_drive_core)
cavern_add_test(channel_test LABEL timing SOURCES timing/channel_test.cpp SYSTEMC LIBS cavern_channel cavern_die)
cavern_add_test(nand_die_test LABEL timing SOURCES timing/nand_die_test.cpp SYSTEMC LIBS cavern_die)
cavern_add_test(host_interface_test LABEL timing SOURCES timing/host_interface_test.cpp SYSTEMC LIBS cavern_host)

cavern_add_test(nvme_transport_test LABEL timing SOURCES timing/nvme_transport_test.cpp SYSTEMC LIBS cavern_host)

# The whole drive.
add_library(cavern_drive_bench STATIC system/drive_bench.cpp system/shadow.cpp)
target_link_libraries(cavern_drive_bench PUBLIC cavern_app cavern_test_support
                      PRIVATE cavern_warnings)
cavern_add_test(drive_matrix_test LABEL system SOURCES system/drive_matrix_test.cpp SYSTEMC
                LIBS cavern_drive_bench cavern_rtl_models)
cavern_add_test(drive_latency_test LABEL system SOURCES system/drive_latency_test.cpp SYSTEMC
                LIBS cavern_drive_bench cavern_rtl_models)
cavern_add_test(drive_property_test LABEL system SOURCES system/drive_property_test.cpp SYSTEMC
                LIBS cavern_drive_bench cavern_rtl_models)
cavern_add_test(drive_eviction_test LABEL system SOURCES system/drive_eviction_test.cpp SYSTEMC
                LIBS cavern_drive_bench cavern_rtl_models)
cavern_add_test(drive_hybrid_test LABEL system SOURCES system/drive_hybrid_test.cpp SYSTEMC
                LIBS cavern_drive_bench cavern_rtl_models)
cavern_add_test(drive_dftl_test LABEL system SOURCES system/drive_dftl_test.cpp SYSTEMC
                LIBS cavern_drive_bench cavern_rtl_models)
cavern_add_test(drive_fault_test LABEL system SOURCES system/drive_fault_test.cpp SYSTEMC
                LIBS cavern_drive_bench cavern_rtl_models)
cavern_add_test(drive_ledger_test LABEL system SOURCES system/drive_ledger_test.cpp SYSTEMC
                LIBS cavern_drive_bench cavern_rtl_models)
cavern_add_test(event_queue_test LABEL timing SOURCES timing/event_queue_test.cpp SYSTEMC LIBS cavern_tlm)
