// Models in folders. tests/python/programs/saved_models.py does more, and prints what TensorFlow prints;
// here what C++ says.
#include <flowray/tf/saved_model.h>

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/lookup.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace flowray {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SavedModel : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("flowray_saved_model_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// y = 3 x + 4, in a folder of its name.
  fs::path line() {
    const fs::path path = folder_ / "line";
    const tf::Graph graph;
    const auto scope = graph.as_default();
    const auto x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
    const tf::Variable w(0.0f, {.name = "w"});
    const tf::Variable b(0.0f, {.name = "b"});
    const auto y = tf::add(w * x, b, {"y"});
    tf::Session session;
    session.run({w.assign(3.0f), b.assign(4.0f)});
    tf::saved_model::simple_save(session, path, {{"x", x}}, {{"y", y}});
    return path;
  }

  fs::path folder_;
};

TEST_F(SavedModel, ComputesWhatWasSaved) {
  const fs::path path = line();
  EXPECT_TRUE(tf::saved_model::contains_saved_model(path));
  EXPECT_TRUE(fs::exists(path / "variables" / "variables.index"));
  const tf::Graph graph;
  tf::Session session(graph);
  const auto loaded =
      tf::saved_model::load(session, {tf::saved_model::kServing}, path, {.import_scope = "line"});
  const auto& signature = loaded.signature_def.at(tf::saved_model::kDefaultServingSignature);
  EXPECT_EQ(signature.method_name, tf::saved_model::kPredict);
  EXPECT_EQ(signature.inputs.at("x").name, "x:0");
  EXPECT_EQ(signature.inputs.at("x").dtype, DType::kFloat32);
  EXPECT_EQ(signature.inputs.at("x").shape, tf::TensorShape({tf::None}));
  const tf::Tensor x = graph.get_tensor_by_name("line/" + signature.inputs.at("x").name);
  const tf::Tensor y = graph.get_tensor_by_name("line/" + signature.outputs.at("y").name);
  EXPECT_EQ(session.run(y, {{x, std::vector<float>{1, 2}}}), Array(std::vector<float>{7, 10}));
}

TEST_F(SavedModel, IsThereTwiceUnderOneScope) {
  const fs::path path = line();
  const tf::Graph graph;
  tf::Session session(graph);
  tf::saved_model::load(session, {"serve"}, path, {.import_scope = "line"});
  const auto scope = graph.as_default();
  session.run(tf::global_variables()[0].assign(30.0f));
  tf::saved_model::load(session, {"serve"}, path, {.import_scope = "line"});  // "line_1/..."
  const std::vector<float> one{1};
  EXPECT_EQ(session.run(graph.get_tensor_by_name("line/y:0"), {{graph.get_tensor_by_name("line/x:0"), one}}),
            Array(std::vector<float>{34}));
  EXPECT_EQ(
      session.run(graph.get_tensor_by_name("line_1/y:0"), {{graph.get_tensor_by_name("line_1/x:0"), one}}),
      Array(std::vector<float>{7}));
}

TEST_F(SavedModel, BringsItsFilesAlong) {
  const fs::path words = folder_ / "words.txt";
  std::ofstream(words) << "brain\nsalad\nsurgery\n";
  const fs::path path = folder_ / "table";
  {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    const auto asset = tf::constant(words.string(), {.name = "words"});
    using Index = tf::lookup::TextFileIndex;
    const tf::lookup::StaticHashTable table(
        tf::lookup::TextFileInitializer(asset, tf::string, Index::WHOLE_LINE, tf::int64, Index::LINE_NUMBER),
        -1);
    const auto places =
        tf::identity(table.lookup(tf::placeholder(tf::string, {tf::None}, {.name = "keys"})), {"places"});
    tf::Session session;
    session.run(tf::tables_initializer());
    tf::saved_model::Builder builder(path);
    builder.add_meta_graph_and_variables(session, {"mine"},
                                         {.assets = {asset}, .main_op = tf::tables_initializer()});
    EXPECT_EQ(builder.save(), (path / "saved_model.pb").string());
  }
  fs::remove(words);  // what is read is the copy
  const tf::Graph graph;
  tf::Session session(graph);
  tf::saved_model::load(session, {"mine"}, path);
  EXPECT_EQ(session.run(graph.get_tensor_by_name("places:0"),
                        {{graph.get_tensor_by_name("keys:0"), std::vector<std::string>{"surgery", "none"}}}),
            Array(std::vector<int64_t>{2, -1}));
}

template <class Error, class Function>
std::string error_of(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_F(SavedModel, SaysWhatIsNotThere) {
  const fs::path path = line();
  const tf::Graph graph;
  tf::Session session(graph);
  EXPECT_THAT(error_of<RuntimeError>([&] { tf::saved_model::load(session, {"train"}, path); }),
              HasSubstr("MetaGraphDef associated with tags 'train' could not be found in SavedModel, with "
                        "available tags '[{'serve'}]'"));
  EXPECT_THAT(error_of<errors::NotFoundError>([&] { tf::saved_model::load(session, {"serve"}, folder_); }),
              HasSubstr("SavedModel file does not exist at: "));
  EXPECT_THAT(error_of<AssertionError>([&] { tf::saved_model::Builder builder(path); }),
              HasSubstr("already exists, and isn't empty."));
  std::ofstream(path / "saved_model.pb") << "no message";
  EXPECT_THAT(error_of<errors::DataLossError>([&] { tf::saved_model::load(session, {"serve"}, path); }),
              HasSubstr("Error parsing message"));
  EXPECT_EQ(graph.get_operations().size(), 0u);  // nothing was added
}

TEST_F(SavedModel, ReadsNoFileOutsideOfItself) {
  // A SavedModel whose graph names an asset by a path: SavedModel{2: MetaGraphDef{6: AssetFileDef}}.
  const auto field = [](int number, const std::string& bytes) {
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
  };
  const tf::Graph graph;
  {
    const auto scope = graph.as_default();
    tf::constant("x", {.name = "a"});
    tf::group({}, "run");
  }
  const std::string asset = field(1, field(1, "a:0")) + field(2, "../secret");
  const std::string info = field(4, "t");
  const std::string collection = field(1, "saved_model_main_op") + field(2, field(1, field(1, "run")));
  const std::string meta_graph = field(1, info) + field(4, collection) + field(6, asset);
  const fs::path path = folder_ / "hostile";
  fs::create_directories(path);
  std::ofstream(path / "saved_model.pb") << std::string("\x08\x01") + field(2, meta_graph);
  tf::Session session(graph);
  EXPECT_THAT(error_of<errors::InvalidArgumentError>([&] { tf::saved_model::load(session, {"t"}, path); }),
              HasSubstr("An asset of the SavedModel is named '../secret'."));
}

}  // namespace
}  // namespace flowray
