// Graphs with their collections in .meta files. tests/python/programs/checkpoints.py reads them as
// TensorFlow does.
#include <flowray/tf/array.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/saver.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace flowray {
namespace {

namespace fs = std::filesystem;

class MetaGraph : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("flowray_meta_graph_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Two variables, a sum that is collected by the program, and a checkpoint.
  std::string saved() {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    const tf::Variable v({1.0, 2.0}, {.name = "v"});
    const tf::Variable n(3, {.trainable = false, .name = "n"});
    const auto sum = tf::identity(v + 1.0, {"sum"});
    tf::train::Saver saver({.max_to_keep = 2});
    tf::Session session;
    session.run(tf::global_variables_initializer());
    return saver.save(session, folder_ / "model", {.node_lists = {{"mine", {sum.name()}}}});
  }

  fs::path folder_;
};

TEST_F(MetaGraph, HoldsVariablesCollectionsAndTheSaver) {
  const std::string path = saved();
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::train::ImportedMetaGraph imported = tf::train::import_meta_graph(path + ".meta");
  ASSERT_NE(imported.saver, nullptr);
  EXPECT_EQ(imported.saver->max_to_keep(), 2);
  EXPECT_EQ(imported.node_lists, (std::map<std::string, std::vector<std::string>>{{"mine", {"sum:0"}}}));
  const auto all = tf::global_variables();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name(), "v:0");
  EXPECT_EQ(all[0].value().name(), "v/read:0");
  EXPECT_EQ(all[1].trainable(), false);
  EXPECT_EQ(tf::trainable_variables().size(), 1u);
  EXPECT_EQ(tf::trainable_variables()[0], all[0]);
  tf::Session session;
  imported.saver->restore(session, path);
  const Array sum = session.run(graph.get_tensor_by_name("sum:0"));
  EXPECT_EQ(sum.span<float>()[0], 2.0f);
  EXPECT_EQ(sum.span<float>()[1], 3.0f);
}

TEST_F(MetaGraph, IsImportedIntoAScope) {
  const std::string path = saved();
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::train::ImportedMetaGraph imported =
      tf::train::import_meta_graph(path + ".meta", {.import_scope = "again", .clear_devices = true});
  EXPECT_EQ(imported.node_lists.at("mine"), std::vector<std::string>{"again/sum:0"});
  tf::Session session;
  imported.saver->restore(session, path);
  EXPECT_EQ(session.run(graph.get_tensor_by_name("again/n:0")).item<int32_t>(), 3);
}

TEST_F(MetaGraph, SaysWhatIsNoSuchFile) {
  EXPECT_THROW(tf::train::import_meta_graph(folder_ / "none.meta"), errors::NotFoundError);
  std::ofstream(folder_ / "text.meta") << "no message";
  EXPECT_THROW(tf::train::import_meta_graph(folder_ / "text.meta"), errors::DataLossError);
}

}  // namespace
}  // namespace flowray
