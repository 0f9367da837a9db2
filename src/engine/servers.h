#pragma once
/// Servers and sessions on them, which are defined in the cluster room: it stands after those that ask
/// for them.

#include <flowray/array.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cancellation.h"
#include "files/file_access.h"
#include "wire/session_config.h"

namespace flowray::graph {
class Graph;
}
namespace flowray::wire {
struct RunMetadata;
}

namespace flowray::engine {

/// Addresses ("host:port") of the tasks of each job, by their numbers.
using ClusterAddresses = std::map<std::string, std::map<int, std::string>>;

inline constexpr int64_t kMostMessageBytes = int64_t{16} << 30;

/// What a server takes from its clients; what is more is errors::ResourceExhaustedError.
struct ServerLimits {
  int64_t message_bytes = kMostMessageBytes;  // of one request; over 2 GiB - 1 only from our own
  int64_t sessions = 16'384;
  int64_t callables = 4'096;            // of one session
  int64_t partial_runs = 4'096;         // of one session, begun and not over
  int64_t idle_seconds = 24 * 60 * 60;  // without a call, after which a session ends; 0: it stays
  /// Without a call, after which one may end for others, where sessions or memory come to their limit. Not
  /// where idle_seconds is 0.
  int64_t spare_seconds = 60;
  int64_t memory_bytes = 0;  // near which sessions end for others; 0: none
};

/// Files by which the two sides of a connection know each other; all empty: by nothing.
struct SecurityFiles {
  std::string tls_cert;    // PEM: the certificate of the own side
  std::string tls_key;     // PEM: its key
  std::string tls_ca;      // PEM: the authority that has signed the other side's
  std::string token_file;  // a secret that the client shows and the server asks for
};

/// What a session on a server is asked for, or what those of a server get that ask for nothing else.
struct RemoteOptions {
  bool allow_soft_placement = false;
  int64_t operation_timeout_ms = 0;  // of a step that has none of its own; 0: no limit
  int intra_op_threads = 0;          // 0: all of the server's
  bool log_device_placement = false;
  std::vector<std::string> device_filters = {};  // tasks that steps may use; none: all
  bool isolate_session_state = false;
  std::optional<wire::GraphOptions> graph_options = {};  // none: those of the server
};

/// What clients may do with a server.
struct ServerOptions {
  /// The rules for files that graphs name.
  files::FileRules files = {.only_regular = true};
  ServerLimits limits = {};
  SecurityFiles security = {};
  RemoteOptions session_defaults = {};
  /// Called once, by a thread of the server's, when the tasks of all other jobs have been there and have
  /// gone; null: they are not watched. It must not destroy the server.
  std::function<void()> others_ended = {};
};

/// A server that runs until it is destroyed, which ends the steps under way.
class RunningServer {
 public:
  virtual ~RunningServer() = default;
  /// "grpc://localhost:2222"
  virtual const std::string& target() const = 0;
};

/// Starts the server of one task.
/// Throws errors::InvalidArgumentError for an invalid job, task or address, errors::UnavailableError
/// where the address cannot be had or libflowray-cluster is missing, what FileAccess throws for a root that
/// is not a folder.
std::unique_ptr<RunningServer> start_server(const ClusterAddresses& cluster, const std::string& job, int task,
                                            const ServerOptions& options);

/// What a session on a server is asked for: all by name.
struct RemoteStep {
  std::vector<std::pair<std::string, const Array*>> feeds;
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  int64_t timeout_ms = 0;        // 0: what the session's options say
  bool traces = false;           // whether it is told what ran when
  bool gives_graphs = false;     // whether it is told the graphs that ran
  std::string partial_run = {};  // that it is a call of
  /// Called with what the server tells, which lasts as long as the call.
  std::function<void(const wire::RunMetadata&)> told = {};
  Cancellation* cancellation = nullptr;  // besides the session's end
};

struct RemoteDevice {
  std::string name;
  std::string type;
  int64_t memory_limit_bytes = 0;
  uint64_t incarnation = 0;
};

/// A session on a server, made there when it is first needed. Thread-safe.
class RemoteSession {
 public:
  virtual ~RemoteSession() = default;
  /// Sends the nodes that are new since the last time, then runs the step, unless that asks for nothing.
  /// Throws what the server answers, and errors::UnavailableError where there is none.
  virtual std::vector<Array> run(const RemoteStep& step) = 0;
  /// What the step does there, as Step::explain() says it, for each task. Throws errors::UnimplementedError
  /// where the server is not ours, or the runs of several tasks are to be measured.
  virtual std::string explain(const RemoteStep& step, int measured_runs) = 0;
  /// Begins a partial run of which run() makes calls; its handle.
  virtual std::string begin_partial_run(const std::vector<std::string>& feeds,
                                        const std::vector<std::string>& fetches,
                                        const std::vector<std::string>& targets) = 0;
  /// The devices of all tasks that it may use.
  virtual std::vector<RemoteDevice> list_devices() = 0;
  /// Ends it there, and the steps under way with it. Does not throw.
  virtual void close() = 0;
};

/// `target` is "grpc://host:port", with files behind it where the server asks for them
/// ("grpc://host:port?token_file=token", cluster/security.h); `graph` must live as long as the session.
/// Throws errors::UnavailableError where libflowray-cluster is missing, and what read_security() throws.
std::unique_ptr<RemoteSession> connect_session(const std::string& target, graph::Graph& graph,
                                               const RemoteOptions& options);

/// Clears containers of a server's cluster; no names: the one that has none.
void reset_server(const std::string& target, const std::vector<std::string>& containers,
                  const RemoteOptions& options);

}  // namespace flowray::engine
