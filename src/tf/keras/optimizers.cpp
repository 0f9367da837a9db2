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
  RootOfSquares(const std::string& name, tf::Input rate, double first, double decay, double epsilon)
      : Optimizer(name, /*use_locking=*/false),
        rate_(std::move(rate)),
        first_(first),
        decay_(decay),
        epsilon_(epsilon) {}

 protected:
  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) slot(variable, kSlot, constant_initializer(first_));
  }
  void prepare() override { rate_now_ = hyperparameter(rate_, "learning_rate"); }
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override {
    const Variable squares = get_slot(variable, kSlot);
    const Tensor square_now = square(gradient);
    const Tensor next = decay_ < 1 ? squares * decay_ + square_now * (1 - decay_) : squares + square_now;
    const Tensor kept = squares.assign(next);
    return variable.assign_sub(gradient * cast_to(rate_now_, variable) / (sqrt(kept) + epsilon_)).op();
  }

 private:
  tf::Input rate_;
  Tensor rate_now_;
  double first_;  // of the squares
  double decay_;  // 1: they are summed up
  double epsilon_;
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
    io.fixed("momentum", 0.0);
    io("epsilon", options.epsilon);
    io.fixed("centered", false);
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
      });
}

OptimizerArgument optimizers::Adam(const AdamOptions& options) {
  const train::AdamOptions rule{.beta1 = options.beta_1, .beta2 = options.beta_2, .epsilon = options.epsilon};
  return std::make_shared<RatedOptimizer>(
      "Adam", options.learning_rate,
      OptimizerInFiles{.options = options_in_files(AdamArguments{options}),
                       .slots = {{"m", "m"}, {"v", "v"}}},
      [rule](const tf::Input& rate) { return std::make_shared<train::AdamOptimizer>(rate, rule); });
}

OptimizerArgument optimizers::RMSprop(const RMSpropOptions& options) {
  return std::make_shared<RatedOptimizer>(
      "RMSprop", options.learning_rate,
      OptimizerInFiles{.options = options_in_files(RMSpropArguments{options}),
                       .slots = {{RootOfSquares::kSlot, "rms"}}},
      [rho = options.rho, epsilon = options.epsilon](const tf::Input& rate) {
        return std::make_shared<RootOfSquares>("RMSprop", rate, 0.0, rho, epsilon);
      });
}

OptimizerArgument optimizers::Adagrad(const AdagradOptions& options) {
  return std::make_shared<RatedOptimizer>(
      "Adagrad", options.learning_rate,
      OptimizerInFiles{.options = options_in_files(AdagradArguments{options}),
                       .slots = {{RootOfSquares::kSlot, "accumulator"}}},
      [first = options.initial_accumulator_value, epsilon = options.epsilon](const tf::Input& rate) {
        return std::make_shared<RootOfSquares>("Adagrad", rate, first, 1.0, epsilon);
      });
}

OptimizerArgument optimizer_of_config(const Config& told) {
  const std::string& class_name = told.at("class_name").text();
  const Config& config = told.at("config");
  if (class_name == "SGD") return optimizers::SGD(options_of<SGDArguments>(config, class_name));
  if (class_name == "Adam") return optimizers::Adam(options_of<AdamArguments>(config, class_name));
  if (class_name == "RMSprop") return optimizers::RMSprop(options_of<RMSpropArguments>(config, class_name));
  if (class_name == "Adagrad") return optimizers::Adagrad(options_of<AdagradArguments>(config, class_name));
  throw errors::UnimplementedError(fmt::format(
      "Unknown optimizer: '{}'. Please ensure you are using a `keras.utils.custom_object_scope` and "
      "that this object is included in the scope.\nKnown are SGD, Adam, RMSprop and Adagrad; "
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
  throw ValueError(
      fmt::format("Unknown optimizer: '{}'. Please ensure you are using a `keras.utils.custom_object_scope` "
                  "and that this object is "
                  "included in the scope.\nKnown are sgd, adam, rmsprop and adagrad; any "
                  "tf::train::Optimizer may be given instead.",
                  name));
}

}  // namespace flowray::tf::keras
