// LeNet-5 in one actor: a process that gets the images, holds graph and session, and trains while the driver
// could do other things. `lenet_actor --help` tells the flags.

#include "lenet_actor.h"

#include <CLI/CLI.hpp>

#include <exception>
#include <filesystem>
#include <iostream>
#include <string>

using lenet_actor::Model;
using lenet_actor::Training;
namespace ray = flowray::ray;
namespace tf = flowray::tf;

RAY_REMOTE(Model::Create, &Model::Train, &Model::GetAccuracy);

/// Prints one line; returns `status`.
int fail(int status, std::string message) {
  for (char& letter : message) letter = letter == '\n' ? ' ' : letter;
  std::cerr << "lenet_actor: " << message << "\n";
  return status;
}

int main(int argc, char** argv) {
  std::filesystem::path data = "/usr/share/datasets/fashion-mnist";  // of Debian's dataset-fashion-mnist
  Training training;
  CLI::App app("Trains LeNet-5 in one actor and tells its accuracy on the test images.", "lenet_actor");
  const CLI::Range count(int64_t{1}, int64_t{1'000'000'000'000});
  app.add_option("--steps", training.steps, "Steps of 100 images each")->check(count)->capture_default_str();
  app.add_option("--tell-every", training.tell_every, "Steps from line to line")
      ->check(count)
      ->capture_default_str();
  app.add_option("--data", data, "Directory with MNIST's four files, gzipped or not")->capture_default_str();
  app.add_flag("--in-order", training.in_order, "Take the images in the order of the file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    return fail(2, std::string(error.what()) + "; --help tells the flags");
  }

  tf::examples::DataSets mnist_data;
  try {
    mnist_data = tf::examples::read_data_sets(data, {.one_hot = true});
  } catch (const flowray::Error& error) {
    return fail(2, error.message());
  }
  try {
    ray::Init();
    auto model = ray::Actor(Model::Create).Remote(mnist_data);
    auto trained = model.Task(&Model::Train).Remote(training);
    auto accuracy = model.Task(&Model::GetAccuracy).Remote();  // an actor does one thing after the other
    trained.Get();                                             // only to learn of its errors
    std::cout << "Accuracy in the test set is " << *accuracy.Get() << "." << std::endl;
  } catch (const std::exception& error) {
    return fail(1, error.what());
  }
}
