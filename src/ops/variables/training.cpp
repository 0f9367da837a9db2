// The optimizers: Apply... on reference variables and ResourceApply... on resource variables, with the same
// rules; SparseApply... and ResourceSparseApply... apply them to some rows.

#include "graph/kernel/kernel.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/integer_reader.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_merging.h"
#include "ops/variables/register.h"
#include "ops/variables/training_rules.h"
#include "ops/variables/training_scalars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <new>
#include <optional>

namespace flowray::ops {
namespace {

using graph::ArgSchema;
using graph::KernelCall;
using graph::OpRow;
using graph::OpTable;
using graph::PrepareContext;
using graph::ShapeContext;

constexpr int kMostVariables = 4;

enum class Role { kVariable, kGradient, kIndices, kScalar };

Role role_of(const ArgSchema& input) {
  if (input.is_ref || input.type == DType::kResource) return Role::kVariable;
  if (input.name == "indices") return Role::kIndices;
  return input.name == "grad" || input.name == "delta" ? Role::kGradient : Role::kScalar;
}

[[noreturn]] void fail_scalar(const ShapeContext& context, const ArgSchema& input, const Shape& shape) {
  ShapeContext::fail(scalar_demand(context.schema().name, input.name).complaint + shape.to_string());
}

Shape variable_shape(const ShapeContext& context, int i) {
  return context.input_dtype(i) == DType::kResource ? context.value_as_shape(i) : context.input(i);
}

/// All variables and the gradient have one shape, everything else is a scalar.
void update_shape(ShapeContext& context) {
  const auto& inputs = context.schema().inputs;
  Shape shape = variable_shape(context, 0);
  for (int i = 1; i < context.num_inputs(); ++i) {
    const ArgSchema& input = inputs[static_cast<size_t>(i)];
    if (role_of(input) == Role::kScalar) {
      if (context.running() && context.input(i).rank() != 0) fail_scalar(context, input, context.input(i));
      context.with_rank(i, 0);
      continue;
    }
    const Shape other = role_of(input) == Role::kVariable ? variable_shape(context, i) : context.input(i);
    if (context.running() && !shape.is_compatible_with(other)) {
      ShapeContext::fail(fmt::format("{} and {} do not have the same shape{} {}", inputs[0].name, input.name,
                                     shape.to_string(), other.to_string()));
    }
    shape = merge_shapes(shape, other);
  }
  if (context.num_outputs() > 0) context.set_output(0, shape);
}

/// What follows dimension 0.
Shape row_shape(const Shape& shape) {
  if (!shape.has_rank()) return shape;
  return Shape(shape.dims().subspan(shape.rank() > 0 ? 1 : 0));
}

/// All variables have one shape, the gradient has their rows, as many as there are indices, everything else
/// is a scalar.
void sparse_update_shape(ShapeContext& context) {
  const auto& inputs = context.schema().inputs;
  Shape shape = variable_shape(context, 0);
  int64_t rows = Shape::kUnknownDim;
  for (int i = 1; i < context.num_inputs(); ++i) {
    const ArgSchema& input = inputs[static_cast<size_t>(i)];
    switch (role_of(input)) {
      case Role::kVariable:
        shape = merge_shapes(shape, variable_shape(context, i));
        break;
      case Role::kScalar:
        if (context.running() && context.input(i).rank() != 0) fail_scalar(context, input, context.input(i));
        context.with_rank(i, 0);
        break;
      case Role::kIndices:
        if (context.running() && context.input(i).rank() != 1)
          ShapeContext::fail("indices must be one-dimensional");
        rows = ShapeContext::merge_dim(rows, context.with_rank(i, 1).dim(0));
        break;
      case Role::kGradient:
        context.with_rank_at_least(i, 1);
        if (context.input(i).has_rank() && !context.running()) rows = context.input(i).dim(0);
        break;
    }
  }
  if (context.num_outputs() > 0) context.set_output(0, shape);
}

/// The variables of one update, locked in an order that is the same for all, each once.
class LockedVariables {
 public:
  LockedVariables(const KernelCall& call, int count) {
    const graph::Variable* last = nullptr;
    for (int k = 0; k < count; ++k) {
      const int next = first_after(call, count, last);
      if (next < 0) return;
      last = &call.variable(next);
      std::optional<graph::Variable::Update>& update = updates_[static_cast<size_t>(next)];
      update.emplace(call.variable(next).update());
      for (int i = 0; i < count; ++i) {
        if (&call.variable(i) == last) all_[static_cast<size_t>(i)] = &*update;
      }
    }
  }

