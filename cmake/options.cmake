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

# The layers on the path of a request (HOT) are one unit of what users run, linked with interprocedural optimisation:
# a twelfth fewer instructions. Tests and the shared library link the layers one by one, and without.
# The target `profile` counts in a few runs how often each branch of that unit is taken, for the compiler: another ninth
# fewer. The program is built without as well.
option(CAVERN_LTO "link the simulator with interprocedural optimisation" ON)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  set(CAVERN_LTO OFF)
endif()
set(cavern_hot_units cavern_hot)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND cavern_hot_units cavern_hot_counted)
endif()
foreach(unit ${cavern_hot_units})
  add_library(${unit} OBJECT EXCLUDE_FROM_ALL)
  set_target_properties(${unit} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  # Its warnings are those of the layers; besides, the names of one layer shadow those of another.
  target_compile_options(${unit} PRIVATE -w)
  target_link_libraries(${unit} PRIVATE cavern_options cavern_inside)
endforeach()
if(TARGET cavern_hot_counted)
  # Counts lie beside the object. What no run has met is compiled as without them.
  target_compile_options(cavern_hot PRIVATE -fprofile-use -fprofile-partial-training)
  # Passes behind the counting are left out where they take most time: the same is counted, and the link takes 43 s of
  # processor time instead of 58.
  target_compile_options(
    cavern_hot_counted
    PRIVATE -fprofile-generate -fprofile-update=single -fno-tree-vectorize -fno-tree-loop-optimize -fno-gcse -fno-tree-pre
            -fno-ipa-cp -fno-schedule-insns2 -fno-rerun-cse-after-loop -fno-tree-dominator-opts)
endif()

# cavern_link_whole(program [unit]): it is what users run.
function(cavern_link_whole program)
  if(CAVERN_LTO)
    set_target_properties(${program} PROPERTIES CAVERN_WHOLE ON INTERPROCEDURAL_OPTIMIZATION ON
                                                LINK_DEPENDS_NO_SHARED ON)
    # An object, not an archive: its inline functions are taken, not those of colder code (1.4 % of all instructions).
    list(APPEND ARGN cavern_hot)
    list(GET ARGN 0 unit)
    target_link_libraries(${program} PRIVATE ${unit})
  endif()
endfunction()

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

# cavern_add_library(name [HOT | COLD] [SOURCES ...] [PUBLIC ...] [PRIVATE ...]): a layer, with its alias
# cavern::<name without prefix>. Without SOURCES it is every source of the folder, so that a new file needs no line
# here. HOT: part of cavern_hot; the layer by itself is <name>_layer. COLD: far from it, compiled with -O1.
function(cavern_add_library name)
  cmake_parse_arguments(ARG "HOT;COLD" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS *.cpp)
  endif()
  list(TRANSFORM ARG_SOURCES REPLACE "^([^/].*)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
  string(REPLACE "cavern_" "" short ${name})
  set(layer ${name})
  if(ARG_HOT)
    set(layer ${name}_layer)
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:CAVERN_WHOLE>>>:${layer}>)
    set_property(GLOBAL APPEND PROPERTY CAVERN_HOT_LAYERS ${name})
    get_property(hot GLOBAL PROPERTY CAVERN_HOT_LAYERS)
    set(others ${ARG_PUBLIC} ${ARG_PRIVATE})
    list(REMOVE_ITEM others ${hot})
    foreach(unit ${cavern_hot_units})
      target_sources(${unit} PRIVATE ${ARG_SOURCES})
      target_link_libraries(${unit} PUBLIC ${others})
    endforeach()
  endif()
  add_library(${layer} STATIC ${ARG_SOURCES})
  set_target_properties(${layer} PROPERTIES OUTPUT_NAME ${name})
  add_library(cavern::${short} ALIAS ${name})
  target_link_libraries(${layer} PUBLIC cavern_options ${ARG_PUBLIC} PRIVATE cavern_inside cavern_warnings
                                                                       ${ARG_PRIVATE})
  if(ARG_COLD)
    target_compile_options(${layer} PRIVATE $<$<CONFIG:Release>:-O1>)
  endif()
endfunction()
