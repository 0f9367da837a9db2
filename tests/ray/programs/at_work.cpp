// A driver that calls tasks and an actor until it gets SIGTERM; says "ready" after the first ones and "right"
// at the end if all was.

#include <flowray/ray.h>

#include <csignal>
#include <cstdio>

namespace {

namespace ray = flowray::ray;
using flowray::Array;

volatile std::sig_atomic_t ended = 0;

int twice(int n) { return 2 * n; }

class Sum {
 public:
  static Sum* Create() { return new Sum; }
  float First(const Array& values) const { return values.span<float>()[0]; }

 private:
  int unused_ = 0;
};

RAY_REMOTE(twice, Sum::Create, &Sum::First);

}  // namespace

int main() {
  std::signal(SIGTERM, [](int) { ended = 1; });
  ray::Init({.num_cpus = 2, .object_store_memory = size_t{64} << 20});
  const auto sum = ray::Actor(Sum::Create).SetName("the same name in each program").Remote();
  bool right = true;
  for (int i = 0; ended == 0 || i < 10; ++i) {
    right = right && *ray::Task(twice).Remote(i).Get() == 2 * i;
    const auto value = static_cast<float>(i);
    right = right &&
            *sum.Task(&Sum::First).Remote(ray::Put(Array(std::vector<float>(1 << 16, value)))).Get() == value;
    if (i == 5) {
      std::printf("ready\n");
      std::fflush(stdout);
    }
  }
  std::printf(right ? "right\n" : "wrong\n");
  return right ? 0 : 1;
}
