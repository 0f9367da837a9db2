# cmake --install: headers, the shared library (flowray::flowray), the static one (flowray::static, asked for
# as a component), and what CMake's find_package and pkg-config read. All of it may be moved to another
# folder.

# A release is installed stripped, with or without --strip: half of it would be names for debuggers. CMake
# itself strips no archive, for fear of the symbols that it is linked by; --strip-unneeded keeps those.
set(FLOWRAY_INSTALLS_STRIPPED OFF)
if(CMAKE_STRIP AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set(FLOWRAY_INSTALLS_STRIPPED ON)
  install(CODE "set(CMAKE_INSTALL_DO_STRIP ON)")
endif()

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Flowray")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(FILES $<TARGET_OBJECTS:flowray-wrapped-main> DESTINATION "${CMAKE_INSTALL_LIBDIR}/flowray" RENAME wrapped_main.o)
foreach(library flowray flowray-shared)
  install(TARGETS ${library} EXPORT ${library}-targets INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endforeach()
if(FLOWRAY_INSTALLS_STRIPPED)
  foreach(file IN ITEMS "$<TARGET_FILE_NAME:flowray>" flowray/wrapped_main.o)
    install(CODE "execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/${file}\" COMMAND_ERROR_IS_FATAL ANY)")
  endforeach()
endif()
if(TARGET flowray-transport)
  # Found there, beside libflowray.
  install(TARGETS flowray-transport LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
install(EXPORT flowray-shared-targets NAMESPACE flowray:: FILE FlowrayTargets.cmake DESTINATION "${package_dir}")
install(EXPORT flowray-targets NAMESPACE flowray:: FILE FlowrayStaticTargets.cmake DESTINATION "${package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/FlowrayConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/package/FlowrayConfig.cmake" INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/FlowrayConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)  # until 1.0, as the shared library's name says, too
cmake_path(SET root "/")
cmake_path(RELATIVE_PATH root BASE_DIRECTORY "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE prefix_from_pc)
configure_file("${PROJECT_SOURCE_DIR}/cmake/flowray.pc.in" "${PROJECT_BINARY_DIR}/package/flowray.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/package/FlowrayConfig.cmake" "${PROJECT_BINARY_DIR}/package/FlowrayConfigVersion.cmake"
  DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/package/flowray.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
