// A program whose main is not wrapped and that runs a thread before it starts a template: prints the error.

#include <flowray/errors.h>

#include <cstdio>
#include <mutex>
#include <thread>

#include "ray/driver/template_process.h"

int main() {
  std::mutex running;
  running.lock();
  std::thread thread([&] { const std::scoped_lock until(running); });
  int status = 1;
  try {
    flowray::ray::TemplateProcess::start([](uint32_t, std::vector<flowray::ray::Descriptor>) { return 0; });
  } catch (const flowray::RuntimeError& error) {
    std::printf("%s\n", error.what());
    status = 0;
  }
  running.unlock();
  thread.join();
  return status;
}
