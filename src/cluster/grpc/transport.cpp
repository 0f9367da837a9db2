#include <grpc/support/log.h>

#include <cstdlib>

#include "cluster/grpc/channel.h"
#include "cluster/grpc/server.h"

namespace flowray::cluster {
namespace {

class GrpcTransport final : public Transport {
 public:
  std::unique_ptr<Listener> listen(const std::string& address, Handler handler, Allocate allocate,
                                   std::string& error) override {
    auto listener = std::make_unique<GrpcListener>(address, std::move(handler), std::move(allocate));
    if (listener->is_listening()) return listener;
    error = "cannot listen at " + address;
    return nullptr;
  }
  std::unique_ptr<Channel> connect(const std::string& address) override {
    return std::make_unique<GrpcChannel>(address);
  }
};

}  // namespace
}  // namespace flowray::cluster

extern "C" __attribute__((visibility("default"))) flowray::cluster::Transport* flowray_cluster_transport(
    int version) {
  if (version != flowray::cluster::kTransportVersion) return nullptr;
  // What goes wrong is in the status of each call; gRPC's own lines on stderr come only if they are
  // asked for.
  if (std::getenv("GRPC_VERBOSITY") == nullptr) {
    gpr_set_log_verbosity(static_cast<gpr_log_severity>(GPR_LOG_SEVERITY_ERROR + 1));
  }
  static auto* const kTransport =
      new flowray::cluster::GrpcTransport;  // never freed: gRPC's threads may outlive main
  return kTransport;
}
