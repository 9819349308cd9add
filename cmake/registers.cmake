# The registers of the drive, described once in rtl/regs/cavern_regs.rdl. All other forms are made from
# it into build/*/registers: cavern_regs.h for firmware, cavern_regs{_pkg,}.sv, register_table.h for C++.
cavern_find_python_data(found peakrdl_regblock True)
cavern_find_python_data(found peakrdl_cheader True)
cavern_find_python_data(found peakrdl_html True)
set(registers_python ${CAVERN_PYTHON})
if(NOT registers_python)
  set(registers_python ${PROJECT_SOURCE_DIR}/.venv/bin/python)
endif()
set(registers_rdl ${rtl}/regs/cavern_regs.rdl)
set(registers_maker ${rtl}/regs/make_registers.py)
set(CAVERN_REGISTERS_DIR ${PROJECT_BINARY_DIR}/registers)

# cavern_make_registers(folder RDL file): the four forms, of the description or of a copy of it.
function(cavern_make_registers folder rdl)
  add_custom_command(
    OUTPUT ${folder}/cavern_regs.h ${folder}/cavern_regs.sv ${folder}/cavern_regs_pkg.sv ${folder}/register_table.h
    COMMAND ${registers_python} ${registers_maker} ${rdl} ${folder}
    DEPENDS ${rdl} ${registers_maker}
    COMMENT "Making the registers from ${rdl}"
    VERBATIM)
endfunction()

cavern_make_registers(${CAVERN_REGISTERS_DIR} ${registers_rdl})
add_custom_target(cavern_register_forms DEPENDS ${CAVERN_REGISTERS_DIR}/cavern_regs.h
                                                ${CAVERN_REGISTERS_DIR}/register_table.h)
add_library(cavern_register_table INTERFACE)
target_include_directories(cavern_register_table INTERFACE ${CAVERN_REGISTERS_DIR})
add_dependencies(cavern_register_table cavern_register_forms)

# The manual, as HTML: ninja -C build/release registers_manual
add_custom_target(
  registers_manual
  COMMAND ${registers_python} ${registers_maker} ${registers_rdl} --html ${CAVERN_REGISTERS_DIR}/manual
  COMMENT "Writing ${CAVERN_REGISTERS_DIR}/manual/index.html"
  VERBATIM)

# cavern_add_register_model(target PREFIX Vname [FORMS folder] [REPLACED file.sv]): drive_registers.sv
# compiled by Verilator, for an object library that is there already. FORMS: where its generated part is;
# REPLACED: a file in place of the one of its name.
function(cavern_add_register_model target)
  cmake_parse_arguments(ARG "" "PREFIX;FORMS;REPLACED" "" ${ARGN})
  if(NOT ARG_FORMS)
    set(ARG_FORMS ${CAVERN_REGISTERS_DIR})
  endif()
  set(names register_queue.sv data_to_apb.sv interrupt_moderation.sv drive_registers.sv)
  list(TRANSFORM names PREPEND ${rtl}/regs/)
  cavern_verilate(
    ${target} ${ARG_PREFIX} drive_registers
    SOURCES ${rtl}/regs/registers.vlt ${ARG_FORMS}/cavern_regs_pkg.sv ${ARG_FORMS}/cavern_regs.sv ${names}
    REPLACED ${ARG_REPLACED})
  target_compile_options(${target} PRIVATE -O2) # as cavern_rtl_models
  target_link_libraries(${target} PUBLIC cavern_options cavern_cpu cavern_verilated_runtime PRIVATE cavern_inside)
endfunction()
