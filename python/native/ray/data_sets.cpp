/// Labelled images on their way to other processes: their bytes are read where they lie.

#include <flowray/glue.h>

#include "native/convert/convert.h"

#include "core/buffer.h"
#include "ray/values/value.h"

namespace flowray::python {
namespace {

using tf::examples::DataSet;

nb::object data_set_bytes(const DataSet& set) {
  ray::Encoder encoder;
  ray::encode(encoder, set);
  Array bytes = Array::uninitialized(DType::kUint8, {static_cast<int64_t>(ray::encoded_size_bytes(encoder))});
  ray::write_value(encoder, static_cast<std::byte*>(bytes.mutable_raw_data()));
  return read_only_bytes(std::move(bytes));
}

DataSet read_data_set(nb::handle object) {
  const Array bytes = shared_bytes(object);
  ray::internal::ValueView view;
  view.bytes = {static_cast<const std::byte*>(bytes.raw_data()), bytes.size_bytes()};
  view.buffer = BufferRef::share(bytes.buffer()).leave();
  view.in_place = true;
  return ray::decode_value<DataSet>(view);
}

}  // namespace

void bind_data_sets(nb::module_& m) {
  m.def("data_set_bytes", &data_set_bytes, "set"_a);
  m.def("read_data_set", &read_data_set, "bytes"_a);
}

}  // namespace flowray::python
