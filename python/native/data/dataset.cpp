/// tf.data: datasets and iterators of flat elements. flowray/tf/_datasets.py packs their components into the
/// structures that Python's programs have.

#include "native/convert/kept_object.h"
#include "native/flow/called_back.h"

#include <flowray/tf/data.h>
#include <flowray/tf/data_experimental.h>

#include "tf/data/dataset_parts.h"

#include <utility>

namespace flowray::python {

using tf::data::Dataset;
using tf::data::Iterator;
using tf::data::TensorSpec;

FLOWRAY_FIELDS(tf::data::BatchOptions, drop_remainder, name)
FLOWRAY_FIELDS(tf::data::PaddedBatchOptions, padded_shapes, padding_values, drop_remainder, name)
FLOWRAY_FIELDS(tf::data::ShuffleOptions, seed, reshuffle_each_iteration, name)
FLOWRAY_FIELDS(tf::data::WindowOptions, shift, stride, drop_remainder, name)
FLOWRAY_FIELDS(tf::data::MapOptions, num_parallel_calls, deterministic, name)
FLOWRAY_FIELDS(tf::data::FilesOptions, compression_type, buffer_size, name)
FLOWRAY_FIELDS(tf::data::FixedLengthRecordOptions, header_bytes, footer_bytes, buffer_size, compression_type,
               name)
FLOWRAY_FIELDS(tf::data::ListFilesOptions, shuffle, seed, name)
FLOWRAY_FIELDS(tf::data::InitializableIteratorOptions, shared_name)
FLOWRAY_FIELDS(tf::data::experimental::RandomDatasetOptions, seed, name)
FLOWRAY_FIELDS(tf::data::experimental::ChooseOptions, stop_on_empty_dataset)
FLOWRAY_FIELDS(tf::data::experimental::MapAndBatchOptions, num_parallel_calls, drop_remainder)

template <>
inline constexpr auto kFrom<Dataset> = +[](nb::handle object) { return nb::cast<Dataset>(object); };

template <>
inline constexpr auto kFrom<std::vector<Dataset>> = +[](nb::handle list) {
  std::vector<Dataset> datasets;
  for (nb::handle item : list) datasets.push_back(nb::cast<Dataset>(item));
  return datasets;
};

/// A function that gives a dataset of native elements.
template <>
inline constexpr auto kFrom<tf::data::internal::DatasetFunction> = +[](nb::handle function) {
  return tf::data::internal::DatasetFunction(
      [function = KeptObject(function)](const std::vector<tf::Tensor>& components) {
        return nb::cast<Dataset>(nb::object(function(give(components))));
      });
};

namespace {

using tf::NameOption;
using Dtypes = std::vector<DType>;
using Shapes = std::vector<Shape>;
using Inputs = std::vector<tf::Input>;

std::vector<TensorSpec> spec_of(const Dtypes& types, const Shapes& shapes) {
  if (types.size() != shapes.size()) {
    throw ValueError(
        "The two structures don't have the same number of elements: output_types and output_shapes must have "
        "one for "
        "each component.");
  }
  std::vector<TensorSpec> spec;
  for (size_t i = 0; i < types.size(); ++i) spec.push_back({types[i], shapes[i]});
  return spec;
}

/// What an element has of dtypes and shapes, in a class that has element_spec().
template <class Class>
void bind_spec(nb::class_<Class>& type) {
  type.def_prop_ro("output_types",
                   [](const Class& self) {
                     Dtypes types;
                     for (const TensorSpec& spec : self.element_spec()) types.push_back(spec.dtype);
                     return give_result(types);
                   })
      .def_prop_ro("output_shapes", [](const Class& self) {
        nb::list shapes;
        for (const TensorSpec& spec : self.element_spec()) shapes.append(shape_object(spec.shape));
        return shapes;
      });
}

void bind_sources(nb::module_& m) {
  bind(m, "_dataset_of",
       [](const tf::Tensor& variant_tensor, const Dtypes& types, const Shapes& shapes) {
         return Dataset(variant_tensor, spec_of(types, shapes));
       },
       {"variant_tensor", "types", "shapes"});
  bind(m, "_dataset_from_tensors",
       [](const Inputs& tensors, const NameOption& options) {
         return Dataset::from_tensors(tensors, options);
       },
       {"tensors"});
  bind(m, "_dataset_from_tensor_slices",
       [](const Inputs& tensors, const NameOption& options) { return Dataset::slices_of(tensors, options); },
       {"tensors"});
  bind(m, "_range_dataset",
       [](const tf::Input& start, const tf::Input& stop, const tf::Input& step, const NameOption& options) {
         return Dataset::range(start, stop, step, options);
       },
       {"start", "stop", "step"});
  bind(m, "_zip_datasets",
       [](const std::vector<Dataset>& datasets, const NameOption& options) {
         return Dataset::zip(datasets, options);
       },
       {"datasets"});
  bind(m, "_list_files", &Dataset::list_files, {"file_pattern"});
  bind(m, "_text_line_dataset", &tf::data::text_line_dataset, {"filenames"});
  bind(m, "_tf_record_dataset", &tf::data::tf_record_dataset, {"filenames"});
  bind(m, "_fixed_length_record_dataset", &tf::data::fixed_length_record_dataset,
       {"filenames", "record_bytes"});
  bind(m, "_generator_dataset", &tf::data::generator_dataset, {"init", "next", "finalize"});
}

void bind_choices(nb::module_& m) {
  bind(m, "_random_dataset", [](const tf::data::experimental::RandomDatasetOptions& options) {
    return tf::data::experimental::random_dataset(options);
  });
  bind(m, "_sample_from_datasets",
       [](const std::vector<Dataset>& datasets, const tf::OptionalInput& weights,
          const std::vector<Dataset>& weights_of_each, std::optional<int64_t> seed,
          bool stop_on_empty_dataset) {
         return tf::data::experimental::sample_from_datasets(
             datasets, {.weights = weights,
                        .weights_of_each = weights_of_each.empty() ? Dataset() : weights_of_each[0],
                        .seed = seed,
                        .stop_on_empty_dataset = stop_on_empty_dataset});
       },
       {"datasets", "weights", "weights_of_each", "seed", "stop_on_empty_dataset"});
  bind(m, "_choose_from_datasets",
       [](const std::vector<Dataset>& datasets, const Dataset& choice_dataset,
          const tf::data::experimental::ChooseOptions& options) {
         return tf::data::experimental::choose_from_datasets(datasets, choice_dataset, options);
       },
       {"datasets", "choice_dataset"});
}

std::vector<tf::Tensor> reduce(const Dataset& self, const Inputs& initial_state,
                               const tf::data::internal::ElementFunction& fn, const NameOption& options) {
  return tf::data::reduce_to_any_state(self, initial_state, fn, options);
}

void bind_orders_and_groups(nb::class_<Dataset>& dataset) {
  bind_method(dataset, "batch", &Dataset::batch, {"batch_size"});
  bind_method(dataset, "padded_batch", &Dataset::padded_batch, {"batch_size"});
  bind_method(dataset, "unbatch", &Dataset::unbatch);
  bind_method(dataset, "window", &Dataset::window, {"size"});
  bind_method(dataset, "shuffle", &Dataset::shuffle, {"buffer_size"});
  bind_method(dataset, "repeat", &Dataset::repeat, {"count"});
  bind_method(dataset, "take", &Dataset::take, {"count"});
  bind_method(dataset, "skip", &Dataset::skip, {"count"});
  bind_method(dataset, "shard", &Dataset::shard, {"num_shards", "index"});
  bind_method(dataset, "cache", &Dataset::cache, {"filename"});
  bind_method(dataset, "prefetch", &Dataset::prefetch, {"buffer_size"});
  bind_method(dataset, "concatenate", &Dataset::concatenate, {"dataset"});
  bind_method(dataset, "enumerate", &Dataset::enumerate, {"start"});
}

void bind_functions(nb::class_<Dataset>& dataset) {
  bind_method(dataset, "map", &Dataset::map_elements, {"fn"});
  bind_method(dataset, "map_and_batch",
              [](const Dataset& self, const tf::data::internal::ElementFunction& fn,
                 const tf::Input& batch_size, const tf::data::experimental::MapAndBatchOptions& options) {
                return tf::data::experimental::map_and_batch_elements(self, fn, batch_size, options, {});
              },
              {"fn", "batch_size"});
  bind_method(dataset, "filter",
              [](const Dataset& self, const tf::data::internal::ElementFunction& predicate, bool ends,
                 const NameOption& options) {
                return self.filter_elements(ends ? "TakeWhileDataset" : "FilterDataset", predicate, options,
                                            {});
              },
              {"predicate", "ends"});
  bind_method(dataset, "flat_map", &Dataset::flat_map_elements, {"fn"});
  bind_method(
      dataset, "interleave",
      [](const Dataset& self, const tf::data::internal::DatasetFunction& fn, const tf::Input& cycle_length,
         const tf::Input& block_length, const tf::OptionalInput& num_parallel_calls,
         std::optional<bool> deterministic, const NameOption& options) {
        return self.interleave_elements(fn,
                                        {.cycle_length = cycle_length,
                                         .block_length = block_length,
                                         .num_parallel_calls = num_parallel_calls,
                                         .deterministic = deterministic,
                                         .name = options.name},
                                        {});
      },
      {"fn", "cycle_length", "block_length", "num_parallel_calls", "deterministic"});
  bind_method(
      dataset, "scan",
      [](const Dataset& self, const Inputs& initial_state, const tf::data::internal::ElementFunction& fn,
         const NameOption& options) { return self.scan_elements(initial_state, fn, options); },
      {"initial_state", "fn"});
  bind_method(dataset, "reduce", &reduce, {"initial_state", "fn"});
  bind_method(dataset, "group_by_window",
              [](const Dataset& self, const tf::data::internal::ElementFunction& key_fn,
                 const tf::data::internal::DatasetFunction& reduce_fn,
                 const tf::data::internal::ElementFunction& window_size_fn, const NameOption& options) {
                return self.group_elements(key_fn,
                                           [&](const tf::Tensor& key, const Dataset& group) {
                                             return reduce_fn({key, group.variant_tensor()});
                                           },
                                           window_size_fn, options, {});
              },
              {"key_fn", "reduce_fn", "window_size_fn"});
}

void bind_values(nb::class_<Dataset>& dataset) {
  bind_method(dataset, "unique", &Dataset::unique);
  bind_method(dataset, "get_single_element", &Dataset::get_single_element);
  bind_method(dataset, "cardinality", &Dataset::cardinality);
  bind_method(dataset, "make_one_shot_iterator", &Dataset::make_one_shot_iterator);
  bind_method(dataset, "make_initializable_iterator", &Dataset::make_initializable_iterator);
}

void bind_iterators(nb::module_& m) {
  nb::class_<Iterator> iterator(m, "_Iterator");
  bind_spec(iterator);
  bind_method(iterator, "get_next",
              [](const Iterator& self, const NameOption& options) { return self.get_next(options); });
  bind_method(iterator, "make_initializer", &Iterator::make_initializer, {"dataset"});
  bind_method(iterator, "string_handle", &Iterator::string_handle);
  bind_method(iterator, "initializer", &Iterator::initializer);
  iterator.def_prop_ro("is_eager", [](const Iterator& self) { return self.resource().is_eager(); });
  iterator.def_prop_ro("resource", [](const Iterator& self) { return give(self.resource()); });
  bind(m, "_iterator_from_structure",
       [](const Dtypes& types, const Shapes& shapes, const std::string& shared_name) {
         return Iterator::from_structure(spec_of(types, shapes), {.shared_name = shared_name});
       },
       {"types", "shapes", "shared_name"});
  bind(m, "_iterator_from_string_handle",
       [](const tf::Input& string_handle, const Dtypes& types, const Shapes& shapes) {
         return Iterator::from_string_handle(string_handle, spec_of(types, shapes));
       },
       {"string_handle", "types", "shapes"});
}

}  // namespace

void bind_datasets(nb::module_& m) {
  nb::class_<Dataset> dataset(m, "_Dataset");
  bind_spec(dataset);
  dataset.def_prop_ro("variant_tensor", [](const Dataset& self) { return give(self.variant_tensor()); });
  bind_iterators(m);
  bind_sources(m);
  bind_choices(m);
  bind_orders_and_groups(dataset);
  bind_functions(dataset);
  bind_values(dataset);
}

}  // namespace flowray::python
