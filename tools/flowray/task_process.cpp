#include "task_process.h"

#include <fcntl.h>
#include <flowray/errors.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

namespace flowray::tools {
namespace {

constexpr int kSignalled = 128;
constexpr int kNotRun = 127;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> with_environment(const std::map<std::string, std::string>& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!more.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

/// Of the child, which calls nothing that a fork could have left locked.
[[noreturn]] void become(char* const* command, char* const* environment, int output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotRun);  // it has gone already
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvpe(command[0], command, environment);
  const char* const reason = std::strerror(errno);
  (void)!write(STDERR_FILENO, reason, std::strlen(reason));
  (void)!write(STDERR_FILENO, "\n", 1);
  _exit(kNotRun);
}

}  // namespace

TaskProcess::TaskProcess(std::string name, const std::vector<std::string>& command,
                         const std::map<std::string, std::string>& environment)
    : name_(std::move(name)) {
  std::vector<std::string> words = command;
  std::vector<std::string> entries = with_environment(environment);
  const std::vector<char*> word_pointers = pointers_to(words);
  const std::vector<char*> entry_pointers = pointers_to(entries);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw errors::UnavailableError(fmt::format("There is no pipe for {}: {}", name_, std::strerror(errno)));
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) become(word_pointers.data(), entry_pointers.data(), ends[1], parent);
  const int reason = errno;
  close(ends[1]);
  output_ = ends[0];
  if (pid_ < 0) {
    close(output_);
    throw errors::UnavailableError(fmt::format("{} cannot be started: {}", name_, std::strerror(reason)));
  }
  setpgid(pid_, pid_);  // whoever is first
  fcntl(output_, F_SETFL, O_NONBLOCK);
}

TaskProcess::~TaskProcess() {
  if (!has_ended_) {
    send_signal(SIGKILL);
    (void)waitpid(pid_, nullptr, 0);
  }
  if (output_ >= 0) close(output_);
}

void TaskProcess::print_line(const std::string& line) const { fmt::print("[{}] {}\n", name_, line); }

void TaskProcess::pass_output_on() {
  std::array<char, 4096> bytes{};
  while (output_ >= 0) {
    const ssize_t count = read(output_, bytes.data(), bytes.size());
    if (count < 0) break;  // there is no more just now
    if (count == 0) {
      if (!rest_.empty()) print_line(std::exchange(rest_, {}));
      close(std::exchange(output_, -1));
      break;
    }
    rest_.append(bytes.data(), static_cast<size_t>(count));
    size_t begin = 0;
    for (size_t end = 0; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
      print_line(rest_.substr(begin, end - begin));
    rest_.erase(0, begin);
  }
  std::fflush(stdout);
}

bool TaskProcess::has_ended() {
  if (has_ended_) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) != pid_) return false;
  has_ended_ = true;
  status_ = WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

void TaskProcess::send_signal(int signal) const {
  if (!has_ended_) (void)kill(-pid_, signal);
}

}  // namespace flowray::tools
