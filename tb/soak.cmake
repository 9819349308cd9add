# Long streams without a drive: random and recorded ones, in lockstep, and with coverage counted.
#
#   cavern-arbiter-soak            random streams, and the replay of recorded ones
#   cavern-arbiter-soak-covered    the same with models that count lines and toggles
cavern_add_library(
  cavern_streams
  SOURCES recorded_stream.cpp request_stream.cpp
  PUBLIC cavern_arbiter_rules)

add_library(cavern_soak OBJECT arbiter_soak.cpp)
target_link_libraries(cavern_soak PUBLIC cavern_cosim cavern_streams PRIVATE cavern_warnings)

add_executable(cavern-arbiter-soak)
target_link_libraries(cavern-arbiter-soak PRIVATE cavern_soak cavern_rtl_models)

cavern_add_arbiter_models(cavern_rtl_models_covered covered_models.cpp WAYS 1 2 4 8 16 OPTIONS --coverage)
target_sources(cavern_rtl_models_covered PRIVATE ${VERILATOR_ROOT}/include/verilated_cov.cpp)
# Not optimised: the counters' code is large, and the streams of a coverage run are short.
target_compile_options(cavern_rtl_models_covered PRIVATE -O0)
add_executable(cavern-arbiter-soak-covered)
target_link_libraries(cavern-arbiter-soak-covered PRIVATE cavern_soak cavern_rtl_models_covered)

# The generated classes of cavern_rtl_models under a table that records. A program links this instead.
add_library(cavern_recording_models OBJECT recording_models.cpp)
target_include_directories(
  cavern_recording_models SYSTEM
  PRIVATE $<TARGET_PROPERTY:cavern_rtl_models,INCLUDE_DIRECTORIES>)
target_link_libraries(cavern_recording_models PUBLIC cavern_options cavern_streams cavern_verilated_runtime)
add_dependencies(cavern_recording_models cavern_rtl_models)
target_sources(
  cavern_recording_models
  INTERFACE $<FILTER:$<TARGET_OBJECTS:cavern_rtl_models>,EXCLUDE,rtl_models\\.cpp>)
