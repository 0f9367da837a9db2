#pragma once
/// Which times of sequences count. tf.keras keeps the mask of a tensor beside it; here the graph keeps it,
/// and a value its own.

#include <flowray/tf/tensor.h>

#include <utility>

namespace flowray::tf::keras {

/// From now on mask_of(output) is `mask`.
void set_mask(const Tensor& output, const Tensor& mask);

/// The same values with this mask, of any dtype.
Tensor masked(const Tensor& values, const Tensor& mask);

/// Puts back what was there before, at the end of a block.
template <class T>
class Exchanged {
 public:
  Exchanged(T& place, T value) : place_(place), before_(std::exchange(place, std::move(value))) {}
  Exchanged(const Exchanged&) = delete;
  Exchanged& operator=(const Exchanged&) = delete;
  ~Exchanged() { place_ = std::move(before_); }

 private:
  T& place_;
  T before_;
};

}  // namespace flowray::tf::keras
