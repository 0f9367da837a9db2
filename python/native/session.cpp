/// tf.Session: fetches of any nesting, feeds, callables.

#include "convert.h"
#include "python_graph.h"

#include <flowray/tf/timeline.h>

#include "tf/tensor_text.h"

#include <nanobind/stl/string.h>

#include <fmt/format.h>

namespace flowray::python {

tf::Graph graph_of_object(nb::handle object);

namespace {

thread_local std::vector<PyObject*> default_sessions;  // held by who opened them

tf::SessionConfig session_config(nb::handle config) {
  tf::SessionConfig result;
  if (config.is_none()) return result;
  result.intra_op_parallelism_threads = static_cast<int>(as_int(config.attr("intra_op_parallelism_threads")));
  result.operation_timeout_in_ms = as_int(config.attr("operation_timeout_in_ms"));
  result.allow_soft_placement = as_bool(config.attr("allow_soft_placement"));
  return result;
}

/// The fetches of a call in a row, and how Python's structure is made of their values again.
class FetchedStructure {
 public:
  void add(nb::handle object) {
    PyObject* const p = object.ptr();
    if (nb::isinstance<tf::Tensor>(object)) {
      fetches.emplace_back(nb::cast<const tf::Tensor&>(object));
    } else if (nb::isinstance<tf::Operation>(object)) {
      fetches.emplace_back(nb::cast<const tf::Operation&>(object));
    } else if (nb::isinstance<tf::Variable>(object)) {
      fetches.emplace_back(nb::cast<const tf::Variable&>(object));
    } else if (PyList_Check(p) || PyTuple_Check(p)) {
      for (nb::handle item : object) add(item);
    } else if (PyDict_Check(p)) {
      for (auto [key, value] : nb::borrow<nb::dict>(object)) add(value);
    } else if (PyUnicode_Check(p)) {
      fetches.emplace_back(as_text(object));
    } else {
      add_other(object);
    }
  }

  nb::object rebuild(nb::handle object, std::vector<Array>& values) {
    PyObject* const p = object.ptr();
    if (PyList_Check(p)) {
      nb::list list;
      for (nb::handle item : object) list.append(rebuild(item, values));
      return list;
    }
    if (PyTuple_Check(p)) return rebuild_tuple(object, values);
    if (PyDict_Check(p)) {
      nb::dict dict;
      for (auto [key, value] : nb::borrow<nb::dict>(object)) dict[key] = rebuild(value, values);
      return PyDict_CheckExact(p) ? nb::object(dict) : nb::object(object.type()(dict));
    }
    if (nb::hasattr(object, "_fetched_from")) {
      nb::list parts;
      const size_t count = nb::len(nb::object(object.attr("_fetch_parts")));
      for (size_t i = 0; i < count; ++i) parts.append(give_array(std::move(values[next_++])));
      return object.attr("_fetched_from")(parts);
    }
    return give_array(std::move(values[next_++]));
  }

  std::vector<tf::Fetch> fetches;

 private:
  void add_other(nb::handle object) {
    if (nb::hasattr(object, "_fetch_parts")) {  // a SparseTensor and the like
      for (nb::handle part : object.attr("_fetch_parts")) add(part);
      return;
    }
    if (nb::hasattr(object, "_as_graph_element")) return add(object.attr("_as_graph_element")());
    const bool none = object.is_none();
    throw TypeError(fmt::format("Argument `fetch` = {} has invalid type \"{}\". {}", nb::str(object).c_str(),
                                nb::type_name(object.type()).c_str(),
                                none ? "Cannot be None"
                                     : "Must be a string or Tensor. (Can not convert a " +
                                           std::string(nb::type_name(object.type()).c_str()) +
                                           " into a Tensor or Operation.)"));
  }

  nb::object rebuild_tuple(nb::handle object, std::vector<Array>& values) {
    nb::list items;
    for (nb::handle item : object) items.append(rebuild(item, values));
    if (PyTuple_CheckExact(object.ptr())) return nb::tuple(items);
    return object.type()(*items);  // a namedtuple
  }

