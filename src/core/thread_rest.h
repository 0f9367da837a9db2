#pragma once

#include <algorithm>
#include <cstdint>

namespace flowray {

/// How long a thread of a pool is left alone after it cost its caller time: 16 times what was lost, so that
/// losses are a few percent of the time at most, and twice as long as before when it happens again soon.
/// Times are in ns.
class ThreadRest {
 public:
  bool lasts(int64_t now) const { return now < until_; }

  void begin(int64_t now, int64_t lost) {
    constexpr int64_t kForALoss = 16;
    constexpr int64_t kMostForALoss = 250'000'000;
    constexpr int64_t kMostByDoubling = 4'000'000;
    length_ = std::max(std::min(kForALoss * lost, kMostForALoss), std::min(2 * length_, kMostByDoubling));
    until_ = now + length_;
  }

  /// The thread did its share of a call.
  void forgive() { length_ /= 2; }

 private:
  int64_t until_ = 0;
  int64_t length_ = 0;  // of the last one, less what was forgiven since
};

}  // namespace flowray
