#pragma once

#include <string>
#include <utility>

namespace flowray::cluster {

/// A descriptor of the system's, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

/// Sockets that only processes of this machine reach, by names that are not files ("abstract" ones). None of
/// these blocks or is handed to a child; what cannot be had is -1.
Descriptor listen_at(const std::string& name);
Descriptor connect_to(const std::string& name);
/// The next that has connected and runs as the same user; others are turned away. -1: there is none.
Descriptor accept_from(int listener);

/// Unguessable random letters and digits; "" where the system has no random numbers.
std::string random_word();

}  // namespace flowray::cluster
