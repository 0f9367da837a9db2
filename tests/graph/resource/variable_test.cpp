#include "graph/resource/variable.h"

#include <gtest/gtest.h>

#include <thread>

namespace flowray::graph {
namespace {

TEST(Variable, HasNoValueAtFirst) {
  Variable variable("w");
  EXPECT_FALSE(variable.initialized());
  EXPECT_THROW((void)variable.read(), errors::FailedPreconditionError);
  EXPECT_THROW((void)variable.update(), errors::FailedPreconditionError);
}

TEST(Variable, IsUpdatedInPlaceWhereNobodyHoldsItsValue) {
  Variable variable("w");
  variable.assign(Array({1.0f, 2.0f}));
  const void* where = variable.read().raw_data();
  variable.update().data<float>()[0] = 5.0f;
  EXPECT_EQ(variable.read().raw_data(), where);
  EXPECT_EQ(variable.read(), Array({5.0f, 2.0f}));
}

TEST(Variable, LeavesAValueThatIsHeldAlone) {
  Variable variable("w");
  variable.assign(Array({1.0f, 2.0f}));
  const Array held = variable.read();
  variable.update().data<float>()[0] = 5.0f;
  EXPECT_EQ(held, Array({1.0f, 2.0f}));
  EXPECT_EQ(variable.read(), Array({5.0f, 2.0f}));
}

TEST(Variable, AssignCopyWritesIntoTheOldBufferWhereItFits) {
  Variable variable("w");
  variable.assign(Array({1.0f, 2.0f}));
  const void* where = variable.read().raw_data();
  const float values[] = {3.0f, 4.0f};
  variable.assign_copy(DType::kFloat32, {2}, values);
  EXPECT_EQ(variable.read().raw_data(), where);
  EXPECT_EQ(variable.read(), Array({3.0f, 4.0f}));
  variable.assign_copy(DType::kFloat32, {1}, values);
  EXPECT_EQ(variable.read(), Array(std::vector<float>{3.0f}));
  const std::string words[] = {"a", "b"};
  variable.assign_copy(DType::kString, {2}, words);
  EXPECT_EQ(variable.read(), Array({"a", "b"}));
}

TEST(Variable, LosesNoUpdateOfManyThreads) {
  Variable variable("counter");
  variable.assign(Array(int64_t{0}));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        ++variable.update().data<int64_t>()[0];
        (void)variable.read();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(variable.read().item<int64_t>(), 4000);
}

TEST(ResourceContainers, FindVariablesByContainerAndName) {
  ResourceContainers containers;
  const auto w = containers.find_or_make<Variable>("", "w");
  EXPECT_EQ(containers.find_or_make<Variable>("", "w"), w);
  EXPECT_NE(containers.find_or_make<Variable>("other", "w"), w);
  containers.clear("");
  EXPECT_NE(containers.find_or_make<Variable>("", "w"), w);
}

}  // namespace
}  // namespace flowray::graph
