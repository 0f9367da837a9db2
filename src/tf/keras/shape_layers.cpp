#include <flowray/tf/array.h>
#include <flowray/tf/keras/shape_layers.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "core/checked_size.h"
#include "tf/build/apply_op.h"
#include "tf/build/user_line.h"
#include "tf/keras/layer_checks.h"
#include "tf/keras/layer_config.h"
#include "tf/keras/moved_elements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace flowray::tf::keras::layers {
namespace {

struct PermuteArguments {
  std::vector<int64_t> dims = {};
  MovedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("dims", dims);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Permute>(dims, options); }
};

struct RepeatVectorArguments {
  int64_t n = 0;
  MovedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("n", n);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<RepeatVector>(n, options); }
};

struct ZeroPadding1DArguments {
  Ends padding = {1, 1};
  MovedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.ends("padding", {&padding});
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<ZeroPadding1D>(padding, options); }
};

struct Cropping1DArguments {
  Ends cropping = {1, 1};
  MovedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.ends("cropping", {&cropping});
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Cropping1D>(cropping, options); }
};

struct ZeroPadding2DArguments {
  Ends rows = {1, 1};
  Ends columns = {1, 1};
  MovedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.ends("padding", {&rows, &columns});
    io.data_format();
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<ZeroPadding2D>(rows, columns, options); }
};

struct Cropping2DArguments {
  Ends rows = {0, 0};
  Ends columns = {0, 0};
  MovedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io.ends("cropping", {&rows, &columns});
    io.data_format();
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<Cropping2D>(rows, columns, options); }
};

struct UpSampling1DArguments {
  int64_t size = 2;
  MovedOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("size", size);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<UpSampling1D>(size, options); }
};

struct UpSampling2DArguments {
  std::vector<int64_t> size = {2, 2};
  UpSampling2DOptions options = {};
  template <class Io>
  void list(Io& io) {
    io("size", size);
    io.data_format();
    io("interpolation", options.interpolation);
  }
  std::shared_ptr<Layer> make() const { return std::make_shared<UpSampling2D>(size, options); }
};

}  // namespace

Permute::Permute(const std::vector<int64_t>& dims, const MovedOptions& options, Where where)
    : Layer("Permute", layer_options(options)), dims_(dims) {
  LayerConfig::keep(*this, PermuteArguments{dims, options});
  std::vector<int64_t> sorted = dims;
  std::ranges::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] == static_cast<int64_t>(i) + 1) continue;
    const ErrorLine line(where);
    throw ValueError(fmt::format(
        "Invalid permutation argument `dims` for Permute Layer. The set of indices in `dims` must be "
        "consecutive and start from 1. Received dims=({})",
        fmt::join(dims, ", ")));
  }
}

Tensor Permute::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), static_cast<int64_t>(dims_.size()) + 1, name());
  std::vector<int64_t> perm = {0};
  perm.insert(perm.end(), dims_.begin(), dims_.end());
  return transpose(inputs, perm);
}

RepeatVector::RepeatVector(int64_t n, const MovedOptions& options, Where where)
    : Layer("RepeatVector", layer_options(options)), n_(positive(n, "n", where)) {
  LayerConfig::keep(*this, RepeatVectorArguments{n, options});
}

Tensor RepeatVector::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 2, name());
  return repeated(expand_dims(inputs, 1), n_, 1);
}

ZeroPadding1D::ZeroPadding1D(Ends padding, const MovedOptions& options, Where where)
    : Layer("ZeroPadding1D", layer_options(options)), padding_(checked_ends(padding, "padding", where)) {
  LayerConfig::keep(*this, ZeroPadding1DArguments{padding, options});
}

Tensor ZeroPadding1D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 3, name());
  return padded(inputs, {{0, 0}, padding_, {0, 0}});
}

ZeroPadding2D::ZeroPadding2D(Ends rows, Ends columns, const MovedOptions& options, Where where)
    : Layer("ZeroPadding2D", layer_options(options)),
      rows_(checked_ends(rows, "padding", where)),
      columns_(checked_ends(columns, "padding", where)) {
  LayerConfig::keep(*this, ZeroPadding2DArguments{rows, columns, options});
}

Tensor ZeroPadding2D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 4, name());
  return padded(inputs, {{0, 0}, rows_, columns_, {0, 0}});
}

Cropping1D::Cropping1D(Ends cropping, const MovedOptions& options, Where where)
    : Layer("Cropping1D", layer_options(options)), cropping_(checked_ends(cropping, "cropping", where)) {
  LayerConfig::keep(*this, Cropping1DArguments{cropping, options});
}

Tensor Cropping1D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 3, name());
  return cropped(inputs, {cropping_});
}

Cropping2D::Cropping2D(Ends rows, Ends columns, const MovedOptions& options, Where where)
    : Layer("Cropping2D", layer_options(options)),
      rows_(checked_ends(rows, "cropping", where)),
      columns_(checked_ends(columns, "cropping", where)) {
  LayerConfig::keep(*this, Cropping2DArguments{rows, columns, options});
}

Tensor Cropping2D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 4, name());
  return cropped(inputs, {rows_, columns_});
}

UpSampling1D::UpSampling1D(int64_t size, const MovedOptions& options, Where where)
    : Layer("UpSampling1D", layer_options(options)), size_(positive(size, "size", where)) {
  LayerConfig::keep(*this, UpSampling1DArguments{size, options});
}

Tensor UpSampling1D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 3, name());
  return repeated(inputs, size_, 1);
}

UpSampling2D::UpSampling2D(const std::vector<int64_t>& size, const UpSampling2DOptions& options, Where where)
    : Layer("UpSampling2D", {.name = options.name, .input_shape = options.input_shape}),
      size_(pair_of(size, "size", where)),
      is_bilinear_(options.interpolation == "bilinear") {
  LayerConfig::keep(*this, UpSampling2DArguments{size_, options});
  if (is_bilinear_ || options.interpolation == "nearest") return;
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("Value not recognized for `interpolation`: {}. Supported values are: 'nearest', 'bilinear'",
                  options.interpolation));
}

Tensor UpSampling2D::call(const Tensor& inputs, bool) {
  check_rank(inputs.shape(), 4, name());
  if (!is_bilinear_) return repeated(repeated(inputs, size_[0], 1), size_[1], 2);
  const TensorShape& given = inputs.shape();
  const Tensor size =
      shape(inputs)[Slice{1, 3}] * Array({static_cast<int>(size_[0]), static_cast<int>(size_[1])});
  Tensor result =
      apply_op({.op = "ResizeBilinear", .args = {inputs, size}, .attrs = {{"half_pixel_centers", true}}});
  const auto times = [&](int i, int64_t factor) {
    return given.dim(i) < 0 ? int64_t{-1} : int64_t{CheckedSize(given.dim(i)) * factor};
  };
  result.set_shape({given.dim(0), times(1, size_[0]), times(2, size_[1]), given.dim(3)});
  return result;
}

}  // namespace flowray::tf::keras::layers

void flowray::tf::keras::add_shape_layers(LayerTable& table) {
  table.add<layers::PermuteArguments>("Permute");
  table.add<layers::RepeatVectorArguments>("RepeatVector");
  table.add<layers::ZeroPadding1DArguments>("ZeroPadding1D");
  table.add<layers::ZeroPadding2DArguments>("ZeroPadding2D");
  table.add<layers::Cropping1DArguments>("Cropping1D");
  table.add<layers::Cropping2DArguments>("Cropping2D");
  table.add<layers::UpSampling1DArguments>("UpSampling1D");
  table.add<layers::UpSampling2DArguments>("UpSampling2D");
}
