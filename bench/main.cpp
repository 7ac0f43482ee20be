// The bench of the engine as it is installed.
#include <benchmark/benchmark.h>
#include <sqlite3.h>

#include <exception>
#include <iostream>
#include <vector>

#include "bench/database_folder.hpp"
#include "bench/own_options.hpp"
#include "bench/row.hpp"
#include "engine/sqlite/code.hpp"

namespace {

void add_rows(bool takes_long) {
  using namespace leaseproof::bench;
  add_floor_rows();
  add_worker_rows();
  add_process_rows();
  add_scheduler_rows();
  add_call_rows();
  add_refresh_rows(takes_long);
  add_takeover_rows();
  add_growth_rows(takes_long);
  add_fault_point_rows();
}

int run(std::vector<char*> arguments) {
  using namespace leaseproof::bench;
  const OwnOptions own = take_own(arguments);
  if (!own.folder.empty()) choose_folder(own.folder);
  add_rows(own.takes_long);
  auto count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  benchmark::AddCustomContext("database_folder", chosen_folder().string());
  benchmark::AddCustomContext("file_system", file_system_of(chosen_folder()));
  benchmark::AddCustomContext("sqlite_version", sqlite3_libversion());
  benchmark::AddCustomContext("sqlite_source_id", sqlite3_sourceid());
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // As the program does: SQLite's own count of its memory takes a lock at every allocation.
  leaseproof::engine::sqlite::stop_memory_statistics();
  int code = 3;
  try {
    code = run({argv, argv + argc});
  } catch (const std::exception& problem) {
    std::cerr << "leaseproof_bench: " << problem.what() << "\n";
  }
  leaseproof::bench::remove_folder();
  return code;
}
