// SaveV2, RestoreV2 and their like. Messages are those of TensorFlow 2.21; files are tested in
// tests/files/bundle_test.cpp, TensorFlow's Saver in tests/interop/checkpoint_test.py.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "ops/array_testing.h"
#include "ops/variable_testing.h"
#include "support/idx_files.h"

namespace flowray::testing {
namespace {

using graph::Attrs;
using ::testing::ElementsAre;

using Strings = std::vector<std::string>;
using DTypes = std::vector<DType>;

Attrs dtypes(const DTypes& list) { return {{"dtypes", list}}; }

class Checkpoint : public ::testing::Test {
 protected:
  std::string prefix(const std::string& name = "model") const { return folder_.path() / name; }

  void save(const std::string& name, const Strings& names, const Strings& slices,
            const std::vector<Array>& values) const {
    std::vector<Array> inputs = {Array(prefix(name)), Array(names), Array(slices)};
    DTypes list;
    for (const Array& value : values) {
      inputs.push_back(value);
      list.push_back(value.dtype());
    }
    run_op_all("SaveV2", inputs, {.attrs = dtypes(list), .unknown_shapes = true});
  }
  std::vector<Array> restore(const std::string& name, const Strings& names, const Strings& slices,
                             const DTypes& list) const {
    return run_op_all("RestoreV2", {Array(prefix(name)), Array(names), Array(slices)},
                      {.attrs = dtypes(list), .unknown_shapes = true});
  }
  void expect_restore_error(const std::string& text, const Strings& names, const Strings& slices,
                            const DTypes& list) const {
    expect_run_error(text, "RestoreV2", {Array(prefix()), Array(names), Array(slices)}, dtypes(list));
  }

