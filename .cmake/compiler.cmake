# What every target is compiled with. The presets add only optimisation and sanitizers.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
  # Without NDEBUG: a broken promise must stop a release build too.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1" CACHE STRING "Release flags" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(LEASEPROOF_CCACHE ccache)
  if(LEASEPROOF_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${LEASEPROOF_CCACHE}")
  endif()
endif()

add_library(leaseproof_warnings INTERFACE)
target_compile_options(leaseproof_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports overlapping copies inside std::string's own operator+ (GCC bug 105651).
  target_compile_options(leaseproof_warnings INTERFACE -Wno-restrict)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    # The GCC manual warns of false positives here under instrumentation.
    target_compile_options(leaseproof_warnings INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

if(LEASEPROOF_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "LEASEPROOF_FUZZ needs clang: libFuzzer is part of it. Use the preset 'clang'.")
endif()
