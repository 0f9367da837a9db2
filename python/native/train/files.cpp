/// What Python's classes of files ask: checksums of records, and what a checkpoint holds.

#include "native/convert/convert.h"

#include "files/bundle_reader.h"
#include "files/crc32c.h"

#include <nanobind/stl/string.h>

namespace flowray::python {
namespace {

nb::dict by_name(const files::BundleReader& reader, nb::object (*shown)(const files::BundleTensor&)) {
  nb::dict result;
  for (const std::string& name : reader.names()) result[name.c_str()] = shown(reader.find(name));
  return result;
}

void bind_checkpoint_reader(nb::module_& m) {
  using files::BundleReader;
  nb::class_<BundleReader>(m, "CheckpointReader", "What a checkpoint holds: tf.train.NewCheckpointReader.")
      .def(
          "__init__",
          [](BundleReader* self, nb::handle filepattern) {
            new (self) BundleReader(as_text(filepattern), files::FileAccess::all());
          },
          "filepattern"_a)
      .def("get_variable_to_shape_map",
           [](const BundleReader& self) {
             return by_name(self, [](const files::BundleTensor& tensor) -> nb::object {
               nb::list sizes;
               for (const int64_t size : tensor.shape.dims()) sizes.append(size);
               return sizes;
             });
           })
      .def("get_variable_to_dtype_map",
           [](const BundleReader& self) {
             return by_name(self,
                            [](const files::BundleTensor& tensor) { return dtype_object(tensor.dtype); });
           })
      .def(
          "has_tensor",
          [](const BundleReader& self, nb::handle name) {
            const std::vector<std::string> names = self.names();
            return std::ranges::find(names, as_text(name)) != names.end();
          },
          "tensor_str"_a)
      .def(
          "get_tensor",
          [](const BundleReader& self, nb::handle name) { return give_array(self.read(as_text(name))); },
          "tensor_str"_a);
}

}  // namespace

void bind_files(nb::module_& m) {
  m.def("_masked_crc32c",
        [](const nb::bytes& bytes) { return files::masked(files::crc32c({bytes.c_str(), bytes.size()})); });
  bind_checkpoint_reader(m);
}

}  // namespace flowray::python
