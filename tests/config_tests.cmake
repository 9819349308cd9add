cavern_add_test(
  units_test LABEL unit
  SOURCES unit/units_test.cpp unit/divisor_test.cpp
  LIBS cavern_base)
cavern_add_test(
  config_test LABEL unit
  SOURCES unit/config_test.cpp unit/config_error_test.cpp unit/config_keys_test.cpp
  LIBS cavern_config nlohmann_json::nlohmann_json)