  graph::Variable::Update* const* data() const { return all_.data(); }

 private:
  /// The variable with the lowest address above that of `last`; -1 if there is none.
  static int first_after(const KernelCall& call, int count, const graph::Variable* last) {
    int found = -1;
    for (int i = 0; i < count; ++i) {
      const graph::Variable* variable = &call.variable(i);
      const bool follows = last == nullptr || std::less<const graph::Variable*>()(last, variable);
      if (follows && (found < 0 || std::less<const graph::Variable*>()(variable, &call.variable(found)))) {
        found = i;
      }
    }
    return found;
  }

  std::array<graph::Variable::Update*, kMostVariables> all_{};
  std::array<std::optional<graph::Variable::Update>, kMostVariables> updates_;
};

[[noreturn]] void fail_shapes(const std::string& a, const std::string& b, const Shape& shape_a,
                              const Shape& shape_b) {
  throw errors::InvalidArgumentError(fmt::format("{} and {} do not have the same shape{} {}", a, b,
                                                 shape_a.to_string(), shape_b.to_string()));
}

/// The shapes that steps check were those of the graph; a variable may have been given another one since.
void check_variables(const graph::OpSchema& schema, DType dtype, graph::Variable::Update* const* variables,
                     int count) {
  for (int i = 0; i < count; ++i) {
    const std::string& name = schema.inputs[static_cast<size_t>(i)].name;
    if (variables[i]->dtype() != dtype) {
      throw errors::InvalidArgumentError(fmt::format("Trying to update {} of dtype {} as {}", name,
                                                     dtype_kernel_name(variables[i]->dtype()),
                                                     dtype_kernel_name(dtype)));
    }
    const Shape& first = variables[0]->shape();
    if (!(variables[i]->shape() == first))
      fail_shapes(schema.inputs[0].name, name, first, variables[i]->shape());
  }
}

void check_gradient(const graph::OpSchema& schema, const Shape& variable, const Shape& gradient) {
  if (variable == gradient) return;
  const auto input = std::find_if(schema.inputs.begin(), schema.inputs.end(),
                                  [](const ArgSchema& arg) { return role_of(arg) == Role::kGradient; });
  fail_shapes(schema.inputs[0].name, input->name, variable, gradient);
}

/// Where the inputs of an op stand.
struct Layout {
  int variables = 0;
  int gradient = 0;
  int indices = -1;
  std::vector<int> scalars;
  std::vector<DType> scalar_dtypes;  // kInvalid: the variable's
  std::vector<ScalarDemand> demands;

