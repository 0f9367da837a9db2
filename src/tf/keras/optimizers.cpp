#include "tf/keras/optimizers.h"

#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/keras/layer_config.h"
#include "tf/keras/rated_optimizer.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace flowray::tf::keras {
namespace {

/// Rules of tf.keras that tf.train has otherwise: epsilon is added to the root, not below it.
class RootOfSquares : public train::Optimizer {
 public:
  static constexpr const char* kSlot = "accumulator";
  struct Numbers {
    double first = 0;  // of the squares
    double decay = 1;  // 1: they are summed up
    double epsilon = 0;
    bool is_centered = false;  // without the square of the mean, which is the slot "mg"
  };
  RootOfSquares(const std::string& name, tf::Input rate, const Numbers& numbers)
      : Optimizer(name, /*use_locking=*/false), rate_(std::move(rate)), numbers_(numbers) {}

 protected:
  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      slot(variable, kSlot, constant_initializer(numbers_.first));
      if (numbers_.is_centered) slot(variable, "mg");
    }
  }
  void prepare() override { rate_now_ = hyperparameter(rate_, "learning_rate"); }
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override {
    Tensor spread = kept(get_slot(variable, kSlot), square(gradient));
    if (numbers_.is_centered) spread = spread - square(kept(get_slot(variable, "mg"), gradient));
    return variable.assign_sub(gradient * cast_to(rate_now_, variable) / (sqrt(spread) + numbers_.epsilon))
        .op();
  }

 private:
  Tensor kept(const Variable& sum, const Tensor& now) const {
    const double decay = numbers_.decay;
    return sum.assign(decay < 1 ? sum * decay + now * (1 - decay) : sum + now);
  }

  tf::Input rate_;
  Tensor rate_now_;
  Numbers numbers_;
};

/// Momentum as tf.keras has it: what goes on is the last move, which a rate set later leaves as it is, while
/// tf.train's goes on with the sum of gradients. Moves as gradients of that op, at a rate of -1, do so.
class MomentumOfMoves : public train::Optimizer {
 public:
  MomentumOfMoves(tf::Input rate, double momentum, bool use_nesterov)
      : Optimizer("Momentum", /*use_locking=*/false),
        rate_(std::move(rate)),
        momentum_(momentum),
        use_nesterov_(use_nesterov) {}

 protected:
  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) slot(variable, kSlot);
  }
  void prepare() override {
    rate_now_ = hyperparameter(rate_, "learning_rate");
    momentum_now_ = hyperparameter(momentum_, "momentum");
    minus_one_ = hyperparameter(-1.0, "minus_one");
  }
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override {
    return update("ApplyMomentum", variable, {move_of(gradient, variable)});
  }
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& /*gradient*/,
                         const Variable& variable) override {
    return update("SparseApplyMomentum", variable, {move_of(values, variable), indices});
  }

 private:
  static constexpr const char* kSlot = "momentum";
  Tensor move_of(const Tensor& gradient, const Variable& variable) const {
    return gradient * -cast_to(rate_now_, variable);
  }
  Operation update(const char* op, const Variable& variable, const std::vector<Tensor>& moves) const {
    std::vector<tf::Input> inputs = {variable, get_slot(variable, kSlot), cast_to(minus_one_, variable)};
    inputs.insert(inputs.end(), moves.begin(), moves.end());
    inputs.emplace_back(cast_to(momentum_now_, variable));
    return apply(op, std::move(inputs), {{"use_nesterov", use_nesterov_}});
  }

  tf::Input rate_;
  double momentum_;
  bool use_nesterov_;
  Tensor rate_now_;
  Tensor momentum_now_;
  Tensor minus_one_;
};

/// The mean of squares with momentum, by the op, which adds epsilon below the root.
class MomentumOfRoots : public train::Optimizer {
 public:
  MomentumOfRoots(tf::Input rate, const optimizers::RMSpropOptions& options)
      : Optimizer("RMSprop", /*use_locking=*/false), rate_(std::move(rate)), options_(options) {}

 protected:
  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      for (const char* const name : {"rms", "momentum", "mg"})
        if (options_.centered || std::string_view(name) != "mg") slot(variable, name);
    }
  }
  void prepare() override {
    numbers_ = {hyperparameter(rate_, "learning_rate"), hyperparameter(options_.rho, "rho"),
                hyperparameter(options_.momentum, "momentum"), hyperparameter(options_.epsilon, "epsilon")};
  }
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override {
    return update("", variable, {gradient});
  }
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& /*gradient*/,
                         const Variable& variable) override {
    return update("Sparse", variable, {values, indices});
  }

 private:
  Operation update(const std::string& form, const Variable& variable,
                   const std::vector<Tensor>& gradient) const {
    std::vector<tf::Input> inputs = {variable};
    if (options_.centered) inputs.emplace_back(get_slot(variable, "mg"));
    inputs.emplace_back(get_slot(variable, "rms"));
    inputs.emplace_back(get_slot(variable, "momentum"));
    for (const Tensor& number : numbers_) inputs.emplace_back(cast_to(number, variable));
    inputs.insert(inputs.end(), gradient.begin(), gradient.end());
    const std::string op = form + "Apply" + (options_.centered ? "CenteredRMSProp" : "RMSProp");
    return apply(op.c_str(), std::move(inputs));
  }

  tf::Input rate_;
  optimizers::RMSpropOptions options_;
  std::vector<Tensor> numbers_;
};

