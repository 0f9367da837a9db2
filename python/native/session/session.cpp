/// tf.Session: fetches of any nesting, feeds, callables.

#include "native/convert/convert.h"
#include "native/convert/released_lock.h"
#include "native/graph/python_graph.h"

#include <flowray/tf/server.h>

#include "tf/build/resource_variable.h"
#include "tf/build/tensor_text.h"
#include "tf/keras/model_state.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

namespace flowray::python {

tf::Graph graph_of_object(nb::handle object);
void bind_run_metadata(nb::module_& m);
/// The configuration in a tf.ConfigProto or None.
tf::SessionConfig session_config(nb::handle config);

namespace {

/// The innermost last. Each is a reference: an InteractiveSession need not be in a variable of the program.
/// (Not nb::objects: a thread that ends has no interpreter's lock to give them back with.)
thread_local std::vector<PyObject*> default_sessions;

void enter_default_session(nb::handle session) { default_sessions.push_back(session.inc_ref().ptr()); }

/// Scopes may end in any order.
void leave_default_session(nb::handle session) {
  const auto found = std::find(default_sessions.rbegin(), default_sessions.rend(), session.ptr());
  if (found == default_sessions.rend()) return;
  default_sessions.erase(std::next(found).base());
  session.dec_ref();
}

/// The arguments of a session, refused in TensorFlow's words.
[[noreturn]] void throw_wrong_argument(const char* name, const char* wanted, nb::handle given) {
  throw TypeError(fmt::format("Argument `{}` must be a {}, but got \"{}\"", name, wanted,
                              nb::type_name(given.type()).c_str()));
}

std::string target_of_session(nb::handle target) {
  const bool is_text = PyUnicode_Check(target.ptr()) != 0 || PyBytes_Check(target.ptr()) != 0;
  if (!target.is_none() && !is_text) throw_wrong_argument("target", "string", target);
  return as_text(target);
}

tf::Graph graph_of_session(nb::handle graph) {
  if (!graph.is_none() &&
      PyObject_IsInstance(graph.ptr(), python_object("flowray._native", "Graph").ptr()) != 1)
    throw_wrong_argument("graph", "tf.Graph", graph);
  return graph_of_object(graph);
}

/// How the values of a call become Python's structure again. It is a copy of the fetches' structure: the
/// program may change its lists while a step runs, and between the calls of a callable.
class FetchedStructure {
 public:
  /// Puts what is to be fetched at the end of `fetches`.
  FetchedStructure(nb::handle object, std::vector<tf::Fetch>& fetches) {
    const RecursionLevel level(" in a structure of fetches");
    PyObject* const p = object.ptr();
    if (nb::isinstance<tf::Tensor>(object)) {
      fetches.emplace_back(nb::cast<const tf::Tensor&>(object));
    } else if (nb::isinstance<tf::Operation>(object)) {
      fetches.emplace_back(nb::cast<const tf::Operation&>(object));
    } else if (nb::isinstance<tf::Variable>(object)) {
      fetches.emplace_back(nb::cast<const tf::Variable&>(object));
    } else if (PyList_Check(p) || PyTuple_Check(p)) {
      kind_ = PyList_Check(p) ? Kind::kList : PyTuple_CheckExact(p) ? Kind::kTuple : Kind::kNamedTuple;
      if (kind_ == Kind::kNamedTuple) maker_ = nb::borrow(object.type());
      for (nb::handle item : nb::tuple(nb::borrow(object))) parts_.emplace_back(item, fetches);
    } else if (PyDict_Check(p)) {
      add_dict(object, fetches);
    } else if (PyUnicode_Check(p)) {
      fetches.emplace_back(as_text(object));
    } else {
      add_other(object, fetches);
    }
  }

