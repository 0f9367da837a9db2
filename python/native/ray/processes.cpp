/// How a Python program gets worker processes. The template is forked from the driver, which is a matter of
/// milliseconds, where the driver has one thread; else an interpreter is started anew. Workers are forked
/// from it, and Python wants to know of each fork.

#include "native/ray/processes.h"

#include "native/convert/convert.h"
#include "native/ray/remote_functions.h"

#include "ray/driver/template_process.h"
#include "ray/worker/worker.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <utility>

namespace flowray::python {
namespace {

// Of the template's only thread, which has the interpreter's lock while it forks, and of a worker's first.
PyThreadState* released = nullptr;
bool is_template = false;

void before_fork() {
  if (released != nullptr) PyEval_RestoreThread(std::exchange(released, nullptr));
  PyOS_BeforeFork();
}

void after_fork_in_parent() {
  PyOS_AfterFork_Parent();
  if (is_template) released = PyEval_SaveThread();
}

void after_fork_in_child() {
  PyOS_AfterFork_Child();
  forget_worker();
  is_template = true;
  released = PyEval_SaveThread();
}

/// The numbers in a folder of /proc.
std::vector<int> numbers_in(const char* name) {
  std::vector<int> numbers;
  DIR* const folder = opendir(name);
  if (folder == nullptr) return numbers;
  while (const dirent* entry = readdir(folder)) {
    const int number = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && number != dirfd(folder)) numbers.push_back(number);
  }
  closedir(folder);
  return numbers;
}

/// A thread that was joined is still listed for some microseconds, so it is asked more than once.
bool has_one_thread() {
  for (int i = 0; i < 100; ++i) {
    if (numbers_in("/proc/self/task").size() <= 1) return true;
    usleep(20);
  }
  return false;
}

/// Closes files, so that no reader waits for the end of a pipe that the template holds open. Their numbers
/// stay taken.
void let_go_of_files(int kept) {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  for (const int fd : numbers_in("/proc/self/fd")) {
    if (fd > STDERR_FILENO && fd != kept && fd != nothing) dup3(nothing, fd, O_CLOEXEC);
  }
  close(nothing);
}

/// A fork of this process; -1 if that has threads. Libraries that know of fork (OpenBLAS) end theirs for it,
/// so what counts is what is there after it.
pid_t fork_template(int socket) {
  before_fork();
  const pid_t pid = fork();
  if (pid == 0) {
    after_fork_in_child();
    let_go_of_files(socket);
    ray::serve_as_template(socket, ray::python_worker_main);
  }
  after_fork_in_parent();
  if (pid < 0 || has_one_thread()) return pid;
  kill(pid, SIGKILL);  // it may hang where a thread that it lacks held a lock
  waitpid(pid, nullptr, 0);
  return -1;
}

pid_t start_template(int socket) {
  const nb::object may_fork = python_object("flowray.ray._template", "may_fork");
  const pid_t pid = as_bool(may_fork()) ? fork_template(socket) : -1;
  if (pid > 0) return pid;
  return static_cast<pid_t>(as_int(nb::object(python_object("flowray.ray._template", "start")(socket))));
}

}  // namespace

void prepare_processes() {
  find_functions();
  ray::set_fork_hooks({before_fork, after_fork_in_parent, after_fork_in_child});
  ray::set_template_starter(&start_template);
}

void become_template(int socket) {
  prepare_processes();
  is_template = true;
  released = PyEval_SaveThread();
  ray::serve_as_template(socket, ray::python_worker_main);
}

}  // namespace flowray::python