  explicit Layout(const graph::OpSchema& schema) {
    for (int i = 0; i < static_cast<int>(schema.inputs.size()); ++i) {
      switch (role_of(schema.inputs[static_cast<size_t>(i)])) {
        case Role::kVariable:
          ++variables;
          break;
        case Role::kGradient:
          gradient = i;
          break;
        case Role::kScalar:
          scalars.push_back(i);
          scalar_dtypes.push_back(schema.inputs[static_cast<size_t>(i)].type);
          demands.push_back(scalar_demand(schema.name, schema.inputs[static_cast<size_t>(i)].name));
          break;
        case Role::kIndices:
          indices = i;
          break;
      }
    }
  }
};

bool option_of(const graph::Attrs& attrs) {
  for (std::string_view name : {"use_nesterov", "update_slots", "multiply_linear_by_lr"}) {
    if (attrs.contains(name)) return attrs.get<bool>(name);
  }
  return false;
}

template <class T>
bool is_within(T x, ScalarRange range, bool zero_too) {
  switch (range) {
    case ScalarRange::kAny:
      return true;
    case ScalarRange::kPositive:
      return x > T(0);
    case ScalarRange::kPositiveOrZero:
      return x > T(0) || (zero_too && x == T(0));
    case ScalarRange::kNotNegative:
      return x >= T(0);
    case ScalarRange::kNotPositive:
      return x <= T(0);
  }
  return true;
}

/// Step counts are int64, everything else is of the variable's dtype.
template <class T>
void read_scalars(const Layout& layout, const KernelCall& call, UpdateStep<T>& step) {
  for (size_t i = 0; i < layout.scalars.size(); ++i) {
    const int input = layout.scalars[i];
    if (layout.scalar_dtypes[i] == DType::kInt64) {
      step.scalars[i] = static_cast<T>(static_cast<double>(*call.in<int64_t>(input)));
      continue;
    }
    step.scalars[i] = *call.in<T>(input);
    if constexpr (!kIsComplex<T>) {
      const ScalarDemand& demand = layout.demands[i];
      if (!is_within(step.scalars[i], demand.range, step.option))
        throw errors::InvalidArgumentError(demand.complaint + "[]");
    }
  }
}

template <class T>
using Loop = void (*)(const UpdateStep<T>&, int64_t, int64_t);

template <class T>
class RuleLoop final : public graph::UpdateLoop {
 public:
  RuleLoop(const PrepareContext& context, Loop<T> loop, int64_t elements_each)
      : layout_(context.schema()),
        loop_(loop),
        option_(option_of(context.attrs())),
        schema_(context.schema()),
        shape_(context.input_shape(layout_.gradient)) {
    num_variables = layout_.variables;
    count = shape_.num_elements();
    elements_per_worker = elements_each;
  }

  void begin(const KernelCall& call, graph::Variable::Update* const* variables, void* state) const override {
    static_assert(sizeof(UpdateStep<T>) <= kStateBytes && alignof(UpdateStep<T>) <= 16);
    check_variables(schema_, kDTypeOf<T>, variables, num_variables);
    check_gradient(schema_, variables[0]->shape(), shape_);
    auto& step = *new (state) UpdateStep<T>();
    for (int i = 0; i < num_variables; ++i) step.slots[i] = variables[i]->template data<T>();
    step.option = option_;
    read_scalars(layout_, call, step);
    step.gradient = call.in<T>(layout_.gradient);
  }

  void run(const void* state, int64_t begin, int64_t end) const override {
    loop_(*static_cast<const UpdateStep<T>*>(state), begin, end);
  }

