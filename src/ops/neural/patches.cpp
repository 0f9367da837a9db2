// ExtractImagePatches: the windows of an image as channels.

#include "core/checked_size.h"
#include "core/invalid_argument.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/neural/register.h"
#include "ops/neural/window_geometry.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::ShapeContext;

/// The two numbers for height and width of an attribute of four.
std::array<int64_t, 2> window_numbers(const graph::Attrs& attrs, const char* name) {
  const auto& all = attrs.get<std::vector<int64_t>>(name);
  if (all.size() != 4) {
    ShapeContext::fail(fmt::format(
        "ExtractImagePatches requires the {} attribute to contain 4 values, but got: {}", name, all.size()));
  }
  if (all[0] != 1 || all[3] != 1) {
    throw errors::UnimplementedError(fmt::format("Only support {} across space.", name));
  }
  for (const int64_t i : {all[1], all[2]}) {
    if (i < 1) invalid_argument(fmt::format("{} is OUT_OF_RANGE", name));
  }
  return {all[1], all[2]};
}

struct Windows {
  std::array<WindowDim, 2> dims;
  Padding padding;

  explicit Windows(const graph::Attrs& attrs) : padding(padding_of(attrs)) {
    const auto sizes = window_numbers(attrs, "ksizes");
    const auto strides = window_numbers(attrs, "strides");
    const auto rates = window_numbers(attrs, "rates");
    for (size_t i = 0; i < 2; ++i) {
      dims.at(i) = {.window = sizes.at(i), .stride = strides.at(i), .dilation = rates.at(i)};
    }
  }
  int64_t taps() const { return checked(dims[0].window) * dims[1].window; }
};

void patches_shape(ShapeContext& context) {
  const Shape in = context.with_rank(0, 4);
  const Windows windows(context.attrs());
  const int64_t channels =
      in.has_rank() && in.dim(3) >= 0 ? checked(in.dim(3)) * windows.taps() : Shape::kUnknownDim;
  const auto count = [&](int dim) {
    return places_of(in.dim(dim), windows.dims.at(dim - 1), windows.padding, context.running()).count;
  };
  context.set_output(0, Shape{in.dim(0), count(1), count(2), channels});
}

void compute_patches(DynamicCall& call) {
  const Array& in = call.in(0);
  if (in.rank() != 4) invalid_argument("input must be 4-dimensional" + in.shape().to_string());
  const Windows windows(call.attrs());
  const WindowPlaces rows = places_of(in.dim(1), windows.dims[0], windows.padding, true);
  const WindowPlaces columns = places_of(in.dim(2), windows.dims[1], windows.padding, true);
  Array out(in.dtype(), Shape{in.dim(0), rows.count, columns.count, checked(in.dim(3)) * windows.taps()});
  const auto size = static_cast<int64_t>(dtype_size(in.dtype()));
  const int64_t pixel = in.dim(3) * size;
  if (out.size() == 0) return call.set_out(0, out);
  const auto* from = static_cast<const char*>(in.raw_data());
  auto* to = static_cast<char*>(out.mutable_raw_data());
  for (int64_t image = 0; image < in.dim(0); ++image) {
    for (int64_t i = 0; i < rows.count; ++i) {
      for (int64_t j = 0; j < columns.count; ++j) {
        for (int64_t k = 0; k < windows.dims[0].window; ++k) {
          for (int64_t l = 0; l < windows.dims[1].window; ++l, to += pixel) {
            const int64_t y = i * windows.dims[0].stride + k * windows.dims[0].dilation - rows.pad_before;
            const int64_t x = j * windows.dims[1].stride + l * windows.dims[1].dilation - columns.pad_before;
            // What lies outside stays zero.
            if (y < 0 || y >= in.dim(1) || x < 0 || x >= in.dim(2)) continue;
            std::memcpy(to, from + ((image * in.dim(1) + y) * in.dim(2) + x) * pixel,
                        static_cast<size_t>(pixel));
          }
        }
      }
    }
  }
  call.set_out(0, out);
}

/// Each element of a patch goes back to the pixel that it came from: the patches of an image of numbers say
/// which that is, 0 for what lies outside. By fewer nodes than TensorFlow's.
std::vector<Endpoint> patches_gradient(GradientContext& g) {
  const Endpoint shape = python_shape(g, g.input(0));
  const Endpoint batch = python_element(g, shape, 0);
  const Endpoint height = python_element(g, shape, 1);
  const Endpoint width = python_element(g, shape, 2);
  const Endpoint channels = python_element(g, shape, 3);
  const Endpoint pixels = g.op("Mul", {height, width}, {}, "mul");
  const Endpoint all = python_with_number(g, "AddV2", pixels, 1, "add");
  const Endpoint numbers = g.op(
      "Reshape", {python_range(g, 1, all), python_list(g, {1, height, width, 1}, DType::kInt32, "shape")});
  const Endpoint sources = g.op("ExtractImagePatches", {numbers},
                                {{"ksizes", g.attrs().get<std::vector<int64_t>>("ksizes")},
                                 {"strides", g.attrs().get<std::vector<int64_t>>("strides")},
                                 {"rates", g.attrs().get<std::vector<int64_t>>("rates")},
                                 {"padding", g.attrs().get<std::string>("padding")}});
  const Endpoint places = g.op("Reshape", {sources, python_integers(g, {-1}, DType::kInt32, "places")});
  const Endpoint count = python_element(g, python_shape(g, places), 0);
  const Endpoint rows =
      g.op("Reshape", {g.grad(), python_list(g, {batch, count, channels}, DType::kInt32, "rows")});
  const Endpoint by_place = g.op("Transpose", {rows, python_integers(g, {1, 0, 2}, DType::kInt32, "perm")});
  const Endpoint sums = g.op("UnsortedSegmentSum", {by_place, places, all});
  const Endpoint kept = g.op("Slice", {sums, python_integers(g, {1, 0, 0}, DType::kInt32, "begin"),
                                       python_integers(g, {-1, -1, -1}, DType::kInt32, "size")});
  const Endpoint by_image = g.op("Transpose", {kept, python_integers(g, {1, 0, 2}, DType::kInt32, "perm")});
  return {g.op("Reshape", {by_image, shape})};
}

constexpr graph::OpRow kPatchOps[] = {
    {.name = "ExtractImagePatches",
     .inputs = "images:T",
     .outputs = "patches:T",
     .attrs = "ksizes:list(int)>=4; strides:list(int)>=4; rates:list(int)>=4; "
              "T:type{[bfloat16,float16,float32,float64,int8,int16,int32,int64,uint8,uint16,uint32,uint64,"
              "complex64,complex128,bool]}; padding:string{[SAME,VALID]}",
     .shape = patches_shape,
     .gradient = patches_gradient,
     .compute = compute_patches},
};

}  // namespace

void register_patch_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kPatchOps) table.add(row);
}

}  // namespace flowray::ops
