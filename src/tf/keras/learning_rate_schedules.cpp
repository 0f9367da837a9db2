#include "tf/keras/learning_rate_schedules.h"

#include <flowray/tf/array.h>
#include <flowray/tf/errors.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/train.h>

#include "tf/build/call_scope.h"
#include "tf/build/unset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

namespace flowray::tf::keras {
namespace {

using optimizers::schedules::LearningRateSchedule;

/// As tf.keras writes it, with the name of the schedule's scope behind its arguments.
Config told_schedule(const char* class_name, Config config) {
  return Config::items({{"module", "keras.optimizers.schedules"},
                        {"class_name", class_name},
                        {"config", std::move(config)},
                        {"registered_name", {}}});
}

/// The arguments of a file's schedule; what is not there is usual.
class ScheduleArguments {
 public:
  explicit ScheduleArguments(const Config& config) : config_(config) {}
  double number(const char* name) const { return config_.at(name).number(); }
  double number(const char* name, double usual) const {
    const Config* const found = given(name);
    return found == nullptr ? usual : found->number();
  }
  int64_t integer(const char* name) const { return config_.at(name).integer(); }
  bool truth(const char* name) const {
    const Config* const found = given(name);
    return found != nullptr && found->truth();
  }
  const Config* given(const char* name) const {
    const Config* const found = config_.find(name);
    return found == nullptr || found->is_null() ? nullptr : found;
  }