  size_t next_ = 0;
};

tf::FeedKey feed_key(nb::handle object) {
  if (nb::isinstance<tf::Tensor>(object)) return nb::cast<const tf::Tensor&>(object);
  if (nb::isinstance<tf::Variable>(object)) return nb::cast<const tf::Variable&>(object).ref();
  if (PyUnicode_Check(object.ptr())) return as_text(object);
  if (nb::hasattr(object, "_as_graph_element")) return feed_key(object.attr("_as_graph_element")());
  throw TypeError(fmt::format("Cannot interpret feed_dict key as Tensor: Can not convert a {} into a Tensor.",
                              nb::type_name(object.type()).c_str()));
}

DType dtype_of_key(const tf::FeedKey& key, const tf::Session& session) {
  if (key.node() != nullptr) return base_dtype(key.node()->output_dtype(key.index()));
  return base_dtype(session.graph().get_tensor_by_name(key.name()).dtype());
}

[[noreturn]] void throw_tensor_fed(nb::handle value, const tf::FeedKey& key) {
  throw TypeError(
      fmt::format("The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python "
                  "scalars, strings, lists, "
                  "numpy ndarrays, or TensorHandles. For reference, the tensor object was {} which was "
                  "passed to the argument `feed_dict` "
                  "with key {}.",
                  nb::str(value).c_str(),
                  key.node() == nullptr ? key.name() : tf::tensor_text({key.node(), key.index()})));
}

Array fed_array(nb::handle value, const tf::FeedKey& key, DType dtype) {
  if (nb::isinstance<tf::Tensor>(value)) throw_tensor_fed(value, key);
  if (PyLong_CheckExact(value.ptr()) && is_integer(dtype)) {
    const Array wide{as_int(value)};
    Array narrow = wide.astype(dtype);
    if (narrow.astype(DType::kInt64) == wide) return narrow;
    throw TypeError(fmt::format(
        "Type of feed value {} with type {} is not compatible with Tensor type {}. Try explicitly "
        "setting the type of the feed tensor to a larger type (e.g. int64).",
        nb::str(value).c_str(), nb::repr(value.type()).c_str(), dtype_name(dtype)));
  }
  return as_array(value, dtype);
}

}  // namespace

class PythonSession {
 public:
  PythonSession(const std::string& target, nb::handle graph, nb::handle config)
      : session_(target.empty()
                     ? std::make_unique<tf::Session>(graph_of_object(graph), session_config(config))
                     : std::make_unique<tf::Session>(target, session_config(config))),
        target_(target) {}

  nb::object run(nb::handle fetches, nb::handle feed_dict, nb::handle options, nb::handle run_metadata) {
    FetchedStructure structure;
    structure.add(fetches);
    const tf::FeedDict feeds = feeds_of(feed_dict);
    std::vector<Array> values;
    tf::RunMetadata metadata;
    tf::RunMetadata* const wanted = run_metadata.is_none() ? nullptr : &metadata;
    try {
      const tf::RunOptions run_options = options_of(options);
      const nb::gil_scoped_release released;
      values = session_->run(std::span<const tf::Fetch>(structure.fetches), feeds, run_options, wanted);
    } catch (const errors::OpError& error) {
      const tf::Graph graph = session_->graph();
      raise_op_error(error, &graph);
    }
    if (wanted != nullptr) nb::cast<tf::RunMetadata&>(run_metadata) = std::move(metadata);
    return structure.rebuild(fetches, values);
  }

  tf::Session& session() { return *session_; }
  const std::string& target() const { return target_; }

  /// Makes it the default session, and its graph the default one.
  void enter(nb::handle self, bool with_graph) {
    if (with_graph) graphs_.push_back(make_default(session_->graph()));
    default_sessions.push_back(self.ptr());
  }
  void exit(nb::handle self) {
    if (!default_sessions.empty() && default_sessions.back() == self.ptr()) default_sessions.pop_back();
    if (!graphs_.empty()) graphs_.pop_back();
  }

 private:
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
    return result;
  }

  std::unique_ptr<tf::Session> session_;
  std::string target_;
  std::vector<std::shared_ptr<void>> graphs_;
};

namespace {

/// session.make_callable(...)
class PythonCallable {
 public:
  PythonCallable(nb::object session, nb::object structure, const std::vector<nb::object>& feeds)
      : session_(std::move(session)), structure_(std::move(structure)) {
    FetchedStructure fetched;
    fetched.add(structure_);
    tf::Session& language = nb::cast<PythonSession&>(session_).session();
    std::vector<tf::FeedKey> keys;
    for (const nb::object& feed : feeds) {
      keys.push_back(feed_key(feed));
      dtypes_.push_back(dtype_of_key(keys.back(), language));
    }
    keys_ = keys;
    single_ = fetched.fetches.size() == 1 && !PyList_Check(structure_.ptr()) &&
              !PyTuple_Check(structure_.ptr()) && !PyDict_Check(structure_.ptr());
    callable_ = language.make_callable(fetched.fetches, keys);
  }

  nb::object call(const nb::args& values) {
    if (values.size() != dtypes_.size()) {
      throw ValueError(
          fmt::format("This callable takes {} values, but got {}", dtypes_.size(), values.size()));
    }
    std::vector<Array> arrays;
    arrays.reserve(dtypes_.size());
    for (size_t i = 0; i < dtypes_.size(); ++i) {
      const nb::object value = values[i];
      arrays.push_back(fed_array(value, keys_[i], dtypes_[i]));
    }
    std::vector<const Array*> feeds;
    for (const Array& array : arrays) feeds.push_back(&array);
    std::vector<Array> results;
    try {
      const nb::gil_scoped_release released;
      results = callable_(feeds);
    } catch (const errors::OpError& error) {
      const tf::Graph graph = nb::cast<PythonSession&>(session_).session().graph();
      raise_op_error(error, &graph);
    }
    if (single_) return give_array(std::move(results.front()));
    FetchedStructure structure;
    return structure.rebuild(structure_, results);
  }

