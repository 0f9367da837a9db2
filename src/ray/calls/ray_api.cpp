#include <ray/api.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

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
}

void follow_head_args(flowray::ray::RayConfig& config, const std::vector<std::string>& head_args) {
  std::string others;
  for (const auto& [flag, value] : flags_of(head_args)) {
    if (flag == "--num-cpus") {
      config.num_cpus = positive_number<int>(flag, value);
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

PlainRayConfig merged_with(const PlainRayConfig& config, int argc, char** argv) {
  PlainRayConfig merged = config;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const size_t equals = std::min(argument.find('='), argument.size());
    const std::string_view flag = argument.substr(0, equals);
    const std::string_view value = argument.substr(std::min(equals + 1, argument.size()));
    if (flag == "--ray_address") merged.address = value;
    if (flag == "--ray_head_args") merged.head_args = words_of(value);
    if (flag == "--ray_code_search_path") merged.code_search_path = {std::string(value)};
    if (flag == "--ray_default_actor_lifetime") {
      merged.default_actor_lifetime =
          value == "DETACHED" || value == "detached" ? ActorLifetime::DETACHED : ActorLifetime::NON_DETACHED;
    }
  }
  return merged;
}

}  // namespace

void init(const PlainRayConfig& config, int argc, char** argv) {
  if (IsInitialized()) return;
  PlainRayConfig merged = merged_with(config, argc, argv);
  const char* const address = std::getenv("RAY_ADDRESS");
  if (merged.address.empty() && address != nullptr) merged.address = address;
  require_this_machine(merged.address);
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
