// SpaceToBatchND, BatchToSpaceND: blocks of pixels moved into the batch and back; SpaceToDepth, DepthToSpace:
// into the channels and back.

#include "core/checked_size.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/fill_words.h"
#include "ops/elements/shape_parts.h"
#include "ops/elements/strided_copy.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::PrepareContext;
using graph::ShapeContext;

/// Unknown stays unknown.
int64_t multiplied(int64_t size, int64_t by) {
  return size < 0 ? size : static_cast<int64_t>(checked(size) * by);
}

// ---- SpaceToBatchND, BatchToSpaceND

/// What the inputs say of one op: the sizes of blocks, and how much is padded or cropped before and after
/// each dimension.
struct Blocks {
  std::vector<int64_t> sizes;
  std::vector<int64_t> edges;

  int rank() const { return static_cast<int>(sizes.size()); }
  int64_t size(int i) const { return sizes[static_cast<size_t>(i)]; }
  int64_t before(int i) const { return edges[static_cast<size_t>(2 * i)]; }
  int64_t after(int i) const { return edges[static_cast<size_t>(2 * i) + 1]; }
  int64_t product() const {
    int64_t all = 1;
    for (const int64_t size : sizes) all = checked(all) * size;
    return all;
  }
};

/// Checks what does not depend on the direction; whether both inputs are known.
bool read_blocks(ShapeContext& context, const char* edges, const char* running_edges, Blocks& blocks) {
  const Shape block_shape = context.with_rank(1, 1);
  const Shape edge_shape = context.with_rank(2, 2);
  const int64_t rank = ShapeContext::merge_dim(block_shape.dim(0), edge_shape.dim(0));
  ShapeContext::merge_dim(edge_shape.dim(1), 2);
  if (rank >= 0) context.with_rank_at_least(0, checked(rank) + 1);
  if (!context.running() && (context.value(1) == nullptr || context.value(2) == nullptr)) return false;
  blocks = {context.integers(1), context.integers(2)};
  for (int i = 0; i < blocks.rank(); ++i) {
    if (blocks.size(i) < 1 && context.running() && context.schema().name == "BatchToSpaceND")
      ShapeContext::fail(fmt::format("Product of block sizes must be positive, got {}", blocks.product()));
    if (blocks.size(i) < 1) {
      ShapeContext::fail(fmt::format("All values in block_shape must be positive, got value, {} at index {}.",
                                     blocks.size(i), i));
    }
    if (blocks.before(i) < 0 || blocks.after(i) < 0) {
      if (context.running()) ShapeContext::fail(fmt::format("{} must be non-negative", running_edges));
      ShapeContext::fail(fmt::format("All {} must be non-negative, got {} and {} for dimension {}", edges,
                                     blocks.before(i), blocks.after(i), i));
    }
  }
  return true;
}

/// What is known of the output where paddings or crops are not: the batch, of known blocks, and what no
/// block divides.
Shape partly_known(ShapeContext& context, const Shape& input, bool deals_out) {
  Shape shape = Shape::of_rank(input.rank());
  const Shape block_shape = context.input(1);
  if (!block_shape.has_rank() || block_shape.rank() != 1 || block_shape.dim(0) < 0) return shape;
  for (int64_t i = checked(block_shape.dim(0)) + 1; i < input.rank(); ++i)
    shape.set_dim(static_cast<int>(i), input.dim(static_cast<int>(i)));
  if (context.value(1) == nullptr || input.dim(0) < 0) return shape;
  int64_t product = 1;
  for (const int64_t size : context.integers(1)) {
    if (size < 1) ShapeContext::fail("block_shape must be positive");
    product = checked(product) * size;
  }
  if (deals_out) {
    shape.set_dim(0, multiplied(input.dim(0), product));
  } else if (input.dim(0) % product == 0) {
    shape.set_dim(0, input.dim(0) / product);
  }
  return shape;
}

void space_to_batch_shape(ShapeContext& context) {
  Blocks blocks;
  const bool known = read_blocks(context, "paddings", "Paddings", blocks);
  Shape shape = context.input(0);
  if (!shape.has_rank()) return;
  if (!known) return context.set_output(0, partly_known(context, shape, /*deals_out=*/true));
  if (shape.dim(0) >= 0) shape.set_dim(0, multiplied(shape.dim(0), blocks.product()));
  for (int i = 0; i < blocks.rank(); ++i) {
    if (shape.dim(i + 1) < 0) continue;
    const int64_t padded = checked(shape.dim(i + 1)) + blocks.before(i) + blocks.after(i);
    if (padded % blocks.size(i) != 0) {
      ShapeContext::fail(context.running()
                             ? fmt::format("padded_shape[{}]={} is not divisible by block_shape[{}]={}", i,
                                           padded, i, blocks.size(i))
                             : fmt::format("Dimension size must be evenly divisible by {} but is {}",
                                           blocks.size(i), padded));
    }
    shape.set_dim(i + 1, padded / blocks.size(i));
  }
  context.set_output(0, shape);
}

