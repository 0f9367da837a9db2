#pragma once
/// tf.keras.layers.Lambda: a function of the program's as a layer.
///
///     tf::keras::layers::Lambda half([](const tf::Tensor& x) { return x / 2.0f; });

#include <flowray/tf/function_of.h>
#include <flowray/tf/keras/layer.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::layers {

struct LambdaOptions {
  /// The shape of an element, for the first layer of a model: the model is then built at once. Left out: it
  /// is built by its first input.
  std::optional<TensorShape> input_shape = {};
  /// The layer's name; empty: that of its class in small letters, made unique.
  std::string name = {};
};
/// What a function makes of its input: functions of the language stand in functional models so. It has no
/// weights; variables that the function makes are nobody's. Masks end at it. No file can hold it: save() and
/// to_json() throw errors::UnimplementedError, for which a class of the program's with a get_config is the
/// way.
class Lambda : public Layer {
 public:
  /// Of all inputs.
  using OfInputs = std::function<Tensor(const std::vector<Tensor>& inputs)>;
  /// Of one input: a function of the language or a lambda. Throws TypeError for none.
  explicit Lambda(const FunctionOf<Tensor>& function, const LambdaOptions& options = {},
                  Where where = Where::current());
  /// Of several inputs. Throws TypeError for none.
  explicit Lambda(OfInputs function, const LambdaOptions& options = {}, Where where = Where::current());
  std::string class_name() const override { return "Lambda"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Lambda>(*this); }
  /// Throws errors::UnimplementedError.
  Config get_config() const override;

 protected:
  void build_for(const std::vector<TensorShape>& input_shapes) override;
  std::vector<Tensor> call_for(const std::vector<Tensor>& inputs, bool training) override;

 private:
  bool takes_one_ = false;
  OfInputs function_;
};

}  // namespace flowray::tf::keras::layers

#pragma GCC visibility pop
