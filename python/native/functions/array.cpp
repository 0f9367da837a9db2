/// tf.array_ops: constants, placeholders, shapes, and functions that move values about.

#include "native/convert/bind.h"
#include "native/convert/verified_shape.h"

#include <flowray/tf/array.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::ConstantOptions, dtype, shape, name)
FLOWRAY_FIELDS(tf::LikeOptions, dtype, name, optimize)
FLOWRAY_FIELDS(tf::ShapeOptions, name, out_type)
FLOWRAY_FIELDS(tf::SqueezeOptions, axis, name, squeeze_dims)
FLOWRAY_FIELDS(tf::TransposeOptions, perm, name)
FLOWRAY_FIELDS(tf::StackOptions, axis, name)
FLOWRAY_FIELDS(tf::UnstackOptions, num, axis, name)
FLOWRAY_FIELDS(tf::SplitOptions, axis, num, name)
FLOWRAY_FIELDS(tf::StridedSliceOptions, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask,
               name)
FLOWRAY_FIELDS(tf::GatherOptions, name, axis, batch_dims)
FLOWRAY_FIELDS(tf::GatherNdOptions, name, batch_dims)
FLOWRAY_FIELDS(tf::PadOptions, mode, name, constant_values)
FLOWRAY_FIELDS(tf::OneHotOptions, on_value, off_value, axis, dtype, name)

