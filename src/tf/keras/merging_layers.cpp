#include <flowray/tf/array.h>
#include <flowray/tf/keras/merging_layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "tf/build/user_line.h"
#include "tf/keras/layer_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace flowray::tf::keras::layers {
namespace {

/// "(None, 4)"
std::string shape_text(const TensorShape& shape) {
  std::string text = shape.to_tuple_string();
  for (size_t at = text.find('?'); at != std::string::npos; at = text.find('?')) text.replace(at, 1, "None");
  return text;
}

/// "[(None, 4), (None, 3)]"
std::string shapes_text(const std::vector<TensorShape>& shapes) {
  std::vector<std::string> texts;
  for (const TensorShape& shape : shapes) texts.push_back(shape_text(shape));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

template <class... Values>
[[noreturn]] void throw_merge_error(fmt::format_string<Values...> text, Values&&... values) {
  const ErrorLine line{Input::Where()};  // that of the call around
  throw ValueError(fmt::format(text, std::forward<Values>(values)...));
}

/// The shape of an element, broadcast as NumPy does it. Throws where the sizes do not fit.
std::vector<int64_t> broadcast(std::vector<int64_t> left, std::vector<int64_t> right) {
  if (left.size() < right.size()) std::swap(left, right);
  const auto text = [](const std::vector<int64_t>& dims) { return TensorShape(dims).to_tuple_string(); };
  std::vector<int64_t> result = left;
  const size_t behind = left.size() - right.size();
  for (size_t i = 0; i < right.size(); ++i) {
    int64_t& size = result[behind + i];
    if (size == right[i] || right[i] == 1) continue;
    if (size == 1) {
      size = right[i];
    } else if (size < 0 || right[i] < 0) {
      size = -1;
    } else {
      throw_merge_error("Inputs have incompatible shapes. Received shapes {} and {}", text(left),
                        text(right));
    }
  }
  return result;
}

std::vector<int64_t> element_dims(const TensorShape& shape) {
  const auto dims = shape.dims().subspan(1);
  return {dims.begin(), dims.end()};
}

bool all_have_rank(const std::vector<TensorShape>& shapes) {
  return std::ranges::all_of(shapes, [](const TensorShape& shape) { return shape.has_rank(); });
}

template <class Combine>
Tensor folded(const std::vector<Tensor>& inputs, const Combine& combine) {
  Tensor result = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) result = combine(result, inputs[i]);
  return result;
}

template <class Merging>
struct MergeArguments {
  MergeOptions options = {};
  template <class Io>
  void list(Io&) {}
  std::shared_ptr<Layer> make() const { return std::make_shared<Merging>(options); }
};

struct ConcatenateArguments {
  ConcatenateOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("axis", options.axis);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Concatenate>(options); }
};

struct DotArguments {
  std::vector<int64_t> axes = {};
  DotOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.axis("axes", axes);
    io("normalize", options.normalize);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Dot>(axes, options); }
};

}  // namespace

// ---- element by element

Merge::Merge(const std::string& class_name, const MergeOptions& options)
    : Layer(class_name, {.name = options.name}) {
  support_masking();
  LayerConfig::keep(*this, MergeArguments<Add>{options});
}

/// A time counts where it does in all inputs that have a mask.
std::vector<Tensor> Merge::compute_mask(const std::vector<Tensor>&, const std::vector<Tensor>& masks) {
  Tensor all;
  for (const Tensor& mask : masks) {
    if (mask.has_value()) all = all.has_value() ? logical_and(all, mask) : mask;
  }
  return {all};
}

void Merge::build_for(const std::vector<TensorShape>& input_shapes) {
  if (!all_have_rank(input_shapes)) {
    throw_merge_error("A merge layer takes tensors of known ranks. Received shapes {}",
                      shapes_text(input_shapes));
  }
  int64_t batch = -1;
  for (const TensorShape& shape : input_shapes) {
    if (shape.rank() == 0)
      throw_merge_error("A merge layer takes batches. Received shapes {}", shapes_text(input_shapes));
    if (batch >= 0 && shape.dim(0) >= 0 && shape.dim(0) != batch) {
      throw_merge_error("Cannot merge tensors with different batch sizes. Got tensors with shapes {}",
                        shapes_text(input_shapes));
    }
    batch = std::max(batch, shape.dim(0));
  }
  std::vector<int64_t> element = element_dims(input_shapes[0]);
  for (const TensorShape& shape : input_shapes) element = broadcast(element, element_dims(shape));
}