  /// `next` is the first of the values that belong here, and then the first behind them.
  nb::object rebuild(std::vector<Array>& values, size_t& next) const {
    if (kind_ == Kind::kValue) return give_array(std::move(values[next++]));
    if (kind_ == Kind::kDict) {
      nb::dict dict;
      for (size_t i = 0; i < parts_.size(); ++i) dict[keys_[i]] = parts_[i].rebuild(values, next);
      return maker_.is_valid() ? nb::object(maker_(dict)) : nb::object(dict);
    }
    nb::list items;
    for (const FetchedStructure& part : parts_) items.append(part.rebuild(values, next));
    if (kind_ == Kind::kTuple) return nb::tuple(items);
    if (kind_ == Kind::kNamedTuple) return maker_(*items);
    if (kind_ == Kind::kComposite) return maker_(items);
    return items;
  }

 private:
  enum class Kind { kValue, kList, kTuple, kNamedTuple, kDict, kComposite };

  void add_dict(nb::handle object, std::vector<tf::Fetch>& fetches) {
    kind_ = Kind::kDict;
    if (!PyDict_CheckExact(object.ptr())) maker_ = nb::borrow(object.type());
    const nb::list items(nb::object(nb::borrow<nb::dict>(object).items()));
    for (nb::handle item : items) {
      keys_.push_back(nb::object(item[0]));
      parts_.emplace_back(nb::object(item[1]), fetches);
    }
  }

  void add_other(nb::handle object, std::vector<tf::Fetch>& fetches) {
    if (nb::hasattr(object, "_fetch_parts")) {  // a SparseTensor and the like
      kind_ = Kind::kComposite;
      maker_ = object.attr("_fetched_from");
      for (nb::handle part : nb::tuple(nb::object(object.attr("_fetch_parts"))))
        parts_.emplace_back(part, fetches);
      return;
    }
    if (nb::hasattr(object, "_as_graph_element")) {
      *this = FetchedStructure(nb::object(object.attr("_as_graph_element")()), fetches);
      return;
    }
    const bool none = object.is_none();
    const std::string kind = type_word(object);
    throw TypeError(
        fmt::format("Argument `fetch` = {} has invalid type \"{}\"{}", nb::str(object).c_str(), kind,
                    none ? ". Cannot be None"
                         : fmt::format(" must be a string or Tensor. (Can not convert a {} into a Tensor "
                                       "or Operation.)",
                                       kind)));
  }

  Kind kind_ = Kind::kValue;
  nb::object maker_;  // what makes a namedtuple, a dict of a kind of its own, a SparseTensor
  std::vector<nb::object> keys_;
  std::vector<FetchedStructure> parts_;
};

tf::FeedKey feed_key(nb::handle object) {
  if (nb::isinstance<tf::Tensor>(object)) return nb::cast<const tf::Tensor&>(object);
  if (nb::isinstance<tf::Variable>(object)) return tf::graph_element(nb::cast<const tf::Variable&>(object));
  if (PyUnicode_Check(object.ptr())) return as_text(object);
  if (nb::hasattr(object, "_as_graph_element")) return feed_key(object.attr("_as_graph_element")());
  throw TypeError(fmt::format("Cannot interpret feed_dict key as Tensor: Can not convert a {} into a Tensor.",
                              type_word(object)));
}

DType dtype_of_key(const tf::FeedKey& key, const tf::Session& session) {
  if (key.node() != nullptr) return base_dtype(key.node()->output_dtype(key.index()));
  return base_dtype(session.graph().get_tensor_by_name(key.name()).dtype());
}

[[noreturn]] void throw_tensor_fed(nb::handle value, const tf::FeedKey& key) {
  throw TypeError(fmt::format(
      "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python "
      "scalars, strings, lists, "
      "numpy ndarrays, or TensorHandles. For reference, the tensor object was {} which was "
      "passed to the argument `feed_dict` "
      "with key {}.",
      nb::str(value).c_str(),
      key.node() == nullptr ? key.name() : tf::tensor_text(graph::Endpoint{key.node(), key.index()})));
}

/// Python's integer as an element of `dtype`; none where it does not fit.
std::optional<Array> fed_integer(nb::handle value, DType dtype) {
  if (dtype == DType::kUint64) {
    const unsigned long long number = PyLong_AsUnsignedLongLong(value.ptr());
    if (PyErr_Occurred() == nullptr) return Array(uint64_t{number});
    PyErr_Clear();
    return std::nullopt;
  }
  int overflow = 0;
  const Array wide(static_cast<int64_t>(PyLong_AsLongLongAndOverflow(value.ptr(), &overflow)));
  Array narrow = wide.astype(dtype);
  if (overflow != 0 || narrow.astype(DType::kInt64) != wide) return std::nullopt;
  return narrow;
}

Array fed_array(nb::handle value, const tf::FeedKey& key, DType dtype) {
  if (nb::isinstance<tf::Tensor>(value)) throw_tensor_fed(value, key);
  if (PyLong_CheckExact(value.ptr()) && (is_integer(dtype) || dtype == DType::kBool)) {
    if (std::optional<Array> number = fed_integer(value, dtype)) return *number;
    throw TypeError(fmt::format(
        "Type of feed value {} with type {} is not compatible with Tensor type {}. Try explicitly "
        "setting the type of the feed tensor to a larger type (e.g. int64).",
        nb::str(value).c_str(), nb::repr(value.type()).c_str(),
        nb::repr(nb::object(numpy_dtype(dtype).attr("type"))).c_str()));
  }
  return as_array(value, dtype);
}

}  // namespace

class PythonSession {
 public:
  bool is_closed = false;

