#include "ray/driver/view_socket.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "ray/driver/session_folder.h"

namespace flowray::ray {
namespace {

namespace fs = std::filesystem;

/// A session folder of its own, by FLOWRAY_SESSION_FOLDER.
class ViewSocketTest : public ::testing::Test {
 protected:
  ViewSocketTest() {
    char name[] = "/tmp/flowray-view-XXXXXX";
    root_ = mkdtemp(name);
    folder_ = root_ + "/session";
    setenv("FLOWRAY_SESSION_FOLDER", folder_.c_str(), 1);
  }
  ~ViewSocketTest() override {
    unsetenv("FLOWRAY_SESSION_FOLDER");
    fs::remove_all(root_);
  }
  /// As the service thread does.
  static void await_question(const ViewSocket& socket) {
    pollfd polled{socket.descriptor(), POLLIN, 0};
    ASSERT_EQ(poll(&polled, 1, 60'000), 1);
  }

  std::string root_;
  std::string folder_;
};

TEST_F(ViewSocketTest, AnswersInAThreadThatStartsWhenSomebodyAsks) {
  ViewSocket socket([](std::string_view request) { return "you said " + std::string(request); });
  ASSERT_GE(socket.descriptor(), 0);
  std::optional<std::string> answer;
  std::thread person([&] { answer = ask_driver(folder_, getpid(), "hello"); });
  await_question(socket);
  socket.start();
  person.join();
  EXPECT_EQ(answer, "you said hello");
  EXPECT_EQ(socket.descriptor(), -1);  // the thread has it
  EXPECT_EQ(ask_driver(folder_, getpid(), "more"), "you said more");
  socket.stop();
  EXPECT_EQ(ask_driver(folder_, getpid(), "hello"), std::nullopt);
}

TEST_F(ViewSocketTest, IsTheUsersAlone) {
  const ViewSocket socket([](std::string_view) { return std::string(); });
  struct stat found{};
  ASSERT_EQ(stat(folder_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(driver_socket_path(folder_, getpid()).c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
}

TEST_F(ViewSocketTest, IsNotThereInAFolderThatOthersMayWriteTo) {
  fs::create_directory(folder_);
  fs::permissions(folder_, fs::perms(0777));
  EXPECT_EQ(ViewSocket([](std::string_view) { return std::string(); }).descriptor(), -1);
  fs::remove(folder_);
  fs::create_directory(root_ + "/elsewhere");
  fs::permissions(root_ + "/elsewhere", fs::perms(0700));
  fs::create_directory_symlink(root_ + "/elsewhere", folder_);
  EXPECT_EQ(ViewSocket([](std::string_view) { return std::string(); }).descriptor(), -1);
}

TEST_F(ViewSocketTest, TakesTheAnswerOfALongText) {
  ViewSocket socket([](std::string_view) { return std::string(5'000'000, 'x'); });
  socket.start();
  EXPECT_EQ(ask_driver(folder_, getpid(), "all"), std::string(5'000'000, 'x'));
}

TEST_F(ViewSocketTest, RemovesItselfButNotInAChild) {
  {
    ViewSocket socket([](std::string_view) { return std::string("here"); });
    const pid_t child = fork();
    if (child == 0) {
      socket.stop();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(fs::exists(driver_socket_path(folder_, getpid())));
    socket.start();
    EXPECT_EQ(ask_driver(folder_, getpid(), "anything"), "here");
  }
  EXPECT_FALSE(fs::exists(driver_socket_path(folder_, getpid())));
}

TEST_F(ViewSocketTest, OfADeadDriverIsRemovedByWhoAsks) {
  const pid_t child = fork();
  if (child == 0) {
    const ViewSocket socket([](std::string_view) { return std::string(); });
    _exit(0);  // without its destructor
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(drivers_in(folder_), std::vector<int64_t>{child});
  EXPECT_EQ(ask_driver(folder_, child, "status"), std::nullopt);
  EXPECT_TRUE(drivers_in(folder_).empty());
}

TEST_F(ViewSocketTest, OfAnEarlierProcessWithItsPidIsReplaced) {
  make_session_folder(folder_);
  std::ofstream(driver_socket_path(folder_, getpid())) << "no socket";
  const ViewSocket socket([](std::string_view) { return std::string(); });
  EXPECT_GE(socket.descriptor(), 0);
}

}  // namespace
}  // namespace flowray::ray
