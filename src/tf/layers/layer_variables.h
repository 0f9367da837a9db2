#pragma once
/// The variables of layers, and the losses that regularizers make of them and of results.

#include <flowray/tf/layers.h>
#include <flowray/tf/variable_scope.h>

#include <optional>
#include <string>

namespace flowray::tf {

/// get_variable in the layer's scope. What options.regularizer makes of a variable that was not there before
/// is in the collection "regularization_losses", in the name scope "SCOPE/Regularizer" (`scope` empty: the
/// variable's name), whatever the variable scope's own regularizer makes.
Variable layer_variable(const std::string& name, const TensorShape& shape, GetVariableOptions options,
                        const std::string& scope = {});

/// The variable scope of a layer, with its name scope: the one that its options say or, in later calls of a
/// layers::Shared, that of the first one.
class LayerScope {
 public:
  LayerScope(const std::string& name, const std::string& default_name, Reuse reuse = {});
  LayerScope(const LayerScope&) = delete;
  LayerScope& operator=(const LayerScope&) = delete;
  ~LayerScope();

 private:
  layers::Shared::State* const shared_;
  std::optional<VariableScopeGuard> scope_;
  std::optional<NameScopeGuard> names_;
};

/// The loss of a layer's result, for one example of the batch.
void add_activity_loss(const layers::Activation& regularizer, const Tensor& result);

/// What tf::layers::dropout makes, in the scope that is open.
Tensor dropout_in_scope(const Tensor& x, const layers::DropoutOptions& options);

}  // namespace flowray::tf
