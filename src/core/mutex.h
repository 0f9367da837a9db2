#pragma once
/// Mutexes that clang's thread-safety analysis knows (-Wthread-safety): a member says which mutex guards
/// it, a function which one its caller holds, and an access without it does not compile. Each is the
/// standard library's own, of the same size and cost; other compilers see nothing of the annotations.
/// Source: clang.llvm.org/docs/ThreadSafetyAnalysis.html.
///
///     class Counter {
///      public:
///       void add() {
///         const MutexLock lock(mutex_);
///         ++count_;
///       }
///       void wait_for(int count) {
///         const MutexLock lock(mutex_);
///         changed_.wait(mutex_, [&]() FLOWRAY_REQUIRES(mutex_) { return count_ >= count; });
///       }
///
///      private:
///       Mutex mutex_;
///       CondVar changed_;
///       int count_ FLOWRAY_GUARDED_BY(mutex_) = 0;
///     };

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <utility>

#if defined(__clang__)
#define FLOWRAY_THREAD_SAFETY(...) __attribute__((__VA_ARGS__))
#else
#define FLOWRAY_THREAD_SAFETY(...)
#endif

/// For a member: it is read and written with the mutex held only (read: a SharedMutex may be shared).
#define FLOWRAY_GUARDED_BY(mutex) FLOWRAY_THREAD_SAFETY(guarded_by(mutex))
/// For a pointer: what it points to is guarded.
#define FLOWRAY_PT_GUARDED_BY(mutex) FLOWRAY_THREAD_SAFETY(pt_guarded_by(mutex))
/// For a function or lambda (behind its parentheses): the caller holds the mutex, before and after.
#define FLOWRAY_REQUIRES(...) FLOWRAY_THREAD_SAFETY(requires_capability(__VA_ARGS__))
#define FLOWRAY_REQUIRES_SHARED(...) FLOWRAY_THREAD_SAFETY(requires_shared_capability(__VA_ARGS__))
/// For a function whose body is not analysed. Only where the analysis cannot follow; a comment says why.
#define FLOWRAY_NO_THREAD_SAFETY_ANALYSIS FLOWRAY_THREAD_SAFETY(no_thread_safety_analysis)

// For this file.
#define FLOWRAY_CAPABILITY FLOWRAY_THREAD_SAFETY(capability("mutex"))
#define FLOWRAY_SCOPED_CAPABILITY FLOWRAY_THREAD_SAFETY(scoped_lockable)
#define FLOWRAY_ACQUIRE(...) FLOWRAY_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define FLOWRAY_ACQUIRE_SHARED(...) FLOWRAY_THREAD_SAFETY(acquire_shared_capability(__VA_ARGS__))
#define FLOWRAY_RELEASE(...) FLOWRAY_THREAD_SAFETY(release_capability(__VA_ARGS__))
#define FLOWRAY_RELEASE_SHARED(...) FLOWRAY_THREAD_SAFETY(release_shared_capability(__VA_ARGS__))
#define FLOWRAY_RELEASE_GENERIC(...) FLOWRAY_THREAD_SAFETY(release_generic_capability(__VA_ARGS__))
#define FLOWRAY_TRY_ACQUIRE(...) FLOWRAY_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))
#define FLOWRAY_ASSERT_HELD FLOWRAY_THREAD_SAFETY(assert_capability(this))

namespace flowray {

class FLOWRAY_CAPABILITY Mutex {
 public:
  void lock() FLOWRAY_ACQUIRE() { mutex_.lock(); }
  bool try_lock() FLOWRAY_TRY_ACQUIRE(true) { return mutex_.try_lock(); }
  void unlock() FLOWRAY_RELEASE() { mutex_.unlock(); }
  /// Does nothing. Tells the analysis that the calling thread holds it where it cannot see that: in a
  /// function that is called back from elsewhere, or behind a std::unique_lock<Mutex>, which is the lock that
  /// can be handed on.
  void assert_held() const FLOWRAY_ASSERT_HELD {}

 private:
  friend class CondVar;
  std::mutex mutex_;
};

/// One that the thread that holds it may lock again.
class FLOWRAY_CAPABILITY RecursiveMutex {
 public:
  void lock() FLOWRAY_ACQUIRE() { mutex_.lock(); }
  void unlock() FLOWRAY_RELEASE() { mutex_.unlock(); }

