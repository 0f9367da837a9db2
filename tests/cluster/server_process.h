#pragma once

#include "support/child_process.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace flowray::cluster {

/// `flowray server` in a process of its own.
class ServerProcess {
 public:
  explicit ServerProcess(const std::vector<std::string>& options = {}) : process_(command(options)) {
    process_.await_output("\n");
  }

  std::string target() const {
    const std::string words = "Started server with target: ";
    return process_.output().substr(words.size(), process_.output().find('\n') - words.size());
  }
  /// "Threads", "VmRSS" in KiB.
  int64_t status(const std::string& name) const {
    std::ifstream file("/proc/" + std::to_string(process_.pid()) + "/status");
    for (std::string line; std::getline(file, line);) {
      if (line.rfind(name + ":", 0) == 0) return std::atoll(line.c_str() + name.size() + 1);
    }
    return -1;
  }
  testing::ChildProcess& process() { return process_; }

 private:
  static std::vector<std::string> command(const std::vector<std::string>& options) {
    std::vector<std::string> words = {testing::built_program("flowray"), "server"};
    if (std::ranges::find(options, "--cluster") == options.end()) words.insert(words.end(), {"--port", "0"});
    words.insert(words.end(), options.begin(), options.end());
    return words;
  }

  testing::ChildProcess process_;
};

}  // namespace flowray::cluster
