#pragma once
/// An error by its class and a part of its words.

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <string>
#include <string_view>

namespace flowray {

template <class Expected>
void expect_error(const std::function<void()>& misuse, std::string_view words) {
  try {
    misuse();
    ADD_FAILURE() << "no error: " << words;
  } catch (const Expected& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another error: " << error.what();
  }
}

}  // namespace flowray
