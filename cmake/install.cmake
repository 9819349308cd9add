# cmake --install: the program, the library with its package for find_package(Cavern), drives and parts.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Cavern)
install(TARGETS cavern-sim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(
  TARGETS cavern_shared
  EXPORT cavern
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT cavern NAMESPACE Cavern:: FILE CavernTargets.cmake DESTINATION ${package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/CavernConfig.cmake.in ${PROJECT_BINARY_DIR}/CavernConfig.cmake
                              INSTALL_DESTINATION ${package})
# Before version 1, a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/CavernConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CavernConfig.cmake ${PROJECT_BINARY_DIR}/CavernConfigVersion.cmake
        DESTINATION ${package})
# The program looks for them from where it lies, so that the whole can be moved: config/installed_configs.h.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs DESTINATION share/cavern)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/cavern)
