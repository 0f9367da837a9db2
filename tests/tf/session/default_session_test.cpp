// The session that as_default() makes a thread's own.
#include <flowray/tf.h>

#include <gtest/gtest.h>

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

}  // namespace
