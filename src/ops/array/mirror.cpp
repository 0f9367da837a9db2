// MirrorPad and MirrorPadGrad: edges that reflect what is inside; ReverseSequence: the first elements of each
// row turned around.

#include "core/checked_size.h"
#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/element_types.h"
#include "ops/elements/element_words.h"
#include "ops/elements/integer_reader.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/elements/shape_merging.h"
#include "ops/elements/shape_parts.h"

#include <fmt/format.h>

#include <numeric>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- MirrorPad, MirrorPadGrad

/// Reflecting leaves the outermost element out, symmetric repeats it.
int64_t reflected_from(const graph::Attrs& attrs) {
  return attrs.get<std::string>("mode") == "REFLECT" ? 1 : 0;
}

/// The size of a dimension with its edges, or without them (of_gradient).
int64_t mirrored_size(int64_t before, int64_t after, int64_t dim, int64_t offset, bool of_gradient) {
  if (before < 0 || after < 0) {
    ShapeContext::fail(of_gradient ? fmt::format("Paddings must be non-negative: {}, {}", before, after)
                                   : fmt::format("paddings must be non-negative: {} {}", before, after));
  }
  const int64_t edges = checked(before) + after;
  if (of_gradient && edges >= dim) {
    ShapeContext::fail(fmt::format(
        "Total paddings must be less than the input dimension size: {} was not less than {}", edges, dim));
  }
  const int64_t size = of_gradient ? dim - edges : dim;  // of what is mirrored
  if (before > size - offset || after > size - offset) {
    ShapeContext::fail(fmt::format("paddings must be {} the {}dimension size: {}, {} {} {}",
                                   offset == 1 ? "less than" : "no greater than",
                                   of_gradient ? "output " : "", before, after,
                                   offset == 1 ? "not less than" : "greater than", size));
  }
  return of_gradient ? size : checked(size) + edges;
}

void check_running_paddings(const ShapeContext& context, bool of_gradient) {
  const Shape& paddings = context.input(1);
  if (paddings.rank() != 2 || paddings.dim(1) != 2)
    ShapeContext::fail("paddings must be a matrix with 2 columns: " + paddings.to_string());
  if (paddings.dim(0) != context.input(0).rank()) {
    ShapeContext::fail(fmt::format("The first dimension of paddings must be the rank of inputs{}{} {}",
                                   paddings.to_string(), of_gradient ? "" : ",",
                                   context.input(0).to_string()));
  }
}

/// The padded size of each dimension (kGrows), or what it was before.
template <bool kGrows>
void mirror_shape(ShapeContext& context) {
  if (context.running()) check_running_paddings(context, !kGrows);
  const Shape paddings_shape = context.with_rank(1, 2);
  ShapeContext::merge_dim(paddings_shape.dim(1), 2);
  Shape shape = context.input(0);
  if (paddings_shape.dim(0) >= 0) shape = context.with_rank(0, paddings_shape.dim(0));
  if (!shape.has_rank()) return;
  if (!context.running() && context.value(1) == nullptr)
    return context.set_output(0, Shape::of_rank(shape.rank()));
  const std::vector<int64_t> paddings = context.integers(1);
  const int64_t offset = reflected_from(context.attrs());
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) < 0) continue;
    const int64_t before = paddings[static_cast<size_t>(2 * i)];
    const int64_t after = paddings[static_cast<size_t>(2 * i) + 1];
    shape.set_dim(i, mirrored_size(before, after, shape.dim(i), offset, !kGrows));
  }
  context.set_output(0, shape);
}

/// For each dimension, where in the small array each element of the large one comes from, times the stride.
std::vector<std::vector<int64_t>> mirrored_offsets(const Shape& small, const Shape& large,
                                                   const std::vector<int64_t>& paddings, int64_t offset) {
  const std::vector<int64_t> strides = dense_strides(small);
  std::vector<std::vector<int64_t>> offsets;
  for (int i = 0; i < small.rank(); ++i) {
    std::vector<int64_t> of_dim(static_cast<size_t>(large.dim(i)));
    for (int64_t k = 0; k < large.dim(i); ++k) {
      int64_t from = k - paddings[static_cast<size_t>(2 * i)];
      if (from < 0) from = -from - 1 + offset;
      if (from >= small.dim(i)) from = 2 * small.dim(i) - 1 - offset - from;
      of_dim[static_cast<size_t>(k)] = from * strides[static_cast<size_t>(i)];
    }
    offsets.push_back(std::move(of_dim));
  }
  return offsets;
}

/// visit(element of the large array, element of the small one) for all of the large one, in order.
template <class Visit>
void for_mirrored(const std::vector<std::vector<int64_t>>& offsets, size_t dim, int64_t& large, int64_t small,
                  const Visit& visit) {
  if (dim == offsets.size()) return visit(large++, small);
  for (const int64_t offset : offsets[dim]) for_mirrored(offsets, dim + 1, large, small + offset, visit);
}

