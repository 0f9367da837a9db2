// The rows that Ray's C++ API serves to scripts/compare; the protocol is in docs/measuring.md. Compiled by
// scripts/compare with the headers and the library of the ray wheel: as a program, and as a library that its workers load.
// The same work as ../ray_rows.py's. Small values are ints; 4 MB are bytes, which msgpack copies at once (a vector of float
// goes element by element).

#include <ray/api.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Bytes = std::vector<char>;

constexpr int kSmall = 7;
constexpr int kKept = 10;        // objects that the `get` rows read in turn
constexpr int kCheckCalls = 5;

}  // namespace

int PlusOne(int x) { return x + 1; }
RAY_REMOTE(PlusOne);

class Counter {
 public:
  static Counter *Create() { return new Counter; }
  int Add(int x) { return count_ += x; }
  Bytes Echo(Bytes bytes) { return bytes; }

 private:
  int count_ = 0;
};
RAY_REMOTE(Counter::Create, &Counter::Add, &Counter::Echo);

namespace {

// (i % 1024) as floats, 4 MB.
Bytes LargeValue() {
  Bytes bytes(4 << 20);
  for (int i = 0; i < 1 << 20; ++i) {
    const float value = static_cast<float>(i % 1024);
    std::memcpy(bytes.data() + 4 * i, &value, 4);
  }
  return bytes;
}

std::vector<double> Results(int value) { return {static_cast<double>(value)}; }
std::vector<double> Results(const Bytes &bytes) {
  const int size = static_cast<int>(bytes.size()) / 4;
  std::vector<double> results = {static_cast<double>(size)};
  for (const int i : {0, 1000, size - 1}) {
    float value;
    std::memcpy(&value, bytes.data() + 4 * i, 4);
    results.push_back(value);
  }
  return results;
}

class Row {
 public:
  virtual ~Row() = default;
  virtual void Step() = 0;
  virtual std::vector<double> Check() = 0;
  virtual int Operations() const { return 1; }
};

template <class T>
class Put : public Row {
 public:
  explicit Put(T value) : value_(std::move(value)) {}
  void Step() override { ray::Put(value_); }
  std::vector<double> Check() override { return Results(*ray::Get(ray::Put(value_))); }

 private:
  T value_;
};

template <class T>
class Get : public Row {
 public:
  explicit Get(const T &value) {
    refs_.reserve(kKept);
    for (int i = 0; i < kKept; ++i) {
      const ray::ObjectRef<T> ref = ray::Put(value);  // one that was moved from loses the object, and Get waits for ever
      refs_.push_back(ref);
    }
  }
  void Step() override {
    ray::Get(refs_[next_]);
    next_ = (next_ + 1) % kKept;
  }
  std::vector<double> Check() override { return Results(*ray::Get(refs_.back())); }

 private:
  std::vector<ray::ObjectRef<T>> refs_;
  int next_ = 0;
};

std::vector<double> AsDoubles(const std::vector<std::shared_ptr<int>> &values) {
  std::vector<double> results;
  for (const auto &value : values) results.push_back(*value);
  return results;
}

class Tasks : public Row {
 public:
  explicit Tasks(int operations) : operations_(operations) {}
  int Operations() const override { return operations_; }
  void Step() override {
    std::vector<ray::ObjectRef<int>> refs;
    for (int i = 0; i < operations_; ++i) refs.push_back(ray::Task(PlusOne).Remote(kSmall));
    ray::Get(refs);
  }
  std::vector<double> Check() override {
    std::vector<ray::ObjectRef<int>> refs;
    for (int i = 0; i < kCheckCalls; ++i) refs.push_back(ray::Task(PlusOne).Remote(int(i)));
    return AsDoubles(ray::Get(refs));
  }

 private:
  int operations_;
};

class ActorCalls : public Row {
 public:
  explicit ActorCalls(int operations) : operations_(operations), counter_(ray::Actor(Counter::Create).Remote()) {
    ray::Get(counter_.Task(&Counter::Add).Remote(0));
  }
  ~ActorCalls() override { counter_.Kill(); }
  int Operations() const override { return operations_; }
  void Step() override {
    std::vector<ray::ObjectRef<int>> refs;
    for (int i = 0; i < operations_; ++i) refs.push_back(counter_.Task(&Counter::Add).Remote(1));
    ray::Get(refs);
  }
  std::vector<double> Check() override {
    auto counter = ray::Actor(Counter::Create).Remote();
    std::vector<ray::ObjectRef<int>> refs;
    for (int i = 0; i < kCheckCalls; ++i) refs.push_back(counter.Task(&Counter::Add).Remote(int(i)));
    const auto results = AsDoubles(ray::Get(refs));
    counter.Kill();
    return results;
  }

 private:
  int operations_;
  ray::ActorHandle<Counter> counter_;
};

class TwoActors : public Row {
 public:
  TwoActors() {
    for (auto &counter : counters_) {
      counter = ray::Actor(Counter::Create).Remote();
      ray::Get(counter.Task(&Counter::Add).Remote(0));
    }
  }
  ~TwoActors() override {
    for (auto &counter : counters_) counter.Kill();
  }
  void Step() override {
    ray::Get(counters_[next_].Task(&Counter::Add).Remote(1));
    next_ = 1 - next_;
  }
  std::vector<double> Check() override { return ActorCalls(1).Check(); }

