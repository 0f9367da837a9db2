// tf.train.Saver and tf.summary of the real TensorFlow's client on `flowray server`, where
// FLOWRAY_ORACLE_PYTHON names a Python that has it: tests/interop/checkpoint_test.py.

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/child_process.h"

namespace flowray {
namespace {

TEST(TensorFlowFiles, AreExchanged) {
  const char* python = std::getenv("FLOWRAY_ORACLE_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
  testing::ChildProcess client(
      {python, "tests/interop/checkpoint_test.py", testing::built_program("flowray")});
  EXPECT_EQ(client.wait(), 0) << client.errors();
}

}  // namespace
}  // namespace flowray
