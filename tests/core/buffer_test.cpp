#include "core/buffer.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>

#include <cstring>
#include <latch>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace flowray {
namespace {

bool is_aligned(const Buffer& buffer) {
  return reinterpret_cast<uintptr_t>(buffer.data()) % Buffer::kAlignment == 0;
}

TEST(Buffer, HoldsAsManyAlignedBytesAsWereAsked) {
  for (const size_t bytes :
       {0, 1, 4, 63, 64, 65, 400, 1023, 1024, 1025, 65536, 65537, 1 << 20, (4 << 20) + 1, 9 << 20}) {
    SCOPED_TRACE(bytes);
    const BufferRef buffer = Buffer::allocate(bytes);
    EXPECT_EQ(buffer->size_bytes(), bytes);
    ASSERT_NE(buffer->data(), nullptr);
    EXPECT_TRUE(is_aligned(*buffer));
    std::memset(buffer->data(), 0xa5, bytes);
    if (bytes > 0) {
      EXPECT_EQ(buffer->data()[bytes - 1], std::byte{0xa5});
    }
  }
}

TEST(Buffer, GivesEachHolderMemoryOfItsOwn) {
  std::vector<BufferRef> buffers;
  for (int i = 0; i < 200; ++i) {
    buffers.push_back(Buffer::allocate(300));
    std::memset(buffers.back()->data(), i, 300);
  }
  for (int i = 0; i < 200; ++i) {
    for (size_t at = 0; at < 300; ++at) {
      ASSERT_EQ(buffers[static_cast<size_t>(i)]->data()[at], static_cast<std::byte>(i));
    }
  }
}

TEST(Buffer, IsWritableInPlaceWhileHeldOnce) {
  BufferRef first = Buffer::allocate(8);
  EXPECT_TRUE(first->held_once());
  EXPECT_TRUE(first->writable_in_place());
  BufferRef second = first;
  EXPECT_EQ(second.get(), first.get());
  EXPECT_FALSE(first->held_once());
  EXPECT_FALSE(first->writable_in_place());
  second.reset();
  EXPECT_FALSE(second);
  EXPECT_TRUE(first->writable_in_place());
}

// Counts the calls of the release function.
struct Owner {
  int released = 0;
  static void release(void* owner) { ++static_cast<Owner*>(owner)->released; }
};

TEST(Buffer, TellsTheOwnerOfForeignMemoryOnceWhenTheLastReferenceGoes) {
  Owner owner;
  int value = 42;
  {
    const BufferRef first = Buffer::adopt(&value, sizeof(value), &Owner::release, &owner, false);
    EXPECT_EQ(static_cast<void*>(first->data()), &value);
    EXPECT_EQ(first->size_bytes(), sizeof(value));
    const BufferRef second = first;
    EXPECT_EQ(owner.released, 0);
  }
  EXPECT_EQ(owner.released, 1);
  EXPECT_EQ(value, 42);
}

TEST(Buffer, WritesForeignMemoryInPlaceOnlyIfItsOwnerSaysSo) {
  int value = 42;
  const BufferRef read_only = Buffer::adopt(&value, sizeof(value), nullptr, nullptr, false);
  EXPECT_TRUE(read_only->held_once());
  EXPECT_FALSE(read_only->writable_in_place());
  const BufferRef writable = Buffer::adopt(&value, sizeof(value), nullptr, nullptr, true);
  EXPECT_TRUE(writable->writable_in_place());
  const BufferRef shared = writable;
  EXPECT_FALSE(writable->writable_in_place());
}

TEST(Buffer, HasAnAddressEvenForNoForeignMemory) {
  const BufferRef nothing = Buffer::adopt(nullptr, 0, nullptr, nullptr, false);
  EXPECT_NE(nothing->data(), nullptr);
  EXPECT_TRUE(is_aligned(*nothing));
}

TEST(Buffer, SaysHowMuchWasAskedWhenThereIsNoSuchMemory) {
  for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2, size_t{1} << 47, size_t{1} << 46}) {
    try {
      Buffer::allocate(bytes);
      FAIL() << "nothing was thrown for " << bytes;
    } catch (const errors::ResourceExhaustedError& error) {
      EXPECT_NE(error.message().find(" " + std::to_string(bytes) + " bytes"), std::string::npos)
          << error.message();
    }
  }
  EXPECT_EQ(Buffer::allocate(8)->size_bytes(), 8u);
}

TEST(BufferRef, MovesAndSharesAndHandsOver) {
  Owner owner;
  BufferRef first = Buffer::adopt(&owner, 0, &Owner::release, &owner, false);
  BufferRef second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): what is tested.
  EXPECT_TRUE(second->held_once());
  second = *&second;  // Assigning to itself keeps it.
  EXPECT_TRUE(second->held_once());

  Buffer* const raw = second.leave();
  EXPECT_FALSE(second);
  EXPECT_EQ(owner.released, 0);
  {
    const BufferRef shared = BufferRef::share(raw);
    EXPECT_FALSE(raw->held_once());
  }
  EXPECT_TRUE(raw->held_once());
  second = BufferRef::take(raw);
  EXPECT_TRUE(second->held_once());
  second = nullptr;
  EXPECT_EQ(owner.released, 1);
}

TEST(BufferRef, IgnoresNull) {
  retain(nullptr);
  release(nullptr);
  BufferRef none;
  BufferRef copy = none;
  copy.reset();
  EXPECT_EQ(copy, none);
  EXPECT_EQ(none.leave(), nullptr);
}

// Each thread reads what it holds and lets go; the last one must be the only one to free it, after all
// have read.
TEST(Buffer, IsFreedOnceByWhicheverThreadLetsGoLast) {
  constexpr int kThreads = 4;
  for (int round = 0; round < 200; ++round) {
    Owner owner;
    std::vector<int> memory(100, round);
    BufferRef buffer = Buffer::adopt(memory.data(), 100 * sizeof(int), &Owner::release, &owner, true);
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&start, mine = buffer, round]() mutable {
        start.arrive_and_wait();
        EXPECT_EQ(reinterpret_cast<const int*>(mine->data())[99], round);
        mine.reset();
      });
    }
    buffer.reset();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(owner.released, 1);
  }
}

// ThreadSanitizer sees here whether seeing "held once" really comes after the other holder's reads.
TEST(Buffer, MayBeOverwrittenOnceTheOtherHolderHasLetGo) {
  for (int round = 0; round < 200; ++round) {
    BufferRef mine = Buffer::allocate(4);
    mine->data()[0] = std::byte{1};
    std::byte seen{};
    std::thread reader([&seen, theirs = mine]() mutable {
      seen = theirs->data()[0];
      theirs.reset();
    });
    while (!mine->writable_in_place()) std::this_thread::yield();
    mine->data()[0] = std::byte{2};
    reader.join();
    EXPECT_EQ(seen, std::byte{1});
  }
}

}  // namespace
}  // namespace flowray
