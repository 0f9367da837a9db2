/// tf.array_ops: constants, placeholders, shapes, and functions that move values about.

#include "native/convert/convert.h"

#include <flowray/tf/array.h>

namespace flowray::python {
namespace {

constexpr auto kNone = [](const char* name) { return nb::arg(name).none(); };

tf::NameOption named(nb::handle name) { return {as_text(name)}; }

void bind_sources(nb::module_& m) {
  m.def(
      "constant",
      [](nb::handle value, nb::handle dtype, nb::handle shape, nb::handle name, Flag) {
        tf::ConstantOptions options;
        options.dtype = as_dtype(dtype);
        if (!shape.is_none()) options.shape = as_shape(shape);
        if (!name.is_none()) options.name = as_text(name);
        return give(tf::constant(as_input(value), options));
      },
      kNone("value"), kNone("dtype") = nb::none(), kNone("shape") = nb::none(), kNone("name") = "Const",
      "verify_shape"_a = false, "A constant: a Const node.");
  m.def(
      "convert_to_tensor",
      [](nb::handle value, nb::handle dtype, nb::handle name, nb::handle preferred, nb::handle) {
        tf::ConstantOptions options;
        options.dtype = as_dtype(dtype);
        if (!name.is_none()) options.name = as_text(name);
        if (options.dtype == DType::kInvalid && !preferred.is_none()) options.dtype = as_dtype(preferred);
        return give(tf::convert_to_tensor(as_input(value), options));
      },
      kNone("value"), kNone("dtype") = nb::none(), kNone("name") = nb::none(),
      kNone("preferred_dtype") = nb::none(), kNone("dtype_hint") = nb::none());
  m.def(
      "placeholder",
      [](nb::handle dtype, nb::handle shape, nb::handle name) {
        return give(tf::placeholder(as_dtype(dtype), as_shape(shape), named(name), {}));
      },
      "dtype"_a, kNone("shape") = nb::none(), kNone("name") = nb::none(), "A value that is fed.");
  m.def(
      "placeholder_with_default",
      [](nb::handle input, nb::handle shape, nb::handle name) {
        return give(tf::placeholder_with_default(as_input(input), as_shape(shape), named(name)));
      },
      "input"_a, kNone("shape"), kNone("name") = nb::none());
  m.def(
      "identity",
      [](nb::handle input, nb::handle name) { return give(tf::identity(as_input(input), named(name))); },
      "input"_a, kNone("name") = nb::none());
  m.def(
      "identity_n",
      [](nb::handle input, nb::handle name) { return give(tf::identity_n(as_inputs(input), named(name))); },
      "input"_a, kNone("name") = nb::none());
  m.def(
      "stop_gradient",
      [](nb::handle input, nb::handle name) { return give(tf::stop_gradient(as_input(input), named(name))); },
      "input"_a, kNone("name") = nb::none());
}

void bind_filled(nb::module_& m) {
  const auto filled = [&](const char* name,
                          tf::Tensor (*make)(const tf::Input&, DType, const tf::NameOption&)) {
    m.def(
        name,
        [make](nb::handle shape, nb::handle dtype, nb::handle node_name) {
          return give(make(as_input(shape), dtype.is_none() ? DType::kFloat32 : base_dtype(as_dtype(dtype)),
                           named(node_name)));
        },
        "shape"_a, kNone("dtype") = nb::none(), kNone("name") = nb::none());
  };
  filled("zeros", &tf::zeros);
  filled("ones", &tf::ones);
  m.def(
      "fill",
      [](nb::handle dims, nb::handle value, nb::handle name) {
        return give(tf::fill(as_input(dims), as_input(value), named(name)));
      },
      "dims"_a, "value"_a, kNone("name") = nb::none());
  const auto like = [&](const char* name, tf::Tensor (*make)(const tf::Input&, const tf::LikeOptions&)) {
    m.def(
        name,
        [make](nb::handle tensor, nb::handle dtype, nb::handle node_name, Flag optimize) {
          tf::LikeOptions options;
          options.dtype = as_dtype(dtype);
          options.name = as_text(node_name);
          options.optimize = optimize;
          return give(make(as_input(tensor), options));
        },
        "tensor"_a, kNone("dtype") = nb::none(), kNone("name") = nb::none(), "optimize"_a = true);
  };
  like("zeros_like", &tf::zeros_like);
  like("ones_like", &tf::ones_like);
}

/// Of real numbers the conjugates are themselves.
void refuse_complex(nb::handle a, const char* function) {
  const tf::Input input = as_input(a);
  const DType dtype = input.tensor() != nullptr    ? base_dtype(input.tensor()->dtype())
                      : input.literal() != nullptr ? input.literal()->to_array(DType::kInvalid).dtype()
                      : input.array() != nullptr   ? input.array()->dtype()
                                                   : DType::kInvalid;
  if (!is_complex(dtype)) return;
  throw errors::UnimplementedError(std::string(function) +
                                   " does not support `conjugate` of complex numbers today: use tf.conj");
}

void bind_shapes(nb::module_& m) {
  const auto asks = [&](const char* name, tf::Tensor (*make)(const tf::Input&, const tf::ShapeOptions&)) {
    m.def(
        name,
        [make](nb::handle input, nb::handle node_name, nb::handle out_type) {
          return give(make(as_input(input),
                           {as_text(node_name), out_type.is_none() ? DType::kInt32 : as_dtype(out_type)}));
        },
        "input"_a, kNone("name") = nb::none(), kNone("out_type") = nb::none());
  };
  asks("shape", &tf::shape);
  asks("size", &tf::size);
  m.def(
      "shape_n",
      [](nb::handle input, nb::handle out_type, nb::handle name) {
        return give(tf::shape_n(as_inputs(input),
                                {as_text(name), out_type.is_none() ? DType::kInt32 : as_dtype(out_type)}));
      },
      "input"_a, kNone("out_type") = nb::none(), kNone("name") = nb::none());
  m.def(
      "rank", [](nb::handle input, nb::handle name) { return give(tf::rank(as_input(input), named(name))); },
      "input"_a, kNone("name") = nb::none());
  m.def(
      "reshape",
      [](nb::handle tensor, nb::handle shape, nb::handle name) {
        return give(tf::reshape(as_input(tensor), as_input(shape), named(name)));
      },
      "tensor"_a, "shape"_a, kNone("name") = nb::none());
  m.def(
      "expand_dims",
      [](nb::handle input, nb::handle axis, nb::handle name, nb::handle dim) {
        return give(tf::expand_dims(as_input(input), as_input(axis.is_none() ? dim : axis), named(name)));
      },
      "input"_a, kNone("axis") = nb::none(), kNone("name") = nb::none(), kNone("dim") = nb::none());
  m.def(
      "squeeze",
      [](nb::handle input, nb::handle axis, nb::handle name, nb::handle squeeze_dims) {
        tf::SqueezeOptions options;
        options.axis = as_optional_input(axis);
        options.name = as_text(name);
        options.squeeze_dims = as_optional_input(squeeze_dims);
        return give(tf::squeeze(as_input(input), options));
      },
      "input"_a, kNone("axis") = nb::none(), kNone("name") = nb::none(), kNone("squeeze_dims") = nb::none());
  m.def(
      "broadcast_to",
      [](nb::handle input, nb::handle shape, nb::handle name) {
        return give(tf::broadcast_to(as_input(input), as_input(shape), named(name)));
      },
      "input"_a, "shape"_a, kNone("name") = nb::none());
  m.def(
      "transpose",
      [](nb::handle a, nb::handle perm, nb::handle name, Flag conjugate) {
        if (conjugate) refuse_complex(a, "tf.transpose");
        tf::TransposeOptions options;
        options.perm = as_optional_input(perm);
        options.name = as_text(name);
        return give(tf::transpose(as_input(a), options));
      },
      "a"_a, kNone("perm") = nb::none(), kNone("name") = nb::none(), "conjugate"_a = false);
  m.def(
      "matrix_transpose",
      [](nb::handle a, nb::handle name, Flag conjugate) {
        if (conjugate) refuse_complex(a, "tf.matrix_transpose");
        return give(tf::matrix_transpose(as_input(a), named(name)));
      },
      "a"_a, kNone("name") = nb::none(), "conjugate"_a = false);
}

void bind_joining(nb::module_& m) {
  m.def(
      "concat",
      [](nb::handle values, nb::handle axis, nb::handle name) {
        return give(tf::concat(as_inputs(values), as_input(axis), named(name)));
      },
      "values"_a, "axis"_a, kNone("name") = nb::none());
  m.def(
      "stack",
      [](nb::handle values, Integer axis, nb::handle name) {
        tf::StackOptions options;
        options.axis = axis;
        if (!name.is_none()) options.name = as_text(name);
        return give(tf::stack(as_inputs(values), options));
      },
      "values"_a, "axis"_a = 0, kNone("name") = nb::none());
  m.def(
      "unstack",
      [](nb::handle value, nb::handle num, Integer axis, nb::handle name) {
        tf::UnstackOptions options;
        options.num = as_optional_int(num);
        options.axis = axis;
        if (!name.is_none()) options.name = as_text(name);
        return give(tf::unstack(as_input(value), options));
      },
      "value"_a, kNone("num") = nb::none(), "axis"_a = 0, kNone("name") = nb::none());
  m.def(
      "split",
      [](nb::handle value, nb::handle sizes, nb::handle axis, nb::handle num, nb::handle name) {
        tf::SplitOptions options;
        options.axis = as_optional_input(axis);
        options.num = as_optional_int(num);
        if (!name.is_none()) options.name = as_text(name);
        return give(tf::split(as_input(value), as_input(sizes), options));
      },
      "value"_a, "num_or_size_splits"_a, "axis"_a = 0, kNone("num") = nb::none(), kNone("name") = nb::none());
}

void bind_parts(nb::module_& m) {
  m.def(
      "slice",
      [](nb::handle input, nb::handle begin, nb::handle size, nb::handle name) {
        return give(tf::slice(as_input(input), as_input(begin), as_input(size), named(name)));
      },
      "input_"_a, "begin"_a, "size"_a, kNone("name") = nb::none());
  m.def(
      "strided_slice",
      [](nb::handle input, nb::handle begin, nb::handle end, nb::handle strides, Integer begin_mask,
         Integer end_mask, Integer ellipsis_mask, Integer new_axis_mask, Integer shrink_axis_mask, nb::handle,
         nb::handle name) {
        tf::StridedSliceOptions options;
        options.begin_mask = begin_mask;
        options.end_mask = end_mask;
        options.ellipsis_mask = ellipsis_mask;
        options.new_axis_mask = new_axis_mask;
        options.shrink_axis_mask = shrink_axis_mask;
        options.name = as_text(name);
        if (strides.is_none())
          return give(tf::strided_slice(as_input(input), as_input(begin), as_input(end), options));
        return give(
            tf::strided_slice(as_input(input), as_input(begin), as_input(end), as_input(strides), options));
      },
      "input_"_a, "begin"_a, "end"_a, kNone("strides") = nb::none(), "begin_mask"_a = 0, "end_mask"_a = 0,
      "ellipsis_mask"_a = 0, "new_axis_mask"_a = 0, "shrink_axis_mask"_a = 0, kNone("var") = nb::none(),
      kNone("name") = nb::none());
  m.def(
      "gather",
      [](nb::handle params, nb::handle indices, nb::handle, nb::handle name, nb::handle axis,
         nb::handle batch_dims) {
        tf::GatherOptions options;
        options.name = as_text(name);
        options.axis = as_optional_input(axis);
        options.batch_dims = batch_dims.is_none() ? 0 : as_int(batch_dims);
        return give(tf::gather(as_input(params), as_input(indices), options));
      },
      "params"_a, "indices"_a, kNone("validate_indices") = nb::none(), kNone("name") = nb::none(),
      kNone("axis") = nb::none(), kNone("batch_dims") = 0);
  m.def(
      "where",
      [](nb::handle condition, nb::handle x, nb::handle y, nb::handle name) {
        if (x.is_none() != y.is_none()) throw ValueError("x and y must both be non-None or both be None.");
        if (x.is_none()) return give(tf::where(as_input(condition), named(name)));
        return give(tf::where(as_input(condition), as_input(x), as_input(y), named(name)));
      },
      "condition"_a, kNone("x") = nb::none(), kNone("y") = nb::none(), kNone("name") = nb::none());
  m.def(
      "where_v2",
      [](nb::handle condition, nb::handle x, nb::handle y, nb::handle name) {
        if (x.is_none() != y.is_none()) throw ValueError("x and y must both be non-None or both be None.");
        if (x.is_none()) return give(tf::where(as_input(condition), named(name)));
        return give(tf::where_v2(as_input(condition), as_input(x), as_input(y), named(name)));
      },
      "condition"_a, kNone("x") = nb::none(), kNone("y") = nb::none(), kNone("name") = nb::none());
  m.def(
      "one_hot",
      [](nb::handle indices, nb::handle depth, nb::handle on_value, nb::handle off_value, nb::handle axis,
         nb::handle dtype, nb::handle name) {
        tf::OneHotOptions options;
        options.on_value = as_optional_input(on_value);
        options.off_value = as_optional_input(off_value);
        options.axis = axis.is_none() ? -1 : as_int(axis);
        options.dtype = as_dtype(dtype);
        options.name = as_text(name);
        return give(tf::one_hot(as_input(indices), as_input(depth), options));
      },
      "indices"_a, "depth"_a, kNone("on_value") = nb::none(), kNone("off_value") = nb::none(),
      kNone("axis") = nb::none(), kNone("dtype") = nb::none(), kNone("name") = nb::none());
}

}  // namespace

void bind_array(nb::module_& m) {
  bind_sources(m);
  bind_filled(m);
  bind_shapes(m);
  bind_joining(m);
  bind_parts(m);
  m.def(
      "tile",
      [](nb::handle input, nb::handle multiples, nb::handle name) {
        return give(tf::tile(as_input(input), as_input(multiples), named(name)));
      },
      "input"_a, "multiples"_a, kNone("name") = nb::none());
  m.def(
      "pad",
      [](nb::handle tensor, nb::handle paddings, nb::handle mode, nb::handle name,
         nb::handle constant_values) {
        return give(tf::pad(
            as_input(tensor), as_input(paddings),
            {.mode = as_text(mode), .name = as_text(name), .constant_values = as_input(constant_values)}));
      },
      "tensor"_a, "paddings"_a, "mode"_a = "CONSTANT", kNone("name") = nb::none(), "constant_values"_a = 0);
  m.def(
      "reverse",
      [](nb::handle tensor, nb::handle axis, nb::handle name) {
        return give(tf::reverse(as_input(tensor), as_input(axis), named(name)));
      },
      "tensor"_a, "axis"_a, kNone("name") = nb::none());
  m.def(
      "invert_permutation",
      [](nb::handle x, nb::handle name) { return give(tf::invert_permutation(as_input(x), named(name))); },
      "x"_a, kNone("name") = nb::none());
}

}  // namespace flowray::python
