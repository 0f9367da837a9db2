#include <flowray/tf/cluster_resolver.h>

#include <flowray/errors.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace flowray {
namespace {

using tf::distribute::cluster_resolver::SimpleClusterResolver;
using tf::distribute::cluster_resolver::TFConfigClusterResolver;
using tf::distribute::cluster_resolver::UnionResolver;
using tf::train::ClusterSpec;

class TfConfig : public ::testing::Test {
 protected:
  static void set(const char* config) { setenv("TF_CONFIG", config, 1); }  // NOLINT: one thread
  void TearDown() override { unsetenv("TF_CONFIG"); }                      // NOLINT: one thread
};

TEST_F(TfConfig, SaysWhereTasksAre) {
  set(R"({"cluster": {"ps": ["a:1"], "worker": ["b:2", "c:3"]}, "task": {"type": "worker", "index": 1},
          "rpc_layer": "grpc"})");
  const TFConfigClusterResolver resolver;
  EXPECT_EQ(resolver.cluster_spec(), ClusterSpec({{"ps", {"a:1"}}, {"worker", {"b:2", "c:3"}}}));
  EXPECT_EQ(resolver.task_type(), "worker");
  EXPECT_EQ(resolver.task_id(), 1);
  EXPECT_EQ(resolver.rpc_layer(), "grpc");
  EXPECT_EQ(resolver.environment(), std::nullopt);
  EXPECT_EQ(resolver.master(), "grpc://c:3");
  EXPECT_EQ(resolver.master({.task_type = "ps", .task_id = 0, .rpc_layer = "x"}), "x://a:1");
  EXPECT_THROW((void)resolver.master({.task_id = 2}), ValueError);
  TFConfigClusterResolver other({.task_type = "ps", .task_id = 0, .environment = "cloud"});
  EXPECT_EQ(other.master(), "grpc://a:1");
  EXPECT_EQ(other.environment(), "cloud");
  other.set_task_type(std::nullopt);
  EXPECT_EQ(other.master(), "grpc://b:2");
}

TEST_F(TfConfig, MayBeThereOrNot) {
  const TFConfigClusterResolver resolver;
  EXPECT_FALSE(resolver.cluster_spec());
  EXPECT_EQ(resolver.master(), "");
  EXPECT_EQ(resolver.task_id(), std::nullopt);
  set(R"({"cluster": {"worker": {"3": "b:2"}}, "task": {"index": "3"}})");
  EXPECT_EQ(resolver.cluster_spec().task_address("worker", 3), "b:2");
  EXPECT_EQ(resolver.task_id(), 3);
  EXPECT_EQ(resolver.master(), "");  // the only task there is
}

TEST_F(TfConfig, IsJsonOfThisForm) {
  const TFConfigClusterResolver resolver;
  for (const char* config : {"", "ps=a:1", R"({"cluster": ["a:1"]})", R"({"cluster": {"ps": [1]}})",
                             R"({"cluster": {"ps": {"first": "a:1"}}})"}) {
    set(config);
    EXPECT_THROW((void)resolver.cluster_spec(), ValueError) << config;
  }
  set(R"({"task": {"index": 1.5}})");
  EXPECT_THROW((void)resolver.task_id(), ValueError);
}

TEST(ClusterResolvers, HaveAKnownCluster) {
  const SimpleClusterResolver resolver({{"worker", {"x:1", "y:2"}}},
                                       {.master = "grpc://q:1", .task_type = "worker", .task_id = 0});
  EXPECT_EQ(resolver.master(), "grpc://q:1");
  EXPECT_EQ(resolver.master({.task_type = "worker", .task_id = 1}), "y:2");
  EXPECT_EQ(resolver.environment(), "");
}

TEST(ClusterResolvers, AreOneTogether) {
  const auto first = std::make_shared<SimpleClusterResolver>(
      ClusterSpec{{"worker", {"x:1", "y:2"}}, {"ps", {"p:1"}}},
      tf::distribute::cluster_resolver::SimpleClusterResolverOptions{.master = "m:1", .task_type = "worker"});
  const auto second = std::make_shared<SimpleClusterResolver>(ClusterSpec(
      std::map<std::string, std::map<int, std::string>>{{"worker", {{0, "z:3"}}}, {"ps", {{1, "q:2"}}}}));
  const UnionResolver both({first, second}, {.task_id = 2});
  EXPECT_EQ(both.cluster_spec(), ClusterSpec({{"worker", {"x:1", "y:2", "z:3"}}, {"ps", {"p:1", "q:2"}}}));
  EXPECT_EQ(both.task_type(), "worker");
  EXPECT_EQ(both.task_id(), 2);
  EXPECT_EQ(both.master(), "m:1");
  EXPECT_EQ(both.master({.task_type = "ps", .task_id = 1, .rpc_layer = "grpc"}), "grpc://q:2");
  EXPECT_THROW((void)UnionResolver({second, second}).cluster_spec(), KeyError);
  EXPECT_THROW(UnionResolver({}), ValueError);
}

}  // namespace
}  // namespace flowray
