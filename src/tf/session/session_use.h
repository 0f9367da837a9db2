#pragma once

#include <flowray/tf/session.h>

#include "core/mutex.h"

#include <functional>
#include <memory>

namespace flowray::tf {

/// The use of a session by a thread that is not the program's own: the session's end waits for it, so that a
/// program may make what has such threads before its session, and throw. Thread-safe.
class SessionUse {
 public:
  /// `on_end` is called when the session has been closed and is about to go: it tells the threads, and must
  /// not wait.
  static std::shared_ptr<SessionUse> of(const Session& session, std::function<void()> on_end = nullptr);
  ~SessionUse();
  SessionUse(const SessionUse&) = delete;
  SessionUse& operator=(const SessionUse&) = delete;

  /// What `on_end` tells goes: it is not called any more.
  void forget_on_end();

  /// While it lives, the session does.
  class Borrowed {
   public:
    Borrowed(std::shared_ptr<SessionUse> use, Session& session);
    ~Borrowed();
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    /// Null: it had gone before.
    Session* session() const { return session_; }

   private:
    const std::shared_ptr<SessionUse> use_;
    Session* const session_;
  };

  /// By the end of a session: waits until nobody has borrowed it.
  static void end_all(const Session& session);

 private:
  explicit SessionUse(std::function<void()> on_end);
  bool borrow();
  void give_back();
  void end();

  Mutex mutex_;
  CondVar given_back_;
  bool has_gone_ FLOWRAY_GUARDED_BY(mutex_) = false;
  int num_borrowed_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::function<void()> on_end_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::tf
