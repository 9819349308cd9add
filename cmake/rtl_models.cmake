# RTL compiled by Verilator into object libraries.
set(rtl ${PROJECT_SOURCE_DIR}/rtl)

# cavern_add_rtl_models(name DESIGN channel_arbiter.sv SOURCE table.cpp WAYS n...): an object library
# with one Verilated model for each number of ways and policy. Each model compiles as one unit.
function(cavern_add_rtl_models name)
  cmake_parse_arguments(ARG "" "DESIGN;SOURCE" "WAYS" ${ARGN})
  set(sources ${rtl}/lint.vlt ${ARG_DESIGN} ${rtl}/channel_arbiter_checker.sv
              ${rtl}/channel_arbiter_checked.sv)
  set(base ${CMAKE_CURRENT_BINARY_DIR}/${name}.verilated)
  add_library(${name} OBJECT ${ARG_SOURCE})
  foreach(policy round_robin priority_age)
    if(policy STREQUAL round_robin)
      set(policy_number 0)
    else()
      set(policy_number 1)
    endif()
    foreach(ways ${ARG_WAYS})
      set(prefix V${policy}_${ways})
      set(folder ${base}/${prefix})
      add_custom_command(
        OUTPUT ${folder}/${prefix}.h ${folder}/all.cpp
        COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
        COMMAND ${VERILATOR_BIN} --cc -O3 -Wall --assert --trace-fst --x-initial unique --x-assign unique
                --Mdir ${folder} --prefix ${prefix} --top-module channel_arbiter_checked
                -GNumWays=${ways} -GPolicy=${policy_number} ${sources}
        COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D PREFIX=${prefix} -P
                ${PROJECT_SOURCE_DIR}/cmake/one_unit.cmake
        DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/one_unit.cmake
        COMMENT "Verilating ${name} ${prefix}"
        VERBATIM)
      target_sources(${name} PRIVATE ${folder}/all.cpp ${folder}/${prefix}.h)
      target_include_directories(${name} SYSTEM PRIVATE ${folder})
    endforeach()
  endforeach()
  # Generated code is what the run time of an RTL simulation is made of: optimised in Debug as well.
  target_compile_options(${name} PRIVATE -O2)
  target_link_libraries(${name} PUBLIC cavern_options cavern_arbiter_rules cavern_verilated_runtime PRIVATE cavern_inside)
endfunction()

# cavern_add_design_models(target PREFIX Vname TOP module SOURCES file.sv ... WAYS n...): further models
# for an object library made above, of a design whose one parameter is NumWays; their classes are
# Vname_<ways>.
function(cavern_add_design_models target)
  cmake_parse_arguments(ARG "" "PREFIX;TOP" "SOURCES;WAYS" ${ARGN})
  foreach(ways ${ARG_WAYS})
    set(prefix ${ARG_PREFIX}_${ways})
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.verilated/${prefix})
    add_custom_command(
      OUTPUT ${folder}/${prefix}.h ${folder}/all.cpp
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${VERILATOR_BIN} --cc -O3 -Wall --assert --trace-fst --x-initial unique --x-assign unique
              --Mdir ${folder} --prefix ${prefix} --top-module ${ARG_TOP} -GNumWays=${ways}
              ${rtl}/lint.vlt ${ARG_SOURCES}
      COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D PREFIX=${prefix} -P
              ${PROJECT_SOURCE_DIR}/cmake/one_unit.cmake
      DEPENDS ${rtl}/lint.vlt ${ARG_SOURCES} ${PROJECT_SOURCE_DIR}/cmake/one_unit.cmake
      COMMENT "Verilating ${target} ${prefix}"
      VERBATIM)
    target_sources(${target} PRIVATE ${folder}/all.cpp ${folder}/${prefix}.h)
    target_include_directories(${target} SYSTEM PRIVATE ${folder})
  endforeach()
endfunction()

function(cavern_add_weighted_models target design)
  cavern_add_design_models(
    ${target} PREFIX Vweighted TOP weighted_arbiter_checked
    SOURCES ${design} ${rtl}/arbiter_port_checker.sv ${rtl}/weighted_arbiter_checker.sv
            ${rtl}/weighted_arbiter_checked.sv
    WAYS ${ARGN})
endfunction()

# cavern_add_user_models(name FILE): an object library with an arbiter of somebody else's, module and
# file of one name, behind make_user_model() (user_models.h); see docs/bring-your-own-arbiter.md.
function(cavern_add_user_models name file)
  cmake_path(GET file STEM top)
  set(USER_ARBITER ${top})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.verilated)
  foreach(made user_arbiter.vlt user_arbiter_checked.sv)
    configure_file(${PROJECT_SOURCE_DIR}/model/cosim/${made}.in ${folder}/${made} @ONLY)
  endforeach()
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/model/cosim/user_models.cpp)
  target_compile_definitions(${name} PRIVATE CAVERN_USER_ARBITER="${top}")
  cavern_add_design_models(
    ${name} PREFIX Vuser TOP user_arbiter_checked
    SOURCES ${folder}/user_arbiter.vlt ${file} ${rtl}/arbiter_port_checker.sv ${folder}/user_arbiter_checked.sv
    WAYS 1 4 8 16)
  target_compile_options(${name} PRIVATE -O2)
  target_link_libraries(${name} PUBLIC cavern_options cavern_arbiter_rules cavern_verilated_runtime PRIVATE cavern_inside)
endfunction()
