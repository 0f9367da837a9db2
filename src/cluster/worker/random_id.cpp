#include "cluster/worker/random_id.h"

#include <memory>
#include <random>

namespace flowray::cluster {
namespace {

uint64_t seed_of_thread() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

}  // namespace

int64_t random_id() {
  // On the heap: its 2.5 KB are more than a library that is opened by a running program, as Python's module
  // is, may have of each thread's memory.
  static thread_local const auto numbers = std::make_unique<std::mt19937_64>(seed_of_thread());
  constexpr int kBits = 57;  // as many as TensorFlow's masters use
  const auto id = static_cast<int64_t>((*numbers)() >> (64 - kBits));
  return id == 0 ? 1 : id;
}

}  // namespace flowray::cluster
