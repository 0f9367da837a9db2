#include "cluster/grpc/token.h"

#include <gtest/gtest.h>

namespace flowray::cluster {
namespace {

TEST(ShowsToken, OnlyWhereItIsTheVeryToken) {
  EXPECT_TRUE(shows_token("Bearer secret", "secret"));
  for (const char* shown : {"", "secret", "Bearer ", "Bearer", "Bearer secre", "Bearer secrets",
                            "Bearer Secret", "bearer secret", "Bearer secretsecret", "Bearer  secret"}) {
    EXPECT_FALSE(shows_token(shown, "secret")) << shown;
  }
  EXPECT_FALSE(shows_token("Bearer ", ""));
}

}  // namespace
}  // namespace flowray::cluster