 private:
  const Layout layout_;
  const Loop<T> loop_;
  const bool option_;
  const graph::OpSchema& schema_;
  const Shape shape_;
};

/// One update alone.
std::unique_ptr<graph::Kernel> make_update(std::unique_ptr<const graph::UpdateLoop> loop) {
  const graph::UpdateLoop& rule = *loop;  // the kernel's
  return graph::make_kernel(
      [&rule](const KernelCall& call) {
        LockedVariables variables(call, rule.num_variables);
        alignas(16) std::byte state[graph::UpdateLoop::kStateBytes];
        rule.begin(call, variables.data(), state);
        if (rule.count < 2 * rule.elements_per_worker) return rule.run(state, 0, rule.count);
        call.parallel().for_range(rule.count, rule.elements_per_worker,
                                  [&](int64_t begin, int64_t end, int) { rule.run(state, begin, end); });
      },
      {.update = std::move(loop)});
}

/// The rule's loop; complex numbers, which are rare, have one for all processors.
template <template <class> class Rule, class T>
Loop<T> loop_of() {
  if constexpr (kIsComplex<T>) {
    return [](const UpdateStep<T>& step, int64_t begin, int64_t end) { Rule<T>::run(step, begin, end); };
  } else {
    return compiled_loop<Rule<T>>();
  }
}

using FloatAndComplex = TypeList<float, double, std::complex<float>, std::complex<double>>;

template <template <class> class Rule, class Types = FloatTypes>
std::unique_ptr<graph::Kernel> prepare_update(PrepareContext& context) {
  const DType dtype = context.input_dtype(Layout(context.schema()).gradient);
  return kernel_for_dtype<Types>(context, dtype, [&]<class T>() {
    return make_update(
        std::make_unique<RuleLoop<T>>(context, loop_of<Rule, T>(), Rule<T>::kElementsPerWorker));
  });
}

void check_rows(const Shape& variable, const Shape& gradient) {
  for (int i = 1; i < std::max(variable.rank(), gradient.rank()); ++i) {
    if (i < variable.rank() && i < gradient.rank() && variable.dim(i) == gradient.dim(i)) continue;
    throw errors::InvalidArgumentError(
        fmt::format("var and grad must match in dimension {}\nTheir shapes are {} and {}.", i,
                    variable.to_string(), gradient.to_string()));
  }
}

/// The rule on the rows that the indices name, one after the other: a row may come twice.
template <class T>
std::unique_ptr<graph::Kernel> make_sparse_update(PrepareContext& context, Loop<T> loop) {
  const Layout layout(context.schema());
  return graph::make_kernel(
      [layout, loop, option = option_of(context.attrs()), schema = &context.schema(),
       gradient = context.input_shape(layout.gradient), index_dtype = context.input_dtype(layout.indices),
       count = context.input_shape(layout.indices).num_elements()](const KernelCall& call) {
        LockedVariables variables(call, layout.variables);
        check_variables(*schema, kDTypeOf<T>, variables.data(), layout.variables);
        const Shape shape = variables.data()[0]->shape();
        if (shape.rank() == 0) throw errors::InvalidArgumentError("var must be at least 1 dimensional");
        if (gradient.rank() == 0 || gradient.dim(0) != count) {
          throw errors::InvalidArgumentError("grad must be the same size as indices in the first dimension.");
        }
        check_rows(shape, gradient);
        const int64_t row = row_shape(shape).num_elements();
        UpdateStep<T> step{};
        step.option = option;
        read_scalars(layout, call, step);
        const IntegerReader indices{call.in<void>(layout.indices), index_dtype};
        for (int64_t i = 0; i < count; ++i) {
          const int64_t index = indices[i];
          if (index < 0 || index >= shape.dim(0)) {
            throw errors::InvalidArgumentError(
                fmt::format("Index {} at offset {} in indices is out of range", index, i));
          }
          for (int k = 0; k < layout.variables; ++k)
            step.slots[k] = variables.data()[k]->template data<T>() + index * row;
          step.gradient = call.in<T>(layout.gradient) + i * row;
          loop(step, 0, row);
        }
      });
}

template <template <class> class Rule, class Types = FloatTypes>
std::unique_ptr<graph::Kernel> prepare_sparse_update(PrepareContext& context) {
  const Layout layout(context.schema());
  return kernel_for_dtype<Types>(context, context.input_dtype(layout.gradient), [&]<class T>() {
    return make_sparse_update<T>(context, loop_of<Rule, T>());
  });
}

/// Apply...: variables by reference, which is what comes out.
constexpr OpRow update(std::string_view name, std::string_view inputs, std::string_view attrs,
                       graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = inputs,
          .outputs = "out:ref T",
          .attrs = attrs,
          .shape = update_shape,
          .prepare = prepare};
}

/// ResourceApply...: variables by handle.
constexpr OpRow resource_update(std::string_view name, std::string_view inputs, std::string_view attrs,
                                graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = inputs,
          .attrs = attrs,
          .stateful = true,
          .shape = update_shape,
          .prepare = prepare};
}

/// SparseApply..., ResourceSparseApply...: of the rows that `indices` name.
constexpr OpRow sparse_update(std::string_view name, std::string_view inputs, std::string_view attrs,
                              graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = inputs,
          .outputs = "out:ref T",
          .attrs = attrs,
          .shape = sparse_update_shape,
          .prepare = prepare};
}

