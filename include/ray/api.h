#pragma once
/// Ray's C++ API by its own names, for programs that are written for it: `#include <ray/api.h>`, namespace
/// ray. What stands here differs from flowray::ray, or has no place there; all else is flowray::ray's, and so
/// is the behaviour. docs/tasks-and-actors.md tells what there is and what is not.
///
/// Programs link flowray::flowray. Where Boost and msgpack-cxx are installed their types are the program's as
/// with Ray; neither is needed: MSGPACK_DEFINE works without, and boost::optional is std::optional then. A
/// program that defines FLOWRAY_RAY_API_ALONE in all of its sources does not take them.

#include <flowray/ray.h>
#include <ray/api/runtime_by_texts.h>

// Ray's programs have found the standard library's by this header alone.
#include <algorithm>
#include <any>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#if __has_include(<boost/optional.hpp>) && !defined(FLOWRAY_RAY_API_ALONE)
#include <boost/optional.hpp>
#define FLOWRAY_HAS_BOOST 1
#else
#define FLOWRAY_HAS_BOOST 0
#endif

/// Of MSGPACK_DEFINE. It ends with a function, so that a semicolon may stand behind it or
/// not, as with msgpack-cxx.
#define FLOWRAY_MSGPACK_FIELDS(...)                                  \
  friend struct ::flowray::ray::internal::Fields;                    \
  auto flowray_fields() noexcept { return ::std::tie(__VA_ARGS__); } \
  auto flowray_fields() const noexcept { return ::std::tie(__VA_ARGS__); }

// A struct's members, for values that travel. With msgpack-cxx its own macro is extended, so that a program
// may pack by hand, too.
#if __has_include(<msgpack.hpp>) && !defined(FLOWRAY_RAY_API_ALONE)
#include <msgpack.hpp>
#undef MSGPACK_DEFINE
#define MSGPACK_DEFINE(...)         \
  MSGPACK_DEFINE_ARRAY(__VA_ARGS__) \
  FLOWRAY_MSGPACK_FIELDS(__VA_ARGS__)
#else
#define MSGPACK_DEFINE(...) FLOWRAY_MSGPACK_FIELDS(__VA_ARGS__)
#define MSGPACK_DEFINE_ARRAY(...) FLOWRAY_MSGPACK_FIELDS(__VA_ARGS__)
#define MSGPACK_DEFINE_MAP(...) FLOWRAY_MSGPACK_FIELDS(__VA_ARGS__)
/// Enums travel as they are.
#define MSGPACK_ADD_ENUM(enumeration) static_assert(::std::is_enum_v<enumeration>)
#endif

// What RuntimeEnv's fields may be is as much as with Ray then.
#if __has_include(<nlohmann/json.hpp>) && !defined(FLOWRAY_RAY_API_ALONE)
#include <nlohmann/json.hpp>
/// Ray's headers have the name, and programs write `to_json(json&, const Type&)` by it.
using json = nlohmann::json;
template <typename T>
struct flowray::ray::internal::OtherJson {
  static constexpr bool kIsDefined = true;
  /// What a field of RuntimeEnv is set to, as JSON.
  /// Throws RayRuntimeEnvException for what the program's own to_json throws.
  static Json write(const T& value) {
    try {
      return parse_json(nlohmann::json(value).dump());
    } catch (const std::exception& error) {
      throw RayRuntimeEnvException(error.what());
    }
  }
  /// The field as a T. Throws RayRuntimeEnvException for another type, and for what the program's own
  /// from_json throws.
  static T read(const Json& field) {
    try {
      return nlohmann::json::parse(json_text(field)).template get<T>();
    } catch (const std::exception& error) {
      throw RayRuntimeEnvException(error.what());
    }
  }
};
#endif

