/// Calls of Python's functions and actors, where they are made.

#include "native/convert/released_lock.h"
#include "native/ray/codec.h"
#include "native/ray/waiting.h"

#include <flowray/ray/actor.h>
#include <flowray/ray/runtime_env.h>

#include "ray/functions/function_registry.h"
#include "ray/functions/libraries.h"
#include "ray/functions/python_functions.h"
#include "ray/transport/call_spec.h"

#include <nanobind/stl/string.h>

#include <map>
#include <set>
#include <string>

namespace flowray::python {
namespace {

using ray::internal::PythonCall;

/// A text that messages name as long as the program runs.
std::string_view kept_text(nb::handle text) {
  static auto* known = new std::set<std::string>();
  return *known->insert(as_text(text)).first;
}

/// A function, class or method with its options: what one `.remote` calls again and again.
class Call {
 public:
  /// A task, or an actor's making: `key` and `pickled` stand for the function or class.
  Call(PythonCall kind, uint64_t key, nb::object pickled) : key_(key), pickled_(std::move(pickled)) {
    options_.function = ray::python_function_id(kind, key);
  }
  /// A method.
  Call(ray::ActorId actor, nb::handle method) : method_(kept_text(method)) { options_.actor = actor; }
  /// A function of C++'s; with an actor, a method. Its arguments are those of the function, no more.
  Call(const ray::internal::FunctionEntry& function, ray::ActorId actor) : is_of_cpp_(true) {
    options_.function = function.id;
    options_.actor = actor;
  }

  /// `terms`: None, or a dict that the call finds in its context where it runs.
  void set_options(nb::handle name, nb::handle class_name, Integer num_returns, Integer max_retries,
                   nb::handle resources, nb::handle actor_name, nb::object terms) {
    options_.function_name = kept_text(name);
    if (options_.actor && !is_of_cpp_) {
      options_.function =
          ray::python_function_id(PythonCall::kMethod, std::hash<std::string_view>()(options_.function_name));
    }
    options_.class_name = kept_text(class_name);
    options_.num_returns = static_cast<int>(num_returns);
    options_.max_retries = static_cast<int>(max_retries);
    options_.name = as_text(actor_name);
    terms_ = std::move(terms);
    // Checked already; here no processor at all, and 1.5 of something, are amounts, too.
    for (auto [resource, amount] : nb::borrow<nb::dict>(resources))
      options_.resources.emplace_back(as_text(resource), as_float(amount));
  }

  /// For an actor: whether it ends with the last handle to it.
  void set_counted(Flag is_counted) { options_.is_counted = is_counted; }

  /// For an actor: how many of its methods run at a time, in as many threads or, `in_loop`,
  /// in one event loop.
  void set_concurrency(Integer max_concurrency, Flag in_loop) {
    options_.max_concurrency = static_cast<int>(max_concurrency);
    options_.answers_later = in_loop;
  }

  /// For an actor: {name of a group: how many of its calls run at a time}.
  void set_concurrency_groups(nb::dict groups) {
    for (auto [name, number] : groups)
      ray::internal::add_concurrency_group(options_, as_text(name), static_cast<int>(as_int(number)), {});
  }
  /// For a method: the name of the group that it runs in.
  void set_concurrency_group(nb::handle name) { options_.concurrency_groups = as_text(name); }

  /// For a task or a method: whether an exception, too, is a reason to run it again.
  void set_retry_exceptions(Flag retries) { options_.retry_exceptions = retries; }

  /// For an actor or a method: how often a call is made again when the process dies with it.
  void set_max_task_retries(Integer retries) { options_.max_task_retries = static_cast<int>(retries); }

  /// {name: value} of variables of the environment that it runs in.
  void set_environment(nb::dict variables) {
    std::map<std::string, std::string> texts;
    for (auto [name, value] : variables) texts[as_text(name)] = as_text(value);
    ray::RuntimeEnv environment;
    environment.Set("env_vars", texts);
    options_.environment = ray::internal::environment_text(environment);
  }

  /// Its resources are taken of the placement group; -1: of any of its bundles.
  void set_group(uint64_t group, Integer bundle) {
    options_.group = {group};
    options_.bundle = static_cast<int>(bundle);
  }

  /// The call gives values one by one.
  void set_stream(Integer most_ahead) {
    options_.is_stream = true;
    options_.most_ahead = static_cast<int>(most_ahead);
  }

  /// None, a reference, or a list of them; of a call that gives values one by one the reference to its end.
  nb::object submit(nb::tuple arguments, nb::dict named) const {
    std::vector<ray::internal::ObjectHandle*> handles(static_cast<size_t>(options_.num_returns));
    ray::internal::EncoderLease encoder;
    write_arguments(*encoder, arguments, named);
    without_lock([&] { ray::internal::submit(options_, typeid(void), *encoder, handles); });
    if (handles.size() == 1) return nb::cast(Ref(handles[0]));
    if (handles.empty()) return nb::none();
    nb::list refs;
    for (ray::internal::ObjectHandle* handle : handles) refs.append(nb::cast(Ref(handle)));
    return refs;
  }

