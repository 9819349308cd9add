# cmake --install: the program, the library with its package for find_package(Cavern), drives, parts, traces, firmware.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# A wheel has copies of shared libraries beside the library (python/wheel_hook.py). Of both ways to name their folder
# the older is used, for it holds for the libraries of libraries as well.
set_target_properties(cavern-sim PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
# As it is built it can be moved, too.
set_target_properties(cavern-sim PROPERTIES BUILD_RPATH "$ORIGIN/../lib")
target_link_options(cavern-sim PRIVATE -Wl,--disable-new-dtags)

install(TARGETS cavern-sim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(CAVERN_FIRMWARE)
  install(TARGETS cavern_drive_firmware_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(CAVERN_LIBRARY)
  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Cavern)
  set_target_properties(cavern_shared PROPERTIES INSTALL_RPATH "$ORIGIN")
  target_link_options(cavern_shared PRIVATE -Wl,--disable-new-dtags)
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
endif()
# The program looks for configs/ from where it lies, so that the whole can be moved: config/file_names.h.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs ${PROJECT_SOURCE_DIR}/traces DESTINATION share/cavern
        PATTERN "*.py" EXCLUDE)
foreach(image debugger drive hello lookup)
  install(FILES ${PROJECT_BINARY_DIR}/firmware/${image}.elf DESTINATION share/cavern/firmware OPTIONAL)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/VERSION DESTINATION share/cavern)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/cavern)

# cpack -G DEB: the same as a Debian package. dpkg-shlibdeps (dpkg-dev) says which packages it needs.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The Cavern authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
include(CPack)
