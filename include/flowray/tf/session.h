#pragma once
/// tf.Session: runs steps of a graph.

#include <flowray/tf/graph.h>
#include <flowray/tf/graph_def.h>
#include <flowray/tf/nested_vectors.h>

#include <array>
#include <concepts>
#include <initializer_list>
#include <map>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::engine {
class Step;
}

namespace flowray::tf {

class SparseTensor;
struct SparseTensorValue;
class Variable;

/// What can be fetched: a Tensor, an Operation (its result is an Array without value), a Variable, or one of
/// them by name ("x:0", "init"). It remembers the line where it was made, which errors name.
class Fetch {
 public:
  using Where = std::source_location;

  /// A tensor: its value.
  Fetch(const Tensor& tensor, Where where = Where::current())  // NOLINT: implicit, all of these
      : node_(tensor.node()), index_(tensor.value_index()), where_(where) {}
  /// An operation: it runs, and its result is an Array without value.
  Fetch(const Operation& operation, Where where = Where::current())
      : node_(operation.node()), index_(kOperation), where_(where) {}
  /// A variable: its value.
  Fetch(const Variable& variable, Where where = Where::current());
  /// One of these by name.
  Fetch(const char* name, Where where = Where::current()) : name_(name), where_(where) {}
  /// (A template, so that a name and a fetch in braces, {"a", "x:0"}, never mean the ends of a string.)
  template <std::same_as<std::string> Name>
  Fetch(Name name, Where where = Where::current()) : name_(std::move(name)), where_(where) {}

  /// The index() of an operation.
  static constexpr int kOperation = -1;
  /// For Flowray itself: the node, null for a name.
  graph::Node* node() const { return node_; }
  /// Which output of the node; kOperation for an operation.
  int index() const { return index_; }
  /// The name, where it was given; else empty.
  const std::string& name() const { return name_; }
  /// The line of the program where it was made.
  Where where() const { return where_; }

 private:
  graph::Node* node_ = nullptr;
  int index_ = 0;
  std::string name_;
  Where where_;
};

/// A fetch and the key of its result: an entry of {{"loss", loss}, {"step", step}}.
struct NamedFetch {
  /// The result of `fetched` is found by `result_key`.
  NamedFetch(std::string result_key, Fetch fetched) : key(std::move(result_key)), fetch(std::move(fetched)) {}
  /// The name by which the result is found.
  std::string key;
  /// What is fetched.
  Fetch fetch;
};

/// What can be fed: any tensor that is not a reference, also by name ("x:0"). It remembers its line as a
/// Fetch does.
class FeedKey {
 public:
  using Where = std::source_location;

  FeedKey(const Tensor& tensor, Where where = Where::current())  // NOLINT: implicit, all of these
      : node_(tensor.node()), index_(tensor.value_index()), where_(where) {}
  /// A tensor by its name, "x:0".
  FeedKey(const char* name, Where where = Where::current()) : name_(name), where_(where) {}
  /// The same of a std::string.
  FeedKey(std::string name, Where where = Where::current()) : name_(std::move(name)), where_(where) {}
  /// For Flowray itself: the node, null for a name.
  graph::Node* node() const { return node_; }
  /// Which output of the node.
  int index() const { return index_; }
  /// The name, where it was given; else empty.
  const std::string& name() const { return name_; }
  /// The line of the program where it was made.
  Where where() const { return where_; }

 private:
  graph::Node* node_ = nullptr;
  int index_ = 0;
  std::string name_;
  Where where_;
};

/// One entry of a feed_dict. The value is converted to the tensor's dtype as np.asarray converts.
struct Feed {
  /// A tensor, by itself or by its name, and its value in the step.
  Feed(FeedKey feed_key, Array feed_value) : key(std::move(feed_key)), value(std::move(feed_value)) {}
  /// A sparse tensor (flowray/tf/sparse_tensor.h): its three parts.
  template <std::same_as<SparseTensor> T>
  Feed(const T& tensor, const SparseTensorValue& tensor_value) : Feed(of_sparse(tensor, tensor_value)) {}
  /// Rows of nested vectors, which must have equal lengths.
  template <NestedVector Row>
  Feed(FeedKey feed_key, const std::vector<Row>& rows) : Feed(std::move(feed_key), array_of(rows)) {}
  /// The tensor that is fed.
  FeedKey key;
  /// What it is in this step.
  Array value;

