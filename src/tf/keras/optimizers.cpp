#include "tf/keras/optimizers.h"

#include "tf/keras/layer_config.h"
#include "tf/keras/learning_rate_schedules.h"
#include "tf/keras/optimizer_rules.h"
#include "tf/keras/rated_optimizer.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace flowray::tf::keras {
namespace {

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
    io("amsgrad", options.amsgrad);
  }
};

struct AdamaxArguments {
  optimizers::AdamaxOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.float32("beta_1", options.beta_1);
    io.float32("beta_2", options.beta_2);
    io("epsilon", options.epsilon);
  }
};

struct NadamArguments {
  optimizers::NadamOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.float32("beta_1", options.beta_1);
    io.float32("beta_2", options.beta_2);
    io("epsilon", options.epsilon);
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
Rating rating_of(const Options& options) {
  Rating rating{.learning_rate = options.learning_rate, .clipping = {options.clipnorm, options.clipvalue}};
  if constexpr (requires { options.decay; }) {
    rating.decay = options.decay;
  } else {
    rating.momentum_decay = options.schedule_decay;
  }
  return rating;
}

template <class Options>
MomentsOptions moments_of(const Options& options) {
  return {.beta_1 = options.beta_1, .beta_2 = options.beta_2, .epsilon = options.epsilon};
}

template <class Arguments>
Config options_in_files(Arguments arguments) {
  ConfigWriter writer;
  arguments.list(writer);
  return writer.config();
}

optimizers::LearningRate rate_of_config(const Config& told) {
  if (told.has_items()) return schedule_of_config(told);
  return told.number();
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
  if constexpr (requires { arguments.options.decay; }) {
    reader("decay", arguments.options.decay);
  } else {
    reader("decay", arguments.options.schedule_decay);
  }
  arguments.options.learning_rate = rate_of_config(reader.item("learning_rate"));
  reader.check_all_known();
  return arguments.options;
}

template <class Rule, class Options>
RatedOptimizer::Make make_of_tf_train(const Options& options) {
  return [options]() -> std::shared_ptr<train::Optimizer> {
    return std::make_shared<Rule>(RatedOptimizer::kRateOfEachStep, options);
  };
}

}  // namespace

OptimizerArgument optimizers::SGD(const SGDOptions& options) {
  OptimizerInFiles in_files{.options = options_in_files(SGDArguments{options})};
  if (options.momentum != 0) in_files.slots = {{"momentum", "momentum"}};
  return std::make_shared<RatedOptimizer>(
      "SGD", rating_of(options), std::move(in_files),
      [momentum = options.momentum, nesterov = options.nesterov]() -> std::shared_ptr<train::Optimizer> {
        if (momentum == 0 && !nesterov)
          return std::make_shared<train::GradientDescentOptimizer>(RatedOptimizer::kRateOfEachStep);
        return momentum_of_moves(momentum, nesterov);
      });
}

OptimizerArgument optimizers::Adam(const AdamOptions& options) {
  OptimizerInFiles in_files{.options = options_in_files(AdamArguments{options}),
                            .slots = {{"m", "m"}, {"v", "v"}}};
  if (options.amsgrad) {
    in_files.slots.push_back({"vhat", "vhat"});
    in_files.counts_steps = true;
    return std::make_shared<RatedOptimizer>("Adam", rating_of(options), std::move(in_files),
                                            [options] { return greatest_squares(moments_of(options)); });
  }
  const train::AdamOptions rule{.beta1 = options.beta_1, .beta2 = options.beta_2, .epsilon = options.epsilon};
  return std::make_shared<RatedOptimizer>("Adam", rating_of(options), std::move(in_files),
                                          make_of_tf_train<train::AdamOptimizer>(rule));
}

OptimizerArgument optimizers::Adamax(const AdamaxOptions& options) {
  return std::make_shared<RatedOptimizer>(
      "Adamax", rating_of(options),
      OptimizerInFiles{.options = options_in_files(AdamaxArguments{options}),
                       .slots = {{"m", "m"}, {"v", "v"}},
                       .counts_steps = true},
      [options] { return greatest_sizes(moments_of(options)); });
}

OptimizerArgument optimizers::Nadam(const NadamOptions& options) {
  if (options.learning_rate.schedule().has_value()) {
    throw ValueError(
        "The Nadam optimizer does not support tf.keras.optimizers.LearningRateSchedules as the learning "
        "rate.\nGive a number, which LearningRateScheduler may set between epochs.");
  }
  return std::make_shared<RatedOptimizer>(
      "Nadam", rating_of(options),
      OptimizerInFiles{.options = options_in_files(NadamArguments{options}),
                       .slots = {{"m", "m"}, {"v", "v"}},
                       .counts_steps = true,
                       .has_momentum_cache = true},
      [options] { return momentum_ahead(moments_of(options), options.schedule_decay); });
}

