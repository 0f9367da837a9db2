#include "support/traced_calls.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

namespace flowray::testing {

namespace {

using Arguments = std::span<const unsigned long long>;

constexpr unsigned kHangGuardS = 60;
#if defined(SYS_poll)
constexpr long kPoll = SYS_poll;
#else
constexpr long kPoll = SYS_ppoll;
#endif

bool copies_a_descriptor(Arguments arguments) {
  return arguments[1] == F_DUPFD || arguments[1] == F_DUPFD_CLOEXEC;
}
bool does_not_wait(Arguments arguments) { return (arguments[2] & MSG_DONTWAIT) != 0; }
bool sleeps(Arguments arguments) {
  const auto operation = arguments[1] & static_cast<unsigned long long>(FUTEX_CMD_MASK);
  return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
}

}  // namespace

// Not munmap, which takes memory only where it parts a map, and which nobody could do without; not brk,
// behind which malloc has other ways.
const std::vector<TracedCall>& traced_calls() {
  static const auto* const calls = new std::vector<TracedCall>{
      {"openat", SYS_openat, {EMFILE, ENOMEM}},
      {"socketpair", SYS_socketpair, {EMFILE, ENOMEM}},
      {"pipe2", SYS_pipe2, {EMFILE, ENFILE}},
      {"eventfd", SYS_eventfd2, {EMFILE, ENOMEM}},
      {"memfd_create", SYS_memfd_create, {EMFILE, ENOMEM}},
      {"signalfd", SYS_signalfd4, {EMFILE, ENOMEM}},
      {"pidfd_open", SYS_pidfd_open, {EMFILE, ENOMEM}},
      {"dup", SYS_fcntl, {EMFILE}, copies_a_descriptor},
      {"fallocate", SYS_fallocate, {ENOMEM, ENOSPC, EINTR}},
      {"mmap", SYS_mmap, {ENOMEM, EAGAIN}},
      {"mprotect", SYS_mprotect, {ENOMEM}},
      {"madvise", SYS_madvise, {ENOMEM, EAGAIN}},
      {"clone", SYS_clone, {EAGAIN, ENOMEM}},
      {"clone3", SYS_clone3, {EAGAIN, ENOMEM}},
      {"sendmsg", SYS_sendmsg, {ENOMEM, ENOBUFS, EINTR}},
      {"sendmsg_at_once", SYS_sendmsg, {EAGAIN}, does_not_wait},
      {"recvmsg", SYS_recvmsg, {ENOMEM, EINTR}},
      {"recvmsg_at_once", SYS_recvmsg, {EAGAIN}, does_not_wait},
      {"poll", kPoll, {ENOMEM, EAGAIN, EINTR}},
      {"read", SYS_read, {ENOMEM, EAGAIN, EINTR}},
      {"write", SYS_write, {ENOMEM, EAGAIN, EINTR}},
      {"futex", SYS_futex, {EAGAIN, EINTR}, sleeps},
      {"futex_waitv", SYS_futex_waitv, {EAGAIN, ENOMEM, EINTR}},
      {"clock_nanosleep", SYS_clock_nanosleep, {EINTR}},
      {"newfstatat", SYS_newfstatat, {ENOMEM}},
      {"getdents64", SYS_getdents64, {ENOMEM}},
      {"wait4", SYS_wait4, {EINTR}},
  };
  return *calls;
}

#if defined(__x86_64__)

namespace {

/// The parent's side of a program that is traced.
class Tracer {
 public:
  Tracer(pid_t program, const std::optional<CallToFail>& failing, Whose whose)
      : program_(program), failing_(failing), whose_(whose) {
    run_.counts.resize(traced_calls().size());
    threads_.insert(program);
  }

  /// From its first stop to its end.
  TracedRun follow() {
    long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (whose_ == Whose::kDescendants) options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
    ptrace(PTRACE_SETOPTIONS, program_, nullptr, options);
    go_on(program_, 0);
    for (;;) {
      int status = 0;
      const pid_t thread = waitpid(-1, &status, __WALL);
      if (thread < 0 && errno == EINTR) continue;
      if (thread < 0) break;
      if (WIFSTOPPED(status)) {
        stopped(thread, status);
        continue;
      }
      threads_.erase(thread);
      descendants_.erase(thread);
      if (thread == program_) {
        run_.status = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
        for (const pid_t left : descendants_) kill(left, SIGKILL);
      }
      if (!threads_.contains(program_) && descendants_.empty()) break;
    }
    return std::move(run_);
  }

