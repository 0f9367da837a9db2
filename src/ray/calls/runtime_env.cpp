#include <flowray/errors.h>
#include <flowray/ray/runtime_env.h>

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "core/guarded.h"
#include "core/json.h"
#include "ray/transport/call_spec.h"

namespace flowray::ray {
namespace internal {
namespace {

Json from_core(JsonValue&& value) {
  Json json{static_cast<Json::Kind>(value.kind), std::move(value.text), {}, std::move(value.names)};
  json.items.reserve(value.items.size());
  for (JsonValue& item : value.items) json.items.push_back(from_core(std::move(item)));
  return json;
}

std::string in_quotes(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    switch (letter) {
      case '"':
      case '\\':
        quoted += '\\';
        quoted += letter;
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(letter) < ' ')
          quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(letter));
        else
          quoted += letter;
    }
  }
  return quoted + '"';
}

}  // namespace

Json parse_json(std::string_view text) {
  try {
    return from_core(read_json(text));
  } catch (const ValueError& error) {
    throw RayRuntimeEnvException(error.message());
  }
}

std::string json_text(const Json& json) {
  const bool is_map = json.kind == Json::Kind::kMap;
  switch (json.kind) {
    case Json::Kind::kNull:
      return "null";
    case Json::Kind::kBool:
    case Json::Kind::kNumber:
      return json.text;
    case Json::Kind::kText:
      return in_quotes(json.text);
    default:
      break;
  }
  std::string text(1, is_map ? '{' : '[');
  for (size_t i = 0; i < json.items.size(); ++i) {
    if (i > 0) text += ',';
    if (is_map) text += in_quotes(json.names[i]) + ':';
    text += json_text(json.items[i]);
  }
  return text + (is_map ? '}' : ']');
}

Json json_of_text(std::string_view text) { return {Json::Kind::kText, std::string(text), {}, {}}; }

Json json_of_number(double number) {
  if (!std::isfinite(number)) return {};  // JSON has none
  return {Json::Kind::kNumber, fmt::format("{}", number), {}, {}};
}

void throw_other_json(const Json& json, std::string_view expected) {
  throw RayRuntimeEnvException(
      fmt::format("it is {}, and {} was expected.", json_text(json).substr(0, 100), expected));
}

std::string environment_text(const RuntimeEnv& env) {
  static auto* const told = new Guarded<std::set<std::string>>();
  const Json fields = parse_json(env.Serialize());
  std::string text;
  for (size_t i = 0; i < fields.items.size(); ++i) {
    const std::string& name = fields.names[i];
    if (name != "env_vars") {
      if (told->lock()->insert(name).second) {
        fmt::print(stderr,
                   "flowray: RuntimeEnv: '{}' is not followed: workers run this program as it is. Only "
                   "'env_vars' is.\n",
                   name);
      }
      continue;
    }
    for (const auto& [variable, value] : env.Get<std::map<std::string, std::string>>(name)) {
      if (variable.empty() || variable.find('=') != std::string::npos ||
          (variable + value).find('\0') != std::string::npos) {
        throw RayRuntimeEnvException("env_vars: '" + variable + "' cannot be a variable's name.");
      }
      text.append(variable).append("=").append(value).append(1, '\0');
    }
  }
  if (text.size() > kMostEnvironmentBytes) {
    throw RayRuntimeEnvException(
        fmt::format("env_vars have {} bytes; at most {} are possible.", text.size(), kMostEnvironmentBytes));
  }
  return text;
}

}  // namespace internal

const internal::Json& RuntimeEnv::field(const std::string& name) const {
  const auto found = fields_.find(name);
  if (found == fields_.end()) throw RayRuntimeEnvException("The field " + name + " not found.");
  return found->second;
}

void RuntimeEnv::SetJsonStr(const std::string& name, const std::string& json_str) {
  try {
    fields_[name] = internal::parse_json(json_str);
  } catch (const RayRuntimeEnvException& error) {
    throw RayRuntimeEnvException("Failed to set the field " + name + " by json string: " + error.message());
  }
}

std::string RuntimeEnv::GetJsonStr(const std::string& name) const { return internal::json_text(field(name)); }

bool RuntimeEnv::Contains(const std::string& name) const { return fields_.contains(name); }

bool RuntimeEnv::Remove(const std::string& name) { return fields_.erase(name) > 0; }

bool RuntimeEnv::Empty() const { return fields_.empty(); }

std::string RuntimeEnv::Serialize() const { return internal::json_text(internal::to_json(fields_)); }

std::string RuntimeEnv::SerializeToRuntimeEnvInfo() const {
  return internal::json_text(
      internal::to_json(std::map<std::string, std::string>{{"serialized_runtime_env", Serialize()}}));
}

RuntimeEnv RuntimeEnv::Deserialize(const std::string& serialized_runtime_env) {
  const internal::Json json = internal::parse_json(serialized_runtime_env);
  if (json.kind != internal::Json::Kind::kMap) internal::throw_other_json(json, "a map of fields");
  RuntimeEnv env;
  for (size_t i = 0; i < json.items.size(); ++i) env.fields_[json.names[i]] = json.items[i];
  return env;
}

}  // namespace flowray::ray
