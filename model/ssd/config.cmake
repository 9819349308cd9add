# The configuration: key table, files, resolved structure. Included by CMakeLists.txt of this folder.
cavern_add_library(
  cavern_config
  SOURCES config_checks.cpp config_file.cpp config_keys.cpp config_loader.cpp config_show.cpp
          config_table.cpp config_value.cpp config_words.cpp near_miss.cpp
  PUBLIC cavern_base
  PRIVATE cavern_alloc cavern_arbiter_rules cavern_buffer cavern_dram_scheduler cavern_ftl tomlplusplus::tomlplusplus fmt::fmt)
set_source_files_properties(
  config_loader.cpp PROPERTIES COMPILE_DEFINITIONS CAVERN_CONFIGS_DIR="${PROJECT_SOURCE_DIR}/configs")