 private:
  nb::object session_;
  nb::object structure_;
  std::vector<tf::FeedKey> keys_;
  std::vector<DType> dtypes_;
  bool single_ = false;
  tf::CallableOfMany callable_;
};

Scope session_scope(const nb::object& self) {
  return Scope([self] {
    nb::cast<PythonSession&>(self).enter(self, false);
    auto end = std::shared_ptr<void>(nullptr, [self](void*) { nb::cast<PythonSession&>(self).exit(self); });
    return std::pair(end, self);
  });
}

void bind_metadata(nb::module_& m) {
  using Metadata = tf::RunMetadata;
  nb::class_<Metadata::NodeExecStats>(m, "NodeExecStats")
      .def_prop_ro("node_name", [](const Metadata::NodeExecStats& self) { return self.node_name; })
      .def_ro("all_start_micros", &Metadata::NodeExecStats::all_start_micros)
      .def_ro("op_start_rel_micros", &Metadata::NodeExecStats::op_start_rel_micros)
      .def_ro("op_end_rel_micros", &Metadata::NodeExecStats::op_end_rel_micros)
      .def_ro("all_end_rel_micros", &Metadata::NodeExecStats::all_end_rel_micros)
      .def_prop_ro("timeline_label", [](const Metadata::NodeExecStats& self) { return self.timeline_label; });
  nb::class_<Metadata::DeviceStepStats>(m, "DeviceStepStats")
      .def_prop_ro("device", [](const Metadata::DeviceStepStats& self) { return self.device; })
      .def_prop_ro("node_stats", [](const Metadata::DeviceStepStats& self) {
        nb::list list;
        for (const auto& node : self.node_stats) list.append(node);
        return list;
      });
  nb::class_<Metadata::StepStats>(m, "StepStats")
      .def_prop_ro("dev_stats", [](const Metadata::StepStats& self) {
        nb::list list;
        for (const auto& device : self.dev_stats) list.append(device);
        return list;
      });
  nb::class_<Metadata>(m, "RunMetadata", "What a step tells about itself: tf.RunMetadata.")
      .def(nb::init<>())
      .def_prop_ro("step_stats", [](const Metadata& self) { return self.step_stats; });
  nb::class_<tf::Timeline>(m, "Timeline", "What a step did, as a trace that people look at.")
      .def(
          "__init__",
          [](tf::Timeline* self, const Metadata::StepStats& stats) { new (self) tf::Timeline(stats); },
          "step_stats"_a)
      .def("generate_chrome_trace_format", [](const tf::Timeline& self, nb::args, nb::kwargs) {
        return self.generate_chrome_trace_format();
      });
}

}  // namespace

nb::object default_session() {
  return default_sessions.empty() ? nb::object() : nb::borrow(default_sessions.back());
}

tf::Session* session_of_object(nb::handle object) {
  const nb::object chosen = object.is_none() ? default_session() : nb::borrow(object);
  return chosen.is_valid() ? &nb::cast<PythonSession&>(chosen).session() : nullptr;
}

void bind_session(nb::module_& m) {
  nb::class_<PythonSession>(m, "BaseSession", nb::dynamic_attr(), nb::is_weak_referenceable())
      .def(
          "__init__",
          [](PythonSession* self, nb::handle target, nb::handle graph, nb::handle config) {
            new (self) PythonSession(as_text(target), graph, config);
          },
          nb::arg("target").none() = "", nb::arg("graph").none() = nb::none(),
          nb::arg("config").none() = nb::none())
      .def("run", &PythonSession::run, nb::arg("fetches").none(), nb::arg("feed_dict").none() = nb::none(),
           nb::arg("options").none() = nb::none(), nb::arg("run_metadata").none() = nb::none(),
           "Runs what is needed for the fetches, and returns their values in the same structure.")
      .def(
          "make_callable",
          [](nb::object self, nb::object fetches, nb::handle feed_list, bool) {
            std::vector<nb::object> feeds;
            if (!feed_list.is_none()) {
              for (nb::handle feed : feed_list) feeds.push_back(nb::borrow(feed));
            }
            return PythonCallable(std::move(self), std::move(fetches), feeds);
          },
          "fetches"_a, nb::arg("feed_list").none() = nb::none(), "accept_options"_a = false,
          "A step that is found once and then called with its feeds' values.")
      .def(
          "explain",
          [](PythonSession& self, nb::handle fetches, int measured_runs) {
            FetchedStructure structure;
            structure.add(fetches);
            return self.session().explain(std::span<const tf::Fetch>(structure.fetches), {}, measured_runs);
          },
          "fetches"_a, "measured_runs"_a = 0)
      .def("close",
           [](PythonSession& self) {
             const nb::gil_scoped_release released;
             self.session().close();
           })
      .def("as_default", [](nb::object self) { return session_scope(self); })
      .def("_enter", [](nb::handle self) { nb::cast<PythonSession&>(self).enter(self, true); })
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
  bind_metadata(m);
}

}  // namespace flowray::python
