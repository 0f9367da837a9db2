// Linked into every program that uses Flowray, with -Wl,--wrap=main: the C library calls this main, which
// calls the program's. It must lie in the program and not in a library, because the linker wraps only what
// it links.

namespace flowray::ray::internal {
__attribute__((visibility("default"))) void begin_of_main();
}

extern "C" {

int __real_main(int argc, char** argv, char** environment);

int __wrap_main(int argc, char** argv, char** environment) {
  flowray::ray::internal::begin_of_main();
  return __real_main(argc, argv, environment);
}
}
