// The main of every test program: like GoogleTest's own, but it runs the tests in the repository's folder, so
// that FLOWRAY_SOURCE_DIR can be a relative path (cmake/Tests.cmake says why).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

// Asked by AddressSanitizer, by nobody else. What libraries of others never free: c-ares, with which gRPC
// looks up addresses, loses 10 bytes once.
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_suppressions() {
  return "leak:libcares\n";
}
extern "C" __attribute__((visibility("default"))) const char* __lsan_default_options() {
  return "print_suppressions=0";
}
extern "C" __attribute__((visibility("default"))) const char* __ubsan_default_options() {
  return "print_stacktrace=1";
}

int main(int argc, char** argv) {
  // Before GoogleTest asks for the parameters of tests, some of which stand in files.
  if (chdir(FLOWRAY_TESTS_RUN_IN) != 0) {
    std::perror("cannot enter " FLOWRAY_TESTS_RUN_IN ", where these tests were built; build them again");
    return 1;
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
