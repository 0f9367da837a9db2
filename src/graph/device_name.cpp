#include "graph/device_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace flowray::graph {
namespace {

bool read_number(std::string_view text, std::optional<int>& number) {
  if (text == "*") return true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number.emplace());
  return error == std::errc() && end == text.data() + text.size();
}

/// "CPU:0", "CPU" or "*".
bool read_device(std::string_view text, DeviceName& name) {
  const size_t colon = text.find(':');
  std::string type(text.substr(0, colon));
  if (type.empty()) return false;
  std::ranges::transform(type, type.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (type != "*") name.type = type;
  return colon == std::string_view::npos || read_number(text.substr(colon + 1), name.index);
}

bool read_part(std::string_view part, DeviceName& name) {
  const size_t colon = part.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view key = part.substr(0, colon);
  const std::string_view value = part.substr(colon + 1);
  if (key == "job") {
    if (value != "*") name.job = value;
    return value == "*" || is_job_name(value);
  }
  if (key == "replica") return read_number(value, name.replica);
  if (key == "task") return read_number(value, name.task);
  if (key == "device") return read_device(value, name);
  return (key == "cpu" || key == "gpu" || key == "CPU" || key == "GPU") &&
         read_device(part, name);  // as of old
}

template <class T>
bool is_met(const std::optional<T>& wanted, const std::optional<T>& have) {
  return !wanted.has_value() || wanted == have;
}

template <class T>
bool differ(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() && b.has_value() && a != b;
}

}  // namespace

bool is_job_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (name.empty() || !is_letter(name[0])) return false;
  return std::ranges::all_of(name,
                             [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; });
}

std::optional<DeviceName> DeviceName::parse(std::string_view text) {
  DeviceName name;
  while (!text.empty()) {
    if (text[0] != '/') return std::nullopt;
    const size_t end = std::min(text.find('/', 1), text.size());
    if (end > 1 && !read_part(text.substr(1, end - 1), name)) return std::nullopt;
    text.remove_prefix(end);
  }
  return name;
}

std::optional<DeviceName> DeviceName::parse_local(std::string_view text) {
  DeviceName name;
  return read_device(text, name) ? std::optional(name) : std::nullopt;
}

std::string DeviceName::to_string() const {
  std::string text;
  if (job) text += "/job:" + *job;
  if (replica) text += fmt::format("/replica:{}", *replica);
  if (task) text += fmt::format("/task:{}", *task);
  if (type) text += fmt::format("/device:{}:{}", *type, index ? std::to_string(*index) : "*");
  return text;
}

bool DeviceName::includes_task_of(const DeviceName& full) const {
  return is_met(job, full.job) && is_met(replica, full.replica) && is_met(task, full.task);
}

bool DeviceName::includes(const DeviceName& full) const {
  return includes_task_of(full) && is_met(type, full.type) && is_met(index, full.index);
}

void DeviceName::fill_in(const DeviceName& outer) {
  if (!job) job = outer.job;
  if (!replica) replica = outer.replica;
  if (!task) task = outer.task;
  if (!type) type = outer.type;
  if (!index) index = outer.index;
}

std::optional<std::string_view> DeviceName::conflict_with(const DeviceName& other) const {
  if (differ(job, other.job)) return "jobs";
  if (differ(replica, other.replica)) return "replicas";
  if (differ(task, other.task)) return "tasks";
  if (differ(type, other.type)) return "types";
  if (differ(index, other.index)) return "ids";
  return std::nullopt;
}

}  // namespace flowray::graph
