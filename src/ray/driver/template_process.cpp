#include "ray/driver/template_process.h"

#include <fcntl.h>
#include <flowray/errors.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include "core/sanitizers.h"
#include "ray/driver/surroundings.h"
#include "ray/driver/zygote.h"
#include "ray/worker/call_environment.h"

namespace flowray::ray {
namespace {

// ThreadSanitizer has one of its own, which knows how to live with fork.
constexpr int kSanitizerThreads = kThreadSanitizer ? 1 : 0;
constexpr int kThreads = 1 + kSanitizerThreads;

// ---- whether the program has one thread

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

// ---- the ways to a template

[[noreturn]] void throw_not_started(const char* call, int failure) {
  throw errors::ResourceExhaustedError(
      fmt::format("Cannot start the process that starts workers: {}: {}; raise the limit of processes "
                  "(ulimit -u, pids.max of "
                  "the container), or end some",
                  call, std::strerror(failure)));
}

pid_t fork_template(DescriptorSocket& here, DescriptorSocket& there, WorkerMain worker_main,
                    const std::string& environment) {
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
    each_variable(environment, [](const std::string& name, const std::string& value) {
      setenv(name.c_str(), value.c_str(), 1);
    });
    Descriptor of_driver(static_cast<int>(syscall(SYS_pidfd_open, driver, 0)));
    if (getppid() != driver) _exit(EXIT_FAILURE);  // it died before the line above
    run_template(std::move(there), std::move(of_driver), worker_main);
  }
  return pid;
}

std::string late_text(std::chrono::milliseconds most) {
  return fmt::format("was not ready after {} ms (RayConfig::worker_startup_timeout_ms) and was killed",
                     most.count());
}

[[noreturn]] void throw_not_kept(int failure) {
  const std::string text = fmt::format("Cannot hand a descriptor to a worker: {}", std::strerror(failure));
  if (failure == EBADF) throw errors::InvalidArgumentError(text);
  throw errors::ResourceExhaustedError(text + "; raise the limit of open files (ulimit -n), or close some");
}

/// What the zygote says of its template, when that has ended; -1 if the zygote is gone, or says nothing.
int read_status(const Descriptor& from) {
  constexpr std::chrono::seconds kMost(10);  // for one that a debugger holds
  int status = -1;
  Zygote::wake();
  if (!is_readable_within(kMost, from.get())) return status;
  ssize_t got = -1;
  do {
    got = read(from.get(), &status, sizeof status);
  } while (got < 0 && errno == EINTR);
  return got == sizeof status ? status : -1;
}

TemplateStarter& template_starter() {
  static auto* const starter = new TemplateStarter;
  return *starter;
}

}  // namespace

std::string end_text(int wait_status) {
  if (WIFEXITED(wait_status)) return fmt::format("exited with status {}", WEXITSTATUS(wait_status));
  if (!WIFSIGNALED(wait_status)) return fmt::format("ended with the unknown status {}", wait_status);
  const int signal = WTERMSIG(wait_status);
  const char* const name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("was killed by SIG{}", name)
                         : fmt::format("was killed by signal {}", signal);
}

void set_template_starter(TemplateStarter starter) { template_starter() = std::move(starter); }
bool has_template_starter() { return static_cast<bool>(template_starter()); }

void serve_as_template(int socket, WorkerMain worker_main) {
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  // The process that made the socket; the parent may be the zygote.
  ucred driver_of_socket{};
  socklen_t size = sizeof driver_of_socket;
  getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &driver_of_socket, &size);
  Descriptor driver(static_cast<int>(syscall(SYS_pidfd_open, driver_of_socket.pid, 0)));
  run_template(DescriptorSocket(Descriptor(socket)), std::move(driver), worker_main);
}

std::unique_ptr<TemplateProcess> TemplateProcess::start(WorkerMain worker_main,
                                                        const std::string& environment) {
  const std::string why_no_zygote = template_starter() ? std::string() : Zygote::why_not();
  if (!why_no_zygote.empty()) {
    try {
      return fork_here(worker_main, environment);
    } catch (const RuntimeError& error) {
      throw RuntimeError(error.message() +
                         "\nNo earlier state of the program can be had either: " + why_no_zygote + ".");
    }
  }
  auto [here, there] = DescriptorSocket::make_pair();
  // Before there is a process, which would be left unreaped if this failed.
  std::unique_ptr<TemplateProcess> process(new TemplateProcess);
  process->socket_ = std::move(here);
  process->is_ready_ = false;
  if (template_starter()) {
    (void)descriptor_of_this_process();  // it will need one of itself, and cannot say why it has none
    process->template_ = template_starter()(there.fd());
  } else {
    process->status_ = Zygote::fork_template(there, worker_main, environment);
  }
  return process;
}

