#include "cluster.h"

#include <arpa/inet.h>
#include <flowray/errors.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <list>
#include <map>
#include <optional>

#include "task_process.h"

namespace flowray::tools {
namespace {

using Clock = std::chrono::steady_clock;
using Addresses = std::map<std::string, std::vector<std::string>>;

constexpr std::chrono::seconds kTimeToEnd(5);
constexpr int kMostTasks = 1000;

/// Listens at a port that the system chooses, so that nobody else gets it while others are chosen.
class ReservedPort {
 public:
  ReservedPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (socket_ < 0 || ::bind(socket_, any, size) != 0 || ::getsockname(socket_, any, &size) != 0)
      throw errors::UnavailableError("There is no free port");
    number_ = ntohs(address.sin_port);
  }
  ~ReservedPort() { ::close(socket_); }
  ReservedPort(const ReservedPort&) = delete;
  ReservedPort& operator=(const ReservedPort&) = delete;
  int number() const { return number_; }

 private:
  int socket_;
  int number_ = 0;
};

/// "ps=1" or "worker=localhost:2223,localhost:2224".
void add_tasks(const std::string& text, Addresses& addresses, std::list<ReservedPort>& ports) {
  const size_t equals = text.find('=');
  const std::string job = text.substr(0, equals);
  if (equals == std::string::npos || job.empty() || addresses.contains(job)) {
    throw ValueError(fmt::format("--tasks {}: expected each job once, JOB=COUNT or JOB=HOST:PORT,...", text));
  }
  std::string rest = text.substr(equals + 1);
  int count = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  std::vector<std::string>& of_job = addresses[job];
  if (error == std::errc() && end == rest.data() + rest.size()) {
    if (count < 1 || count > kMostTasks)
      throw ValueError(fmt::format("--tasks {}: expected 1 to {} tasks", text, kMostTasks));
    for (int i = 0; i < count; ++i)
      of_job.push_back(fmt::format("localhost:{}", ports.emplace_back().number()));
    return;
  }
  for (size_t comma = 0; comma != std::string::npos; rest.erase(0, comma + 1)) {
    comma = rest.find(',');
    of_job.push_back(rest.substr(0, comma));
    if (comma == std::string::npos) break;
  }
}

std::string config_of(const Addresses& addresses, const std::string& job, size_t task) {
  std::vector<std::string> jobs;
  for (const auto& [name, hosts] : addresses)
    jobs.push_back(fmt::format(R"("{}": ["{}"])", name, fmt::join(hosts, R"(", ")")));
  return fmt::format(R"({{"cluster": {{{}}}, "task": {{"type": "{}", "index": {}}}}})", fmt::join(jobs, ", "),
                     job, task);
}

/// The program's words with {job}, {task} and, for a job's addresses, {ps} and the like as they are for this
/// task; without a program, a server.
std::vector<std::string> command_of(std::vector<std::string> program, const Addresses& addresses,
                                    const std::string& job, size_t task) {
  if (program.empty()) {
    program = {std::filesystem::read_symlink("/proc/self/exe").string(), "server", "--cluster"};
    for (const auto& [name, hosts] : addresses)
      program.push_back(fmt::format("{}={}", name, fmt::join(hosts, ",")));
    program.insert(program.end(), {"--job", job, "--task", fmt::format("{}", task)});
    return program;
  }
  std::map<std::string, std::string> values = {{"{job}", job}, {"{task}", fmt::format("{}", task)}};
  for (const auto& [name, hosts] : addresses)
    values.emplace("{" + name + "}", fmt::format("{}", fmt::join(hosts, ",")));
  for (std::string& word : program) {
    for (const auto& [name, value] : values) {
      for (size_t at = 0; (at = word.find(name, at)) != std::string::npos; at += value.size())
        word.replace(at, name.size(), value);
    }
  }
  return program;
}

/// All tasks, from their begin to their end.
class RunningTasks {
 public:
  RunningTasks(const Addresses& addresses, const std::vector<std::string>& program) {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    signals_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    for (const auto& [job, hosts] : addresses) {
      for (size_t task = 0; task < hosts.size(); ++task) {
        Task& made = tasks_.emplace_back();
        made.is_ps = job == "ps";
        made.process.emplace(
            fmt::format("{}/{}", job, task), command_of(program, addresses, job, task),
            std::map<std::string, std::string>{{"TF_CONFIG", config_of(addresses, job, task)}});
      }
    }
  }
  ~RunningTasks() { ::close(signals_); }
  RunningTasks(const RunningTasks&) = delete;
  RunningTasks& operator=(const RunningTasks&) = delete;

