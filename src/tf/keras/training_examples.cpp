// What a program gives a model to train with and to predict for, checked.
#include "tf/keras/training.h"

#include "core/counted_text.h"
#include "tf/flow/flow_build.h"
#include "tf/keras/scores.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace flowray::tf::keras {
namespace {

/// [n] as [n, 1].
Array at_least_a_matrix(const Array& array) {
  return array.rank() == 1 ? array.reshape({array.dim(0), 1}) : array;
}

Array as_numbers(const Array& array, const char* what, DType dtype, std::string_view advice = {}) {
  if (!array.has_value() || array.rank() == 0) {
    throw ValueError(fmt::format(
        "{}: an array of at least one dimension is needed, the elements along the first.{}", what, advice));
  }
  if (array.dtype() == DType::kString)
    throw ValueError(fmt::format("{}: numbers are needed, not strings.{}", what, advice));
  return array.astype(dtype);
}

/// The arrays in the order of `names`.
std::vector<Array> in_order(const Arrays& arrays, const std::vector<std::string>& names, const char* what,
                            std::string_view advice) {
  if (arrays.named().empty()) {
    if (arrays.list().size() == names.size()) return arrays.list();
    throw ValueError(fmt::format(
        "Error when checking model {0}: the list of Numpy arrays that you are passing to your model is not "
        "the size the model expected. Expected to see {1} array(s), for {0}s ['{2}'] but instead got a list "
        "of "
        "{3} arrays.{4}",
        what, names.size(), fmt::join(names, "', '"), arrays.list().size(), advice));
  }
  std::vector<Array> list;
  for (const std::string& name : names) {
    const auto found = arrays.named().find(name);
    if (found != arrays.named().end()) {
      list.push_back(found->second);
      continue;
    }
    std::vector<std::string> given;
    for (const auto& [key, array] : arrays.named()) given.push_back("'" + key + "'");
    throw ValueError(
        fmt::format("No data provided for \"{}\". Need data for each key in: ['{}']\nGiven are [{}].{}", name,
                    fmt::join(names, "', '"), fmt::join(given, ", "), advice));
  }
  return list;
}

/// Its dimensions, with another batch.
std::vector<int64_t> dims_of(const Array& array, int64_t batch) {
  std::vector<int64_t> dims(array.shape().dims().begin(), array.shape().dims().end());
  dims[0] = batch;
  return dims;
}

/// Inputs of a model of the program's class for arrays such as these.
std::vector<KerasTensor> inputs_like(const Arrays& x, std::string_view advice) {
  if (!x.named().empty()) {
    throw ValueError(fmt::format(
        "The inputs of a model whose class is the program's have no names of their own.\nGive its "
        "arrays as a list.{}",
        advice));
  }
  std::vector<KerasTensor> inputs;
  for (const Array& array : x.list()) {
    const DType given = array.has_value() ? array.dtype() : DType::kFloat32;
    const DType dtype = is_floating(given) ? backend::floatx() : given;
    const Array batch = at_least_a_matrix(as_numbers(array, "x", dtype, advice));
    inputs.push_back(Input(TensorShape(batch.shape().dims().subspan(1)), {.dtype = dtype}));
  }
  return inputs;
}

std::string element_text(const Shape& shape) { return Shape(shape.dims().subspan(1)).to_tuple_string(); }

}  // namespace

std::vector<Array> Training::checked_inputs(const Arrays& x, std::string_view advice) {
  if (state_.has_no_ends_yet()) model_.make_ends(inputs_like(x, advice));
  if (!state_.is_built) {
    const std::vector<Array> given = in_order(x, {"input_1"}, "input", advice);
    Sequential(model_).build_named(
        TensorShape(dims_of(at_least_a_matrix(as_numbers(given[0], "x", DType::kFloat32, advice)), -1)),
        /*has_scope=*/true);
  }
  std::vector<Array> arrays = in_order(x, state_.input_names, "input", advice);
  for (size_t i = 0; i < arrays.size(); ++i) {
    const TensorShape& wanted = state_.inputs[i].shape();
    arrays[i] = as_numbers(arrays[i], "x", state_.inputs[i].dtype(), advice);
    if (wanted.rank() != 1) arrays[i] = at_least_a_matrix(arrays[i]);
    const Shape& given = arrays[i].shape();
    bool fits = wanted.rank() == given.rank();
    for (int k = 1; fits && k < wanted.rank(); ++k) fits = wanted.dim(k) < 0 || wanted.dim(k) == given.dim(k);
    if (!fits) {
      throw ValueError(
          fmt::format("Error when checking input: expected {} to have shape {} but got array with shape {}{}",
                      state_.input_names[i], element_text(wanted), element_text(given), advice));
    }
    if (given.dim(0) == arrays[0].dim(0)) continue;
    throw ValueError(
        fmt::format("All input arrays (x) should have the same number of samples. Got array shapes: {}, {}{}",
                    arrays[0].shape().to_tuple_string(), given.to_tuple_string(), advice));
  }
  return arrays;
}

