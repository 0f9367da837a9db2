/// tf.train.Saver, and graphs with their savers in files.

#include "native/convert/released_lock.h"
#include "native/graph/python_graph.h"
#include "native/train/training_arguments.h"

#include <flowray/tf/saver.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <filesystem>

namespace flowray::python {

std::vector<tf::Variable> as_variables(nb::handle list);
tf::Session* session_of_object(nb::handle object);
tf::Graph graph_of_object(nb::handle object);

std::string as_path(nb::handle object) {
  const bool is_text = PyUnicode_Check(object.ptr()) != 0 || PyBytes_Check(object.ptr()) != 0;
  if (!is_text && !nb::hasattr(object, "__fspath__"))
    throw TypeError(fmt::format("Expected binary or unicode string, got {}", nb::str(object).c_str()));
  std::string path =
      as_text(is_text ? nb::borrow(object) : nb::object(python_object("os", "fspath")(object)));
  if (path.find('\0') != std::string::npos) throw ValueError("embedded null byte");  // as Python's open()
  return path;
}

std::optional<int64_t> as_step_number(nb::handle step, nb::handle session) {
  if (step.is_none()) return std::nullopt;
  if (nb::isinstance<tf::Tensor>(step) || nb::isinstance<tf::Variable>(step))
    return as_int(session.attr("run")(step));
  return as_int(step);
}

namespace {

using tf::train::Saver;

constexpr auto kNone = [](const char* name) { return nb::arg(name).none(); };

/// Null for what is no session.
tf::Session* session_or_null(nb::handle object) {
  const nb::object type = python_object("flowray._native", "BaseSession");
  return PyObject_IsInstance(object.ptr(), type.ptr()) == 1 ? session_of_object(object) : nullptr;
}

std::map<std::string, tf::Variable> as_named_variables(nb::dict variables) {
  std::map<std::string, tf::Variable> named;
  for (auto [saved_name, variable] : variables) {
    if (PyUnicode_Check(saved_name.ptr()) == 0) {
      throw TypeError(
          std::string("names_to_saveables must be a dict mapping string names to trackable operations. "
                      "Name is not a string: ") +
          nb::str(saved_name).c_str());
    }
    if (variable.is_none()) throw ValueError("None values not supported.");
    if (!nb::isinstance<tf::Variable>(variable)) {
      throw TypeError(std::string("names_to_saveables must be a dict mapping string names to "
                                  "Tensors/Variables. Not a variable: ") +
                      nb::str(variable).c_str());
    }
    named.emplace(as_text(saved_name), nb::cast<const tf::Variable&>(variable));
  }
  return named;
}

/// tf.train.SaverDef: V1's files are not written here.
constexpr int64_t kVersion2 = 2;

tf::train::SaverOptions saver_options(nb::handle var_list) {
  tf::train::SaverOptions options;
  if (var_list.is_none()) return options;
  if (PyDict_Check(var_list.ptr()) != 0) {
    options.named_variables = as_named_variables(nb::borrow<nb::dict>(var_list));
  } else {
    if (PyUnicode_Check(var_list.ptr()) != 0 || PySequence_Check(var_list.ptr()) == 0) {
      throw TypeError(fmt::format("Variables to save should be passed in a dict or a list. Got {}",
                                  nb::str(var_list).c_str()));
    }
    for (nb::handle variable : var_list) {
      if (!nb::isinstance<tf::Variable>(variable))
        throw TypeError(fmt::format("Variable to save is not a Variable: {}", nb::str(variable).c_str()));
    }
    options.var_list = as_variables(var_list);
  }
  if (options.named_variables.empty() && options.var_list.empty()) throw ValueError("No variables to save");
  return options;
}

std::vector<std::string> as_paths(nb::handle list) {
  if (PyList_Check(list.ptr()) == 0 && PyTuple_Check(list.ptr()) == 0)
    throw TypeError(fmt::format("A list of checkpoints is wanted, but got {}", nb::str(list).c_str()));
  return as_texts(list);
}

tf::Session& session_to_save(nb::handle object) {
  tf::Session* const session = object.is_none() ? nullptr : session_or_null(object);
  if (session == nullptr)
    throw TypeError(fmt::format("'sess' must be a Session; {}", nb::str(object).c_str()));
  return *session;
}

/// The collections that Python keeps, by names.
std::map<std::string, std::vector<std::string>> node_lists_of(const nb::object& graph) {
  std::map<std::string, std::vector<std::string>> lists;
  const nb::object collections = python_object("flowray.tf._language", "_names_of_collections");
  const auto named = nb::borrow<nb::dict>(nb::object(collections(graph)));
  for (auto [key, names] : named) lists[as_text(key)] = as_texts(names);
  return lists;
}

void bind_meta_graphs(nb::module_& m) {
  m.def(
      "_import_meta_graph",
      [](nb::handle file, Flag clear_devices, nb::handle import_scope) {
        if (!std::filesystem::exists(as_path(file))) {
          const std::string words = fmt::format("File does not exist. Received: {}.", as_path(file));
          PyErr_SetString(PyExc_OSError, words.c_str());
          throw nb::python_error();
        }
        tf::train::ImportedMetaGraph imported = tf::train::import_meta_graph(
            as_path(file), {.import_scope = as_text(import_scope), .clear_devices = clear_devices});
        nb::dict lists;
        for (const auto& [key, names] : imported.node_lists) {
          nb::list list;
          for (const std::string& name : names) list.append(nb::str(name.c_str()));
          lists[key.c_str()] = list;
        }
        nb::object saver = nb::none();
        if (imported.saver != nullptr)
          saver = nb::cast(imported.saver.release(), nb::rv_policy::take_ownership);
        return nb::make_tuple(saver, lists);
      },
      "file"_a, "clear_devices"_a, "import_scope"_a);
  m.def(
      "_export_meta_graph",
      [](nb::handle graph) {
        const auto in_graph = make_default(graph_of_object(graph));
        const std::string bytes = tf::train::export_meta_graph(nullptr, node_lists_of(nb::borrow(graph)));
        return nb::bytes(bytes.data(), bytes.size());
      },
      "graph"_a);
}

void bind_saver_class(nb::module_& m) {
  nb::class_<Saver>(m, "Saver", "Variables in checkpoint files: tf.train.Saver.")
      .def(
          "__init__",
          [](Saver* self, nb::handle var_list, Flag reshape, Flag sharded, nb::handle max_to_keep,
             nb::handle hours, nb::handle name, nb::handle restore_sequentially, nb::handle saver_def,
             nb::handle builder, Flag defer_build, Flag allow_empty, nb::handle write_version, nb::handle,
             nb::handle, nb::handle) {
            refuse(saver_def, "tf.train.Saver", "saver_def");
            refuse(builder, "tf.train.Saver", "builder");
            if (allow_empty) refuse(allow_empty.object, "tf.train.Saver", "allow_empty");
            if (as_bool(restore_sequentially))
              refuse(restore_sequentially, "tf.train.Saver", "restore_sequentially");
            if (!write_version.is_none() && as_int(write_version) != kVersion2)
              refuse(write_version, "tf.train.Saver", "write_version");
            tf::train::SaverOptions options{.defer_build = defer_build};
            if (!var_list.is_none() || !defer_build) options = saver_options(var_list);
            options.reshape = reshape;
            options.sharded = sharded;
            options.max_to_keep = max_to_keep.is_none() ? 0 : static_cast<int>(as_int(max_to_keep));
            options.keep_checkpoint_every_n_hours = as_float(hours);
            options.name = as_text(name);
            options.defer_build = defer_build;
            new (self) Saver(options);
          },
          "var_list"_a = nb::none(), "reshape"_a = false, "sharded"_a = false, "max_to_keep"_a = 5,
          "keep_checkpoint_every_n_hours"_a = 10000.0, "name"_a = nb::none(),
          "restore_sequentially"_a = false, "saver_def"_a = nb::none(), "builder"_a = nb::none(),
          "defer_build"_a = false, "allow_empty"_a = false, "write_version"_a = kVersion2,
          "pad_step_number"_a = false, "save_relative_paths"_a = false, "filename"_a = nb::none())
      .def("build", &Saver::build)
      .def(
          "save",
          [](Saver& self, nb::handle sess, nb::handle save_path, nb::handle global_step,
             nb::handle latest_filename, nb::handle, Flag write_meta_graph, Flag write_state, nb::handle,
             nb::handle) {
            tf::Session& session = session_to_save(sess);
            tf::train::SaveOptions options{.global_step = as_step_number(global_step, sess),
                                           .write_meta_graph = write_meta_graph,
                                           .write_state = write_state};
            if (!latest_filename.is_none()) options.latest_filename = as_text(latest_filename);
            const std::string path = as_path(save_path);
            if (write_meta_graph) options.node_lists = node_lists_of(give(session.graph()));
            const ReleasedLock released;
            return self.save(session, path, options);
          },
          "sess"_a, "save_path"_a, "global_step"_a = nb::none(), "latest_filename"_a = nb::none(),
          "meta_graph_suffix"_a = "meta", "write_meta_graph"_a = true, "write_state"_a = true,
          "strip_default_attrs"_a = false, "save_debug_info"_a = false)
      .def(
          "restore",
          [](Saver& self, nb::handle sess, nb::handle save_path) {
            if (save_path.is_none()) throw ValueError("Can't load save_path when it is None.");
            const std::string path = as_path(save_path);
            if (path.empty()) throw ValueError("The passed save_path is not a valid checkpoint: ");
            tf::Session& session = session_to_save(sess);
            without_lock([&] { self.restore(session, path); });
          },
          "sess"_a, "save_path"_a)
      .def_prop_ro("last_checkpoints", [](const Saver& self) { return self.last_checkpoints(); })
      .def(
          "set_last_checkpoints",
          [](Saver& self, nb::handle last_checkpoints) {
            self.set_last_checkpoints(as_paths(last_checkpoints));
          },
          "last_checkpoints"_a)
      .def(
          "recover_last_checkpoints",
          [](Saver& self, nb::handle paths) { self.set_last_checkpoints(as_paths(paths)); },
          "checkpoint_paths"_a);
  m.def(
      "latest_checkpoint",
      [](nb::handle dir, nb::handle latest_filename) -> nb::object {
        const std::string path = tf::train::latest_checkpoint(
            as_path(dir), latest_filename.is_none() ? "checkpoint" : as_text(latest_filename));
        return path.empty() ? nb::none() : nb::object(nb::str(path.c_str()));
      },
      "checkpoint_dir"_a, kNone("latest_filename") = nb::none());
  using State = tf::train::CheckpointState;
  nb::class_<State>(m, "CheckpointState")
      .def_ro("model_checkpoint_path", &State::model_checkpoint_path)
      .def_ro("all_model_checkpoint_paths", &State::all_model_checkpoint_paths);
  m.def(
      "get_checkpoint_state",
      [](nb::handle dir, nb::handle latest_filename) -> nb::object {
        const auto state = tf::train::get_checkpoint_state(
            as_path(dir), latest_filename.is_none() ? "checkpoint" : as_text(latest_filename));
        return state.has_value() ? nb::cast(*state) : nb::none();
      },
      "checkpoint_dir"_a, kNone("latest_filename") = nb::none());
  m.def(
      "checkpoint_exists", [](nb::handle prefix) { return tf::train::checkpoint_exists(as_path(prefix)); },
      "checkpoint_prefix"_a);
}

}  // namespace

void bind_saver(nb::module_& m) {
  bind_saver_class(m);
  bind_meta_graphs(m);
}

}  // namespace flowray::python