 private:
  friend class FeedDict;
  static Feed of_sparse(const SparseTensor& tensor, const SparseTensorValue& tensor_value);
  std::shared_ptr<const std::vector<Feed>> others_;  // of a sparse tensor: its other parts
};

/// {{x, images}, {y, labels}, {"rate:0", 0.5f}}
class FeedDict {
 public:
  FeedDict() = default;
  /// As braces: {{x, images}, {y, labels}}.
  FeedDict(std::initializer_list<Feed> feeds) : feeds_(feeds) {
    for (const Feed& feed : feeds)
      if (feed.others_ != nullptr) [[unlikely]]
        feeds_.insert(feeds_.end(), feed.others_->begin(), feed.others_->end());
  }
  /// Feeds one tensor more.
  void add(FeedKey key, Array value) { feeds_.emplace_back(std::move(key), std::move(value)); }
  /// The same of nested vectors, whose rows must have equal lengths.
  template <NestedVector Row>
  void add(FeedKey key, const std::vector<Row>& rows) {
    add(std::move(key), array_of(rows));
  }
  /// The same of a sparse tensor.
  void add(const SparseTensor& tensor, const SparseTensorValue& value);
  /// What is fed, in the order in which it was added; of a sparse tensor its parts.
  std::span<const Feed> feeds() const { return feeds_; }

