# What is installed, in three components: `runtime` (the shared library, licences), `dev` (headers, the
# CMake package, pkg-config) and `benchdnn`. CPack makes a Debian package of each.
include(CMakePackageConfigHelpers)

set(package ${KILN_SONAME}) # find_package(dnnl), pkg-config dnnl
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/${package})

install(TARGETS ${KILN_SONAME} EXPORT dnnl-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)
install(DIRECTORY include/ ${PROJECT_BINARY_DIR}/include/ DESTINATION ${KILN_INSTALL_INCLUDEDIR}
    COMPONENT dev PATTERN *.in EXCLUDE)
install(FILES LICENSE third_party/NOTICES DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT runtime)

# The CMake package. Its version is that of the interface.
install(EXPORT dnnl-targets FILE ${package}-targets.cmake NAMESPACE ${kiln_package_namespace}::
    DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/dnnl-config.cmake.in ${package}-config.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${package}-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/${package}-config.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/${package}-config-version.cmake
    DESTINATION ${package_dir} COMPONENT dev)

# pkg-config. The prefix follows from where the file is, so that an installed tree can be moved.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pc "${prefix_from_pc}")
set(pc_requires)
set(pc_libs)
if(NOT KILN_SHARED) # what the static library needs
    set(pc_libs " -lstdc++ -lm -ldl -pthread")
    if(ONEDNN_CPU_RUNTIME STREQUAL "TBB")
        set(pc_requires "Requires: tbb\n")
    elseif(ONEDNN_CPU_RUNTIME STREQUAL "OMP")
        string(APPEND pc_libs " -fopenmp")
    endif()
endif()
configure_file(cmake/dnnl.pc.in ${package}.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${package}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

if(KILN_BUILD_BENCHDNN)
    file(RELATIVE_PATH libdir_from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
    set_target_properties(benchdnn PROPERTIES INSTALL_RPATH "$ORIGIN/${libdir_from_bin}")
    install(TARGETS benchdnn RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT benchdnn)
    install(DIRECTORY benchdnn/inputs DESTINATION ${CMAKE_INSTALL_DATADIR}/benchdnn
        COMPONENT benchdnn)
endif()

if(PROJECT_IS_TOP_LEVEL)
    include(cmake/packages.cmake)
endif()
