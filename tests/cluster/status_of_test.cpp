#include "cluster/status_of.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace flowray::cluster {
namespace {

TEST(StatusOf, MemoryThatIsNotThereIsResourceExhausted) {
  for (const Status& status : {status_of(std::bad_alloc()), status_of(std::bad_array_new_length()),
                               status_of(std::length_error("vector::reserve"))}) {
    EXPECT_EQ(status.code, 8);
    EXPECT_EQ(status.text.find("std::"), std::string::npos) << status.text;
    EXPECT_EQ(status.text.find("vector"), std::string::npos) << status.text;
  }
  EXPECT_NE(status_of(std::bad_alloc()).text.find("no memory left"), std::string::npos);
}

TEST(StatusOf, OtherErrorsHaveTheirCodeOrTheFaultOfTheClientOrOurs) {
  EXPECT_EQ(status_of(errors::NotFoundError("gone")).code, 5);
  EXPECT_EQ(status_of(errors::NotFoundError("gone")).text, "gone");
  EXPECT_EQ(status_of(ValueError("bad")).code, 3);
  EXPECT_EQ(status_of(std::runtime_error("odd")).code, 13);
  EXPECT_EQ(status_of(std::runtime_error("odd")).text, "odd");
}

}  // namespace
}  // namespace flowray::cluster
