#pragma once

#include <gtest/gtest.h>

namespace flowray::cluster {

/// Of tests that need libflowray-cluster, which builds without gRPC do not have.
class NetworkTest : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef FLOWRAY_TEST_NETWORK
    GTEST_SKIP() << "there is no gRPC in this build";
#endif
  }
};

}  // namespace flowray::cluster
