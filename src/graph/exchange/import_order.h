#pragma once
/// The nodes of a GraphDef by name, and an order in which each comes after its inputs.

#include "graph/name_table.h"
#include "wire/graph_def.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace flowray::graph {

/// An input of a NodeDef: "n", "n:1" or "^n".
struct InputName {
  std::string_view node;
  int index = 0;  // kControl for "^n"
  static constexpr int kControl = -1;
};
/// A text that is not such a name is returned whole, which no node can be called.
InputName parse_input_name(std::string_view text);

class MessageNodes {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};

  /// Throws InvalidArgumentError "Node 'n' is not unique".
  explicit MessageNodes(const wire::GraphDef& message);

  /// The place in the message; kNone if there is none of that name.
  uint32_t find(std::string_view name) const {
    const uint32_t* place = places_.find(name);
    return place == nullptr ? kNone : *place;
  }

  /// An input of a node: where it is in the message (kNone: not there), and which output,
  /// or InputName::kControl.
  struct Input {
    uint32_t place;
    int index;
  };
  /// The inputs of the node at `place`, in its order.
  std::span<const Input> inputs(uint32_t place) const {
    return std::span(inputs_).subspan(first_input_[place], first_input_[place + 1] - first_input_[place]);
  }

  /// Whether the node at `place` takes the one at `input` only in later iterations of a loop.
  using BackEdge = std::function<bool(uint32_t place, uint32_t input)>;
  /// Places in an order in which inputs come first, but for back edges; the message's own wherever it does.
  /// Inputs that are not in the message are ignored. Throws InvalidArgumentError "2 nodes in a cycle".
  std::vector<uint32_t> inputs_first(const BackEdge& is_back_edge) const;

 private:
  const wire::GraphDef& message_;
  struct NameOfPlace {
    const wire::GraphDef* message;
    std::string_view operator()(uint32_t place) const { return message->node[place].name; }
  };
  NameTable<uint32_t, NameOfPlace> places_;
  std::vector<Input> inputs_;        // of all nodes in a row, looked up once
  std::vector<size_t> first_input_;  // of each node in inputs_, and the end
};

}  // namespace flowray::graph
