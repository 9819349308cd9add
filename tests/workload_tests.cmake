# Traces, generators and filters: no SystemC.
cavern_add_test(
  byte_stream_test LABEL unit
  SOURCES unit/byte_stream_test.cpp
  LIBS cavern_workload LibLZMA::LibLZMA PkgConfig::ZSTD ZLIB::ZLIB)
cavern_add_test(
  trace_reader_test LABEL unit TIMEOUT 180 # 10^5 mutated lines under the sanitizers
  SOURCES unit/trace_reader_test.cpp unit/trace_error_test.cpp unit/trace_device_test.cpp
  LIBS cavern_workload LibLZMA::LibLZMA PkgConfig::ZSTD ZLIB::ZLIB)
cavern_add_test(generator_test LABEL unit SOURCES unit/generator_test.cpp LIBS cavern_workload)
cavern_add_test(filters_test LABEL unit SOURCES unit/filters_test.cpp LIBS cavern_workload)
