// Collections of a graph that several threads build, which scripts/test runs under ThreadSanitizer, too.
#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <barrier>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace flowray {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 50;

/// All at once, each with `graph` as its default graph.
template <class Do>
void in_threads(const tf::Graph& graph, const Do& run) {
  std::barrier start(kThreads);
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      const auto scope = graph.as_default();
      start.arrive_and_wait();
      for (int round = 0; round < kRounds; ++round) run(thread, round);
    });
  }
}

TEST(Collections, HaveWhatEachOfSeveralThreadsAdded) {
  const tf::Graph graph;
  in_threads(graph, [](int thread, int round) {
    const std::string name = "t" + std::to_string(thread) + "_" + std::to_string(round);
    const tf::Variable variable(1.0f, {.name = name});
    tf::losses::add_loss(tf::constant(1.0f), name.substr(0, 2));
    tf::losses::add_loss(tf::constant(2.0f));
    tf::summary::scalar("s", variable);
  });
  const auto scope = graph.as_default();
  std::set<std::string> names;
  for (const tf::Variable& variable : tf::global_variables()) names.insert(variable.name());
  EXPECT_EQ(names.size(), size_t{kThreads * kRounds});
  EXPECT_EQ(tf::losses::get_losses().size(), size_t{kThreads * kRounds});
  for (int thread = 0; thread < kThreads; ++thread) {
    EXPECT_EQ(tf::losses::get_losses({}, "t" + std::to_string(thread)).size(), size_t{kRounds});
  }
  EXPECT_EQ(tf::summary::merge_all().op().inputs().size(), size_t{kThreads * kRounds});
}

TEST(Collections, AreReadWhileOthersAdd) {
  const tf::Graph graph;
  in_threads(graph, [](int thread, int) {
    if (thread % 2 == 0) {
      const tf::Variable variable(1.0f);
      return;
    }
    size_t seen = 0;
    for (const tf::Variable& variable : tf::trainable_variables()) seen += variable.name().empty() ? 0 : 1;
    EXPECT_LE(seen, size_t{kThreads / 2 * kRounds});
  });
  const auto scope = graph.as_default();
  EXPECT_EQ(tf::trainable_variables().size(), size_t{kThreads / 2 * kRounds});
}

}  // namespace
}  // namespace flowray
