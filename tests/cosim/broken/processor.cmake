# The processor with one line broken, of Ibex or of the interpreter: the lockstep must see it.
# cavern_add_broken_cpu(variant SOURCE FROM TO)
function(cavern_add_broken_cpu variant source from to)
  cmake_path(GET source FILENAME file)
  set(copy ${CMAKE_CURRENT_BINARY_DIR}/broken_cpu/${variant}/${file})
  cavern_break_line(${copy} ${source} "${from}" "${to}")
  set(name cavern_cpu_broken_${variant})
  if(file MATCHES "\\.sv$")
    cavern_add_ibex_model(${name} INSTEAD ${copy})
    target_compile_options(${name} PRIVATE -O0) # it runs for a second
    set(model ${name})
  else()
    add_library(${name} OBJECT ${copy})
    target_link_libraries(${name} PRIVATE cavern_cpu cavern_options)
    set(model ${name} cavern_ibex_model)
  endif()
  cavern_add_test_program(
    cosim_broken_cpu_${variant}_test FOLDER cosim PREFIX ${variant}/
    SOURCES broken/cpu_broken_test.cpp
    LIBS ${model} cavern_cosim)
  target_compile_definitions(cosim_broken_cpu_${variant}_test PRIVATE CAVERN_BROKEN="${variant}")
endfunction()

cavern_add_broken_cpu(rtl_shift ${ibex}/rtl/ibex_alu.sv "assign shift_arith  = (operator_i == ALU_SRA)"
                      "assign shift_arith  = 1'b0")
cavern_add_broken_cpu(rtl_lanes ${ibex}/rtl/ibex_load_store_unit.sv "2'b01:   data_be = 4'b0110"
                      "2'b01:   data_be = 4'b0011")
cavern_add_broken_cpu(rtl_interrupt ${ibex}/rtl/ibex_controller.sv "else if (irqs_i.irq_external) begin"
                      "else if (irqs_i.irq_external && !irqs_i.irq_timer) begin")
cavern_add_broken_cpu(iss_shift ${PROJECT_SOURCE_DIR}/model/cpu/hart_run.cpp
                      "result(d, shift_right_arithmetic(x[d.rs1], imm), timing.alu)"
                      "result(d, x[d.rs1] >> imm, timing.alu)")
cavern_add_broken_cpu(iss_branch ${PROJECT_SOURCE_DIR}/model/cpu/hart_run.cpp
                      "branch(d, as_signed(x[d.rs1]) < as_signed(x[d.rs2]))" "branch(d, x[d.rs1] < x[d.rs2])")
cavern_add_broken_cpu(iss_store ${PROJECT_SOURCE_DIR}/model/cpu/hart.cpp "value >> (8 * first_size), size"
                      "value, size")
cavern_add_broken_cpu(iss_divide ${PROJECT_SOURCE_DIR}/model/cpu/hart_run.cpp "const std::uint32_t cycles = b == 0 ?"
                      "const std::uint32_t cycles = a == 0 ?")

# The registers with one thing wrong, in the description or in the RTL; all in one program.
add_library(cavern_broken_register_models OBJECT broken/registers_broken_models.cpp)
function(cavern_add_broken_registers variant file from to)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/broken_registers/${variant})
  cavern_break_line(${folder}/${file} ${rtl}/regs/${file} "${from}" "${to}")
  if(file MATCHES "\\.rdl$")
    cavern_make_registers(${folder} ${folder}/${file})
    set(what FORMS ${folder})
  else()
    set(what REPLACED ${folder}/${file})
  endif()
  cavern_add_register_model(cavern_broken_register_models PREFIX Vregisters_${variant} ${what})
endfunction()
cavern_add_broken_registers(reset cavern_regs.rdl "events[7:0] = 0" "events[7:0] = 1")
cavern_add_broken_registers(clear cavern_regs.rdl "default onwrite = wclr" "default onwrite = woclr")
cavern_add_broken_registers(queue register_queue.sv "= level_q == LevelWidth'(Depth)" "= level_q == LevelWidth'(Depth - 1)")
cavern_add_broken_registers(moderation interrupt_moderation.sv "time_i >= due_o" "time_i > due_o")
target_compile_options(cavern_broken_register_models PRIVATE -O0) # they run for a second
cavern_add_test_program(
  cosim_broken_registers_test FOLDER cosim
  SOURCES broken/registers_broken_test.cpp
  LIBS cavern_cpu_fixtures cavern_cosim cavern_broken_register_models)
