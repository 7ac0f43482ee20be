#include "scenarios/cli/lab_command.hpp"

#include <CLI/CLI.hpp>

namespace leaseproof::scenarios::cli {

CLI::App* add_lab_command(CLI::App& lab, LabJob& which, const std::string& name,
                          const std::string& what) {
  CLI::App* command = lab.add_subcommand(name, what);
  command->add_option("--db", which.db, "The database file")->capture_default_str();
  command->add_option("--job", which.job, "The job's id")->capture_default_str();
  command->add_flag("--json", which.json, "One JSON document on standard output");
  return command;
}

void add_lab(CLI::App& app, Command& chosen) {
  CLI::App* lab = app.add_subcommand(
      "lab", "A research job of four steps on two databases, to break and to recover");
  lab->require_subcommand(1);
  lab->footer(
      "A job goes collect, draft, verify, publish. Each `run` is one claim of it and one process; "
      "three claims are allowed. The outside service is a double with a database of its own, "
      "DB.publisher.sqlite.\n"
      "Exit codes: 0 what was asked is done or told, 1 the job ended failed or was not accepted, 2 "
      "the input is wrong or the job does not allow it, 3 the environment failed, 4 a write that "
      "nobody knows of stays unknown, 75 left by --fault, 130 interrupted.");
  add_lab_submission(*lab, chosen);
  add_lab_work(*lab, chosen);
  add_lab_decisions(*lab, chosen);
}

}  // namespace leaseproof::scenarios::cli
