# What every target of ours is compiled with: cavern_options (code generation) and cavern_warnings.
add_library(cavern_options INTERFACE)
target_include_directories(cavern_options INTERFACE ${PROJECT_SOURCE_DIR}/model ${PROJECT_SOURCE_DIR})
target_compile_features(cavern_options INTERFACE cxx_std_17)

# What the layers are compiled with besides: they are also the inside of the shared library, which shows
# nothing but its interface (include/).
add_library(cavern_inside INTERFACE)
target_compile_options(cavern_inside INTERFACE -fPIC -fvisibility=hidden
                                               $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>)
if(CAVERN_SANITIZE)
  target_compile_options(cavern_options INTERFACE -fsanitize=${CAVERN_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(cavern_options INTERFACE -fsanitize=${CAVERN_SANITIZE})
endif()

# The simulator is linked with interprocedural optimisation, in one piece: a twelfth fewer
# instructions, for a minute of linking. Objects of the layers hold both forms, so that the many tests
# link without.
option(CAVERN_LTO "link the simulator with interprocedural optimisation" ON)
add_library(cavern_lto INTERFACE)
if(CAVERN_LTO AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(cavern_lto INTERFACE -flto=auto -ffat-lto-objects)
  target_link_options(cavern_lto INTERFACE -flto=auto -flto-partition=one)
  # Of -fno-lto and -flto the compiler takes the first, not the last, as its word on the linker plug-in.
  add_link_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:CAVERN_LTO>>>:-fno-lto>)
endif()

add_library(cavern_warnings INTERFACE)
target_compile_options(
  cavern_warnings
  INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast
            -Wsuggest-override $<$<BOOL:${CAVERN_WERROR}>:-Werror>)

# cavern_parse_once(target header ...): a precompiled header of what most sources of a target include, where
# parsing that is most of what they cost to compile. A header of ours is named from the top of the tree.
function(cavern_parse_once target)
  list(TRANSFORM ARGN REPLACE "^([^<].*)" "${PROJECT_SOURCE_DIR}/\\1" OUTPUT_VARIABLE headers)
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()

# cavern_add_library(name [SOURCES ...] PUBLIC ...): a layer, with its alias cavern::<name without prefix>.
# Without SOURCES it is every source of the folder, so that a new file needs no line here.
function(cavern_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS *.cpp)
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  string(REPLACE "cavern_" "" short ${name})
  add_library(cavern::${short} ALIAS ${name})
  target_link_libraries(${name} PUBLIC cavern_options ${ARG_PUBLIC} PRIVATE cavern_inside cavern_warnings
                                                                      ${ARG_PRIVATE})
  target_compile_options(${name} PRIVATE $<TARGET_PROPERTY:cavern_lto,INTERFACE_COMPILE_OPTIONS>)
endfunction()
