/// tf.train.Saver, and graphs with their savers in files.

#include "files/file_contents.h"
#include "native/convert/bind.h"
#include "native/convert/released_lock.h"
#include "native/graph/partitioned_variables.h"
#include "native/graph/python_graph.h"
#include "native/train/collection_lists.h"
#include "native/train/training_arguments.h"

#include <flowray/tf/data.h>
#include <flowray/tf/saver.h>

#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <filesystem>

namespace flowray::python {

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
  const bool is_tensor = nb::isinstance<tf::Tensor>(step) || nb::isinstance<tf::Variable>(step);
  if (is_tensor && session.is_none()) return as_int(step.attr("numpy")());
  if (is_tensor) return as_int(session.attr("run")(step));
  return as_int(step);
}

CollectionLists node_lists_of(const nb::object& graph) {
  CollectionLists lists;
  const nb::object collections = python_object("flowray.tf._language", "_names_of_collections");
  const auto named = nb::borrow<nb::dict>(nb::object(collections(graph)));
  for (auto [key, names] : named) lists[as_text(key)] = as_texts(names);
  return lists;
}

CollectionLists bytes_lists_of(const nb::object& graph) {
  CollectionLists lists;
  const nb::object collections = python_object("flowray.tf._coordinator", "encoded_runners");
  for (auto [key, list] : nb::borrow<nb::dict>(nb::object(collections(graph)))) {
    std::vector<std::string>& all = lists[as_text(key)];
    for (nb::handle item : list) {
      const auto bytes = nb::borrow<nb::bytes>(item);
      all.emplace_back(bytes.c_str(), bytes.size());
    }
  }
  return lists;
}

nb::dict dict_of(const CollectionLists& lists) {
  nb::dict dict;
  for (const auto& [key, names] : lists) {
    nb::list list;
    for (const std::string& name : names) list.append(nb::str(name.c_str()));
    dict[key.c_str()] = list;
  }
  return dict;
}

using tf::train::Saver;

FLOWRAY_FIELDS(tf::train::SaverOptions, reshape, sharded, max_to_keep, keep_checkpoint_every_n_hours, name,
               defer_build, pad_step_number, save_relative_paths)
FLOWRAY_FIELDS(tf::train::SaveOptions, latest_filename, meta_graph_suffix, write_meta_graph, write_state)

