// A server of an installed Flowray: starts and stops one. libflowray.so opens libflowray-cluster.so
// beside itself.

#include <flowray/tf.h>

#include <iostream>

int main() {
  auto server = flowray::tf::train::Server::create_local_server();
  if (server.target().rfind("grpc://localhost:", 0) != 0) return 1;
  server.stop();
  const int status = server.join();
  std::cout << "a server started and stopped" << std::endl;
  return status;
}
