// Einsum: sums of products by labelled axes ("...ij,jk->...ik"), of one or two arrays. Two arrays become
// products of matrices where their labels allow it.

#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_parts.h"
#include "ops/elements/strided_copy.h"
#include "ops/loops/gemm.h"
#include "ops/matrix/register.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

constexpr std::string_view kEllipsis = "...";

// ---- equations

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

void check_subscripts(const std::string& text) {
  const size_t dots = text.find(kEllipsis);
  std::string labels = text;
  if (dots != std::string::npos) labels.erase(dots, kEllipsis.size());
  for (const char c : labels) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter) ShapeContext::fail(fmt::format("Invalid character at position in subscripts: {}", text));
  }
}

Equation parse_equation(const std::string& text, int num_inputs) {
  const size_t arrow = text.find("->");
  if (arrow == std::string::npos || text.find("->", arrow + 2) != std::string::npos) {
    ShapeContext::fail("Expecting exactly one '->' in einsum equation: " + text);
  }
  Equation equation{.inputs = {""}, .output = text.substr(arrow + 2)};
  for (const char c : text.substr(0, arrow)) {
    if (c == ',') {
      equation.inputs.emplace_back();
    } else {
      equation.inputs.back() += c;
    }
  }
  if (equation.inputs.size() > 2) {
    ShapeContext::fail(fmt::format("Expecting 1 or 2 input subscripts in equation '{}' but got: {}", text,
                                   equation.inputs.size()));
  }
  if (static_cast<int>(equation.inputs.size()) != num_inputs) {
    ShapeContext::fail(fmt::format("Expected {} inputs but got: {}", equation.inputs.size(), num_inputs));
  }
  for (const std::string& input : equation.inputs) check_subscripts(input);
  check_subscripts(equation.output);
  return equation;
}

/// Labels one by one: letters, and for the axes under an ellipsis, counted from the last, numbers below 0.
std::vector<int> labels_of(const std::string& subscripts, int ellipsis_rank) {
  std::vector<int> labels;
  for (size_t i = 0; i < subscripts.size(); ++i) {
    if (subscripts.compare(i, kEllipsis.size(), kEllipsis) != 0) {
      labels.push_back(subscripts[i]);
      continue;
    }
    for (int k = ellipsis_rank; k > 0; --k) labels.push_back(-k);
    i += kEllipsis.size() - 1;
  }
  return labels;
}

/// How many axes of an array stand under its ellipsis.
int ellipsis_rank(int input, const std::string& subscripts, const Shape& shape) {
  const bool has = subscripts.find(kEllipsis) != std::string::npos;
  const int named = static_cast<int>(subscripts.size()) - (has ? 3 : 0);
  if (has ? shape.rank() < named : shape.rank() != named) {
    ShapeContext::fail(
        has ? fmt::format("Expected input {} to have rank at least {} but got: {}", input, named,
                          shape.rank())
            : fmt::format("Expected input {} to have rank {} but got: {}", input, named, shape.rank()));
  }
  return has ? shape.rank() - named : 0;
}

/// The size of each label; kUnknownDim where it is not known.
class Sizes {
 public:
  void add(const std::vector<int>& labels, const Shape& shape) {
    for (size_t i = 0; i < labels.size(); ++i) {
      const int64_t size = shape.dim(static_cast<int>(i));
      const auto [at, is_new] = sizes_.emplace(labels[i], size);
      if (is_new || size == Shape::kUnknownDim) continue;
      int64_t& known = at->second;
      const bool broadcasts = labels[i] < 0 && (known == 1 || size == 1);
      if (known != Shape::kUnknownDim && known != size && !broadcasts) {
        if (labels[i] < 0)
          ShapeContext::fail(fmt::format("Dimensions must be equal, but are {} and {}", known, size));
        ShapeContext::fail(
            fmt::format("Expected dimension {} at axis {} of the input shaped {} but got dimension {}", known,
                        i, shape.to_string(), size));
      }
      if (known == Shape::kUnknownDim || known == 1) known = size;
    }
  }
  int64_t operator[](int label) const {
    const auto found = sizes_.find(label);
    if (found == sizes_.end()) {
      ShapeContext::fail(fmt::format("Einsum output subscripts contain label '{}' that no input has",
                                     static_cast<char>(label)));
    }
    return found->second;
  }

 private:
  std::map<int, int64_t> sizes_;
};

