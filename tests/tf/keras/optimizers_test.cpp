// Optimizers of tf.keras: the weights behind three epochs of two batches are those of tf_keras 2.21.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

namespace flowray::tf::keras {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

const Array kX({{1.f, 2.f}, {3.f, -4.f}, {.5f, .25f}, {-1.f, 1.f}});
const Array kY({{1.f}, {2.f}, {-3.f}, {.5f}});

Sequential line() {
  Sequential model;
  model.add(layers::Dense(1, {.kernel_initializer = ones_initializer(), .input_shape = TensorShape{2}}));
  return model;
}

void train(Model model, int64_t epochs) {
  model.fit(kX, kY, {.batch_size = 2, .epochs = epochs, .verbose = 0, .shuffle = false});
}

std::vector<float> weights_of(Model model) {
  std::vector<float> values;
  for (const Array& weight : model.get_weights())
    values.insert(values.end(), weight.data<float>(), weight.data<float>() + weight.size());
  return values;
}

void expect_weights(const OptimizerArgument& optimizer, std::vector<float> expected) {
  const Graph graph;
  const auto scope = graph.as_default();
  Sequential model = line();
  model.compile({.optimizer = optimizer, .loss = "mse"});
  train(model, 3);
  EXPECT_THAT(weights_of(model), Pointwise(FloatNear(2e-6f), std::move(expected)));
}

TEST(Optimizers, ClipGradients) {
  expect_weights(optimizers::SGD({.learning_rate = 0.05, .clipnorm = 0.5}), {.956361f, .918462f, 0});
  expect_weights(optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9, .clipvalue = 0.25}),
                 {1.027744f, .777129f, .027744f});
  expect_weights(optimizers::Adam({.learning_rate = 0.05, .clipnorm = 0.1, .clipvalue = 0.05}),
                 {1.069112f, .700012f, .069112f});
  EXPECT_THROW(optimizers::SGD({.clipnorm = 0}), ValueError);
  EXPECT_THROW(optimizers::Adagrad({.clipvalue = -0.5}), ValueError);
}

/// Rows of a table that a batch has not do not move in it, whatever momentum there is.
TEST(Optimizers, ClipRowsAsRows) {
  const Graph graph;
  const auto scope = graph.as_default();
  Sequential model;
  model.add(layers::Embedding(3, 2, {.embeddings_initializer = ones_initializer(), .input_length = 1}));
  model.add(layers::Flatten());
  model.add(layers::Dense(1, {.kernel_initializer = ones_initializer()}));
  model.compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.1, .momentum = 0.9, .clipnorm = 1}), .loss = "mse"});
  model.train_on_batch(Array({{0.f}, {1.f}}), Array({{0.f}, {0.f}}));
  const Array first = model.get_weights()[0];
  model.train_on_batch(Array({{1.f}, {1.f}}), Array({{0.f}, {0.f}}));
  const Array second = model.get_weights()[0];
  EXPECT_NE(first.data<float>()[0], 1);
  EXPECT_EQ(second.data<float>()[0], first.data<float>()[0]);
  EXPECT_NE(second.data<float>()[2], first.data<float>()[2]);
  EXPECT_EQ(second.data<float>()[4], 1);
}

TEST(Optimizers, DivideByRootsOfSquares) {
  expect_weights(optimizers::RMSprop({.learning_rate = 0.05}), {1.140043f, .661095f, -.171697f});
  expect_weights(optimizers::RMSprop({.learning_rate = 0.05, .centered = true}),
                 {1.14433f, .635207f, -.18664f});
  expect_weights(optimizers::RMSprop({.learning_rate = 0.05, .rho = 0.8, .momentum = 0.5}),
                 {1.17454f, .555063f, -.208071f});
  expect_weights(
      optimizers::RMSprop({.learning_rate = 0.05, .epsilon = 1e-3, .momentum = 0.5, .centered = true}),
      {1.149272f, .422033f, -.339312f});
  expect_weights(optimizers::Adagrad({.learning_rate = 0.5}), {.997688f, .306093f, -.518187f});
}

TEST(Optimizers, MakeMovesOfTheSizeOfThoseBefore) {
  expect_weights(optimizers::Adadelta({.learning_rate = 1.0, .rho = 0.9}), {1.001779f, .996825f, -.002054f});
  expect_weights("adadelta", {1.000003f, .999996f, -3e-6f});
}

TEST(Optimizers, FollowTheRegularizedLeader) {
  expect_weights(optimizers::Ftrl({.learning_rate = 0.5,
                                   .l1_regularization_strength = 0.01,
                                   .l2_regularization_strength = 0.02,
                                   .beta = 0.1}),
                 {.969721f, .286027f, -.511125f});
  expect_weights(optimizers::Ftrl({.learning_rate = 0.5,
                                   .learning_rate_power = -0.25,
                                   .initial_accumulator_value = 0.2,
                                   .l2_shrinkage_regularization_strength = 0.03}),
                 {1.497467f, -1.39392f, .170314f});
  expect_weights("ftrl", {.956416f, .97789f, -.00067f});
}

