#pragma once

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "cluster/grpc/shortcut.h"
#include "cluster/transport.h"

namespace flowray::cluster {

class GrpcChannel final : public Channel {
 public:
  GrpcChannel(const std::string& address, const Security& security, Allocate allocate,
              int64_t most_answer_bytes);
  Response call(std::string_view method, const Message& message, Deadline deadline,
                Cancellation* cancellation) override;
  std::function<void()> start(std::string_view method, const Message& message, const Limits& limits,
                              Done done) override;
  int64_t most_answer_bytes() const override { return most_answer_bytes_; }

 private:
  class Network;

  const int64_t most_answer_bytes_;
  const std::shared_ptr<Network> network_;
  const std::shared_ptr<Shortcut> shortcut_;
};

}  // namespace flowray::cluster
