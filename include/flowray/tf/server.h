#pragma once
/// tf.train.Server: one task of a cluster, in this process, for sessions of TensorFlow's clients.

#include <flowray/tf/session.h>

#include <cstdint>
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
    /// The job's name: "ps".
    std::string name;
    /// The addresses of its tasks, "host:port", from task 0 on.
    std::vector<std::string> tasks;
  };

  ClusterSpec() = default;
  /// A cluster of the given jobs.
  ClusterSpec(std::initializer_list<Job> jobs);
  /// Implicit, as a plain map may stand for a cluster.
  ClusterSpec(const std::map<std::string, std::vector<std::string>>& jobs);  // NOLINT
  /// Some tasks by their numbers, where the others need not be known.
  ClusterSpec(std::map<std::string, std::map<int, std::string>> jobs);  // NOLINT

  /// The names, sorted.
  std::vector<std::string> jobs() const;
  /// The number of the job's tasks. This and the next three throw ValueError "No such job in cluster: 'JOB'".
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
  /// Whether both have the same jobs, tasks and addresses.
  bool operator==(const ClusterSpec&) const = default;

 private:
  const std::map<int, std::string>& tasks(const std::string& job) const;
  std::map<std::string, std::map<int, std::string>> jobs_;
};

struct ServerOptions {
  /// May be left out in a cluster of one job; likewise the index, in a job of one task.
  std::string job_name = {};
  /// Which task of the job this server is.
  std::optional<int> task_index = {};
  /// Whether it serves at once; else from start() on; false where something must be ready before clients
  /// come.
  bool start = true;
  /// The folder below which graphs of clients may use files; "": everywhere. Relative paths begin there.
  std::string file_root = {};
  /// Whether graphs of clients may use no files at all; true for clients that only compute, on a machine with
  /// files that are not theirs.
  bool no_files = false;
  /// PEM files: the server's certificate, its key, and the authority that has signed the clients'; all three
  /// or none.
  std::string tls_cert = {};
  /// The key of tls_cert.
  std::string tls_key = {};
  /// The authority whose certificates clients must have.
  std::string tls_ca = {};
  /// A file with a secret that clients have to send with each request.
  std::string token_file = {};
  /// Limits; what is more is errors::ResourceExhaustedError for the client. Of one request, 16 GiB, of which
  /// TensorFlow's clients and servers cannot send more than 2:
  int64_t max_message_bytes = int64_t{16} << 30;
  /// The most sessions at a time.
  int64_t max_sessions = 16'384;
  int64_t max_callables = 4'096;     // of a session
  int64_t max_partial_runs = 4'096;  // of a session, at a time
  /// Seconds without a call after which a session ends; 0: it stays.
  int64_t idle_timeout = 24 * 60 * 60;
  /// What holds for sessions that do not say it themselves.
  SessionConfig config = {};
  /// "grpc"; others are refused with errors::NotFoundError.
  std::string protocol = "grpc";
  /// Whether join() returns by itself: once all tasks of other jobs have been there, and none of them has
  /// answered for ten seconds; true for parameter servers of a job that nobody stops; false: they serve until
  /// they are stopped.
  bool exit_with_workers = false;
};

struct LocalServerOptions {
  /// Whether it serves at once; else from start() on; false where something must be ready before clients
  /// come.
  bool start = true;
  /// What holds for sessions that do not say it themselves.
  SessionConfig config = {};
};

/// tf.train.Server: serves sessions at the task's address until it is stopped or destroyed. Needs
/// libflowray-cluster. Thread-safe. Docs: docs/serving.md.
class Server {
 public:
  /// Throws ValueError "Must specify an explicit `job_name`." (or `task_index`), for a limit out of range,
  /// and what start() throws.
  explicit Server(const ClusterSpec& cluster, const ServerOptions& options = {});
  Server(Server&&) noexcept;
  Server& operator=(Server&&) noexcept;
  ~Server();

  /// A server in a cluster of its own, at a free port of this machine.
  static Server create_local_server(const LocalServerOptions& options = {});

  /// Does nothing if it serves already. Throws errors::InvalidArgumentError for an invalid job, task or
  /// address and for invalid certificates, keys and tokens, errors::UnavailableError where the address cannot
  /// be had or libflowray-cluster is missing, the errors of the system for files that are not there.
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

/// A device that steps of a cluster may run on.
struct DeviceAttributes {
  /// "/job:worker/replica:0/task:0/device:CPU:0"
  std::string name;
  /// "CPU"
  std::string device_type;
  /// How much memory its tensors may take, as its server says.
  int64_t memory_limit_bytes = 0;
  /// Another one each time its server starts.
  uint64_t incarnation = 0;
  /// Whether all is the same.
  bool operator==(const DeviceAttributes&) const = default;
};
/// What Session.list_devices of a session at `target` gives: the devices of the server, then those of the
/// other tasks of its cluster that `config` allows. Waits for tasks that are away.
std::vector<DeviceAttributes> list_devices(const std::string& target, const SessionConfig& config = {},
                                           Fetch::Where where = Fetch::Where::current());
/// tf.Session.reset: frees the variables and all else that steps share on the tasks of a server's cluster, in
/// the containers of these names or, without names, in the one that has none. Sessions end with
/// errors::AbortedError. Throws errors::NotFoundError for a target that is not a server's.
void reset_session(const std::string& target, const std::vector<std::string>& containers = {},
                   const SessionConfig& config = {}, Fetch::Where where = Fetch::Where::current());

}  // namespace flowray::tf::train

#pragma GCC visibility pop
