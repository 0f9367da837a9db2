#pragma once
/// `flowray status`, `list`, `memory`, `timeline` and `metrics`: how a running driver goes.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace flowray::tools {

/// Asks a driver of this user, by its socket in the session folder, and prints what it answers.
class DriverCommand {
 public:
  /// Adds the subcommands to `app`.
  explicit DriverCommand(CLI::App& app);

  bool is_chosen() const { return chosen() != nullptr; }
  /// The exit status: 1 after a line on stderr that says what went wrong,
  /// 2 where it has to be said which driver.
  int run() const;

 private:
  CLI::App* chosen() const;
  std::string request() const;
  int64_t the_driver() const;
  int save_timeline(const std::string& answer, int64_t pid) const;

  CLI::App* status_;
  CLI::App* list_;
  CLI::App* memory_;
  CLI::App* timeline_;
  CLI::App* metrics_;
  std::string what_;
  std::string output_;
  int64_t pid_ = 0;
  int limit_ = 100;
};

}  // namespace flowray::tools