void einsum_shape(ShapeContext& context) {
  const Equation equation =
      parse_equation(context.attrs().get<std::string>("equation"), context.num_inputs());
  Sizes sizes;
  int most = 0;
  for (int i = 0; i < context.num_inputs(); ++i) {
    const Shape& shape = context.input(i);
    const std::string& subscripts = equation.inputs[static_cast<size_t>(i)];
    if (!shape.has_rank()) {
      // Its labels are there, of whatever sizes; what its ellipsis stands for may be in the output.
      if (subscripts.find(kEllipsis) != std::string::npos &&
          equation.output.find(kEllipsis) != std::string::npos)
        return;
      const std::vector<int> labels = labels_of(subscripts, 0);
      sizes.add(labels, Shape::of_rank(static_cast<int>(labels.size())));
      continue;
    }
    const int rank = ellipsis_rank(i, subscripts, shape);
    most = std::max(most, rank);
    sizes.add(labels_of(subscripts, rank), shape);
  }
  if (most > 0 && equation.output.find(kEllipsis) == std::string::npos) {
    ShapeContext::fail("Ellipsis of the inputs with dimensions must be in the output of " +
                       context.attrs().get<std::string>("equation"));
  }
  Shape out;
  for (const int label : labels_of(equation.output, most)) out.push_back(sizes[label]);
  context.set_output(0, out);
}

// ---- kernels

/// An operand's step along a label: the sum over the axes that bear it, 0 where it is broadcast or has none.
int64_t step_along(const std::vector<int>& labels, const Shape& shape, int label) {
  const std::vector<int64_t> strides = dense_strides(shape);
  int64_t step = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == label && shape.dim(static_cast<int>(i)) != 1) step += strides[i];
  }
  return step;
}

