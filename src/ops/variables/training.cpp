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

// ---- the ops

/// Which ops an optimizer has: Apply... takes variables by reference, ResourceApply... by handle;
/// SparseApply... and ResourceSparseApply... update the rows that `indices` name.
enum class Forms { kDense, kDenseAndSparse, kResourceApplyOnly };

struct Optimizer {
  std::string_view name;  ///< "Momentum", of ApplyMomentum
  Forms forms = Forms::kDense;
  std::string_view variables;  ///< "var, accum"
  std::string_view inputs;     ///< Those that follow: "lr:T, grad:T, momentum:T"
  std::string_view option;     ///< An attribute that not all have: "use_nesterov:bool=false"
  graph::PrepareFunction prepare = nullptr;
  graph::PrepareFunction prepare_sparse = nullptr;
};

template <template <class> class Rule, class Types = FloatTypes>
constexpr Optimizer dense(std::string_view name, std::string_view variables, std::string_view inputs,
                          std::string_view option = "") {
  return {.name = name,
          .variables = variables,
          .inputs = inputs,
          .option = option,
          .prepare = prepare_update<Rule, Types>};
}

template <template <class> class Rule, class Types = FloatTypes>
constexpr Optimizer dense_and_sparse(std::string_view name, std::string_view variables,
                                     std::string_view inputs, std::string_view option = "") {
  Optimizer optimizer = dense<Rule, Types>(name, variables, inputs, option);
  optimizer.forms = Forms::kDenseAndSparse;
  optimizer.prepare_sparse = prepare_sparse_update<Rule, Types>;
  return optimizer;
}

constexpr Optimizer kOptimizers[] = {
    dense<GradientDescentRule, FloatAndComplex>("GradientDescent", "var", "alpha:T, delta:T"),
    dense_and_sparse<MomentumRule, FloatAndComplex>("Momentum", "var, accum", "lr:T, grad:T, momentum:T",
                                                    "use_nesterov:bool=false"),
    dense<AdamRule, FloatAndComplex>(
        "Adam", "var, m, v", "beta1_power:T, beta2_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T",
        "use_nesterov:bool=false"),
    {.name = "AdamWithAmsgrad",
     .forms = Forms::kResourceApplyOnly,
     .variables = "var, m, v, vhat",
     .inputs = "beta1_power:T, beta2_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T",
     .prepare = prepare_update<AmsgradRule>},
    dense<AdaMaxRule>("AdaMax", "var, m, v", "beta1_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T"),
    dense<AddSignRule>("AddSign", "var, m", "lr:T, alpha:T, sign_decay:T, beta:T, grad:T"),
    dense<PowerSignRule>("PowerSign", "var, m", "lr:T, logbase:T, sign_decay:T, beta:T, grad:T"),
    dense_and_sparse<AdagradRule, FloatAndComplex>("Adagrad", "var, accum", "lr:T, grad:T",
                                                   "update_slots:bool=true"),
    dense_and_sparse<AdagradV2Rule, FloatAndComplex>("AdagradV2", "var, accum", "lr:T, epsilon:T, grad:T",
                                                     "update_slots:bool=true"),
    dense_and_sparse<AdagradDaRule>("AdagradDA", "var, gradient_accumulator, gradient_squared_accumulator",
                                    "grad:T, lr:T, l1:T, l2:T, global_step:int64"),
    dense_and_sparse<AdadeltaRule, FloatAndComplex>("Adadelta", "var, accum, accum_update",
                                                    "lr:T, rho:T, epsilon:T, grad:T"),
    dense_and_sparse<RmsPropRule, FloatAndComplex>("RMSProp", "var, ms, mom",
                                                   "lr:T, rho:T, momentum:T, epsilon:T, grad:T"),
    dense_and_sparse<CenteredRmsPropRule, FloatAndComplex>("CenteredRMSProp", "var, mg, ms, mom",
                                                           "lr:T, rho:T, momentum:T, epsilon:T, grad:T"),
    dense_and_sparse<ProximalGradientDescentRule>("ProximalGradientDescent", "var",
                                                  "alpha:T, l1:T, l2:T, delta:T"),
    dense_and_sparse<ProximalAdagradRule>("ProximalAdagrad", "var, accum", "lr:T, l1:T, l2:T, grad:T"),
    dense_and_sparse<FtrlRule>("Ftrl", "var, accum, linear", "grad:T, lr:T, l1:T, l2:T, lr_power:T",
                               "multiply_linear_by_lr:bool=false"),
    dense_and_sparse<FtrlV2Rule>("FtrlV2", "var, accum, linear",
                                 "grad:T, lr:T, l1:T, l2:T, l2_shrinkage:T, lr_power:T",
                                 "multiply_linear_by_lr:bool=false"),
};

