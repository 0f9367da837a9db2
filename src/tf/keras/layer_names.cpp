#include "tf/keras/layer_names.h"

#include "core/mutex.h"
#include "tf/build/eager_variable.h"

#include <fmt/format.h>

#include <atomic>
#include <cctype>
#include <map>

namespace flowray::tf::keras {
namespace {

struct UsedNames {
  Mutex mutex;
  int resets FLOWRAY_GUARDED_BY(mutex) = 0;  // those that it has seen
  std::map<std::string, int> names FLOWRAY_GUARDED_BY(mutex);
  std::map<std::string, int> uids FLOWRAY_GUARDED_BY(mutex);
};

std::atomic<int> resets = 0;

using Counts = std::map<std::string, int> UsedNames::*;

/// How often `key` was counted before.
int count_of(graph::Graph& graph, Counts counts, const std::string& key) {
  graph::Graph* const home = lifted_variables(graph).to;  // layers are counted where most of them are named
  UsedNames& used = (home != nullptr ? *home : graph).attachment<UsedNames>("keras_names");
  const MutexLock lock(used.mutex);
  if (const int now = resets; used.resets != now) {
    used.names.clear();
    used.uids.clear();
    used.resets = now;
  }
  return (used.*counts)[key]++;
}

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string snake_case(const std::string& class_name) {
  std::string result;
  for (size_t i = 0; i < class_name.size(); ++i) {
    const bool begins_word = i > 0 && is_upper(class_name[i]) && i + 1 < class_name.size() &&
                             !is_upper(class_name[i + 1]) && class_name[i - 1] != '_';
    const bool ends_small =
        i > 0 && is_upper(class_name[i]) && std::islower(static_cast<unsigned char>(class_name[i - 1])) != 0;
    if (begins_word || ends_small) result += '_';
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(class_name[i])));
  }
  return result;
}

std::string next_name(graph::Graph& graph, const std::string& base) {
  const int count = count_of(graph, &UsedNames::names, base);
  return count == 0 ? base : fmt::format("{}_{}", base, count);
}

int next_uid(graph::Graph& graph, const std::string& prefix) {
  return 1 + count_of(graph, &UsedNames::uids, prefix);
}

void reset_uids() { ++resets; }

}  // namespace flowray::tf::keras
