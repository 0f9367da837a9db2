#include <grpc/support/log.h>

#include <cstdlib>
#include <utility>

#include "cluster/grpc/channel.h"
#include "cluster/grpc/server.h"

namespace flowray::cluster {
namespace {

class GrpcTransport final : public Transport {
 public:
  std::unique_ptr<Listener> listen(const ListenOptions& options, Handler handler, Allocate allocate,
                                   std::string& error) override {
    auto listener = std::make_unique<GrpcListener>(options, handler, allocate);
    if (listener->is_listening()) return listener;
    error = "cannot listen at " + options.address;
    if (!options.security.has_tls()) return nullptr;
    // gRPC does not tell what it dislikes: where the address can be had without certificates, they are it.
    listener.reset();
    listener = std::make_unique<GrpcListener>(ListenOptions{.address = options.address}, handler, allocate);
    if (listener->is_listening())
      error += " with this certificate, key and authority (is the key that of the certificate?)";
    return nullptr;
  }
  std::unique_ptr<Channel> connect(const std::string& address, const Security& security, Allocate allocate,
                                   int64_t most_answer_bytes) override {
    return std::make_unique<GrpcChannel>(address, security, std::move(allocate), most_answer_bytes);
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
