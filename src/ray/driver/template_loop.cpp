#include "ray/driver/template_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <iostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace flowray::ray {
namespace {

using Clock = std::chrono::steady_clock;

/// An interpreter looks at a signal before its next line of code: one that comes when it is about to call
/// into the system, to sleep say, is not heard before that returns. So an interrupt is sent again, so long
/// after the one before it.
constexpr std::array kInterruptAgain = {std::chrono::milliseconds(20), std::chrono::milliseconds(500)};

/// Signals that a fault raises in its own thread: handlers of a sanitizer or the
/// program stay in place for them.
bool is_fault(int signal) {
  constexpr std::array kFaults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
  for (int fault : kFaults) {
    if (signal == fault) return true;
  }
  return false;
}

/// The driver's handlers mean the driver; what it ignores stays ignored, and ^C is the driver's to answer.
void reset_signals() {
  for (int signal = 1; signal < SIGRTMAX; ++signal) {
    struct sigaction action{};
    if (is_fault(signal) || sigaction(signal, nullptr, &action) != 0) continue;
    const bool has_handler =
        (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
    if (has_handler || signal == SIGCHLD || signal == SIGTERM) std::signal(signal, SIG_DFL);
  }
  std::signal(SIGINT, SIG_IGN);
}

ForkHooks fork_hooks;

pid_t fork_with_hooks() {
  if (fork_hooks.before != nullptr) fork_hooks.before();
  const pid_t pid = fork();
  if (auto* const after = pid == 0 ? fork_hooks.in_child : fork_hooks.in_parent) after();
  return pid;
}

void block_only(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : signals) sigaddset(&set, signal);
  sigprocmask(SIG_SETMASK, &set, nullptr);
}

class Template {
 public:
  Template(DescriptorSocket socket, Descriptor driver, WorkerMain worker_main)
      : socket_(std::move(socket)), worker_main_(worker_main), driver_ended_(std::move(driver)) {}

  void prepare();
  /// Serves the driver until it is gone.
  void serve();
  /// Kills and reaps the workers, and whatever they started and left in this group; also this process.
  [[noreturn]] void end();

 private:
  struct Worker {
    uint32_t number;
    pid_t pid;
  };

  struct Interrupted {
    uint32_t number;
    Clock::time_point next;
    size_t times;  // that it was sent again
  };

  bool take_requests();
  void signal_worker(uint32_t number, int signal) const;
  void begin_interrupt(uint32_t number);
  void interrupt_again();
  /// Milliseconds, as poll takes them.
  int time_to_next_interrupt() const;
  void spawn(uint32_t worker, DescriptorSocket::Message message);
  [[noreturn]] void become_worker(uint32_t worker, std::vector<Descriptor> descriptors) noexcept;
  void reap_workers();
  void report(TemplateReport report) { reports_.push_back(report); }
  void send_reports();

  DescriptorSocket socket_;
  const WorkerMain worker_main_;
  const pid_t self_ = getpid();
  // Beside the socket: a process that the driver forked may hold the driver's end open after the
  // driver's death.
  Descriptor driver_ended_;
  Descriptor child_ended_;
  std::vector<Worker> workers_;
  std::vector<Interrupted> interrupted_;  // one for a worker
  // Sent when the driver has room for them: were they sent at once, the two could wait for each other.
  std::deque<TemplateReport> reports_;
};

void Template::prepare() {
  setpgid(0, 0);
  prctl(PR_SET_NAME, "ray::template");
  if (const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC)); nothing)
    dup2(nothing.get(), STDIN_FILENO);
  reset_signals();
  block_only({SIGCHLD});
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  child_ended_ = Descriptor(signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  const Descriptor self(static_cast<int>(syscall(SYS_pidfd_open, self_, 0)));
  if (!child_ended_ || !driver_ended_ || !self) _exit(EXIT_FAILURE);
  const TemplateReport ready{.kind = TemplateReport::Kind::kReady, .value = self_};
  const int descriptor = self.get();
  socket_.send(std::as_bytes(std::span(&ready, 1)), {&descriptor, 1});
}

void Template::serve() {
  for (;;) {
    send_reports();
    std::array<pollfd, 3> waits = {
        {{socket_.fd(), POLLIN, 0}, {driver_ended_.get(), POLLIN, 0}, {child_ended_.get(), POLLIN, 0}}};
    if (!reports_.empty()) waits[0].events |= POLLOUT;
    const int num_ready = poll(waits.data(), waits.size(), time_to_next_interrupt());
    const bool may_not_wait = num_ready < 0 && errno != EINTR;  // as memory is short
    interrupt_again();
    if (may_not_wait) {  // it looks now and then, as the driver waits for what it tells
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      waits[0].revents = waits[2].revents = POLLIN;
    } else if (num_ready <= 0) {
      continue;
    }
    if (waits[1].revents != 0) return;
    if (waits[2].revents != 0) reap_workers();
    if ((waits[0].revents & ~POLLOUT) != 0 && !take_requests()) return;
  }
}

