# lowRISC's Ibex (Apache-2.0), compiled by Verilator from the sources in PyPI's pythondata-cpu-ibex.
cavern_find_python_data(ibex pythondata_cpu_ibex pythondata_cpu_ibex.data_location)
set(ibex_prim ${ibex}/vendor/lowrisc_ip/ip/prim/rtl)
set(ibex_options
    -DRVFI
    -DSYNTHESIS # no coverage signals and no DPI
    +incdir+${ibex_prim} +incdir+${ibex}/vendor/lowrisc_ip/dv/sv/dv_utils
    -y ${rtl}/cpu -y ${ibex}/rtl -y ${ibex_prim})
# Packages come first, each before those that use it; modules are found by name.
set(ibex_packages ${ibex_prim}/prim_util_pkg.sv ${ibex_prim}/prim_cipher_pkg.sv ${ibex_prim}/prim_ram_1p_pkg.sv
                  ${ibex_prim}/prim_secded_pkg.sv ${ibex_prim}/prim_mubi_pkg.sv ${ibex_prim}/prim_count_pkg.sv
                  ${ibex}/rtl/ibex_pkg.sv)
set(ibex_lint ${VERILATOR_BIN} --lint-only -Wall ${rtl}/cpu/ibex.vlt --top-module ibex_wrapper ${ibex_options}
              ${ibex_packages} ${rtl}/cpu/ibex_wrapper.sv)
file(GLOB ibex_sources ${ibex}/rtl/*.sv ${ibex_prim}/*.sv ${rtl}/cpu/*.sv)

# cavern_add_ibex_model(name [INSTEAD file.sv ...]): an object library with make_ibex_model()
# (cosim/ibex_model.h). A file given as INSTEAD takes the place of the package's of that module.
function(cavern_add_ibex_model name)
  cmake_parse_arguments(ARG "" "" "INSTEAD" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}.verilated)
  add_custom_command(
    OUTPUT ${folder}/Vibex.h ${folder}/all.cpp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${VERILATOR_BIN} --cc -O3 -Wno-lint --x-initial unique --x-assign unique --Mdir ${folder}
            --prefix Vibex --top-module ibex_wrapper ${ibex_options} ${ibex_packages} ${ARG_INSTEAD}
            ${rtl}/cpu/ibex_wrapper.sv
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D PREFIX=Vibex -P ${PROJECT_SOURCE_DIR}/cmake/one_unit.cmake
    DEPENDS ${ibex_sources} ${ARG_INSTEAD} ${PROJECT_SOURCE_DIR}/cmake/one_unit.cmake
    COMMENT "Verilating ${name}"
    VERBATIM)
  add_library(${name} OBJECT ${PROJECT_SOURCE_DIR}/model/cosim/ibex_model.cpp ${folder}/all.cpp ${folder}/Vibex.h)
  target_include_directories(${name} SYSTEM PRIVATE ${folder})
  # Generated code is what the run time of an RTL simulation is made of: optimised in Debug as well.
  target_compile_options(${name} PRIVATE -O2)
  target_link_libraries(${name} PUBLIC cavern_options cavern_verilated_runtime PRIVATE cavern_inside)
endfunction()