 private:
  ray::ActorHandle<Counter> counters_[2];
  int next_ = 0;
};

class Echo : public Row {
 public:
  Echo() : value_(LargeValue()), counter_(ray::Actor(Counter::Create).Remote()) {}
  ~Echo() override { counter_.Kill(); }
  void Step() override {
    echoed_.reset();  // as ours
    echoed_ = ray::Get(counter_.Task(&Counter::Echo).Remote(Bytes(value_)));
  }
  std::vector<double> Check() override {
    Step();
    return Results(*echoed_);
  }

 private:
  Bytes value_;
  ray::ActorHandle<Counter> counter_;
  std::shared_ptr<Bytes> echoed_;
};

std::unique_ptr<Row> MakeRow(const std::string &name) {
  if (name == "put small") return std::make_unique<Put<int>>(kSmall);
  if (name == "get small") return std::make_unique<Get<int>>(kSmall);
  if (name == "put 4 MB") return std::make_unique<Put<Bytes>>(LargeValue());
  if (name == "get 4 MB") return std::make_unique<Get<Bytes>>(LargeValue());
  if (name == "task, one at a time") return std::make_unique<Tasks>(1);
  if (name == "tasks, pipelined") return std::make_unique<Tasks>(100);
  if (name == "actor call, one at a time") return std::make_unique<ActorCalls>(1);
  if (name == "actor calls, pipelined") return std::make_unique<ActorCalls>(1000);
  if (name == "two actors in turn") return std::make_unique<TwoActors>();
  if (name == "echo 4 MB through an actor") return std::make_unique<Echo>();
  throw std::invalid_argument("no row '" + name + "'");
}

constexpr const char *kNames =
    R"(["put small", "get small", "put 4 MB", "get 4 MB", "task, one at a time", "tasks, pipelined", )"
    R"("actor call, one at a time", "actor calls, pipelined", "two actors in turn", )"
    R"("echo 4 MB through an actor"])";

std::string Run(Row &row, double seconds) {
  long chunk = 1;
  long steps = 0;
  const auto begin = Clock::now();
  auto now = begin;
  const auto since = [](Clock::time_point a, Clock::time_point b) {
    return std::chrono::duration<double>(b - a).count();
  };
  while (since(begin, now) < seconds) {
    for (long i = 0; i < chunk; ++i) row.Step();
    steps += chunk;
    const auto last = now;
    now = Clock::now();
    if (since(last, now) < 0.0025) chunk *= 2;
  }
  std::ostringstream reply;
  reply << R"({"iterations": )" << steps * row.Operations() << R"(, "seconds": )" << since(begin, now) << "}";
  return reply.str();
}

std::string Check(Row &row) {
  std::ostringstream reply;
  reply.precision(17);
  reply << R"({"values": [)";
  const char *separator = "";
  for (const double value : row.Check()) {
    reply << separator << value;
    separator = ", ";
  }
  reply << "]}";
  return reply.str();
}

class Server {
 public:
  std::string Answer(const std::string &line) {
    if (line == "rows") return kNames;
    const size_t space = line.find(' ');
    const std::string command = line.substr(0, space);
    std::string name = space == std::string::npos ? "" : line.substr(space + 1);
    double number = 0;
    if (command == "prepare" || command == "run") {
      const size_t last = name.rfind(' ');
      number = std::stod(name.substr(last + 1));
      name = name.substr(0, last);
    }
    if (command == "prepare") {
      rows_.clear();  // the actors of the row before end
      rows_[name] = MakeRow(name);
      return R"({"ok": true})";
    }
    const auto found = rows_.find(name);
    if (found == rows_.end()) throw std::invalid_argument("'" + name + "' was not prepared");
    if (command == "check") return Check(*found->second);
    if (command == "run") return Run(*found->second, number);
    throw std::invalid_argument("'" + line + "': expected rows, prepare, run, check or quit");
  }
  void Clear() { rows_.clear(); }

 private:
  std::map<std::string, std::unique_ptr<Row>> rows_;
};

std::string Quoted(std::string text) {
  for (char &letter : text) {
    if (letter == '"' || letter == '\\' || static_cast<unsigned char>(letter) < ' ') letter = ' ';
  }
  return '"' + text + '"';
}

}  // namespace

int main() {
  // Ray logs to stdout as well; replies must stand alone there.
  FILE *replies = fdopen(dup(1), "w");
  dup2(2, 1);
  ray::Init();  // the cluster that RAY_ADDRESS names
  Server server;
  for (std::string line; std::getline(std::cin, line) && line != "quit";) {
    std::string reply;
    try {
      reply = server.Answer(line);
    } catch (const std::exception &error) {  // the other rows can still be measured
      reply = R"({"error": )" + Quoted(error.what()) + "}";
    }
    std::fprintf(replies, "%s\n", reply.c_str());
    std::fflush(replies);
  }
  server.Clear();
  ray::Shutdown();
}
