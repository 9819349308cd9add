# What every target of ours is compiled with: cavern_options (code generation) and cavern_warnings.
add_library(cavern_options INTERFACE)
target_include_directories(cavern_options INTERFACE ${PROJECT_SOURCE_DIR}/model ${PROJECT_SOURCE_DIR})
target_compile_features(cavern_options INTERFACE cxx_std_17)
if(CAVERN_SANITIZE)
  target_compile_options(cavern_options INTERFACE -fsanitize=${CAVERN_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(cavern_options INTERFACE -fsanitize=${CAVERN_SANITIZE})
endif()

add_library(cavern_warnings INTERFACE)
target_compile_options(
  cavern_warnings
  INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wold-style-cast
            -Wsuggest-override $<$<BOOL:${CAVERN_WERROR}>:-Werror>)

# cavern_add_library(name SOURCES ... PUBLIC ...): a layer, with its alias cavern::<name without prefix>.
function(cavern_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  string(REPLACE "cavern_" "" short ${name})
  add_library(cavern::${short} ALIAS ${name})
  target_link_libraries(${name} PUBLIC cavern_options ${ARG_PUBLIC} PRIVATE cavern_warnings ${ARG_PRIVATE})
endfunction()
