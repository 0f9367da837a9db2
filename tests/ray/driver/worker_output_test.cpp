#include "ray/driver/worker_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

namespace flowray::ray {
namespace {

constexpr size_t kLongestLine = 1 << 16;

struct Pipe {
  Pipe() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    reading = Descriptor(ends[0]);
    writing = Descriptor(ends[1]);
    EXPECT_EQ(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
  }
  void write(std::string_view text) const {
    EXPECT_EQ(::write(writing.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  Descriptor reading;
  Descriptor writing;
};

/// Puts another file in the place of one of this process's outputs.
class Redirection {
 public:
  Redirection(int output, int replacement) : output_(output) {
    std::fflush(nullptr);
    saved_ = Descriptor(fcntl(output, F_DUPFD_CLOEXEC, 0));
    dup2(replacement, output_);
  }
  ~Redirection() { dup2(saved_.get(), output_); }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;

 private:
  int output_;
  Descriptor saved_;
};

/// What was written to an output while this lived.
class Capture {
 public:
  explicit Capture(int output)
      : file_(memfd_create("capture", MFD_CLOEXEC)), redirection_(output, file_.get()) {}
  std::string text() const {
    std::string text(static_cast<size_t>(lseek(file_.get(), 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(file_.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

 private:
  Descriptor file_;
  Redirection redirection_;
};

/// The pipes of a worker and what shows them.
struct Worker {
  explicit Worker(std::string name = "Adder", bool shown = true)
      : shower(std::move(name), std::move(out.reading), std::move(err.reading), shown) {
    shower.set_pid(42);
  }
  void show_all() {
    for (const int fd : shower.descriptors()) shower.read_from(fd);
  }
  Pipe out;
  Pipe err;
  WorkerOutput shower;
};

TEST(WorkerOutput, GivesEachLineItsPrefixOnTheStreamItCameFrom) {
  Worker worker;
  Capture out(STDOUT_FILENO);
  Capture err(STDERR_FILENO);
  worker.out.write("one\ntwo\n");
  worker.err.write("\n");
  worker.show_all();
  EXPECT_EQ(out.text(), "(Adder pid=42) one\n(Adder pid=42) two\n");
  EXPECT_EQ(err.text(), "(Adder pid=42) \n");
}

TEST(WorkerOutput, LeavesANameThatIsNotThereOut) {
  Worker worker("");
  Capture out(STDOUT_FILENO);
  worker.out.write("one\n");
  worker.show_all();
  EXPECT_EQ(out.text(), "(pid=42) one\n");
}

TEST(WorkerOutput, ShowsALineWhenItsEndHasComeAndNotBetweenThoseOfOthers) {
  Worker first("First");
  Worker second("Second");
  Capture out(STDOUT_FILENO);
  first.out.write("be");
  first.show_all();
  second.out.write("whole\n");
  second.show_all();
  first.out.write("gun\nand");
  first.show_all();
  EXPECT_EQ(out.text(), "(Second pid=42) whole\n(First pid=42) begun\n");
}

TEST(WorkerOutput, ShowsTheLastLineThoughItDoesNotEnd) {
  Worker worker;
  Capture out(STDOUT_FILENO);
  worker.out.write("last words");
  worker.out.writing.close();
  worker.show_all();
  EXPECT_EQ(out.text(), "(Adder pid=42) last words\n");
  EXPECT_EQ(worker.shower.descriptors().size(), 1u);
}

TEST(WorkerOutput, ShowsWhatIsLeftAtTheEndThoughSomebodyHoldsThePipe) {
  Worker worker;
  Capture out(STDOUT_FILENO);
  std::string expected;
  for (int i = 0; i < 2000; ++i) {
    worker.out.write("line " + std::to_string(i) + "\n");
    expected += "(Adder pid=42) line " + std::to_string(i) + "\n";
  }
  worker.out.write("end");
  worker.shower.finish();
  EXPECT_EQ(out.text(), expected + "(Adder pid=42) end\n");
  EXPECT_TRUE(worker.shower.descriptors().empty());
  worker.shower.finish();
  EXPECT_EQ(out.text(), expected + "(Adder pid=42) end\n");
}

TEST(WorkerOutput, ShowsALineWithoutEndInParts) {
  Worker worker;
  Capture out(STDOUT_FILENO);
  for (int i = 0; i < 3; ++i) {
    worker.out.write(std::string(kLongestLine / 2, 'x'));
    worker.show_all();
  }
  worker.out.write("\n");
  worker.show_all();
  const std::string prefix = "(Adder pid=42) ";
  EXPECT_EQ(out.text(), prefix + std::string(kLongestLine, 'x') + "\n" + prefix +
                            std::string(kLongestLine / 2, 'x') + "\n");
}

TEST(WorkerOutput, ShowsTheBeginningOfALineOnceItHasWaited) {
  Worker worker;
  Capture out(STDOUT_FILENO);
  EXPECT_FALSE(worker.shower.next_piece());
  const auto before = WorkerOutput::Clock::now();
  worker.out.write("whole\n10%");
  worker.show_all();
  const auto due = worker.shower.next_piece();
  ASSERT_TRUE(due);
  EXPECT_GE(*due, before + WorkerOutput::kPatience);
  EXPECT_LE(*due, WorkerOutput::Clock::now() + WorkerOutput::kPatience);
  worker.out.write(" 20%");  // does not make it wait longer
  worker.show_all();
  EXPECT_EQ(worker.shower.next_piece(), due);
  worker.shower.show_pieces(*due - std::chrono::nanoseconds(1));
  EXPECT_EQ(out.text(), "(Adder pid=42) whole\n");
  worker.shower.show_pieces(*due);
  EXPECT_EQ(out.text(), "(Adder pid=42) whole\n(Adder pid=42) 10% 20%\n");
  EXPECT_FALSE(worker.shower.next_piece());
  worker.out.write(" 30%\n");
  worker.show_all();
  EXPECT_EQ(out.text(), "(Adder pid=42) whole\n(Adder pid=42) 10% 20%\n(Adder pid=42)  30%\n");
}

TEST(WorkerOutput, ShowsNoEmptyLineForTheEndOfALineThatWasShownAsAPiece) {
  Worker worker;
  Capture out(STDOUT_FILENO);
  const auto show_piece = [&](std::string_view text) {
    worker.out.write(text);
    worker.show_all();
    worker.shower.show_pieces(WorkerOutput::Clock::now() + WorkerOutput::kPatience);
  };
  show_piece("one");
  worker.out.write("\ntwo\n\n");
  worker.show_all();
  const std::string shown = "(Adder pid=42) one\n(Adder pid=42) two\n(Adder pid=42) \n";
  EXPECT_EQ(out.text(), shown);
  show_piece("three");
  show_piece("four");
  worker.out.write("\n");
  worker.show_all();
  EXPECT_EQ(out.text(), shown + "(Adder pid=42) three\n(Adder pid=42) four\n");
  show_piece("five");
  worker.out.write(output_name_mark("f") + "\n");  // an empty line of another
  worker.show_all();
  EXPECT_EQ(out.text(),
            shown + "(Adder pid=42) three\n(Adder pid=42) four\n(Adder pid=42) five\n(f pid=42) \n");
}

TEST(WorkerOutput, ShowsNoEmptyLineForTheEndOfALineThatFillsItsParts) {
  Worker worker;
  Capture out(STDOUT_FILENO);
  for (const size_t size : {kLongestLine - 1, size_t{1}}) {
    worker.out.write(std::string(size, 'x'));
    worker.show_all();
  }
  worker.out.write("\none\n");
  worker.show_all();
  EXPECT_EQ(out.text(), "(Adder pid=42) " + std::string(kLongestLine, 'x') + "\n(Adder pid=42) one\n");
}

TEST(WorkerOutput, GivesLinesTheNameOfTheMarkBeforeThem) {
  Worker worker("");
  Capture out(STDOUT_FILENO);
  Capture err(STDERR_FILENO);
  worker.out.write("one\n" + output_name_mark("f") + "two\nbegun" + output_name_mark("g") + "three\n" +
                   output_name_mark("") + "four\n");
  worker.err.write("five\n");
  worker.show_all();
  EXPECT_EQ(out.text(), "(pid=42) one\n(f pid=42) two\n(f pid=42) begun\n(g pid=42) three\n(pid=42) four\n");
  EXPECT_EQ(err.text(), "(pid=42) five\n");
}

TEST(WorkerOutput, ShowsANameInOneLineThatIsNotTooLong) {
  Worker worker;
  Capture out(STDOUT_FILENO);
  worker.out.write(output_name_mark("a\nb\tc") + "one\n" + output_name_mark(std::string(5000, 'x')) +
                   "two\n");
  worker.show_all();
  EXPECT_EQ(out.text(), "(a b c pid=42) one\n(" + std::string(200, 'x') + " pid=42) two\n");
}

TEST(WorkerOutput, CutsALongNameBetweenCharacters) {
  const std::string many(197, 'x');
  const auto shown = [](const std::string& name) {
    Worker worker;
    Capture out(STDOUT_FILENO);
    worker.out.write(output_name_mark(name) + "one\n");
    worker.show_all();
    return out.text();
  };
  const std::string euro = "\xe2\x82\xac";
  EXPECT_EQ(shown(many + euro), "(" + many + euro + " pid=42) one\n");
  EXPECT_EQ(shown(many + euro + euro), "(" + many + euro + " pid=42) one\n");
  EXPECT_EQ(shown(many + "y" + euro), "(" + many + "y pid=42) one\n");
  EXPECT_EQ(shown(many + "yy" + euro), "(" + many + "yy pid=42) one\n");
  EXPECT_EQ(shown(std::string(300, '\x80')), "(" + std::string(200, '\x80') + " pid=42) one\n");
}

TEST(WorkerOutput, FindsAMarkBehindALineThatIsNearlyTooLong) {
  const std::string name(150, 'n');
  const std::string mark = output_name_mark(name);
  for (size_t before = kLongestLine - mark.size() - 1; before <= kLongestLine; ++before) {
    Worker worker;
    Capture out(STDOUT_FILENO);
    const std::string line(before, 'x');
    worker.out.write(line);
    worker.show_all();
    worker.out.write(mark + "two\n");
    worker.show_all();
    ASSERT_EQ(out.text(), "(Adder pid=42) " + line + "\n(" + name + " pid=42) two\n") << before;
  }
}

TEST(WorkerOutput, FindsAMarkOfWhichAPartHasComeWhenALinesBeginningIsShown) {
  const std::string mark = output_name_mark("f");
  for (size_t part = 1; part < mark.size(); ++part) {
    Worker worker;
    Capture out(STDOUT_FILENO);
    worker.out.write("one" + mark.substr(0, part));
    worker.show_all();
    worker.shower.show_pieces(WorkerOutput::Clock::now() + WorkerOutput::kPatience);
    ASSERT_EQ(out.text(), "(Adder pid=42) one\n") << part;
    EXPECT_TRUE(worker.shower.next_piece());
    worker.out.write(mark.substr(part) + "two\n");
    worker.show_all();
    ASSERT_EQ(out.text(), "(Adder pid=42) one\n(f pid=42) two\n") << part;
  }
}

TEST(WorkerOutput, ShowsWhatOnlyBeginsLikeAMark) {
  Worker worker;
  Capture out(STDOUT_FILENO);
  const std::string half("\0flowray", 8);
  worker.out.write("one" + half);
  worker.show_all();
  for (int i = 0; i < 2; ++i)
    worker.shower.show_pieces(WorkerOutput::Clock::now() + 2 * WorkerOutput::kPatience);
  EXPECT_EQ(out.text(), "(Adder pid=42) one\n(Adder pid=42) " + half + "\n");
  EXPECT_FALSE(worker.shower.next_piece());
}

TEST(WorkerOutput, ReadsWithoutShowingWhereItShallNotBeShown) {
  Worker worker("Adder", false);
  Capture out(STDOUT_FILENO);
  for (int i = 0; i < 10; ++i) {
    worker.out.write(std::string(40000, 'x'));
    worker.show_all();
  }
  worker.shower.finish();
  EXPECT_EQ(out.text(), "");
}

TEST(WorkerOutput, LosesNothingElseWhenTheDriversOutputIsClosed) {
  Worker worker;
  Pipe nobody_reads;
  nobody_reads.reading.close();
  Redirection out(STDOUT_FILENO, nobody_reads.writing.get());
  Capture err(STDERR_FILENO);
  for (int i = 0; i < 3; ++i) {
    worker.out.write("nobody\n");
    worker.err.write("somebody\n");
    worker.show_all();
  }
  worker.shower.finish();
  EXPECT_EQ(err.text(), "(Adder pid=42) somebody\n(Adder pid=42) somebody\n(Adder pid=42) somebody\n");
  sigset_t pending;
  sigpending(&pending);
  EXPECT_FALSE(sigismember(&pending, SIGPIPE));
}

}  // namespace
}  // namespace flowray::ray