std::vector<Tensor> Merge::call_for(const std::vector<Tensor>& inputs, bool) {
  int rank = 0;
  for (const Tensor& input : inputs) rank = std::max(rank, input.shape().rank());
  std::vector<Tensor> same_rank;
  for (Tensor input : inputs) {
    while (input.shape().rank() < rank) input = expand_dims(input, 1);
    same_rank.push_back(input);
  }
  return {merged(same_rank)};
}

Tensor Add::merged(const std::vector<Tensor>& inputs) {
  return folded(inputs, [](const Tensor& a, const Tensor& b) { return a + b; });
}
Tensor Multiply::merged(const std::vector<Tensor>& inputs) {
  return folded(inputs, [](const Tensor& a, const Tensor& b) { return a * b; });
}
Tensor Average::merged(const std::vector<Tensor>& inputs) {
  return folded(inputs, [](const Tensor& a, const Tensor& b) { return a + b; }) /
         static_cast<double>(inputs.size());
}
Tensor Maximum::merged(const std::vector<Tensor>& inputs) {
  return folded(inputs, [](const Tensor& a, const Tensor& b) { return maximum(a, b); });
}
Tensor Minimum::merged(const std::vector<Tensor>& inputs) {
  return folded(inputs, [](const Tensor& a, const Tensor& b) { return minimum(a, b); });
}

void Subtract::build_for(const std::vector<TensorShape>& input_shapes) {
  Merge::build_for(input_shapes);
  if (input_shapes.size() != 2) {
    throw_merge_error(
        "A `Subtract` layer should be called on exactly 2 inputs. Received: input_shape={} of {} inputs",
        shapes_text(input_shapes), input_shapes.size());
  }
}
Tensor Subtract::merged(const std::vector<Tensor>& inputs) {
  if (inputs.size() != 2) {
    throw_merge_error("A `Subtract` layer should be called on exactly 2 inputs. Received: {} inputs",
                      inputs.size());
  }
  return inputs[0] - inputs[1];
}

// ---- Concatenate

Concatenate::Concatenate(const ConcatenateOptions& options)
    : Layer("Concatenate", {.name = options.name}), axis_(options.axis) {
  support_masking();
  LayerConfig::keep(*this, ConcatenateArguments{options});
}

/// The masks one behind the other; where the axis is that of features, a time counts where it does in all.
std::vector<Tensor> Concatenate::compute_mask(const std::vector<Tensor>& inputs,
                                              const std::vector<Tensor>& masks) {
  if (std::ranges::none_of(masks, [](const Tensor& mask) { return mask.has_value(); })) return {};
  std::vector<tf::Input> all;
  for (size_t i = 0; i < masks.size(); ++i) {
    if (!masks[i].has_value()) {
      all.emplace_back(cast(ones_like(inputs[i]), DType::kBool));
    } else if (masks[i].shape().rank() < inputs[i].shape().rank()) {
      all.emplace_back(expand_dims(masks[i], -1));
    } else {
      all.emplace_back(masks[i]);
    }
  }
  const int rank = inputs[0].shape().rank();
  return {reduce_all(concat(all, static_cast<int32_t>(axis_ < 0 ? axis_ + rank : axis_)), {-1})};
}

void Concatenate::build_for(const std::vector<TensorShape>& input_shapes) {
  if (!all_have_rank(input_shapes)) return;
  const auto mismatch = [&] {
    throw_merge_error(
        "A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. "
        "Received: input_shape={}",
        shapes_text(input_shapes));
  };
  const int rank = input_shapes[0].rank();
  const int64_t axis = axis_ < 0 ? axis_ + rank : axis_;
  if (axis < 0 || axis >= rank) {
    throw_merge_error("Concatenate: inputs of {} dimensions have no axis {}. Received: input_shape={}", rank,
                      axis_, shapes_text(input_shapes));
  }
  for (const TensorShape& shape : input_shapes) {
    if (shape.rank() != rank) mismatch();
    for (int i = 0; i < rank; ++i) {
      for (const TensorShape& other : input_shapes) {
        const bool is_known = shape.dim(i) >= 0 && other.rank() == rank && other.dim(i) >= 0;
        if (i != axis && is_known && shape.dim(i) != other.dim(i)) mismatch();
      }
    }
  }
}

std::vector<Tensor> Concatenate::call_for(const std::vector<Tensor>& inputs, bool) {
  const int64_t axis = axis_ < 0 && inputs[0].shape().has_rank() ? axis_ + inputs[0].shape().rank() : axis_;
  return {concat(std::vector<tf::Input>(inputs.begin(), inputs.end()), static_cast<int32_t>(axis))};
}

// ---- Dot

