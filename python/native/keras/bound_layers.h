#pragma once
/// Layers of the language's, which classes of the program's may derive from.

#include "native/keras/own_layers.h"

#include <array>
#include <string>
#include <utility>

namespace flowray::python {

/// Whether an object that is made now is of a class of the program's that derives from one of
/// flowray.tf.keras.
bool is_of_derived_class(nb::handle object);

/// Where `self` is of a class of the program's, its layer asks it.
template <class Class, class Types, class Indices>
struct BoundLayer;
template <class Class, class Types, size_t... I>
struct BoundLayer<Class, Types, std::index_sequence<I...>> {
  Caller<Types> caller;

  void operator()(nb::pointer_and_handle<Class> self, Handle<I>... objects) const {
    std::array<nb::handle, sizeof...(I) + 1> given = {objects..., nb::handle()};
    caller.call(given.data(), [&](const auto&... values) {
      if (is_of_derived_class(self.h)) {
        const std::string name = as_text(nb::object(self.h.type().attr("__name__")));
        new (self.p) OfPython<Class>(self.h, name, values...);
      } else {
        new (self.p) Class(values...);
      }
    });
  }
};

/// A class of layers that is also a `Parent`, whose constructor takes these.
template <class Parent, class Class, class... Types, size_t N>
nb::class_<Class, Parent, OfPython<Class>> bind_layer_of(nb::module_& m, const char* name,
                                                         const Argument (&arguments)[N]) {
  nb::class_<Class, Parent, OfPython<Class>> layer(m, name);
  using All = HeldTypes<const Types&...>;
  define<All, N>(layer, "__init__", {arguments, arguments + N}, nullptr,
                 [&]<class Indices>(const Caller<All>& caller, Indices) {
                   return BoundLayer<Class, All, Indices>{caller};
                 });
  return layer;
}

/// A class of layers whose constructor takes these.
template <class Class, class... Types, size_t N>
nb::class_<Class, Layer, OfPython<Class>> bind_layer(nb::module_& m, const char* name,
                                                     const Argument (&arguments)[N]) {
  return bind_layer_of<Layer, Class, Types...>(m, name, arguments);
}

}  // namespace flowray::python
