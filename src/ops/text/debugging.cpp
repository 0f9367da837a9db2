// Ops that look at values while a graph runs: Assert, Print, PrintV2, CheckNumerics.

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "files/file_contents.h"
#include "graph/gradient_context.h"
#include "graph/kernel/files_of_step.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/input_array.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/text/register.h"
#include "ops/text/value_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace flowray::ops {

using graph::DynamicCall;
using graph::KernelCall;
using graph::OpTable;
using graph::PrepareContext;
using graph::ShapeContext;

namespace {

/// "[1 2] [3]": of all inputs from `first` on.
std::string summaries(const DynamicCall& call, int first, std::string_view between) {
  const int most = checked_int32("Attr summarize", call.attrs().get<int64_t>("summarize"));
  std::string text;
  for (int i = first; i < call.num_inputs(); ++i) {
    text += fmt::format("{}[{}]", i == first ? "" : between, value_summary(call.in(i), most));
  }
  return text;
}

void assert_true(DynamicCall& call) {
  const Array& condition = call.in(0);
  if (condition.rank() != 0) {
    throw errors::InvalidArgumentError(
        fmt::format("In[0] should be a scalar: {}", condition.shape().to_string()));
  }
  if (condition.item<bool>()) return;
  throw errors::InvalidArgumentError(fmt::format("assertion failed: {}", summaries(call, 1, " ")));
}

void print_line(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

/// How often a Print has printed in its session.
class Prints final : public graph::NodeState {
 public:
  /// Whether it may do so once more.
  bool take_one(int64_t most) { return most < 0 || done_.fetch_add(1, std::memory_order_relaxed) < most; }

 private:
  std::atomic<int64_t> done_{0};
};

void pass_on(const KernelCall& call, DType dtype, int64_t count) {
  if (dtype == DType::kString) {
    std::copy_n(call.in<std::string>(0), count, call.out<std::string>(0));
  } else if (count > 0 && call.in<void>(0) != call.out<void>(0)) {
    std::memcpy(call.out<void>(0), call.in<void>(0), static_cast<size_t>(count) * dtype_size(dtype));
  }
}

std::unique_ptr<graph::Kernel> prepare_print(PrepareContext& context) {
  std::vector<std::pair<DType, Shape>> inputs;
  for (int i = 0; i < context.num_inputs(); ++i)
    inputs.emplace_back(context.input_dtype(i), context.input_shape(i));
  return graph::make_kernel(
      [inputs, message = context.attrs().get<std::string>("message"),
       most = checked_int32("Attr summarize", context.attrs().get<int64_t>("summarize")),
       first_n = context.attrs().get<int64_t>("first_n"),
       prints = context.state<Prints>([] { return std::make_shared<Prints>(); })](const KernelCall& call) {
        if (prints->take_one(first_n)) {
          std::string text = message;
          for (size_t i = 1; i < inputs.size(); ++i) {
            const auto& [dtype, shape] = inputs[i];
            text += fmt::format("[{}]",
                                value_summary(input_array(call, static_cast<int>(i), dtype, shape), most));
          }
          print_line(text + "\n");
        }
        pass_on(call, inputs[0].first, inputs[0].second.num_elements());
      });
}

/// To stdout, stderr, a log (stderr, too) or the end of a file.
void print_v2(DynamicCall& call) {
  if (call.in(0).rank() != 0) {
    throw errors::InvalidArgumentError(
        fmt::format("Input is expected to be scalar, but got {}", call.in(0).shape().to_string()));
  }
  const std::string text = *call.in(0).data<std::string>() + call.attrs().get<std::string>("end");
  const auto& stream = call.attrs().get<std::string>("output_stream");
  if (stream.starts_with("file://")) {
    files::append_to_file(stream.substr(7), text, graph::files_of_step());
  } else if (stream == "stdout") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  } else if (stream == "stderr" || stream.starts_with("log(")) {
    print_line(text);
  } else {
    throw errors::InvalidArgumentError(
        fmt::format("Unknown output stream: {}\nKnown are stdout, stderr, log(info), log(warning), "
                    "log(error) and file://PATH.",
                    stream));
  }
}

void print_v2_shape(ShapeContext& context) { context.with_rank(0, 0); }

/// What there is of numbers that are not finite.
struct NotFinite {
  bool nan = false;
  bool above = false;
  bool below = false;

