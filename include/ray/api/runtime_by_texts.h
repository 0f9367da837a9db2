#pragma once
/// What Ray's own headers call: the runtime of this process by texts and msgpack's bytes. Programs include
/// <ray/api.h>, and hardly ever use it.

#include <flowray/ray.h>

#include <any>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#if __has_include(<msgpack.hpp>) && !defined(FLOWRAY_RAY_API_ALONE)
#include <msgpack.hpp>
#define FLOWRAY_HAS_MSGPACK 1
#else
#define FLOWRAY_HAS_MSGPACK 0
#endif

#pragma GCC visibility push(default)

namespace flowray::ray::api {

/// One argument of a call by texts: an object's ID, or msgpack's bytes.
struct TextArgument {
  /// The ID of an object; empty: it is a value.
  std::string id;
  /// A value as msgpack's bytes, where `id` is empty.
  std::string_view bytes;
};

/// What a call by texts asks for.
struct TextCall {
  /// The function, by the name under which it is registered.
  std::string function_name;
  /// Of a task for messages, of an actor for GetActor; empty: none.
  std::string name;
  /// Amounts by their names: "CPU", "GPU", "memory" (bytes) and the program's own.
  std::unordered_map<std::string, double> resources;
  /// The placement group that they are taken of; none: of what no group has.
  ObjectId group;
  /// Which of the group's bundles, from 0; -1: any.
  int bundle = -1;
  /// Of an actor: how often it is made again when its process dies; -1: always.
  int max_restarts = 0;
  /// Of an actor: how many of its calls may run at a time.
  int max_concurrency = 1;
};

/// Whether the runtime runs in local mode: calls run at once, in this process.
bool is_local_mode();
/// A reference of this process to the object, beside its ObjectRefs, until remove_reference. Throws
/// RayException for an object that this process does not know.
void add_reference(const std::string& id);
/// Takes one such reference back.
void remove_reference(const std::string& id);
/// The ID of a new object that has one such reference. Throws errors::DataLossError for bytes that are no
/// value of msgpack's.
std::string put_bytes(std::string_view msgpack_bytes);
/// The value as msgpack's bytes. Throws what ObjectRef::Get throws, and RayException for a value that has
/// references, actors or Arrays (32 and more numbers in a row are one).
std::string get_bytes(const std::string& id, internal::Deadline deadline, int timeout_ms);
/// The ID of what the function returns, with one reference.
std::string call_by_texts(const TextCall& call, const std::string& actor_id,
                          const std::vector<TextArgument>& arguments);
/// The ID of a new actor that the function makes.
std::string create_actor_by_texts(const TextCall& call, const std::vector<TextArgument>& arguments);

/// Of Codec<std::any>.
void encode_any(Encoder& out, const std::any& value);
/// The value, of one of the types that encode_any takes.
std::any decode_any(Decoder& in);

}  // namespace flowray::ray::api

#if FLOWRAY_HAS_MSGPACK
/// What a std::any holds, packed by hand.
template <>
struct msgpack::adaptor::pack<std::any> {
  template <typename Stream>
  msgpack::packer<Stream>& operator()(msgpack::packer<Stream>& out, const std::any& value) const {
    const auto pack_if = [&]<typename T>(const T*) {
      if (value.type() == typeid(T)) out.pack(*std::any_cast<T>(&value));
      return value.type() == typeid(T);
    };
    const bool is_packed =
        pack_if(static_cast<const msgpack::type::nil_t*>(nullptr)) ||
        pack_if(static_cast<const bool*>(nullptr)) || pack_if(static_cast<const uint64_t*>(nullptr)) ||
        pack_if(static_cast<const int64_t*>(nullptr)) || pack_if(static_cast<const double*>(nullptr)) ||
        pack_if(static_cast<const std::string*>(nullptr)) ||
        pack_if(static_cast<const std::vector<char>*>(nullptr));
    if (!is_packed) throw msgpack::type_error();
    return out;
  }
};
template <>
struct msgpack::adaptor::convert<std::any> {
  const msgpack::object& operator()(const msgpack::object& from, std::any& to) const {
    switch (from.type) {
      case msgpack::type::NIL:
        to = msgpack::type::nil_t();
        break;
      case msgpack::type::BOOLEAN:
        to = from.as<bool>();
        break;
      case msgpack::type::POSITIVE_INTEGER:
        to = from.as<uint64_t>();
        break;
      case msgpack::type::NEGATIVE_INTEGER:
        to = from.as<int64_t>();
        break;
      case msgpack::type::FLOAT32:
      case msgpack::type::FLOAT64:
        to = from.as<double>();
        break;
      case msgpack::type::STR:
        to = from.as<std::string>();
        break;
      case msgpack::type::BIN:
        to = from.as<std::vector<char>>();
        break;
      default:
        throw msgpack::type_error();
    }
    return from;
  }
};
#endif

