#pragma once
/// `flowray server`: runs graphs for TensorFlow's clients.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/server/server.h"

namespace flowray::tools {

class ServerCommand {
 public:
  /// Adds the command to `app`. Lives as long as it.
  explicit ServerCommand(CLI::App& app);
  ServerCommand(const ServerCommand&) = delete;
  ServerCommand& operator=(const ServerCommand&) = delete;

  /// After app.parse(argc, argv): reads the file that --config names, whose options the command line wins
  /// over, and serves until SIGINT or SIGTERM (ending_signals.h). Throws CLI::ParseError and errors::
  /// classes. Returns the exit status.
  int run(int argc, char** argv);

 private:
  void add_access_options();
  void add_limits();
  std::vector<std::string> options_of_file() const;
  void parse_with_file(int argc, char** argv);
  int serve();

  CLI::App& app_;
  CLI::App& command_;
  int port_ = 2222;
  std::string job_ = "local";
  int task_ = 0;
  std::vector<std::string> cluster_;
  std::string config_;
  std::string file_root_;
  bool exits_with_others_ = false;
  int64_t memory_limit_ = 0;
  engine::ServerOptions options_;
};

}  // namespace flowray::tools