constexpr OpRow resource_sparse_update(std::string_view name, std::string_view inputs, std::string_view attrs,
                                       graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = inputs,
          .attrs = attrs,
          .stateful = true,
          .shape = sparse_update_shape,
          .prepare = prepare};
}

constexpr OpRow kTrainingOps[] = {
    update("ApplyGradientDescent", "var:ref T, alpha:T, delta:T", "T:type{numbers}; use_locking:bool=false",
           prepare_update<GradientDescentRule, FloatAndComplex>),
    resource_update("ResourceApplyGradientDescent", "var:resource, alpha:T, delta:T",
                    "T:type{numbers}; use_locking:bool=false",
                    prepare_update<GradientDescentRule, FloatAndComplex>),
    update("ApplyMomentum", "var:ref T, accum:ref T, lr:T, grad:T, momentum:T",
           "T:type{numbers}; use_locking:bool=false; use_nesterov:bool=false",
           prepare_update<MomentumRule, FloatAndComplex>),
    resource_update("ResourceApplyMomentum", "var:resource, accum:resource, lr:T, grad:T, momentum:T",
                    "T:type{numbers}; use_locking:bool=false; use_nesterov:bool=false",
                    prepare_update<MomentumRule, FloatAndComplex>),
    sparse_update("SparseApplyMomentum", "var:ref T, accum:ref T, lr:T, grad:T, indices:Tindices, momentum:T",
                  "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false; use_nesterov:bool=false",
                  prepare_sparse_update<MomentumRule, FloatAndComplex>),
    resource_sparse_update(
        "ResourceSparseApplyMomentum",
        "var:resource, accum:resource, lr:T, grad:T, indices:Tindices, momentum:T",
        "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false; use_nesterov:bool=false",
        prepare_sparse_update<MomentumRule, FloatAndComplex>),
    update("ApplyAdam",
           "var:ref T, m:ref T, v:ref T, beta1_power:T, beta2_power:T, lr:T, beta1:T, beta2:T, epsilon:T, "
           "grad:T",
           "T:type{numbers}; use_locking:bool=false; use_nesterov:bool=false",
           prepare_update<AdamRule, FloatAndComplex>),
    resource_update("ResourceApplyAdam",
                    "var:resource, m:resource, v:resource, beta1_power:T, beta2_power:T, lr:T, beta1:T, "
                    "beta2:T, epsilon:T, grad:T",
                    "T:type{numbers}; use_locking:bool=false; use_nesterov:bool=false",
                    prepare_update<AdamRule, FloatAndComplex>),
    update("ApplyAdagrad", "var:ref T, accum:ref T, lr:T, grad:T",
           "T:type{numbers}; use_locking:bool=false; update_slots:bool=true",
           prepare_update<AdagradRule, FloatAndComplex>),
    resource_update("ResourceApplyAdagrad", "var:resource, accum:resource, lr:T, grad:T",
                    "T:type{numbers}; use_locking:bool=false; update_slots:bool=true",
                    prepare_update<AdagradRule, FloatAndComplex>),
    sparse_update("SparseApplyAdagrad", "var:ref T, accum:ref T, lr:T, grad:T, indices:Tindices",
                  "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false; update_slots:bool=true",
                  prepare_sparse_update<AdagradRule, FloatAndComplex>),
    resource_sparse_update(
        "ResourceSparseApplyAdagrad", "var:resource, accum:resource, lr:T, grad:T, indices:Tindices",
        "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false; update_slots:bool=true",
        prepare_sparse_update<AdagradRule, FloatAndComplex>),
    update("ApplyAdagradV2", "var:ref T, accum:ref T, lr:T, epsilon:T, grad:T",
           "T:type{numbers}; use_locking:bool=false; update_slots:bool=true",
           prepare_update<AdagradV2Rule, FloatAndComplex>),
    resource_update("ResourceApplyAdagradV2", "var:resource, accum:resource, lr:T, epsilon:T, grad:T",
                    "T:type{numbers}; use_locking:bool=false; update_slots:bool=true",
                    prepare_update<AdagradV2Rule, FloatAndComplex>),
    sparse_update("SparseApplyAdagradV2", "var:ref T, accum:ref T, lr:T, epsilon:T, grad:T, indices:Tindices",
                  "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false; update_slots:bool=true",
                  prepare_sparse_update<AdagradV2Rule, FloatAndComplex>),
    resource_sparse_update(
        "ResourceSparseApplyAdagradV2",
        "var:resource, accum:resource, lr:T, epsilon:T, grad:T, indices:Tindices",
        "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false; update_slots:bool=true",
        prepare_sparse_update<AdagradV2Rule, FloatAndComplex>),
    update("ApplyAdagradDA",
           "var:ref T, gradient_accumulator:ref T, gradient_squared_accumulator:ref T, grad:T, lr:T, l1:T, "
           "l2:T, global_step:int64",
           "T:type{numbers}; use_locking:bool=false", prepare_update<AdagradDaRule>),
    resource_update("ResourceApplyAdagradDA",
                    "var:resource, gradient_accumulator:resource, gradient_squared_accumulator:resource, "
                    "grad:T, lr:T, l1:T, l2:T, global_step:int64",
                    "T:type{numbers}; use_locking:bool=false", prepare_update<AdagradDaRule>),
    sparse_update("SparseApplyAdagradDA",
                  "var:ref T, gradient_accumulator:ref T, gradient_squared_accumulator:ref T, grad:T, "
                  "indices:Tindices, lr:T, l1:T, l2:T, global_step:int64",
                  "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false",
                  prepare_sparse_update<AdagradDaRule>),
    resource_sparse_update(
        "ResourceSparseApplyAdagradDA",
        "var:resource, gradient_accumulator:resource, gradient_squared_accumulator:resource, grad:T, "
        "indices:Tindices, lr:T, l1:T, l2:T, global_step:int64",
        "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false",
        prepare_sparse_update<AdagradDaRule>),
    update("ApplyAdadelta", "var:ref T, accum:ref T, accum_update:ref T, lr:T, rho:T, epsilon:T, grad:T",
           "T:type{numbers}; use_locking:bool=false", prepare_update<AdadeltaRule, FloatAndComplex>),
    resource_update("ResourceApplyAdadelta",
                    "var:resource, accum:resource, accum_update:resource, lr:T, rho:T, epsilon:T, grad:T",
                    "T:type{numbers}; use_locking:bool=false", prepare_update<AdadeltaRule, FloatAndComplex>),
    sparse_update(
        "SparseApplyAdadelta",
        "var:ref T, accum:ref T, accum_update:ref T, lr:T, rho:T, epsilon:T, grad:T, indices:Tindices",
        "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false",
        prepare_sparse_update<AdadeltaRule, FloatAndComplex>),
    resource_sparse_update("ResourceSparseApplyAdadelta",
                           "var:resource, accum:resource, accum_update:resource, lr:T, rho:T, epsilon:T, "
                           "grad:T, indices:Tindices",
                           "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false",
                           prepare_sparse_update<AdadeltaRule, FloatAndComplex>),
    update("ApplyRMSProp", "var:ref T, ms:ref T, mom:ref T, lr:T, rho:T, momentum:T, epsilon:T, grad:T",
           "T:type{numbers}; use_locking:bool=false", prepare_update<RmsPropRule, FloatAndComplex>),
    resource_update("ResourceApplyRMSProp",
                    "var:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T",
                    "T:type{numbers}; use_locking:bool=false", prepare_update<RmsPropRule, FloatAndComplex>),
    sparse_update(
        "SparseApplyRMSProp",
        "var:ref T, ms:ref T, mom:ref T, lr:T, rho:T, momentum:T, epsilon:T, grad:T, indices:Tindices",
        "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false",
        prepare_sparse_update<RmsPropRule, FloatAndComplex>),
    resource_sparse_update("ResourceSparseApplyRMSProp",
                           "var:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, "
                           "grad:T, indices:Tindices",
                           "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false",
                           prepare_sparse_update<RmsPropRule, FloatAndComplex>),
    update("ApplyCenteredRMSProp",
           "var:ref T, mg:ref T, ms:ref T, mom:ref T, lr:T, rho:T, momentum:T, epsilon:T, grad:T",
           "T:type{numbers}; use_locking:bool=false", prepare_update<CenteredRmsPropRule, FloatAndComplex>),
    resource_update(
        "ResourceApplyCenteredRMSProp",
        "var:resource, mg:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T",
        "T:type{numbers}; use_locking:bool=false", prepare_update<CenteredRmsPropRule, FloatAndComplex>),
    sparse_update("SparseApplyCenteredRMSProp",
                  "var:ref T, mg:ref T, ms:ref T, mom:ref T, lr:T, rho:T, momentum:T, epsilon:T, grad:T, "
                  "indices:Tindices",
                  "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false",
                  prepare_sparse_update<CenteredRmsPropRule, FloatAndComplex>),
    resource_sparse_update("ResourceSparseApplyCenteredRMSProp",
                           "var:resource, mg:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, "
                           "epsilon:T, grad:T, indices:Tindices",
                           "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false",
                           prepare_sparse_update<CenteredRmsPropRule, FloatAndComplex>),
    update("ApplyProximalGradientDescent", "var:ref T, alpha:T, l1:T, l2:T, delta:T",
           "T:type{numbers}; use_locking:bool=false", prepare_update<ProximalGradientDescentRule>),
    resource_update("ResourceApplyProximalGradientDescent", "var:resource, alpha:T, l1:T, l2:T, delta:T",
                    "T:type{numbers}; use_locking:bool=false", prepare_update<ProximalGradientDescentRule>),
    sparse_update("SparseApplyProximalGradientDescent",
                  "var:ref T, alpha:T, l1:T, l2:T, grad:T, indices:Tindices",
                  "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false",
                  prepare_sparse_update<ProximalGradientDescentRule>),
    resource_sparse_update("ResourceSparseApplyProximalGradientDescent",
                           "var:resource, alpha:T, l1:T, l2:T, grad:T, indices:Tindices",
                           "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false",
                           prepare_sparse_update<ProximalGradientDescentRule>),
    update("ApplyProximalAdagrad", "var:ref T, accum:ref T, lr:T, l1:T, l2:T, grad:T",
           "T:type{numbers}; use_locking:bool=false", prepare_update<ProximalAdagradRule>),
    resource_update("ResourceApplyProximalAdagrad", "var:resource, accum:resource, lr:T, l1:T, l2:T, grad:T",
                    "T:type{numbers}; use_locking:bool=false", prepare_update<ProximalAdagradRule>),
    sparse_update("SparseApplyProximalAdagrad",
                  "var:ref T, accum:ref T, lr:T, l1:T, l2:T, grad:T, indices:Tindices",
                  "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false",
                  prepare_sparse_update<ProximalAdagradRule>),
    resource_sparse_update("ResourceSparseApplyProximalAdagrad",
                           "var:resource, accum:resource, lr:T, l1:T, l2:T, grad:T, indices:Tindices",
                           "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false",
                           prepare_sparse_update<ProximalAdagradRule>),
    update("ApplyFtrl", "var:ref T, accum:ref T, linear:ref T, grad:T, lr:T, l1:T, l2:T, lr_power:T",
           "T:type{numbers}; use_locking:bool=false; multiply_linear_by_lr:bool=false",
           prepare_update<FtrlRule>),
    resource_update("ResourceApplyFtrl",
                    "var:resource, accum:resource, linear:resource, grad:T, lr:T, l1:T, l2:T, lr_power:T",
                    "T:type{numbers}; use_locking:bool=false; multiply_linear_by_lr:bool=false",
                    prepare_update<FtrlRule>),
    sparse_update(
        "SparseApplyFtrl",
        "var:ref T, accum:ref T, linear:ref T, grad:T, indices:Tindices, lr:T, l1:T, l2:T, lr_power:T",
        "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false; multiply_linear_by_lr:bool=false",
        prepare_sparse_update<FtrlRule>),
    resource_sparse_update(
        "ResourceSparseApplyFtrl",
        "var:resource, accum:resource, linear:resource, grad:T, indices:Tindices, lr:T, l1:T, l2:T, "
        "lr_power:T",
        "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false; multiply_linear_by_lr:bool=false",
        prepare_sparse_update<FtrlRule>),
    update("ApplyFtrlV2",
           "var:ref T, accum:ref T, linear:ref T, grad:T, lr:T, l1:T, l2:T, l2_shrinkage:T, lr_power:T",
           "T:type{numbers}; use_locking:bool=false; multiply_linear_by_lr:bool=false",
           prepare_update<FtrlV2Rule>),
    resource_update(
        "ResourceApplyFtrlV2",
        "var:resource, accum:resource, linear:resource, grad:T, lr:T, l1:T, l2:T, l2_shrinkage:T, lr_power:T",
        "T:type{numbers}; use_locking:bool=false; multiply_linear_by_lr:bool=false",
        prepare_update<FtrlV2Rule>),
    sparse_update(
        "SparseApplyFtrlV2",
        "var:ref T, accum:ref T, linear:ref T, grad:T, indices:Tindices, lr:T, l1:T, l2:T, l2_shrinkage:T, "
        "lr_power:T",
        "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false; multiply_linear_by_lr:bool=false",
        prepare_sparse_update<FtrlV2Rule>),
    resource_sparse_update(
        "ResourceSparseApplyFtrlV2",
        "var:resource, accum:resource, linear:resource, grad:T, indices:Tindices, lr:T, l1:T, l2:T, "
        "l2_shrinkage:T, lr_power:T",
        "Tindices:type{indices}; T:type{numbers}; use_locking:bool=false; multiply_linear_by_lr:bool=false",
        prepare_sparse_update<FtrlV2Rule>),
    update("ApplyAdaMax",
           "var:ref T, m:ref T, v:ref T, beta1_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T",
           "T:type{numbers}; use_locking:bool=false", prepare_update<AdaMaxRule>),
    resource_update(
        "ResourceApplyAdaMax",
        "var:resource, m:resource, v:resource, beta1_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T",
        "T:type{numbers}; use_locking:bool=false", prepare_update<AdaMaxRule>),
    update("ApplyAddSign", "var:ref T, m:ref T, lr:T, alpha:T, sign_decay:T, beta:T, grad:T",
           "T:type{numbers}; use_locking:bool=false", prepare_update<AddSignRule>),
    resource_update("ResourceApplyAddSign",
                    "var:resource, m:resource, lr:T, alpha:T, sign_decay:T, beta:T, grad:T",
                    "T:type{numbers}; use_locking:bool=false", prepare_update<AddSignRule>),
    update("ApplyPowerSign", "var:ref T, m:ref T, lr:T, logbase:T, sign_decay:T, beta:T, grad:T",
           "T:type{numbers}; use_locking:bool=false", prepare_update<PowerSignRule>),
    resource_update("ResourceApplyPowerSign",
                    "var:resource, m:resource, lr:T, logbase:T, sign_decay:T, beta:T, grad:T",
                    "T:type{numbers}; use_locking:bool=false", prepare_update<PowerSignRule>),
    resource_update("ResourceApplyAdamWithAmsgrad",
                    "var:resource, m:resource, v:resource, vhat:resource, beta1_power:T, beta2_power:T, "
                    "lr:T, beta1:T, beta2:T, epsilon:T, grad:T",
                    "T:type{numbers}; use_locking:bool=false", prepare_update<AmsgradRule>),
};

}  // namespace

void register_training_ops(OpTable& table) {
  for (const OpRow& row : kTrainingOps) table.add(row);
}

}  // namespace flowray::ops