namespace ray::internal {

enum class LangType { CPP, PYTHON, JAVA };

/// Which function a call by texts calls.
struct RemoteFunctionHolder {
  RemoteFunctionHolder() = default;
  RemoteFunctionHolder(const std::string& module_name, const std::string& function_name,
                       const std::string& class_name = "", LangType lang_type = LangType::CPP)
      : module_name_(module_name),
        function_name_(function_name),
        class_name_(class_name),
        lang_type_(lang_type) {}
  /// Throws RayException for an empty name.
  RemoteFunctionHolder(std::string func_name) : function_name_(std::move(func_name)) {  // NOLINT: implicit
    if (function_name_.empty()) {
      throw flowray::ray::RayException(
          "Function not found. Please use RAY_REMOTE to register this function.");
    }
  }

  std::string module_name_;
  std::string function_name_;
  std::string class_name_;
  LangType lang_type_ = LangType::CPP;
};

/// What a call by texts asks for, as Ray's.
struct CallOptions {
  /// Of a task for messages, of an actor for GetActor; empty: none.
  std::string name;
  /// Amounts by their names: "CPU", "GPU", "memory" (bytes) and the program's own.
  std::unordered_map<std::string, double> resources;
  /// The placement group that they are taken of; none: of what no group has.
  flowray::ray::PlacementGroup group;
  /// Which of the group's bundles, from 0; -1: any.
  int bundle_index = -1;
  /// Ray's own; RayException where it is not empty: SetRuntimeEnv sets an environment.
  std::string serialized_runtime_env_info;
};
struct ActorCreationOptions {
  /// Of a task for messages, of an actor for GetActor; empty: none.
  std::string name;
  /// The namespace of the actor's name; empty: that of the program.
  std::string ray_namespace;
  /// Amounts by their names: "CPU", "GPU", "memory" (bytes) and the program's own.
  std::unordered_map<std::string, double> resources;
  /// How often the actor is made again when its process dies; -1: always.
  int max_restarts = 0;
  /// How many of its calls may run at a time.
  int max_concurrency = 1;
  /// The placement group that they are taken of; none: of what no group has.
  flowray::ray::PlacementGroup group;
  /// Which of the group's bundles, from 0; -1: any.
  int bundle_index = -1;
  /// Ray's own; RayException where it is not empty: SetRuntimeEnv sets an environment.
  std::string serialized_runtime_env_info;
};

#if FLOWRAY_HAS_MSGPACK
using ArgsBuffer = msgpack::sbuffer;
using ArgsBufferList = std::vector<ArgsBuffer>;

/// An argument of a call by texts: `buf` or `id`.
struct TaskArg {
  TaskArg() = default;
  TaskArg(TaskArg&&) = default;
  TaskArg(const TaskArg&) = delete;
  TaskArg& operator=(const TaskArg&) = delete;
  TaskArg& operator=(TaskArg&&) = delete;

