#include <ray/api.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "ray/calls/command_line.h"

namespace flowray::ray::api {
namespace {

constexpr std::array<std::string_view, 5> kLevels = {"DEBUG", "INFO", "WARNING", "ERROR", "FATAL"};

std::string_view name_of_level(RayLoggerLevel level) { return kLevels.at(static_cast<size_t>(level) + 1); }

RayLoggerLevel least_level() {
  const char* const asked = std::getenv("RAY_BACKEND_LOG_LEVEL");
  if (asked == nullptr) return RayLoggerLevel::INFO;
  std::string name = asked;
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::toupper(letter); });
  const auto found = std::ranges::find(kLevels, name);
  return found == kLevels.end() ? RayLoggerLevel::INFO
                                : static_cast<RayLoggerLevel>(found - kLevels.begin() - 1);
}

template <class Number>
Number positive_number(std::string_view flag, std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0)
    throw RayException(fmt::format("head_args: {} {}: expected a number that is not negative.", flag, text));
  return number;
}

/// "--flag value" and "--flag=value" as flag and value.
std::vector<std::pair<std::string, std::string>> flags_of(const std::vector<std::string>& arguments) {
  std::vector<std::pair<std::string, std::string>> flags;
  for (const std::string& argument : arguments) {
    const size_t equals = argument.find('=');
    if (!argument.starts_with("--")) {
      if (!flags.empty() && flags.back().second.empty()) flags.back().second = argument;
    } else if (equals == std::string::npos) {
      flags.emplace_back(argument, "");
    } else {
      flags.emplace_back(argument.substr(0, equals), argument.substr(equals + 1));
    }
  }
  return flags;
}

/// {"tape": 2, "memory": 1000000}
void follow_resources(flowray::ray::RayConfig& config, const std::string& json) {
  try {
    for (const auto& [name, amount] :
         internal::from_json<std::map<std::string, double>>(internal::parse_json(json))) {
      config.resources[name] = amount;
    }
  } catch (const RayRuntimeEnvException& error) {
    throw RayException("head_args: --resources " + json + ": expected amounts by name, as {\"tape\": 2}; " +
                       error.message());
  }
}

/// What belongs to a cluster, or to Ray's own programs.
void tell_of_ray_s_own(const PlainRayConfig& config) {
  if (config.is_worker_) {
    throw RayException(
        "RayConfig::is_worker_ is set: it is for Ray's own worker programs. Workers here are forked from the "
        "program; leave it false.");
  }
  if (config.has_redis_login)
    fmt::print(stderr, "flowray: RayConfig: there is no Redis here that would ask for a user or password.\n");
  if (config.default_actor_lifetime == ActorLifetime::DETACHED) {
    fmt::print(
        stderr,
        "flowray: default_actor_lifetime is DETACHED: actors live until they are killed or this program "
        "ends, as there is no cluster in which they could outlive it.\n");
  }
}