OptimizerArgument optimizers::RMSprop(const RMSpropOptions& options) {
  const bool has_momentum = options.momentum != 0;
  OptimizerInFiles in_files{.options = options_in_files(RMSpropArguments{options})};
  in_files.slots = {{has_momentum ? "rms" : kSquares, "rms"}};
  if (has_momentum) in_files.slots.push_back({"momentum", "momentum"});
  if (options.centered) in_files.slots.push_back({"mg", "mg"});
  return std::make_shared<RatedOptimizer>(
      "RMSprop", rating_of(options), std::move(in_files), [options]() -> std::shared_ptr<train::Optimizer> {
        if (options.momentum != 0) return momentum_of_roots(options);
        const auto rho = static_cast<float>(options.rho);  // as tf.keras and files have it
        return root_of_squares(
            "RMSprop",
            {.decay = static_cast<double>(rho), .epsilon = options.epsilon, .is_centered = options.centered});
      });
}

OptimizerArgument optimizers::Adagrad(const AdagradOptions& options) {
  const SquaresOptions numbers = {
      .first = options.initial_accumulator_value, .is_sum = true, .epsilon = options.epsilon};
  return std::make_shared<RatedOptimizer>(
      "Adagrad", rating_of(options),
      OptimizerInFiles{.options = options_in_files(AdagradArguments{options}),
                       .slots = {{kSquares, "accumulator"}}},
      [numbers] { return root_of_squares("Adagrad", numbers); });
}

OptimizerArgument optimizers::Adadelta(const AdadeltaOptions& options) {
  const train::AdadeltaOptions rule{.rho = options.rho, .epsilon = options.epsilon};
  return std::make_shared<RatedOptimizer>(
      "Adadelta", rating_of(options),
      OptimizerInFiles{.options = options_in_files(AdadeltaArguments{options}),
                       .slots = {{"accum", "accum_grad"}, {"accum_update", "accum_var"}}},
      make_of_tf_train<train::AdadeltaOptimizer>(rule));
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
      "Ftrl", rating_of(options),
      OptimizerInFiles{.options = options_in_files(FtrlArguments{options}),
                       .slots = {{"accum", "accumulator"}, {"linear", "linear"}},
                       .is_by_weight = true},
      make_of_tf_train<train::FtrlOptimizer>(rule));
}

namespace {

/// What is known by the name of its class, and by that in small letters.
struct KnownOptimizer {
  std::string_view class_name;
  std::string_view name;
  OptimizerArgument (*usual)();
  OptimizerArgument (*of_config)(const Config& config, const std::string& class_name);
};

template <auto make, class Arguments>
constexpr KnownOptimizer known_optimizer(std::string_view class_name, std::string_view name) {
  return {class_name, name, [] { return make({}); },
          [](const Config& config, const std::string& of_class) {
            return make(options_of<Arguments>(config, of_class));
          }};
}

constexpr KnownOptimizer kOptimizers[] = {
    known_optimizer<optimizers::SGD, SGDArguments>("SGD", "sgd"),
    known_optimizer<optimizers::Adam, AdamArguments>("Adam", "adam"),
    known_optimizer<optimizers::Adamax, AdamaxArguments>("Adamax", "adamax"),
    known_optimizer<optimizers::Nadam, NadamArguments>("Nadam", "nadam"),
    known_optimizer<optimizers::RMSprop, RMSpropArguments>("RMSprop", "rmsprop"),
    known_optimizer<optimizers::Adagrad, AdagradArguments>("Adagrad", "adagrad"),
    known_optimizer<optimizers::Adadelta, AdadeltaArguments>("Adadelta", "adadelta"),
    known_optimizer<optimizers::Ftrl, FtrlArguments>("Ftrl", "ftrl"),
};

std::string known_names() {
  std::string names;
  for (const KnownOptimizer& known : kOptimizers)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  return names;
}

std::string unknown_optimizer(const std::string& name) {
  return fmt::format(
      "Unknown optimizer: '{}'. Please ensure you are using a `keras.utils.custom_object_scope` and that "
      "this "
      "object is included in the scope.\nKnown are {}",
      name, known_names());
}

}  // namespace

OptimizerArgument optimizer_of_config(const Config& told) {
  const std::string& class_name = told.at("class_name").text();
  for (const KnownOptimizer& known : kOptimizers)
    if (known.class_name == class_name) return known.of_config(told.at("config"), class_name);
  throw errors::UnimplementedError(unknown_optimizer(class_name) +
                                   "; load_model(path, {.compile = false}) reads the model, which compile() "
                                   "may then train by another one.");
}

std::shared_ptr<train::Optimizer> optimizer_of(const OptimizerArgument& argument) {
  if (argument.optimizer() != nullptr) return argument.optimizer();
  const std::string& name = argument.name();
  for (const KnownOptimizer& known : kOptimizers)
    if (known.name == name || known.class_name == name) return known.usual().optimizer();
  throw ValueError(unknown_optimizer(name) + "; any tf::train::Optimizer may be given instead.");
}

}  // namespace flowray::tf::keras
