#pragma once

#include "cluster/identity.h"
#include "cluster/session_table.h"
#include "cluster/transport.h"
#include "cluster/worker/task.h"
#include "core/mutex.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <thread>

namespace flowray::wire {
struct CreateSessionRequest;
}

namespace flowray::cluster {

class MasterSession;

/// TensorFlow's MasterService: sessions that clients make, extend, run and close, on this process's engine
/// and, where their graphs name other tasks of the cluster, by the workers of these. Thread-safe.
/// Source: tensorflow/core/protobuf/master_service.proto.
class Master {
 public:
  /// `watch_period`: how often it is looked for sessions that nobody calls, where there is a limit to that.
  explicit Master(Task& task, std::chrono::milliseconds watch_period = std::chrono::seconds(10));
  ~Master();
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  /// Answers a request of /tensorflow.MasterService/; status UNIMPLEMENTED for other methods. A step that
  /// waits is answered when it ends, by another thread. Does not throw. Lives until all has been answered.
  void handle(const Request& request, Reply reply);

  using Clock = std::chrono::steady_clock;
  /// Ends the sessions that had no call for longer than the limits allow and, where memory is short, some of
  /// those that had none for a while. Tells how many these were. A thread of the master's own does
  /// so all the time.
  size_t end_idle_sessions(Clock::time_point now);

 private:
  class Making;
  Message answer(const Request& request);
  Message create_session(const Request& request);
  Message extend_session(const Request& request);
  Message explain(const Request& request);
  Message partial_run_setup(const Request& request);
  void run_step(const Request& request, Reply reply);
  Message close_session(const Request& request);
  Message list_devices(const Request& request);
  Message which_are_over(const Request& request);
  Message reset(const Request& request);
  Message make_callable(const Request& request);
  void run_callable(const Request& request, Reply reply);
  Message release_callable(const Request& request);
  Identity identity_of_session(const wire::CreateSessionRequest& message) const;
  std::shared_ptr<MasterSession> session(std::string_view handle);
  [[noreturn]] void throw_too_many() const;
  void watch_idle_sessions(std::chrono::milliseconds period);
  std::string new_handle();

  Task& task_;
  std::atomic<uint64_t> last_session_{0};
  SessionTable<MasterSession> sessions_;
  Mutex mutex_;
  std::set<std::string, std::less<>> making_ FLOWRAY_GUARDED_BY(mutex_);  // handles
  CondVar ends_;
  bool is_over_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::thread idle_watch_;
};

}  // namespace flowray::cluster