 private:
  const Config& config_;
};

Config told_decay(const char* class_name, double first, int64_t steps, double rate, bool staircase) {
  return told_schedule(class_name, Config::items({{"initial_learning_rate", first},
                                                  {"decay_steps", steps},
                                                  {"decay_rate", rate},
                                                  {"staircase", staircase},
                                                  {"name", {}}}));
}

}  // namespace

LearningRateSchedule::LearningRateSchedule(Function function) : function_(std::move(function)) {
  if (function_ == nullptr) throw TypeError("The argument 'function' is none.");
}

LearningRateSchedule::LearningRateSchedule(Function function, Config in_files)
    : LearningRateSchedule(std::move(function)) {
  in_files_ = std::move(in_files);
}

Tensor LearningRateSchedule::operator()(const tf::Input& step, tf::Input::Where where) const {
  const ErrorLine errors(where);
  return returned(function_(convert_to_tensor(step)), "schedule");
}

LearningRateSchedule optimizers::schedules::ExponentialDecay(double initial_learning_rate,
                                                             int64_t decay_steps, double decay_rate,
                                                             const DecayOptions& options) {
  const train::DecayOptions decay{.staircase = options.staircase, .name = "ExponentialDecay"};
  return {[=](const Tensor& step) {
            return train::exponential_decay(initial_learning_rate, step, decay_steps, decay_rate, decay);
          },
          told_decay("ExponentialDecay", initial_learning_rate, decay_steps, decay_rate, options.staircase)};
}

LearningRateSchedule optimizers::schedules::InverseTimeDecay(double initial_learning_rate,
                                                             int64_t decay_steps, double decay_rate,
                                                             const DecayOptions& options) {
  const train::DecayOptions decay{.staircase = options.staircase, .name = "InverseTimeDecay"};
  return {[=](const Tensor& step) {
            return train::inverse_time_decay(initial_learning_rate, step, decay_steps, decay_rate, decay);
          },
          told_decay("InverseTimeDecay", initial_learning_rate, decay_steps, decay_rate, options.staircase)};
}

LearningRateSchedule optimizers::schedules::PiecewiseConstantDecay(const std::vector<int64_t>& boundaries,
                                                                   const std::vector<double>& values) {
  if (boundaries.size() + 1 != values.size()) {
    throw ValueError(fmt::format(
        "The length of boundaries should be 1 less than the length of values. Received: boundaries=[{}] of "
        "length {}, and values=[{}] of length {}.",
        fmt::join(boundaries, ", "), boundaries.size(), fmt::join(values, ", "), values.size()));
  }
  const auto function = [boundaries, values](const Tensor& step) {
    Tensor rate = constant(static_cast<float>(values.back()));
    for (size_t i = boundaries.size(); i-- > 0;) {
      const Tensor is_before = less_equal(step, cast(constant(boundaries[i]), base_dtype(step.dtype())));
      rate = where(is_before, constant(static_cast<float>(values[i])), rate);
    }
    return rate;
  };
  return {function,
          told_schedule("PiecewiseConstantDecay",
                        Config::items({{"boundaries", boundaries},
                                       {"values", std::vector<Config>(values.begin(), values.end())},
                                       {"name", {}}}))};
}

LearningRateSchedule optimizers::schedules::PolynomialDecay(double initial_learning_rate, int64_t decay_steps,
                                                            const PolynomialDecayOptions& options) {
  const auto function = [=](const Tensor& step) {
    return train::polynomial_decay(initial_learning_rate, step, decay_steps,
                                   {.end_learning_rate = options.end_learning_rate,
                                    .power = options.power,
                                    .cycle = options.cycle,
                                    .name = "PolynomialDecay"});
  };
  return {function,
          told_schedule("PolynomialDecay", Config::items({{"initial_learning_rate", initial_learning_rate},
                                                          {"decay_steps", decay_steps},
                                                          {"end_learning_rate", options.end_learning_rate},
                                                          {"power", options.power},
                                                          {"cycle", options.cycle},
                                                          {"name", {}}}))};
}

LearningRateSchedule optimizers::schedules::CosineDecay(double initial_learning_rate, int64_t decay_steps,
                                                        const CosineDecayOptions& options) {
  const auto function = [=](const Tensor& given) {
    const train::CosineDecayOptions wave{.alpha = options.alpha, .name = "CosineDecay"};
    if (!options.warmup_target.has_value())
      return train::cosine_decay(initial_learning_rate, given, decay_steps, wave);
    const double top = *options.warmup_target;
    const auto way = static_cast<double>(options.warmup_steps);
    const Tensor step = cast(given, float32);
    Tensor decayed = train::cosine_decay(top, step - way, decay_steps, wave);
    if (options.warmup_steps == 0) return decayed;
    return where(step < way, (top - initial_learning_rate) * (step / way) + initial_learning_rate, decayed);
  };
  const Config target = options.warmup_target.has_value() ? Config(*options.warmup_target) : Config();
  return {function,
          told_schedule("CosineDecay", Config::items({{"initial_learning_rate", initial_learning_rate},
                                                      {"decay_steps", decay_steps},
                                                      {"alpha", options.alpha},
                                                      {"name", {}},
                                                      {"warmup_target", target},
                                                      {"warmup_steps", options.warmup_steps}}))};
}

LearningRateSchedule optimizers::schedules::CosineDecayRestarts(double initial_learning_rate,
                                                                int64_t first_decay_steps,
                                                                const CosineDecayRestartsOptions& options) {
  const auto function = [=](const Tensor& step) {
    return train::cosine_decay_restarts(
        initial_learning_rate, step, first_decay_steps,
        {.t_mul = options.t_mul, .m_mul = options.m_mul, .alpha = options.alpha, .name = "SGDRDecay"});
  };
  return {function, told_schedule("CosineDecayRestarts",
                                  Config::items({{"initial_learning_rate", initial_learning_rate},
                                                 {"first_decay_steps", first_decay_steps},
                                                 {"t_mul", options.t_mul},
                                                 {"m_mul", options.m_mul},
                                                 {"alpha", options.alpha},
                                                 {"name", {}}}))};
}

LearningRateSchedule schedule_of_config(const Config& told) {
  namespace schedules = optimizers::schedules;
  const std::string& class_name = told.at("class_name").text();
  const ScheduleArguments config(told.at("config"));
  const auto first = [&] { return config.number("initial_learning_rate"); };
  const schedules::DecayOptions decay{.staircase = config.truth("staircase")};
  if (class_name == "ExponentialDecay")
    return schedules::ExponentialDecay(first(), config.integer("decay_steps"), config.number("decay_rate"),
                                       decay);
  if (class_name == "InverseTimeDecay")
    return schedules::InverseTimeDecay(first(), config.integer("decay_steps"), config.number("decay_rate"),
                                       decay);
  if (class_name == "PiecewiseConstantDecay") {
    std::vector<double> values;
    for (const Config& value : told.at("config").at("values").values()) values.push_back(value.number());
    return schedules::PiecewiseConstantDecay(told.at("config").at("boundaries").integers(), values);
  }
  if (class_name == "PolynomialDecay") {
    return schedules::PolynomialDecay(first(), config.integer("decay_steps"),
                                      {.end_learning_rate = config.number("end_learning_rate", 0.0001),
                                       .power = config.number("power", 1),
                                       .cycle = config.truth("cycle")});
  }
  if (class_name == "CosineDecay") {
    schedules::CosineDecayOptions options{.alpha = config.number("alpha", 0)};
    if (config.given("warmup_target") != nullptr) options.warmup_target = config.number("warmup_target");
    if (config.given("warmup_steps") != nullptr) options.warmup_steps = config.integer("warmup_steps");
    return schedules::CosineDecay(first(), config.integer("decay_steps"), options);
  }
  if (class_name == "CosineDecayRestarts") {
    return schedules::CosineDecayRestarts(first(), config.integer("first_decay_steps"),
                                          {.t_mul = config.number("t_mul", 2),
                                           .m_mul = config.number("m_mul", 1),
                                           .alpha = config.number("alpha", 0)});
  }
  throw errors::UnimplementedError(
      fmt::format("Unknown decay: '{}'. Please ensure you are using a `keras.utils.custom_object_scope` and "
                  "that this object is included in the scope.\nload_model(path, {{.compile = false}}) reads "
                  "the model, which compile() may then train at a rate of the program's.",
                  class_name));
}

}  // namespace flowray::tf::keras