bool has(const std::vector<int>& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

std::vector<int> distinct(const std::vector<int>& labels) {
  std::vector<int> seen;
  for (const int label : labels) {
    if (!has(seen, label)) seen.push_back(label);
  }
  return seen;
}

/// One loop: its length, and the steps of the operands and the output.
struct Loop {
  int64_t size;
  std::array<int64_t, 2> in;
  int64_t out;
};

/// All of an einsum that its kernels are made of.
struct Einsum {
  std::vector<std::vector<int>> inputs;
  std::vector<Shape> shapes;
  std::vector<int> output;
  Shape out_shape;
  Sizes sizes;

  explicit Einsum(const PrepareContext& context) : out_shape(context.output_shape(0)) {
    const Equation equation =
        parse_equation(context.attrs().get<std::string>("equation"), context.num_inputs());
    int most = 0;
    for (int i = 0; i < context.num_inputs(); ++i) {
      const std::string& subscripts = equation.inputs[static_cast<size_t>(i)];
      const int rank = ellipsis_rank(i, subscripts, context.input_shape(i));
      most = std::max(most, rank);
      shapes.push_back(context.input_shape(i));
      inputs.push_back(labels_of(subscripts, rank));
      sizes.add(inputs.back(), shapes.back());
    }
    output = labels_of(equation.output, most);
  }

  Loop loop(int label) const {
    Loop made{.size = sizes[label], .in = {0, 0}, .out = step_along(output, out_shape, label)};
    for (size_t i = 0; i < inputs.size(); ++i) made.in[i] = step_along(inputs[i], shapes[i], label);
    return made;
  }

  /// Labels that are summed over.
  std::vector<int> summed() const {
    std::vector<int> labels;
    for (const std::vector<int>& input : inputs) {
      for (const int label : input) {
        if (!has(output, label) && !has(labels, label)) labels.push_back(label);
      }
    }
    return labels;
  }
};

/// Every element of the output by loops over the summed labels.
struct PlainEinsum {
  std::vector<Loop> outer;
  std::vector<Loop> inner;
  int64_t out_count;
  bool two;

  explicit PlainEinsum(const Einsum& einsum)
      : out_count(einsum.out_shape.num_elements()), two(einsum.inputs.size() == 2) {
    for (const int label : distinct(einsum.output)) outer.push_back(einsum.loop(label));
    for (const int label : einsum.summed()) inner.push_back(einsum.loop(label));
  }

  template <class T>
  Wide<T> sum(const T* a, const T* b, size_t depth) const {
    if (depth == inner.size()) {
      return two ? wrapping_multiply(static_cast<Wide<T>>(*a), static_cast<Wide<T>>(*b))
                 : static_cast<Wide<T>>(*a);
    }
    const Loop& loop = inner[depth];
    Wide<T> total(0);
    for (int64_t i = 0; i < loop.size; ++i)
      total = wrapping_add(total, sum(a + i * loop.in[0], b + i * loop.in[1], depth + 1));
    return total;
  }

  template <class T>
  void fill(const T* a, const T* b, T* out, size_t depth) const {
    if (depth == outer.size()) {
      *out = static_cast<T>(sum(a, b, 0));
      return;
    }
    const Loop& loop = outer[depth];
    for (int64_t i = 0; i < loop.size; ++i)
      fill(a + i * loop.in[0], b + i * loop.in[1], out + i * loop.out, depth + 1);
  }

  template <class T>
  void run(const KernelCall& call) const {
    T* const out = call.out<T>(0);
    std::fill_n(out, out_count, T(0));  // where a label stands twice there, only the diagonal is written
    if (out_count == 0) return;
    const T* const a = call.in<T>(0);
    fill(a, two ? call.in<T>(1) : a, out, 0);
  }
};

/// Labels by the part that they have in a product of matrices.
struct ProductLabels {
  std::vector<int> batch;
  std::vector<int> rows;
  std::vector<int> columns;
  std::vector<int> contracted;

  /// Whether the einsum is a batch of products.
  bool sort(const Einsum& einsum) {
    if (einsum.inputs.size() != 2 || distinct(einsum.output).size() != einsum.output.size()) return false;
    for (const int label : einsum.output) {
      const bool left = has(einsum.inputs[0], label);
      const bool right = has(einsum.inputs[1], label);
      (left && right ? batch : left ? rows : columns).push_back(label);
    }
    for (const int label : einsum.summed()) {
      if (!has(einsum.inputs[0], label) || !has(einsum.inputs[1], label)) return false;
      contracted.push_back(label);
    }
    return true;
  }
};

int64_t product_of(const Einsum& einsum, const std::vector<int>& labels) {
  int64_t product = 1;
  for (const int label : labels) product *= einsum.sizes[label];
  return product;
}

/// Copies between an array with these labels and a dense one whose axes are in the order of `order`.
StridedCopy copy_to_dense(const Einsum& einsum, DType dtype, const std::vector<int>& order, bool to_output,
                          size_t input) {
  std::vector<StridedCopy::Dim> dims;
  int64_t stride = 1;
  for (auto label = order.rbegin(); label != order.rend(); ++label) {
    const Loop loop = einsum.loop(*label);
    if (to_output) {
      dims.push_back({loop.size, stride, loop.out});
    } else {
      dims.push_back({loop.size, loop.in[input], stride});
    }
    stride *= loop.size;
  }
  std::reverse(dims.begin(), dims.end());
  return StridedCopy(dtype, dims);
}

std::vector<int> joined(std::initializer_list<const std::vector<int>*> parts) {
  std::vector<int> all;
  for (const std::vector<int>* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

/// Both operands are put in order, multiplied batch by batch, and the products put in the output's order.
template <class T>
class ProductEinsum final : public Kernel {
 public:
  ProductEinsum(const Einsum& einsum, const ProductLabels& labels, int workers)
      : shape_{.m = product_of(einsum, labels.rows),
               .n = product_of(einsum, labels.columns),
               .k = product_of(einsum, labels.contracted)},
        batches_(product_of(einsum, labels.batch)),
        gemm_(shape_),
        left_(copy_to_dense(einsum, kDTypeOf<T>, joined({&labels.batch, &labels.rows, &labels.contracted}),
                            false, 0)),
        right_(copy_to_dense(einsum, kDTypeOf<T>,
                             joined({&labels.batch, &labels.contracted, &labels.columns}), false, 1)),
        out_(copy_to_dense(einsum, kDTypeOf<T>, joined({&labels.batch, &labels.rows, &labels.columns}), true,
                           0)) {
    workspace_bytes_ = bytes(shape_.m * shape_.k) + bytes(shape_.k * shape_.n) + bytes(shape_.m * shape_.n) +
                       gemm_.workspace_bytes(workers);
  }

  void run(const KernelCall& call) const override {
    if (batches_ * shape_.m * shape_.n == 0) return;
    char* const workspace = call.workspace<char>();
    T* const left = reinterpret_cast<T*>(workspace);
    T* const right = reinterpret_cast<T*>(workspace + bytes(shape_.m * shape_.k));
    T* const product =
        reinterpret_cast<T*>(workspace + bytes(shape_.m * shape_.k) + bytes(shape_.k * shape_.n));
    char* const rest = reinterpret_cast<char*>(product) + bytes(shape_.m * shape_.n);
    if (shape_.k > 0) {
      left_.run(call.in<T>(0), left, call.parallel());
      right_.run(call.in<T>(1), right, call.parallel());
    }
    for (int64_t i = 0; i < batches_; ++i) {
      gemm_.run(left + i * shape_.m * shape_.k, right + i * shape_.k * shape_.n, nullptr,
                product + i * shape_.m * shape_.n, rest, call.parallel());
    }
    out_.run(product, call.out<T>(0), call.parallel());
  }

 private:
  size_t bytes(int64_t elements) const {
    constexpr size_t kAlignment = 64;
    return (static_cast<size_t>(batches_ * elements) * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  }

  GemmShape shape_;
  int64_t batches_;
  Gemm<T> gemm_;
  StridedCopy left_;
  StridedCopy right_;
  StridedCopy out_;
};

using EinsumTypes =
    TypeList<float, double, int32_t, int64_t, float16, bfloat16, std::complex<float>, std::complex<double>>;

std::unique_ptr<Kernel> prepare_einsum(PrepareContext& context) {
  const Einsum einsum(context);
  // What the dimensions of an array without elements multiply to may not fit.
  const auto is_empty = [](const Shape& shape) { return shape.num_elements() == 0; };
  if (is_empty(einsum.out_shape) || std::ranges::any_of(einsum.shapes, is_empty)) {
    return kernel_for_dtype<EinsumTypes>(context, context.output_dtype(0), [&]<class T>() {
      return graph::make_kernel([count = einsum.out_shape.num_elements()](const KernelCall& call) {
        std::fill_n(call.out<T>(0), count, T(0));
      });
    });
  }
  return kernel_for_dtype<EinsumTypes>(
      context, context.output_dtype(0), [&]<class T>() -> std::unique_ptr<Kernel> {
        if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
          ProductLabels labels;
          if (labels.sort(einsum))
            return std::make_unique<ProductEinsum<T>>(einsum, labels, context.workers());
        }
        return graph::make_kernel(
            [plain = PlainEinsum(einsum)](const KernelCall& call) { plain.run<T>(call); });
      });
}

// ---- gradient; nodes and names are those of TensorFlow's Python

Endpoint einsum_node(GradientContext& g, std::vector<Endpoint> inputs, const std::string& equation) {
  return g.op("Einsum", std::move(inputs), {{"equation", equation}});
}

/// The axis of a label; counted from the end where it follows an ellipsis.
int64_t axis_of(const std::string& subscripts, char label) {
  const size_t at = subscripts.find(label);
  const size_t dots = subscripts.find(kEllipsis);
  if (dots == std::string::npos || at < dots) return static_cast<int64_t>(at);
  return static_cast<int64_t>(at) - static_cast<int64_t>(subscripts.size());
}

std::string without(const std::string& text, const std::string& removed) {
  std::string rest;
  for (const char c : text) {
    if (removed.find(c) == std::string::npos) rest += c;
  }
  return rest;
}

/// Spreads the gradient of a sum over `reduced` labels to all that was summed: ones are put before its shape
/// for them, it is broadcast, and then its axes are put where the input has them.
Endpoint gradient_of_sum(GradientContext& g, Endpoint grad, const std::string& output,
                         const std::string& input, Endpoint input_shape, const std::string& reduced) {
  std::vector<IntOrTensor> sizes;
  for (const char label : reduced) sizes.emplace_back(python_element(g, input_shape, axis_of(input, label)));
  const Endpoint dims = python_list(g, sizes, DType::kInt32, "stack");
  const Endpoint grad_shape = python_shape_of_type(g, grad, DType::kInt32);
  const Endpoint wide = python_concat(g, {dims, grad_shape});
  const Endpoint ones = python_integers(g, std::vector<int64_t>(reduced.size(), 1), DType::kInt32, "ones");
  const Endpoint narrow = python_concat(g, {ones, grad_shape});
  const Endpoint spread = g.op("BroadcastTo", {g.op("Reshape", {grad, narrow}), wide});
  return einsum_node(g, {spread}, reduced + output + "->" + input);
}

/// Labels of `input` that stand nowhere else, each once.
std::string reduced_labels(const std::string& input, const std::string& others) {
  std::string reduced;
  for (const char c : input) {
    if (c != '.' && others.find(c) == std::string::npos && reduced.find(c) == std::string::npos) reduced += c;
  }
  return reduced;
}

struct Operand {
  Endpoint value;
  Endpoint shape;
  std::string subscripts;
};

Endpoint gradient_of_operand(GradientContext& g, const Operand& operand, const Operand& other,
                             const std::string& output) {
  const std::string reduced = reduced_labels(operand.subscripts, output + other.subscripts);
  const std::string left = without(operand.subscripts, reduced);
  const Endpoint product =
      einsum_node(g, {g.grad(), other.value}, output + "," + other.subscripts + "->" + left);
  if (reduced.empty()) return product;
  return gradient_of_sum(g, product, left, operand.subscripts, operand.shape, reduced);
}

/// The part of an operand's shape that is under the ellipsis.
Endpoint broadcast_part(GradientContext& g, const Operand& operand, int64_t& begin) {
  const size_t dots = operand.subscripts.find(kEllipsis);
  begin = static_cast<int64_t>(dots);
  const auto after = static_cast<int64_t>(operand.subscripts.size() - dots - kEllipsis.size());
  if (after == 0) return python_slice_between(g, operand.shape, IntOrTensor(begin), std::nullopt);
  return python_slice_between(g, operand.shape, IntOrTensor(begin), IntOrTensor(-after));
}

bool broadcast_parts_match(const Operand& x, const Operand& y) {
  const auto part = [](const Operand& operand) {
    const Shape& shape = operand.value.shape();
    const auto begin = operand.subscripts.find(kEllipsis);
    const size_t named = operand.subscripts.size() - kEllipsis.size();
    return Shape(shape.dims().subspan(begin, static_cast<size_t>(shape.rank()) - named));
  };
  if (!x.value.shape().is_fully_defined() || !y.value.shape().is_fully_defined()) return false;
  return part(x) == part(y);
}

std::vector<Endpoint> einsum_gradient(GradientContext& g) {
  const Equation equation = parse_equation(g.attrs().get<std::string>("equation"), g.num_inputs());
  if (g.num_inputs() == 1) {
    const std::string& input = equation.inputs[0];
    const Endpoint shape = python_shape(g, g.input(0));
    const std::string reduced = reduced_labels(input, equation.output);
    if (reduced.empty()) return {einsum_node(g, {g.grad()}, equation.output + "->" + input)};
    return {gradient_of_sum(g, g.grad(), equation.output, input, shape, reduced)};
  }
  Operand x{python_conjugate(g, g.input(0)), {}, equation.inputs[0]};
  Operand y{python_conjugate(g, g.input(1)), {}, equation.inputs[1]};
  const bool broadcasts = equation.output.find(kEllipsis) != std::string::npos;
  for (Operand* operand : {&x, &y}) {
    if (broadcasts && operand->subscripts.find(kEllipsis) == std::string::npos)
      operand->subscripts += kEllipsis;
  }
  x.shape = python_shape(g, x.value);
  y.shape = python_shape(g, y.value);
  const Endpoint grad_x = gradient_of_operand(g, x, y, equation.output);
  const Endpoint grad_y = gradient_of_operand(g, y, x, equation.output);
  if (!broadcasts || broadcast_parts_match(x, y)) return {grad_x, grad_y};

  int64_t x_begin = 0;
  int64_t y_begin = 0;
  const Endpoint x_part = broadcast_part(g, x, x_begin);
  const Endpoint y_part = broadcast_part(g, y, y_begin);
  graph::Node* axes = g.Builder::node("BroadcastGradientArgs", {x_part, y_part});
  const auto summed = [&](Endpoint grad, int64_t begin, int which, Endpoint shape) {
    Endpoint at;
    {
      const graph::NameScope scope(g.graph(), "add");
      const Endpoint offset = g.constant(Array(static_cast<int32_t>(begin)), "x");
      at = g.op("AddV2", {offset, axes->output(which)}, {}, scope.path());
    }
    return g.op("Reshape", {g.op("Sum", {grad, at}), shape});
  };
  const Endpoint sum_x = summed(grad_x, x_begin, 0, x.shape);
  return {sum_x, summed(grad_y, y_begin, 1, y.shape)};
}

constexpr graph::OpRow kEinsumOps[] = {
    {.name = "Einsum",
     .inputs = "inputs:N*T",
     .outputs = "output:T",
     .attrs = "equation:string; N:int>=1; T:type",
     .shape = einsum_shape,
     .gradient = einsum_gradient,
     .prepare = prepare_einsum},
};

}  // namespace

void register_einsum_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kEinsumOps) table.add(row);
}

}  // namespace flowray::ops