 private:
  std::recursive_mutex mutex_;
};

/// Held by one thread, or shared by several that only read.
class FLOWRAY_CAPABILITY SharedMutex {
 public:
  void lock() FLOWRAY_ACQUIRE() { mutex_.lock(); }
  void unlock() FLOWRAY_RELEASE() { mutex_.unlock(); }
  void lock_shared() FLOWRAY_ACQUIRE_SHARED() { mutex_.lock_shared(); }
  void unlock_shared() FLOWRAY_RELEASE_SHARED() { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

/// Holds a Mutex while it lives, but for the time from unlock() to lock().
class FLOWRAY_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) FLOWRAY_ACQUIRE(mutex) : lock_(mutex) {}
  ~MutexLock() FLOWRAY_RELEASE() {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  void lock() FLOWRAY_ACQUIRE() { lock_.lock(); }
  void unlock() FLOWRAY_RELEASE() { lock_.unlock(); }

 private:
  std::unique_lock<Mutex> lock_;
};

/// Holds a RecursiveMutex while it lives.
class FLOWRAY_SCOPED_CAPABILITY RecursiveLock {
 public:
  explicit RecursiveLock(RecursiveMutex& mutex) FLOWRAY_ACQUIRE(mutex) : lock_(mutex) {}
  ~RecursiveLock() FLOWRAY_RELEASE() {}
  RecursiveLock(const RecursiveLock&) = delete;
  RecursiveLock& operator=(const RecursiveLock&) = delete;

 private:
  std::lock_guard<RecursiveMutex> lock_;
};

/// Holds a SharedMutex alone while it lives.
class FLOWRAY_SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) FLOWRAY_ACQUIRE(mutex) : lock_(mutex) {}
  ~WriterLock() FLOWRAY_RELEASE() {}
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  std::lock_guard<SharedMutex> lock_;
};

/// Shares a SharedMutex with other readers while it lives.
class FLOWRAY_SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) FLOWRAY_ACQUIRE_SHARED(mutex) : lock_(mutex) {}
  ~ReaderLock() FLOWRAY_RELEASE_GENERIC() {}
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  std::shared_lock<SharedMutex> lock_;
};

/// A condition variable for Mutex. A wait without `ready` may wake spuriously; one with `ready` ends when it
/// holds or the time is over, and returns whether it holds.
///
/// `ready` is called with the mutex held: a lambda marked FLOWRAY_REQUIRES. The thread-safety analysis cannot
/// see in here that it names the same mutex, so these functions are left out of it.
class CondVar {
 public:
  void notify_one() noexcept { condition_.notify_one(); }
  void notify_all() noexcept { condition_.notify_all(); }

  void wait(Mutex& mutex) FLOWRAY_REQUIRES(mutex) {
    Borrowed borrowed(mutex);
    condition_.wait(borrowed.lock);
  }

  template <class Ready>
  void wait(Mutex& mutex, Ready ready) FLOWRAY_REQUIRES(mutex) FLOWRAY_NO_THREAD_SAFETY_ANALYSIS {
    while (!ready()) wait(mutex);
  }

  template <class Clock, class Duration>
  std::cv_status wait_until(Mutex& mutex, const std::chrono::time_point<Clock, Duration>& time)
      FLOWRAY_REQUIRES(mutex) {
    Borrowed borrowed(mutex);
    return condition_.wait_until(borrowed.lock, time);
  }

  template <class Clock, class Duration, class Ready>
  bool wait_until(Mutex& mutex, const std::chrono::time_point<Clock, Duration>& time, Ready ready)
      FLOWRAY_REQUIRES(mutex) FLOWRAY_NO_THREAD_SAFETY_ANALYSIS {
    while (!ready()) {
      if (wait_until(mutex, time) == std::cv_status::timeout) return ready();
    }
    return true;
  }

  template <class Rep, class Period, class Ready>
  bool wait_for(Mutex& mutex, const std::chrono::duration<Rep, Period>& time, Ready ready)
      FLOWRAY_REQUIRES(mutex) FLOWRAY_NO_THREAD_SAFETY_ANALYSIS {
    return wait_until(mutex, std::chrono::steady_clock::now() + time, std::move(ready));
  }

 private:
  /// The caller's lock as the standard library wants to see it.
  struct Borrowed {
    explicit Borrowed(Mutex& mutex) : lock(mutex.mutex_, std::adopt_lock) {}
    ~Borrowed() { lock.release(); }
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    std::unique_lock<std::mutex> lock;
  };

  std::condition_variable condition_;
};

static_assert(sizeof(Mutex) == sizeof(std::mutex) && sizeof(SharedMutex) == sizeof(std::shared_mutex) &&
              sizeof(RecursiveMutex) == sizeof(std::recursive_mutex) &&
              sizeof(CondVar) == sizeof(std::condition_variable));

}  // namespace flowray