  PythonSession(const std::string& target, nb::handle graph, nb::handle config)
      : config_(session_config(config)),
        session_(std::make_shared<tf::Session>(target, graph_of_session(graph), config_)),
        target_(target) {}
  /// One that others have, too.
  explicit PythonSession(std::shared_ptr<tf::Session> session) : session_(std::move(session)) {}
  PythonSession(const PythonSession&) = delete;
  PythonSession& operator=(const PythonSession&) = delete;
  /// What runs for it in other threads may want the interpreter's lock before it ends.
  ~PythonSession() {
    if (session_ != nullptr) without_lock([this] { session_.reset(); });
  }

  nb::object run(nb::handle fetches, nb::handle feed_dict, nb::handle options, nb::handle run_metadata) {
    std::vector<tf::Fetch> fetched;
    const FetchedStructure structure(fetches, fetched);
    return run_resolved(fetched, structure, feeds_of(feed_dict), options, run_metadata);
  }

  nb::object run_resolved(const std::vector<tf::Fetch>& fetched, const FetchedStructure& structure,
                          const tf::FeedDict& feeds, nb::handle options, nb::handle run_metadata) {
    std::vector<Array> values;
    tf::RunMetadata metadata;
    tf::RunMetadata* const wanted = run_metadata.is_none() ? nullptr : &metadata;
    try {
      const tf::RunOptions run_options = options_of(options);
      const ReleasedLock released;
      values = session_->run(std::span<const tf::Fetch>(fetched), feeds, run_options, wanted);
    } catch (const errors::OpError& error) {
      const tf::Graph graph = session_->graph();
      raise_op_error(error, &graph);
    }
    if (wanted != nullptr) nb::cast<tf::RunMetadata&>(run_metadata) = std::move(metadata);
    size_t next = 0;
    return structure.rebuild(values, next);
  }

  std::string partial_run_setup(nb::handle fetches, nb::handle feeds) {
    std::vector<tf::Fetch> fetched;
    const FetchedStructure structure(fetches, fetched);
    std::vector<tf::FeedKey> keys;
    const auto add = [&keys](nb::handle feed) {
      if (!nb::hasattr(feed, "_fetch_parts")) return keys.push_back(feed_key(feed));
      for (nb::handle part : nb::object(feed.attr("_fetch_parts"))) keys.push_back(feed_key(part));
    };
    if (PyList_Check(feeds.ptr()) || PyTuple_Check(feeds.ptr())) {
      for (nb::handle feed : feeds) add(feed);
    } else if (!feeds.is_none()) {
      add(feeds);
    }
    return with_op_errors([&] { return session_->partial_run_setup(fetched, keys); });
  }

