#include "cluster/worker/random_id.h"

#include <random>

#include "core/thread_owned.h"

namespace flowray::cluster {
namespace {

uint64_t seed_of_thread() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

}  // namespace

int64_t random_id() {
  struct Numbers {
    std::mt19937_64 generator{seed_of_thread()};
  };
  constexpr int kBits = 57;  // as many as TensorFlow's masters use
  const auto id = static_cast<int64_t>(ThreadOwned<Numbers>::get().generator() >> (64 - kBits));
  return id == 0 ? 1 : id;
}

}  // namespace flowray::cluster