TEST(Optimizers, GoByMomentsOfGradients) {
  expect_weights(optimizers::Adamax({.learning_rate = 0.05}), {1.125661f, .82421f, -.033374f});
  expect_weights(optimizers::Adamax({.learning_rate = 0.05,
                                     .beta_1 = 0.8,
                                     .beta_2 = 0.9,
                                     .epsilon = 1e-3,
                                     .clipnorm = 0.5,
                                     .decay = 0.1}),
                 {.996219f, .826169f, .059035f});
  expect_weights("adamax", {1.002905f, .996243f, -.000486f});
  expect_weights(optimizers::Nadam({.learning_rate = 0.05}), {1.086561f, .848459f, -.067232f});
  expect_weights(
      optimizers::Nadam(
          {.learning_rate = 0.05, .beta_1 = 0.8, .beta_2 = 0.9, .epsilon = 1e-3, .schedule_decay = 0.1}),
      {1.094858f, .828265f, -.079311f});
  expect_weights("nadam", {1.002018f, .996839f, -.001175f});
  expect_weights(optimizers::Adam({.learning_rate = 0.05, .amsgrad = true}), {1.15347f, .769442f, -.072062f});
  expect_weights(optimizers::Adam({.learning_rate = 0.3, .beta_2 = 0.5, .amsgrad = true, .decay = 0.2}),
                 {1.282882f, .307243f, -.295469f});
}

TEST(Optimizers, GoByMomentsOfDoubles) {
  const auto expect = [](const OptimizerArgument& optimizer, std::vector<double> expected) {
    const Graph graph;
    const auto scope = graph.as_default();
    Sequential model;
    layers::Dense layer =
        layers::Dense(1, {.kernel_initializer = ones_initializer(), .input_shape = TensorShape{2}});
    layer.set_dtype(float64);
    model.add(layer);
    model.compile({.optimizer = optimizer, .loss = "mse"});
    model.fit(kX.astype(DType::kFloat64), kY.astype(DType::kFloat64),
              {.batch_size = 2, .epochs = 3, .verbose = 0, .shuffle = false});
    std::vector<double> values;
    for (const Array& weight : model.get_weights()) {
      ASSERT_EQ(weight.dtype(), DType::kFloat64);
      values.insert(values.end(), weight.data<double>(), weight.data<double>() + weight.size());
    }
    EXPECT_THAT(values, Pointwise(::testing::DoubleNear(3e-6), std::move(expected)));
  };
  expect(optimizers::Adamax({.learning_rate = 0.05}), {1.125661, .82421, -.033374});
  expect(optimizers::Nadam({.learning_rate = 0.05}), {1.086561, .848459, -.067232});
  expect(optimizers::Adam({.learning_rate = 0.05, .amsgrad = true}), {1.15347, .769442, -.072062});
}

/// The second batch has one of three rows, twice.
TEST(Optimizers, GoByMomentsOfRows) {
  const auto expect_rows = [](const OptimizerArgument& optimizer, std::vector<float> expected) {
    const Graph graph;
    const auto scope = graph.as_default();
    Sequential model;
    model.add(layers::Embedding(3, 2, {.embeddings_initializer = ones_initializer(), .input_length = 1}));
    model.add(layers::Flatten());
    model.add(layers::Dense(1, {.kernel_initializer = ones_initializer()}));
    model.compile({.optimizer = optimizer, .loss = "mse"});
    for (const Array& batch : {Array({{0.f}, {1.f}}), Array({{1.f}, {1.f}}), Array({{2.f}, {0.f}})})
      model.train_on_batch(batch, Array({{0.f}, {0.f}}));
    EXPECT_THAT(weights_of(model), Pointwise(FloatNear(2e-6f), std::move(expected)));
  };
  expect_rows(optimizers::Adamax({.learning_rate = 0.05}),
              {.919838f, .919838f, .909479f, .909479f, .98155f, .98155f, .860457f, .860457f, -.141804f});
  expect_rows(optimizers::Nadam({.learning_rate = 0.05}),
              {.910769f, .910769f, .900858f, .900858f, .94357f, .94357f, .877164f, .877164f, -.12393f});
  expect_rows(optimizers::Adam({.learning_rate = 0.05, .amsgrad = true}),
              {.876989f, .876989f, .862897f, .862897f, .968059f, .968059f, .851156f, .851156f, -.149179f});
  expect_rows(optimizers::Adam({.learning_rate = 0.05, .decay = 0.5}),
              {.907747f, .907747f, .898249f, .898249f, .98403f, .98403f, .892253f, .892253f, -.107931f});
}