namespace {

/// Throws for true values that a loss would stretch over outputs of another shape, or the other way round.
void check_like_outputs(const Array& truths, const TensorShape& outputs, const ScoreFunction& loss,
                        std::string_view advice) {
  const std::string name = loss_name(loss);
  const bool is_of_classes = name == "categorical_crossentropy";
  if (!is_of_classes && name != "mean_squared_error" && name != "binary_crossentropy") return;
  const auto text = [](const TensorShape& shape) {
    std::string shown = shape.to_tuple_string();
    for (size_t at = shown.find('?'); at != std::string::npos; at = shown.find('?'))
      shown.replace(at, 1, "None");
    return shown;
  };
  if (is_of_classes && truths.dim(truths.rank() - 1) == 1) {
    throw ValueError(fmt::format(
        "You are passing a target array of shape {} while using as loss `categorical_crossentropy`. "
        "`categorical_crossentropy` expects targets to be binary matrices (1s and 0s) of shape "
        "(samples, classes).\nWhere true values are numbers of classes, the loss is "
        "`sparse_categorical_crossentropy`.{}",
        truths.shape().to_tuple_string(), advice));
  }
  if (!outputs.has_rank()) return;
  for (int i = 1; i < std::min(truths.rank(), outputs.rank()); ++i) {
    if (outputs.dim(i) < 0 || outputs.dim(i) == truths.dim(i)) continue;
    throw ValueError(fmt::format(
        "A target array with shape {} was passed for an output of shape {} while using as loss `{}`. "
        "This loss expects targets to have the same shape as the output.{}",
        truths.shape().to_tuple_string(), text(outputs), name, advice));
  }
}

}  // namespace

std::vector<Array> Training::checked_targets(const Arrays& y, int64_t size, std::string_view advice) {
  const std::vector<size_t> outputs = state_.outputs_with_loss();
  if (outputs.empty() && !(y.list().empty() && y.named().empty())) {
    (void)runner_.score_step(/*training=*/false,
                             /*weighted=*/false);  // says so where there is no loss at all
    throw ValueError(fmt::format(
        "Error when checking model target: expected no data, but got {} array(s) of true values.\n"
        "None of the model's outputs has a loss in compile that takes them.{}",
        y.named().empty() ? y.list().size() : y.named().size(), advice));
  }
  std::vector<Array> arrays = in_order(y, state_.names_with_loss(), "target", advice);
  std::vector<TensorShape> shapes;
  for (size_t i = 0; i < arrays.size(); ++i) {
    Array& array = arrays[i];
    array = at_least_a_matrix(as_numbers(array, "y", state_.target_dtype(outputs[i]), advice));
    shapes.emplace_back(dims_of(array, -1));
    if (array.dim(0) == size) continue;
    throw ValueError(fmt::format(
        "Input arrays should have the same number of samples as target arrays. Found {} input samples and {} "
        "target samples.{}",
        size, array.dim(0), advice));
  }
  for (size_t i = 0; i < arrays.size() && !default_graph().is_eager(); ++i)
    check_like_outputs(arrays[i], state_.outputs[outputs[i]].shape(), state_.losses[outputs[i]], advice);
  if (state_.target_shapes.empty()) {
    state_.target_shapes.resize(state_.num_outputs());
    for (size_t i = 0; i < outputs.size(); ++i) state_.target_shapes[outputs[i]] = shapes[i];
  }
  for (size_t i = 0; i < arrays.size(); ++i) {
    const TensorShape& first = state_.target_shapes[outputs[i]];
    if (first.is_compatible_with(shapes[i])) continue;
    throw ValueError(
        fmt::format("Error when checking target: expected true values of shape {} but got array with shape "
                    "{}\nThe first call of fit or "
                    "evaluate since compile decides the shape.{}",
                    first.to_tuple_string(), arrays[i].shape().to_tuple_string(), advice));
  }
  return arrays;
}

namespace {

/// Of weights, of elements or of each of their times.
void check_weights_of(const Array& weights, const Array& truths, bool are_of_times) {
  const std::string found =
      fmt::format("Found a sample_weight array with shape {}", weights.shape().to_tuple_string());
  if (are_of_times && truths.rank() < 3) {
    throw ValueError(fmt::format(
        "Found a sample_weight array for an input with shape {}. Timestep-wise sample weighting (use of "
        "sample_weight_mode=\"temporal\") is restricted to outputs that are at least 3D, i.e. that have a "
        "time "
        "dimension.",
        truths.shape().to_tuple_string()));
  }
  if (are_of_times && weights.rank() != 2) {
    throw ValueError(found +
                     ". In order to use timestep-wise sample weighting, you should pass a 2D sample_weight "
                     "array.");
  }
  if (!are_of_times && weights.rank() != 1) {
    throw ValueError(
        found +
        ". In order to use timestep-wise sample weights, you should specify "
        "sample_weight_mode=\"temporal\" in compile(); found \"None\" instead. If you just mean to "
        "use sample-wise weights, make sure your sample_weight array is 1D.");
  }
  for (int i = 0; i < weights.rank(); ++i) {
    if (weights.dim(i) == truths.dim(i)) continue;
    throw ValueError(fmt::format("{} for an input with shape {}. sample_weight cannot be broadcast.", found,
                                 truths.shape().to_tuple_string()));
  }
}

}  // namespace

