// Uses Flowray as an installed library: a graph and its session, actors that share weights, and errors that
// are caught by class on the other side of the library's boundary. Prints a line for each; the first that is
// wrong ends it with status 1.

#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "network.h"

namespace ray = flowray::ray;
namespace tf = flowray::tf;
using flowray::Array;
using flowray::Weights;

namespace {

void check(bool holds, const std::string& what) {
  std::cout << (holds ? "right: " : "WRONG: ") << what << std::endl;
  if (!holds) std::exit(1);
}

/// Whether `act` throws an E, caught as one.
template <class E>
bool throws(const std::function<void()>& act) {
  try {
    act();
  } catch (const E&) {
    return true;
  } catch (const std::exception& other) {
    std::cout << "thrown instead: " << other.what() << "\n";
  }
  return false;
}

/// The line 0.1 x + 0.3, found by two actors whose weights are averaged after each step.
void average_weights() {
  std::vector<float> x(100);
  std::vector<float> y(100);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = 0.01f * static_cast<float>(i);
    y[i] = 0.1f * x[i] + 0.3f;
  }
  std::vector<ray::ActorHandle<Network>> actors;
  for (int i = 0; i < 2; ++i) actors.push_back(ray::Actor(Network::Create).Remote(Array(x), Array(y)));
  Weights weights = *actors[0].Task(&Network::GetWeights).Remote().Get();
  for (int iteration = 0; iteration < 201; ++iteration) {
    auto shared = ray::Put(weights);
    std::vector<ray::ObjectRef<Weights>> steps;
    for (const auto& actor : actors) steps.push_back(actor.Task(&Network::Step).Remote(shared));
    weights = flowray::mean(ray::Get(steps));
  }
  check(std::abs(weights.at("w").item<float>() - 0.1f) < 1e-3f, "actors find w = 0.1");
  check(std::abs(weights.at("b").item<float>() - 0.3f) < 1e-3f, "actors find b = 0.3");
  check(throws<ray::RayTaskException>([&] { actors[0].Task(&Network::FeedWrongShape).Remote().Get(); }),
        "an actor's error arrives as RayTaskException");
}

void catch_errors() {
  tf::Graph graph;
  auto scope = graph.as_default();
  auto a = tf::placeholder(tf::float32, {2});
  check(throws<tf::ValueError>([&] { a + tf::constant({1.f, 2.f, 3.f}); }), "ValueError of a wrong shape");
  check(throws<flowray::Error>([&] { graph.get_operation_by_name("nobody"); }), "KeyError as its base class");
  tf::Session session;
  check(throws<tf::errors::InvalidArgumentError>([&] { session.run(a); }), "InvalidArgumentError of a step");
  session.close();
  check(throws<tf::RuntimeError>([&] { session.run(a); }), "RuntimeError of a closed session");
  try {
    ray::Task(Divide).Remote(1, 0).Get();
  } catch (const ray::RayTaskException& error) {
    check(throws<tf::errors::InvalidArgumentError>([&] { error.rethrow_cause(); }),
          "a task's error by its own class");
    return;
  }
  check(false, "a task's error arrives");
}

}  // namespace

int main() {
  // A driver with a thread of its own cannot fork workers: it is run again, and the linked-in __wrap_main
  // takes over there.
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::thread thread([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return over; });
  });
  ray::Init({.num_cpus = 1});
  check(*ray::Task(Divide).Remote(6, 3).Get() == 2, "a task of a driver with threads");
  average_weights();
  catch_errors();
  ray::Shutdown();
  {
    const std::lock_guard lock(mutex);
    over = true;
  }
  changed.notify_one();
  thread.join();
  std::cout << "consumer: all is right\n";
}
