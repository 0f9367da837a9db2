#pragma once
/// `flowray microbenchmark`: how many tasks, actors' calls and values a second there are, in rows that are
/// named as those of `ray microbenchmark`.

#include <CLI/CLI.hpp>

#include <string>

namespace flowray::tools {

class MicrobenchmarkCommand {
 public:
  /// Adds the subcommand to `app`.
  explicit MicrobenchmarkCommand(CLI::App& app);

  bool is_chosen() const { return command_->parsed(); }
  /// The exit status: 1 where a row could not be measured, 2 where no row has the word.
  int run() const;

 private:
  CLI::App* command_;
  std::string only_;
  bool lists_ = false;
  double seconds_ = 0.5;
  int num_cpus_ = 0;
  int array_mb_ = 800;
};

}  // namespace flowray::tools