  nb::object partial_run(const std::string& handle, nb::handle fetches, nb::handle feed_dict) {
    std::vector<tf::Fetch> fetched;
    const FetchedStructure structure(fetches, fetched);
    const tf::FeedDict feeds = feeds_of(feed_dict);
    std::vector<Array> values = with_op_errors([&] { return session_->partial_run(handle, fetched, feeds); });
    size_t next = 0;
    return structure.rebuild(values, next);
  }

  tf::Session& session() { return *session_; }
  const std::shared_ptr<tf::Session>& shared() const { return session_; }
  const std::string& target() const { return target_; }
  const tf::SessionConfig& config() const { return config_; }

  /// Makes it the default session, and its graph the default one.
  void enter(nb::handle self) {
    graphs_.push_back(make_default(session_->graph()));
    enter_default_session(self);
  }
  void exit(nb::handle self) {
    if (!graphs_.empty()) graphs_.pop_back();
    leave_default_session(self);  // last: the reference may be the only one
  }

 private:
  /// What `call` gives, without the interpreter's lock; errors name the node of Python's graph.
  template <class Call>
  std::invoke_result_t<Call&> with_op_errors(Call call) {
    try {
      const ReleasedLock released;
      return call();
    } catch (const errors::OpError& error) {
      const tf::Graph graph = session_->graph();
      raise_op_error(error, &graph);
    }
  }

  tf::FeedDict feeds_of(nb::handle feed_dict) {
    tf::FeedDict feeds;
    if (feed_dict.is_none()) return feeds;
    if (!PyDict_Check(feed_dict.ptr())) {
      throw TypeError(
          fmt::format("`feed_dict` must be a dict, but is {}", nb::repr(feed_dict.type()).c_str()));
    }
    for (auto [object, value] : nb::borrow<nb::dict>(feed_dict)) {
      if (nb::hasattr(object, "_fetch_parts")) {
        size_t i = 0;
        for (nb::handle part : object.attr("_fetch_parts")) add_feed(feeds, part, nb::object(value[i++]));
        continue;
      }
      if (PyTuple_Check(object.ptr()) != 0) {  // a structure of keys, and one of values that is like it
        const nb::object pairs = python_object("flowray.tf._nest", "paired")(object, value);
        for (nb::handle pair : pairs) add_feed(feeds, nb::object(pair[0]), nb::object(pair[1]));
        continue;
      }
      add_feed(feeds, object, value);
    }
    return feeds;
  }

  void add_feed(tf::FeedDict& feeds, nb::handle object, nb::handle value) {
    tf::FeedKey key = feed_key(object);
    DType dtype = DType::kInvalid;
    try {
      dtype = dtype_of_key(key, *session_);
    } catch (const Error& error) {
      throw TypeError("Cannot interpret feed_dict key as Tensor: " + error.message());
    }
    Array array = fed_array(value, key, dtype);
    feeds.add(std::move(key), std::move(array));
  }

  static tf::RunOptions options_of(nb::handle options) {
    tf::RunOptions result;
    if (options.is_none()) return result;
    result.trace_level = static_cast<tf::RunOptions::TraceLevel>(as_int(options.attr("trace_level")));
    result.timeout_in_ms = as_int(options.attr("timeout_in_ms"));
    result.output_partition_graphs = as_bool(options.attr("output_partition_graphs"));
    const nb::object cancellation = options.attr("_cancellation");
    if (!cancellation.is_none())
      result.cancellation = nb::cast<std::shared_ptr<tf::StepCancellation>>(cancellation);
    return result;
  }

  tf::SessionConfig config_;
  std::shared_ptr<tf::Session> session_;
  std::string target_;
  std::vector<std::shared_ptr<void>> graphs_;
};

namespace {

/// session.make_callable(...)
class PythonCallable {
 public:
  PythonCallable(nb::object session, nb::handle fetches, const std::vector<nb::object>& feeds,
                 bool accepts_options)
      : session_(std::move(session)), structure_(fetches, fetched_), accepts_options_(accepts_options) {
    tf::Session& language = nb::cast<PythonSession&>(session_).session();
    const auto add = [&](nb::handle feed) {
      keys_.push_back(feed_key(feed));
      dtypes_.push_back(dtype_of_key(keys_.back(), language));
    };
    for (const nb::object& feed : feeds) {
      const size_t first = keys_.size();
      const bool is_of_parts = nb::hasattr(feed, "_fetch_parts");  // a SparseTensor and the like
      if (is_of_parts) {
        for (nb::handle part : nb::object(feed.attr("_fetch_parts"))) add(part);
      } else {
        add(feed);
      }
      num_parts_.push_back(is_of_parts ? keys_.size() - first : 0);
    }
    callable_ = language.make_callable(fetched_, keys_);
  }

