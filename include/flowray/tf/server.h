#pragma once
/// tf.train.Server: one task of a cluster, in this process, for sessions of TensorFlow's clients.

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

/// tf.train.ClusterSpec: the addresses ("host:port") of the tasks of each job. Made of a map, or
/// written down:
///     ClusterSpec cluster{{"ps", {"localhost:2222"}}, {"worker", {"localhost:2223", "localhost:2224"}}};
class ClusterSpec {
 public:
  struct Job {
    std::string name;
    std::vector<std::string> tasks;
  };

  ClusterSpec() = default;
  ClusterSpec(std::initializer_list<Job> jobs);
  /// Implicit, as a plain map may stand for a cluster.
  ClusterSpec(const std::map<std::string, std::vector<std::string>>& jobs);  // NOLINT
  /// Some tasks by their numbers, where the others need not be known.
  ClusterSpec(std::map<std::string, std::map<int, std::string>> jobs);  // NOLINT

  /// The names, sorted.
  std::vector<std::string> jobs() const;
  /// These throw ValueError "No such job in cluster: 'JOB'".
  int num_tasks(const std::string& job) const { return static_cast<int>(tasks(job).size()); }
  /// The numbers of the job's tasks, ascending.
  std::vector<int> task_indices(const std::string& job) const;
  /// Also throws ValueError "No task with index 3 in job 'JOB'".
  const std::string& task_address(const std::string& job, int task) const;
  /// The addresses in the order of the tasks; "" for those that are not known.
  std::vector<std::string> job_tasks(const std::string& job) const;

  /// The addresses by job and number of the task.
  const std::map<std::string, std::map<int, std::string>>& as_map() const { return jobs_; }
  /// Whether there is any job.
  explicit operator bool() const { return !jobs_.empty(); }
  bool operator==(const ClusterSpec&) const = default;

 private:
  const std::map<int, std::string>& tasks(const std::string& job) const;
  std::map<std::string, std::map<int, std::string>> jobs_;
};

struct ServerOptions {
  /// May be left out in a cluster of one job; likewise the index, in a job of one task.
  std::string job_name = {};
  std::optional<int> task_index = {};
  /// Whether it serves at once; else from start() on.
  bool start = true;
};

/// tf.train.Server: serves sessions at the task's address until it is stopped or destroyed. Needs
/// libflowray-cluster. Thread-safe. Docs: docs/serving.md.
class Server {
 public:
  /// Throws ValueError "Must specify an explicit `job_name`." (or `task_index`), and what start() throws.
  explicit Server(const ClusterSpec& cluster, const ServerOptions& options = {});
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();

  /// Of a cluster of its own, at a free port of this machine.
  static Server create_local_server(bool start = true);

  /// Does nothing if it serves already. Throws errors::InvalidArgumentError for a job, task or address that
  /// is none, errors::UnavailableError where the address cannot be had or libflowray-cluster is missing.
  void start();
  /// What sessions connect to: "grpc://localhost:2222". Throws RuntimeError before start() and after stop().
  std::string target() const;
  /// Waits until stop(). Returns 0, the status of a program that does nothing else: `return server.join();`
  int join();
  /// Ends the steps under way and serves no more; the address is free again.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flowray::tf::train

#pragma GCC visibility pop
