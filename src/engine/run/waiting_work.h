#pragma once
/// Suspended work of a run that is more than one call: a branch, a loop, a graph that runs node by node and
/// has blocking instructions in it.

namespace flowray::engine {

class WaitingWork {
 public:
  virtual ~WaitingWork() = default;
  /// Resumes until it has to wait. True: it has ended, and its outputs are in their slots. False: it waits
  /// for calls that complete into the run's RunInbox. Throws when nothing in it waits any more.
  virtual bool advance() = 0;
  /// Cancels it. From then on it begins nothing that may have to wait, and is still to be advanced
  /// until it is over.
  virtual void give_up() = 0;
};

}  // namespace flowray::engine