/// A text that is put together while compiling.
template <size_t kMostChars>
class BuiltText {
 public:
  constexpr void add(std::string_view part) {
    for (const char c : part) text_.at(size_++) = c;
  }
  constexpr std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, kMostChars> text_{};
  size_t size_ = 0;
};

/// One op of an optimizer.
struct Form {
  const Optimizer* optimizer = nullptr;
  bool is_resource = false;
  bool is_sparse = false;
  BuiltText<48> name;
  BuiltText<160> inputs;
  BuiltText<120> attrs;
};

constexpr void add_inputs(Form& form) {
  for (std::string_view rest = form.optimizer->variables; !rest.empty();) {
    const std::string_view variable = rest.substr(0, rest.find(", "));
    rest.remove_prefix(std::min(rest.size(), variable.size() + 2));
    form.inputs.add(variable);
    form.inputs.add(form.is_resource ? ":resource, " : ":ref T, ");
  }
  const std::string_view inputs = form.optimizer->inputs;
  if (!form.is_sparse) return form.inputs.add(inputs);
  const std::string_view gradient = inputs.find("delta:T") == std::string_view::npos ? "grad:T" : "delta:T";
  const size_t at = inputs.find(gradient);
  form.inputs.add(inputs.substr(0, at));
  form.inputs.add("grad:T, indices:Tindices");
  form.inputs.add(inputs.substr(at + gradient.size()));
}

constexpr Form form_of(const Optimizer& optimizer, bool is_resource, bool is_sparse) {
  Form form{.optimizer = &optimizer, .is_resource = is_resource, .is_sparse = is_sparse};
  form.name.add(is_resource ? "Resource" : "");
  form.name.add(is_sparse ? "SparseApply" : "Apply");
  form.name.add(optimizer.name);
  add_inputs(form);
  form.attrs.add(is_sparse ? "Tindices:type{indices}; " : "");
  form.attrs.add("T:type{numbers}; use_locking:bool=false");
  form.attrs.add(optimizer.option.empty() ? "" : "; ");
  form.attrs.add(optimizer.option);
  return form;
}

constexpr size_t num_forms(const Optimizer& optimizer) {
  if (optimizer.forms == Forms::kResourceApplyOnly) return 1;
  return optimizer.forms == Forms::kDense ? 2 : 4;
}

constexpr size_t kNumOps = [] {
  size_t count = 0;
  for (const Optimizer& optimizer : kOptimizers) count += num_forms(optimizer);
  return count;
}();

constexpr auto kForms = [] {
  std::array<Form, kNumOps> forms;
  size_t count = 0;
  for (const Optimizer& optimizer : kOptimizers) {
    if (optimizer.forms != Forms::kResourceApplyOnly) forms[count++] = form_of(optimizer, false, false);
    forms[count++] = form_of(optimizer, true, false);
    if (optimizer.forms != Forms::kDenseAndSparse) continue;
    forms[count++] = form_of(optimizer, false, true);
    forms[count++] = form_of(optimizer, true, true);
  }
  return forms;
}();

constexpr auto kTrainingOps = [] {
  std::array<OpRow, kNumOps> rows;
  for (size_t i = 0; i < kNumOps; ++i) {
    const Form& form = kForms[i];
    rows[i] = {.name = form.name.view(),
               .inputs = form.inputs.view(),
               .outputs = form.is_resource ? "" : "out:ref T",  // the variable itself
               .attrs = form.attrs.view(),
               .stateful = form.is_resource,
               .shape = form.is_sparse ? sparse_update_shape : update_shape,
               .prepare = form.is_sparse ? form.optimizer->prepare_sparse : form.optimizer->prepare};
  }
  return rows;
}();

}  // namespace

void register_training_ops(OpTable& table) {
  for (const OpRow& row : kTrainingOps) table.add(row);
}

}  // namespace flowray::ops
