# The decision core: no SystemC.
cavern_add_test(nand_array_test LABEL unit SOURCES unit/nand_array_test.cpp LIBS cavern_nand)
cavern_add_test(lru_page_test LABEL unit SOURCES unit/lru_page_test.cpp LIBS cavern_buffer)
cavern_add_test(lru_block_test LABEL unit SOURCES unit/lru_block_test.cpp LIBS cavern_buffer)
cavern_add_test(ncq_aware_test LABEL unit SOURCES unit/ncq_aware_test.cpp LIBS cavern_buffer)
cavern_add_test(eviction_trigger_test LABEL unit SOURCES unit/eviction_trigger_test.cpp LIBS cavern_drive_core)
cavern_add_test(write_buffer_test LABEL unit SOURCES unit/write_buffer_test.cpp LIBS cavern_buffer)
cavern_add_test(
  allocator_test LABEL unit
  SOURCES unit/allocator_test.cpp unit/block_round_robin_test.cpp unit/load_allocators_test.cpp unit/stripe_test.cpp
  LIBS cavern_alloc)
cavern_add_test(victim_policies_test LABEL unit SOURCES unit/victim_policies_test.cpp LIBS cavern_ftl)
# Layers with log blocks; test files of the page layer use the text of operations too.
add_library(cavern_hybrid_fixture STATIC unit/flash_op_text.cpp unit/hybrid_fixture.cpp)
target_link_libraries(cavern_hybrid_fixture PUBLIC cavern_ftl cavern_nand GTest::gtest
                      PRIVATE cavern_warnings)
cavern_add_test(
  page_ftl_test LABEL unit
  SOURCES unit/page_ftl_test.cpp unit/page_ftl_fits_test.cpp unit/page_ftl_model_test.cpp unit/greedy_test.cpp
  LIBS cavern_hybrid_fixture)
cavern_add_test(bast_test LABEL unit SOURCES unit/bast_test.cpp LIBS cavern_hybrid_fixture)
cavern_add_test(mcsplit_test LABEL unit SOURCES unit/mcsplit_test.cpp LIBS cavern_hybrid_fixture)
cavern_add_test(fast_test LABEL unit SOURCES unit/fast_test.cpp unit/ftl_model.cpp
                LIBS cavern_hybrid_fixture)
cavern_add_test(last_test LABEL unit SOURCES unit/last_test.cpp LIBS cavern_hybrid_fixture)
cavern_add_test(subgroup_test LABEL unit SOURCES unit/subgroup_test.cpp LIBS cavern_hybrid_fixture)
cavern_add_test(superblock_test LABEL unit SOURCES unit/superblock_test.cpp
                LIBS cavern_hybrid_fixture)
cavern_add_test(mapping_cache_test LABEL unit SOURCES unit/mapping_cache_test.cpp LIBS cavern_ftl)
cavern_add_test(dftl_test LABEL unit SOURCES unit/dftl_test.cpp LIBS cavern_ftl cavern_drive_core)
cavern_add_test(partition_test LABEL unit SOURCES unit/partition_test.cpp LIBS cavern_drive_core)
set(ftl_workload unit/ftl_workload.cpp unit/ftl_model.cpp)
# Two minutes of processor time: left out by --fast, whose labels must not contain "slow".
cavern_add_test(ftl_model_test LABEL unit-slow SOURCES unit/ftl_model_test.cpp ${ftl_workload}
                LIBS cavern_ftl cavern_nand)
cavern_add_test(ftl_tamper_test LABEL unit SOURCES unit/ftl_tamper_test.cpp ${ftl_workload}
                LIBS cavern_ftl cavern_nand)
cavern_add_test(drive_model_test LABEL unit
                SOURCES unit/drive_model_test.cpp unit/ftl_workload.cpp unit/ftl_model.cpp
                LIBS cavern_drive_core)
cavern_add_test(page_wear_test LABEL unit
                SOURCES unit/page_wear_test.cpp unit/page_failures_test.cpp
                        unit/page_hot_cold_test.cpp unit/ftl_model.cpp
                LIBS cavern_ftl cavern_nand)
cavern_add_test(fab_test LABEL unit SOURCES unit/fab_test.cpp LIBS cavern_buffer)
cavern_add_test(clc_test LABEL unit SOURCES unit/clc_test.cpp LIBS cavern_buffer)
cavern_add_test(ref_test LABEL unit SOURCES unit/ref_test.cpp LIBS cavern_buffer)
cavern_add_test(arc_test LABEL unit SOURCES unit/arc_test.cpp LIBS cavern_buffer)
cavern_add_test(bplru_test LABEL unit SOURCES unit/bplru_test.cpp LIBS cavern_buffer)
cavern_add_test(ccf_lru_test LABEL unit SOURCES unit/ccf_lru_test.cpp LIBS cavern_buffer)
cavern_add_test(cflru_test LABEL unit SOURCES unit/cflru_test.cpp LIBS cavern_buffer)
cavern_add_test(fifo_test LABEL unit SOURCES unit/fifo_test.cpp LIBS cavern_buffer)
cavern_add_test(multichip_test LABEL unit SOURCES unit/multichip_test.cpp LIBS cavern_buffer)
cavern_add_test(policies_test LABEL unit SOURCES unit/policies_test.cpp LIBS cavern_buffer)