  const TestFolder folder_;
  const Array numbers_ = Array::from(std::vector<float>{1, 2, 3, 4}, {4});
  const Array words_ = Array(Strings{"a", "", "longer text"});
};

TEST_F(Checkpoint, IsSavedAndRestored) {
  save("model", {"a", "s"}, {"", ""}, {numbers_, words_});
  EXPECT_THAT(restore("model", {"s", "a"}, {"", ""}, {DType::kString, DType::kFloat32}),
              ElementsAre(words_, numbers_));
  EXPECT_THAT(restore("model", {"a"}, {"4 1,2"}, {DType::kFloat32}),
              ElementsAre(Array::from(std::vector<float>{2, 3}, {2})));
}

TEST_F(Checkpoint, HasPartsOfATensor) {
  save("model", {"a", "a"}, {"8 0,4", "8 4,4"}, {numbers_, numbers_});
  EXPECT_THAT(restore("model", {"a", "a"}, {"8 2,4", ""}, {DType::kFloat32, DType::kFloat32}),
              ElementsAre(Array::from(std::vector<float>{3, 4, 1, 2}, {4}),
                          Array::from(std::vector<float>{1, 2, 3, 4, 1, 2, 3, 4}, {8})));
}

TEST_F(Checkpoint, ReadsTheVariables) {
  for (const bool resources : {false, true}) {
    VariableGraph graph(resources);
    graph::Endpoint value = graph.variable(numbers_);
    if (resources) value = graph.builder.op("ReadVariableOp", {value}, {{"dtype", DType::kFloat32}});
    graph.run(
        graph.builder.node("SaveV2", {graph.constant(Array(prefix())), graph.constant(Array(Strings{"v"})),
                                      graph.constant(Array(Strings{""})), value}));
    EXPECT_THAT(restore("model", {"v"}, {""}, {DType::kFloat32}), ElementsAre(numbers_));
  }
}

TEST_F(Checkpoint, SaysWhatIsWrongWithItsInputs) {
  const auto save_error = [&](const std::string& text, const Array& names, const Array& slices) {
    expect_run_error(text, "SaveV2", {Array(prefix()), names, slices, numbers_}, dtypes({DType::kFloat32}));
  };
  save_error("Got 2 tensor names but 1 tensors.", Array(Strings{"a", "b"}), Array(Strings{"", ""}));
  save_error("tensor_names and shape_and_slices have different number of elements: 2 vs. 1",
             Array(Strings{"a", "b"}), Array(Strings{""}));
  save_error("Input tensor_names and shape_and_slices should be an 1-D tensors, got [] and [] instead.",
             Array("a"), Array(""));
  save_error(
      "Slice in shape_and_slice specification does not match the shape of the tensor to  save: 8 0,3, "
      "tensor: [4]",
      Array(Strings{"a"}), Array(Strings{"8 0,3"}));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "what failed leaves nothing behind";
  save("model", {"a"}, {""}, {numbers_});
  expect_restore_error("Got 2 tensor names, but 1 expected dtypes.", {"a", "b"}, {""}, {DType::kFloat32});
  expect_restore_error("tensor_name = a; expected dtype double does not equal original dtype float", {"a"},
                       {""}, {DType::kFloat64});
  expect_restore_error(
      "tensor_name = a; shape in shape_and_slice spec [5] does not match the shape stored in checkpoint: [4]",
      {"a"}, {"5 1,2"}, {DType::kFloat32});
  expect_run_error("Input prefix should have a single element, got 2 instead.", "RestoreV2",
                   {Array(Strings{"a", "b"}), Array(Strings{"a"}), Array(Strings{""})},
                   dtypes({DType::kFloat32}));
  EXPECT_THROW(restore("model", {"none"}, {""}, {DType::kFloat32}), errors::NotFoundError);
  EXPECT_THROW(restore("none", {"a"}, {""}, {DType::kFloat32}), errors::NotFoundError);
}

TEST_F(Checkpoint, ChecksShapesWhileBuilding) {
  const Array names(Strings{"a", "b"});
  const Attrs two = dtypes({DType::kFloat32, DType::kFloat32});
  EXPECT_THAT(built_shapes("RestoreV2", {Array("p"), names, Array(Strings{"", ""})}, two),
              ElementsAre("<unknown>", "<unknown>"));
  expect_build_error("Dimensions must be equal, but are 2 and 1", "RestoreV2",
                     {Array("p"), names, Array(Strings{""})}, two);
  expect_build_error("Dimensions must be equal, but are 2 and 1", "SaveV2",
                     {Array("p"), names, Array(Strings{"", ""}), numbers_}, dtypes({DType::kFloat32}));
  expect_build_error("Shape must be rank 0 but is rank 1", "ShardedFilename",
                     {Array(Strings{"a"}), Array(0), Array(1)});
}

TEST_F(Checkpoint, IsMergedFromThoseOfTasks) {
  EXPECT_EQ(run_op("ShardedFilename", {Array("x"), Array(1), Array(3)}), Array("x-00001-of-00003"));
  save("parts/one", {"a"}, {""}, {numbers_});
  save("parts/two", {"b"}, {""}, {words_});
  run_op_all("MergeV2Checkpoints",
             {Array(Strings{prefix("parts/one"), prefix("parts/two")}), Array(prefix())});
  EXPECT_THAT(restore("model", {"a", "b"}, {"", ""}, {DType::kFloat32, DType::kString}),
              ElementsAre(numbers_, words_));
  EXPECT_FALSE(std::filesystem::exists(prefix("parts"))) << "the folder of the parts is gone";
}

TEST_F(Checkpoint, KeepsAFolderThatOthersUse) {
  save("parts/one", {"a"}, {""}, {numbers_});
  std::ofstream(prefix("parts/note")) << "text";
  run_op_all("MergeV2Checkpoints", {Array(Strings{prefix("parts/one")}), Array(prefix())});
  EXPECT_TRUE(std::filesystem::exists(prefix("parts/note")));
}

}  // namespace
}  // namespace flowray::testing
