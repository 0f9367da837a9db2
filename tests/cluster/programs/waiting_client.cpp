// Waits in many steps at once for what never comes: waiting_client TARGET STEPS

#include <cstdlib>
#include <thread>
#include <vector>

#include "../graph_messages.h"
#include "../network_client.h"

int main(int, char** argv) {
  using namespace flowray::cluster;
  std::vector<std::thread> threads;
  for (int i = std::atoi(argv[2]); i > 0; --i) {
    threads.emplace_back([&] {
      NetworkClient client(argv[1]);
      if (client.create(waiting())) (void)client.run("both:0");
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}
