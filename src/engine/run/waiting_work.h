#pragma once
/// What a run does that may have to wait and is more than one call: a branch, a loop, a graph that runs node
/// by node.

namespace flowray::engine {

class WaitingWork {
 public:
  virtual ~WaitingWork() = default;
  /// Goes on as far as it can. True: it is over, and what it gives is where it belongs. False: it waits for
  /// calls whose ends come to the run's RunInbox. Throws when nothing in it waits any more.
  virtual bool advance() = 0;
  /// It shall end early. From then on it begins nothing that may have to wait, and is still to be advanced
  /// until it is over.
  virtual void give_up() = 0;
};

}  // namespace flowray::engine
