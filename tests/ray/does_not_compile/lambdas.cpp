// FIRST: ray::Task() takes a function, not a lambda or another object: write a function
// FIRST: outside of main, RAY_REMOTE(f); below it, and ray::Task(f)
#include <flowray/ray.h>
namespace ray = flowray::ray;

int calls(int offset) {
  const auto sum = ray::Task([offset](int x) { return x + offset; }).SetName("sum").Remote(1);
  return *sum.Get();
}
