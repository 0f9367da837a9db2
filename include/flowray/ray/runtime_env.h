#pragma once
/// RuntimeEnv: what workers find around them, by Ray's names. Of the fields `env_vars` is followed:
///
///     ray::RuntimeEnv env;
///     env.Set("env_vars", std::map<std::string, std::string>{{"OMP_NUM_THREADS", "2"}});
///     ray::Task(f).SetRuntimeEnv(env).Remote();
///
/// Workers run the program itself, so that there is nothing to install: other fields are told of by one
/// warning each, where the RuntimeEnv is used.

#include <flowray/ray/errors.h>

#include <charconv>
#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::ray {

namespace internal {

/// A value of JSON.
struct Json {
  enum class Kind { kNull, kBool, kNumber, kText, kList, kMap };
  Kind kind = Kind::kNull;
  std::string text;  ///< a text, or the letters of a number, true or false
  std::vector<Json> items;
  std::vector<std::string> names;  ///< of a map's items
  bool operator==(const Json&) const = default;
};

/// Throws RayRuntimeEnvException that says where the text is not JSON.
Json parse_json(std::string_view text);
/// Without spaces.
std::string json_text(const Json& json);
Json json_of_text(std::string_view text);
Json json_of_number(double number);
[[noreturn]] void throw_other_json(const Json& json, std::string_view expected);

template <typename T>
concept MapByText =
    requires { typename T::mapped_type; } && std::is_same_v<typename T::key_type, std::string>;
template <typename T>
concept ListOfItems = requires(const T& list) {
  list.begin();
  list.end();
  typename T::value_type;
} && !MapByText<T>;

/// Of all other types; <ray/api.h> defines it where nlohmann's json.hpp is installed.
template <typename T>
struct OtherJson;
template <typename T>
concept HasOtherJson = requires { OtherJson<T>::kIsDefined; };

/// A type that is JSON itself: what it holds is of its own type.
template <typename T>
concept IsOtherJson = requires { requires std::is_same_v<typename T::value_type, T>; };

template <typename T>
Json to_json(const T& value) {
  if constexpr (std::is_same_v<T, Json>) {
    return value;
  } else if constexpr (IsOtherJson<T>) {
    return OtherJson<T>::write(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return {Json::Kind::kBool, value ? "true" : "false", {}, {}};
  } else if constexpr (std::is_integral_v<T>) {
    return {Json::Kind::kNumber, std::to_string(value), {}, {}};
  } else if constexpr (std::is_floating_point_v<T>) {
    return json_of_number(static_cast<double>(value));
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return json_of_text(value);
  } else if constexpr (MapByText<T>) {
    Json json{Json::Kind::kMap, {}, {}, {}};
    const std::map<std::string, typename T::mapped_type> sorted(value.begin(), value.end());
    for (const auto& [name, item] : sorted) {
      json.names.push_back(name);
      json.items.push_back(to_json(item));
    }
    return json;
  } else if constexpr (ListOfItems<T>) {
    Json json{Json::Kind::kList, {}, {}, {}};
    for (const auto& item : value) json.items.push_back(to_json<typename T::value_type>(item));
    return json;
  } else if constexpr (HasOtherJson<T>) {
    return OtherJson<T>::write(value);
  } else {
    static_assert(sizeof(T) == 0, "RuntimeEnv::Set() takes texts, numbers, lists, and maps by text of these");
  }
}

template <typename T>
T from_json(const Json& json) {
  if constexpr (std::is_same_v<T, Json>) {
    return json;
  } else if constexpr (IsOtherJson<T>) {
    return OtherJson<T>::read(json);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (json.kind != Json::Kind::kBool) throw_other_json(json, "true or false");
    return json.text == "true";
  } else if constexpr (std::is_arithmetic_v<T>) {
    T number{};
    const char* const end = json.text.data() + json.text.size();
    const auto read = std::from_chars(json.text.data(), end, number);
    if (json.kind != Json::Kind::kNumber || read.ec != std::errc() || read.ptr != end)
      throw_other_json(json, std::is_integral_v<T> ? "an integer of the type's range" : "a number");
    return number;
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (json.kind != Json::Kind::kText) throw_other_json(json, "a text");
    return json.text;
  } else if constexpr (MapByText<T>) {
    if (json.kind != Json::Kind::kMap) throw_other_json(json, "a map");
    T map;
    for (size_t i = 0; i < json.items.size(); ++i)
      map.emplace(json.names[i], from_json<typename T::mapped_type>(json.items[i]));
    return map;
  } else if constexpr (ListOfItems<T>) {
    if (json.kind != Json::Kind::kList) throw_other_json(json, "a list");
    T list;
    for (const Json& item : json.items) list.insert(list.end(), from_json<typename T::value_type>(item));
    return list;
  } else if constexpr (HasOtherJson<T>) {
    return OtherJson<T>::read(json);
  } else {
    static_assert(sizeof(T) == 0, "RuntimeEnv::Get() gives texts, numbers, lists, and maps by text of these");
  }
}

}  // namespace internal

/// Fields by name, each a value of JSON. With <ray/api.h>, and nlohmann's json.hpp installed, Set and Get
/// take what that does.
class RuntimeEnv {
 public:
  /// Sets a field, in place of what it was.
  template <typename T>
  void Set(const std::string& name, const T& value) {
    fields_[name] = internal::to_json(value);
  }
  /// A field's value. Throws RayRuntimeEnvException if there is none, or it is no T.
  template <typename T>
  T Get(const std::string& name) const {
    const internal::Json& field = this->field(name);
    try {
      return internal::from_json<T>(field);
    } catch (const RayRuntimeEnvException& error) {
      throw RayRuntimeEnvException("Failed to get the field " + name + ": " + error.message());
    }
  }
  /// Sets a field to a value that is written as JSON. Throws RayRuntimeEnvException if it is not JSON.
  void SetJsonStr(const std::string& name, const std::string& json_str);
  /// A field's value as JSON. Throws RayRuntimeEnvException if there is none.
  std::string GetJsonStr(const std::string& name) const;
  /// Whether there is a field of that name.
  bool Contains(const std::string& name) const;
  /// Removes a field; whether there was one.
  bool Remove(const std::string& name);
  /// Whether there is no field.
  bool Empty() const;
  /// All fields as JSON, for Deserialize.
  std::string Serialize() const;
  /// The same as Ray wraps it for its workers.
  std::string SerializeToRuntimeEnvInfo() const;
  /// What Serialize has written. Throws RayRuntimeEnvException for anything else.
  static RuntimeEnv Deserialize(const std::string& serialized_runtime_env);

 private:
  const internal::Json& field(const std::string& name) const;

  std::map<std::string, internal::Json> fields_;
};

namespace internal {

/// Of its env_vars: NAME=value, each with a zero byte behind. Tells of fields that are not followed, of each
/// once. Throws RayRuntimeEnvException for env_vars that are not texts by name, or too long.
std::string environment_text(const RuntimeEnv& env);

}  // namespace internal
}  // namespace flowray::ray

#pragma GCC visibility pop