std::vector<Array> Training::checked_weights(const Arrays& weights, const std::vector<Array>& truths) {
  const std::vector<std::string> names = state_.names_with_loss();
  if (weights.named().empty() && weights.list().size() == 1 && names.size() > 1) {
    throw ValueError(
        fmt::format("The model has multiple outputs, so `sample_weight` should be either a list or a dict.\n"
                    "It needs an array for each of ['{}'].",
                    fmt::join(names, "', '")));
  }
  std::vector<Array> arrays = in_order(weights, names, "sample_weight", {});
  const std::vector<size_t> outputs = state_.outputs_with_loss();
  for (size_t i = 0; i < arrays.size(); ++i) {
    arrays[i] = as_numbers(arrays[i], "sample_weight", DType::kFloat32);
    check_weights_of(arrays[i], truths[i], state_.has_weights_of_times[outputs[i]]);
  }
  return arrays;
}

void Training::check_compiled() const {
  if (state_.is_compiled) return;
  throw RuntimeError(
      "You must compile your model before training/testing. Use `model.compile(optimizer, loss)`.");
}

Examples Training::checked(const Arrays& x, const Arrays& y, const std::optional<Arrays>& weights,
                           std::string_view advice) {
  check_compiled();
  Examples examples;
  examples.x = checked_inputs(x, advice);
  examples.y = checked_targets(y, examples.size(), advice);
  if (weights.has_value()) examples.weights = checked_weights(*weights, examples.y);
  return examples;
}

namespace {

std::vector<Array> taken(std::vector<Array>& arrays, size_t begin, size_t count) {
  const auto first = arrays.begin() + static_cast<std::ptrdiff_t>(begin);
  return {std::make_move_iterator(first),
          std::make_move_iterator(first + static_cast<std::ptrdiff_t>(count))};
}

}  // namespace

/// One, where the first batch will say it.
size_t Training::num_inputs() const { return state_.is_built ? state_.inputs.size() : 1; }

void Training::check_elements(const data::Dataset& dataset, std::string_view argument) const {
  if (!dataset.has_value()) throw_unset_argument("tf::data::Dataset", argument);
  if (!state_.has_no_ends_yet()) check_components(dataset.element_spec().size(), argument);
}

void Training::check_components(size_t given, std::string_view argument) const {
  const size_t inputs = num_inputs();
  const size_t targets = state_.outputs_with_loss().size();
  if (given == inputs + targets || given == inputs + 2 * targets) return;
  throw ValueError(fmt::format(
      "The elements of the dataset `{}` have {}, which does not fit a model that has {} and {} with a loss.\n"
      "An element has the inputs, then the true values of each of these outputs and, where there are more, "
      "how much each of the batch counts for each of them: {} or {} components.",
      argument, counted_text(given, "component"), counted_text(inputs, "input"),
      counted_text(targets, "output"), inputs + targets, inputs + 2 * targets));
}

void Training::check_inputs_of(const data::Dataset& dataset) const {
  if (!dataset.has_value()) throw_unset_argument("tf::data::Dataset", "x");
  if (state_.has_no_ends_yet()) return;
  const size_t inputs = num_inputs();
  const size_t targets = state_.is_compiled ? state_.outputs_with_loss().size() : state_.num_outputs();
  const size_t given = dataset.element_spec().size();
  if (given == inputs || given == inputs + targets || given == inputs + 2 * targets) return;
  throw ValueError(fmt::format(
      "The elements of the dataset have {}, which does not fit a model that has {}.\nAn element has the "
      "inputs, "
      "and behind them perhaps true values and weights of the {}.",
      counted_text(given, "component"), counted_text(inputs, "input"), counted_text(targets, "output")));
}

Examples Training::examples_of(std::vector<Array> components, std::string_view advice) {
  if (state_.has_no_ends_yet() && !components.empty()) {
    model_.make_ends(inputs_like(components[0], advice));
    check_components(components.size(), "x");
  }
  const size_t inputs = num_inputs();
  const size_t targets = state_.outputs_with_loss().size();
  std::optional<Arrays> weights;
  if (components.size() > inputs + targets) weights = Arrays(taken(components, inputs + targets, targets));
  return checked(Arrays(taken(components, 0, inputs)), Arrays(taken(components, inputs, targets)), weights,
                 advice);
}

Examples Training::inputs_of(std::vector<Array> components) {
  return {
      checked_inputs(Arrays(taken(components, 0, num_inputs())), "\nThe arrays are a batch of the dataset."),
      {},
      {}};
}

}  // namespace flowray::tf::keras
