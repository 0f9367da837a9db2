// Two networks: set_weights goes by the names of variables, and in one graph those of a second network
// are others. Its weights can be set where each network has a graph of its own, or by set_flat, which
// goes by order.
//   two_networks

#include <flowray/glue.h>
#include <flowray/tf.h>

#include <iostream>

namespace ray = flowray::ray;
namespace tf = flowray::tf;
using flowray::Array;
using flowray::Weights;

/// Two variables and their sum, in the default graph.
class Network {
 public:
  explicit Network(int start) {
    auto a = tf::Variable(start);
    auto b = tf::Variable(start);
    auto c = tf::add(a, b);
    session_.run(tf::global_variables_initializer());
    variables_ = ray::experimental::TensorFlowVariables(c, session_);
  }

  void set_weights(const Weights& weights) { variables_.set_weights(weights); }
  Weights get_weights() const { return variables_.get_weights(); }
  void set_flat(const Array& weights) { variables_.set_flat(weights); }
  Array get_flat() const { return variables_.get_flat(); }

 private:
  tf::Session session_;
  ray::experimental::TensorFlowVariables variables_;
};

void in_one_graph() {
  tf::Graph graph;
  auto scope = graph.as_default();
  Network a(1);
  Network b(2);
  std::cout << "in one graph: a is " << a.get_weights() << ", b is " << b.get_weights() << "\n";
  try {
    b.set_weights(a.get_weights());
    std::cout << "b has the weights of a\n";
  } catch (const tf::AssertionError& error) {
    std::cout << "set_weights failed: " << error.message() << "\n";
  }
  b.set_flat(a.get_flat());
  std::cout << "after set_flat: b is " << b.get_weights() << "\n";
}

/// A network in a graph of its own, which lives on in the network's session.
Network network_with_graph(int start) {
  auto scope = tf::Graph().as_default();
  return Network(start);
}

void in_two_graphs() {
  Network a = network_with_graph(1);
  Network b = network_with_graph(2);
  std::cout << "in two graphs: a is " << a.get_weights() << ", b is " << b.get_weights() << "\n";
  b.set_weights(a.get_weights());
  std::cout << "after set_weights: b is " << b.get_weights() << "\n";
}

int main(int argc, char** argv) {
  if (argc > 1) {
    std::cerr << "two_networks: '" << argv[1] << "' means nothing here; expected no arguments\n";
    return 2;
  }
  in_one_graph();
  in_two_graphs();
}
