#pragma once
/// Python's values as the runtime sends them: None, numbers, text, bytes, arrays, references, and lists,
/// tuples and dicts of these as what they are, so that C++ can read and write them; everything else by
/// cloudpickle, as a whole, with the bytes of its arrays beside the pickle.

#include "native/convert/convert.h"

#include <flowray/ray/object_ref.h>

namespace flowray::python {

/// Any object. Under the interpreter's lock.
struct Value {
  nb::object object;
};

/// An ObjectRef of Python's: its value may be of any type.
class Ref : public ray::internal::AnyRef {
 public:
  using AnyRef::AnyRef;
};

void encode_value(ray::Encoder& out, nb::handle value);
nb::object decode_value(ray::Decoder& in);
/// All of it. Arrays lie where the value lies.
nb::object decode_view(const ray::internal::ValueView& view);
/// The reference, if the object is an ObjectRef; else null.
const Ref* as_ref(nb::handle object);

}  // namespace flowray::python

namespace flowray::ray {

template <>
struct Codec<python::Value> {
  static void encode(Encoder& out, const python::Value& value) { python::encode_value(out, value.object); }
  static python::Value decode(Decoder& in) { return {python::decode_value(in)}; }
};

template <>
struct Codec<python::Ref> {
  static void encode(Encoder& out, const python::Ref& value) { out.write_ref(value.handle()); }
  static python::Ref decode(Decoder& in) { return python::Ref(in.read_ref()); }
};

}  // namespace flowray::ray
