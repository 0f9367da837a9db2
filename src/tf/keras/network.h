#pragma once
/// The layers between the inputs and outputs of a functional model, and running them anew.

#include "tf/keras/layer_state.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace flowray::tf::keras {

/// One call of a layer inside of a model.
struct NetworkCall {
  std::shared_ptr<Layer> layer;
  std::optional<bool> training;
  CallArguments arguments;
  bool has_mask = false;  // the last one of the inputs is the mask of the first
  /// Which output of which call each of its inputs is.
  std::vector<std::pair<size_t, size_t>> inputs;
  int number = 0;  // of the layer's calls
  int depth = 0;   // calls behind it, on the longest way to an output
};

class Network {
 public:
  Network() = default;
  /// Throws ValueError for tensors that no such model can be made of. `beside`: what is made, too, and comes
  /// out nowhere; its layers stand behind the others.
  Network(const std::vector<KerasTensor>& inputs, const std::vector<KerasTensor>& outputs,
          const std::vector<KerasTensor>& beside = {});

  /// In tf.keras' order: those that are farthest from the outputs first.
  const std::vector<std::shared_ptr<Layer>>& layers() const { return layers_; }
  /// Each behind those whose outputs it takes.
  const std::vector<NetworkCall>& calls() const { return calls_; }
  /// Which output of which call each of the inputs is.
  std::vector<std::pair<size_t, size_t>> inputs() const;
  /// The same of the outputs.
  const std::vector<std::pair<size_t, size_t>>& outputs() const { return outputs_; }
  /// Names of the layers that make the outputs.
  const std::vector<std::string>& output_names() const { return output_names_; }
  std::vector<Tensor> run(const std::vector<Tensor>& inputs, bool training) const;
  /// Whether each call takes one tensor, which the one before it made.
  bool is_a_chain() const;

 private:
  friend class NetworkBuilder;
  std::vector<std::shared_ptr<Layer>> layers_;
  std::vector<NetworkCall> calls_;
  std::vector<size_t> inputs_;  // their calls
  std::vector<std::pair<size_t, size_t>> outputs_;
  std::vector<std::string> output_names_;
};

}  // namespace flowray::tf::keras
