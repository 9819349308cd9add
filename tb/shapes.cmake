# cavern-every-shape: all shapes of the arbiters and of the allocator in lockstep, one Verilated model
# for all numbers of ways of a policy (tb/shapes).
add_library(cavern_every_shape_models OBJECT shapes/every_shape_models.cpp)
target_link_libraries(cavern_every_shape_models PUBLIC cavern_options cavern_base cavern_arbiter_rules
                                                       cavern_verilated_runtime)
# Not optimised: a model is compiled in a fifth of the time, and a run takes seconds.
target_compile_options(cavern_every_shape_models PRIVATE -O0)

# cavern_add_every_shape_model(prefix top PARAMETERS -G... SOURCES file.sv ...)
function(cavern_add_every_shape_model prefix top)
  cmake_parse_arguments(ARG "" "" "PARAMETERS;SOURCES" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/every_shape.verilated/${prefix})
  set(sources ${rtl}/lint.vlt ${ARG_SOURCES} ${CMAKE_CURRENT_SOURCE_DIR}/shapes/${top}.sv)
  add_custom_command(
    OUTPUT ${folder}/${prefix}.h ${folder}/all.cpp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${VERILATOR_BIN} --cc -O3 -Wall --assert --trace-fst --x-initial unique --x-assign unique
            --Mdir ${folder} --prefix ${prefix} --top-module ${top} ${ARG_PARAMETERS} ${sources}
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D PREFIX=${prefix} -P
            ${PROJECT_SOURCE_DIR}/cmake/one_unit.cmake
    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/one_unit.cmake
    COMMENT "Verilating ${prefix}"
    VERBATIM)
  target_sources(cavern_every_shape_models PRIVATE ${folder}/all.cpp ${folder}/${prefix}.h)
  target_include_directories(cavern_every_shape_models SYSTEM PRIVATE ${folder})
endfunction()

foreach(policy 0 1 2)
  cavern_add_every_shape_model(
    Vevery_arbiter_${policy} every_arbiter PARAMETERS -GPolicy=${policy}
    SOURCES ${rtl}/channel_arbiter.sv ${rtl}/channel_arbiter_checker.sv ${rtl}/channel_arbiter_checked.sv
            ${rtl}/weighted_arbiter.sv ${rtl}/arbiter_port_checker.sv ${rtl}/weighted_arbiter_checker.sv
            ${rtl}/weighted_arbiter_checked.sv)
endforeach()
cavern_add_every_shape_model(
  Vevery_allocator every_allocator
  SOURCES ${rtl}/channel_allocator.sv ${rtl}/channel_allocator_checker.sv
          ${rtl}/channel_allocator_checked.sv)

add_library(cavern_every_shape OBJECT shapes/every_shape_soak.cpp shapes/coverage.cpp)
target_link_libraries(cavern_every_shape PUBLIC cavern_streams cavern_allocator_tb
                      PRIVATE cavern_warnings)
add_executable(cavern-every-shape)
target_link_libraries(cavern-every-shape PRIVATE cavern_every_shape cavern_every_shape_models)
