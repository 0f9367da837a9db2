// Flowray for a Python process that has TensorFlow's client: three C functions over libflowray.
// one_process_test.py compiles it and loads it.

#include <flowray/tf.h>

#include <memory>
#include <string>

namespace tf = flowray::tf;

namespace {
std::unique_ptr<tf::train::Server> server;
std::string target;
}  // namespace

extern "C" {

/// Trains w x + b on 100 points of 0.1 x + 0.3, and returns w; -1 after an error.
double train_a_line() {
  try {
    tf::Graph graph;
    const auto scope = graph.as_default();
    std::vector<float> xs(100), ys(100);
    for (size_t i = 0; i < xs.size(); ++i) {
      xs[i] = 0.01f * static_cast<float>(i);
      ys[i] = 0.1f * xs[i] + 0.3f;
    }
    auto w = tf::Variable(tf::zeros({1}));
    auto b = tf::Variable(tf::zeros({1}));
    auto loss = tf::reduce_mean(tf::square(w * xs + b - ys));
    auto train = tf::train::GradientDescentOptimizer(0.5).minimize(loss);
    tf::Session session;
    session.run(tf::global_variables_initializer());
    for (int i = 0; i < 200; ++i) session.run(train);
    return session.run(w).data<float>()[0];
  } catch (const std::exception&) {
    return -1;
  }
}

/// Serves in this process, and returns its target, or what went wrong.
const char* serve() {
  try {
    server = std::make_unique<tf::train::Server>(tf::train::Server::create_local_server());
    target = server->target();
  } catch (const std::exception& error) {
    target = error.what();
  }
  return target.c_str();
}

void stop_serving() { server.reset(); }
}
