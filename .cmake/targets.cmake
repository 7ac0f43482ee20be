# The three ways to make a target. Includes are spelled from the repository root ("model/x.hpp").
#
#   leaseproof_library(NAME SOURCES … [PUBLIC …] [PRIVATE …])
#   leaseproof_executable(NAME SOURCES … [LINK …])
#   leaseproof_test(NAME SOURCES … [LINK …] [TIMEOUT seconds])
#   leaseproof_fuzzer(NAME SOURCES … [LINK …] [CORPUS dir] [SECONDS n])   only with LEASEPROOF_FUZZ

include(GoogleTest)

if(LEASEPROOF_FUZZ)
  add_custom_target(fuzzers)
endif()

function(leaseproof_apply_defaults name)
  target_include_directories(${name} PUBLIC "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:leaseproof_warnings>)
endfunction()

# The first folder below the root: a ctest label, so that `ctest -L engine` runs one folder.
function(leaseproof_folder_label variable)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
  string(REGEX REPLACE "/.*" "" folder "${folder}")
  set(${variable} "${folder}" PARENT_SCOPE)
endfunction()

function(leaseproof_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;PUBLIC;PRIVATE")
  if(NOT arg_SOURCES)
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>")
    target_link_libraries(${name} INTERFACE ${arg_PUBLIC} ${arg_PRIVATE})
    return()
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  leaseproof_apply_defaults(${name})
  target_link_libraries(${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
endfunction()

function(leaseproof_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  add_executable(${name} ${arg_SOURCES})
  leaseproof_apply_defaults(${name})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
endfunction()

function(leaseproof_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LINK")
  if(NOT BUILD_TESTING)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  leaseproof_executable(${name} SOURCES ${arg_SOURCES} LINK ${arg_LINK} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE LEASEPROOF_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  leaseproof_folder_label(folder)
  # PRE_TEST: a test binary that crashes while it lists its tests is a failed test, not a failed build.
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${folder}" TIMEOUT ${arg_TIMEOUT})
endfunction()

function(leaseproof_fuzzer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "CORPUS;SECONDS" "SOURCES;LINK")
  if(NOT LEASEPROOF_FUZZ)
    return()
  endif()
  if(NOT arg_SECONDS)
    set(arg_SECONDS 20)
  endif()
  leaseproof_executable(${name} SOURCES ${arg_SOURCES} LINK ${arg_LINK})
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${name})
  # The fuzzer writes what it finds into its first folder, so the checked-in corpus comes second.
  set(found "${CMAKE_CURRENT_BINARY_DIR}/${name}-found")
  file(MAKE_DIRECTORY "${found}")
  leaseproof_folder_label(folder)
  add_test(NAME ${name}
    COMMAND ${name} -max_total_time=${arg_SECONDS} -timeout=10 -rss_limit_mb=1024
            -print_final_stats=1 "-artifact_prefix=${found}/" "${found}" ${arg_CORPUS})
  set_tests_properties(${name} PROPERTIES LABELS "${folder};fuzz" TIMEOUT 120)
endfunction()
