#include "support/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

extern char** environ;

namespace flowray::testing {
namespace {

int check(int result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
  return result;
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

/// Signals must reach the program even where the test's own parent ignores them (a shell's background jobs).
void start_with_default_signals(posix_spawnattr_t& attributes) {
  sigset_t all;
  sigset_t none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

std::string content_of(int file) {
  std::string text(static_cast<size_t>(check(static_cast<int>(lseek(file, 0, SEEK_END)), "lseek")), '\0');
  const ssize_t got = pread(file, text.data(), text.size(), 0);
  text.resize(static_cast<size_t>(check(static_cast<int>(got), "pread")));
  return text;
}

}  // namespace

std::filesystem::path built_program(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

void ChildProcess::open_pipe() {
  std::array<int, 2> ends{};
  check(pipe2(ends.data(), O_CLOEXEC), "pipe2");
  reading_end_ = ends[0];
  writing_end_ = ends[1];
}

void ChildProcess::open_terminal() {
  reading_end_ = check(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), "posix_openpt");
  check(grantpt(reading_end_), "grantpt");
  check(unlockpt(reading_end_), "unlockpt");
  writing_end_ = check(open(ptsname(reading_end_), O_RDWR | O_NOCTTY | O_CLOEXEC), "open of the terminal");
  const winsize size{.ws_row = 24, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
  check(ioctl(writing_end_, TIOCSWINSZ, &size), "TIOCSWINSZ");
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, Output output) {
  output == Output::kPipe ? open_pipe() : open_terminal();
  error_file_ = check(memfd_create("errors", MFD_CLOEXEC), "memfd_create");

  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (output == Output::kTerminal) setenv("TERM", "xterm", /*overwrite=*/1);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, writing_end_, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error_file_, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  start_with_default_signals(attributes);
  const int error = posix_spawn(&pid_, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close_if_open(writing_end_);  // so that the output ends with the program
  if (error != 0) {
    pid_ = -1;
    throw std::runtime_error("cannot start '" + command.at(0) + "': " + std::strerror(error));
  }
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close_if_open(reading_end_);
  close_if_open(error_file_);
}

bool ChildProcess::read_more() {
  std::array<char, 4096> piece;
  ssize_t got = 0;
  do {
    got = read(reading_end_, piece.data(), piece.size());
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;  // a terminal whose program has ended answers EIO
  output_.append(piece.data(), static_cast<size_t>(got));
  return true;
}

void ChildProcess::await_output(const std::string& text) {
  while (output_.find(text) == std::string::npos) {
    if (!read_more()) {
      throw std::runtime_error("the program ended without '" + text + "'; its output: " + output_ +
                               "; its errors: " + content_of(error_file_));
    }
  }
}

void ChildProcess::send_signal(int signal) const { check(kill(pid_, signal), "kill"); }

int ChildProcess::wait() {
  while (read_more()) {
  }
  int status = 0;
  check(waitpid(pid_, &status, 0), "waitpid");
  pid_ = -1;
  errors_ = content_of(error_file_);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace flowray::testing
