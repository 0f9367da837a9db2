// AddN: the sum of tensors of one shape.

#include "graph/gradient_context.h"
#include "graph/node_in_text.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_words.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/elements/shape_merging.h"
#include "ops/elements/tensor_list.h"
#include "ops/math/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace flowray::ops {

using graph::KernelCall;
using graph::OpTable;
using graph::PrepareContext;
using graph::ShapeContext;

namespace {

void check_running_shapes(ShapeContext& context) {
  for (int i = 1; i < context.num_inputs(); ++i) {
    if (context.input(0) == context.input(i)) continue;
    ShapeContext::fail(fmt::format(
        "Inputs to operation {} of type AddN must have the same size and shape.  Input 0: {} != input {}: {}",
        graph::kNodeInText, context.input(0).to_string(), i, context.input(i).to_string()));
  }
}

void add_n_shape(ShapeContext& context) {
  if (context.running()) check_running_shapes(context);
  // From the last one backwards, as TensorFlow merges them: its message tells where it stood.
  Shape merged = context.input(context.num_inputs() - 1);
  for (int i = context.num_inputs() - 2; i >= 0; --i) {
    try {
      merged = merge_shapes(context.input(i), merged);
    } catch (const errors::InvalidArgumentError& error) {
      ShapeContext::fail(fmt::format("{}\n\tFrom merging shape {} with other shapes.", error.message(), i));
    }
  }
  context.set_output(0, merged);
}

std::vector<graph::Endpoint> add_n_gradient(graph::GradientContext& g) {
  return std::vector<graph::Endpoint>(static_cast<size_t>(g.num_inputs()), g.grad());
}

/// Sums in pieces that stay in the first cache. A piece is written only after all inputs were read there, so
/// the output may be any of them.
struct Summation {
  static constexpr int64_t kPieceBytes = 8192;

  int inputs;
  size_t element_bytes;
  BinaryLoop add;

  void run(const KernelCall& call, int64_t begin, int64_t end) const {
    add_pieces_of([&](int k) { return advance(call.in<char>(k), begin, element_bytes); },
                  call.out<char>(0) + begin * static_cast<int64_t>(element_bytes), end - begin);
  }

  void add_pieces(const void* const* in, void* out, int64_t size) const {
    add_pieces_of([&](int k) { return static_cast<const char*>(in[k]); }, static_cast<char*>(out), size);
  }

 private:
  /// `input(k)`: where input k begins.
  template <class Input>
  void add_pieces_of(Input input, char* output, int64_t size) const {
    alignas(64) char sum[kPieceBytes];
    const int64_t piece = kPieceBytes / static_cast<int64_t>(element_bytes);
    for (int64_t i = 0; i < size; i += piece) {
      const int64_t count = std::min(piece, size - i);
      void* out = advance(output, i, element_bytes);
      const void* so_far = advance(input(0), i, element_bytes);
      for (int k = 1; k < inputs; ++k) {
        void* to = k + 1 == inputs ? out : sum;
        add(so_far, advance(input(k), i, element_bytes), to, count);
        so_far = to;
      }
      if (inputs == 1 && out != so_far) std::memcpy(out, so_far, static_cast<size_t>(count) * element_bytes);
    }
  }
};

/// The sum of lists, which shows in the run only.
std::unique_ptr<graph::Kernel> prepare_add_variants(const PrepareContext& context) {
  if (context.input_value(0) == nullptr) throw graph::UnknownValue("What is in a variant shows in the run");
  return graph::make_kernel([inputs = context.num_inputs()](const KernelCall& call) {
    Array sum = *call.in<Array>(0);
    for (int i = 1; i < inputs; ++i) sum = add_variants(sum, *call.in<Array>(i));
    *call.out<Array>(0) = std::move(sum);
  });
}

std::unique_ptr<graph::Kernel> prepare_add_n(PrepareContext& context) {
  const DType dtype = context.input_dtype(0);
  if (dtype == DType::kVariant) return prepare_add_variants(context);
  const Summation sum = {context.num_inputs(), dtype_size(dtype),
                         math_loops(cpu_level()).find(BinaryFunction::kAdd, dtype).both};
  if (sum.add == nullptr) context.no_kernel_for(dtype);
  const int64_t count = context.output_shape(0).num_elements();
  const int64_t share = std::max<int64_t>(1, 2 * elements_per_worker(BinaryFunction::kAdd) / sum.inputs);
  auto elementwise = sum.inputs > 1 ? elementwise_walks(context, share) : std::nullopt;
  if (elementwise) {
    elementwise->typed = reinterpret_cast<void (*)()>(sum.add);
    elementwise->any = [](const graph::ElementwiseLoop& self, const void* const* in, void* out,
                          int64_t number) {
      Summation{self.num_inputs, self.out_bytes, reinterpret_cast<BinaryLoop>(self.typed)}.add_pieces(in, out,
                                                                                                      number);
    };
  }
  return graph::make_kernel(
      [sum, count, share](const KernelCall& call) {
        for_elements(call.parallel(), count, share,
                     [&](int64_t begin, int64_t end) { sum.run(call, begin, end); });
      },
      {.in_place = in_place_pairs(context), .elementwise = elementwise});
}

constexpr graph::OpRow kAddNOps[] = {
    {.name = "AddN",
     .inputs = "inputs:N*T",
     .outputs = "sum:T",
     .attrs = "N:int>=1; T:type{[float32,float64,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
              "bfloat16,qint16,quint16,uint16,complex128,float16,uint32,uint64,variant]}",
     .elementwise = true,
     .shape = add_n_shape,
     .gradient = add_n_gradient,
     .prepare = prepare_add_n},
    {.name = "AccumulateNV2",
     .inputs = "inputs:N*T",
     .outputs = "sum:T",
     .attrs = "N:int>=1; T:type{numbers}; shape:shape",
     .elementwise = true,
     .shape = add_n_shape,
     .gradient = add_n_gradient,
     .prepare = prepare_add_n},
};

}  // namespace

void register_add_n_ops(OpTable& table) {
  for (const graph::OpRow& row : kAddNOps) table.add(row);
}

}  // namespace flowray::ops