 private:
  static void go_on(pid_t thread, int signal) {
    ptrace(PTRACE_SYSCALL, thread, nullptr,
           static_cast<long>(signal));  // it fails where the thread has ended
  }

  void stopped(pid_t thread, int status) {
    const int signal = WSTOPSIG(status);
    if (threads_.insert(thread).second) return began(thread);
    if (signal == (SIGTRAP | 0x80)) return called(thread);
    if (status >> 16 != 0) return go_on(thread, 0);  // it has made a thread, or begun the program
    if (signal != SIGWINCH) return go_on(thread, signal);
    is_watched_ = !is_watched_;
    go_on(thread, 0);
  }

  /// Processes that are cloned without a signal for their end look like threads at first.
  void began(pid_t thread) {
    const auto own = std::filesystem::path("/proc") / std::to_string(program_) / "task";
    if (std::filesystem::exists(own / std::to_string(thread))) return go_on(thread, 0);
    if (whose_ == Whose::kDescendants) {
      descendants_.insert(thread);
      return go_on(thread, 0);
    }
    threads_.erase(thread);
    ptrace(PTRACE_DETACH, thread, nullptr, nullptr);
  }

  /// The stops at a call's begin and at its end.
  void called(pid_t thread) {
    __ptrace_syscall_info info{};
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) < 0) return;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY && is_watched_ &&
        descendants_.contains(thread) == (whose_ == Whose::kDescendants) &&
        is_to_fail(static_cast<long>(info.entry.nr), arguments_of(info))) {
      ptrace(PTRACE_POKEUSER, thread, offsetof(user_regs_struct, orig_rax), -1L);  // there is no such call
      failing_threads_.insert(thread);
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && failing_threads_.erase(thread) > 0) {
      ptrace(PTRACE_POKEUSER, thread, offsetof(user_regs_struct, rax), -static_cast<long>(failing_->error));
    }
    go_on(thread, 0);
  }

  static std::vector<unsigned long long> arguments_of(const __ptrace_syscall_info& info) {
    return {std::begin(info.entry.args), std::end(info.entry.args)};
  }

  bool is_to_fail(long number, Arguments arguments) {
    bool is_it = false;
    for (size_t i = 0; i < traced_calls().size(); ++i) {
      const TracedCall& call = traced_calls()[i];
      if (call.number != number || (call.is_meant != nullptr && !call.is_meant(arguments))) continue;
      const size_t n = ++run_.counts[i];
      is_it |= failing_ && failing_->call == i && (failing_->n == n || (failing_->lasts && failing_->n < n));
    }
    run_.has_failed |= is_it;
    return is_it;
  }

  const pid_t program_;
  const std::optional<CallToFail> failing_;
  const Whose whose_;
  TracedRun run_;
  std::set<pid_t> threads_;
  std::set<pid_t> descendants_;  // of these: threads of other processes
  bool is_watched_ = false;
  std::set<pid_t> failing_threads_;  // in a call that is being refused
};

[[noreturn]] void become(const std::vector<std::string>& command, int output) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  alarm(kHangGuardS);
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(127);
  raise(SIGSTOP);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

std::optional<TracedRun> run_traced(const std::vector<std::string>& command,
                                    const std::optional<CallToFail>& failing, Whose whose) {
  const int output = memfd_create("output", MFD_CLOEXEC);
  const pid_t program = fork();
  if (program == 0) become(command, output);
  int status = 0;
  waitpid(program, &status, 0);
  if (!WIFSTOPPED(status)) {
    close(output);
    return std::nullopt;
  }
  TracedRun run = Tracer(program, failing, whose).follow();
  run.output.resize(static_cast<size_t>(lseek(output, 0, SEEK_END)));
  run.output.resize(static_cast<size_t>(pread(output, run.output.data(), run.output.size(), 0)));
  close(output);
  return run;
}

#else

std::optional<TracedRun> run_traced(const std::vector<std::string>&, const std::optional<CallToFail>&,
                                    Whose) {
  return std::nullopt;
}

#endif

}  // namespace flowray::testing
