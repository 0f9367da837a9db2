#pragma once
/// tf.distribute.cluster_resolver: where the tasks of a cluster are, as the program or its environment says.

#include <flowray/tf/server.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::distribute::cluster_resolver {

/// Which task's address is asked for.
struct MasterOptions {
  /// The task's job, "worker"; left out, with task_id: as the resolver says.
  std::optional<std::string> task_type = std::nullopt;
  /// The task's number in its job, from 0.
  std::optional<int> task_id = std::nullopt;
  /// How the task is spoken to, in front of its address: "grpc"; empty: as the resolver says.
  std::string rpc_layer = {};
};

/// The base of all resolvers.
///
///     const TFConfigClusterResolver resolver;
///     Server server(resolver.cluster_spec(),
///                   {.job_name = *resolver.task_type(), .task_index = resolver.task_id()});
class ClusterResolver {
 public:
  ClusterResolver() = default;
  ClusterResolver(const ClusterResolver&) = delete;
  ClusterResolver& operator=(const ClusterResolver&) = delete;
  virtual ~ClusterResolver();

  /// The addresses of all tasks.
  virtual train::ClusterSpec cluster_spec() const = 0;
  /// What sessions connect to: "grpc://localhost:2222", or "" for a session in this process.
  virtual std::string master(const MasterOptions& options = {}) const = 0;
  /// The job of this task; none where that is not known.
  virtual std::optional<std::string> task_type() const { return std::nullopt; }
  /// The number of this task in its job, from 0; none where that is not known.
  virtual std::optional<int> task_id() const { return std::nullopt; }
  /// How tasks are spoken to: "grpc"; none where that is not known.
  virtual std::optional<std::string> rpc_layer() const { return std::nullopt; }
  /// Where the program runs: "cloud", or "" for no particular place.
  virtual std::optional<std::string> environment() const { return std::nullopt; }
};

struct SimpleClusterResolverOptions {
  /// What master() is where no task is asked for.
  std::string master = {};
  /// The job of this task, "worker"; left out: not known.
  std::optional<std::string> task_type = std::nullopt;
  /// The number of this task in its job, from 0; left out: not known.
  std::optional<int> task_id = std::nullopt;
  /// Where the program runs, "cloud"; empty: no particular place.
  std::string environment = {};
  /// How tasks are spoken to, "grpc"; left out: not known.
  std::optional<std::string> rpc_layer = std::nullopt;
};

/// The resolver of a ClusterSpec that is known.
class SimpleClusterResolver : public ClusterResolver {
 public:
  /// `options`: what is known of this task; set_task_type and its siblings say it later.
  explicit SimpleClusterResolver(train::ClusterSpec cluster_spec, SimpleClusterResolverOptions options = {})
      : cluster_spec_(std::move(cluster_spec)), options_(std::move(options)) {}

  train::ClusterSpec cluster_spec() const override { return cluster_spec_; }
  /// Throws ValueError for a task that is not there.
  std::string master(const MasterOptions& options = {}) const override;
  std::optional<std::string> task_type() const override { return options_.task_type; }
  std::optional<int> task_id() const override { return options_.task_id; }
  std::optional<std::string> rpc_layer() const override { return options_.rpc_layer; }
  std::optional<std::string> environment() const override { return options_.environment; }
  /// What task_type() gives from now on.
  void set_task_type(std::optional<std::string> task_type) { options_.task_type = std::move(task_type); }
  /// What task_id() gives from now on.
  void set_task_id(std::optional<int> task_id) { options_.task_id = task_id; }
  /// What rpc_layer() gives from now on.
  void set_rpc_layer(std::optional<std::string> rpc_layer) { options_.rpc_layer = std::move(rpc_layer); }

 private:
  train::ClusterSpec cluster_spec_;
  SimpleClusterResolverOptions options_;
};