 private:
  std::vector<Feed> feeds_;
};

/// tf.OptimizerOptions: which optimisations a session's steps go through. Results do not depend on them.
struct OptimizerOptions {
  enum Level { L1 = 0, L0 = -1 };
  /// L0: constants are not folded, and expressions that are the same not shared, but for what the next two
  /// say. They say nothing where the level is L1.
  Level opt_level = L1;
  /// At level L0: whether expressions that are the same are computed once. To be set alone, to find out which
  /// of the two makes a difference.
  bool do_common_subexpression_elimination = false;
  /// At level L0: whether what is the same in every step is computed once. To be set alone, to find out which
  /// of the two makes a difference.
  bool do_constant_folding = false;
  /// Whether both say the same.
  bool operator==(const OptimizerOptions&) const = default;
};

/// tf.RewriterConfig: the rewrites of TensorFlow's optimizer that there is a pass for. OFF turns it off; all
/// else leaves it on.
struct RewriterConfig {
  enum Toggle { DEFAULT = 0, ON = 1, OFF = 2, AGGRESSIVE = 3 };
  /// Whether what is the same in every step is computed once.
  Toggle constant_folding = DEFAULT;
  /// Whether nodes whose results are not read are left out (dead code elimination).
  Toggle dependency_optimization = DEFAULT;
  /// Whether operations that follow each other become one (operator fusion).
  Toggle remapping = DEFAULT;
  /// Whether expressions that are the same are computed once.
  Toggle common_subgraph_elimination = DEFAULT;
  /// Neither dead code elimination nor operator fusion; true to see a step's nodes one by one, as in a
  /// profile.
  bool disable_meta_optimizer = false;
  /// Whether both say the same.
  bool operator==(const RewriterConfig&) const = default;
};

/// tf.GraphOptions.
struct GraphOptions {
  /// Constant folding and common subexpressions, by level. As it is: all optimisations.
  OptimizerOptions optimizer_options = {};
  /// The rewrites one by one: to be turned off to find out which one makes a difference.
  RewriterConfig rewrite_options = {};
  /// Whether both say the same.
  bool operator==(const GraphOptions&) const = default;
};

struct SessionConfig {
  /// Threads for the work inside of one operation; 0: all of the process's (env FLOWRAY_THREADS, else
  /// its CPUs). 1 where several processes or actors share the cores, or where steps are small.
  int intra_op_parallelism_threads = 0;
  /// Milliseconds that a step may take that is run without a limit of its own; 0: any time. See RunOptions.
  /// For programs that had rather fail than wait: for a queue that nobody fills, a server without an answer.
  int64_t operation_timeout_in_ms = 0;
  /// Whether a node whose device is not there runs on another of the same task: `/gpu:0` on the CPU. Else its
  /// step is refused with errors::InvalidArgumentError "Cannot assign a device for operation ...". For graphs
  /// that were written for machines with GPUs.
  bool allow_soft_placement = false;
  /// Most devices of each type: {{"GPU", 0}}. There is one, a CPU, whose operations use all cores: more than
  /// one CPU, or none, is refused with errors::UnimplementedError where a session is made.
  std::map<std::string, int> device_count = {};
  /// Whether it is said on stderr (of the server, where the session is on one) which nodes of a step run on
  /// which device, "y: (Add): /job:worker/replica:0/task:0/device:CPU:0", when it is made ready; true to find
  /// out why a step is slow on several devices or tasks.
  bool log_device_placement = false;
  /// On a server: the tasks that steps may use, "/job:ps" or "/job:worker/task:0"; none: all. A worker that
  /// names the ps and itself goes on while other workers are away.
  std::vector<std::string> device_filters = {};
  /// On a server: whether variables are the session's own, and go with it, instead of being shared by name
  /// with all sessions. For clients that train models of their own on one server.
  bool isolate_session_state = false;
  /// Which optimisations steps go through: to find out which one makes a difference. As it is: all, or what
  /// the server's own configuration says.
  GraphOptions graph_options = {};
};

/// Ends the steps that were run with it (RunOptions::cancellation):
/// they throw errors::CancelledError. Thread-safe.
class StepCancellation {
 public:
  /// One that has ended nothing yet.
  StepCancellation();
  StepCancellation(const StepCancellation&) = delete;
  StepCancellation& operator=(const StepCancellation&) = delete;
  ~StepCancellation();
  /// Ends the steps under way, and those that are run with it later.
  void cancel();

