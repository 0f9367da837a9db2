#include "ray/driver/session_folder.h"

#include <flowray/errors.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace flowray::ray {
namespace {

TEST(SessionFolder, IsTheUsersUnlessSaidOtherwise) {
  unsetenv("FLOWRAY_SESSION_FOLDER");
  unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(session_folder(), "/tmp/flowray-" + std::to_string(geteuid()));
  setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
  EXPECT_EQ(session_folder(), "/run/user/7/flowray-" + std::to_string(geteuid()));
  setenv("FLOWRAY_SESSION_FOLDER", "/somewhere", 1);
  EXPECT_EQ(session_folder(), "/somewhere");
  unsetenv("FLOWRAY_SESSION_FOLDER");
  unsetenv("XDG_RUNTIME_DIR");
}

TEST(SessionFolder, ListsSocketsOfDriversOnly) {
  char name[] = "/tmp/flowray-session-XXXXXX";
  const std::string folder = mkdtemp(name);
  EXPECT_TRUE(drivers_in(folder).empty());
  for (const char* file :
       {"driver-12.sock", "driver-3.sock", "driver-x.sock", "driver-.sock", "driver-4", "5.sock"})
    std::ofstream(folder + "/" + file) << "";
  EXPECT_EQ(drivers_in(folder), (std::vector<int64_t>{3, 12}));
  EXPECT_TRUE(drivers_in(folder + "/nowhere").empty());
  EXPECT_EQ(ask_driver(folder + "/nowhere", 3, "status"), std::nullopt);
  EXPECT_THROW(ask_driver(folder + std::string(200, 'x'), 3, "status"), errors::InvalidArgumentError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace flowray::ray