Dot::Dot(const std::vector<int64_t>& axes, const DotOptions& options, Where where)
    : Layer("Dot", {.name = options.name}), axes_(axes), normalize_(options.normalize) {
  support_masking();
  LayerConfig::keep(*this, DotArguments{axes, options});
  if (axes.size() == 1 || axes.size() == 2) return;
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("Invalid format for argument `axes`: it should contain two elements. Received: axes=[{}]",
                  fmt::join(axes, ", ")));
}

std::vector<int64_t> Dot::axes_for(const TensorShape& first, const TensorShape& second) const {
  std::vector<int64_t> axes = {axes_.front(), axes_.back()};
  const int ranks[] = {first.rank(), second.rank()};
  for (size_t i = 0; i < 2; ++i) {
    if (axes[i] < 0) axes[i] += ranks[i];
    if (axes[i] > 0 && axes[i] < ranks[i]) continue;
    throw_merge_error("Dot: a tensor of shape {} has no axis {} behind the batch.",
                      (i == 0 ? first : second).to_tuple_string(), i == 0 ? axes_.front() : axes_.back());
  }
  return axes;
}

std::vector<Tensor> Dot::compute_mask(const std::vector<Tensor>&, const std::vector<Tensor>&) { return {}; }

void Dot::build_for(const std::vector<TensorShape>& input_shapes) {
  if (input_shapes.size() != 2) {
    throw_merge_error("A `Dot` layer should be called on a list of 2 inputs. Received: input_shape={}",
                      shapes_text(input_shapes));
  }
  for (const TensorShape& shape : input_shapes) {
    if (shape.has_rank() && shape.rank() >= 2) continue;
    throw_merge_error("Cannot do batch_dot on inputs with rank < 2. Received inputs with shapes {} and {}.",
                      shape_text(input_shapes[0]), shape_text(input_shapes[1]));
  }
  const TensorShape& first = input_shapes[0];
  const TensorShape& second = input_shapes[1];
  const std::vector<int64_t> axes = axes_for(first, second);
  const int64_t left = first.dim(static_cast<int>(axes[0]));
  const int64_t right = second.dim(static_cast<int>(axes[1]));
  if (left == right) return;
  throw_merge_error(
      "Incompatible input shapes: axis values {} (at axis {}) != {} (at axis {}). Full input shapes: {}, {}",
      left, axes[0], right, axes[1], shape_text(first), shape_text(second));
}

std::vector<Tensor> Dot::call_for(const std::vector<Tensor>& inputs, bool) {
  const std::vector<int64_t> axes = axes_for(inputs[0].shape(), inputs[1].shape());
  Tensor sides[] = {inputs[0], inputs[1]};
  int64_t free_dims = 0;
  for (size_t i = 0; i < 2; ++i) {
    const int rank = sides[i].shape().rank();
    if (normalize_) sides[i] = nn::l2_normalize(sides[i], {axes[i]});
    free_dims += rank - 2;
    if (rank > 3) {
      throw_merge_error(
          "Dot: tensors of more than 3 dimensions are not there yet. Received shape {}\nReshape "
          "them first.",
          inputs[i].shape().to_tuple_string());
    }
  }
  // [batch, rows, n] times [batch, n, columns].
  Tensor left = sides[0].shape().rank() == 2 ? expand_dims(sides[0], 1)
                : axes[0] == 1               ? transpose(sides[0], {0, 2, 1})
                                             : sides[0];
  Tensor right = sides[1].shape().rank() == 2 ? expand_dims(sides[1], 2)
                 : axes[1] == 2               ? transpose(sides[1], {0, 2, 1})
                                              : sides[1];
  Tensor product = matmul(left, right);
  if (free_dims == 0) return {squeeze(product, {1})};
  if (sides[0].shape().rank() == 2) return {squeeze(product, {1})};
  if (sides[1].shape().rank() == 2) return {squeeze(product, {2})};
  return {product};
}

}  // namespace flowray::tf::keras::layers

void flowray::tf::keras::add_merging_layers(LayerTable& table) {
  table.add<layers::MergeArguments<layers::Add>>("Add");
  table.add<layers::MergeArguments<layers::Subtract>>("Subtract");
  table.add<layers::MergeArguments<layers::Multiply>>("Multiply");
  table.add<layers::MergeArguments<layers::Average>>("Average");
  table.add<layers::MergeArguments<layers::Maximum>>("Maximum");
  table.add<layers::MergeArguments<layers::Minimum>>("Minimum");
  table.add<layers::ConcatenateArguments>("Concatenate");
  table.add<layers::DotArguments>("Dot");
}
