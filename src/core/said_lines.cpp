#include "core/said_lines.h"

#include <fmt/format.h>

#include <cstdio>
#include <map>

#include "core/mutex.h"

namespace flowray {
namespace {

using Clock = std::chrono::steady_clock;

struct SaidLines {
  Mutex mutex;
  /// Until when each is not said again.
  std::map<std::string, Clock::time_point> quiet_until FLOWRAY_GUARDED_BY(mutex);
};

/// Never freed: threads that wait may outlive main.
SaidLines& said_lines() {
  static auto* const kLines = new SaidLines;
  return *kLines;
}

}  // namespace

void say_unless_just_said(const std::string& line, Clock::duration pause) {
  const Clock::time_point now = Clock::now();
  SaidLines& said = said_lines();
  {
    const MutexLock lock(said.mutex);
    std::erase_if(said.quiet_until, [&](const auto& one) { return one.second <= now; });
    if (!said.quiet_until.emplace(line, now + pause).second) return;
  }
  fmt::print(stderr, "flowray: {}\n", line);
}

}  // namespace flowray