  /// The words of the op's first version, or of the second, which tells infinities apart.
  std::string text(bool second) const {
    std::vector<std::string> parts;
    if (second && below) parts.emplace_back("-Inf");
    if (second && above) parts.emplace_back("+Inf");
    if (!second && (below || above)) parts.emplace_back("Inf");
    if (nan) parts.emplace_back("NaN");
    if (parts.size() == 3) return fmt::format("{}, {}, and {}", parts[0], parts[1], parts[2]);
    return fmt::format("{}", fmt::join(parts, " and "));
  }
};

template <class T>
std::unique_ptr<graph::Kernel> make_check_numerics(PrepareContext& context) {
  const int64_t count = context.input_shape(0).num_elements();
  const auto run = [count, second = context.schema().name == "CheckNumericsV2",
                    message = context.attrs().get<std::string>("message")](const KernelCall& call) {
    NotFinite found;
    const T* x = call.in<T>(0);
    for (int64_t i = 0; i < count; ++i) {
      found.nan |= std::isnan(x[i]);
      found.above |= std::isinf(x[i]) && x[i] > 0;
      found.below |= std::isinf(x[i]) && x[i] < 0;
    }
    if (found.nan || found.above || found.below) {
      throw errors::InvalidArgumentError(
          fmt::format("{} : Tensor had {} values", message, found.text(second)));
    }
    pass_on(call, kDTypeOf<T>, count);
  };
  return graph::make_kernel(run, {.in_place = {{0, 0}}});
}

std::unique_ptr<graph::Kernel> prepare_check_numerics(PrepareContext& context) {
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0),
                                      [&]<class T>() { return make_check_numerics<T>(context); });
}

template <bool kSecond>
std::vector<graph::Endpoint> check_numerics_gradient(graph::GradientContext& g) {
  constexpr const char* kOp = kSecond ? "CheckNumericsV2" : "CheckNumerics";
  const auto& message = g.attrs().get<std::string>("message");
  // Python prints the second one's as bytes.
  return {g.op(kOp, {g.grad()},
               {{"message", "Not a number (NaN) or infinity (Inf) values detected in gradient. " +
                                (kSecond ? "b'" + message + "'" : message)}},
               kOp)};
}

void timestamp(DynamicCall& call) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  call.set_out(0, Array(std::chrono::duration<double>(now).count()));
}

constexpr graph::OpRow check_row(std::string_view name, graph::GradientFunction gradient) {
  return {.name = name,
          .inputs = "tensor:T",
          .outputs = "output:T",
          .attrs = "T:type{floats}; message:string",
          .stateful = true,
          .shape = graph::unchanged_shape,
          .gradient = gradient,
          .prepare = prepare_check_numerics};
}

constexpr graph::OpRow kDebuggingOps[] = {
    {.name = "Assert",
     .inputs = "condition:bool, data:[T]",
     .attrs = "T:list(type)>=1; summarize:int=3",
     .stateful = true,
     .shape = graph::no_outputs,
     .not_differentiable = true,
     .compute = assert_true},
    {.name = "Print",
     .inputs = "input:T, data:[U]",
     .outputs = "output:T",
     .attrs = "T:type; U:list(type); message:string=\"\"; first_n:int=-1; summarize:int=3",
     .stateful = true,
     .shape = graph::unchanged_shape,
     .gradient =
         [](graph::GradientContext& g) {
           std::vector<graph::Endpoint> grads(static_cast<size_t>(g.num_inputs()));
           grads[0] = g.grad();
           return grads;
         },
     .prepare = prepare_print},
    {.name = "PrintV2",
     .inputs = "input:string",
     .attrs = "output_stream:string=\"stderr\"; end:string=\"\\n\"",
     .stateful = true,
     .shape = print_v2_shape,
     .not_differentiable = true,
     .compute = print_v2},
    check_row("CheckNumerics", check_numerics_gradient<false>),
    check_row("CheckNumericsV2", check_numerics_gradient<true>),
    {.name = "Timestamp",
     .outputs = "ts:float64",
     .stateful = true,
     .shape = graph::scalar_shape,
     .not_differentiable = true,
     .compute = timestamp},
};

}  // namespace

void register_debugging_ops(OpTable& table) {
  for (const graph::OpRow& row : kDebuggingOps) table.add(row);
}

}  // namespace flowray::ops