struct SGDArguments {
  optimizers::SGDOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.float32("momentum", options.momentum);
    io("nesterov", options.nesterov);
  }
};

struct AdamArguments {
  optimizers::AdamOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.float32("beta_1", options.beta_1);
    io.float32("beta_2", options.beta_2);
    io("epsilon", options.epsilon);
    io.fixed("amsgrad", false);
  }
};

struct RMSpropArguments {
  optimizers::RMSpropOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.float32("rho", options.rho);
    io.float32("momentum", options.momentum);
    io("epsilon", options.epsilon);
    io("centered", options.centered);
  }
};

struct AdagradArguments {
  optimizers::AdagradOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("initial_accumulator_value", options.initial_accumulator_value);
    io("epsilon", options.epsilon);
  }
};

struct AdadeltaArguments {
  optimizers::AdadeltaOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.float32("rho", options.rho);
    io("epsilon", options.epsilon);
  }
};

struct FtrlArguments {
  optimizers::FtrlOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("initial_accumulator_value", options.initial_accumulator_value);
    io.float32("learning_rate_power", options.learning_rate_power);
    io.float32("l1_regularization_strength", options.l1_regularization_strength);
    io.float32("l2_regularization_strength", options.l2_regularization_strength);
    io.float32("beta", options.beta);
    io("l2_shrinkage_regularization_strength", options.l2_shrinkage_regularization_strength);
  }
};

template <class Options>
Clipping clipping_of(const Options& options) {
  return {options.clipnorm, options.clipvalue};
}

template <class Arguments>
Config options_in_files(Arguments arguments) {
  ConfigWriter writer;
  arguments.list(writer);
  return writer.config();
}

/// The options that a file has of an optimizer, the rate among them.
template <class Arguments>
auto options_of(const Config& config, const std::string& class_name) {
  const CustomObjects none;
  ConfigReader reader(config, class_name, none, "optimizer");
  Arguments arguments;
  arguments.list(reader);
  reader("clipnorm", arguments.options.clipnorm);
  reader("clipvalue", arguments.options.clipvalue);
  reader.fixed("decay", 0.0);
  const Config& rate = reader.item("learning_rate");
  if (rate.has_items()) {
    throw errors::UnimplementedError(
        fmt::format("The optimizer's learning_rate {} is a schedule, which is not there.\nload_model(path, "
                    "{{.compile = false}}) and compile() with a rate of the program's.",
                    rate.to_json().substr(0, 200)));
  }
  arguments.options.learning_rate = rate.number();
  reader.check_all_known();
  return arguments.options;
}

}  // namespace

OptimizerArgument optimizers::SGD(const SGDOptions& options) {
  OptimizerInFiles in_files{.options = options_in_files(SGDArguments{options})};
  if (options.momentum != 0) in_files.slots = {{"momentum", "momentum"}};
  return std::make_shared<RatedOptimizer>(
      "SGD", options.learning_rate, std::move(in_files),
      [momentum = options.momentum,
       nesterov = options.nesterov](const tf::Input& rate) -> std::shared_ptr<train::Optimizer> {
        if (momentum == 0 && !nesterov) return std::make_shared<train::GradientDescentOptimizer>(rate);
        return std::make_shared<MomentumOfMoves>(rate, momentum, nesterov);
      },
      clipping_of(options));
}

OptimizerArgument optimizers::Adam(const AdamOptions& options) {
  const train::AdamOptions rule{.beta1 = options.beta_1, .beta2 = options.beta_2, .epsilon = options.epsilon};
  return std::make_shared<RatedOptimizer>(
      "Adam", options.learning_rate,
      OptimizerInFiles{.options = options_in_files(AdamArguments{options}),
                       .slots = {{"m", "m"}, {"v", "v"}}},
      [rule](const tf::Input& rate) { return std::make_shared<train::AdamOptimizer>(rate, rule); },
      clipping_of(options));
}

OptimizerArgument optimizers::RMSprop(const RMSpropOptions& options) {
  const bool has_momentum = options.momentum != 0;
  OptimizerInFiles in_files{.options = options_in_files(RMSpropArguments{options})};
  in_files.slots = {{has_momentum ? "rms" : RootOfSquares::kSlot, "rms"}};
  if (has_momentum) in_files.slots.push_back({"momentum", "momentum"});
  if (options.centered) in_files.slots.push_back({"mg", "mg"});
  return std::make_shared<RatedOptimizer>(
      "RMSprop", options.learning_rate, std::move(in_files),
      [options](const tf::Input& rate) -> std::shared_ptr<train::Optimizer> {
        if (options.momentum != 0) return std::make_shared<MomentumOfRoots>(rate, options);
        const auto rho = static_cast<float>(options.rho);  // as tf.keras and files have it
        const RootOfSquares::Numbers numbers = {
            .decay = static_cast<double>(rho), .epsilon = options.epsilon, .is_centered = options.centered};
        return std::make_shared<RootOfSquares>("RMSprop", rate, numbers);
      },
      clipping_of(options));
}

