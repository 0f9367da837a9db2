// The real TensorFlow's Python client against `flowray server`, where FLOWRAY_ORACLE_PYTHON names a Python that has it:
// tests/interop/client_test.py.

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/child_process.h"

namespace flowray {
namespace {

TEST(TensorFlowClient, RunsOnOurServer) {
#if !defined(FLOWRAY_TEST_NETWORK) || !defined(FLOWRAY_TEST_COMMAND)
  GTEST_SKIP() << "there is no server in this build";
#endif
  const char* python = std::getenv("FLOWRAY_ORACLE_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
  testing::ChildProcess client({python, "tests/interop/client_test.py", testing::built_program("flowray")});
  EXPECT_EQ(client.wait(), 0) << client.errors();
}

}  // namespace
}  // namespace flowray
