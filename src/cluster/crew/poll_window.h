#pragma once

#include <algorithm>
#include <chrono>

namespace flowray::cluster {

/// How long a thread looks for the next request before it sleeps until one comes.
///
/// To wake a sleeping core takes tens of microseconds, on a virtual machine a hundred and more, which is most
/// of what a small step costs. A client that runs step after step asks again within that time. So the thread
/// keeps looking while requests come that quickly. Where looking was in vain it sleeps, and tries again only
/// after more requests each time; an idle server, and one with a request every other millisecond, does not
/// look. (Linux' haltpoll governor does much the same for cores.)
class PollWindow {
 public:
  using Duration = std::chrono::nanoseconds;
  static constexpr Duration kLength = std::chrono::microseconds(1000);
  /// A request that came within this time might have come within kLength, without the time of a wake-up.
  static constexpr Duration kNear = std::chrono::microseconds(2000);
  static constexpr int kMostPassed = 64;

  /// With one core the client could not ask while the server looks.
  explicit PollWindow(unsigned num_cores) : is_useful_(num_cores > 1) {}

  Duration length() const { return is_open_ ? kLength : Duration::zero(); }

  /// A request came, `wait` after the thread was ready for it.
  void request_came(Duration wait) {
    if (is_open_ && wait < kLength) {
      passes_ = 1;
    } else if (is_open_) {
      is_open_ = false;
      to_pass_ = passes_;
      passes_ = std::min(2 * passes_, kMostPassed);
    } else if (wait < kNear && --to_pass_ < 0) {
      is_open_ = is_useful_;
    }
  }

 private:
  bool is_useful_;
  bool is_open_ = false;
  int to_pass_ = 0;  // requests that come near before the window opens
  int passes_ = 1;   // how many those are after it was open in vain
};

}  // namespace flowray::cluster
