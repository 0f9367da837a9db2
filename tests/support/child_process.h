#pragma once
/// Runs programs of this build for tests.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace flowray::testing {

/// Path of a program that was built beside the running test.
std::filesystem::path built_program(const std::string& name);

/// A program that runs. Ends it by SIGKILL if it is still there when the object goes.
class ChildProcess {
 public:
  enum class Output { kPipe, kTerminal };

  /// Starts it; its standard output goes to a pipe or to a terminal of 100 columns of its own, its standard
  /// error to a file. Throws std::runtime_error if it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& command, Output output = Output::kPipe);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Waits for output until `text` has come. Throws std::runtime_error if the program ends before.
  void await_output(const std::string& text);
  void send_signal(int signal) const;
  pid_t pid() const { return pid_; }
  /// Reads the output to its end and waits for the program. Its exit status, or minus the number of the
  /// signal that ended it.
  int wait();

  /// What came so far.
  const std::string& output() const { return output_; }
  /// After wait().
  const std::string& errors() const { return errors_; }

 private:
  bool read_more();
  void open_terminal();
  void open_pipe();

  pid_t pid_ = -1;
  int reading_end_ = -1;
  int writing_end_ = -1;
  int error_file_ = -1;
  std::string output_;
  std::string errors_;
};

}  // namespace flowray::testing
