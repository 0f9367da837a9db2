#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "ray/driver/template_loop.h"
#include "ray/transport/descriptor_socket.h"

namespace flowray::ray {

/// A process that was forked when the program's main began, before anything of it ran, and that forks
/// templates from itself: their workers start in the state that the program had then, whatever threads, files
/// and locks it has had since. It holds none of the program's files, and no wait() of the program sees it
/// where the system lets that be. It ends when the program does.
///
/// Only programs in which RAY_REMOTE has registered functions have one.
class Zygote {
 public:
  /// At the begin of main. Without functions or where the system lacks something there is none, and no error.
  static void start_if_needed() noexcept;

  /// Why it cannot stand in for this process; empty: it can.
  static std::string why_not();
  /// Makes it fork a template, which takes over what main may have changed since: standard output and error
  /// output, the working directory, environment, umask and limits of this process. The template says on
  /// `there` that it is ready; where it could not be forked, the socket's other end meets its end. The result
  /// is where its status, an int as waitpid gives it, can be read when it has ended; or an error number below
  /// 0. Throws errors::ResourceExhaustedError if there is no descriptor left.
  static Descriptor fork_template(const DescriptorSocket& there, WorkerMain worker_main,
                                  const std::string& environment);

  /// Continues one that was stopped from outside (SIGSTOP).
  static void wake() noexcept;

  struct Program {
    std::vector<std::string> arguments;  ///< the first one is looked for in PATH
    int socket = -1;                     ///< its descriptor 3
    int complaint = -1;                  ///< its descriptor 4: a file for the system's reason against it
    std::string advice;                  ///< behind that
    std::string environment;             ///< as in CallOptions, beside this process's
    std::chrono::milliseconds most{0};   ///< that the zygote may take: it may have been stopped
  };
  struct Started {
    pid_t pid = -1;  ///< or an error number below 0; -ETIMEDOUT: it may start later, and meet ends of files
    Descriptor status;  ///< as of fork_template
  };
  /// Makes it start a program in a process group of its own, with this process's surroundings as a template
  /// has them: no wait() of this process sees it.
  static Started start_program(const Program& program);
};

}  // namespace flowray::ray
