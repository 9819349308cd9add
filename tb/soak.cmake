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

add_library(cavern_rtl_models_covered OBJECT covered_models.cpp ${VERILATOR_ROOT}/include/verilated_cov.cpp)
function(cavern_cover name top)
  set(sources ${ARGN})
  list(FILTER sources INCLUDE REGEX "\\.(sv|vlt)$")
  set(parameters ${ARGN})
  list(FILTER parameters INCLUDE REGEX "^-G")
  foreach(ways 1 2 4 8 16)
    set(prefix V${name}_${ways})
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/covered.verilated/${prefix})
    add_custom_command(
      OUTPUT ${folder}/${prefix}.h ${folder}/all.cpp
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${VERILATOR_BIN} --cc -O3 -Wall --assert --trace-fst --coverage --x-initial unique
              --x-assign unique --Mdir ${folder} --prefix ${prefix} --top-module ${top}
              -GNumWays=${ways} ${parameters} ${sources}
      COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D PREFIX=${prefix} -P
              ${PROJECT_SOURCE_DIR}/cmake/one_unit.cmake
      DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/one_unit.cmake
      COMMENT "Verilating with coverage ${prefix}"
      VERBATIM)
    target_sources(cavern_rtl_models_covered PRIVATE ${folder}/all.cpp ${folder}/${prefix}.h)
    target_include_directories(cavern_rtl_models_covered SYSTEM PRIVATE ${folder})
  endforeach()
endfunction()

set(channel_sources ${rtl}/lint.vlt ${rtl}/channel_arbiter.sv ${rtl}/channel_arbiter_checker.sv
                    ${rtl}/channel_arbiter_checked.sv)
cavern_cover(round_robin channel_arbiter_checked -GPolicy=0 ${channel_sources})
cavern_cover(priority_age channel_arbiter_checked -GPolicy=1 ${channel_sources})
cavern_cover(weighted weighted_arbiter_checked ${rtl}/lint.vlt ${rtl}/weighted_arbiter.sv
             ${rtl}/arbiter_port_checker.sv ${rtl}/weighted_arbiter_checker.sv
             ${rtl}/weighted_arbiter_checked.sv)
# Not optimised: the counters' code is large, and the streams of a coverage run are short.
target_compile_options(cavern_rtl_models_covered PRIVATE -O0)
target_link_libraries(cavern_rtl_models_covered PUBLIC cavern_options cavern_arbiter_rules
                                                       cavern_verilated_runtime)
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
