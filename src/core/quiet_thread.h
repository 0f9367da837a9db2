#pragma once

#include <unistd.h>

#include <functional>
#include <thread>

namespace flowray {

/// A thread of the library's own: no signal is delivered to it, as those are for the program's threads.
/// `name` has at most 15 characters. Throws std::system_error if there is no thread to be had.
std::thread start_quiet_thread(const char* name, std::function<void()> work);

/// Something with threads that ends with the process that made it. In the child of a fork() it is left as it
/// is: what those threads held and waited at when they were left behind would never be free.
template <class T>
class OfOneProcess {
 public:
  template <class... Arguments>
  explicit OfOneProcess(Arguments... arguments) : process_(getpid()), object_(new T(arguments...)) {}
  ~OfOneProcess() {
    if (getpid() == process_) delete object_;
  }
  OfOneProcess(const OfOneProcess&) = delete;
  OfOneProcess& operator=(const OfOneProcess&) = delete;
  T& operator*() const { return *object_; }

 private:
  const pid_t process_;
  T* const object_;
};

}  // namespace flowray
