#pragma once

#include <memory>

namespace flowray::tools {

/// SIGINT and SIGTERM as the wish to end, which is met within five seconds or at the second signal, whatever
/// the program does meanwhile: a kernel that computes cannot be interrupted otherwise.
class EndingSignals {
 public:
  /// Before any thread begins: all of them leave the signals to the one that is begun here.
  EndingSignals();

  /// Until the first signal. What is left to do has four and a half seconds from then on.
  void wait();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace flowray::tools
