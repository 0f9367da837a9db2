#pragma once
/// Names of devices: "/job:worker/replica:0/task:1/device:CPU:0", of which any part may be left open.

#include <optional>
#include <string>
#include <string_view>

namespace flowray::graph {

/// Whether a job may be called so: a letter, then letters, digits and '_'.
bool is_job_name(std::string_view name);

struct DeviceName {
  std::optional<std::string> job = {};
  std::optional<int> replica = {};
  std::optional<int> task = {};
  std::optional<std::string> type = {};  // "CPU", in capitals
  std::optional<int> index = {};

  /// Nothing if it is not a device's name. "*" leaves a part open; "/cpu:0" is the old form
  /// of "/device:CPU:0".
  static std::optional<DeviceName> parse(std::string_view text);
  /// "CPU:0", "CPU" or "*", without a slash.
  static std::optional<DeviceName> parse_local(std::string_view text);

  /// "/job:worker/device:GPU:*", with what is given only.
  std::string to_string() const;

  /// Whether the devices that this means include the one that `full` names in full.
  bool includes(const DeviceName& full) const;
  /// The same, but whichever of the task's devices it is.
  bool includes_task_of(const DeviceName& full) const;

  /// Takes what is open here from `outer`.
  void fill_in(const DeviceName& outer);
  /// Which of the parts the two give differently, as TensorFlow calls them ("jobs", "ids"); nothing where
  /// both can hold.
  std::optional<std::string_view> conflict_with(const DeviceName& other) const;

  bool operator==(const DeviceName&) const = default;
};

}  // namespace flowray::graph
