// A server that runs what its clients ask for, until it is told to end (Ctrl-C): of a cluster that it is
// alone in.
//
//     first_server [HOST:PORT]          localhost:2222; with port 0 at a free one

#include <flowray/tf/server.h>

#include <exception>
#include <iostream>

namespace tf = flowray::tf;

int main(int argc, char** argv) try {
  const tf::train::ClusterSpec cluster{{"worker", {argc > 1 ? argv[1] : "localhost:2222"}}};
  tf::train::Server server(cluster, {.job_name = "worker", .task_index = 0});
  std::cout << "Started server with target: " << server.target() << std::endl;
  return server.join();
} catch (const std::exception& error) {
  std::cerr << "first_server: " << error.what() << "\n";
  return 1;
}
