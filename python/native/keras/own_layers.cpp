#include "native/convert/kept_object.h"
#include "native/keras/bound_layers.h"

#include "tf/keras/layer_names.h"

namespace flowray::python {

namespace {

OwnLayer& checked_own(Layer& layer, const char* method) {
  OwnLayer* const own = own_layer(layer);
  if (own != nullptr) return *own;
  throw TypeError(std::string(method) + " is for layers of a class of the program's, which '" + layer.name() +
                  "' is not.");
}

void add_weight_binding(nb::class_<Layer, PythonLayer>& layer) {
  layer.def("_add_own_weight", [](Layer& self, const std::string& name, nb::handle shape, nb::handle dtype,
                                  nb::handle initializer, bool trainable) {
    const tf::Initializer made = layer_initializer(initializer);
    const keras::WeightOptions options{.initializer = made, .dtype = as_dtype(dtype), .trainable = trainable};
    return checked_own(self, "add_weight").add_own_weight(name, as_shape(shape), options);
  });
}

}  // namespace

bool is_of_derived_class(nb::handle object) {
  const nb::object base = nb::getattr(object.type(), "_of_language", nb::none());
  return !base.is_none() && !base.is(object.type());
}

OwnLayer* own_layer(Layer& layer) { return dynamic_cast<OwnLayer*>(&layer); }

void init_own_layer(void* place, nb::handle self, const nb::args& args, const nb::kwargs& options) {
  const nb::module_ base = nb::module_::import_("flowray.tf.keras.base_layer");
  const nb::object parsed = base.attr("parsed_options")(self.type(), *args, **options);
  const std::string class_name = as_text(nb::object(parsed[0]));
  keras::LayerOptions made{.name = as_text(nb::object(parsed[1])),
                           .trainable = nb::cast<bool>(nb::object(parsed[2]))};
  if (const nb::object shape = parsed[3]; !shape.is_none()) made.input_shape = as_shape(shape);
  auto* const layer = new (place) PythonLayer(self, class_name, class_name, made);
  for (const auto [name, value] : nb::dict(parsed[4])) {
    nb::setattr(self, name, value);
    const tf::DType dtype = as_text(name) == "_dtype" ? as_dtype(value) : tf::DType::kInvalid;
    if (dtype == tf::float32 || dtype == tf::float64) layer->set_dtype(dtype);
  }
  if (const nb::object regularizer = base.attr("activity_regularizer_of")(parsed[5]);
      !regularizer.is_none()) {
    layer->set_activity_regularizer(keras::Activation(activation_of(regularizer)));
    nb::setattr(self, "activity_regularizer", regularizer);
  }
}

void init_own_model(void* place, nb::handle self, nb::handle name) {
  const std::string word = as_text(nb::object(self.type().attr("__name__")));
  new (place) PythonModel(
      self, word,
      name.is_none() ? keras::next_name(tf::default_graph(), keras::snake_case(word)) : as_text(name));
}

keras::CallArguments arguments_of(nb::handle object) {
  return object.is_none() ? nullptr : std::make_shared<KeptObject>(object);
}

nb::object object_of(const keras::CallArguments& arguments) {
  return arguments == nullptr ? nb::none() : **static_cast<KeptObject*>(arguments.get());
}

void bind_own_layers(nb::class_<Layer, PythonLayer>& layer) {
  add_weight_binding(layer);
  layer
      .def("_add_own_loss",
           [](Layer& self, const tf::Tensor& loss) { checked_own(self, "add_loss").add_own_loss(loss); })
      .def("_add_own_update",
           [](Layer& self, const tf::Operation& update) {
             checked_own(self, "add_update").add_own_update(update);
           })
      .def("_set_built", [](Layer& self, bool built) { checked_own(self, "built").set_built(built); })
      .def("_note_call",
           [](nb::handle self, nb::handle inputs, nb::handle outputs, nb::handle arguments) {
             const auto held = nb::cast<std::shared_ptr<Layer>>(self);  // which its calls hold from now on
             std::vector<tf::Tensor> made;
             for (const nb::object& output : given_tensors(outputs))
               made.push_back(nb::cast<tf::Tensor>(output));
             return give_keras(
                 held->note_call(keras_tensors_of(given_tensors(inputs)), made, {}, arguments_of(arguments)));
           })
      .def("_build_as_language",
           [](Layer& self, nb::handle shapes) {
             std::vector<tf::TensorShape> given;
             for (nb::handle shape : shapes) given.push_back(as_shape(shape));
             checked_own(self, "build").build_as_language(given);
           })
      .def(
          "_call_as_language",
          [](Layer& self, nb::handle inputs, bool training) {
            std::vector<tf::Tensor> tensors;
            for (const nb::object& object : given_tensors(inputs))
              tensors.push_back(tf::convert_to_tensor(as_input(object)));
            return one_or_list(nb::list(give(checked_own(self, "call").call_as_language(tensors, training))));
          })
      .def("_set_masking",
           [](Layer& self, bool supports) { checked_own(self, "supports_masking").set_masking(supports); })
      .def("_input_masks",
           [](Layer& self) { return give_or_none(checked_own(self, "mask").own_input_masks()); })
      .def("_set_layers",
           [](Layer& self, nb::handle layers) { checked_own(self, "layers").set_layers(layers_in(layers)); })
      .def("_set_ends",
           [](Layer& self, nb::handle inputs, nb::handle outputs) {
             checked_own(self, "fit")
                 .set_ends(keras_tensors_of(given_tensors(inputs)), keras_tensors_of(given_tensors(outputs)));
           })
      .def_prop_ro("_is_own", [](Layer& self) { return own_layer(self) != nullptr; })
      .def_prop_ro("_class_name", [](const Layer& self) { return self.class_name(); });
}

}  // namespace flowray::python
