#pragma once

#include <string>
#include <string_view>

namespace flowray::cluster {

/// Who a server is, or is called by a session: what its devices and its errors are called by.
struct Identity {
  std::string job = "local";
  int task = 0;

  /// "/job:local/replica:0/task:0"
  std::string name() const { return "/job:" + job + "/replica:0/task:" + std::to_string(task); }
};

/// Whether a job may be called so: a letter, then letters, digits and '_'.
inline bool is_job_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (name.empty() || !is_letter(name[0])) return false;
  for (const char c : name) {
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '_') return false;
  }
  return true;
}

}  // namespace flowray::cluster