std::unique_ptr<Kernel> prepare_mirror_pad(PrepareContext& context) {
  if (context.output_shape(0).num_elements() == 0) return make_kernel([](const KernelCall&) {});
  const auto offsets = mirrored_offsets(context.input_shape(0), context.output_shape(0), context.integers(1),
                                        reflected_from(context.attrs()));
  std::unique_ptr<Kernel> kernel;
  const bool movable = dispatch_words(context.input_dtype(0), [&]<class W>() {
    kernel = make_kernel([offsets](const KernelCall& call) {
      const W* const in = call.in<W>(0);
      W* const out = call.out<W>(0);
      int64_t next = 0;
      for_mirrored(offsets, 0, next, 0, [&](int64_t large, int64_t small) { out[large] = in[small]; });
    });
  });
  if (!movable) context.no_kernel_for(context.input_dtype(0));
  return kernel;
}

/// The edges of one dimension folded back onto what they mirror: [outer, before + size + after, inner]
/// becomes [outer, size, inner].
struct Fold {
  int64_t outer, before, size, after, inner, offset;

  int64_t folded() const { return outer * size * inner; }

  template <class T>
  void run(const T* in, T* out) const {
    for (int64_t o = 0; o < outer; ++o, in += (before + size + after) * inner, out += size * inner) {
      std::copy_n(in + before * inner, size * inner, out);
      for (int64_t i = 0; i < before; ++i) add(in + i * inner, out + (before - 1 - i + offset) * inner);
      for (int64_t i = 0; i < after; ++i)
        add(in + (before + size + i) * inner, out + (size - 1 - i - offset) * inner);
    }
  }

  template <class T>
  void add(const T* from, T* to) const {
    for (int64_t k = 0; k < inner; ++k) to[k] = wrapping_add(to[k], from[k]);
  }
};

std::vector<Fold> folds(const Shape& large, const std::vector<int64_t>& paddings, int64_t offset) {
  std::vector<Fold> found;
  Shape shape = large;
  for (int i = 0; i < large.rank(); ++i) {
    const int64_t before = paddings[static_cast<size_t>(2 * i)];
    const int64_t after = paddings[static_cast<size_t>(2 * i) + 1];
    const int64_t size = large.dim(i) - before - after;
    found.push_back({elements_between(shape, 0, i), before, size, after,
                     elements_between(shape, i + 1, shape.rank()), offset});
    shape.set_dim(i, size);
  }
  return found;
}

/// One dimension after the other, as TensorFlow adds up.
std::unique_ptr<Kernel> prepare_mirror_pad_grad(PrepareContext& context) {
  const std::vector<Fold> steps =
      folds(context.input_shape(0), context.integers(1), reflected_from(context.attrs()));
  return kernel_for_dtype<AllNumberTypes>(context, context.input_dtype(0), [&]<class T>() {
    return make_kernel([steps, count = context.output_shape(0).num_elements()](const KernelCall& call) {
      std::vector<T> last(call.in<T>(0), call.in<T>(0) + (steps.empty() ? count : 0));
      const T* from = call.in<T>(0);
      for (const Fold& fold : steps) {
        std::vector<T> folded(static_cast<size_t>(fold.folded()));
        fold.run(from, folded.data());
        last = std::move(folded);
        from = last.data();
      }
      std::copy_n(last.data(), count, call.out<T>(0));
    });
  });
}

std::vector<Endpoint> mirrored_gradient(GradientContext& g, std::string_view op) {
  return {g.op(op, {g.grad(), g.input(1)}, {{"mode", g.attrs().get<std::string>("mode")}}), {}};
}

// ---- ReverseSequence

struct SequenceDims {
  int64_t sequence;
  int64_t batch;

  explicit SequenceDims(const graph::Attrs& attrs)
      : sequence(attrs.get<int64_t>("seq_dim")), batch(attrs.get<int64_t>("batch_dim")) {}
};

void reverse_sequence_shape(ShapeContext& context) {
  const SequenceDims dims(context.attrs());
  const Shape& input = context.input(0);
  if (context.running() && context.input(1).rank() != 1)
    ShapeContext::fail(fmt::format("seq_lengths must be 1-dim, not {}", context.input(1).rank()));
  const Shape lengths = context.with_rank(1, 1);
  if (dims.sequence == dims.batch)
    ShapeContext::fail("batch_dim == seq_dim == " + std::to_string(dims.batch));
  if (!input.has_rank()) return;
  if (dims.batch < 0 || dims.batch >= input.rank()) {
    ShapeContext::fail(
        context.running()
            ? fmt::format("batch_dim must be < input rank ({} vs. {})", dims.batch, input.rank())
            : fmt::format("batch_dim must be < input rank: {} vs. {}", dims.batch, input.rank()));
  }
  if (dims.sequence < 0 || dims.sequence >= input.rank()) {
    ShapeContext::fail(
        context.running()
            ? fmt::format("seq_dim must be < input rank ( {} vs. {})", dims.sequence, input.rank())
            : fmt::format("seq_dim must be < input rank: {} vs. {}", dims.sequence, input.rank()));
  }
  const int batch = static_cast<int>(dims.batch);
  if (context.running() && lengths.dim(0) != input.dim(batch)) {
    ShapeContext::fail(fmt::format("Length of seq_lengths != input.dims({}), ({} vs. {})", batch,
                                   lengths.dim(0), input.dim(batch)));
  }
  Shape out = input;
  out.set_dim(batch, ShapeContext::merge_dim(input.dim(batch), lengths.dim(0)));
  context.set_output(0, out);
}

