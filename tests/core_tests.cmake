# The decision core: no SystemC.
cavern_add_test(nand_array_test LABEL unit SOURCES unit/nand_array_test.cpp LIBS cavern_nand)
cavern_add_test(lru_page_test LABEL unit SOURCES unit/lru_page_test.cpp LIBS cavern_buffer)
cavern_add_test(lru_block_test LABEL unit SOURCES unit/lru_block_test.cpp LIBS cavern_buffer)
cavern_add_test(eviction_rate_test LABEL unit SOURCES unit/eviction_rate_test.cpp LIBS cavern_buffer)
cavern_add_test(write_buffer_test LABEL unit SOURCES unit/write_buffer_test.cpp LIBS cavern_buffer)
cavern_add_test(allocator_test LABEL unit SOURCES unit/allocator_test.cpp LIBS cavern_alloc)
cavern_add_test(page_ftl_test LABEL unit SOURCES unit/page_ftl_test.cpp LIBS cavern_ftl cavern_nand)