  nb::object call(const nb::args& values, const nb::kwargs& named) {
    const std::vector<Array> arrays = fed_arrays(values);
    if (named.size() != 0) return call_with_options(arrays, named);
    std::vector<const Array*> feeds;
    for (const Array& array : arrays) feeds.push_back(&array);
    std::vector<Array> results;
    try {
      const ReleasedLock released;
      results = callable_(feeds);
    } catch (const errors::OpError& error) {
      const tf::Graph graph = nb::cast<PythonSession&>(session_).session().graph();
      raise_op_error(error, &graph);
    }
    size_t next = 0;
    return structure_.rebuild(results, next);
  }

 private:
  std::vector<Array> fed_arrays(const nb::args& values) const {
    if (values.size() != num_parts_.size()) {
      throw ValueError(
          fmt::format("This callable takes {} values, but got {}", num_parts_.size(), values.size()));
    }
    std::vector<Array> arrays;
    arrays.reserve(dtypes_.size());
    const auto add = [&](nb::handle value) {
      const size_t i = arrays.size();
      arrays.push_back(fed_array(value, keys_[i], dtypes_[i]));
    };
    for (size_t k = 0; k < num_parts_.size(); ++k) {
      const nb::object value = values[k];
      if (num_parts_[k] == 0) add(value);
      for (size_t part = 0; part < num_parts_[k]; ++part) add(nb::object(value[part]));
    }
    return arrays;
  }

  /// A call with options is a run: what it finds out about its step is new each time.
  nb::object call_with_options(const std::vector<Array>& arrays, const nb::kwargs& named) const {
    nb::object options = nb::none();
    nb::object metadata = nb::none();
    for (auto [key, value] : named) {
      const std::string name = as_text(key);
      if (!accepts_options_ || (name != "options" && name != "run_metadata"))
        throw TypeError(fmt::format("This callable got an unexpected keyword argument '{}'", name));
      (name == "options" ? options : metadata) = nb::borrow(value);
    }
    tf::FeedDict feeds;
    for (size_t i = 0; i < arrays.size(); ++i) feeds.add(keys_[i], arrays[i]);
    return nb::cast<PythonSession&>(session_).run_resolved(fetched_, structure_, feeds, options, metadata);
  }

