# Firmware: C11 without a C library, for the RV32IMC of the controller, by Debian's compiler.
find_program(RISCV_GCC riscv64-unknown-elf-gcc)
if(NOT RISCV_GCC)
  message(FATAL_ERROR "riscv64-unknown-elf-gcc is missing: apt-get install gcc-riscv64-unknown-elf")
endif()

# Paths in the images are those of the tree, so that images are the same bytes wherever they are built.
set(cavern_firmware_flags
    -march=rv32imc_zicsr -mabi=ilp32 -mcmodel=medlow -std=c11 -O2 -g -gdwarf-4 -ffreestanding -fno-common
    -ffunction-sections -fdata-sections -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -Wa,--debug-prefix-map=${PROJECT_SOURCE_DIR}=.
    -Wa,--debug-prefix-map=${PROJECT_SOURCE_DIR}/= -Wall -Wextra -Wpedantic
    -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes)
if(CAVERN_WERROR)
  list(APPEND cavern_firmware_flags -Werror)
endif()
# The compiler comes with helpers (64-bit division) for RV32IM, but with none for RV32IMC.
execute_process(COMMAND ${RISCV_GCC} -march=rv32im -mabi=ilp32 -print-libgcc-file-name
                OUTPUT_VARIABLE cavern_firmware_libgcc OUTPUT_STRIP_TRAILING_WHITESPACE)

set(cavern_firmware_runtime ${PROJECT_SOURCE_DIR}/firmware/runtime)

# cavern_compile_firmware(result folder SOURCES ... [DEFINITIONS ...] [INCLUDES ...]): objects in `folder`.
function(cavern_compile_firmware result folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEFINITIONS;INCLUDES;OPTIONS;LINK;DEPENDS" ${ARGN})
  list(TRANSFORM ARG_DEFINITIONS PREPEND -D)
  list(TRANSFORM ARG_INCLUDES PREPEND -I)
  set(objects "")
  foreach(source ${ARG_SOURCES})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    cmake_path(GET source FILENAME name)
    set(object ${folder}/${name}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
      COMMAND ${RISCV_GCC} ${cavern_firmware_flags} ${ARG_OPTIONS} ${ARG_DEFINITIONS}
              -I${cavern_firmware_runtime} ${ARG_INCLUDES} -MD -MF ${object}.d -MT ${object} -c ${source} -o
              ${object}
      DEPENDS ${source} ${ARG_DEPENDS}
      DEPFILE ${object}.d
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      COMMENT "Compiling firmware ${name}"
      VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# cavern_add_firmware(name SOURCES ... [DEFINITIONS ...] [INCLUDES ...] [OPTIONS ...] [LINK ...] [DEPENDS ...]): target
# firmware_<name>, which links build/*/firmware/<name>.elf with the runtime. All images: target firmware.
function(cavern_add_firmware name)
  set(folder ${CMAKE_BINARY_DIR}/firmware/${name}.objects)
  set(image ${CMAKE_BINARY_DIR}/firmware/${name}.elf)
  set(script ${cavern_firmware_runtime}/link.ld)
  get_property(runtime GLOBAL PROPERTY CAVERN_FIRMWARE_RUNTIME)
  cmake_parse_arguments(LINKED "" "" "SOURCES;DEFINITIONS;INCLUDES;OPTIONS;LINK;DEPENDS" ${ARGN})
  cavern_compile_firmware(objects ${folder} ${ARGN})
  add_custom_command(
    OUTPUT ${image}
    COMMAND ${RISCV_GCC} -march=rv32imc_zicsr -mabi=ilp32 -nostdlib -nostartfiles -static -T ${script}
            -Wl,--gc-sections -Wl,--build-id=none -Wl,--no-warn-rwx-segments ${runtime} ${objects}
            ${LINKED_LINK} ${cavern_firmware_libgcc} -o ${image}
    DEPENDS ${objects} ${runtime} ${script}
    COMMENT "Linking firmware ${name}.elf"
    VERBATIM)
  add_custom_target(firmware_${name} DEPENDS ${image})
  add_dependencies(firmware_${name} firmware_runtime)
  add_dependencies(firmware firmware_${name})
endfunction()

# cavern_add_register_firmware(name ...): the same for an image that uses the registers of the drive. Debian's
# GCC 12.2 may store to one once more behind a loop, when it moves other stores out of that.
function(cavern_add_register_firmware name)
  cavern_add_firmware(${name} ${ARGN} INCLUDES ${CAVERN_REGISTERS_DIR} OPTIONS -fno-move-loop-stores
                      DEPENDS ${CAVERN_REGISTERS_DIR}/cavern_regs.h)
  add_dependencies(firmware_${name} cavern_register_forms)
endfunction()
