# Traces, generators and filters: no SystemC.
cavern_add_test(
  byte_stream_test LABEL unit
  SOURCES unit/byte_stream_test.cpp
  LIBS cavern_workload LibLZMA::LibLZMA PkgConfig::ZSTD ZLIB::ZLIB)
cavern_add_test(
  trace_reader_test LABEL unit TIMEOUT 180 # 10^5 mutated lines under the sanitizers
  SOURCES unit/trace_reader_test.cpp unit/trace_error_test.cpp unit/trace_device_test.cpp unit/trace_format_test.cpp
  LIBS cavern_workload LibLZMA::LibLZMA PkgConfig::ZSTD ZLIB::ZLIB)
cavern_add_test(
  trace_directory_test LABEL unit-slow TIMEOUT 300 # every trace of traces/, packed and unpacked many times
  SOURCES unit/trace_directory_test.cpp
  LIBS cavern_workload LibLZMA::LibLZMA PkgConfig::ZSTD ZLIB::ZLIB)
cavern_add_test(generator_test LABEL unit SOURCES unit/generator_test.cpp LIBS cavern_workload)
cavern_add_test(filters_test LABEL unit SOURCES unit/filters_test.cpp LIBS cavern_workload)
cavern_add_test(fio_job_file_test LABEL unit SOURCES unit/fio_job_file_test.cpp LIBS cavern_workload)
cavern_add_test(random_place_test LABEL unit SOURCES unit/random_place_test.cpp LIBS cavern_workload)
cavern_add_test(trace_statistics_test LABEL unit SOURCES unit/trace_statistics_test.cpp LIBS cavern_workload)
cavern_add_test(fit_test LABEL unit SOURCES unit/fit_test.cpp LIBS cavern_workload)

# The readers once more with sanitizers, whatever the build type, fed mutated samples: 15 s always, 45 s
# more unless --fast. tests/fuzz/run.sh has the same checks for clang's libFuzzer.
get_target_property(fuzz_workload cavern_workload SOURCES)
get_target_property(fuzz_base cavern_base SOURCES)
add_executable(trace_mutation fuzz/mutate_main.cpp fuzz/trace_fuzz.cpp ${fuzz_workload} ${fuzz_base})
target_link_libraries(trace_mutation PRIVATE cavern_warnings fmt::fmt LibLZMA::LibLZMA PkgConfig::ZSTD ZLIB::ZLIB
                                             tomlplusplus::tomlplusplus)
target_include_directories(trace_mutation PRIVATE ${PROJECT_SOURCE_DIR}/model ${PROJECT_SOURCE_DIR})
target_compile_options(trace_mutation PRIVATE -O1 -fsanitize=address,undefined -fno-sanitize-recover=all)
target_link_options(trace_mutation PRIVATE -fsanitize=address,undefined)
set_target_properties(trace_mutation PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
file(GLOB fuzz_samples ${PROJECT_SOURCE_DIR}/tests/reference/traces/sample.*
     ${PROJECT_SOURCE_DIR}/traces/workloads/*.toml)
add_test(NAME TraceFuzz.MutatedSamplesBreakNoReader COMMAND trace_mutation 15 1 ${fuzz_samples})
add_test(NAME TraceFuzz.MutatedSamplesBreakNoReaderForLonger
         COMMAND trace_mutation 45 2 ${fuzz_samples})
set_tests_properties(TraceFuzz.MutatedSamplesBreakNoReader PROPERTIES LABELS unit TIMEOUT 120)
set_tests_properties(TraceFuzz.MutatedSamplesBreakNoReaderForLonger PROPERTIES LABELS "unit;slow" TIMEOUT 180)
