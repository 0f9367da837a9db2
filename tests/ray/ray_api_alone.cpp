// A program of Ray's, built for debugging, that includes no header but Ray's.

#define DEBUG 1
#include <ray/api.h>

#ifndef DEBUG
#error "the program's own #ifdef DEBUG must go on"
#endif

int count(const std::map<std::string, int>& numbers, const std::set<int>& wanted) {
  const std::function<bool(int)> is_wanted = [&](int number) { return wanted.contains(number); };
  std::mutex mutex;
  int found = 0;
  std::thread([&] {
    const std::lock_guard<std::mutex> lock(mutex);
    for (const auto& [name, number] : numbers) found += is_wanted(number) ? 1 : 0;
  }).join();
  assert(found >= 0);
  if (found > 1000) throw std::runtime_error("too many");
  RAYLOG(DEBUG) << "found " << found << " of " << wanted.size();
  std::this_thread::sleep_for(std::chrono::milliseconds(0));
  return found;
}

RAY_REMOTE(count);

int main() {
  ray::Init();
  if (ray::IsLevelEnabled(ray::RayLoggerLevel::DEBUG)) return 1;
  return *ray::Task(count).Remote(std::map<std::string, int>{{"one", 1}}, std::set<int>{2}).Get();
}