OptimizerArgument optimizers::Adagrad(const AdagradOptions& options) {
  const RootOfSquares::Numbers numbers = {.first = options.initial_accumulator_value,
                                          .epsilon = options.epsilon};
  return std::make_shared<RatedOptimizer>(
      "Adagrad", options.learning_rate,
      OptimizerInFiles{.options = options_in_files(AdagradArguments{options}),
                       .slots = {{RootOfSquares::kSlot, "accumulator"}}},
      [numbers](const tf::Input& rate) { return std::make_shared<RootOfSquares>("Adagrad", rate, numbers); },
      clipping_of(options));
}

OptimizerArgument optimizers::Adadelta(const AdadeltaOptions& options) {
  const train::AdadeltaOptions rule{.rho = options.rho, .epsilon = options.epsilon};
  return std::make_shared<RatedOptimizer>(
      "Adadelta", options.learning_rate,
      OptimizerInFiles{.options = options_in_files(AdadeltaArguments{options}),
                       .slots = {{"accum", "accum_grad"}, {"accum_update", "accum_var"}}},
      [rule](const tf::Input& rate) { return std::make_shared<train::AdadeltaOptimizer>(rate, rule); },
      clipping_of(options));
}

OptimizerArgument optimizers::Ftrl(const FtrlOptions& options) {
  const train::FtrlOptions rule{
      .learning_rate_power = options.learning_rate_power,
      .initial_accumulator_value = options.initial_accumulator_value,
      .l1_regularization_strength = options.l1_regularization_strength,
      .l2_regularization_strength = options.l2_regularization_strength,
      .l2_shrinkage_regularization_strength = options.l2_shrinkage_regularization_strength,
      .beta = options.beta};
  return std::make_shared<RatedOptimizer>(
      "Ftrl", options.learning_rate,
      OptimizerInFiles{.options = options_in_files(FtrlArguments{options}),
                       .slots = {{"accum", "accumulator"}, {"linear", "linear"}},
                       .is_by_weight = true},
      [rule](const tf::Input& rate) { return std::make_shared<train::FtrlOptimizer>(rate, rule); },
      clipping_of(options));
}

OptimizerArgument optimizer_of_config(const Config& told) {
  const std::string& class_name = told.at("class_name").text();
  const Config& config = told.at("config");
  if (class_name == "SGD") return optimizers::SGD(options_of<SGDArguments>(config, class_name));
  if (class_name == "Adam") return optimizers::Adam(options_of<AdamArguments>(config, class_name));
  if (class_name == "RMSprop") return optimizers::RMSprop(options_of<RMSpropArguments>(config, class_name));
  if (class_name == "Adagrad") return optimizers::Adagrad(options_of<AdagradArguments>(config, class_name));
  if (class_name == "Adadelta")
    return optimizers::Adadelta(options_of<AdadeltaArguments>(config, class_name));
  if (class_name == "Ftrl") return optimizers::Ftrl(options_of<FtrlArguments>(config, class_name));
  throw errors::UnimplementedError(fmt::format(
      "Unknown optimizer: '{}'. Please ensure you are using a `keras.utils.custom_object_scope` and "
      "that this object is included in the scope.\nKnown are SGD, Adam, RMSprop, Adagrad, Adadelta and Ftrl; "
      "load_model(path, {{.compile = false}}) reads the model, which compile() may then train by "
      "another one.",
      class_name));
}

std::shared_ptr<train::Optimizer> optimizer_of(const OptimizerArgument& argument) {
  if (argument.optimizer() != nullptr) return argument.optimizer();
  const std::string& name = argument.name();
  const auto is = [&](std::string_view small, std::string_view proper) {
    return name == small || name == proper;
  };
  if (is("sgd", "SGD")) return optimizers::SGD().optimizer();
  if (is("adam", "Adam")) return optimizers::Adam().optimizer();
  if (is("rmsprop", "RMSprop")) return optimizers::RMSprop().optimizer();
  if (is("adagrad", "Adagrad")) return optimizers::Adagrad().optimizer();
  if (is("adadelta", "Adadelta")) return optimizers::Adadelta().optimizer();
  if (is("ftrl", "Ftrl")) return optimizers::Ftrl().optimizer();
  throw ValueError(
      fmt::format("Unknown optimizer: '{}'. Please ensure you are using a `keras.utils.custom_object_scope` "
                  "and that this object is "
                  "included in the scope.\nKnown are sgd, adam, rmsprop, adagrad, adadelta and ftrl; any "
                  "tf::train::Optimizer may be given instead.",
                  name));
}

}  // namespace flowray::tf::keras
