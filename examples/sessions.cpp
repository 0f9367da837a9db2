// Sessions: one for each graph, one that is the default, variables that they keep, several values at once,
// and values that are fed.
//     sessions [FOLDER]   writes the first graph for TensorBoard into FOLDER

#include <flowray/tf.h>

#include <iostream>
#include <string>

namespace tf = flowray::tf;

void two_graphs(const char* folder) {
  tf::Graph g1, g2;
  tf::Tensor c, m3;
  {
    auto scope = g1.as_default();
    auto a = tf::constant({1.5f, 6.0f});
    auto b = tf::constant({1.5f, 3.2f});
    c = a * b;
  }
  {
    auto scope = g2.as_default();
    auto m1 = tf::constant({{1.f, 0.f, 2.f}, {-1.f, 3.f, 1.f}});
    auto m2 = tf::constant({{3.f, 1.f}, {2.f, 1.f}, {1.f, 0.f}});
    m3 = tf::matmul(m1, m2);
  }
  tf::Session first(g1);
  if (folder != nullptr) tf::summary::FileWriter writer(folder, g1);
  std::cout << first.run(c) << "\n";
  tf::Session second(g2);
  std::cout << second.run(m3) << "\n";
}

void interactive() {
  tf::InteractiveSession session;
  auto x = tf::Variable({1.0f, 2.0f});
  auto a = tf::constant({3.0f, 3.0f});
  x.initializer().run();
  std::cout << tf::subtract(x, a).eval() << "\n";
}

void counter() {
  auto state = tf::Variable(0, {.name = "counter"});
  auto update = tf::assign(state, tf::add(state, 1));
  tf::Session session;
  session.run(tf::global_variables_initializer());
  std::cout << session.run(state) << "\n";
  for (int i = 0; i < 3; ++i) {
    session.run(update);
    std::cout << session.run(state) << "\n";
  }
}

void several_at_once() {
  auto input1 = tf::constant(3.0f);
  auto intermed = tf::add(tf::constant(2.0f), tf::constant(5.0f));
  auto mul = tf::multiply(input1, intermed);
  tf::Session session;
  auto [product, sum] = session.run({mul, intermed});
  std::cout << product << " " << sum << "\n";
}

void fed() {
  auto input1 = tf::placeholder(tf::float32);
  auto input2 = tf::placeholder(tf::float32);
  auto output = tf::multiply(input1, input2);
  tf::Session session;
  std::cout << session.run(output, {{input1, {7.f}}, {input2, {2.f}}}) << "\n";
  try {
    session.run(output);
  } catch (const tf::errors::InvalidArgumentError& error) {
    const std::string text = error.message();
    std::cout << text.substr(0, text.find('\n')) << "\n";
  }
}

int main(int argc, char** argv) {
  if (argc > 2) {
    std::cerr << "sessions: expected at most a folder, got " << argc - 1 << " arguments\n";
    return 2;
  }
  two_graphs(argc == 2 ? argv[1] : nullptr);
  tf::reset_default_graph();
  interactive();
  counter();
  several_at_once();
  fed();
}
