# Every library from outside, under the name that the folders link.

find_package(Threads REQUIRED)
find_package(SQLite3 REQUIRED)        # SQLite::SQLite3
find_package(OpenSSL REQUIRED)        # OpenSSL::Crypto
find_package(tl-expected REQUIRED)    # tl::expected
find_package(fmt REQUIRED)            # fmt::fmt
find_package(nlohmann_json REQUIRED)  # nlohmann_json::nlohmann_json
find_package(CLI11 REQUIRED)          # CLI11::CLI11
find_package(CURL REQUIRED)           # CURL::libcurl
find_package(rapidcheck REQUIRED)     # rapidcheck
find_path(LEASEPROOF_VALIJSON valijson/validator.hpp REQUIRED)  # of tests, headers only
find_package(GTest REQUIRED)          # GTest::gtest, GTest::gtest_main
find_package(benchmark REQUIRED)      # benchmark::benchmark

# A sanitizer brings its own allocator, and finds nothing in memory that another one hands out.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  add_library(mimalloc INTERFACE IMPORTED)
else()
  find_package(mimalloc REQUIRED)     # mimalloc
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(libfiu REQUIRED IMPORTED_TARGET libfiu)
add_library(fiu INTERFACE IMPORTED)
target_link_libraries(fiu INTERFACE PkgConfig::libfiu)
# The HTTP server of tests; it has no overall deadline, so the client is libcurl.
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
