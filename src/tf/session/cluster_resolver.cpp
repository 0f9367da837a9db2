#include <flowray/tf/cluster_resolver.h>

#include <flowray/errors.h>

#include "core/json.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <map>
#include <utility>

namespace flowray::tf::distribute::cluster_resolver {
namespace {

using train::ClusterSpec;

std::string master_url(const std::string& rpc_layer, const std::string& address) {
  return rpc_layer.empty() ? address : rpc_layer + "://" + address;
}

/// The layer of a question, or else of its resolver.
std::string layer_of(const MasterOptions& options, const ClusterResolver& resolver) {
  return options.rpc_layer.empty() ? resolver.rpc_layer().value_or("") : options.rpc_layer;
}

JsonValue tf_config() {
  const char* const text = std::getenv("TF_CONFIG");  // NOLINT(concurrency-mt-unsafe): as Python reads it
  if (text == nullptr) return {.kind = JsonValue::Kind::kMap};
  try {
    return read_json(text);
  } catch (const ValueError& error) {
    throw ValueError(fmt::format(
        "TF_CONFIG cannot be read: {}\nIt is a JSON object: {{\"cluster\": {{\"worker\": [\"host:port\"]}}, "
        "\"task\": {{\"type\": \"worker\", \"index\": 0}}}}",
        error.message()));
  }
}

/// Null where the object lacks it.
const JsonValue* member(const JsonValue& object, std::string_view name) {
  const JsonValue* const found = object.find(name);
  return found == nullptr || found->kind == JsonValue::Kind::kNull ? nullptr : found;
}

/// `what` is "task.index".
int number_of(std::string_view text, std::string_view what) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  throw ValueError(fmt::format("TF_CONFIG: {} must be a whole number, but is \"{}\"", what, text));
}

std::optional<std::string> text_of(const JsonValue& object, std::string_view name) {
  const JsonValue* const found = member(object, name);
  return found == nullptr ? std::nullopt : std::optional(found->text);
}

std::map<int, std::string> addresses_of(const std::string& job, const JsonValue& tasks) {
  std::map<int, std::string> addresses;
  for (size_t i = 0; i < tasks.items.size(); ++i) {
    const bool is_map = tasks.kind == JsonValue::Kind::kMap;
    const JsonValue& address = tasks.items[i];
    if (address.kind != JsonValue::Kind::kText)
      throw ValueError(fmt::format("TF_CONFIG: an address of the job '{}' is not a string", job));
    addresses[is_map ? number_of(tasks.names[i], "a task of the job '" + job + "'") : static_cast<int>(i)] =
        address.text;
  }
  return addresses;
}

bool has_one_task_at_most(const ClusterSpec& cluster) {
  const auto& jobs = cluster.as_map();
  return jobs.empty() || (jobs.size() == 1 && jobs.begin()->second.size() == 1);
}

}  // namespace

ClusterResolver::~ClusterResolver() = default;

std::string SimpleClusterResolver::master(const MasterOptions& options) const {
  const bool names_task = options.task_type.has_value() && options.task_id.has_value();
  const std::string& address =
      names_task ? cluster_spec_.task_address(*options.task_type, *options.task_id) : options_.master;
  // A URL is kept as it is, unless another task or layer is asked for.
  if (!names_task && options.rpc_layer.empty() && address.find("://") != std::string::npos) return address;
  if (!names_task && address.empty() && options.rpc_layer.empty()) return address;
  return master_url(layer_of(options, *this), address);
}

ClusterSpec TFConfigClusterResolver::cluster_spec() const {
  const JsonValue config = tf_config();
  std::map<std::string, std::map<int, std::string>> jobs;
  const JsonValue* const cluster = member(config, "cluster");
  if (cluster == nullptr) return {};
  if (cluster->kind != JsonValue::Kind::kMap)
    throw ValueError("TF_CONFIG: cluster must be an object with a list of addresses for each job");
  for (size_t i = 0; i < cluster->items.size(); ++i)
    jobs[cluster->names[i]] = addresses_of(cluster->names[i], cluster->items[i]);
  return {std::move(jobs)};
}

