#include "core/buffer_watch.h"

#include <flowray/array.h>
#include <flowray/errors.h>
#include <gtest/gtest.h>

#include "core/buffer.h"

namespace flowray {
namespace {

TEST(BufferWatch, TellsTheMostThatWasHandedOutAtOnce) {
  BufferRef before = Buffer::allocate(500);
  BufferWatch watch;
  {
    const BufferRef a = Buffer::allocate(1000);
    const BufferRef shared = a;
    { const BufferRef b = Buffer::allocate(70); }
    const BufferRef c = Buffer::allocate(30);
    EXPECT_EQ(watch.bytes(), 1030);
  }
  EXPECT_EQ(watch.bytes(), 0);
  EXPECT_EQ(watch.most_bytes(), 1070);
  before.reset();
  EXPECT_EQ(watch.bytes(), -500);
  watch.forget_most();
  EXPECT_EQ(watch.most_bytes(), -500);
}

TEST(BufferWatch, LeavesOutForeignMemory) {
  BufferWatch watch;
  std::byte foreign[100];
  {
    const BufferRef told = Buffer::adopt(foreign, 100, [](void*) {}, nullptr, true);
    const BufferRef untold = Buffer::adopt(foreign, 100, nullptr, nullptr, true);
    EXPECT_EQ(watch.bytes(), 0);
  }
  EXPECT_EQ(watch.bytes(), 0);
}

TEST(BufferWatch, IsTheOnlyOne) {
  {
    const BufferWatch first;
    EXPECT_THROW(BufferWatch(), errors::FailedPreconditionError);
    EXPECT_EQ(BufferWatch::begin_if_free(), nullptr);
  }
  EXPECT_NE(BufferWatch::begin_if_free(), nullptr);
  const BufferWatch next;
  EXPECT_EQ(next.bytes(), 0);
}

}  // namespace
}  // namespace flowray
