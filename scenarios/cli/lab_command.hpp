// The parts of `leaseproof lab`.
#pragma once

#include <string>

#include "scenarios/cli/command.hpp"
#include "scenarios/cli/lab_job.hpp"

namespace leaseproof::scenarios::cli {

// A subcommand of the lab with --db, --job and --json.
CLI::App* add_lab_command(CLI::App& lab, LabJob& which, const std::string& name,
                          const std::string& what);

// memory-put, submit.
void add_lab_submission(CLI::App& lab, Command& chosen);
// run, inspect, evaluate.
void add_lab_work(CLI::App& lab, Command& chosen);
// approve, reject, reconcile, close, cancel.
void add_lab_decisions(CLI::App& lab, Command& chosen);

}  // namespace leaseproof::scenarios::cli