void follow_head_args(flowray::ray::RayConfig& config, const std::vector<std::string>& head_args) {
  std::string others;
  for (const auto& [flag, value] : flags_of(head_args)) {
    if (flag == "--num-cpus") {
      config.num_cpus = positive_number<int>(flag, value);
      if (config.num_cpus == 0) {
        throw RayException(
            "head_args: --num-cpus 0: a runtime without processors could run no task.\n"
            "Give it at least 1, or leave it out for one a core; actors take no processor unless they ask.");
      }
    } else if (flag == "--num-gpus") {
      config.num_gpus = positive_number<int>(flag, value);
    } else if (flag == "--memory") {
      config.resources["memory"] = static_cast<double>(positive_number<size_t>(flag, value));
    } else if (flag == "--resources") {
      follow_resources(config, value);
    } else if (flag == "--object-store-memory") {
      config.object_store_memory = positive_number<size_t>(flag, value);
    } else {
      others += (others.empty() ? "" : ", ") + flag;
    }
  }
  if (!others.empty()) {
    fmt::print(stderr, "flowray: head_args: {}: there is no `ray start` here that would take it.\n", others);
  }
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

void require_this_machine(const std::string& address) {
  if (address.empty() || address == "auto" || address == "local") return;
  throw RayException(
      fmt::format("The address '{}' is a cluster's, and tasks and actors run on this machine only.\n"
                  "Leave RayConfig::address, --ray_address and RAY_ADDRESS empty.",
                  address));
}

ActorLifetime lifetime_of(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  if (text == "detached") return ActorLifetime::DETACHED;
  if (text == "non_detached") return ActorLifetime::NON_DETACHED;
  throw RayException(
      fmt::format("--ray_default_actor_lifetime={}: it must be `detached` or `non_detached`.", text));
}

constexpr std::array<std::string_view, 8> kOurs = {
    "ray_address",  "ray_head_args", "ray_code_search_path", "ray_default_actor_lifetime",
    "ray_num_cpus", "ray_num_gpus",  "ray_job_namespace",    "ray_object_store_memory"};
// Of what a cluster hands to its programs.
constexpr std::array<std::string_view, 12> kClusters = {
    "ray_redis_username",     "ray_redis_password",  "ray_node_manager_port",
    "ray_raylet_socket_name", "ray_session_dir",     "ray_plasma_store_socket_name",
    "ray_logs_dir",           "ray_node_ip_address", "ray_runtime_env_hash",
    "ray_runtime_env",        "ray_job_id",          "startup_token"};

PlainRayConfig merged_with(const PlainRayConfig& config, int argc, char** argv) {
  PlainRayConfig merged = config;
  std::vector<std::string_view> valued(kOurs.begin(), kOurs.end());
  valued.insert(valued.end(), kClusters.begin(), kClusters.end());
  static constexpr std::array<std::string_view, 1> kSwitches = {"ray_local_mode"};
  std::string others;
  for (const auto& [flag, value] : flags_in(argc, argv, valued, kSwitches)) {
    if (flag == "ray_local_mode") merged.local_mode = value != "false";
    // Ray takes nothing of an empty one.
    if (value.empty()) continue;
    if (flag == "ray_address") merged.address = value;
    if (flag == "ray_head_args") std::ranges::move(words_of(value), std::back_inserter(merged.head_args));
    if (flag == "ray_code_search_path") merged.code_search_path = paths_in(value);
    if (flag == "ray_default_actor_lifetime") merged.default_actor_lifetime = lifetime_of(value);
    if (std::ranges::find(kClusters, flag) != kClusters.end())
      others += (others.empty() ? "--" : ", --") + std::string(flag);
  }
  if (!others.empty()) {
    fmt::print(stderr, "flowray: {}: there is no cluster here that would take it; set RayConfig's fields.\n",
               others);
  }
  return merged;
}

}  // namespace

void init(const PlainRayConfig& config, int argc, char** argv) {
  if (IsInitialized()) return;
  PlainRayConfig merged = merged_with(config, argc, argv);
  if (!merged.local_mode) {  // which asks no cluster
    const char* const address = std::getenv("RAY_ADDRESS");
    if (merged.address.empty() && address != nullptr) merged.address = address;
    require_this_machine(merged.address);
  }
  merged.python_path.insert(merged.python_path.end(), merged.code_search_path.begin(),
                            merged.code_search_path.end());
  follow_head_args(merged, merged.head_args);
  tell_of_ray_s_own(merged);
  flowray::ray::Init(merged, argc, argv);
}

bool IsLevelEnabled(RayLoggerLevel level) { return level >= least_level(); }

RayLogger::RayLogger(const char* file_name, int line_number, RayLoggerLevel severity) : severity_(severity) {
  const std::string_view path = file_name;
  line_ << name_of_level(severity) << ' ' << path.substr(path.rfind('/') + 1) << ':' << line_number << "] ";
}

RayLogger::~RayLogger() {
  if (IsEnabled()) std::cerr << line_.str() + "\n" << std::flush;
  if (severity_ == RayLoggerLevel::FATAL) std::abort();
}

}  // namespace flowray::ray::api