std::unique_ptr<TemplateProcess> TemplateProcess::none() {
  return std::unique_ptr<TemplateProcess>(new TemplateProcess);
}

std::unique_ptr<TemplateProcess> TemplateProcess::fork_here(WorkerMain worker_main,
                                                            const std::string& environment) {
  if (!has_one_thread()) {
    throw RuntimeError(
        fmt::format("Worker processes cannot be forked from a program that runs threads ({} now): call "
                    "Init() first thing in main, "
                    "before any thread starts.",
                    count_threads() - kSanitizerThreads));
  }
  (void)descriptor_of_this_process();  // the template will need one of itself, and cannot say why it has none
  auto [here, there] = DescriptorSocket::make_pair();
  std::unique_ptr<TemplateProcess> process(new TemplateProcess);
  process->socket_ = std::move(here);
  process->template_ = fork_template(process->socket_, there, worker_main, environment);
  process->process_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process->template_, 0)));
  return process;
}

std::unique_ptr<TemplateProcess> TemplateProcess::of_child(DescriptorSocket here, pid_t child,
                                                           Descriptor status, std::chrono::milliseconds most,
                                                           WhyNot why) {
  std::unique_ptr<TemplateProcess> process(new TemplateProcess);
  process->socket_ = std::move(here);
  process->template_ = child;
  process->status_ = std::move(status);
  process->process_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, child, 0)));
  process->why_not_ = std::move(why);
  process->is_ready_ = false;
  process->most_ = most;
  process->latest_ready_ = std::chrono::steady_clock::now() + most;
  return process;
}

void TemplateProcess::await_ready(std::chrono::milliseconds most) {
  if (is_ready_) return;
  if (!is_readable_within(most, socket_.fd())) {
    // A child of the zygote's ends by itself when it meets the end of the socket.
    if (!status_) ::kill(template_, SIGKILL);
    socket_.close();
    status_.close();
    if (template_ > 0) reap_template();
    throw RuntimeError("The process that starts workers " + late_text(most) + ".");
  }
  DescriptorSocket::Message message;
  TemplateReport report;
  if (socket_.receive(message) == DescriptorSocket::Received::kMessage &&
      message.bytes.size() == sizeof report) {
    std::memcpy(&report, message.bytes.data(), sizeof report);
    template_ = report.value;
    if (message.descriptors.size() == 1) process_ = std::move(message.descriptors[0]);
    is_ready_ = true;
    return;
  }
  socket_.close();
  const bool is_zygotes = static_cast<bool>(status_);
  const int status = reap_template();
  if (is_zygotes) throw_not_started("fork", status < -1 ? -status : EMFILE);
  throw RuntimeError("The process that starts workers " +
                     (status < 0 ? std::string("ended") : end_text(status)) + " before it was ready.");
}

TemplateProcess::TemplateProcess() : driver_(getpid()) {}

TemplateProcess::~TemplateProcess() { stop(); }

