#include "ray/driver/template_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <flowray/errors.h>
#include <fmt/format.h>
#include <link.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>
#include <utility>
#include <vector>

#include "core/sanitizers.h"

namespace flowray::ray {
namespace {

constexpr const char* kAsked = "FLOWRAY_TEMPLATE";
constexpr int kSocketInTemplate = 3;

// ThreadSanitizer has one of its own, which knows how to live with fork.
constexpr int kSanitizerThreads = kThreadSanitizer ? 1 : 0;
constexpr int kThreads = 1 + kSanitizerThreads;

bool main_is_wrapped = false;  // set once, before the program's main

// --- whether the program has one thread
// ---------------------------------------------------------------------------

int count_threads() {
  std::error_code failure;
  const std::filesystem::directory_iterator tasks("/proc/self/task", failure);
  if (failure) {
    throw errors::ResourceExhaustedError(fmt::format(
        "Cannot count this process's threads in /proc/self/task: {}; raise the limit of open files "
        "(ulimit -n), or close some",
        failure.message()));
  }
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

/// A thread that was joined is still listed for some microseconds, so it is asked more than once.
bool has_one_thread() {
  for (int i = 0; i < 100; ++i) {
    if (count_threads() <= kThreads) return true;
    sched_yield();
  }
  return false;
}

// --- where worker_main lies in another run of the same program
// -------------------------------------------------------

/// A function as a module (empty: the program itself) and the distance from where it is loaded.
struct FunctionPlace {
  std::string module;
  uintptr_t offset = 0;
};

struct ModuleSearch {
  uintptr_t address = 0;         // to look for, or
  const char* module = nullptr;  // its name
  FunctionPlace place;
  uintptr_t base = 0;
  bool found = false;
};

int look_at_module(dl_phdr_info* info, size_t, void* data) {
  auto& search = *static_cast<ModuleSearch*>(data);
  if (search.module != nullptr) {
    search.found = std::strcmp(info->dlpi_name, search.module) == 0;
  } else {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& part = info->dlpi_phdr[i];
      const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
      if (part.p_type == PT_LOAD && search.address >= begin && search.address - begin < part.p_memsz)
        search.found = true;
    }
    search.place = {info->dlpi_name, search.address - info->dlpi_addr};
  }
  search.base = info->dlpi_addr;
  return search.found ? 1 : 0;
}

FunctionPlace place_of(WorkerMain function) {
  ModuleSearch search{.address = reinterpret_cast<uintptr_t>(function)};
  dl_iterate_phdr(look_at_module, &search);
  if (!search.found) throw errors::InternalError("The workers' main function lies in no loaded module");
  return search.place;
}

WorkerMain function_at(const FunctionPlace& place) {
  ModuleSearch search{.module = place.module.c_str()};
  dl_iterate_phdr(look_at_module, &search);
  return search.found ? reinterpret_cast<WorkerMain>(search.base + place.offset) : nullptr;
}

// --- the two ways to a template
// --------------------------------------------------------------------------------------

[[noreturn]] void throw_not_started(const char* call, int failure) {
  throw errors::ResourceExhaustedError(
      fmt::format("Cannot start the process that starts workers: {}: {}; raise the limit of processes "
                  "(ulimit -u, pids.max of "
                  "the container), or end some",
                  call, std::strerror(failure)));
}

/// Lets go of the driver's files, such that nobody waits for the end of a pipe that the template holds open.
/// Their numbers stay taken: a library that keeps one must not write into a file that is opened later.
void let_go_of_files(int kept) {
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  DIR* const folder = opendir("/proc/self/fd");
  if (!nothing || folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    const int fd = std::atoi(entry->d_name);
    if (fd > STDERR_FILENO && fd != kept && fd != nothing.get() && fd != dirfd(folder)) {
      dup3(nothing.get(), fd, O_CLOEXEC);
    }
  }
  closedir(folder);
}

pid_t fork_template(DescriptorSocket& here, DescriptorSocket& there, WorkerMain worker_main) {
  // Or the workers would write what the driver has not yet.
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  const pid_t driver = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw_not_started("fork", errno);
  if (pid == 0) {
    here.close();
    let_go_of_files(there.fd());
    run_template(std::move(there), driver, worker_main);
  }
  return pid;
}

std::vector<std::string> own_arguments() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  std::string argument;
  while (std::getline(file, argument, '\0')) arguments.push_back(argument);
  return arguments;
}

std::vector<std::string> environment_with(std::string asked) {
  std::vector<std::string> variables;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  variables.push_back(std::move(asked));
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// What posix_spawn does between fork and exec: a group of its own, no signal blocked, no descriptor but
/// the socket.
class SpawnPlan {
 public:
  explicit SpawnPlan(int socket) {
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, socket, kSocketInTemplate);
    posix_spawn_file_actions_addclosefrom_np(&actions_, kSocketInTemplate + 1);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  const posix_spawnattr_t* attributes() const { return &attributes_; }
  const posix_spawn_file_actions_t* actions() const { return &actions_; }

 private:
  posix_spawnattr_t attributes_;
  posix_spawn_file_actions_t actions_;
};

pid_t run_program_again(const DescriptorSocket& there, WorkerMain worker_main) {
  const FunctionPlace place = place_of(worker_main);
  std::vector<std::string> arguments = own_arguments();
  std::vector<std::string> environment =
      environment_with(fmt::format("{}={}:{}:{}", kAsked, getpid(), place.offset, place.module));
  const SpawnPlan plan(there.fd());
  pid_t pid = -1;
  const int failure = posix_spawn(&pid, "/proc/self/exe", plan.actions(), plan.attributes(),
                                  pointers_to(arguments).data(), pointers_to(environment).data());
  if (failure != 0) throw_not_started("running the program again (/proc/self/exe)", failure);
  return pid;
}

/// Waits until the program that was run again is the template.
void await_ready(DescriptorSocket& socket, pid_t pid) {
  DescriptorSocket::Message message;
  if (socket.receive(message) == DescriptorSocket::Received::kMessage) return;
  int status = 0;
  std::string how = "ended";
  if (waitpid(pid, &status, 0) == pid) how = end_text(status);
  throw RuntimeError(
      "The program has several threads and so was run a second time to start workers, but that run " + how +
      " before its main began: call Init() first thing in main, before any thread starts");
}

}  // namespace

std::string end_text(int wait_status) {
  if (WIFEXITED(wait_status)) return fmt::format("exited with status {}", WEXITSTATUS(wait_status));
  if (!WIFSIGNALED(wait_status)) return fmt::format("ended with the unknown status {}", wait_status);
  const int signal = WTERMSIG(wait_status);
  const char* const name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("killed by SIG{}", name) : fmt::format("killed by signal {}", signal);
}

namespace {
TemplateStarter& template_starter() {
  static auto* const starter = new TemplateStarter;
  return *starter;
}
}  // namespace

void set_template_starter(TemplateStarter starter) { template_starter() = std::move(starter); }

void serve_as_template(int socket, WorkerMain worker_main) {
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  run_template(DescriptorSocket(Descriptor(socket)), getppid(), worker_main);
}

void TemplateProcess::start_by(const TemplateStarter& starter, DescriptorSocket there) {
  template_ = starter(there.fd());
  there.close();
  DescriptorSocket::Message message;
  if (socket_.receive(message) == DescriptorSocket::Received::kMessage) return;
  socket_.close();
  const int status = reap_template();
  throw RuntimeError("The process that starts workers " +
                     (status < 0 ? std::string("ended") : end_text(status)) + " before it was ready.");
}

std::unique_ptr<TemplateProcess> TemplateProcess::start(WorkerMain worker_main) {
  if (template_starter()) {
    auto [here, there] = DescriptorSocket::make_pair();
    std::unique_ptr<TemplateProcess> process(new TemplateProcess);
    process->socket_ = std::move(here);
    process->start_by(template_starter(), std::move(there));
    return process;
  }
  const bool fork_it = has_one_thread();
  if (!fork_it && !main_is_wrapped) {
    throw RuntimeError(
        fmt::format("Worker processes cannot be forked from a program that runs threads ({} now), and this "
                    "program's main does not let it be "
                    "run again for them: call Init() first thing in main, before any thread starts, or link "
                    "the program through CMake's "
                    "target flowray::flowray, which wraps main",
                    count_threads() - kSanitizerThreads));
  }
  auto [here, there] = DescriptorSocket::make_pair();
  // Before there is a process: nobody would wait for its end if this failed.
  std::unique_ptr<TemplateProcess> process(new TemplateProcess);
  const pid_t pid = fork_it ? fork_template(here, there, worker_main) : run_program_again(there, worker_main);
  there.close();
  process->template_ = pid;
  process->socket_ = std::move(here);
  if (!fork_it) await_ready(process->socket_, pid);
  return process;
}

TemplateProcess::TemplateProcess() : driver_(getpid()) {}

TemplateProcess::~TemplateProcess() { stop(); }

void TemplateProcess::spawn(uint32_t worker, std::span<const int> descriptors) {
  if (!socket_) {
    throw errors::UnavailableError(
        "Cannot start a worker: the process that starts workers is gone; Shutdown() and Init() "
        "make a new one");
  }
  if (alive_.contains(worker)) {
    throw errors::InvalidArgumentError(
        fmt::format("Cannot start worker {}: it lives, or its death was not asked for yet", worker));
  }
  const TemplateRequest request{TemplateRequest::Kind::kSpawn, worker};
  // If the template is gone, the end of its socket is still to be received, and reports this worker's death
  // with all others.
  socket_.send(std::as_bytes(std::span(&request, 1)), descriptors);
  alive_.emplace(worker, 0);
}

void TemplateProcess::kill(uint32_t worker) {
  if (!socket_ || !alive_.contains(worker)) return;
  const TemplateRequest request{TemplateRequest::Kind::kKill, worker};
  socket_.send(std::as_bytes(std::span(&request, 1)));
}

std::optional<TemplateProcess::Death> TemplateProcess::next_death() {
  DescriptorSocket::Message message;
  while (deaths_.empty() && socket_) {
    const auto received = socket_.receive(message, DescriptorSocket::Wait::kNo);
    if (received == DescriptorSocket::Received::kNothingNow) return std::nullopt;
    TemplateReport report;
    if (received == DescriptorSocket::Received::kEnd || message.bytes.size() != sizeof(report)) {
      template_ended();
      break;
    }
    std::memcpy(&report, message.bytes.data(), sizeof(report));
    take(report);
  }
  if (deaths_.empty()) return std::nullopt;
  Death death = std::move(deaths_.front());
  deaths_.pop_front();
  return death;
}

void TemplateProcess::take(const TemplateReport& report) {
  switch (report.kind) {
    case TemplateReport::Kind::kReady:
      return;
    case TemplateReport::Kind::kStarted:
      alive_[report.worker] = report.value;
      return;
    case TemplateReport::Kind::kEnded:
      deaths_.push_back({report.worker, end_text(report.value)});
      break;
    case TemplateReport::Kind::kNotStarted:
      deaths_.push_back(
          {report.worker, fmt::format("could not be started: {}", std::strerror(report.value))});
      break;
  }
  alive_.erase(report.worker);
}

void TemplateProcess::template_ended() {
  socket_.close();
  const int status = reap_template();
  const std::string reason = "killed, because the process that starts workers ended" +
                             (status < 0 ? std::string() : " (" + end_text(status) + ")");
  for (const auto& [worker, pid] : alive_) deaths_.push_back({worker, reason});
  alive_.clear();
}

/// Waits for it; -1 if its status is not known, because the program waits for any child, or ignores SIGCHLD.
int TemplateProcess::reap_template() noexcept {
  int status = -1;
  pid_t reaped = -1;
  do {
    reaped = waitpid(template_, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  return reaped == template_ ? status : -1;
}

pid_t TemplateProcess::pid(uint32_t worker) const {
  const auto found = alive_.find(worker);
  return found == alive_.end() ? 0 : found->second;
}

void TemplateProcess::wake() noexcept {
  if (socket_) ::kill(template_, SIGCONT);  // it is not reaped yet, so that its id is nobody else's
}

void TemplateProcess::stop() noexcept {
  if (!socket_) return;
  if (getpid() != driver_) return socket_.close();
  wake();
  socket_.shut_down();
  socket_.close();
  reap_template();
  alive_.clear();
}

namespace internal {

void enter_template_if_asked() {
  main_is_wrapped = true;
  const char* const asked = std::getenv(kAsked);
  if (asked == nullptr) return;
  const std::string text = asked;
  unsetenv(kAsked);  // programs that workers run are none
  const size_t first = text.find(':');
  const size_t second = first == std::string::npos ? first : text.find(':', first + 1);
  if (second == std::string::npos) return;
  pid_t driver = 0;
  FunctionPlace place{.module = text.substr(second + 1)};
  std::from_chars(text.data(), text.data() + first, driver);
  std::from_chars(text.data() + first + 1, text.data() + second, place.offset);
  if (driver != getppid()) return;  // somebody else's variable
  const WorkerMain worker_main = function_at(place);
  if (worker_main == nullptr) {
    std::fprintf(stderr, "flowray: the workers' main function is not in '%s' of this run\n",
                 place.module.c_str());
    _exit(EXIT_FAILURE);
  }
  DescriptorSocket socket{Descriptor(kSocketInTemplate)};
  fcntl(kSocketInTemplate, F_SETFD, FD_CLOEXEC);
  run_template(std::move(socket), driver, worker_main);
}

}  // namespace internal
}  // namespace flowray::ray