/// What counts in place of what TF_CONFIG says.
struct TFConfigClusterResolverOptions {
  /// The job of this task, "worker"; left out: what TF_CONFIG says.
  std::optional<std::string> task_type = std::nullopt;
  /// The number of this task in its job, from 0; left out: what TF_CONFIG says.
  std::optional<int> task_id = std::nullopt;
  /// How tasks are spoken to, "grpc"; left out: what TF_CONFIG says.
  std::optional<std::string> rpc_layer = std::nullopt;
  /// Where the program runs, "cloud"; left out: what TF_CONFIG says.
  std::optional<std::string> environment = std::nullopt;
};

/// Of the environment variable TF_CONFIG, a JSON object, which is read at each question:
///     {"cluster": {"ps": ["a:1"], "worker": ["b:2", "c:3"]}, "task": {"type": "worker", "index": 1}}
/// It may say "rpc_layer" and "environment", too. Throws ValueError where it is something else.
class TFConfigClusterResolver : public ClusterResolver {
 public:
  /// Reads nothing yet: the environment is read at each question.
  explicit TFConfigClusterResolver(TFConfigClusterResolverOptions options = {})
      : options_(std::move(options)) {}

  train::ClusterSpec cluster_spec() const override;
  /// The address of a task, of this one where none is named; "" where the cluster has one task at most.
  /// Throws ValueError for a task that is not there.
  std::string master(const MasterOptions& options = {}) const override;
  std::optional<std::string> task_type() const override;
  std::optional<int> task_id() const override;
  std::optional<std::string> rpc_layer() const override;
  std::optional<std::string> environment() const override;
  /// What task_type() gives from now on; none: what TF_CONFIG says.
  void set_task_type(std::optional<std::string> task_type) { options_.task_type = std::move(task_type); }
  /// What task_id() gives from now on; none: what TF_CONFIG says.
  void set_task_id(std::optional<int> task_id) { options_.task_id = task_id; }
  /// What rpc_layer() gives from now on; none: what TF_CONFIG says.
  void set_rpc_layer(std::optional<std::string> rpc_layer) { options_.rpc_layer = std::move(rpc_layer); }

 private:
  TFConfigClusterResolverOptions options_;
};

struct UnionResolverOptions {
  /// How tasks are spoken to, "grpc"; left out: what the first resolver says.
  std::optional<std::string> rpc_layer = std::nullopt;
  /// The job of this task, "worker"; left out: what the first resolver says.
  std::optional<std::string> task_type = std::nullopt;
  /// The number of this task in its job, from 0; left out: what the first resolver says.
  std::optional<int> task_id = std::nullopt;
};

/// Several resolvers as one; what is not said of this task is as the first one says.
class UnionResolver : public ClusterResolver {
 public:
  /// Throws ValueError "At least one ClusterResolver is required."
  explicit UnionResolver(std::vector<std::shared_ptr<ClusterResolver>> resolvers,
                         UnionResolverOptions options = {});

  /// The jobs of all. Tasks of one job in several of them are counted on where each has its tasks from 0 on,
  /// without a gap; else they keep their numbers. Throws KeyError where two have the same number then.
  train::ClusterSpec cluster_spec() const override;
  /// The address of a task; of none: what the first resolver says.
  std::string master(const MasterOptions& options = {}) const override;
  std::optional<std::string> task_type() const override;
  std::optional<int> task_id() const override;
  std::optional<std::string> rpc_layer() const override;
  std::optional<std::string> environment() const override { return resolvers_[0]->environment(); }
  /// What task_type() gives from now on; none: what the first resolver says.
  void set_task_type(std::optional<std::string> task_type) { options_.task_type = std::move(task_type); }
  /// What task_id() gives from now on; none: what the first resolver says.
  void set_task_id(std::optional<int> task_id) { options_.task_id = task_id; }
  /// What rpc_layer() gives from now on; none: what the first resolver says.
  void set_rpc_layer(std::optional<std::string> rpc_layer) { options_.rpc_layer = std::move(rpc_layer); }

 private:
  std::vector<std::shared_ptr<ClusterResolver>> resolvers_;
  UnionResolverOptions options_;
};

}  // namespace flowray::tf::distribute::cluster_resolver

#pragma GCC visibility pop