/// False: the driver has closed its end.
bool Template::take_requests() {
  for (;;) {
    DescriptorSocket::Message message;
    const auto received = socket_.receive(message, DescriptorSocket::Wait::kNo);
    if (received != DescriptorSocket::Received::kMessage)
      return received == DescriptorSocket::Received::kNothingNow;
    TemplateRequest request;
    if (message.bytes.size() != sizeof(request)) return false;
    std::memcpy(&request, message.bytes.data(), sizeof(request));
    if (request.kind == TemplateRequest::Kind::kSpawn) {
      spawn(request.worker, std::move(message));
      continue;
    }
    if (request.kind == TemplateRequest::Kind::kInterrupt) {
      begin_interrupt(request.worker);
    } else {
      signal_worker(request.worker, SIGKILL);
    }
  }
}

void Template::signal_worker(uint32_t number, int signal) const {
  // The process is this one's child and not yet reaped, so that its id cannot be another one's.
  for (const Worker& worker : workers_) {
    if (worker.number == number) ::kill(worker.pid, signal);
  }
}

void Template::begin_interrupt(uint32_t number) {
  signal_worker(number, kInterruptSignal);
  std::erase_if(interrupted_, [&](const Interrupted& one) { return one.number == number; });
  interrupted_.push_back({number, Clock::now() + kInterruptAgain[0], 0});
}

void Template::interrupt_again() {
  const Clock::time_point now = Clock::now();
  for (Interrupted& one : interrupted_) {
    if (one.next > now) continue;
    signal_worker(one.number, kInterruptSignal);
    if (++one.times < kInterruptAgain.size()) one.next = now + kInterruptAgain[one.times];
  }
  std::erase_if(interrupted_, [](const Interrupted& one) { return one.times == kInterruptAgain.size(); });
}

int Template::time_to_next_interrupt() const {
  if (interrupted_.empty()) return -1;
  const Clock::time_point next = std::ranges::min(interrupted_, {}, &Interrupted::next).next;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
  return std::max(static_cast<int>(left.count()), 0);
}

void Template::spawn(uint32_t worker, DescriptorSocket::Message message) {
  const pid_t pid = message.descriptors_lost ? -1 : fork_with_hooks();
  if (pid == 0) become_worker(worker, std::move(message.descriptors));
  if (pid < 0) {
    const int failure = message.descriptors_lost ? EMFILE : errno;
    report({.kind = TemplateReport::Kind::kNotStarted, .worker = worker, .value = failure});
    return;
  }
  workers_.push_back({worker, pid});
  report({.kind = TemplateReport::Kind::kStarted, .worker = worker, .value = pid});
}

void Template::become_worker(uint32_t worker, std::vector<Descriptor> descriptors) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != self_) _exit(EXIT_FAILURE);  // the template died before the line above
  socket_.close();
  driver_ended_.close();
  child_ended_.close();
  block_only({});
  prctl(PR_SET_NAME, ("ray::worker" + std::to_string(worker)).substr(0, 15).c_str());
  const int status = worker_main_(worker, std::move(descriptors));
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
  _exit(status);
}

void Template::reap_workers() {
  signalfd_siginfo ignored;
  while (read(child_ended_.get(), &ignored, sizeof(ignored)) > 0) {
  }
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;  // nothing else tells of these ends
    if (pid <= 0) return;
    const auto is_it = [pid](const Worker& worker) { return worker.pid == pid; };
    const auto worker = std::find_if(workers_.begin(), workers_.end(), is_it);
    if (worker == workers_.end()) continue;
    report({.kind = TemplateReport::Kind::kEnded, .worker = worker->number, .value = status});
    workers_.erase(worker);
  }
}

void Template::send_reports() {
  while (!reports_.empty()) {
    const auto bytes = std::as_bytes(std::span(&reports_.front(), 1));
    if (socket_.send(bytes, {}, DescriptorSocket::Wait::kNo) != DescriptorSocket::Sent::kAll) return;
    reports_.pop_front();
  }
}

void Template::end() {
  for (const Worker& worker : workers_) ::kill(worker.pid, SIGKILL);
  for (const Worker& worker : workers_) {
    while (waitpid(worker.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  if (getpgrp() == self_) ::kill(0, SIGKILL);
  _exit(EXIT_SUCCESS);
}

}  // namespace

void set_fork_hooks(const ForkHooks& hooks) { fork_hooks = hooks; }

void run_template(DescriptorSocket socket, Descriptor driver, WorkerMain worker_main) noexcept {
  Template self(std::move(socket), std::move(driver), worker_main);
  self.prepare();
  self.serve();
  self.end();
}

}  // namespace flowray::ray