/// The input as [outer, first, middle, second, inner], where first and second are the batch and the sequence.
struct Sequences {
  int64_t outer;
  int64_t first;
  int64_t middle;
  int64_t second;
  int64_t inner;
  bool batch_first;
  bool is_empty;
  SequenceDims dims;

  Sequences(const Shape& shape, const SequenceDims& at)
      : batch_first(at.batch < at.sequence), is_empty(shape.num_elements() == 0), dims(at) {
    const int low = static_cast<int>(std::min(at.batch, at.sequence));
    const int high = static_cast<int>(std::max(at.batch, at.sequence));
    outer = elements_between(shape, 0, low);
    first = shape.dim(low);
    middle = elements_between(shape, low + 1, high);
    second = shape.dim(high);
    inner = elements_between(shape, high + 1, shape.rank());
  }

  int64_t batches() const { return batch_first ? first : second; }
  int64_t length() const { return batch_first ? second : first; }

  void check(const IntegerReader& lengths) const {
    for (int64_t i = 0; i < batches(); ++i) {
      if (lengths[i] < 0) throw errors::InvalidArgumentError(fmt::format("seq_lens({}) < 0", i));
      if (lengths[i] > length()) {
        throw errors::InvalidArgumentError(fmt::format("seq_lens({}) > input.dims({})", i, dims.sequence));
      }
    }
  }

  template <class W>
  void run(const W* in, const IntegerReader& lengths, W* out) const {
    if (is_empty) return;  // there may be any number of rows in it
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < first; ++i) {
        for (int64_t m = 0; m < middle; ++m) {
          for (int64_t k = 0; k < second; ++k, out += inner) {
            const int64_t used = lengths[batch_first ? i : k];
            const int64_t at = batch_first ? k : i;
            const int64_t from = at < used ? used - 1 - at : at;
            const int64_t a = batch_first ? i : from;
            const int64_t b = batch_first ? from : k;
            copy_words(in + (((o * first + a) * middle + m) * second + b) * inner, out, inner);
          }
        }
      }
    }
  }
};

std::unique_ptr<Kernel> prepare_reverse_sequence(PrepareContext& context) {
  const Sequences sequences(context.input_shape(0), SequenceDims(context.attrs()));
  std::unique_ptr<Kernel> kernel;
  const bool movable = dispatch_words(context.input_dtype(0), [&]<class W>() {
    kernel = make_kernel([sequences, lengths_dtype = context.input_dtype(1)](const KernelCall& call) {
      const IntegerReader lengths{call.in<void>(1), lengths_dtype};
      sequences.check(lengths);
      sequences.run(call.in<W>(0), lengths, call.out<W>(0));
    });
  });
  if (!movable) context.no_kernel_for(context.input_dtype(0));
  return kernel;
}

std::vector<Endpoint> reverse_sequence_gradient(GradientContext& g) {
  const SequenceDims dims(g.attrs());
  return {g.op("ReverseSequence", {g.grad(), g.input(1)},
               {{"seq_dim", dims.sequence}, {"batch_dim", dims.batch}}),
          {}};
}

constexpr std::string_view kMirrorAttrs =
    "T:type; Tpaddings:type=int32{indices}; mode:string{[REFLECT,SYMMETRIC]}";

constexpr graph::OpRow kMirrorOps[] = {
    {.name = "MirrorPad",
     .inputs = "input:T, paddings:Tpaddings",
     .outputs = "output:T",
     .attrs = kMirrorAttrs,
     .shape = mirror_shape<true>,
     .gradient = [](GradientContext& g) { return mirrored_gradient(g, "MirrorPadGrad"); },
     .prepare = prepare_mirror_pad},
    {.name = "MirrorPadGrad",
     .inputs = "input:T, paddings:Tpaddings",
     .outputs = "output:T",
     .attrs = kMirrorAttrs,
     .shape = mirror_shape<false>,
     .gradient = [](GradientContext& g) { return mirrored_gradient(g, "MirrorPad"); },
     .prepare = prepare_mirror_pad_grad},
    {.name = "ReverseSequence",
     .inputs = "input:T, seq_lengths:Tlen",
     .outputs = "output:T",
     .attrs = "seq_dim:int; batch_dim:int=0; T:type; Tlen:type=int64{indices}",
     .shape = reverse_sequence_shape,
     .gradient = reverse_sequence_gradient,
     .prepare = prepare_reverse_sequence},
};

}  // namespace

void register_mirror_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kMirrorOps) table.add(row);
}

}  // namespace flowray::ops
