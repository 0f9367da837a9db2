#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ray/driver/template_loop.h"
#include "ray/transport/descriptor_socket.h"

namespace flowray::ray {

/// "exited with status 3", "was killed by SIGKILL": what waitpid says of a process that has ended.
std::string end_text(int wait_status);

/// Starts a template for a program whose main is not wrapped, as Python's is: a child of this process that
/// calls serve_as_template with its copy of `socket`, which is closed on exec unless the starter sees to it.
/// Its process id. May throw.
using TemplateStarter = std::function<pid_t(int socket)>;
/// From now on templates are started so; empty: as the class below says.
void set_template_starter(TemplateStarter starter);
bool has_template_starter();
/// What such a process, which has one thread, becomes. Never returns.
[[noreturn]] void serve_as_template(int socket, WorkerMain worker_main);

/// The driver's end of a process that forks workers. The template is forked by the program's Zygote, in the
/// state that the program had when its main began; where that cannot be, it is forked from the program itself
/// if that has one thread. It never runs a thread, so that its children start in a sound state.
///
/// Workers have /dev/null as their input, the driver's output and error output unless worker_main changes
/// that, ignore SIGINT, and die with the template. When the driver ends by whatever death, the template kills
/// and reaps all workers and what they left in its process group. If the template dies, all workers die and
/// are reported.
///
/// One thread at a time uses an object of this class.
class TemplateProcess {
 public:
  struct Death {
    uint32_t worker;
    /// For people: "exited with status 3", "was killed by SIGKILL".
    std::string reason;
  };

  /// Asks for one, which await_ready() waits for; workers may be spawned before. Throws RuntimeError if
  /// threads run and there is no zygote that could stand in, which it says;
  /// errors::ResourceExhaustedError if there is no descriptor left.
  /// `environment`: further variables of its, as in CallOptions; a host's own way to a template has none.
  static std::unique_ptr<TemplateProcess> start(WorkerMain worker_main, const std::string& environment = {});
  /// None that could start a worker, as if it had died.
  static std::unique_ptr<TemplateProcess> none();
  /// Forks it from this process as it is. Throws RuntimeError if threads run, errors::ResourceExhaustedError.
  static std::unique_ptr<TemplateProcess> fork_here(WorkerMain worker_main,
                                                    const std::string& environment = {});
  /// One that becomes a template sometime: `child`, a process that this one has started and that is about to
  /// call serve_as_template; `here` is the driver's end of its socket. `status`: of one that the zygote has
  /// started, where its status can be read. It is not awaited: end_if_late() ends one that takes longer than
  /// `most`. If it ends before it is a template, its workers' deaths, and spawn() from then on, say what
  /// `why` makes of how that was ("exited with status 1 before it was ready").
  using WhyNot = std::function<std::string(const std::string& how)>;
  static std::unique_ptr<TemplateProcess> of_child(DescriptorSocket here, pid_t child, Descriptor status,
                                                   std::chrono::milliseconds most, WhyNot why);
  /// Waits until the template is there. Throws errors::ResourceExhaustedError if there was no process left
  /// for it, RuntimeError if it ended before or took longer than `most`: then it is ended.
  void await_ready(std::chrono::milliseconds most);
  /// Does what stop() does.
  ~TemplateProcess();
  TemplateProcess(const TemplateProcess&) = delete;
  TemplateProcess& operator=(const TemplateProcess&) = delete;

  /// Starts worker `worker` with copies of the descriptors (channel memory, socket, output pipes ...).
  /// Returns before it runs, and never waits for the template, which may be busy: what that does not take yet
  /// next_death() sends later. One that cannot be started has a Death that says why. Throws
  /// errors::UnavailableError if the template is gone, errors::InvalidArgumentError if that worker lives or a
  /// descriptor is invalid.
  void spawn(uint32_t worker, std::span<const int> descriptors);
  /// SIGKILL; its Death comes all the same. Nothing if it is not alive.
  void kill(uint32_t worker);

  /// SIGURG, which is ignored without a handler: that of an interpreter (Python) looks then whether the
  /// call that it runs was cancelled. Sent three times in half a second, as one may come too early to be
  /// heard. Nothing if it is not alive.
  void interrupt(uint32_t worker);

  /// To poll for input: then next_death() may have something. -1 when the template is gone and told so.
  int descriptor() const noexcept { return socket_.fd(); }
  /// The next worker that has ended, if any; never waits. Sends what the template had no room for, too.
  std::optional<Death> next_death();
  /// Whether messages are left to send. No event signals room in the socket: poll next_death() for that.
  bool has_unsent() const noexcept { return !unsent_.empty(); }
  /// Process id of a living worker whose start next_death() was told of; 0 otherwise.
  pid_t pid(uint32_t worker) const;
  /// Once await_ready() has returned.
  pid_t template_pid() const noexcept { return template_; }

  /// Whether it is a template, or was one before it ended.
  bool was_ready() const noexcept { return is_ready_; }
  /// Whether it has ended, as far as next_death() was told.
  bool has_ended() const noexcept { return !socket_; }
  /// When end_if_late() ends it, if ever.
  std::optional<std::chrono::steady_clock::time_point> latest_ready() const noexcept;
  /// Kills a process that should be a template by now and is not.
  void end_if_late() noexcept;
  /// Kills a process that is not a template yet, and would read no message before it is one.
  void end_if_not_ready() noexcept;
  /// Continues a template that was stopped from outside (SIGSTOP).
  void wake() noexcept;
  /// Ends all workers at once and waits until they and the template are reaped; their deaths are not
  /// reported. In a process that the driver forked it does nothing but close this process's copy of
  /// the socket.
  void stop() noexcept;

 private:
  /// A message to the template, kept until the socket has room.
  struct Unsent {
    TemplateRequest request;
    std::vector<Descriptor> descriptors;
  };

  TemplateProcess();
  void post(const TemplateRequest& request, std::span<const int> descriptors = {});
  void send_unsent();
  bool hear();
  void take(const TemplateReport& report);
  void template_ended();
  int reap_template() noexcept;

  DescriptorSocket socket_;
  DescriptorSocket::Message heard_;  // kept, as each turn of the service thread looks for one
  const pid_t driver_;
  pid_t template_ = -1;
  Descriptor process_;  // a pidfd of it
  Descriptor status_;   // of the zygote's: where its status is read
  bool is_ready_ = true;
  std::chrono::milliseconds most_{0};  // that it may take to be ready
  std::chrono::steady_clock::time_point latest_ready_;
  bool was_late_ = false;
  WhyNot why_not_;
  std::string trouble_;  // that made
  std::deque<Unsent> unsent_;
  std::unordered_map<uint32_t, pid_t> alive_;
  std::deque<Death> deaths_;
};

namespace internal {

/// First thing in the main of every program that links Flowray (src/ray/program/wrapped_main.cpp): starts the
/// Zygote, if there are remote functions.
__attribute__((visibility("default"))) void begin_of_main();

}  // namespace internal
}  // namespace flowray::ray
