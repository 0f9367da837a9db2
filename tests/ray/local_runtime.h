#pragma once

#include <gtest/gtest.h>

#include "ray/calls/local_backend.h"

namespace flowray::ray {

/// Runs tasks and actors in the test's own thread; every object must be let go of by the test's end.
class LocalRuntime : public testing::Test {
 protected:
  LocalRuntime() { internal::set_backend(&backend_); }
  ~LocalRuntime() override { internal::set_backend(nullptr); }
  void TearDown() override { EXPECT_EQ(backend_.num_objects(), held_by_actors_); }

  LocalBackend backend_;
  size_t held_by_actors_ = 0;
};

}  // namespace flowray::ray