 private:
  friend class Session;
  struct State;
  std::unique_ptr<State> state_;
};

/// tf.RunOptions: how one call of Session::run is wanted.
struct RunOptions {
  /// How much a step tells about itself; SOFTWARE_TRACE tells nothing here.
  enum TraceLevel { NO_TRACE = 0, SOFTWARE_TRACE = 1, HARDWARE_TRACE = 2, FULL_TRACE = 3 };
  /// From HARDWARE_TRACE on, RunMetadata::step_stats tells which nodes ran and when.
  TraceLevel trace_level = NO_TRACE;
  /// Milliseconds that the step may take; what waits in it (for a queue) or has not begun then is given up,
  /// and errors::DeadlineExceededError "Timed out waiting for notification" is thrown. 0: what the
  /// SessionConfig says.
  int64_t timeout_in_ms = 0;
  /// Whether RunMetadata::partition_graphs tells which nodes ran; true to look at what a step was made into;
  /// copying it costs time in each step.
  bool output_partition_graphs = false;
  /// An object by which another thread can end the step; null: only by closing the session.
  std::shared_ptr<StepCancellation> cancellation = nullptr;
};

/// tf.RunMetadata: what a step tells about itself, with the field names of TensorFlow's messages. Times
/// are microseconds.
struct RunMetadata {
  struct NodeExecStats {
    /// The node that ran.
    std::string node_name;
    int64_t all_start_micros = 0;  // since 1970; what follows is relative to it
    /// When its kernel began: microseconds after all_start_micros; 0 here.
    int64_t op_start_rel_micros = 0;
    /// When its kernel ended; at least 1.
    int64_t op_end_rel_micros = 0;
    /// When all of its work ended; op_end_rel_micros here.
    int64_t all_end_rel_micros = 0;
    std::string timeline_label;  // "y = MatMul(x, w/read)"
    /// A number for the thread that it ran in.
    uint32_t thread_id = 0;
    int64_t all_start_nanos = 0;  // the same times once more
    /// op_start_rel_micros in nanoseconds after all_start_nanos, and so on.
    int64_t op_start_rel_nanos = 0;
    /// op_end_rel_micros in nanoseconds, which may be 0.
    int64_t op_end_rel_nanos = 0;
    /// all_end_rel_micros in nanoseconds.
    int64_t all_end_rel_nanos = 0;
  };
  struct DeviceStepStats {
    /// "/job:localhost/replica:0/task:0/device:CPU:0".
    std::string device;
    std::vector<NodeExecStats> node_stats;  // in the order in which they began
  };
  struct StepStats {
    /// One for each device that nodes ran on.
    std::vector<DeviceStepStats> dev_stats;
  };
  /// What ran, from RunOptions::HARDWARE_TRACE on.
  StepStats step_stats;
  /// With RunOptions::output_partition_graphs the part of the graph that ran: one for each task, the master's
  /// first, where the session is on a server.
  std::vector<GraphDef> partition_graphs;
};

namespace internal {
template <class T>
Array fed_array(const T& value) {
  if constexpr (NestedVector<T>) {
    return array_of(value);
  } else {
    return Array(value);
  }
}
}  // namespace internal

/// A step made ready once: what it costs to find it is not paid again. Made by Session::make_callable; keeps
/// working until its session is closed (then RuntimeError). Safe from many threads. Called with one value for
/// each feed, in their order. Errors of its calls name the line where it was made.
class CallableBase {
 public:
  /// One that no session has made yet.
  CallableBase();
  CallableBase(const CallableBase&);
  CallableBase& operator=(const CallableBase&);
  ~CallableBase();

 protected:
  friend class Session;
  /// Runs the step: one value for each feed, one result for each fetch.
  void call(std::span<const Array* const> feeds, std::span<Array> results) const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// A callable of one fetch: returns its Array.
class Callable : public CallableBase {
 public:
  /// The value of the fetch with one value for each feed, in their order. Throws what Session::run throws,
  /// and errors::InvalidArgumentError for another number of values.
  template <class... Values>
  Array operator()(const Values&... values) const {
    return apply({internal::fed_array(values)...});
  }
  /// The same of one feed.
  Array operator()(const Array& value) const {
    const Array* const feeds[] = {&value};
    return one(feeds);
  }
  /// The same of two feeds.
  Array operator()(const Array& first, const Array& second) const {
    const Array* const feeds[] = {&first, &second};
    return one(feeds);
  }
  /// The same without feeds.
  Array operator()() const { return one({}); }

 private:
  friend class Session;
  Array apply(std::initializer_list<Array> values) const {
    std::vector<const Array*> feeds;
    for (const Array& value : values) feeds.push_back(&value);
    return one(feeds);
  }
  Array one(std::span<const Array* const> feeds) const {
    Array result;
    call(feeds, {&result, 1});
    return result;
  }
};

/// A callable of N fetches: returns N Arrays, for `auto [a, b] = step(x, y);`.
template <size_t N>
class CallableOf : public CallableBase {
 public:
  /// The values of the N fetches with one value for each feed, in their order. Throws as Callable does.
  template <class... Values>
  std::array<Array, N> operator()(const Values&... values) const {
    const std::array<Array, sizeof...(Values)> arrays{internal::fed_array(values)...};
    std::array<const Array*, sizeof...(Values)> feeds{};
    for (size_t i = 0; i < feeds.size(); ++i) feeds[i] = &arrays[i];
    std::array<Array, N> results;
    call(feeds, results);
    return results;
  }
};

/// A callable whose numbers of fetches and feeds are known only at run time.
class CallableOfMany : public CallableBase {
 public:
  /// The values of the fetches, in their order; `feeds` are pointers to one value for each feed.
  std::vector<Array> operator()(std::span<const Array* const> feeds = {}) const {
    std::vector<Array> results(num_fetches_);
    call(feeds, results);
    return results;
  }

