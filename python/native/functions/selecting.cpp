/// Masks, grids, repetitions, sorting: functions of array_ops and sort_ops that are made of several
/// operations.

#include "native/convert/convert.h"

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/random.h>

#include <fmt/format.h>

namespace flowray::python {
namespace {

tf::SortOptions sort_options(nb::handle axis, nb::handle direction, nb::handle name) {
  return {.axis = as_int(axis), .direction = as_text(direction), .name = as_text(name)};
}

nb::object meshgrid(const nb::args& vectors, const nb::kwargs& named) {
  tf::MeshgridOptions options;
  for (const auto& [key, value] : named) {
    const std::string word = bytes_of(key);
    if (word == "indexing") {
      options.indexing = as_text(value);
    } else if (word == "name") {
      if (!value.is_none()) options.name = as_text(value);
    } else {
      throw TypeError(fmt::format("'{}' is an invalid keyword argument for this function", word));
    }
  }
  std::vector<tf::Input> inputs;
  for (nb::handle vector : vectors) inputs.push_back(as_input(vector));
  return give(tf::meshgrid(inputs, options));
}

}  // namespace

void bind_selecting(nb::module_& m) {
  m.def(
      "boolean_mask",
      [](nb::handle tensor, nb::handle mask, nb::handle name, nb::handle axis) {
        tf::BooleanMaskOptions options;
        if (!name.is_none()) options.name = as_text(name);
        if (!axis.is_none()) options.axis = as_int(axis);
        return give(tf::boolean_mask(as_input(tensor), as_input(mask), options));
      },
      "tensor"_a, "mask"_a, "name"_a = "boolean_mask", "axis"_a = nb::none());
  m.def(
      "sequence_mask",
      [](nb::handle lengths, nb::handle maxlen, nb::handle dtype, nb::handle name) {
        tf::SequenceMaskOptions options;
        options.maxlen = as_optional_input(maxlen);
        if (!dtype.is_none()) options.dtype = as_dtype(dtype);
        options.name = as_text(name);
        return give(tf::sequence_mask(as_input(lengths), options));
      },
      "lengths"_a, "maxlen"_a = nb::none(), "dtype"_a = nb::none(), "name"_a = nb::none());
  m.def("meshgrid", &meshgrid);
  m.def(
      "repeat",
      [](nb::handle input, nb::handle repeats, nb::handle axis, nb::handle name) {
        tf::RepeatOptions options;
        options.axis = as_optional_int(axis);
        options.name = as_text(name);
        return give(tf::repeat(as_input(input), as_input(repeats), options));
      },
      "input"_a, "repeats"_a, "axis"_a = nb::none(), "name"_a = nb::none());
  m.def(
      "batch_gather",
      [](nb::handle params, nb::handle indices, nb::handle name) {
        return give(tf::batch_gather(as_input(params), as_input(indices), {as_text(name)}));
      },
      "params"_a, "indices"_a, "name"_a = nb::none());
  m.def(
      "random_gamma",
      [](nb::handle shape, nb::handle alpha, nb::handle beta, nb::handle dtype, nb::handle seed,
         nb::handle name) {
        tf::RandomGammaOptions options;
        options.beta = as_optional_input(beta);
        if (!dtype.is_none()) options.dtype = as_dtype(dtype);
        options.seed = as_optional_int(seed);
        options.name = as_text(name);
        return give(tf::random_gamma(as_input(shape), as_input(alpha), options));
      },
      "shape"_a, "alpha"_a, "beta"_a = nb::none(), "dtype"_a = nb::none(), "seed"_a = nb::none(),
      "name"_a = nb::none());
  m.def(
      "random_crop",
      [](nb::handle value, nb::handle size, nb::handle seed, nb::handle name) {
        return give(tf::random_crop(as_input(value), as_input(size),
                                    {.seed = as_optional_int(seed), .name = as_text(name)}));
      },
      "value"_a, "size"_a, "seed"_a = nb::none(), "name"_a = nb::none());
  m.def(
      "sort",
      [](nb::handle values, nb::handle axis, nb::handle direction, nb::handle name) {
        return give(tf::sort(as_input(values), sort_options(axis, direction, name)));
      },
      "values"_a, "axis"_a = -1, "direction"_a = "ASCENDING", "name"_a = nb::none());
  m.def(
      "argsort",
      [](nb::handle values, nb::handle axis, nb::handle direction, nb::handle, nb::handle name) {
        return give(tf::argsort(as_input(values), sort_options(axis, direction, name)));
      },
      "values"_a, "axis"_a = -1, "direction"_a = "ASCENDING", "stable"_a = false, "name"_a = nb::none());
  m.def(
      "is_non_decreasing",
      [](nb::handle x, nb::handle name) { return give(tf::is_non_decreasing(as_input(x), {as_text(name)})); },
      "x"_a, "name"_a = nb::none());
  m.def(
      "is_strictly_increasing",
      [](nb::handle x, nb::handle name) {
        return give(tf::is_strictly_increasing(as_input(x), {as_text(name)}));
      },
      "x"_a, "name"_a = nb::none());
}

}  // namespace flowray::python
