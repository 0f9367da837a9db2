#include "tf/variables/initializer_config.h"

#include <flowray/tf/errors.h>
#include <flowray/tf/initializers.h>

#include "tf/build/user_line.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>

namespace flowray::tf {
namespace {

/// The options of an initializer in a file, of which each is to be asked for.
class Options {
 public:
  explicit Options(const Config& config, std::string class_name)
      : config_(config), class_name_(std::move(class_name)) {
    if (const Config* const dtype = find("dtype"); dtype != nullptr && !dtype->is_null()) dtype->text();
  }

  std::optional<int64_t> seed() {
    const Config* const seed = find("seed");
    return seed == nullptr || seed->is_null() ? std::nullopt : std::optional(seed->integer());
  }
  double number(const char* name, double otherwise) {
    const Config* const found = find(name);
    return found == nullptr ? otherwise : found->number();
  }
  std::string text(const char* name, const std::string& otherwise) {
    const Config* const found = find(name);
    return found == nullptr ? otherwise : found->text();
  }
  void check_all_known() const {
    for (const std::string& name : config_.names()) {
      if (known_.contains(name)) continue;
      throw ValueError(fmt::format("The initializer {} has no option '{}'.", class_name_, name));
    }
  }

 private:
  const Config* find(const char* name) {
    known_.insert(name);
    return config_.find(name);
  }

  const Config& config_;
  std::string class_name_;
  std::set<std::string> known_;
};

using Make = std::function<Initializer(Options&)>;

template <class Option>
Make by_seed(Initializer (*make)(const Option&)) {
  return [make](Options& options) { return make({.seed = options.seed()}); };
}

template <class Make2>
Make by_mean(const Make2& make) {
  return [make](Options& options) {
    return make({.mean = options.number("mean", 0.0),
                 .stddev = options.number("stddev", 0.05),
                 .seed = options.seed()});
  };
}

const std::map<std::string, Make>& makers() {
  static const std::map<std::string, Make> kMakers = {
      {"Zeros", [](Options&) { return zeros_initializer(); }},
      {"Ones", [](Options&) { return ones_initializer(); }},
      {"Constant", [](Options& options) { return constant_initializer(options.number("value", 0.0)); }},
      {"RandomUniform",
       [](Options& options) {
         return random_uniform_initializer({.minval = options.number("minval", -0.05),
                                            .maxval = options.number("maxval", 0.05),
                                            .seed = options.seed()});
       }},
      {"RandomNormal", by_mean(random_normal_initializer)},
      {"TruncatedNormal", by_mean(truncated_normal_initializer)},
      {"GlorotUniform", by_seed(glorot_uniform_initializer)},
      {"GlorotNormal", by_seed(glorot_normal_initializer)},
      {"HeNormal", by_seed(initializers::he_normal)},
      {"HeUniform", by_seed(initializers::he_uniform)},
      {"LecunNormal", by_seed(initializers::lecun_normal)},
      {"LecunUniform", by_seed(initializers::lecun_uniform)},
      {"VarianceScaling",
       [](Options& options) {
         return variance_scaling_initializer(
             {.scale = options.number("scale", 1.0),
              .mode = options.text("mode", "fan_in"),
              .distribution = options.text("distribution", "truncated_normal"),
              .seed = options.seed()});
       }},
      {"Orthogonal",
       [](Options& options) {
         return orthogonal_initializer({.gain = options.number("gain", 1.0), .seed = options.seed()});
       }},
      {"Identity", [](Options& options) { return initializers::identity(options.number("gain", 1.0)); }}};
  return kMakers;
}

}  // namespace

Initializer initializers::deserialize(const Config& config, Input::Where where) {
  if (config.is_text()) return get(config.text(), where);
  const ErrorLine errors(where);
  const std::string& class_name = config.at("class_name").text();
  const auto found = makers().find(class_name);
  if (found == makers().end()) {
    throw ValueError(
        fmt::format("Unknown initializer: '{}'. Please ensure you are using a "
                    "`keras.utils.custom_object_scope` and that this object is included in the scope.",
                    class_name));
  }
  const Config none = Config::items();
  const Config* const given = config.find("config");
  Options options(given == nullptr ? none : *given, class_name);
  Initializer made = found->second(options);
  options.check_all_known();
  return made;
}

}  // namespace flowray::tf