  std::optional<msgpack::sbuffer> buf;
  std::optional<std::string> id;
  std::string_view meta_str;
};
#endif

/// The runtime of this process. IDs are those of ObjectRef, ActorHandle and PlacementGroup.
class RayRuntime {
 public:
  virtual ~RayRuntime() = default;

#if FLOWRAY_HAS_MSGPACK
  std::string Put(const std::shared_ptr<msgpack::sbuffer>& data) {
    return flowray::ray::api::put_bytes({data->data(), data->size()});
  }
  std::shared_ptr<msgpack::sbuffer> Get(const std::string& id) { return Get(id, -1); }
  std::shared_ptr<msgpack::sbuffer> Get(const std::string& id, const int& timeout_ms) {
    return get_before(id, flowray::ray::internal::deadline_after(timeout_ms), timeout_ms);
  }
  std::vector<std::shared_ptr<msgpack::sbuffer>> Get(const std::vector<std::string>& ids) {
    return Get(ids, -1);
  }
  std::vector<std::shared_ptr<msgpack::sbuffer>> Get(const std::vector<std::string>& ids,
                                                     const int& timeout_ms) {
    const auto deadline = flowray::ray::internal::deadline_after(timeout_ms);
    std::vector<std::shared_ptr<msgpack::sbuffer>> values;
    for (const std::string& id : ids) values.push_back(get_before(id, deadline, timeout_ms));
    return values;
  }
  std::string Call(const RemoteFunctionHolder& function, std::vector<TaskArg>& args,
                   const CallOptions& options) {
    return flowray::ray::api::call_by_texts(call_of(function, options), "", texts_of(args));
  }
  std::string CallActor(const RemoteFunctionHolder& function, const std::string& actor,
                        std::vector<TaskArg>& args, const CallOptions& options) {
    return flowray::ray::api::call_by_texts(call_of(function, options), actor, texts_of(args));
  }
  std::string CreateActor(const RemoteFunctionHolder& function, std::vector<TaskArg>& args,
                          const ActorCreationOptions& options) {
    flowray::ray::api::TextCall call =
        call_of(function, {options.name, options.resources, options.group, options.bundle_index,
                           options.serialized_runtime_env_info});
    if (!options.name.empty() && !options.ray_namespace.empty())
      call.name = flowray::ray::internal::name_in_namespace(options.name, options.ray_namespace);
    call.max_restarts = options.max_restarts;
    call.max_concurrency = options.max_concurrency;
    return flowray::ray::api::create_actor_by_texts(call, texts_of(args));
  }
#endif

  void AddLocalReference(const std::string& id) { flowray::ray::api::add_reference(id); }
  void RemoveLocalReference(const std::string& id) { flowray::ray::api::remove_reference(id); }
  bool IsLocalMode() { return flowray::ray::api::is_local_mode(); }
  /// An actor's ID is all that others need.
  std::string SerializeActorHandle(const std::string& actor_id) { return actor_id; }
  std::string DeserializeAndRegisterActorHandle(const std::string& serialized) { return serialized; }

