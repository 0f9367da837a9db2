/// Masks, grids, repetitions, sorting: functions of array_ops and sort_ops that are made of
/// several operations.

#include "native/convert/bind.h"

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/random.h>

#include <fmt/format.h>

namespace flowray::python {

FLOWRAY_FIELDS(tf::BooleanMaskOptions, name, axis)
FLOWRAY_FIELDS(tf::SequenceMaskOptions, maxlen, dtype, name)
FLOWRAY_FIELDS(tf::RepeatOptions, axis, name)
FLOWRAY_FIELDS(tf::RandomGammaOptions, beta, dtype, seed, name)
FLOWRAY_FIELDS(tf::RandomCropOptions, seed, name)
FLOWRAY_FIELDS(tf::SortOptions, axis, direction, name)

namespace {

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
  using SequenceMask = tf::Tensor (*)(const tf::Input&, const tf::SequenceMaskOptions&);
  m.def("meshgrid", &meshgrid, docstring_of("meshgrid"));
  bind(m, "boolean_mask", &tf::boolean_mask, {"tensor", "mask", or_none("name"), {"axis", nb::none()}});
  bind<SequenceMask>(m, "sequence_mask", &tf::sequence_mask, {"lengths"});
  bind(m, "repeat", &tf::repeat, {"input", "repeats"});
  bind(m, "batch_gather", &tf::batch_gather, {"params", "indices"});
  bind(m, "random_gamma", &tf::random_gamma, {"shape", "alpha"});
  bind(m, "random_crop", &tf::random_crop, {"value", "size"});
  bind(m, "sort", &tf::sort, {"values"});
  bind(m, "argsort", &tf::argsort, {"values", "axis", "direction", ignored("stable", false), "name"});
  bind(m, "is_non_decreasing", &tf::is_non_decreasing, {"x"});
  bind(m, "is_strictly_increasing", &tf::is_strictly_increasing, {"x"});
}

}  // namespace flowray::python