std::string TFConfigClusterResolver::master(const MasterOptions& options) const {
  const ClusterSpec cluster = cluster_spec();
  if (has_one_task_at_most(cluster)) return "";
  const std::optional<std::string> type = options.task_type.has_value() ? options.task_type : task_type();
  const std::optional<int> id = options.task_id.has_value() ? options.task_id : task_id();
  if (!type.has_value() || !id.has_value()) {
    throw ValueError(fmt::format("No task with index {} in job {}", id ? std::to_string(*id) : "None",
                                 type ? "'" + *type + "'" : "None"));
  }
  return master_url(layer_of(options, *this), cluster.task_address(*type, *id));
}

std::optional<std::string> TFConfigClusterResolver::task_type() const {
  if (options_.task_type.has_value()) return options_.task_type;
  const JsonValue config = tf_config();
  const JsonValue* const task = member(config, "task");
  return task == nullptr ? std::nullopt : text_of(*task, "type");
}

std::optional<int> TFConfigClusterResolver::task_id() const {
  if (options_.task_id.has_value()) return options_.task_id;
  const JsonValue config = tf_config();
  const JsonValue* const task = member(config, "task");
  const JsonValue* const index = task == nullptr ? nullptr : member(*task, "index");
  return index == nullptr ? std::nullopt : std::optional(number_of(index->text, "task.index"));
}

std::optional<std::string> TFConfigClusterResolver::rpc_layer() const {
  return options_.rpc_layer.has_value() ? options_.rpc_layer : text_of(tf_config(), "rpc_layer");
}

std::optional<std::string> TFConfigClusterResolver::environment() const {
  return options_.environment.has_value() ? options_.environment : text_of(tf_config(), "environment");
}

UnionResolver::UnionResolver(std::vector<std::shared_ptr<ClusterResolver>> resolvers,
                             UnionResolverOptions options)
    : resolvers_(std::move(resolvers)), options_(std::move(options)) {
  if (resolvers_.empty()) throw ValueError("At least one ClusterResolver is required.");
  for (const auto& resolver : resolvers_)
    if (resolver == nullptr) throw TypeError("All arguments must be a sub-class of `ClusterResolver.`");
}

ClusterSpec UnionResolver::cluster_spec() const {
  const auto is_list = [](const std::map<int, std::string>& tasks) {
    return !tasks.empty() && tasks.begin()->first == 0 &&
           tasks.rbegin()->first == static_cast<int>(tasks.size()) - 1;
  };
  std::vector<ClusterSpec> specs;
  std::map<std::string, bool> are_lists;
  for (const auto& resolver : resolvers_) {
    specs.push_back(resolver->cluster_spec());
    for (const auto& [job, tasks] : specs.back().as_map())
      are_lists.emplace(job, true).first->second &= is_list(tasks);
  }
  std::map<std::string, std::map<int, std::string>> merged;
  for (const ClusterSpec& spec : specs) {
    for (const auto& [job, tasks] : spec.as_map()) {
      std::map<int, std::string>& all = merged[job];
      const int first = are_lists[job] ? static_cast<int>(all.size()) : 0;
      for (const auto& [number, address] : tasks) {
        if (all.emplace(first + number, address).second) continue;
        throw KeyError(
            fmt::format("Duplicate keys detected when merging two ClusterSpecs: {{{}}}", first + number));
      }
    }
  }
  return {std::move(merged)};
}

std::string UnionResolver::master(const MasterOptions& options) const {
  if (!options.task_type.has_value() || !options.task_id.has_value())
    return resolvers_[0]->master({.rpc_layer = options.rpc_layer});
  const std::string layer = options.rpc_layer.empty() ? options_.rpc_layer.value_or("") : options.rpc_layer;
  return master_url(layer, cluster_spec().task_address(*options.task_type, *options.task_id));
}

std::optional<std::string> UnionResolver::task_type() const {
  return options_.task_type.has_value() ? options_.task_type : resolvers_[0]->task_type();
}
std::optional<int> UnionResolver::task_id() const {
  return options_.task_id.has_value() ? options_.task_id : resolvers_[0]->task_id();
}
std::optional<std::string> UnionResolver::rpc_layer() const {
  return options_.rpc_layer.has_value() ? options_.rpc_layer : resolvers_[0]->rpc_layer();
}

}  // namespace flowray::tf::distribute::cluster_resolver
