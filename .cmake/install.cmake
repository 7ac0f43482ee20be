# What find_package(leaseproof) finds: the engine alone, without a trace of the test bed.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Headers are spelled from the repository root, so this folder is the root for who embeds the engine.
set(include_root "${CMAKE_INSTALL_INCLUDEDIR}/leaseproof")
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/leaseproof")

set_target_properties(leaseproof_engine PROPERTIES EXPORT_NAME engine)
add_library(leaseproof::engine ALIAS leaseproof_engine)

install(TARGETS leaseproof_engine EXPORT leaseproof
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  INCLUDES DESTINATION "${include_root}")
# What engine/host.hpp reaches, and the production end of each seam; all else stays inside.
foreach(header IN ITEMS
    engine/effects/permit.hpp engine/effects/service.hpp
    engine/engine.hpp
    engine/host.hpp
    engine/reconciler.hpp
    engine/runner.hpp
    engine/scheduler/alarm.hpp engine/scheduler/crew.hpp
    engine/scheduler/call_queue.hpp engine/scheduler/notices.hpp engine/scheduler/op_source.hpp
    engine/scheduler/scheduler.hpp engine/scheduler/supervisor.hpp
    engine/scheduler/system_clock.hpp engine/scheduler/ticker.hpp
    engine/sqlite/code.hpp engine/sqlite/connection.hpp
    engine/store/checkpoint.hpp engine/store/database.hpp engine/store/due.hpp
    engine/store/journal.hpp engine/store/reading.hpp
    engine/store/known_queues.hpp
    engine/values/busy_policy.hpp engine/values/clock.hpp engine/values/id_source.hpp
    faults/point.hpp
    model/action.hpp model/observation.hpp model/outcome.hpp model/vocabulary.hpp model/words.hpp)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${header} DESTINATION "${include_root}/${folder}")
endforeach()
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/leaseproof")

install(EXPORT leaseproof
  NAMESPACE leaseproof::
  FILE leaseproof-targets.cmake
  DESTINATION "${package_folder}")
configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/leaseproof-config.cmake.in"
  "${PROJECT_BINARY_DIR}/leaseproof-config.cmake"
  INSTALL_DESTINATION "${package_folder}")
# Below 1.0 a minor version may change the API.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/leaseproof-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/leaseproof-config.cmake"
  "${PROJECT_BINARY_DIR}/leaseproof-config-version.cmake"
  DESTINATION "${package_folder}")

if(BUILD_TESTING AND EXISTS "${PROJECT_SOURCE_DIR}/engine/consumer/CMakeLists.txt")
  add_test(NAME Package.an_installed_engine_builds_a_consumer
    COMMAND ${CMAKE_COMMAND}
      "-DBUILD_DIR=${PROJECT_BINARY_DIR}"
      "-DCONSUMER_DIR=${PROJECT_SOURCE_DIR}/engine/consumer"
      "-DCOMPILER=${CMAKE_CXX_COMPILER}"
      "-DFLAGS=${CMAKE_CXX_FLAGS}"
      -P "${CMAKE_CURRENT_LIST_DIR}/consumer_test.cmake")
  set_tests_properties(Package.an_installed_engine_builds_a_consumer PROPERTIES
    LABELS engine TIMEOUT 300)
endif()