 private:
  friend class Session;
  size_t num_fetches_ = 0;
};

class Session;

/// Makes a session the default one of this thread (and its graph the default graph) while it lives.
class [[nodiscard]] SessionScope {
 public:
  /// Session::as_default opens one.
  explicit SessionScope(Session& session);
  SessionScope(const SessionScope&) = delete;
  SessionScope& operator=(const SessionScope&) = delete;
  ~SessionScope();

 private:
  Session& session_;
  GraphScope graph_scope_;
};

/// tf.Session. Holds its graph, variables and random generators. run() may be called from many threads.
class Session {
 public:
  /// A session of the default graph, in this process.
  Session();
  /// A session of this graph.
  explicit Session(const Graph& graph, const SessionConfig& config = {},
                   Fetch::Where where = Fetch::Where::current());
  /// A session of the default graph.
  explicit Session(const SessionConfig& config, Fetch::Where where = Fetch::Where::current());
  /// Where `target` says: "" is here, "grpc://localhost:2222" on a server, Flowray's or TensorFlow's, with
  /// the files behind it that it asks for ("?token_file=token", docs/serving.md). Its variables live there,
  /// and close() leaves them. Throws errors::NotFoundError for any other target, errors::UnavailableError
  /// where libflowray-cluster is missing; that a server cannot be reached is an error of run().
  explicit Session(const std::string& target, const SessionConfig& config = {},
                   Fetch::Where where = Fetch::Where::current());
  /// The same of this graph.
  Session(const std::string& target, const Graph& graph, const SessionConfig& config = {},
          Fetch::Where where = Fetch::Where::current());
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// Runs what is needed for the fetch. Throws
  ///   ValueError    a value's shape does not fit its tensor: "Cannot feed value of shape (2,) for Tensor
  ///   ..."; a fetch or
  ///                 feed of another graph
  ///   RuntimeError  the session is closed
  ///   errors::*     the step failed; node_name() says where.
  Array run(const Fetch& fetch, const FeedDict& feeds = {}, const RunOptions& options = {},
            RunMetadata* run_metadata = nullptr);
  /// The value of a sparse tensor (flowray/tf/sparse_tensor.h). Among others: tf::run_nested. (A template, so
  /// that `run({a, b, c})` never means one.)
  template <std::same_as<SparseTensor> T>
  SparseTensorValue run(const T& fetch, const FeedDict& feeds = {}, const RunOptions& options = {},
                        RunMetadata* run_metadata = nullptr);
  /// auto [loss, none] = session.run({loss, train_op}, {{x, batch}});
  template <size_t N>
  std::array<Array, N> run(const Fetch (&fetches)[N], const FeedDict& feeds = {},
                           const RunOptions& options = {}, RunMetadata* run_metadata = nullptr) {
    std::array<Array, N> results;
    run_into(fetches, feeds, results, options, run_metadata);
    return results;
  }
  /// A number of fetches known only at run time. (A template, so that `run({{"a", b}})` never means it.)
  template <class T>
    requires std::same_as<const T, const Fetch>
  std::vector<Array> run(std::span<T> fetches, const FeedDict& feeds = {}, const RunOptions& options = {},
                         RunMetadata* run_metadata = nullptr) {
    std::vector<Array> results(fetches.size());
    run_into(fetches, feeds, results, options, run_metadata);
    return results;
  }
  /// A vector of what can be fetched: of tensors, operations, ... (A template, so that `run({a, b})` never
  /// means it.)
  template <std::convertible_to<Fetch> T>
  std::vector<Array> run(const std::vector<T>& fetches, const FeedDict& feeds = {},
                         const RunOptions& options = {}, RunMetadata* run_metadata = nullptr,
                         Fetch::Where where = Fetch::Where::current()) {
    const List<Fetch> list(fetches, where);
    return run(std::span<const Fetch>(list.items()), feeds, options, run_metadata);
  }
  /// An array of them: as many Arrays.
  template <std::convertible_to<Fetch> T, size_t N>
  std::array<Array, N> run(const std::array<T, N>& fetches, const FeedDict& feeds = {},
                           const RunOptions& options = {}, RunMetadata* run_metadata = nullptr,
                           Fetch::Where where = Fetch::Where::current()) {
    const List<Fetch> list(fetches, where);
    std::array<Array, N> results;
    run_into(list.items(), feeds, results, options, run_metadata);
    return results;
  }
  /// A map of them: what comes back has the same keys.
  template <class Key, std::convertible_to<Fetch> T>
  std::map<Key, Array> run(const std::map<Key, T>& fetches, const FeedDict& feeds = {},
                           const RunOptions& options = {}, RunMetadata* run_metadata = nullptr,
                           Fetch::Where where = Fetch::Where::current()) {
    const List<Fetch> list(fetches | std::views::values, where);
    std::vector<Array> results = run(std::span<const Fetch>(list.items()), feeds, options, run_metadata);
    std::map<Key, Array> by_key;
    size_t i = 0;
    for (const auto& [key, fetch] : fetches) by_key.emplace(key, std::move(results[i++]));
    return by_key;
  }
  /// The same, written in the call: session.run({{"loss", loss}, {"step", step}}). Of two entries with one
  /// key the last counts, as in Python's dict.
  template <size_t N>
  std::map<std::string, Array> run(const NamedFetch (&fetches)[N], const FeedDict& feeds = {},
                                   const RunOptions& options = {}, RunMetadata* run_metadata = nullptr) {
    std::map<std::string, Fetch> by_key;
    for (const NamedFetch& named : fetches) by_key.insert_or_assign(named.key, named.fetch);
    return run(by_key, feeds, options, run_metadata);
  }

