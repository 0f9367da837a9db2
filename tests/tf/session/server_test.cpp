#include <flowray/errors.h>
#include <flowray/tf.h>
#include <gtest/gtest.h>

namespace flowray::tf::train {
namespace {

template <class Raised, class Body>
std::string raised(Body body) {
  try {
    body();
  } catch (const Raised& error) {
    return error.message();
  }
  return "nothing was thrown";
}

TEST(ClusterSpec, NamesTheTasksOfItsJobs) {
  const ClusterSpec cluster{{"worker", {"localhost:2223", "localhost:2224"}}, {"ps", {"localhost:2222"}}};
  EXPECT_EQ(cluster.jobs(), (std::vector<std::string>{"ps", "worker"}));
  EXPECT_EQ(cluster.num_tasks("worker"), 2);
  EXPECT_EQ(cluster.task_indices("worker"), (std::vector<int>{0, 1}));
  EXPECT_EQ(cluster.task_address("worker", 1), "localhost:2224");
  EXPECT_EQ(cluster.job_tasks("ps"), (std::vector<std::string>{"localhost:2222"}));
  const std::map<std::string, std::vector<std::string>> map{{"ps", {"localhost:2222"}},
                                                            {"worker", {"localhost:2223", "localhost:2224"}}};
  EXPECT_EQ(ClusterSpec(map), cluster);
  EXPECT_TRUE(cluster);
  EXPECT_FALSE(ClusterSpec());
}

TEST(ClusterSpec, MayKnowSomeTasksOnly) {
  const ClusterSpec cluster(
      std::map<std::string, std::map<int, std::string>>{{"worker", {{1, "b:1"}, {3, "d:1"}}}});
  EXPECT_EQ(cluster.num_tasks("worker"), 2);
  EXPECT_EQ(cluster.job_tasks("worker"), (std::vector<std::string>{"", "b:1", "", "d:1"}));
}

TEST(ClusterSpec, SaysWhatItDoesNotHave) {
  const ClusterSpec cluster{{"ps", {"localhost:2222"}}};
  EXPECT_EQ(raised<ValueError>([&] { (void)cluster.num_tasks("worker"); }),
            "No such job in cluster: 'worker'");
  EXPECT_EQ(raised<ValueError>([&] { (void)cluster.task_address("ps", 3); }),
            "No task with index 3 in job 'ps'");
}

TEST(Server, WantsToKnowWhichTaskItIs) {
  const ClusterSpec cluster{{"ps", {"localhost:0"}}, {"worker", {"localhost:0", "localhost:0"}}};
  EXPECT_EQ(raised<ValueError>([&] { Server server(cluster, {.start = false}); }),
            "Must specify an explicit `job_name`.");
  EXPECT_EQ(raised<ValueError>([&] { Server server(cluster, {.job_name = "worker", .start = false}); }),
            "Must specify an explicit `task_index`.");
  const Server server(cluster, {.job_name = "ps", .start = false});
  EXPECT_EQ(raised<RuntimeError>([&] { (void)server.target(); }),
            "The server does not run, so it has no target: call start().");
}

TEST(SessionWithATarget, RunsHereOrSaysThatThereIsNone) {
  Session here("");
  EXPECT_EQ(here.run(constant(2.0f)).item<float>(), 2.0f);
  EXPECT_EQ(raised<errors::NotFoundError>([] {
              Session nowhere("nowhere");
            }).rfind("No session factory registered for the given session options: {target: \"nowhere\"", 0),
            0u);
}

}  // namespace
}  // namespace flowray::tf::train
