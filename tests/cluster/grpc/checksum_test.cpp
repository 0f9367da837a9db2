// One changed byte is noticed wherever it is: in what is sent, and in what says how that is to be read.
#include "cluster/grpc/checksum.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>

namespace flowray::cluster {
namespace {

constexpr const char* kMethod = "/tensorflow.WorkerService/RunGraph";
constexpr const char* kParts = "00ff-10ee";

TEST(Checksum, IsOfTheMethodThePartsAndTheBytes) {
  const std::string sum = checksum_of(Message("what is sent"), kMethod, kParts);
  const auto fits = [&sum](const std::string& text, std::string_view method, std::string_view parts) {
    return has_checksum(std::as_bytes(std::span(text)), method, parts, sum);
  };
  EXPECT_TRUE(fits("what is sent", kMethod, kParts));
  EXPECT_FALSE(fits("what is sens", kMethod, kParts));
  EXPECT_FALSE(fits("what is sent", "/tensorflow.WorkerService/CleanupGraph", kParts));
  EXPECT_FALSE(fits("what is sent", kMethod, "00ff-10ef"));
  EXPECT_FALSE(fits("what is sent", kMethod, ""));
}

}  // namespace
}  // namespace flowray::cluster