  /// A step that is found once and then called with its feeds' values.
  Callable make_callable(const Fetch& fetch, const List<FeedKey>& feeds = {});
  /// The same of several fetches: `auto step = session.make_callable({loss, train}, {x, y});`.
  template <size_t N>
  CallableOf<N> make_callable(const Fetch (&fetches)[N], const List<FeedKey>& feeds = {}) {
    CallableOf<N> callable;
    prepare_callable(callable, fetches, feeds);
    return callable;
  }
  /// The same of an array of fetches.
  template <std::convertible_to<Fetch> T, size_t N>
  CallableOf<N> make_callable(const std::array<T, N>& fetches, const List<FeedKey>& feeds = {},
                              Fetch::Where where = Fetch::Where::current()) {
    CallableOf<N> callable;
    prepare_callable(callable, List<Fetch>(fetches, where).items(), feeds);
    return callable;
  }
  /// The same of a vector of fetches.
  template <std::convertible_to<Fetch> T>
  CallableOfMany make_callable(const std::vector<T>& fetches, const List<FeedKey>& feeds = {},
                               Fetch::Where where = Fetch::Where::current()) {
    CallableOfMany callable;
    callable.num_fetches_ = fetches.size();
    prepare_callable(callable, List<Fetch>(fetches, where).items(), feeds);
    return callable;
  }

