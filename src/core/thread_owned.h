#pragma once
/// Objects of which each thread has one.

#include <pthread.h>

#include <memory>
#include <new>

namespace flowray {

/// The T of the calling thread, made when it asks for it first, which throws std::bad_alloc where there is no
/// memory, and destroyed when the thread ends (the main thread's never is). T names the use: two uses have
/// two types.
///
/// A `thread_local T` ends the process where memory is short: the C library notes its destructor in memory
/// that it allocates, and calls a note that it has no memory for fatal. The first keys of a process take no
/// memory, and where the others find none they say so.
template <class T>
class ThreadOwned {
 public:
  static T& get() {
    if (object_ == nullptr) [[unlikely]]
      make();
    return *object_;
  }

 private:
  static void make() {
    static const pthread_key_t key = make_key();
    auto made = std::make_unique<T>();
    if (pthread_setspecific(key, made.get()) != 0) throw std::bad_alloc();
    object_ = made.release();
  }
  static pthread_key_t make_key() {
    pthread_key_t key{};
    if (pthread_key_create(&key, &end) != 0) throw std::bad_alloc();  // there are 1,024 in a process
    return key;
  }
  /// Called when the thread ends, after the destructors of its thread_local objects.
  static void end(void* object) {
    object_ = nullptr;  // another such destructor may ask for a new one
    delete static_cast<T*>(object);
  }

  static inline constinit thread_local T* object_ = nullptr;
};

}  // namespace flowray