  /// A share in the actor; None for one whose handles do not count.
  nb::tuple make_actor(nb::tuple arguments, nb::dict named) const {
    ray::internal::EncoderLease encoder;
    write_arguments(*encoder, arguments, named);
    const uint64_t actor =
        without_lock([&] { return ray::internal::create_actor(options_, typeid(void), *encoder).value; });
    if (!options_.is_counted) return nb::make_tuple(actor, nb::none());
    return nb::make_tuple(actor, nb::cast(Ref(new ray::internal::ObjectHandle({actor}))));
  }

 private:
  static void write_argument(ray::Encoder& out, nb::handle argument) {
    if (const Ref* const ref = as_ref(argument)) return out.argument_ref(ray::internal::require_handle(*ref));
    encode_value(out, argument);
  }

  /// Writes the arguments in the order in which remote_functions.cpp reads them.
  void write_arguments(ray::Encoder& out, const nb::tuple& arguments, const nb::dict& named) const {
    if (is_of_cpp_) {
      out.begin_list(arguments.size());
      for (nb::handle argument : arguments) write_argument(out, argument);
      return;
    }
    const bool has_function = method_.empty();
    const bool has_terms = terms_.is_valid() && !terms_.is_none();
    out.begin_list(2 + arguments.size() + 2 * named.size() + (has_function ? 1 : 0) + (has_terms ? 1 : 0));
    if (has_function) {
      out.write_unsigned(key_);
    } else {
      out.write_string(method_);
    }
    if (has_terms) encode_value(out, terms_);
    out.write_unsigned(arguments.size());
    for (nb::handle argument : arguments) write_argument(out, argument);
    for (auto [name, argument] : named) {
      out.write_string(as_text(name));
      write_argument(out, argument);
    }
    if (has_function) out.write_ref(nb::cast<const Ref&>(pickled_).handle());
  }