void batch_to_space_shape(ShapeContext& context) {
  Blocks blocks;
  const bool known = read_blocks(context, "crops", "Crops", blocks);
  Shape shape = context.input(0);
  if (!shape.has_rank()) return;
  if (!known) return context.set_output(0, partly_known(context, shape, /*deals_out=*/false));
  if (shape.dim(0) >= 0) {
    const int64_t product = blocks.product();
    if (shape.dim(0) % product != 0) {
      ShapeContext::fail(
          context.running()
              ? fmt::format("Input batch dimension ({}) is not divisible by product of block sizes ({})",
                            shape.dim(0), product)
              : fmt::format("Dimension size must be evenly divisible by {} but is {}", product,
                            shape.dim(0)));
    }
    shape.set_dim(0, shape.dim(0) / product);
  }
  for (int i = 0; i < blocks.rank(); ++i) {
    if (shape.dim(i + 1) < 0) continue;
    const int64_t cropped =
        checked(shape.dim(i + 1)) * blocks.size(i) - (checked(blocks.before(i)) + blocks.after(i));
    if (cropped < 0) {
      ShapeContext::fail(fmt::format("cropped_shape[{}]={} must be non-negative", i, cropped));
    }
    shape.set_dim(i + 1, cropped);
  }
  context.set_output(0, shape);
}

/// One place in a block: its pixels are a strided part of the space and a dense part of the batch.
struct BlockCopy {
  std::vector<StridedCopy::Dim> dims;  // in: the space, out: the batch
  int64_t space_offset = 0;
  int64_t batch_offset = 0;
};

/// Where in a block dimension `i` of the space has pixels at all: of a large block most places are padding.
std::vector<int64_t> used_offsets(const Blocks& blocks, const Shape& space, int i) {
  const int64_t size = blocks.size(i);
  std::vector<int64_t> offsets(static_cast<size_t>(std::min(size, space.dim(i + 1))));
  for (size_t k = 0; k < offsets.size(); ++k)
    offsets[k] = (blocks.before(i) % size + static_cast<int64_t>(k)) % size;
  return offsets;
}

/// The copy for the place at `offsets` in the blocks; empty loops where all of it is padding.
BlockCopy copy_of_place(const Blocks& blocks, const Shape& space, const Shape& batch,
                        const std::vector<int64_t>& offsets) {
  const std::vector<int64_t> space_strides = dense_strides(space);
  const std::vector<int64_t> batch_strides = dense_strides(batch);
  int64_t place = 0;
  for (int i = 0; i < blocks.rank(); ++i) place = place * blocks.size(i) + offsets[static_cast<size_t>(i)];
  BlockCopy copy;
  copy.batch_offset = place * space.dim(0) * batch_strides[0];
  copy.dims.push_back({space.dim(0), space_strides[0], batch_strides[0]});
  for (int i = 0; i < blocks.rank(); ++i) {
    const auto at = static_cast<size_t>(i);
    const int64_t size = blocks.size(i);
    const int64_t shift =
        blocks.before(i) - offsets[at];  // pixel o of the batch is pixel o * size - shift of the space
    const int64_t first = shift > 0 ? (shift - 1) / size + 1 : 0;
    const int64_t last = space.dim(i + 1) - 1 + shift < 0 ? -1 : (space.dim(i + 1) - 1 + shift) / size;
    const int64_t end = std::min(batch.dim(i + 1), last + 1);
    copy.dims.push_back(
        {std::max<int64_t>(0, end - first), size * space_strides[at + 1], batch_strides[at + 1]});
    copy.space_offset += (first * size - shift) * space_strides[at + 1];
    copy.batch_offset += first * batch_strides[at + 1];
  }
  for (int i = blocks.rank() + 1; i < space.rank(); ++i) {
    const auto at = static_cast<size_t>(i);
    copy.dims.push_back({space.dim(i), space_strides[at], batch_strides[at]});
  }
  return copy;
}

