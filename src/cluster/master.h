#pragma once

#include "cluster/identity.h"
#include "cluster/transport.h"
#include "core/mutex.h"
#include "graph/resource/variable.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace flowray::wire {
struct CreateSessionRequest;
}

namespace flowray::cluster {

class MasterSession;

/// TensorFlow's MasterService: sessions that clients make, extend, run and close, all on this process's
/// engine. Variables belong to the process, by container and name: sessions share them, and they outlive
/// sessions. Thread-safe. Source: tensorflow/core/protobuf/master_service.proto.
class Master {
 public:
  explicit Master(Identity identity);
  ~Master();
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  /// Answers a request of /tensorflow.MasterService/; status UNIMPLEMENTED for other methods. A step that
  /// waits is answered when it ends, by another thread. Does not throw. Lives until all has been answered.
  void handle(const Request& request, Reply reply);

 private:
  Message answer(const Request& request);
  Message create_session(const Request& request);
  Message extend_session(const Request& request);
  Message partial_run_setup(const Request& request);
  void run_step(const Request& request, Reply reply);
  Message close_session(const Request& request);
  Message list_devices(const Request& request);
  Message reset(const Request& request);
  Message make_callable(const Request& request);
  void run_callable(const Request& request, Reply reply);
  Message release_callable(const Request& request);
  Identity identity_of_session(const wire::CreateSessionRequest& message) const;
  std::shared_ptr<MasterSession> session(std::string_view handle) const;
  std::string new_handle();

  const Identity identity_;
  const uint64_t incarnation_;
  const std::shared_ptr<graph::ResourceContainers> containers_;
  std::atomic<uint64_t> last_session_{0};
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<MasterSession>, std::less<>> sessions_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
