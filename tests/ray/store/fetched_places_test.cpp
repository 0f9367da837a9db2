#include "ray/store/fetched_places.h"

#include <gtest/gtest.h>

namespace flowray::ray {
namespace {

TEST(FetchedPlaces, AreWantedForSizesThatWerePutLately) {
  FetchedPlaces places;
  EXPECT_FALSE(places.wants(1000));
  places.note_put(1000);
  EXPECT_TRUE(places.wants(1000));
  EXPECT_FALSE(places.wants(1001));
}

TEST(FetchedPlaces, AreNotWantedAnyMoreWhereNoneIsPut) {
  FetchedPlaces places;
  places.note_put(1000);
  int wanted = 0;
  while (places.wants(1000)) ++wanted;
  EXPECT_EQ(wanted, 8);
  places.note_put(1000);
  EXPECT_TRUE(places.wants(1000));
}

TEST(FetchedPlaces, RememberTheLastSizes) {
  FetchedPlaces places;
  for (size_t bytes = 1; bytes <= 20; ++bytes) places.note_put(bytes);
  EXPECT_FALSE(places.wants(1));
  EXPECT_TRUE(places.wants(20));
}

TEST(FetchedPlaces, AreNotWantedWhereTheyWouldBeMoreThanTheyMay) {
  FetchedPlaces places;
  places.set_most_bytes(2000);
  for (const size_t bytes : {2000, 2001}) places.note_put(bytes);
  EXPECT_TRUE(places.wants(2000));
  EXPECT_FALSE(places.wants(2001));
}

TEST(FetchedPlaces, KnowNoOtherArrays) {
  FetchedPlaces places;
  const int other = 0;
  EXPECT_FALSE(static_cast<bool>(places.claim(&other, sizeof other, {1})));
}

}  // namespace
}  // namespace flowray::ray
