// The network of examples/lenet_actor makes the steps that TensorFlow recorded in
// tests/golden/training/lenet_actor.json, and the program trains it in its actor.

#include <flowray/glue.h>

#include <regex>

#include "core/sanitizers.h"
#include "lenet_actor.h"
#include "support/json.h"
#include "support/lenet5_weights.h"
#include "tools/lenet_job.h"

namespace flowray {
namespace {

using testing::ChildProcess;
using testing::gzipped;
using ::testing::HasSubstr;
using testing::idx_bytes;
using testing::Json;
using testing::lines_of;
using testing::write_file;
using tf::examples::DataSet;

// Sanitizers look at memory and threads, which are the same in every step.
constexpr size_t kMostSteps = kSanitized ? 3 : 100;

const char* const kFashionMnist = "/usr/share/datasets/fashion-mnist";

const Json& golden() {
  static const Json kGolden = testing::read_golden("training/lenet_actor");
  return kGolden;
}

class LenetActor : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kFashionMnist)) {
      GTEST_SKIP() << "Debian's dataset-fashion-mnist is not installed: " << kFashionMnist;
    }
    train_ = tf::examples::read_data_sets(kFashionMnist, {.one_hot = true}).train;
  }

  /// Loss and accuracy before the step that it makes.
  std::pair<double, double> step() {
    auto [images, labels] = train_.next_batch(100, {.shuffle = false});
    auto [loss, accuracy, none] =
        session_.run({net_.loss, net_.accuracy, net_.train_step}, {{net_.x, images}, {net_.labels, labels}});
    return {loss.item<float>(), accuracy.item<float>()};
  }

  DataSet train_;
  const tf::Graph graph_;
  const tf::GraphScope scope_ = graph_.as_default();
  const lenet_actor::LeNet5 net_ = lenet_actor::lenet5();
  tf::Session session_;
  ray::experimental::TensorFlowVariables variables_{net_.loss, session_};
};

Weights weights_by_formula(int64_t first_seed) {
  Weights weights;
  for (const auto& [name, value] : testing::lenet5_weights(first_seed)) weights[name] = value;
  return weights;
}

void expect_variable(const Json& recorded, const Array& value, const std::string& name) {
  double sum = 0;
  for (const float element : value.span<float>()) sum += double{element};
  EXPECT_NEAR(sum, recorded.at("sum").number(), 2e-6 * static_cast<double>(value.size())) << name;
  const auto& first = recorded.at("first").items;
  ASSERT_EQ(first.size(), 4u);
  for (size_t i = 0; i < first.size(); ++i)
    EXPECT_NEAR(double{value.data<float>()[i]}, first[i].number(), 1e-5) << name;
}

// Each from weights of its own: from step to step rounding alone would carry two trainings apart.
TEST_F(LenetActor, MakesHundredStepsAsTensorFlow) {
  const auto& steps = golden().at("steps").items;
  ASSERT_EQ(steps.size(), 100u);
  for (size_t k = 0; k < kMostSteps; ++k) {
    SCOPED_TRACE(k);
    variables_.set_weights(weights_by_formula(6 * static_cast<int64_t>(k)));
    const auto [loss, accuracy] = step();
    EXPECT_NEAR(loss, steps[k].at("loss").number(), 1e-5);
    EXPECT_NEAR(accuracy, steps[k].at("accuracy").number(), 1e-6);
    const Weights after = variables_.get_weights();
    for (const auto& [name, recorded] : steps[k].at("variables").members)
      expect_variable(recorded, after.at(name), name);
  }
}

// From the weights that glorot_uniform_initializer draws, for as long as TensorFlow agrees with itself when
// the images of each batch come in another order.
TEST_F(LenetActor, BeginsItsTrainingAsTensorFlow) {
  const Json& recorded = golden().at("training");
  const auto stable = static_cast<size_t>(recorded.at("stable_steps").integer());
  ASSERT_GT(stable, 5u);
  session_.run(tf::global_variables_initializer());
  for (size_t k = 0; k < std::min(stable, kMostSteps); ++k) {
    const auto [loss, accuracy] = step();
    EXPECT_NEAR(loss, recorded.at("losses").items.at(k).number(), 1e-4) << k;
    EXPECT_NEAR(accuracy, recorded.at("accuracies").items.at(k).number(), 1e-6) << k;
  }
}

std::vector<std::string> lines_from(std::vector<std::string> command) {
  command.insert(command.begin(), testing::built_program("lenet_actor"));
  ChildProcess program(command);
  EXPECT_EQ(program.wait(), 0) << program.errors();
  EXPECT_EQ(program.errors(), "");
  return lines_of(program.output());
}

/// The only number in `line` that the expression captures.
double number_in(const std::string& line, const std::string& expression) {
  std::smatch found;
  EXPECT_TRUE(std::regex_match(line, found, std::regex(expression))) << line;
  return found.size() == 2 ? std::stod(found[1]) : -1;
}

TEST_F(LenetActor, TellsTensorFlowsAccuraciesFromItsActor) {
  const Json& recorded = golden().at("training");
  const auto stable = static_cast<size_t>(recorded.at("stable_steps").integer());
  const auto lines = lines_from({"--steps", std::to_string(stable), "--tell-every", "1", "--in-order"});
  ASSERT_EQ(lines.size(), stable + 1);
  for (size_t k = 0; k < stable; ++k) {
    const double accuracy = number_in(
        lines[k], R"(\(Model pid=[0-9]+\) step:)" + std::to_string(k + 1) + ", the ac is ([0-9.]+)");
    EXPECT_NEAR(accuracy, recorded.at("accuracies").items.at(k).number(), 1e-6) << k;
  }
}

class LenetActorOnSmallData : public testing::LenetJob {
 protected:
  LenetActorOnSmallData() {
    constexpr uint32_t kImages = 5200;  // 5000 are kept back for validation
    write_file(data("train-images-idx3-ubyte.gz"),
               gzipped(idx_bytes({kImages, 28, 28}, testing::images_of(kImages))));
    write_file(data("train-labels-idx1-ubyte.gz"),
               gzipped(idx_bytes({kImages}, testing::classes_of(kImages))));
  }
};

TEST_F(LenetActorOnSmallData, TellsEveryFiftiethStepAndTheAccuracyInTheTestSet) {
  const auto lines = lines_from({"--steps", "101", "--data", folder_.path()});
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_THAT(lines[0], HasSubstr("step:1, the ac is "));
  EXPECT_THAT(lines[1], HasSubstr("step:51, the ac is "));
  EXPECT_THAT(lines[2], HasSubstr("step:101, the ac is "));
  const double accuracy = number_in(lines[3], R"(Accuracy in the test set is ([0-9.]+)\.)");
  EXPECT_GE(accuracy, 0);
  EXPECT_LE(accuracy, 1);
}

}  // namespace
}  // namespace flowray
