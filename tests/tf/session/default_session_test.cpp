// The session that as_default() makes a thread's own.
#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tf = flowray::tf;

namespace {

TEST(DefaultSession, ThatWasDestroyedIsRefused) {
  const tf::Graph graph;
  const auto in_graph = graph.as_default();
  const tf::Tensor x = tf::constant(1.f);
  tf::Session outer;
  const auto around = outer.as_default();
  {
    std::optional<tf::Session> session(std::in_place);
    const auto guard = session->as_default();
    EXPECT_EQ(x.eval(), flowray::Array(1.f));
    session.reset();
    try {
      x.eval();
      FAIL() << "a destroyed session was used";
    } catch (const flowray::RuntimeError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("Attempted to use a closed Session.\n"))
          << error.what();
    }
  }
  EXPECT_EQ(tf::get_default_session(), &outer);
  EXPECT_EQ(x.eval(), flowray::Array(1.f));
}

TEST(InteractiveSession, IsTheDefaultOneFromItsBeginningToItsEnd) {
  const tf::Graph graph;
  const auto in_graph = graph.as_default();
  const tf::Tensor x = tf::constant(1.f);
  {
    tf::InteractiveSession session;
    EXPECT_EQ(tf::get_default_session(), &session);
    EXPECT_EQ(x.eval(), flowray::Array(1.f));
    session.close();
    EXPECT_EQ(tf::get_default_session(), nullptr);
  }
  EXPECT_EQ(tf::get_default_session(), nullptr);
}

TEST(InteractiveSession, MayEndBeforeALaterOne) {
  const tf::Graph graph;
  const auto in_graph = graph.as_default();
  auto first = std::make_unique<tf::InteractiveSession>();
  tf::InteractiveSession second;
  first.reset();
  EXPECT_EQ(tf::get_default_session(), &second);
  const tf::Graph other;
  {
    tf::InteractiveSession third(other);
    EXPECT_EQ(tf::get_default_graph(), other);
    EXPECT_EQ(tf::constant(2).eval(), flowray::Array(2));
  }
  EXPECT_EQ(tf::get_default_graph(), graph);
  EXPECT_EQ(tf::get_default_session(), &second);
}

}  // namespace