  ray::internal::CallOptions options_;
  uint64_t key_ = 0;
  nb::object pickled_;
  nb::object terms_;
  std::string_view method_;
  bool is_of_cpp_ = false;
};

uint64_t create_group(nb::handle name, Integer strategy, nb::list bundles) {
  ray::internal::GroupSpec group;
  group.name = as_text(name);
  group.strategy = static_cast<uint32_t>(static_cast<int64_t>(strategy));
  for (nb::handle bundle : bundles) {
    auto& amounts = group.bundles.emplace_back();
    for (auto [resource, amount] : nb::borrow<nb::dict>(bundle))
      amounts.emplace_back(as_text(resource), as_float(amount));
  }
  return without_lock([&] { return ray::internal::backend().create_group(group).value; });
}

/// A list of (id, strategy, state, name, [{resource: amount}]).
nb::list groups() {
  nb::list all;
  for (const auto& group : without_lock([] { return ray::internal::backend().groups(); })) {
    nb::list bundles;
    for (const auto& amounts : group.bundles) {
      nb::dict bundle;
      for (const auto& [resource, amount] : amounts) bundle[nb::str(resource.c_str())] = nb::float_(amount);
      bundles.append(bundle);
    }
    all.append(
        nb::make_tuple(group.id.value, group.strategy, group.state, nb::str(group.name.c_str()), bundles));
  }
  return all;
}

/// The call that current_call() told Python of.
ray::internal::CurrentCall call_of(const nb::tuple& told) {
  return {nb::cast<uint64_t>(told[0]), nb::cast<bool>(told[1]), nb::cast<uint32_t>(told[2])};
}

/// A name as RAY_REMOTE has it. Raises where no opened library has registered it.
Call cpp_call(nb::handle name, uint64_t actor) {
  const std::string spelled = as_text(name);
  const ray::FunctionId id = ray::FunctionRegistry::id_of(ray::FunctionRegistry::name_of(spelled));
  const ray::internal::FunctionEntry* const function = ray::registered_functions().find(id);
  if (function != nullptr) return {*function, ray::ActorId{actor}};
  throw ray::RayFunctionNotFound(
      "Function not found: '" + spelled +
      "' was not registered.\nUse RAY_REMOTE to register it, in a library that ray.init opens: "
      "job_config=ray.job_config.JobConfig(code_search_path=[...])");
}

}  // namespace

void bind_calls(nb::module_& m) {
  nb::class_<Call>(m, "Call")
      .def("set_options", &Call::set_options, "name"_a, "class_name"_a, "num_returns"_a, "max_retries"_a,
           "resources"_a, "actor_name"_a, "terms"_a)
      .def("set_concurrency", &Call::set_concurrency, "max_concurrency"_a, "in_loop"_a)
      .def("set_concurrency_groups", &Call::set_concurrency_groups, "groups"_a)
      .def("set_concurrency_group", &Call::set_concurrency_group, "name"_a)
      .def("set_retry_exceptions", &Call::set_retry_exceptions, "retries"_a)
      .def("set_max_task_retries", &Call::set_max_task_retries, "retries"_a)
      .def("set_environment", &Call::set_environment, "variables"_a)
      .def("set_counted", &Call::set_counted, "is_counted"_a)
      .def("set_group", &Call::set_group, "group"_a, "bundle"_a)
      .def("set_stream", &Call::set_stream, "most_ahead"_a)
      .def("submit", &Call::submit)
      .def("make_actor", &Call::make_actor);
  m.def("task_call",
        [](uint64_t key, nb::object pickled) { return Call(PythonCall::kTask, key, std::move(pickled)); });
  m.def("actor_call", [](uint64_t key, nb::object pickled) {
    return Call(PythonCall::kMakeActor, key, std::move(pickled));
  });
  m.def("method_call", [](uint64_t actor, nb::handle method) { return Call(ray::ActorId{actor}, method); });
  m.def("kill_actor", [](uint64_t actor, Flag no_restart) {
    const bool for_good = no_restart;
    const ReleasedLock released;
    ray::internal::backend().kill_actor(ray::ActorId{actor}, for_good);
  });
  m.def("pending_calls", [](uint64_t actor) {
    return without_lock([&] { return ray::internal::backend().pending_calls(ray::ActorId{actor}); });
  });
  m.def("cancel", [](const Ref& ref, Flag force, Flag recursive) {
    const ray::ObjectId object = ray::internal::require_handle(ref)->id();
    const bool by_force = force;
    const bool with_others = recursive;
    without_lock([&] { ray::internal::backend().cancel(object, by_force, with_others); });
  });
  m.def("is_cancelled", [] {
    ray::internal::Backend* const backend = ray::internal::backend_or_null();
    return backend != nullptr && without_lock([&] { return backend->is_cancelled(); });
  });
  m.def("cpp_call", &cpp_call);
  m.def("open_library", [](nb::handle path) { ray::open_library(as_text(path)); });
  m.def("gpu_ids", [] {
    nb::list ids;
    for (const std::string& id : without_lock([] { return ray::internal::backend().gpu_ids(); }))
      ids.append(nb::str(id.c_str()));
    return ids;
  });
  m.def("resources", [](Flag free) {
    using Which = ray::internal::WhichResources;
    const Which which = free ? Which::kFree : Which::kAll;
    nb::dict amounts;
    for (const auto& [name, milli] :
         ray::read_resources(without_lock([&] { return ray::internal::backend().resources(which); })))
      amounts[nb::str(name.c_str())] = nb::float_(static_cast<double>(milli) / 1000);
    return amounts;
  });
  m.def("current_call", [] {
    ray::internal::Backend* const backend = ray::internal::backend_or_null();
    const ray::internal::CurrentCall call =
        backend == nullptr ? ray::internal::CurrentCall() : backend->current_call();
    return nb::make_tuple(call.number, call.is_stream, call.most_ahead);
  });
  m.def("current_group", [] {
    ray::internal::Backend* const backend = ray::internal::backend_or_null();
    return backend == nullptr ? 0 : backend->current_call().group.value;
  });
  m.def("create_group", &create_group, "name"_a, "strategy"_a, "bundles"_a);
  m.def("remove_group",
        [](uint64_t group) { without_lock([&] { ray::internal::backend().remove_group({group}); }); });
  m.def("group_ref", [](uint64_t group) {
    return Ref(without_lock([&] { return ray::internal::backend().adopt({group}); }));
  });
  m.def("groups", &groups);
  m.def("give_item", [](nb::tuple call, uint64_t index, nb::handle value) {
    const ray::internal::CurrentCall giving = call_of(call);
    ray::internal::EncoderLease encoder;
    encode_value(*encoder, value);
    without_lock([&] { ray::internal::backend().give_item(giving, index, *encoder); });
  });
  m.def("wait_to_give", [](nb::tuple call, uint64_t given) {
    const ray::internal::CurrentCall giving = call_of(call);
    without_lock([&] { ray::internal::backend().wait_to_give(giving, given); });
  });
  m.def("own_restarts", [] {
    const ReleasedLock released;
    return ray::internal::backend().current_actor().restarts;
  });
  m.def("own_actor", [] {
    const ReleasedLock released;
    return is_worker() ? ray::internal::backend().current_actor().id.value : 0;
  });
  m.def("own_share", [] {
    return Ref(without_lock([] {
      ray::internal::Backend& backend = ray::internal::backend();
      return backend.adopt({backend.current_actor().id.value});
    }));
  });
  m.def("find_actor", [](nb::handle name) {
    const std::string text = as_text(name);
    const ReleasedLock released;
    return ray::internal::backend().find_actor(text).value;
  });
}

}  // namespace flowray::python