// Ray's needs no semicolon behind it.
#undef RAY_REMOTE
#define RAY_REMOTE(...)                                                           \
  [[maybe_unused]] static const bool FLOWRAY_JOIN(flowray_remote_, __COUNTER__) = \
      ::flowray::ray::internal::register_functions(#__VA_ARGS__, __VA_ARGS__);

// Builds for debugging define it; RayLoggerLevel and RAYLOG have it as a name. `#ifdef DEBUG` goes on as
// before.
#ifdef DEBUG
#undef DEBUG
#define DEBUG DEBUG
#endif

#pragma GCC visibility push(default)

#if !FLOWRAY_HAS_BOOST
namespace boost {
using std::optional;
inline constexpr std::nullopt_t none = std::nullopt;
}  // namespace boost
#endif

/// Values of any of msgpack's plain types, as Ray takes them: nothing, bool, int64_t, uint64_t, double,
/// std::string, std::vector<char>. Smaller numbers are sent as those; other types throw ValueError.
template <>
struct flowray::ray::Codec<std::any> {
  static void encode(Encoder& out, const std::any& value) {
#if FLOWRAY_HAS_MSGPACK
    if (value.type() == typeid(msgpack::type::nil_t)) return out.write_nil();
#endif
    flowray::ray::api::encode_any(out, value);
  }
  static std::any decode(flowray::ray::Decoder& in) { return flowray::ray::api::decode_any(in); }
};

#if FLOWRAY_HAS_MSGPACK
namespace flowray::ray::api {

/// The references inside of the value that msgpack-cxx packs or unpacks in this thread: its bytes hold their
/// IDs only, and nothing would keep the objects.
class CarriedRefs {
 public:
  /// For the value that is packed or unpacked while this lives.
  CarriedRefs() : before_(std::exchange(now_, this)) {}
  CarriedRefs(const CarriedRefs&) = delete;
  CarriedRefs& operator=(const CarriedRefs&) = delete;
  ~CarriedRefs() { now_ = before_; }

  /// Those of this thread's value; null where a program packs by hand.
  static CarriedRefs* now() { return now_; }
  /// Adds one that the value has.
  void add(internal::AnyRef ref) { refs_.push_back(std::move(ref)); }
  /// The one with that ID(); one to nothing where there is none.
  internal::AnyRef find(const std::string& id) const {
    for (const internal::AnyRef& ref : refs_) {
      if (internal::id_text(ref.object().value) == id) return ref;
    }
    return {};
  }
  /// In the order in which they were added.
  const std::vector<internal::AnyRef>& all() const { return refs_; }

 private:
  inline static thread_local CarriedRefs* now_ = nullptr;
  CarriedRefs* const before_;
  std::vector<internal::AnyRef> refs_;
};

/// What nothing else here sends. Whether there are adaptors shows when they are called: msgpack-cxx declares
/// them for all types.
template <typename T>
concept LeftToMsgpack = std::is_class_v<T> && !internal::HasFields<T> && !internal::kIsOfGraph<T> &&
                        !std::is_same_v<T, flowray::float16> && !std::is_same_v<T, flowray::bfloat16>;

}  // namespace flowray::ray::api

/// Of MSGPACK_DEFINE_ARRAY and MSGPACK_DEFINE_MAP, of classes that pack themselves, and of those with
/// msgpack::adaptor::pack and convert (or as): msgpack's bytes. With references inside: a list of the bytes
/// and of these.
template <flowray::ray::api::LeftToMsgpack T>
struct flowray::ray::Codec<T> {
  static void encode(flowray::ray::Encoder& out, const T& value) {
    flowray::ray::api::CarriedRefs carried;
    msgpack::sbuffer bytes;
    msgpack::pack(bytes, value);
    if (!carried.all().empty()) out.begin_list(1 + carried.all().size());
    out.write_binary(std::as_bytes(std::span(bytes.data(), bytes.size())));
    for (const auto& ref : carried.all()) out.write_ref(ref.handle());
  }
  static T decode(flowray::ray::Decoder& in) {
    flowray::ray::api::CarriedRefs carried;
    const size_t count = in.next_item() == flowray::ray::internal::Item::kBinary ? 1 : in.read_list();
    const std::span<const std::byte> bytes = in.read_binary();
    for (size_t i = 1; i < count; ++i) carried.add(flowray::ray::internal::AnyRef(in.read_ref()));
    return msgpack::unpack(reinterpret_cast<const char*>(bytes.data()), bytes.size()).get().template as<T>();
  }
};

/// A list of its ID(), as Ray's.
template <typename T>
struct msgpack::adaptor::pack<flowray::ray::ObjectRef<T>> {
  template <typename Stream>
  msgpack::packer<Stream>& operator()(msgpack::packer<Stream>& out,
                                      const flowray::ray::ObjectRef<T>& ref) const {
    auto* const carried = flowray::ray::api::CarriedRefs::now();
    if (carried != nullptr && ref.has_value()) carried->add(ref);
    return out.pack_array(1).pack(ref.ID());
  }
};
/// One by an ID alone, from bytes that a program has packed by hand, is of an object that this process knows:
/// else RayException.
template <typename T>
struct msgpack::adaptor::convert<flowray::ray::ObjectRef<T>> {
  const msgpack::object& operator()(const msgpack::object& from, flowray::ray::ObjectRef<T>& to) const {
    const std::string id = std::get<0>(from.as<std::tuple<std::string>>());
    const auto* const carried = flowray::ray::api::CarriedRefs::now();
    const auto found = carried == nullptr ? flowray::ray::internal::AnyRef() : carried->find(id);
    to = flowray::ray::ObjectRef<T>();
    if (found.handle() != nullptr) {
      found.handle()->retain();
      to = flowray::ray::ObjectRef<T>(found.handle());
    } else if (!id.empty()) {
      to = flowray::ray::ObjectRef<T>(id);
    }
    return from;
  }
};
/// A list of its ID(), as Ray's.
template <typename T, bool IsXlang>
struct msgpack::adaptor::pack<flowray::ray::ActorHandle<T, IsXlang>> {
  template <typename Stream>
  msgpack::packer<Stream>& operator()(msgpack::packer<Stream>& out,
                                      const flowray::ray::ActorHandle<T, IsXlang>& actor) const {
    return out.pack_array(1).pack(actor.ID());
  }
};
template <typename T, bool IsXlang>
struct msgpack::adaptor::convert<flowray::ray::ActorHandle<T, IsXlang>> {
  const msgpack::object& operator()(const msgpack::object& from,
                                    flowray::ray::ActorHandle<T, IsXlang>& to) const {
    to = flowray::ray::ActorHandle<T, IsXlang>(std::get<0>(from.as<std::tuple<std::string>>()));
    return from;
  }
};
#endif

// What the library defines is in its own namespace, so that it exports no name of Ray's.
namespace flowray::ray::api {

enum class ActorLifetime { NON_DETACHED, DETACHED };

/// What of a RayConfig the library takes. Nothing of Boost's is in it, as only the program may have that.
class PlainRayConfig : public flowray::ray::RayConfig {
 public:
  /// Python's modules that such programs call say `import ray`.
  PlainRayConfig() {
    python_names = true;
    local_threads = 10;
    unschedulable_timeout_ms = 10'000;
  }
  /// Empty, "auto" or "local": this machine; a cluster's is refused. Not looked at in local mode, and
  /// RAY_ADDRESS neither.
  std::string address;
  /// Libraries with remote functions of Ray's workers, which run the program itself here and have them; and
  /// folders of Python's modules, for PyFunction and PyActorClass.
  std::vector<std::string> code_search_path;
  /// Of `ray start`: --num-cpus, --num-gpus, --memory, --object-store-memory and --resources (JSON, amounts
  /// by name) are followed, others told of by a warning.
  std::vector<std::string> head_args;
  /// Actors live until they are killed or the driver ends, both kinds: there is nothing that would outlive
  /// it. DETACHED gives a warning that says so.
  ActorLifetime default_actor_lifetime = ActorLifetime::NON_DETACHED;
  /// Of Ray's own worker programs: refused by Init.
  bool is_worker_ = false;
  /// There is a redis_username_ or redis_password_.
  bool has_redis_login = false;
};
/// What Init does, with what the library takes of its configuration.
void init(const PlainRayConfig& config, int argc, char** argv);

/// How the runtime is made. What belongs to a cluster of several machines is refused by Init,
/// with the reason.
class RayConfig : public PlainRayConfig {
 public:
  /// Of all workers.
  boost::optional<RuntimeEnv> runtime_env;
  /// Of a cluster's Redis: told of by a warning.
  boost::optional<std::string> redis_username_;
  /// Of a cluster's Redis, too.
  boost::optional<std::string> redis_password_;
};

/// Throws RayException as flowray::ray::Init, and for a cluster's address. Does nothing where the runtime
/// runs, as in Ray.
inline void Init(const RayConfig& config);
/// The command line wins over `config`: --ray_address, --ray_job_namespace, --ray_code_search_path=/a:/b,
/// --ray_default_actor_lifetime=DETACHED, and those of flowray::ray::Init; --ray_head_args="--num-cpus 2"
/// comes behind those of `config`. "--flag value" and one dash are good, too. Flags of a cluster
/// (--ray_redis_password and the like) give a warning.
inline void Init(const RayConfig& config, int argc, char** argv) {
  PlainRayConfig plain = config;
  if (config.runtime_env) static_cast<flowray::ray::RayConfig&>(plain).runtime_env = *config.runtime_env;
  plain.has_redis_login = config.redis_username_ || config.redis_password_;
  init(plain, argc, argv);
}
/// The same without a command line.
inline void Init(const RayConfig& config) { Init(config, 0, nullptr); }
/// The same with nothing set.
inline void Init() { Init(RayConfig()); }

enum class RayLoggerLevel { DEBUG = -1, INFO = 0, WARNING = 1, ERROR = 2, FATAL = 3 };

/// From RAY_BACKEND_LOG_LEVEL: debug, info (unless set), warning, error or fatal.
bool IsLevelEnabled(RayLoggerLevel level);

/// One line of a log, written to std::cerr at its end; a FATAL one ends the process.
class RayLogger {
 public:
  /// `file_name` and `line_number`: where the line is written, for its head.
  RayLogger(const char* file_name, int line_number, RayLoggerLevel severity);
  RayLogger(const RayLogger&) = delete;
  RayLogger& operator=(const RayLogger&) = delete;
  ~RayLogger();

  /// Whether the line is written at all.
  bool IsEnabled() const { return IsLevelEnabled(severity_); }
  template <typename T>
  RayLogger& operator<<(const T& value) {
    if (IsEnabled()) line_ << value;
    return *this;
  }

 private:
  const RayLoggerLevel severity_;
  std::ostringstream line_;
};

}  // namespace flowray::ray::api

namespace ray {

// Ray's names, one by one: under `using namespace ray` a program may have a Generator, or what else is ours,
// of its own.
using flowray::ray::Actor;
using flowray::ray::ActorHandle;
using flowray::ray::ActorHandleXlang;
using flowray::ray::CREATED;
using flowray::ray::CreatePlacementGroup;
using flowray::ray::ExitActor;
using flowray::ray::Get;
using flowray::ray::GetAllPlacementGroups;
using flowray::ray::GetNamespace;
using flowray::ray::GetPlacementGroup;
using flowray::ray::GetPlacementGroupById;
using flowray::ray::IsInitialized;
using flowray::ray::JavaActorClass;
using flowray::ray::JavaActorMethod;
using flowray::ray::JavaFunction;
using flowray::ray::ObjectRef;
using flowray::ray::PENDING;
using flowray::ray::PlacementGroup;
using flowray::ray::PlacementGroupCreationOptions;
using flowray::ray::PlacementGroupState;
using flowray::ray::PlacementStrategy;
using flowray::ray::PREPARED;
using flowray::ray::Put;
using flowray::ray::PyActorClass;
using flowray::ray::PyActorMethod;
using flowray::ray::PyFunction;
using flowray::ray::REMOVED;
using flowray::ray::RemovePlacementGroup;
using flowray::ray::RESCHEDULING;
using flowray::ray::RuntimeEnv;
using flowray::ray::Shutdown;
using flowray::ray::Task;
using flowray::ray::UNRECOGNIZED;
using flowray::ray::WasCurrentActorRestarted;
// What Ray's Python has and its C++ API has not.
using flowray::ray::Cancel;
using flowray::ray::GetGpuIds;
using flowray::ray::IsCancelled;

namespace internal {
using flowray::ray::internal::ActorCreator;
using flowray::ray::internal::ActorTaskCaller;
using flowray::ray::internal::ObjectStoreFullException;
using flowray::ray::internal::RayActorException;
using flowray::ray::internal::RayException;
using flowray::ray::internal::RayFunctionNotFound;
using flowray::ray::internal::RayRuntimeEnvException;
using flowray::ray::internal::RayTaskException;
using flowray::ray::internal::RayTimeoutException;
using flowray::ray::internal::RayWorkerException;
using flowray::ray::internal::TaskCaller;
using flowray::ray::internal::TaskCancelledException;
using flowray::ray::internal::UnreconstructableException;

/// Throws RayException for amounts that SetResource refuses.
inline void CheckTaskOptions(const std::unordered_map<std::string, double>& resources) {
  flowray::ray::internal::CallOptions scratch;
  for (const auto& [name, amount] : resources) flowray::ray::internal::add_resource(scratch, name, amount);
}

/// The functions that RAY_REMOTE has registered.
class FunctionManager {
 public:
  using FunctionEntry = flowray::ray::internal::FunctionEntry;

  static FunctionManager& Instance() {
    static FunctionManager manager;
    return manager;
  }
  /// The name under which a function is registered; empty for one that is not.
  template <typename F>
  std::string GetFunctionName(const F& function) const {
    const FunctionEntry* const entry =
        flowray::ray::internal::find_function(flowray::ray::internal::FunctionKey::of(function));
    return entry == nullptr ? std::string() : entry->name;
  }
  /// The function of that name; null if there is none.
  const FunctionEntry* GetFunction(const std::string& name) const {
    return flowray::ray::internal::find_function_by_name(name);
  }
  /// The same.
  const FunctionEntry* GetMemberFunction(const std::string& name) const { return GetFunction(name); }
  /// "Counter" for "Counter::Create"; empty for a name without a class.
  static std::string GetClassNameByFuncName(const std::string& name) {
    size_t begin = name.starts_with("RAY_FUNC(") ? 9 : 0;
    if (begin < name.size() && name[begin] == '&') ++begin;
    const size_t end = name.substr(0, name.find_first_of(",(", begin)).rfind("::");
    return end == std::string::npos || end <= begin ? std::string() : name.substr(begin, end - begin);
  }
  /// As RAY_REMOTE, before the first Init. Throws RayException for a name, or a function, that is registered.
  template <typename F>
  bool RegisterRemoteFunction(const std::string& name, const F& function) {
    if (GetFunction(name) != nullptr || !GetFunctionName(function).empty())
      throw RayException("Duplicate RAY_REMOTE function: " + name);
    return flowray::ray::internal::register_functions(name, function);
  }

 private:
  FunctionManager() = default;
};

/// Behind so many bytes the values of other languages lie.
inline constexpr size_t XLANG_HEADER_LEN = 9;
inline constexpr std::string_view METADATA_STR_DUMMY = "__RAY_DUMMY__";
inline constexpr std::string_view METADATA_STR_RAW = "RAW";
inline constexpr std::string_view METADATA_STR_XLANG = "XLANG";

template <typename T, typename = void>
struct is_object_ref_t : std::false_type {};
template <typename T>
struct is_object_ref_t<T, std::void_t<decltype(std::declval<T>().IsObjectRef())>> : std::true_type {};
template <typename T>
constexpr auto is_object_ref_v = is_object_ref_t<T>::value;
template <typename T, typename = void>
struct is_actor_handle_t : std::false_type {};
template <typename T>
struct is_actor_handle_t<T, std::void_t<decltype(std::declval<T>().IsActorHandle())>> : std::true_type {};
template <typename T>
constexpr auto is_actor_handle_v = is_actor_handle_t<T>::value;
template <typename T, typename = void>
struct is_python_t : std::false_type {};
template <typename T>
struct is_python_t<T, std::void_t<decltype(std::declval<T>().IsPython())>> : std::true_type {};
template <typename T>
constexpr auto is_python_v = is_python_t<T>::value;
template <typename T, typename = void>
struct is_java_t : std::false_type {};
template <typename T>
struct is_java_t<T, std::void_t<decltype(std::declval<T>().IsJava())>> : std::true_type {};
template <typename T>
constexpr auto is_java_v = is_java_t<T>::value;
template <typename T>
constexpr auto is_x_lang_v = is_java_v<T> || is_python_v<T>;

#if FLOWRAY_HAS_MSGPACK
/// Values as msgpack-cxx packs them, for programs that do so by hand.
class Serializer {
 public:
  template <typename T>
  static msgpack::sbuffer Serialize(const T& value) {
    msgpack::sbuffer buffer;
    msgpack::pack(buffer, value);
    return buffer;
  }
  static msgpack::sbuffer Serialize(const char* data, size_t size) {
    msgpack::sbuffer buffer;
    msgpack::packer<msgpack::sbuffer> packer(buffer);
    packer.pack_bin(static_cast<uint32_t>(size));
    packer.pack_bin_body(data, static_cast<uint32_t>(size));
    return buffer;
  }
  template <typename T>
  static T Deserialize(const char* data, size_t size) {
    return msgpack::unpack(data, size).get().template as<T>();
  }
  template <typename T>
  static T Deserialize(const char* data, size_t size, size_t offset) {
    return Deserialize<T>(data + offset, size - offset);
  }
  /// Goes on behind what it has read.
  template <typename T>
  static T Deserialize(const char* data, size_t size, size_t* offset) {
    return msgpack::unpack(data, size, *offset).get().template as<T>();
  }
  /// Whether there is something but nil, and that.
  template <typename T>
  static std::pair<bool, T> DeserializeWhenNil(const char* data, size_t size) {
    T value{};
    const bool is_there = msgpack::unpack(data, size).get().convert_if_not_nil(value);
    return {is_there, is_there ? value : T{}};
  }
  /// Whether it is nil, with something behind that tells of an error.
  static bool HasError(const char* data, size_t size) {
    size_t offset = 0;
    return msgpack::unpack(data, size, offset).get().is_nil() && size > 1;
  }
  /// Whether it begins with the head that values of other languages have.
  static bool IsXLang(const char* data, size_t size) {
    size_t offset = 0;
    return msgpack::unpack(data, size, offset).get().type == msgpack::type::POSITIVE_INTEGER &&
           size >= XLANG_HEADER_LEN;
  }
};
#endif
}  // namespace internal

/// Of Ray's own worker programs; workers here are forked from the program. Throws RayException.
[[noreturn]] inline void RunTaskExecutionLoop() {
  throw internal::RayException(
      "RunTaskExecutionLoop() is for Ray's own worker programs. Workers here are forked from the program: "
      "call ray::Init().");
}
/// What RAYLOG writes to.
inline std::unique_ptr<flowray::ray::api::RayLogger> CreateRayLogger(
    const char* file_name, int line_number, flowray::ray::api::RayLoggerLevel severity) {
  return std::make_unique<flowray::ray::api::RayLogger>(file_name, line_number, severity);
}

using flowray::ray::api::ActorLifetime;
using flowray::ray::api::Init;
using flowray::ray::api::IsLevelEnabled;
using flowray::ray::api::RayConfig;
using flowray::ray::api::RayLogger;
using flowray::ray::api::RayLoggerLevel;

/// What Wait returns, each in the order in which they were given.
template <typename T>
class WaitResult {
 public:
  /// Those that are there, errors in place of values among them.
  std::list<ObjectRef<T>> ready;
  /// The others.
  std::list<ObjectRef<T>> unready;
  WaitResult() = default;
  /// Of both lists.
  WaitResult(std::list<ObjectRef<T>>&& ready_objects, std::list<ObjectRef<T>>&& unready_objects)
      : ready(std::move(ready_objects)), unready(std::move(unready_objects)) {}
};

/// As flowray::ray::Wait, which a call without `ray::` finds by its arguments, too: the constraint, which
/// always holds, makes this the one that is called.
template <typename T>
  requires std::same_as<T, std::decay_t<T>>
WaitResult<T> Wait(const std::vector<ObjectRef<T>>& objects, int num_objects, int timeout_ms) {
  auto [ready, unready] = flowray::ray::Wait(objects, num_objects, timeout_ms);
  return WaitResult<T>({ready.begin(), ready.end()}, {unready.begin(), unready.end()});
}

/// The values of objects with these ID()s, in their order: in the process whose runtime knows them.
template <typename T>
std::vector<std::shared_ptr<T>> Get(const std::vector<std::string>& ids, const int& timeout_ms) {
  std::vector<ObjectRef<T>> objects;
  for (const std::string& id : ids) objects.emplace_back(id);
  return Get(objects, timeout_ms);
}
/// The same, waiting without end.
template <typename T>
std::vector<std::shared_ptr<T>> Get(const std::vector<std::string>& ids) {
  return Get<T>(ids, -1);
}
/// The ID()s of the objects, in their order.
template <typename T>
std::vector<std::string> ObjectRefsToObjectIDs(const std::vector<ObjectRef<T>>& objects) {
  std::vector<std::string> ids;
  for (const auto& object : objects) ids.push_back(object.ID());
  return ids;
}

/// As flowray::ray::GetActor.
template <typename T>
boost::optional<ActorHandle<T>> GetActor(const std::string& actor_name,
                                         const std::string& ray_namespace = "") {
  const auto found = flowray::ray::GetActor<T>(actor_name, ray_namespace);
  if (!found) return {};
  return *found;
}
/// The same of an actor of another language.
inline boost::optional<ActorHandleXlang> GetActor(const std::string& actor_name,
                                                  const std::string& ray_namespace = "") {
  const auto found = flowray::ray::GetActor(actor_name, ray_namespace);
  if (!found) return {};
  return *found;
}

}  // namespace ray

#define RAYLOG_INTERNAL(level) ::ray::RayLogger(__FILE__, __LINE__, level)
#define RAYLOG(level) \
  if (::ray::IsLevelEnabled(::ray::RayLoggerLevel::level)) RAYLOG_INTERNAL(::ray::RayLoggerLevel::level)

#pragma GCC visibility pop
