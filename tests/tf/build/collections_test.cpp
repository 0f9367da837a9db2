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

// ---- as a program sees them

class Collected : public testing::Test {
 protected:
  const tf::Graph graph_;
  const tf::GraphScope scope_ = graph_.as_default();
};

std::vector<std::string> names_of(const tf::Collection& collection) {
  std::vector<std::string> names;
  for (const tf::CollectionItem& item : collection) names.push_back(item.name());
  return names;
}

TEST_F(Collected, ThingsOfAllKindsComeInTheOrderInWhichTheyWereAdded) {
  const tf::Variable v(1.0f, {.name = "v"});
  const tf::Tensor t = tf::constant(2.0f, {.name = "t"});
  const std::vector<tf::Tensor> parts = tf::split(tf::constant({1.0f, 2.0f}), 2);
  const tf::Operation done = tf::no_op("done");
  for (const tf::CollectionItem& item : {tf::CollectionItem(done), {v}, {t}, {parts[1]}, {t}})
    tf::add_to_collection("mine", item);
  EXPECT_EQ(names_of(tf::get_collection("mine")),
            (std::vector<std::string>{"done", "v:0", "t:0", "split:1", "t:0"}));
  EXPECT_EQ(*tf::get_collection("mine")[1].variable(), v);
  EXPECT_TRUE(tf::get_collection("mine")[3].tensor()->is(parts[1]));
  EXPECT_EQ(tf::get_collection("mine")[3].operation(), nullptr);
  EXPECT_TRUE(tf::get_collection("others").empty());
  EXPECT_EQ(graph_.get_all_collection_keys(),
            (std::vector<std::string>{"mine", tf::GraphKeys::TRAINABLE_VARIABLES,
                                      tf::GraphKeys::GLOBAL_VARIABLES}));
}

TEST_F(Collected, AScopeIsTheBeginningOfNames) {
  for (const char* name : {"a", "ab", "b"}) tf::Variable(1.0f, {.name = name});
  EXPECT_EQ(tf::trainable_variables("a").size(), 2u);
  EXPECT_EQ(tf::global_variables("a:").size(), 1u);
  EXPECT_EQ(tf::global_variables(".*b").size(), 2u);
  EXPECT_EQ(tf::global_variables().size(), 3u);
  EXPECT_TRUE(tf::local_variables().empty());
  EXPECT_EQ(names_of(tf::get_collection(tf::GraphKeys::GLOBAL_VARIABLES, "b")),
            std::vector<std::string>{"b:0"});
  EXPECT_THROW((void)tf::global_variables("("), tf::ValueError);
}

TEST_F(Collected, TheListItselfIsChanged) {
  const tf::CollectionRef list = tf::get_collection_ref(tf::GraphKeys::LOSSES);
  tf::losses::add_loss(tf::constant(1.0f, {.name = "one"}));
  list.append(tf::constant(2.0f, {.name = "two"}));
  EXPECT_EQ(list.size(), 2u);
  list.remove(graph_.get_tensor_by_name("one:0"));
  EXPECT_EQ(names_of(list.items()), std::vector<std::string>{"two:0"});
  EXPECT_EQ(tf::losses::get_losses().size(), 1u);
  EXPECT_THROW(list.remove(graph_.get_tensor_by_name("one:0")), tf::ValueError);
  list.clear();
  EXPECT_TRUE(tf::get_collection(tf::GraphKeys::LOSSES).empty());
}

TEST_F(Collected, ACollectionGoesWhereAListDoes) {
  tf::add_to_collections({"sum", "all"}, tf::constant(2.0f));
  tf::add_to_collections({"sum", "all"}, tf::constant(3.0f));
  tf::add_to_collection("all", tf::no_op("last"));
  const tf::Tensor sum = tf::add_n(tf::get_collection("sum"));
  const tf::Operation group = tf::group(tf::get_collection("all"));
  tf::Session session;
  EXPECT_EQ(session.run(sum), Array(5.0f));
  EXPECT_EQ(group.control_inputs().size(), 3u);
  const std::vector<tf::Fetch> fetches = tf::get_collection("all");
  EXPECT_EQ(session.run(fetches).at(1), Array(3.0f));
  EXPECT_THROW((void)tf::get_collection("all").tensors(), tf::TypeError);
  EXPECT_THROW((void)tf::get_collection("sum").operations(), tf::TypeError);
}

TEST_F(Collected, WhatIsOfAnotherGraphIsRefused) {
  const tf::Graph other;
  EXPECT_THROW(other.add_to_collection("mine", tf::constant(1.0f)), tf::ValueError);
  EXPECT_THROW(tf::add_to_collection("mine", tf::Tensor()), tf::ValueError);
}

}  // namespace
}  // namespace flowray
