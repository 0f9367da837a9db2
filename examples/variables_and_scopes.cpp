// Variables and their names: what Variable and get_variable call them, and what scopes make of that.
//     variables_and_scopes

#include <flowray/tf.h>

#include <iostream>
#include <string>

namespace tf = flowray::tf;

/// Variable takes the next free name; get_variable does, too, but only once under each name.
void two_ways() {
  tf::Graph graph;
  auto scope = graph.as_default();
  auto var1 = tf::Variable(1.0f, {.name = "firstvar"});
  std::cout << "var1: " << var1.name() << "\n";
  var1 = tf::Variable(2.0f, {.name = "firstvar"});
  std::cout << "var1: " << var1.name() << "\n";
  auto var2 = tf::Variable(3.0f);
  std::cout << "var2: " << var2.name() << "\n";
  var2 = tf::Variable(4.0f);
  std::cout << "var1: " << var2.name() << "\n";
  {
    tf::Session session;
    session.run(tf::global_variables_initializer());
    auto session_scope = session.as_default();
    std::cout << "var1= " << var1.eval() << "\n";
    std::cout << "var2= " << var2.eval() << "\n";
  }

  auto get_var1 = tf::get_variable("firstvar", {1}, {.initializer = tf::constant_initializer(0.3f)});
  std::cout << "get_var1: " << get_var1.name() << "\n";
  try {
    get_var1 = tf::get_variable("firstvar", {1}, {.initializer = tf::constant_initializer(0.4f)});
  } catch (const tf::ValueError& error) {
    const std::string text = error.message();
    std::cout << "ValueError: " << text.substr(0, text.find('.') + 1) << "\n";
  }
  get_var1 = tf::get_variable("firstvar1", {1}, {.initializer = tf::constant_initializer(0.4f)});
  std::cout << "get_var1: " << get_var1.name() << "\n";
  tf::Session session;
  session.run(tf::global_variables_initializer());
  std::cout << "get_var1= " << session.run(get_var1) << "\n";
}

/// Of the same name, in scopes beside each other and in each other; with reuse they are the same again.
void in_scopes() {
  tf::Graph graph;
  auto scope = graph.as_default();
  tf::Variable var1, var2;
  {
    auto test1 = tf::variable_scope("test1");
    var1 = tf::get_variable("firstvar", {2});
    auto test2 = tf::variable_scope("test2");
    var2 = tf::get_variable("firstvar", {2});
  }
  std::cout << "var1: " << var1.name() << "\n";
  std::cout << "var2: " << var2.name() << "\n";
  auto test1 = tf::variable_scope("test1", {.reuse = true});
  auto var3 = tf::get_variable("firstvar", {2});
  auto test2 = tf::variable_scope("test2");
  auto var4 = tf::get_variable("firstvar", {2});
  std::cout << "var3: " << var3.name() << "\n";
  std::cout << "var4: " << var4.name() << "\n";
}

/// A scope's initializer holds for the scopes within it.
void initialized_by_scopes() {
  tf::Graph graph;
  auto scope = graph.as_default();
  auto test1 = tf::variable_scope("test1", {.initializer = tf::constant_initializer(0.4f)});
  auto var1 = tf::get_variable("firstvar", {2});
  auto test2 = tf::variable_scope("test2");
  auto var2 = tf::get_variable("firstvar", {2});
  auto var3 = tf::get_variable("test3", {2}, {.initializer = tf::constant_initializer(0.3f)});
  tf::Session session;
  session.run(tf::global_variables_initializer());
  std::cout << "var1= " << session.run(var1) << "\n";
  std::cout << "var2= " << session.run(var2) << "\n";
  std::cout << "var3= " << session.run(var3) << "\n";
}

/// A scope that is entered again is where it was; name_scope names operations, not variables.
void entered_again() {
  tf::Graph graph;
  auto scope = graph.as_default();
  tf::VariableScope sp;
  {
    auto scope1 = tf::variable_scope("scope1");
    sp = scope1.scope();
    auto var1 = tf::get_variable("v", {1});
    std::cout << "sp: " << sp.name() << "\n";
    std::cout << "var1: " << var1.name() << "\n";
  }
  {
    auto scope2 = tf::variable_scope("scope2");
    auto var2 = tf::get_variable("v", {1});
    auto sp1 = tf::variable_scope(sp);
    auto var3 = tf::get_variable("v3", {1});
    std::cout << "sp1: " << sp1.scope().name() << "\n";
    std::cout << "var2: " << var2.name() << "\n";
    std::cout << "var3: " << var3.name() << "\n";
    auto unnamed = tf::variable_scope("");
    auto var4 = tf::get_variable("v4", {1});
    std::cout << "var4: " << var4.name() << "\n";
  }
  auto outer = tf::variable_scope("scope");
  auto bar = tf::name_scope("bar");
  auto v = tf::get_variable("v", {1});
  auto x = 1.0f + v;
  auto top = tf::name_scope("");
  auto y = 1.0f + v;
  std::cout << "v: " << v.name() << "\n";
  std::cout << "x.op: " << x.op().name() << "\n";
  std::cout << "y.op: " << y.op().name() << "\n";
}

int main(int argc, char** argv) {
  if (argc > 1) {
    std::cerr << "variables_and_scopes: '" << argv[1] << "' means nothing here; expected no arguments\n";
    return 2;
  }
  two_ways();
  in_scopes();
  initialized_by_scopes();
  entered_again();
}
