// A program that keeps its main for itself (the property FLOWRAY_OWN_MAIN): it forks its workers before it
// has threads.

#include <flowray/ray.h>

#include <iostream>

static int Twice(int a) { return 2 * a; }
RAY_REMOTE(Twice);

extern "C" __attribute__((weak)) int __wrap_main(int, char**, char**);

int main() {
  flowray::ray::Init({.num_cpus = 1});
  std::cout << "twice 4 is " << *flowray::ray::Task(Twice).Remote(4).Get() << ", main is "
            << (__wrap_main == nullptr ? "its own" : "wrapped") << "\n";
}