TEST(Optimizers, DecayTheirRates) {
  expect_weights(optimizers::SGD({.learning_rate = 0.05, .decay = 0.5}), {1.035607f, .272916f, -.141161f});
  expect_weights(optimizers::SGD({.learning_rate = 0.05, .momentum = 0.9, .decay = 0.5}),
                 {.365667f, -.241957f, -.562268f});
  expect_weights(optimizers::Adam({.learning_rate = 0.3, .beta_2 = 0.5, .decay = 0.2}),
                 {1.195927f, .026961f, -.379203f});
  expect_weights(optimizers::RMSprop({.learning_rate = 0.05, .decay = 0.5}),
                 {1.144532f, .761634f, -.012346f});
  expect_weights(optimizers::RMSprop({.learning_rate = 0.05, .rho = 0.8, .momentum = 0.5, .decay = 0.5}),
                 {1.192113f, .676972f, -.007056f});
  expect_weights(optimizers::Adagrad({.learning_rate = 0.5, .decay = 0.5}), {1.163649f, .440924f, -.152453f});
  expect_weights(optimizers::Adadelta({.learning_rate = 1.0, .decay = 0.5}), {1.001796f, .99732f, -.000572f});
  expect_weights(optimizers::Ftrl({.learning_rate = 0.5, .decay = 0.5}), {.38374f, .074213f, -.059521f});
  EXPECT_THROW(optimizers::SGD({.decay = -1}), ValueError);
  EXPECT_THROW(optimizers::Nadam({.schedule_decay = -1}), ValueError);
}

/// One of each kind, with what a few steps of SGD make of the model.
std::vector<std::pair<optimizers::schedules::LearningRateSchedule, std::vector<float>>> all_schedules() {
  namespace schedules = optimizers::schedules;
  return {
      {schedules::ExponentialDecay(.05, 2, .5), {1.058206f, .271944f, -.12601f}},
      {schedules::ExponentialDecay(.05, 2, .5, {.staircase = true}), {.999331f, .262287f, -.168352f}},
      {schedules::PiecewiseConstantDecay({1, 3}, {.05, .02, .01}), {1.030001f, .261069f, -.14816f}},
      {schedules::PolynomialDecay(.05, 4, {.end_learning_rate = .001, .power = 2}),
       {1.188071f, .250462f, -.044545f}},
      {schedules::PolynomialDecay(.05, 2, {.end_learning_rate = .001, .cycle = true}),
       {1.179564f, .234419f, -.055942f}},
      {schedules::InverseTimeDecay(.05, 2, .5), {.964037f, .258996f, -.192118f}},
      {schedules::InverseTimeDecay(.05, 2, .5, {.staircase = true}), {.931052f, .24762f, -.216566f}},
      {schedules::CosineDecay(.05, 4, {.alpha = .1}), {1.072048f, .270597f, -.116682f}},
      {schedules::CosineDecay(.01, 3, {.alpha = .1, .warmup_target = .05, .warmup_steps = 2}),
       {1.099134f, .233641f, -.141003f}},
      {schedules::CosineDecayRestarts(.05, 2), {.975852f, .259873f, -.187442f}},
  };
}

TEST(Optimizers, GoBySchedules) {
  for (const auto& [schedule, expected] : all_schedules())
    expect_weights(optimizers::SGD({.learning_rate = schedule}), expected);
  namespace schedules = optimizers::schedules;
  expect_weights(optimizers::Adam({.learning_rate = schedules::ExponentialDecay(.05, 2, .5)}),
                 {1.094021f, .877475f, .003674f});
  // The same as a function of the program's.
  const schedules::LearningRateSchedule own(
      [](const Tensor& step) { return 0.05f / (1.0f + 0.25f * cast(step, float32)); });
  expect_weights(optimizers::SGD({.learning_rate = own}), {.964037f, .258996f, -.192118f});
  EXPECT_THROW(optimizers::Nadam({.learning_rate = own}), ValueError);
  EXPECT_THROW(schedules::PiecewiseConstantDecay({1, 3}, {.05}), ValueError);
  EXPECT_THROW(schedules::LearningRateSchedule(nullptr), TypeError);
}

