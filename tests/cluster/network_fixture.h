#pragma once

#include <flowray/tf/server.h>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

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

/// An address that nobody listens at just now.
inline std::string free_address() {
  const auto server = tf::train::Server::create_local_server();
  return server.target().substr(std::string_view("grpc://").size());
}

}  // namespace flowray::cluster
