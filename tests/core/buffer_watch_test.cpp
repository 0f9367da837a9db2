#include "core/buffer_watch.h"

#include <flowray/array.h>
#include <flowray/errors.h>
#include <gtest/gtest.h>

#include "core/buffer.h"
#include "core/workspace.h"

namespace flowray {
namespace {

TEST(BufferWatch, TellsTheMostThatWasHandedOutAtOnce) {
  BufferRef before = Buffer::allocate(500);
  BufferWatch watch;
  {
    const BufferRef a = Buffer::allocate(1000);
    const BufferRef shared = a;
    {
      const BufferRef b = Buffer::allocate(70);
    }
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

TEST(BufferWatch, TellsValuesFromWorkspaces) {
  BufferWatch watch;
  const BufferRef value = Buffer::allocate(100);
  {
    Workspace workspace(1000);
    EXPECT_NE(workspace.data(), nullptr);
    const BufferRef other = Buffer::allocate(30);
    EXPECT_EQ(watch.bytes(), 1130);
  }
  EXPECT_EQ(Workspace(0).data(), nullptr);
  EXPECT_EQ(watch.bytes(), 100);
  EXPECT_EQ(watch.most_bytes(), 1130);
  EXPECT_EQ(watch.most_value_bytes(), 130);
  watch.forget_most();
  EXPECT_EQ(watch.most_value_bytes(), 100);
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
