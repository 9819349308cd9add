# RTL compiled by Verilator into object libraries.
set(rtl ${PROJECT_SOURCE_DIR}/rtl)

# What each design is made of, with its properties.
set(both_arbiters ${rtl}/grant_register.sv ${rtl}/round_robin.sv ${rtl}/arbiter_port_checker.sv)
foreach(design channel_arbiter weighted_arbiter channel_allocator)
  set(${design}_sources ${rtl}/lint.vlt ${rtl}/${design}.sv ${rtl}/${design}_checker.sv ${rtl}/${design}_checked.sv)
endforeach()
list(APPEND channel_arbiter_sources ${both_arbiters})
list(APPEND weighted_arbiter_sources ${both_arbiters})

# cavern_verilate(target prefix top SOURCES file.sv ... OPTIONS ... REPLACED file.sv ...): a Verilated model for an
# object library, whose class is `prefix`; it compiles as one unit. REPLACED: files in place of those of their names.
function(cavern_verilate target prefix top)
  cmake_parse_arguments(PARSE_ARGV 3 ARG "" "" "SOURCES;OPTIONS;REPLACED")
  set(sources "")
  foreach(source ${ARG_SOURCES})
    cmake_path(GET source FILENAME name)
    foreach(file ${ARG_REPLACED})
      cmake_path(GET file FILENAME replaced)
      if(name STREQUAL replaced)
        set(source ${file})
      endif()
    endforeach()
    list(APPEND sources ${source})
  endforeach()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}.verilated/${prefix})
  add_custom_command(
    OUTPUT ${folder}/${prefix}.h ${folder}/all.cpp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${VERILATOR_BIN} --cc -O3 -Wall --assert --x-initial unique --x-assign unique --Mdir ${folder}
            --prefix ${prefix} --top-module ${top} ${ARG_OPTIONS} ${sources}
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D PREFIX=${prefix} -P ${PROJECT_SOURCE_DIR}/cmake/one_unit.cmake
    DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/one_unit.cmake
    COMMENT "Verilating ${target} ${prefix}"
    VERBATIM)
  target_sources(${target} PRIVATE ${folder}/all.cpp ${folder}/${prefix}.h)
  target_include_directories(${target} SYSTEM PRIVATE ${folder})
endfunction()

# cavern_add_arbiter_models(name table.cpp WAYS n... OPTIONS ... REPLACED file.sv ...): an object library with one
# model for each number of ways and policy, V<policy>_<ways>, and the table of them.
function(cavern_add_arbiter_models name table)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "" "WAYS;OPTIONS;REPLACED")
  add_library(${name} OBJECT ${table})
  foreach(ways ${ARG_WAYS})
    foreach(policy round_robin priority_age weighted)
      set(design channel_arbiter)
      set(options --trace-fst ${ARG_OPTIONS} -GNumWays=${ways})
      if(policy STREQUAL weighted)
        set(design weighted_arbiter)
      elseif(policy STREQUAL round_robin)
        list(APPEND options -GPolicy=0)
      else()
        list(APPEND options -GPolicy=1)
      endif()
      cavern_verilate(${name} V${policy}_${ways} ${design}_checked SOURCES ${${design}_sources} OPTIONS ${options}
                      REPLACED ${ARG_REPLACED})
    endforeach()
  endforeach()
  target_link_libraries(${name} PUBLIC cavern_options cavern_arbiter_rules cavern_verilated_runtime PRIVATE cavern_inside)
endfunction()

# cavern_break_line(copy source from to): a copy of a source with one line broken, which the checks must see.
function(cavern_break_line copy source from to)
  add_custom_command(
    OUTPUT ${copy}
    COMMAND ${CMAKE_COMMAND} -D INPUT=${source} -D OUTPUT=${copy} -D "FROM=${from}" -D "TO=${to}" -P
            ${PROJECT_SOURCE_DIR}/cmake/one_line.cmake
    DEPENDS ${source} ${PROJECT_SOURCE_DIR}/cmake/one_line.cmake
    COMMENT "Breaking a line: ${copy}"
    VERBATIM)
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
  foreach(ways 1 4 8 16)
    cavern_verilate(
      ${name} Vuser_${ways} user_arbiter_checked
      SOURCES ${rtl}/lint.vlt ${folder}/user_arbiter.vlt ${file} ${rtl}/arbiter_port_checker.sv
              ${folder}/user_arbiter_checked.sv
      OPTIONS --trace-fst -GNumWays=${ways})
  endforeach()
  target_compile_options(${name} PRIVATE -O2)
  target_link_libraries(${name} PUBLIC cavern_options cavern_arbiter_rules cavern_verilated_runtime PRIVATE cavern_inside)
endfunction()
