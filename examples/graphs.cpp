// Graphs: which one is the default, and how what is in it is found by its name.
//     graphs

#include <flowray/tf.h>

#include <iostream>

namespace tf = flowray::tf;

int main(int argc, char** argv) {
  if (argc > 1) {
    std::cerr << "graphs: '" << argv[1] << "' means nothing here; expected no arguments\n";
    return 2;
  }
  auto c = tf::constant(0.0f);
  tf::Graph g;
  tf::Tensor c1;
  {
    auto scope = g.as_default();
    c1 = tf::constant(0.0f);
    std::cout << std::boolalpha << "c1 is in g: " << (c1.graph() == g) << "\n";
    std::cout << "c is in g: " << (c.graph() == g) << "\n";
  }
  auto g2 = tf::get_default_graph();
  std::cout << "c is in the default graph: " << (c.graph() == g2) << "\n";
  tf::reset_default_graph();
  auto g3 = tf::get_default_graph();
  std::cout << "which is another after a reset: " << !(g3 == g2) << "\n";

  std::cout << c1.name() << "\n";
  auto t = g.get_tensor_by_name("Const:0");
  std::cout << t << "\n";

  auto a = tf::constant({{1.0f, 2.0f}});
  auto b = tf::constant({{1.0f}, {3.0f}});
  auto tensor1 = tf::matmul(a, b, {.name = "exampleop"});
  std::cout << tensor1.name() << " " << tensor1 << "\n";
  auto test = g3.get_tensor_by_name("exampleop:0");
  std::cout << test << "\n";
  std::cout << tensor1.op().name() << "\n";
  auto testop = g3.get_operation_by_name("exampleop");
  std::cout << testop << "\n";

  tf::Session session;
  std::cout << session.run(test) << "\n";
  std::cout << tf::get_default_graph().get_tensor_by_name("exampleop:0") << "\n";

  for (const tf::Operation& operation : g.get_operations())
    std::cout << operation.name() << " " << operation.type() << "\n";
  std::cout << g.as_graph_element(c1) << "\n";
}
