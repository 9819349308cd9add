# cavern-every-shape: all shapes of the arbiters and of the allocator in lockstep, one Verilated model
# for all numbers of ways of a policy (tb/shapes).
add_library(cavern_every_shape_models OBJECT shapes/every_shape_models.cpp)
target_link_libraries(cavern_every_shape_models PUBLIC cavern_options cavern_base cavern_arbiter_rules
                                                       cavern_verilated_runtime)
# Not optimised: a model is compiled in a fifth of the time, and a run takes seconds.
target_compile_options(cavern_every_shape_models PRIVATE -O0)

set(shapes ${CMAKE_CURRENT_SOURCE_DIR}/shapes)
set(arbiter_sources ${channel_arbiter_sources} ${weighted_arbiter_sources} ${shapes}/every_arbiter.sv)
list(REMOVE_DUPLICATES arbiter_sources)
foreach(policy 0 1 2)
  cavern_verilate(cavern_every_shape_models Vevery_arbiter_${policy} every_arbiter SOURCES ${arbiter_sources}
                  OPTIONS --trace-fst -GPolicy=${policy})
endforeach()
cavern_verilate(
  cavern_every_shape_models Vevery_allocator every_allocator
  SOURCES ${channel_allocator_sources} ${shapes}/every_allocator.sv
  OPTIONS --trace-fst)

add_library(cavern_every_shape OBJECT shapes/every_shape_soak.cpp shapes/coverage.cpp)
target_link_libraries(cavern_every_shape PUBLIC cavern_streams cavern_allocator_tb
                      PRIVATE cavern_warnings)
add_executable(cavern-every-shape)
target_link_libraries(cavern-every-shape PRIVATE cavern_every_shape cavern_every_shape_models)
