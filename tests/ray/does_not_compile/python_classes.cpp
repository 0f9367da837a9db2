// EXPECTED: SetMaxConcurrency() gives it several threads
// EXPECTED: a Python class runs in an interpreter's process
#include <flowray/ray.h>
namespace ray = flowray::ray;

struct Class {
  int run();
};

void classes() {
  (void)ray::Actor(ray::PyActorClass{"module", "Class"}).SetConcurrencyGroup("io", 2, &Class::run);
  (void)ray::Actor(ray::PyActorClass{"module", "Class"}).SetIsolation(ray::Isolation::kThread);
}