  int wait() {
    while (!look()) {
      poll_for_news();
      if (ends_at_ && Clock::now() >= *ends_at_) tell_all(SIGKILL);
    }
    return status_;
  }

 private:
  struct Task {
    std::optional<TaskProcess> process;
    bool is_ps = false;
    bool is_told = false;  // that it has ended
  };

  void poll_for_news() {
    std::vector<pollfd> polled = {{signals_, POLLIN, 0}};
    for (Task& task : tasks_) {
      if (task.process->output() >= 0) polled.push_back({task.process->output(), POLLIN, 0});
    }
    // What a task has left in its group may hold the pipe open.
    (void)::poll(polled.data(), polled.size(), ends_at_ ? 100 : -1);
    signalfd_siginfo come{};
    while (::read(signals_, &come, sizeof(come)) == sizeof(come)) {
      if (come.ssi_signo != SIGCHLD) end_all();
    }
    for (Task& task : tasks_) task.process->pass_output_on();
  }

  /// Whether all have ended. The workers' end is the cluster's, and so is a failure.
  bool look() {
    bool all = true;
    bool all_workers = true;
    bool has_workers = false;
    for (Task& task : tasks_) {
      const bool has_ended = task.process->has_ended();
      all &= has_ended;
      if (!task.is_ps) all_workers &= has_ended;
      has_workers |= !task.is_ps;
      if (has_ended && !std::exchange(task.is_told, true)) ended(*task.process);
    }
    if (has_workers && all_workers) end_all();
    return all;
  }

  void ended(TaskProcess& process) {
    process.pass_output_on();
    if (ends_at_ || process.status() == 0) return;
    status_ = process.status();
    fmt::print(stderr, "flowray cluster: {} has ended with status {}: the others are ended\n", process.name(),
               process.status());
    end_all();
  }

  void end_all() {
    if (ends_at_) return;
    ends_at_ = Clock::now() + kTimeToEnd;
    tell_all(SIGTERM);
  }

  void tell_all(int signal) {
    for (Task& task : tasks_) task.process->send_signal(signal);
  }

  std::list<Task> tasks_;
  int signals_ = -1;
  std::optional<Clock::time_point> ends_at_;
  int status_ = 0;
};

}  // namespace

ClusterCommand::ClusterCommand(CLI::App& app)
    : command_(app.add_subcommand(
          "cluster",
          "Runs all tasks of a cluster on this machine, and ends them together when the workers "
          "have ended, one has failed, or Ctrl-C comes")) {
  command_
      ->add_option("--tasks", tasks_,
                   "JOB=COUNT, at free ports, or JOB=HOST:PORT,HOST:PORT,...; once for each job")
      ->required();
  command_->prefix_command();
  command_->footer(
      "Behind -- stands what each task runs, with its own {job} and {task}, and {ps}, {worker}, ... for a\n"
      "job's addresses; TF_CONFIG says it, too. Without: `flowray server`.\n"
      "    flowray cluster --tasks ps=1 worker=2 -- python -m flowray program.py --job_name={job} "
      "--task_index={task}");
}

int ClusterCommand::run() const {
  Addresses addresses;
  {
    std::list<ReservedPort> ports;
    for (const std::string& text : tasks_) add_tasks(text, addresses, ports);
  }
  std::vector<std::string> program = command_->remaining();
  if (!program.empty() && program.front() == "--") program.erase(program.begin());
  return RunningTasks(addresses, program).wait();
}

}  // namespace flowray::tools