  /// Empty if there is none.
  std::string GetActorId(const std::string& actor_name, const std::string& ray_namespace) const {
    using namespace flowray::ray::internal;
    return id_text(backend().find_actor(name_in_namespace(actor_name, ray_namespace)).value);
  }
  void KillActor(const std::string& actor_id, bool no_restart) const {
    using namespace flowray::ray::internal;
    backend().kill_actor(require_actor({id_of_text(actor_id)}), no_restart);
  }
  [[noreturn]] void ExitActor() const { flowray::ray::ExitActor(); }
  bool WasCurrentActorRestarted() const { return flowray::ray::WasCurrentActorRestarted(); }
  std::string GetNamespace() const { return flowray::ray::GetNamespace(); }
  std::vector<bool> Wait(const std::vector<std::string>& ids, int num_objects, int timeout_ms) const {
    std::vector<flowray::ray::ObjectId> objects;
    for (const std::string& id : ids) objects.push_back({flowray::ray::internal::id_of_text(id)});
    return flowray::ray::internal::wait_for(objects, num_objects, timeout_ms);
  }
  flowray::ray::PlacementGroup CreatePlacementGroup(
      const flowray::ray::PlacementGroupCreationOptions& options) const {
    return flowray::ray::CreatePlacementGroup(options);
  }
  void RemovePlacementGroup(const std::string& group_id) const {
    flowray::ray::RemovePlacementGroup(group_id);
  }
  bool WaitPlacementGroupReady(const std::string& group_id, int64_t timeout_seconds) const {
    return GetPlacementGroupById(group_id).Wait(static_cast<int>(timeout_seconds));
  }
  std::vector<flowray::ray::PlacementGroup> GetAllPlacementGroups() const {
    return flowray::ray::GetAllPlacementGroups();
  }
  flowray::ray::PlacementGroup GetPlacementGroupById(const std::string& id) const {
    return flowray::ray::GetPlacementGroupById(id);
  }
  flowray::ray::PlacementGroup GetPlacementGroup(const std::string& name) const {
    return flowray::ray::GetPlacementGroup(name);
  }

#if FLOWRAY_HAS_MSGPACK
 private:
  static std::shared_ptr<msgpack::sbuffer> get_before(const std::string& id,
                                                      flowray::ray::internal::Deadline deadline,
                                                      int timeout_ms) {
    const std::string bytes = flowray::ray::api::get_bytes(id, deadline, timeout_ms);
    auto buffer = std::make_shared<msgpack::sbuffer>(bytes.size());
    buffer->write(bytes.data(), bytes.size());
    return buffer;
  }
  /// Throws RayException for a function of another language, and for an environment.
  static flowray::ray::api::TextCall call_of(const RemoteFunctionHolder& function,
                                             const CallOptions& options) {
    if (function.lang_type_ != LangType::CPP) {
      throw flowray::ray::RayException("Call of '" + function.function_name_ +
                                       "': RayRuntime calls functions of C++. PyFunction calls Python's.");
    }
    if (!options.serialized_runtime_env_info.empty()) {
      throw flowray::ray::RayException("Call of '" + function.function_name_ +
                                       "': serialized_runtime_env_info is Ray's own; use SetRuntimeEnv.");
    }
    return {function.function_name_, options.name, options.resources, options.group.id(),
            options.bundle_index};
  }
  static std::vector<flowray::ray::api::TextArgument> texts_of(const std::vector<TaskArg>& args) {
    std::vector<flowray::ray::api::TextArgument> texts;
    for (const TaskArg& arg : args) {
      flowray::ray::api::TextArgument& text = texts.emplace_back();
      if (arg.id) text.id = *arg.id;
      if (arg.buf) text.bytes = {arg.buf->data(), arg.buf->size()};
    }
    return texts;
  }
#endif
};

/// Where Ray's headers find the runtime.
class RayRuntimeHolder {
 public:
  static RayRuntimeHolder& Instance() {
    static RayRuntimeHolder holder;
    return holder;
  }
  RayRuntimeHolder(const RayRuntimeHolder&) = delete;
  RayRuntimeHolder& operator=(const RayRuntimeHolder&) = delete;

  /// What Runtime() gives from now on; null: what ray::Init makes. Its methods are not virtual.
  void Init(std::shared_ptr<RayRuntime> runtime) { runtime_ = std::move(runtime); }
  /// Null where none runs.
  std::shared_ptr<RayRuntime> Runtime() {
    if (runtime_ != nullptr) return runtime_;
    return flowray::ray::IsInitialized() ? std::make_shared<RayRuntime>() : nullptr;
  }

 private:
  RayRuntimeHolder() = default;
  std::shared_ptr<RayRuntime> runtime_;
};

/// Null where none runs.
inline std::shared_ptr<RayRuntime> GetRayRuntime() { return RayRuntimeHolder::Instance().Runtime(); }

}  // namespace ray::internal

#pragma GCC visibility pop
