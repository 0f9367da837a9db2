/// tensorflow.examples.tutorials.mnist.input_data on the language's reader.

#include "native/convert/convert.h"

#include <flowray/tf/examples.h>

#include <optional>
#include <utility>

namespace flowray::python {

void bind_mnist(nb::module_& m) {
  using tf::examples::DataSet;
  nb::class_<DataSet>(m, "DataSet")
      .def(
          "__init__",
          [](DataSet* self, nb::handle images, nb::handle labels, Flag one_hot, nb::handle dtype,
             Flag reshape, nb::handle seed) {
            std::optional<Array> shared = shared_array(images);
            new (self) DataSet(shared ? *std::move(shared) : as_array(images), as_array(labels),
                               {.one_hot = one_hot,
                                .dtype = as_dtype(dtype),
                                .reshape = reshape,
                                .seed = as_optional_int(seed)});
          },
          "images"_a, "labels"_a, "one_hot"_a, "dtype"_a, "reshape"_a, nb::arg("seed").none())
      .def("images", [](const DataSet& self) { return give_array(self.images()); })
      .def("labels", [](const DataSet& self) { return give_array(self.labels()); })
      .def("num_examples", &DataSet::num_examples)
      .def("epochs_completed", &DataSet::epochs_completed)
      .def(
          "next_batch",
          [](DataSet& self, Integer batch_size, Flag shuffle) {
            auto [images, labels] = self.next_batch(batch_size, {.shuffle = shuffle});
            return nb::make_tuple(give_array(std::move(images)), give_array(std::move(labels)));
          },
          "batch_size"_a, "shuffle"_a = true);
  m.def(
      "read_data_sets",
      [](nb::handle directory, Flag one_hot, nb::handle dtype, Flag reshape, Integer validation_size,
         nb::handle seed) {
        const tf::examples::DataSets sets =
            tf::examples::read_data_sets(as_text(directory), {.one_hot = one_hot,
                                                              .dtype = as_dtype(dtype),
                                                              .reshape = reshape,
                                                              .validation_size = validation_size,
                                                              .seed = as_optional_int(seed)});
        return nb::make_tuple(sets.train, sets.validation, sets.test);
      },
      "directory"_a, "one_hot"_a, "dtype"_a, "reshape"_a, "validation_size"_a, nb::arg("seed").none());
}

}  // namespace flowray::python