TEST(Optimizers, SchedulesAreFunctionsOfTheStep) {
  const Graph graph;
  const auto scope = graph.as_default();
  Session session;
  const auto rates = [&](const optimizers::schedules::LearningRateSchedule& schedule) {
    std::vector<float> values;
    for (int64_t step = 0; step < 6; ++step) values.push_back(session.run(schedule(step)).item<float>());
    return values;
  };
  namespace schedules = optimizers::schedules;
  EXPECT_THAT(rates(schedules::CosineDecayRestarts(.05, 2, {.t_mul = 1, .m_mul = .5, .alpha = .1})),
              Pointwise(FloatNear(1e-7f), {.05f, .0275f, .0275f, .01625f, .01625f, .010625f}));
  EXPECT_THAT(rates(schedules::CosineDecay(.01, 3, {.alpha = .1, .warmup_target = .05, .warmup_steps = 2})),
              Pointwise(FloatNear(1e-7f), {.01f, .03f, .05f, .03875f, .0162499975f, .005f}));
  EXPECT_THAT(rates(schedules::PolynomialDecay(.05, 2, {.end_learning_rate = .001, .cycle = true})),
              Pointwise(FloatNear(1e-7f), {.05f, .0255f, .001f, .01325f, .001f, .0091666682f}));
}

TEST(Optimizers, SchedulesGoOnWhileOperationsRunAtOnce) {
  const auto eager = tf::eager();
  for (const auto& [schedule, expected] : all_schedules()) {
    Sequential model = line();
    model.compile({.optimizer = optimizers::SGD({.learning_rate = schedule}), .loss = "mse"});
    train(model, 3);
    EXPECT_THAT(weights_of(model), Pointwise(FloatNear(2e-6f), expected));
  }
  // In loops of the program's, too: moves of 1, 1 / 2 and 1 / 3.
  const Variable weight(0.f);
  const auto optimizer = optimizers::SGD({.learning_rate = 1.0, .decay = 1}).optimizer();
  for (int i = 0; i < 3; ++i) optimizer->minimize([&] { return weight * -1.f; });
  EXPECT_NEAR(weight.value().value().item<float>(), 1 + 1. / 2 + 1. / 3, 1e-6);
}

TEST(Optimizers, TellFilesOfTheirRates) {
  const auto path =
      std::filesystem::temp_directory_path() / ("flowray_rates" + std::to_string(::getpid()) + ".h5");
  const Graph graph;
  const auto scope = graph.as_default();
  Sequential model = line();
  model.compile({.optimizer = optimizers::SGD({.learning_rate = constant(0.05f)}), .loss = "mse"});
  train(model, 3);
  EXPECT_THAT(weights_of(model), Pointwise(FloatNear(2e-6f), {.840574f, .16919f, -.28663f}));
  EXPECT_FLOAT_EQ(static_cast<float>(model.learning_rate()), 0.05f);
  model.save(path.string());
  EXPECT_FLOAT_EQ(static_cast<float>(load_model(path.string()).learning_rate()), 0.05f);
  const optimizers::schedules::LearningRateSchedule own([](const Tensor&) { return constant(0.05f); });
  model.compile({.optimizer = optimizers::SGD({.learning_rate = own}), .loss = "mse"});
  EXPECT_THROW(model.learning_rate(), ValueError);
  EXPECT_THROW(model.save(path.string()), errors::UnimplementedError);
  model.save(path.string(), {.include_optimizer = false});
  std::filesystem::remove(path);
}

TEST(Optimizers, GoOnFromFiles) {
  const auto path =
      std::filesystem::temp_directory_path() / ("flowray_optimizers" + std::to_string(::getpid()) + ".h5");
  const OptimizerArgument plain[] = {
      optimizers::RMSprop({.learning_rate = 0.05, .momentum = 0.5, .centered = true, .clipnorm = 2}),
      optimizers::RMSprop({.learning_rate = 0.05, .centered = true}),
      optimizers::Adadelta({.learning_rate = 1.0}),
      optimizers::Ftrl({.learning_rate = 0.5, .beta = 0.1}),
      optimizers::Adam({.clipvalue = 0.5}),
      optimizers::Adamax({.learning_rate = 0.05, .decay = 0.1}),
      optimizers::Nadam({.learning_rate = 0.05}),
      optimizers::Adam({.learning_rate = 0.05, .amsgrad = true})};
  std::vector<OptimizerArgument> all(std::begin(plain), std::end(plain));
  for (const auto& [schedule, expected] : all_schedules())
    all.push_back(optimizers::SGD({.learning_rate = schedule, .momentum = 0.5}));
  for (const OptimizerArgument& optimizer : all) {
    const Graph graph;
    const auto scope = graph.as_default();
    Sequential model = line();
    model.compile({.optimizer = optimizer, .loss = "mse"});
    train(model, 2);
    model.save(path.string());
    train(model, 2);
    const std::vector<float> expected = weights_of(model);
    const Graph other;
    const auto other_scope = other.as_default();
    const auto loaded = load_model(path.string());
    train(loaded, 2);
    EXPECT_EQ(weights_of(loaded), expected);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace flowray::tf::keras
