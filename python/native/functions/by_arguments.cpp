/// Functions whose op, or whose number of nodes, depends on their arguments.

#include "native/convert/convert.h"

#include <flowray/tf/array.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/linalg.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/signal.h>
#include <flowray/tf/strings.h>

#include <fmt/format.h>

namespace flowray::python {
namespace {

constexpr auto kNone = [](const char* name) { return nb::arg(name).none() = nb::none(); };

tf::NameOption named(nb::handle name) { return {as_text(name)}; }

/// The value of an argument that has an old name, too.
nb::handle either(const char* name, nb::handle value, const char* old_name, nb::handle old_value) {
  if (old_value.is_none()) return value;
  if (value.is_none()) return old_value;
  throw ValueError(fmt::format("Cannot specify both '{}' and '{}'.", old_name, name));
}

DType dtype_or(nb::handle dtype, DType otherwise) {
  return dtype.is_none() ? otherwise : base_dtype(as_dtype(dtype));
}

using Unary = tf::Tensor (*)(const tf::Input&, const tf::NameOption&);

void bind_unary(nb::module_& m, const char* name, const char* argument, Unary function, const char* doc) {
  m.def(
      name,
      [function](nb::handle x, nb::handle node_name) {
        return give(function(as_input(x), named(node_name)));
      },
      nb::arg(argument).none(), kNone("name"), doc);
}

void bind_numbers(nb::module_& m, nb::module_& math) {
  bind_unary(m, "real", "input", &tf::real, "The real part; of real numbers the tensor itself.");
  bind_unary(m, "imag", "input", &tf::imag, "The imaginary part; of real numbers zeros.");
  bind_unary(m, "conj", "x", &tf::conj, "The conjugate; of real numbers the tensor itself.");
  bind_unary(m, "angle", "input", &tf::angle, "The angle to the positive real axis, in radians.");
  bind_unary(math, "reciprocal_no_nan", "x", &tf::math::reciprocal_no_nan, "1 / x, and 0 where x is 0.");
  m.def(
      "verify_tensor_all_finite",
      [](nb::handle t, nb::handle msg, nb::handle name, nb::handle x, nb::handle message) {
        const nb::handle values = either("x", x, "t", t);
        const nb::handle text = either("message", message, "msg", msg);
        return give(tf::verify_tensor_all_finite(as_input(values), as_text(text), named(name)));
      },
      kNone("t"), kNone("msg"), kNone("name"), kNone("x"), kNone("message"),
      "The tensor, which a step refuses where NaN or infinity is in it.");
}

void bind_bins(nb::module_& m) {
  m.def(
      "searchsorted",
      [](nb::handle sequence, nb::handle values, nb::handle side, nb::handle out_type, nb::handle name) {
        return give(tf::searchsorted(as_input(sequence), as_input(values),
                                     {as_text(side), dtype_or(out_type, DType::kInt32), as_text(name)}));
      },
      "sorted_sequence"_a, "values"_a, "side"_a = "left", kNone("out_type"), kNone("name"),
      "Where each of the values would stand in the sorted sequence.");
  m.def(
      "bincount",
      [](nb::handle arr, nb::handle weights, nb::handle minlength, nb::handle maxlength, nb::handle dtype) {
        return give(
            tf::bincount(as_input(arr), {as_optional_input(weights), as_optional_input(minlength),
                                         as_optional_input(maxlength), dtype_or(dtype, DType::kInt32)}));
      },
      "arr"_a, kNone("weights"), kNone("minlength"), kNone("maxlength"), kNone("dtype"),
      "How often 0, 1, 2, ... stand in `arr`.");
}

using Segments = tf::Tensor (*)(const tf::Input&, const tf::Input&, const tf::Input&,
                                const tf::SparseSegmentOptions&);

void bind_segments(nb::module_& m, const char* name, Segments function, const char* doc) {
  m.def(
      name,
      [function](nb::handle data, nb::handle indices, nb::handle segment_ids, nb::handle node_name,
                 nb::handle num_segments, Flag sparse_gradient) {
        return give(function(as_input(data), as_input(indices), as_input(segment_ids),
                             {as_text(node_name), as_optional_input(num_segments), sparse_gradient}));
      },
      "data"_a, "indices"_a, "segment_ids"_a, kNone("name"), kNone("num_segments"),
      "sparse_gradient"_a = false, doc);
}

void bind_images(nb::module_& m, nb::module_& nn) {
  m.def(
      "batch_to_space",
      [](nb::handle input, nb::handle crops, nb::handle block_size, nb::handle name, nb::handle block_shape) {
        const nb::handle size = either("block_shape", block_shape, "block_size", block_size);
        return give(tf::batch_to_space(as_input(input), as_input(crops), as_int(size), named(name)));
      },
      "input"_a, "crops"_a, "block_size"_a, kNone("name"), kNone("block_shape"),
      "Blocks that are images of their own as images again.");
  m.def(
      "space_to_batch",
      [](nb::handle input, nb::handle paddings, nb::handle block_size, nb::handle name,
         nb::handle block_shape) {
        const nb::handle size = either("block_shape", block_shape, "block_size", block_size);
        return give(tf::space_to_batch(as_input(input), as_input(paddings), as_int(size), named(name)));
      },
      "input"_a, "paddings"_a, kNone("block_size"), kNone("name"), kNone("block_shape"),
      "Blocks of images as images of their own.");
  nn.def(
      "fused_batch_norm",
      [](nb::handle x, nb::handle scale, nb::handle offset, nb::handle mean, nb::handle variance,
         Real epsilon, nb::handle data_format, Flag is_training, nb::handle name,
         Real exponential_avg_factor) {
        const auto result = tf::nn::fused_batch_norm(
            as_input(x), as_input(scale), as_input(offset),
            {as_optional_input(mean), as_optional_input(variance), epsilon, as_text(data_format), is_training,
             as_text(name), exponential_avg_factor});
        return nb::make_tuple(give(result.y), give(result.mean), give(result.variance));
      },
      "x"_a, "scale"_a, "offset"_a, kNone("mean"), kNone("variance"), "epsilon"_a = 0.001,
      "data_format"_a = "NHWC", "is_training"_a = true, kNone("name"), "exponential_avg_factor"_a = 1.0,
      "x normalised, scaled and moved for each channel, and the mean and variance of the batch.");
}

void bind_linear_algebra(nb::module_& m, nb::module_& linalg) {
  m.def(
      "svd",
      [](nb::handle tensor, Flag full_matrices, Flag compute_uv, nb::handle name) -> nb::object {
        const auto outputs = tf::svd(as_input(tensor), {full_matrices, compute_uv, as_text(name)});
        if (outputs.size() == 1) return give(outputs.front());
        return nb::make_tuple(give(outputs[0]), give(outputs[1]), give(outputs[2]));
      },
      "tensor"_a, "full_matrices"_a = false, "compute_uv"_a = true, kNone("name"),
      "The singular values of each matrix: s, or (s, u, v).");
  m.def(
      "cholesky_solve",
      [](nb::handle chol, nb::handle rhs, nb::handle name) {
        return give(tf::cholesky_solve(as_input(chol), as_input(rhs), named(name)));
      },
      "chol"_a, "rhs"_a, kNone("name"), "The x of A x = rhs by the Cholesky decomposition of A.");
  bind_unary(linalg, "logdet", "matrix", &tf::linalg::logdet,
             "The logarithm of the determinant of each symmetric positive definite matrix.");
}

using RealTransform = tf::Tensor (*)(const tf::Input&, const tf::signal::RealTransformOptions&);

void bind_transform(nb::module_& signal, const char* name, RealTransform function) {
  signal.def(
      name,
      [function](nb::handle input, nb::handle fft_length, nb::handle node_name) {
        return give(function(as_input(input), {as_optional_input(fft_length), as_text(node_name)}));
      },
      "input_tensor"_a, kNone("fft_length"), kNone("name"),
      "A Fourier transform of real numbers, or back to them.");
}

void bind_strings(nb::module_& m, nb::module_& strings) {
  strings.def(
      "regex_full_match",
      [](nb::handle input, nb::handle pattern, nb::handle name) {
        return give(tf::regex_full_match(as_input(input), as_input(pattern), named(name)));
      },
      "input"_a, "pattern"_a, kNone("name"),
      "Whether each string matches the regular expression from end to end.");
  m.def(
      "regex_replace",
      [](nb::handle input, nb::handle pattern, nb::handle rewrite, Flag replace_global, nb::handle name) {
        return give(tf::regex_replace(as_input(input), as_input(pattern), as_input(rewrite),
                                      {replace_global, as_text(name)}));
      },
      "input"_a, "pattern"_a, "rewrite"_a, "replace_global"_a = true, kNone("name"),
      "The strings with `rewrite` in place of what matches.");
  m.def(
      "reduce_join",
      [](nb::handle inputs, nb::handle axis, nb::handle keep_dims, nb::handle separator, nb::handle name,
         nb::handle reduction_indices, nb::handle keepdims) {
        const nb::handle keeps = either("keepdims", keepdims, "keep_dims", keep_dims);
        const nb::handle along = either("axis", axis, "reduction_indices", reduction_indices);
        return give(
            tf::reduce_join(as_input(inputs), {as_optional_input(along), !keeps.is_none() && as_bool(keeps),
                                               as_text(separator), as_text(name)}));
      },
      "inputs"_a, kNone("axis"), kNone("keep_dims"), "separator"_a = "", kNone("name"),
      kNone("reduction_indices"), kNone("keepdims"), "The strings along dimensions as one string.");
}

}  // namespace

void bind_functions_by_arguments(nb::module_& m, nb::module_& nn) {
  nb::module_ math = m.def_submodule("math");
  nb::module_ linalg = m.def_submodule("linalg");
  nb::module_ signal = m.def_submodule("signal");
  nb::module_ strings = m.def_submodule("strings");
  bind_numbers(m, math);
  bind_bins(m);
  bind_segments(m, "sparse_segment_sum", &tf::sparse_segment_sum, "The sums of rows by segments.");
  bind_segments(m, "sparse_segment_mean", &tf::sparse_segment_mean, "The means of rows by segments.");
  bind_segments(m, "sparse_segment_sqrt_n", &tf::sparse_segment_sqrt_n,
                "The sums of rows by segments, divided by the square root of their number.");
  bind_images(m, nn);
  bind_linear_algebra(m, linalg);
  bind_transform(signal, "rfft", &tf::signal::rfft);
  bind_transform(signal, "rfft2d", &tf::signal::rfft2d);
  bind_transform(signal, "irfft", &tf::signal::irfft);
  bind_transform(signal, "irfft2d", &tf::signal::irfft2d);
  bind_strings(m, strings);
}

}  // namespace flowray::python