  nb::object session_;
  std::vector<tf::Fetch> fetched_;
  FetchedStructure structure_;
  const bool accepts_options_;
  std::vector<tf::FeedKey> keys_;
  std::vector<DType> dtypes_;
  std::vector<size_t> num_parts_;  // of each value that is given; 0: it is an array itself
  tf::CallableOfMany callable_;
};

Scope session_scope(const nb::object& self) {
  return Scope(
      [self] {
        enter_default_session(self);
        auto end = std::shared_ptr<void>(nullptr, [self](void*) { leave_default_session(self); });
        return std::pair(end, self);
      },
      Scope::Kind::kSession, self.ptr());
}

}  // namespace

nb::object default_session() {
  return default_sessions.empty() ? nb::object() : nb::borrow(default_sessions.back());
}

tf::Session* session_of_object(nb::handle object) {
  const nb::object chosen = object.is_none() ? default_session() : nb::borrow(object);
  return chosen.is_valid() ? &nb::cast<PythonSession&>(chosen).session() : nullptr;
}

tf::GraphOptions graph_options(nb::handle options) {
  const nb::object optimizer = options.attr("optimizer_options");
  const nb::object rewrites = options.attr("rewrite_options");
  const auto toggle = [&rewrites](const char* name) {
    return static_cast<tf::RewriterConfig::Toggle>(as_int(rewrites.attr(name)));
  };
  return {.optimizer_options = {.opt_level = static_cast<tf::OptimizerOptions::Level>(
                                    as_int(optimizer.attr("opt_level"))),
                                .do_common_subexpression_elimination =
                                    as_bool(optimizer.attr("do_common_subexpression_elimination")),
                                .do_constant_folding = as_bool(optimizer.attr("do_constant_folding"))},
          .rewrite_options = {.constant_folding = toggle("constant_folding"),
                              .dependency_optimization = toggle("dependency_optimization"),
                              .remapping = toggle("remapping"),
                              .common_subgraph_elimination = toggle("common_subgraph_elimination"),
                              .disable_meta_optimizer = as_bool(rewrites.attr("disable_meta_optimizer"))}};
}

tf::SessionConfig session_config(nb::handle config) {
  tf::SessionConfig result;
  if (config.is_none()) return result;
  if (!nb::hasattr(config, "operation_timeout_in_ms"))
    throw_wrong_argument("config", "tf.ConfigProto", config);
  result.intra_op_parallelism_threads = static_cast<int>(as_int(config.attr("intra_op_parallelism_threads")));
  result.operation_timeout_in_ms = as_int(config.attr("operation_timeout_in_ms"));
  result.allow_soft_placement = as_bool(config.attr("allow_soft_placement"));
  result.log_device_placement = as_bool(config.attr("log_device_placement"));
  result.isolate_session_state = as_bool(config.attr("isolate_session_state"));
  result.graph_options = graph_options(config.attr("graph_options"));
  for (nb::handle filter : config.attr("device_filters")) result.device_filters.push_back(as_text(filter));
  for (auto [type, count] : nb::dict(config.attr("device_count")))
    result.device_count[as_text(type)] = static_cast<int>(as_int(count));
  return result;
}

void bind_session(nb::module_& m) {
  using tf::train::DeviceAttributes;
  nb::class_<DeviceAttributes>(m, "DeviceAttributes", "A device that a session's steps may run on.")
      .def_prop_ro("name", [](const DeviceAttributes& self) { return self.name; })
      .def_prop_ro("device_type", [](const DeviceAttributes& self) { return self.device_type; })
      .def_ro("memory_limit_bytes", &DeviceAttributes::memory_limit_bytes)
      .def_ro("incarnation", &DeviceAttributes::incarnation)
      .def("__eq__",
           [](const DeviceAttributes& self, nb::handle other) {
             return nb::isinstance<DeviceAttributes>(other) &&
                    nb::cast<const DeviceAttributes&>(other) == self;
           })
      .def("__repr__", [](const DeviceAttributes& self) {
        return fmt::format("_DeviceAttributes({}, {}, {}, {})", self.name, self.device_type,
                           self.memory_limit_bytes, self.incarnation);
      });
  nb::class_<tf::StepCancellation>(m, "StepCancellation")
      .def(nb::init<>())
      .def("cancel", [](tf::StepCancellation& self) {
        const ReleasedLock released;
        self.cancel();
      });
  nb::class_<PythonSession>(m, "BaseSession", nb::dynamic_attr(), nb::is_weak_referenceable())
      .def(
          "__init__",
          [](PythonSession* self, nb::handle target, nb::handle graph, nb::handle config) {
            new (self) PythonSession(target_of_session(target), graph, config);
          },
          nb::arg("target").none() = "", nb::arg("graph").none() = nb::none(),
          nb::arg("config").none() = nb::none())
      .def(
          "__init__",
          [](PythonSession* self, nb::handle graph, bool /*is_of_models*/) {
            new (self) PythonSession(tf::keras::session_of(graph_of_session(graph)));
          },
          "graph"_a, "is_of_models"_a)
      .def("_share_with_models",
           [](PythonSession& self) { tf::keras::share_session(self.session().graph(), self.shared()); })
      .def("run", &PythonSession::run, nb::arg("fetches").none(), nb::arg("feed_dict").none() = nb::none(),
           nb::arg("options").none() = nb::none(), nb::arg("run_metadata").none() = nb::none(),
           "Runs what is needed for the fetches, and returns their values in the same structure.")
      .def("partial_run_setup", &PythonSession::partial_run_setup, nb::arg("fetches").none(),
           nb::arg("feeds").none() = nb::none(),
           "The handle of a step that is fed and fetched in several calls of partial_run().")
      .def("partial_run", &PythonSession::partial_run, "handle"_a, nb::arg("fetches").none(),
           nb::arg("feed_dict").none() = nb::none(), "Runs what the feeds so far are enough for.")
      .def(
          "make_callable",
          [](nb::object self, nb::handle fetches, nb::handle feed_list, nb::handle accept_options) {
            std::vector<nb::object> feeds;
            if (!feed_list.is_none()) {
              if (PyList_Check(feed_list.ptr()) == 0 && PyTuple_Check(feed_list.ptr()) == 0) {
                throw TypeError(
                    fmt::format("Argument `feed_list` must be a list or tuple. Received: feed_list={}",
                                nb::str(feed_list).c_str()));
              }
              for (nb::handle feed : feed_list) feeds.push_back(nb::borrow(feed));
            }
            // As TensorFlow's, a callable with feeds takes options in any case.
            const bool accepts_options = !feed_list.is_none() || as_bool(accept_options);
            return PythonCallable(std::move(self), fetches, feeds, accepts_options);
          },
          nb::arg("fetches").none(), nb::arg("feed_list").none() = nb::none(),
          nb::arg("accept_options").none() = false,
          "A step that is found once and then called with its feeds' values. It takes `options` and "
          "`run_metadata`, too, where `accept_options` is true or there is a `feed_list`.")
      .def(
          "explain",
          [](PythonSession& self, nb::handle fetches, Integer measured_runs) {
            std::vector<tf::Fetch> fetched;
            const FetchedStructure structure(fetches, fetched);
            return without_lock([&] {
              return self.session().explain(std::span<const tf::Fetch>(fetched), {}, measured_runs);
            });
          },
          "fetches"_a, "measured_runs"_a = 0)
      .def("close",
           [](PythonSession& self) {
             self.is_closed = true;
             const ReleasedLock released;
             self.session().close();
           })
      .def("list_devices",
           [](PythonSession& self) {
             if (self.is_closed) throw errors::CancelledError("Session has been closed.");
             if (!self.target().empty()) {
               return without_lock([&] { return tf::train::list_devices(self.target(), self.config()); });
             }
             // TensorFlow says so much of each CPU.
             constexpr int64_t kMemoryLimit = int64_t{256} << 20;
             const char* const cpu = "/job:localhost/replica:0/task:0/device:CPU:0";
             return std::vector<tf::train::DeviceAttributes>{{cpu, "CPU", kMemoryLimit, 1}};
           })
      .def_static(
          "_reset",
          [](nb::handle target, nb::handle containers, nb::handle config) {
            const std::string server = target_of_session(target);
            const std::vector<std::string> names =
                containers.is_none() ? std::vector<std::string>() : as_texts(containers);
            const tf::SessionConfig how = session_config(config);
            without_lock([&] { tf::train::reset_session(server, names, how); });
          },
          nb::arg("target").none(), nb::arg("containers").none(), nb::arg("config").none())
      .def("as_default", [](nb::object self) { return session_scope(self); })
      .def("_enter", [](nb::handle self) { nb::cast<PythonSession&>(self).enter(self); })
      .def("_exit", [](nb::handle self) { nb::cast<PythonSession&>(self).exit(self); })
      .def_prop_ro("graph", [](PythonSession& self) { return give(self.session().graph()); })
      .def_prop_ro("sess_str", [](PythonSession& self) { return self.target(); });
  nb::class_<PythonCallable>(m, "Callable").def("__call__", &PythonCallable::call);
  m.def(
      "get_default_session",
      [] {
        const nb::object session = default_session();
        return session.is_valid() ? session : nb::none();
      },
      "The default session of this thread, or None.");
  bind_run_metadata(m);
}

}  // namespace flowray::python