namespace {

/// The shape of a value as it is written.
Shape shape_as_given(const tf::Input& value) {
  if (value.array() != nullptr) return value.array()->shape();
  if (value.literal() != nullptr) return value.literal()->to_array().shape();
  return tf::convert_to_tensor(value).shape();
}

/// A value that cannot be of the preferred dtype has its own.
tf::Tensor convert_to_tensor(const tf::Input& value, DType preferred_dtype, tf::ConstantOptions options) {
  if (options.dtype != DType::kInvalid || preferred_dtype == DType::kInvalid || value.tensor() != nullptr)
    return tf::convert_to_tensor(value, options);
  tf::ConstantOptions preferred = options;
  preferred.dtype = preferred_dtype;
  try {
    return tf::convert_to_tensor(value, preferred);
  } catch (const TypeError&) {
  } catch (const ValueError&) {
  }
  return tf::convert_to_tensor(value, options);
}

tf::Tensor constant(const tf::Input& value, bool verify_shape, const tf::ConstantOptions& options) {
  if (verify_shape && options.shape.has_value()) check_verified_shape(shape_as_given(value), *options.shape);
  return tf::constant(value, options);
}

void bind_sources(nb::module_& m) {
  bind(m, "constant", &constant, {"value", "dtype", "shape", or_none("name"), {"verify_shape", false}});
  bind(m, "convert_to_tensor", &convert_to_tensor,
       {"value",
        "dtype",
        {"name", nb::none()},
        either("preferred_dtype", "dtype_hint"),
        {"dtype_hint", nb::none()}});
  using Placeholder = tf::Tensor (*)(DType, const tf::TensorShape&, const tf::NameOption&, tf::Input::Where);
  bind<Placeholder>(m, "placeholder", &tf::placeholder, {"dtype", {"shape", nb::none()}});
  bind(m, "placeholder_with_default", &tf::placeholder_with_default, {"input", "shape"});
  bind(m, "identity", &tf::identity, {"input"});
  bind(m, "identity_n", &tf::identity_n, {"input"});
  bind(m, "stop_gradient", &tf::stop_gradient, {"input"});
}

void bind_filled(nb::module_& m) {
  const auto filled = [&](const char* name,
                          tf::Tensor (*make)(const tf::Input&, DType, const tf::NameOption&)) {
    bind(m, name,
         [make](const tf::Input& shape, DType dtype, const tf::NameOption& options) {
           return make(shape, dtype, options);
         },
         {"shape", {"dtype", dtype_object(DType::kFloat32)}});
  };
  filled("zeros", &tf::zeros);
  filled("ones", &tf::ones);
  bind(m, "fill", &tf::fill, {"dims", "value"});
  using Like = tf::Tensor (*)(const tf::Input&, const tf::LikeOptions&);
  bind<Like>(m, "zeros_like", &tf::zeros_like, {"tensor"});
  bind<Like>(m, "ones_like", &tf::ones_like, {"tensor"});
}

/// Refuses `conjugate` for complex numbers; for real ones it changes nothing.
void refuse_complex(const tf::Input& input, const char* function) {
  const DType dtype = input.tensor() != nullptr    ? base_dtype(input.tensor()->dtype())
                      : input.literal() != nullptr ? input.literal()->to_array(DType::kInvalid).dtype()
                      : input.array() != nullptr   ? input.array()->dtype()
                                                   : DType::kInvalid;
  if (!is_complex(dtype)) return;
  throw errors::UnimplementedError(std::string(function) +
                                   " does not support `conjugate` of complex numbers today: use tf.conj");
}

tf::Tensor transpose(const tf::Input& a, bool conjugate, const tf::TransposeOptions& options) {
  if (conjugate) refuse_complex(a, "tf.transpose");
  return tf::transpose(a, options);
}

tf::Tensor matrix_transpose(const tf::Input& a, bool conjugate, const tf::NameOption& options) {
  if (conjugate) refuse_complex(a, "tf.matrix_transpose");
  return tf::matrix_transpose(a, options);
}

void bind_shapes(nb::module_& m) {
  using Squeeze = tf::Tensor (*)(const tf::Input&, const tf::SqueezeOptions&);
  bind(m, "shape", &tf::shape, {"input"});
  bind(m, "size", &tf::size, {"input"});
  bind(m, "shape_n", &tf::shape_n, {"input", "out_type", "name"});
  bind(m, "rank", &tf::rank, {"input"});
  bind(m, "reshape", &tf::reshape, {"tensor", "shape"});
  bind(m, "expand_dims", &tf::expand_dims, {"input", {"axis", nb::none()}, "name", older("dim", "axis")});
  bind<Squeeze>(m, "squeeze", &tf::squeeze, {"input"});
  bind(m, "broadcast_to", &tf::broadcast_to, {"input", "shape"});
  bind(m, "transpose", &transpose, {"a", "perm", "name", {"conjugate", false}});
  bind(m, "matrix_transpose", &matrix_transpose, {"a", "name", {"conjugate", false}});
}

void bind_joining(nb::module_& m) {
  using Stack = tf::Tensor (*)(const tf::List<tf::Input>&, const tf::StackOptions&);
  using Split = std::vector<tf::Tensor> (*)(const tf::Input&, const tf::Input&, const tf::SplitOptions&);
  bind(m, "concat", &tf::concat, {"values", "axis"});
  bind<Stack>(m, "stack", &tf::stack, {"values", "axis", {"name", nb::none()}});
  bind(m, "unstack", &tf::unstack, {"value", "num", "axis", {"name", nb::none()}});
  bind<Split>(m, "split", &tf::split,
              {"value", "num_or_size_splits", {"axis", 0}, "num", {"name", nb::none()}});
}

tf::Tensor strided_slice(const tf::Input& input, const tf::Input& begin, const tf::Input& end,
                         const tf::OptionalInput& strides, const tf::StridedSliceOptions& options) {
  if (!strides.has_value()) return tf::strided_slice(input, begin, end, options);
  return tf::strided_slice(input, begin, end, *strides, options);
}

void refuse_half(const tf::OptionalInput& x, const tf::OptionalInput& y) {
  if (x.has_value() != y.has_value()) throw ValueError("x and y must both be non-None or both be None.");
}

tf::Tensor where(const tf::Input& condition, const tf::OptionalInput& x, const tf::OptionalInput& y,
                 const tf::NameOption& options) {
  refuse_half(x, y);
  return x.has_value() ? tf::where(condition, *x, *y, options) : tf::where(condition, options);
}

tf::Tensor where_v2(const tf::Input& condition, const tf::OptionalInput& x, const tf::OptionalInput& y,
                    const tf::NameOption& options) {
  refuse_half(x, y);
  return x.has_value() ? tf::where_v2(condition, *x, *y, options) : tf::where(condition, options);
}

void bind_parts(nb::module_& m) {
  bind(m, "slice", &tf::slice, {"input_", "begin", "size"});
  bind(m, "strided_slice", &strided_slice,
       {"input_",
        "begin",
        "end",
        {"strides", nb::none()},
        "begin_mask",
        "end_mask",
        "ellipsis_mask",
        "new_axis_mask",
        "shrink_axis_mask",
        refused("var"),
        "name"});
  bind(m, "gather", &tf::gather,
       {"params", "indices", ignored("validate_indices"), "name", "axis", or_none("batch_dims")});
  bind(m, "gather_nd", &tf::gather_nd, {"params", "indices"});
  bind(m, "where", &where, {"condition", {"x", nb::none()}, {"y", nb::none()}});
  bind(m, "where_v2", &where_v2, {"condition", {"x", nb::none()}, {"y", nb::none()}});
  bind(m, "one_hot", &tf::one_hot,
       {"indices", "depth", "on_value", "off_value", {"axis", nb::none()}, "dtype", "name"});
}

}  // namespace

void bind_array(nb::module_& m) {
  bind_sources(m);
  bind_filled(m);
  bind_shapes(m);
  bind_joining(m);
  bind_parts(m);
  bind(m, "tile", &tf::tile, {"input", "multiples"});
  bind(m, "pad", &tf::pad, {"tensor", "paddings"});
  bind(m, "reverse", &tf::reverse, {"tensor", "axis"});
  bind(m, "invert_permutation", &tf::invert_permutation, {"x"});
}

}  // namespace flowray::python
