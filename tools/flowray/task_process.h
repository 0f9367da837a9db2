#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

namespace flowray::tools {

/// A task of `flowray cluster`: a process with a group of its own, whose output comes line by line. It is
/// killed with its group where it outlives the object, and when this process is.
class TaskProcess {
 public:
  /// `name`: "worker/1"; `environment`: in addition to this process's. Throws errors::UnavailableError where
  /// the program cannot be run.
  TaskProcess(std::string name, const std::vector<std::string>& command,
              const std::map<std::string, std::string>& environment);
  ~TaskProcess();
  TaskProcess(const TaskProcess&) = delete;
  TaskProcess& operator=(const TaskProcess&) = delete;

  const std::string& name() const { return name_; }
  /// What to poll for output; -1 after its end.
  int output() const { return output_; }
  /// Prints the whole lines of what there is to read.
  void pass_output_on();
  /// Whether it has ended. Does not wait.
  bool has_ended();
  /// As a shell tells it: 128 and the signal's number where one has ended it. After has_ended().
  int status() const { return status_; }
  void send_signal(int signal) const;

 private:
  void print_line(const std::string& line) const;

  const std::string name_;
  pid_t pid_ = -1;
  int output_ = -1;
  int status_ = 0;
  bool has_ended_ = false;
  std::string rest_;  // of a line whose end is still to come
};

}  // namespace flowray::tools