namespace {

/// Null for anything but a session.
tf::Session* session_or_null(nb::handle object) {
  const nb::object type = python_object("flowray._native", "BaseSession");
  return PyObject_IsInstance(object.ptr(), type.ptr()) == 1 ? session_of_object(object) : nullptr;
}

using Saveables = std::vector<tf::train::SaveableObject>;

std::map<std::string, tf::Variable> as_named_variables(nb::dict variables, Saveables& saveables) {
  std::map<std::string, tf::Variable> named;
  for (auto [saved_name, variable] : variables) {
    if (PyUnicode_Check(saved_name.ptr()) == 0) {
      throw TypeError(
          std::string("names_to_saveables must be a dict mapping string names to trackable operations. "
                      "Name is not a string: ") +
          nb::str(saved_name).c_str());
    }
    if (variable.is_none()) throw ValueError("None values not supported.");
    if (nb::isinstance<tf::train::SaveableObject>(variable)) {
      saveables.push_back(nb::cast<const tf::train::SaveableObject&>(variable));
      continue;
    }
    if (nb::isinstance<PythonParts>(variable)) {
      named.emplace(as_text(saved_name), nb::cast<const PythonParts&>(variable).whole);
      continue;
    }
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

tf::train::SaverOptions with_variables(nb::handle var_list, tf::train::SaverOptions options) {
  if (var_list.is_none()) return options;
  if (PyDict_Check(var_list.ptr()) != 0) {
    options.named_variables = as_named_variables(nb::borrow<nb::dict>(var_list), options.saveables);
  } else {
    if (PyUnicode_Check(var_list.ptr()) != 0 || PySequence_Check(var_list.ptr()) == 0) {
      throw TypeError(fmt::format("Variables to save should be passed in a dict or a list. Got {}",
                                  nb::str(var_list).c_str()));
    }
    nb::list variables;
    for (nb::handle variable : var_list) {
      if (nb::isinstance<tf::train::SaveableObject>(variable)) {
        options.saveables.push_back(nb::cast<const tf::train::SaveableObject&>(variable));
        continue;
      }
      if (!nb::isinstance<tf::Variable>(variable) && !nb::isinstance<PythonParts>(variable))
        throw TypeError(fmt::format("Variable to save is not a Variable: {}", nb::str(variable).c_str()));
      variables.append(variable);
    }
    options.var_list = as_variables(variables);
  }
  if (options.named_variables.empty() && options.var_list.empty() && options.saveables.empty())
    throw ValueError("No variables to save");
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
        nb::object saver = nb::none();
        if (imported.saver != nullptr)
          saver = nb::cast(imported.saver.release(), nb::rv_policy::take_ownership);
        return nb::make_tuple(saver, dict_of(imported.node_lists));
      },
      "file"_a, "clear_devices"_a, "import_scope"_a);
  m.def(
      "_export_meta_graph",
      [](nb::handle graph) {
        const auto in_graph = make_default(graph_of_object(graph));
        const std::string bytes = tf::train::export_meta_graph(nullptr, node_lists_of(nb::borrow(graph)),
                                                               bytes_lists_of(nb::borrow(graph)));
        return nb::bytes(bytes.data(), bytes.size());
      },
      "graph"_a);
  m.def(
      "_write_file",
      [](const std::string& path, const nb::bytes& bytes) {
        files::write_file(path, {bytes.c_str(), bytes.size()}, files::FileAccess::all());
      },
      "path"_a, "bytes"_a);
}

void check_version(nb::handle write_version) {
  if (!write_version.is_none() && as_int(write_version) != kVersion2)
    refuse(write_version, "tf.train.Saver", "write_version");
}
void refuse_sequence(nb::handle restore_sequentially) {
  if (as_bool(restore_sequentially)) refuse(restore_sequentially, "tf.train.Saver", "restore_sequentially");
}

void refuse_stripping(nb::handle strip_default_attrs) {
  if (as_bool(strip_default_attrs)) refuse(strip_default_attrs, "tf.train.Saver.save", "strip_default_attrs");
}
void refuse_debug_info(nb::handle save_debug_info) {
  if (as_bool(save_debug_info)) refuse(save_debug_info, "tf.train.Saver.save", "save_debug_info");
}

std::string save(Saver& self, nb::handle sess, nb::handle save_path, nb::handle global_step,
                 tf::train::SaveOptions options) {
  options.global_step = as_step_number(global_step, sess);
  const std::string path = as_path(save_path);
  if (sess.is_none()) return self.save(path, options);  // of eager execution, or an error
  tf::Session& session = session_to_save(sess);
  if (options.write_meta_graph) {
    const nb::object graph = give(session.graph());
    options.node_lists = node_lists_of(graph);
    options.bytes_lists = bytes_lists_of(graph);
  }
  const ReleasedLock released;
  return self.save(session, path, options);
}

void restore(Saver& self, nb::handle sess, nb::handle save_path) {
  if (save_path.is_none()) throw ValueError("Can't load save_path when it is None.");
  const std::string path = as_path(save_path);
  if (path.empty()) throw ValueError("The passed save_path is not a valid checkpoint: ");
  if (sess.is_none()) return self.restore(path);
  tf::Session& session = session_to_save(sess);
  without_lock([&] { self.restore(session, path); });
}

void bind_saver_class(nb::module_& m) {
  nb::class_<Saver> saver(m, "Saver", docstring_of("train.Saver"));
  const auto number_to_keep = [](nb::handle max_to_keep) {
    return max_to_keep.is_none() ? 0 : static_cast<int>(as_int(max_to_keep));
  };
  bind_constructor(saver, &with_variables,
                   {{"var_list", nb::none()},
                    "reshape",
                    "sharded",
                    converted("max_to_keep", number_to_keep),
                    "keep_checkpoint_every_n_hours",
                    "name",
                    checked(ignored("restore_sequentially", false), &refuse_sequence),
                    refused("saver_def"),  // _train.Saver makes these by _saver_of_nodes
                    refused("builder"),
                    "defer_build",
                    ignored("allow_empty", false),
                    checked(ignored("write_version", kVersion2), &check_version),
                    "pad_step_number",
                    "save_relative_paths",
                    refused("filename")});
  bind_method(saver, "build", &Saver::build);
  bind_method(saver, "save", &save,
              {"sess",
               "save_path",
               {"global_step", nb::none()},
               {"latest_filename", nb::none()},
               "meta_graph_suffix",
               "write_meta_graph",
               "write_state",
               checked(ignored("strip_default_attrs", false), &refuse_stripping),
               checked(ignored("save_debug_info", false), &refuse_debug_info)});
  saver.def("_names", [](const Saver& self) {
    const tf::train::SaverNames names = self.names();
    return nb::make_tuple(names.filename, names.save, names.restore, self.max_to_keep());
  });
  m.def("_saver_of_nodes", [](nb::handle filename, nb::handle save, nb::handle restore, int max_to_keep) {
    auto made = Saver::of_nodes({as_text(filename), as_text(save), as_text(restore)}, max_to_keep);
    return nb::cast(made.release(), nb::rv_policy::take_ownership);
  });
  bind_method(saver, "restore", &restore, {"sess", "save_path"});
  saver.def_prop_ro("last_checkpoints", [](const Saver& self) { return self.last_checkpoints(); });
  bind_method(saver, "set_last_checkpoints", &Saver::set_last_checkpoints,
              {converted("last_checkpoints", &as_paths)});
  bind_method(saver, "recover_last_checkpoints", &Saver::set_last_checkpoints,
              {converted("checkpoint_paths", &as_paths)}, docstring_of("train.Saver.set_last_checkpoints"));
}

/// What a SaveableObject saves: TensorFlow's SaveSpec.
nb::object save_spec_of(const tf::train::SaveableObject& self) {
  const nb::object type = python_object("flowray.tf._iterator_states", "SaveSpec");
  return type(give(self.value()), nb::str(""), nb::str(self.name_in_file().c_str()),
              dtype_object(self.value().dtype()));
}

void bind_saveables(nb::module_& m) {
  using Saveable = tf::train::SaveableObject;
  nb::class_<Saveable>(m, "SaveableObject", "State other than a variable's, for a Saver.")
      .def_prop_ro("name", [](const Saveable& self) { return self.name(); })
      .def_prop_ro("op", [](const Saveable& self) { return give(self.op()); })
      .def_prop_ro("specs",
                   [](const Saveable& self) {
                     nb::list specs;
                     specs.append(save_spec_of(self));
                     return specs;
                   })
      .def(
          "restore",
          [](const Saveable& self, nb::list restored_tensors, nb::handle) {
            return give(self.restore(nb::cast<const tf::Tensor&>(restored_tensors[0])));
          },
          "restored_tensors"_a, nb::arg("restored_shapes").none());
  m.def("_make_saveable_from_iterator", [](const tf::data::Iterator& iterator, nb::handle policy) {
    return tf::data::experimental::make_saveable_from_iterator(
        iterator, {.external_state_policy = nb::str(policy).c_str()});
  });
  m.def("_saveable_from_handle",
        [](const tf::Tensor& handle) { return tf::train::saveable_of_iterator(handle); });
}

void bind_checkpoints(nb::module_& m) {
  const Argument folder = converted("checkpoint_dir", &as_path);
  const Argument latest_filename = converted({"latest_filename", nb::none()}, [](nb::handle name) {
    return name.is_none() ? std::string("checkpoint") : as_text(name);
  });
  using State = tf::train::CheckpointState;
  nb::class_<State>(m, "CheckpointState")
      .def_ro("model_checkpoint_path", &State::model_checkpoint_path)
      .def_ro("all_model_checkpoint_paths", &State::all_model_checkpoint_paths);
  bind(m, "latest_checkpoint",
       [](const std::string& dir, const std::string& filename) {
         const std::string path = tf::train::latest_checkpoint(dir, filename);
         return path.empty() ? nb::none() : nb::object(nb::str(path.c_str()));
       },
       {folder, latest_filename});
  bind(m, "get_checkpoint_state",
       [](const std::string& dir, const std::string& filename) {
         const auto state = tf::train::get_checkpoint_state(dir, filename);
         return state.has_value() ? nb::cast(*state) : nb::none();
       },
       {folder, latest_filename});
  bind(m, "checkpoint_exists", [](const std::string& prefix) { return tf::train::checkpoint_exists(prefix); },
       {converted("checkpoint_prefix", &as_path)});
}

}  // namespace

void bind_saver(nb::module_& m) {
  bind_saveables(m);
  bind_saver_class(m);
  bind_checkpoints(m);
  bind_meta_graphs(m);
}

}  // namespace flowray::python