/// visit(offsets) for each place in the blocks where there are pixels.
template <class Visit>
void for_places(const Blocks& blocks, const Shape& space, const Visit& visit) {
  std::vector<std::vector<int64_t>> used;
  for (int i = 0; i < blocks.rank(); ++i) used.push_back(used_offsets(blocks, space, i));
  std::vector<size_t> at(used.size(), 0);
  std::vector<int64_t> offsets(used.size());
  for (;;) {
    for (size_t i = 0; i < used.size(); ++i) offsets[i] = used[i][at[i]];
    visit(offsets);
    size_t i = used.size();
    while (i > 0 && ++at[i - 1] == used[i - 1].size()) at[--i] = 0;
    if (i == 0) return;
  }
}

template <bool kToBatch>
std::unique_ptr<Kernel> prepare_blocks(PrepareContext& context) {
  const DType dtype = context.input_dtype(0);
  if (dtype_size(dtype) == 0) context.no_kernel_for(dtype);
  const Blocks blocks{context.integers(1), context.integers(2)};
  const Shape& space = kToBatch ? context.input_shape(0) : context.output_shape(0);
  const Shape& batch = kToBatch ? context.output_shape(0) : context.input_shape(0);
  std::vector<StridedCopy> copies;
  const auto add_copy = [&](const std::vector<int64_t>& offsets) {
    BlockCopy copy = copy_of_place(blocks, space, batch, offsets);
    if (std::any_of(copy.dims.begin(), copy.dims.end(), [](const auto& dim) { return dim.size == 0; }))
      return;
    if (!kToBatch) {
      for (StridedCopy::Dim& dim : copy.dims) std::swap(dim.in_stride, dim.out_stride);
      std::swap(copy.space_offset, copy.batch_offset);
    }
    copies.emplace_back(dtype, copy.dims, copy.space_offset, copy.batch_offset);
  };
  if (space.num_elements() > 0 && batch.num_elements() > 0) for_places(blocks, space, add_copy);
  return make_kernel([copies, zero = Array(dtype, Shape()),
                      count = context.output_shape(0).num_elements()](const KernelCall& call) {
    if (kToBatch) fill_words(zero.dtype(), zero.raw_data(), call.out<void>(0), count, call.parallel());
    for (const StridedCopy& copy : copies) copy.run(call.in<void>(0), call.out<void>(0), call.parallel());
  });
}

// ---- SpaceToDepth, DepthToSpace

struct ImageDims {
  int channel;
  int row;
  int column;
};

ImageDims image_dims(const graph::Attrs& attrs) {
  const std::string format = attrs.get<std::string>("data_format");
  if (format == "NHWC") return {3, 1, 2};
  if (format == "NCHW") return {1, 2, 3};
  throw errors::UnimplementedError("data_format NCHW_VECT_C has no kernel on CPUs");
}

int64_t divided(const Shape& shape, int dim, int64_t by) {
  if (shape.dim(dim) < 0) return shape.dim(dim);
  if (shape.dim(dim) % by != 0) {
    ShapeContext::fail(
        fmt::format("Dimension size must be evenly divisible by {} but is {}", by, shape.dim(dim)));
  }
  return shape.dim(dim) / by;
}

/// What TensorFlow's two kernels say.
template <bool kToDepth>
void check_running_depth(const ShapeContext& context, const ImageDims& dims, int64_t block) {
  const Shape& shape = context.input(0);
  if (shape.rank() != 4) {
    ShapeContext::fail(kToDepth ? fmt::format("Input rank should be {} instead of {}", 4, shape.rank())
                                : fmt::format("Input rank should be: {} instead of: {}", 4, shape.rank()));
  }
  if (kToDepth && (shape.dim(dims.row) % block != 0 || shape.dim(dims.column) % block != 0)) {
    ShapeContext::fail(fmt::format("Image width {} and height {} should be divisible by block_size: {}",
                                   shape.dim(dims.column), shape.dim(dims.row), block));
  }
  if (!kToDepth && shape.dim(dims.channel) % (block * block) != 0) {
    ShapeContext::fail(fmt::format("Input depth dimension {} should be divisible by: {}",
                                   shape.dim(dims.channel), block * block));
  }
}

template <bool kToDepth>
void depth_shape(ShapeContext& context) {
  const auto block = context.attrs().get<int64_t>("block_size");
  if (block < 2) ShapeContext::fail(fmt::format("Block size should be > 1, but was: {}", block));
  checked_int32("Attr block_size", block);
  const ImageDims dims = image_dims(context.attrs());
  if (context.running()) check_running_depth<kToDepth>(context, dims, block);
  Shape shape = context.with_rank(0, 4);
  for (const int dim : {dims.row, dims.column}) {
    shape.set_dim(dim, kToDepth ? divided(shape, dim, block) : multiplied(shape.dim(dim), block));
  }
  shape.set_dim(dims.channel, kToDepth ? multiplied(shape.dim(dims.channel), block * block)
                                       : divided(shape, dims.channel, block * block));
  context.set_output(0, shape);
}

