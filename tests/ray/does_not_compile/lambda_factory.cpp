// FIRST: ray::Actor() takes a factory: a function, not a lambda or a member function
#include <flowray/ray.h>
namespace ray = flowray::ray;

struct Counter {
  int Add(int x);
};

void calls() {
  auto actor = ray::Actor([] { return new Counter; }).Remote();
  (void)actor.Task(&Counter::Add).Remote(1).Get();
}