  /// tf.Session.partial_run_setup: a step that is fed and fetched in several calls of partial_run(), which
  /// may feed what `feeds` names and fetch what `fetches` names, each once. Returns its handle.
  std::string partial_run_setup(const List<Fetch>& fetches, const List<FeedKey>& feeds = {});
  /// tf.Session.partial_run: runs what the feeds so far are enough for. Throws errors::InvalidArgumentError
  /// for what was not set up, or came before, and for a fetch that waits for another feed.
  std::vector<Array> partial_run(const std::string& handle, const List<Fetch>& fetches,
                                 const FeedDict& feeds = {});

  /// What run(fetches, feeds) does, as text: a summary with the bytes that it takes, then a line for each
  /// instruction, in the order in which they run, with the nodes whose work it does and the places of its
  /// values. Nothing is run and no variable needs a value, unless `measured_runs` says how often to run it:
  /// then each line begins with the time it took, the median of so many runs, and variables are updated as
  /// often as it says in docs/engine/pipeline.md. SessionConfig::operation_timeout_in_ms limits these runs
  /// together: errors::DeadlineExceededError.
  std::string explain(const Fetch& fetch, const FeedDict& feeds = {}, int measured_runs = 0) {
    return explain(std::span<const Fetch>(&fetch, 1), feeds, measured_runs);
  }
  /// The same of several fetches.
  std::string explain(std::span<const Fetch> fetches, const FeedDict& feeds = {}, int measured_runs = 0);
  /// The same of fetches in braces: session.explain({loss, train}).
  std::string explain(std::initializer_list<Fetch> fetches, const FeedDict& feeds = {},
                      int measured_runs = 0) {
    return explain(std::span<const Fetch>(fetches.begin(), fetches.size()), feeds, measured_runs);
  }

  /// The graph whose steps it runs.
  Graph graph() const;
  /// Frees the variables and ends steps that wait (errors::CancelledError); later calls throw RuntimeError
  /// "Attempted to use a closed Session."
  void close();
  /// `auto scope = session.as_default();`: the default session of this thread, and its graph the default
  /// graph, as long as the scope lives.
  SessionScope as_default() { return SessionScope(*this); }

 private:
  friend class CallableBase;
  friend class InteractiveSession;
  friend class SessionScope;
  struct State;
  void run_into(std::span<const Fetch> fetches, const FeedDict& feeds, std::span<Array> results,
                const RunOptions& options, RunMetadata* run_metadata);
  SparseTensorValue run_sparse(const SparseTensor& fetch, const FeedDict& feeds, const RunOptions& options,
                               RunMetadata* run_metadata);
  void prepare_callable(CallableBase& callable, std::span<const Fetch> fetches,
                        std::span<const FeedKey> feeds);
  std::shared_ptr<State> state_;
};

/// tf.InteractiveSession: a session that is the default one of its thread from the beginning to its end, for
/// programs of one function. A graph that it is given is the default graph meanwhile, too, and is left in the
/// order of scopes. The others may end in any order.
class InteractiveSession : public Session {
 public:
  /// A session of the default graph, in this process.
  explicit InteractiveSession(const SessionConfig& config = {}, Fetch::Where where = Fetch::Where::current());
  /// A session of this graph.
  explicit InteractiveSession(const Graph& graph, const SessionConfig& config = {},
                              Fetch::Where where = Fetch::Where::current());
  /// Where `target` says, as Session has it.
  explicit InteractiveSession(const std::string& target, const SessionConfig& config = {},
                              Fetch::Where where = Fetch::Where::current());
  InteractiveSession(const InteractiveSession&) = delete;
  InteractiveSession& operator=(const InteractiveSession&) = delete;
  ~InteractiveSession();
  /// Frees the variables, as Session::close does, and is the default session no longer.
  void close();

 private:
  void begin();
  void end();
  std::unique_ptr<GraphScope> graph_scope_;
};

/// The default session of this thread; null if there is none. Throws RuntimeError where it was destroyed
/// while the guard that makes it the default one lives.
Session* get_default_session();

}  // namespace flowray::tf

#pragma GCC visibility pop