void TemplateProcess::spawn(uint32_t worker, std::span<const int> descriptors) {
  if (!socket_) {
    if (!trouble_.empty()) throw errors::UnavailableError(trouble_);
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
  post(request, descriptors);
  alive_.emplace(worker, 0);
}

void TemplateProcess::kill(uint32_t worker) {
  if (!socket_ || !alive_.contains(worker)) return;
  post({TemplateRequest::Kind::kKill, worker});
}

void TemplateProcess::interrupt(uint32_t worker) {
  if (!socket_ || !alive_.contains(worker)) return;
  post({TemplateRequest::Kind::kInterrupt, worker});
}

/// The caller may hold a contended lock, and an interpreter that imports modules reads nothing for
/// seconds: what it has no room for is kept here.
void TemplateProcess::post(const TemplateRequest& request, std::span<const int> descriptors) {
  const auto bytes = std::as_bytes(std::span(&request, 1));
  if (unsent_.empty() &&
      socket_.send(bytes, descriptors, DescriptorSocket::Wait::kNo) != DescriptorSocket::Sent::kNotNow) {
    return;
  }
  Unsent unsent{request, {}};
  for (const int descriptor : descriptors) {
    unsent.descriptors.emplace_back(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    if (!unsent.descriptors.back()) throw_not_kept(errno);
  }
  unsent_.push_back(std::move(unsent));
}

void TemplateProcess::send_unsent() {
  std::array<int, DescriptorSocket::kMaxDescriptors> descriptors;
  while (socket_ && !unsent_.empty()) {
    const Unsent& first = unsent_.front();
    std::ranges::transform(first.descriptors, descriptors.begin(), &Descriptor::get);
    try {
      if (socket_.send(std::as_bytes(std::span(&first.request, 1)),
                       std::span(descriptors).first(first.descriptors.size()),
                       DescriptorSocket::Wait::kNo) == DescriptorSocket::Sent::kNotNow) {
        return;
      }
    } catch (const errors::ResourceExhaustedError&) {  // later, as where there is no room
      return;
    }
    unsent_.pop_front();
  }
}

/// Takes one report, if there is one.
bool TemplateProcess::hear() {
  if (!socket_) return false;
  const auto received = socket_.receive(heard_, DescriptorSocket::Wait::kNo);
  if (received == DescriptorSocket::Received::kNothingNow) return false;
  TemplateReport report;
  if (received == DescriptorSocket::Received::kEnd || heard_.bytes.size() != sizeof(report)) {
    template_ended();
    return true;
  }
  std::memcpy(&report, heard_.bytes.data(), sizeof(report));
  take(report);
  return true;
}

std::optional<TemplateProcess::Death> TemplateProcess::next_death() {
  send_unsent();
  while (deaths_.empty() && hear()) {
  }
  if (deaths_.empty()) return std::nullopt;
  Death death = std::move(deaths_.front());
  deaths_.pop_front();
  return death;
}

void TemplateProcess::take(const TemplateReport& report) {
  switch (report.kind) {
    case TemplateReport::Kind::kReady:
      is_ready_ = true;
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
  unsent_.clear();
  const int status = reap_template();
  const std::string end = status < 0 ? "ended" : end_text(status);
  std::string reason = "was killed, because the process that starts workers ended" +
                       (status < 0 ? std::string() : " (" + end + ")");
  if (!is_ready_ && why_not_) {
    trouble_ = why_not_(was_late_ ? late_text(most_) : end + " before it was ready");
    reason = "could not be started: " + trouble_;
  }
  for (const auto& [worker, pid] : alive_) deaths_.push_back({worker, reason});
  alive_.clear();
}

/// Waits for it; -1 if its status is not known, because the program waits for any child, or ignores SIGCHLD,
/// or the zygote is gone.
int TemplateProcess::reap_template() noexcept {
  const Descriptor process = std::move(process_);
  const Descriptor from_zygote = std::move(status_);
  if (from_zygote) {
    pollfd ended{process.get(), POLLIN, 0};
    while (process && poll(&ended, 1, -1) < 0 && errno == EINTR) {
    }
    return read_status(from_zygote);
  }
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

std::optional<std::chrono::steady_clock::time_point> TemplateProcess::latest_ready() const noexcept {
  if (is_ready_ || !why_not_ || was_late_ || !socket_) return std::nullopt;
  return latest_ready_;
}

void TemplateProcess::end_if_late() noexcept {
  const auto latest = latest_ready();
  if (!latest || std::chrono::steady_clock::now() < *latest) return;
  end_if_not_ready();
  was_late_ = !is_ready_ && socket_;
}

void TemplateProcess::end_if_not_ready() noexcept {
  if (!why_not_ || !socket_) return;
  try {  // it may have said that it is by now
    while (!is_ready_ && hear()) {
    }
  } catch (const std::exception&) {
  }
  if (is_ready_ || !socket_) return;
  // While it is not reaped its number, and that of its group, is not used again. The program may have
  // reaped it, or the zygote, which its pidfd knows; without one, as descriptors were short, there is the
  // number alone.
  if (!process_ || syscall(SYS_pidfd_send_signal, process_.get(), SIGKILL, nullptr, 0) == 0) {
    ::kill(-template_, SIGKILL);
    ::kill(template_, SIGKILL);
  }
}

void TemplateProcess::wake() noexcept {
  if (socket_ && process_) syscall(SYS_pidfd_send_signal, process_.get(), SIGCONT, nullptr, 0);
}

void TemplateProcess::stop() noexcept {
  if (!socket_) return;
  if (getpid() != driver_) {
    for (Descriptor* file : {&process_, &status_}) file->close();
    unsent_.clear();
    return socket_.close();
  }
  wake();
  end_if_not_ready();
  socket_.shut_down();
  socket_.close();
  unsent_.clear();
  reap_template();
  alive_.clear();
}

namespace internal {

void begin_of_main() { Zygote::start_if_needed(); }

}  // namespace internal
}  // namespace flowray::ray