/// The channels of the deep image are [block row, block column, channel of the wide image].
template <bool kToDepth>
std::unique_ptr<Kernel> prepare_depth(PrepareContext& context) {
  const DType dtype = context.input_dtype(0);
  if (dtype_size(dtype) == 0) context.no_kernel_for(dtype);
  const auto block = context.attrs().get<int64_t>("block_size");  // size: depth_shape has checked it
  const ImageDims at = image_dims(context.attrs());
  const Shape& wide = kToDepth ? context.input_shape(0) : context.output_shape(0);
  const Shape& deep = kToDepth ? context.output_shape(0) : context.input_shape(0);
  const std::vector<int64_t> w = dense_strides(wide);
  const std::vector<int64_t> d = dense_strides(deep);
  const auto row = static_cast<size_t>(at.row);
  const auto column = static_cast<size_t>(at.column);
  const auto channel = static_cast<size_t>(at.channel);
  const int64_t channels = wide.dim(at.channel);
  std::vector<StridedCopy::Dim> dims = {{wide.dim(0), w[0], d[0]},
                                        {deep.dim(at.row), block * w[row], d[row]},
                                        {block, w[row], block * channels * d[channel]},
                                        {deep.dim(at.column), block * w[column], d[column]},
                                        {block, w[column], channels * d[channel]},
                                        {channels, w[channel], d[channel]}};
  if (!kToDepth) {
    for (StridedCopy::Dim& dim : dims) std::swap(dim.in_stride, dim.out_stride);
  }
  return make_kernel([copy = StridedCopy(dtype, dims)](const KernelCall& call) {
    copy.run(call.in<void>(0), call.out<void>(0), call.parallel());
  });
}

// ---- gradients

template <const char* const& kOp>
std::vector<Endpoint> blocks_gradient(GradientContext& g) {
  return {g.op(kOp, {g.grad(), g.input(1), g.input(2)}), {}, {}};
}
template <const char* const& kOp>
std::vector<Endpoint> depth_gradient(GradientContext& g) {
  return {g.op(kOp, {g.grad()},
               {{"block_size", g.attrs().get<int64_t>("block_size")},
                {"data_format", g.attrs().get<std::string>("data_format")}})};
}

constexpr const char* kSpaceToBatch = "SpaceToBatchND";
constexpr const char* kBatchToSpace = "BatchToSpaceND";
constexpr const char* kSpaceToDepth = "SpaceToDepth";
constexpr const char* kDepthToSpace = "DepthToSpace";

constexpr std::string_view kDepthAttrs =
    "T:type; block_size:int>=2; data_format:string=\"NHWC\"{[NHWC,NCHW,NCHW_VECT_C]}";

constexpr graph::OpRow kSpaceToBatchOps[] = {
    {.name = kBatchToSpace,
     .inputs = "input:T, block_shape:Tblock_shape, crops:Tcrops",
     .outputs = "output:T",
     .attrs = "T:type; Tblock_shape:type=int32{indices}; Tcrops:type=int32{indices}",
     .shape = batch_to_space_shape,
     .gradient = blocks_gradient<kSpaceToBatch>,
     .prepare = prepare_blocks<false>},
    {.name = kSpaceToBatch,
     .inputs = "input:T, block_shape:Tblock_shape, paddings:Tpaddings",
     .outputs = "output:T",
     .attrs = "T:type; Tblock_shape:type=int32{indices}; Tpaddings:type=int32{indices}",
     .shape = space_to_batch_shape,
     .gradient = blocks_gradient<kBatchToSpace>,
     .prepare = prepare_blocks<true>},
    {.name = kDepthToSpace,
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = kDepthAttrs,
     .shape = depth_shape<false>,
     .gradient = depth_gradient<kSpaceToDepth>,
     .prepare = prepare_depth<false>},
    {.name = kSpaceToDepth,
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = kDepthAttrs,
     .shape = depth_shape<true>,
     .gradient = depth_gradient<kDepthToSpace>,
     .prepare = prepare_depth<true>},
};

}  // namespace

void register_space_to_batch_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSpaceToBatchOps) table.add(row);
}

}  // namespace flowray::ops
