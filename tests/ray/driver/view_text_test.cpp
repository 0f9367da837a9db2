#include "ray/driver/view_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace flowray::ray {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RuntimeView some_view() {
  RuntimeView view;
  view.pid = 4711;
  view.command = "./program --steps 3";
  view.all = {{"CPU", 2000},
              {"GPU", 1000},
              {"memory", 1000 * (uint64_t{8} << 30)},
              {"object_store_memory", 1000 * (uint64_t{1} << 30)}};
  view.free = {{"CPU", 500}, {"GPU", 1000}, {"memory", 1000 * (uint64_t{13} << 29)}};
  view.store_bytes = uint64_t{1} << 30;
  view.used_bytes = 3 << 20;
  view.region_bytes = 8 << 20;
  view.workers = {{{1}, 100, "", 2, false}, {{2}, 101, "Counter", 0, true}};
  view.actors = {{{0x10}, "Counter", "the \"counter\"", "ALIVE", 101, 1, 3, ""},
                 {{0x11}, "Counter", "", "DEAD", 102, 0, 0, "it was killed\nby Kill()"}};
  view.tasks = {{{1}, "f", "FINISHED", "NORMAL_TASK", {}, {1}, 100},
                {{2}, "f", "RUNNING", "NORMAL_TASK", {}, {1}, 100},
                {{3}, "g", "PENDING_ARGS_AVAIL", "NORMAL_TASK", {}, {}, 0}};
  view.objects = {{{7}, 2 << 20, "store", 1, 0, 0, false, "driver"},
                  {{8}, 1 << 20, "store", 0, 1, 0, false, ""},
                  {{9}, 40, "heap", 0, 0, 2, true, "worker 100"}};
  view.demands = {{"{CPU: 1}", 12}};
  view.functions = {{"f", 5, 1}, {"g", 0, 0}};
  view.groups = {{{0x20}, 0, 2, "trainers", {{{"CPU", 1.5}, {"GPU", 1}}, {{"CPU", 2}}}},
                 {{0x21}, 3, 0, "", {{{"CPU", 1}}}},
                 {{0x22}, 2, 3, "gone", {{{"disk", 1}}}}};
  view.events = {{{1}, {21}, {1}, 100, CallMode::kTask, false, 5'000'000, 1500},
                 {{2}, {22}, {2}, 101, CallMode::kActorCall, true, 6'000'250, 250},
                 {{3}, {22}, {2}, 101, CallMode::kActorCall, true, 0, 0}};  // has not run
  view.steps = {{{2}, 101, 6'000'300, 100}, {{}, 0, 7'000'000, 30'000}};
  view.function_names = {{21, "f"}, {22, "a \"quoted\"\nname\\"}};
  return view;
}

TEST(ViewText, TellsTheStatus) {
  const std::string text = status_text(some_view());
  EXPECT_THAT(text, HasSubstr("Driver 4711: ./program --steps 3"));
  EXPECT_THAT(text, HasSubstr("Workers: 1 for tasks, 1 for actors\n"));
  EXPECT_THAT(text, HasSubstr("Actors ALIVE: 1\nActors DEAD: 1\n"));
  EXPECT_THAT(text, HasSubstr("Tasks RUNNING: 1\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          " 1.5/2.0 CPU\n 0.0/1.0 GPU\n 1.50GiB/8.00GiB memory\n 3.00MiB/1.00GiB object_store_memory\n"));
  EXPECT_THAT(text, HasSubstr(" {CPU: 1}: 12 pending tasks/actors\n"));
  EXPECT_THAT(status_text(RuntimeView()), HasSubstr(" (no resource demands)\n"));
}

TEST(ViewText, ListsPlacementGroups) {
  EXPECT_EQ(placement_groups_text(some_view(), 10),
            "PLACEMENT_GROUP_ID  NAME      STATE    STRATEGY       BUNDLES\n"
            "0000000000000020    trainers  CREATED  PACK           {CPU: 1.5, GPU: 1} {CPU: 2}\n"
            "0000000000000021    -         PENDING  STRICT_SPREAD  {CPU: 1}\n"
            "0000000000000022    gone      REMOVED  STRICT_PACK    {disk: 1}\n");
}

TEST(ViewText, ListsRowsBelowTheirColumns) {
  EXPECT_EQ(tasks_text(some_view(), 2),
            "TASK_ID           NAME  STATE               TYPE         ACTOR_ID  WORKER_ID  PID\n"
            "0000000000000002  f     RUNNING             NORMAL_TASK  -         1          100\n"
            "0000000000000003  g     PENDING_ARGS_AVAIL  NORMAL_TASK  -         -          -\n"
            "2 of 3 tasks are shown: --limit shows more.\n");
  const std::string actors = actors_text(some_view(), 10);
  EXPECT_THAT(actors, HasSubstr("0000000000000010  Counter     ALIVE  the \"counter\"  101  1         3"));
  EXPECT_THAT(actors, HasSubstr("it was killed by Kill()\n"));  // on one line
  EXPECT_THAT(actors, Not(HasSubstr("--limit")));
  EXPECT_THAT(workers_text(some_view(), 10), HasSubstr("2          101  Counter  0      yes\n"));
  EXPECT_THAT(objects_text(some_view(), 1), HasSubstr("1 of 3 objects are shown"));
}

TEST(ViewText, TellsWhoHoldsTheMemory) {
  const std::string text = memory_text(some_view(), 10);
  EXPECT_THAT(
      text,
      HasSubstr("0000000000000007  2097152  store  LOCAL_REFERENCE       1        0     0      driver\n"));
  EXPECT_THAT(text,
              HasSubstr("0000000000000008  1048576  store  USED_BY_PENDING_TASK  0        1     0      -\n"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "0000000000000009  40       error  PINNED_IN_MEMORY      0        0     2      worker 100\n"));
  EXPECT_THAT(text, HasSubstr("calls and values  1        1.00MiB\n"));
  EXPECT_THAT(text, HasSubstr("3.00MiB of 1.00GiB hold values; 8.00MiB of memory are taken.\n"));
}

TEST(ViewText, DrawsTheTimeline) {
  const std::string text = timeline_text(some_view());
  EXPECT_THAT(
      text, HasSubstr(R"({"cat":"task","name":"f","ph":"X","ts":5000.000,"dur":1.500,"pid":4711,"tid":1,)"));
  EXPECT_THAT(text, HasSubstr(R"("name":"a \"quoted\"\u000aname\\")"));
  EXPECT_THAT(text, HasSubstr(R"("args":{"name":"worker:101"})"));
  EXPECT_EQ(text.find(R"("task_id":"0000000000000003")"), std::string::npos);
  EXPECT_THAT(text,
              HasSubstr(R"({"cat":"step","name":"step of a session","ph":"X","ts":6000.300,"dur":0.100,)"
                        R"("pid":4711,"tid":2})"));
  EXPECT_THAT(text, HasSubstr(R"("ts":7000.000,"dur":30.000,"pid":4711,"tid":0})"));
  EXPECT_THAT(text, HasSubstr(R"("tid":0,"args":{"name":"driver"})"));
  EXPECT_TRUE(text.starts_with("[{") && text.ends_with("}]\n"));
}

TEST(ViewText, TellsNumbersToPrometheus) {
  const std::string text = metrics_text(some_view());
  EXPECT_THAT(text, HasSubstr("# TYPE ray_tasks gauge\n"));
  EXPECT_THAT(text, HasSubstr("ray_tasks{Name=\"f\",State=\"FINISHED\"} 5\n"));
  EXPECT_THAT(text, HasSubstr("ray_tasks{Name=\"f\",State=\"FAILED\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ray_tasks{Name=\"g\",State=\"PENDING_ARGS_AVAIL\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("ray_resources{Name=\"CPU\",State=\"USED\"} 1.5\n"));
  EXPECT_THAT(text, HasSubstr("ray_object_store_memory{Location=\"IN_MEMORY\"} 3145728\n"));
  RuntimeView view = some_view();
  view.functions[0].name = "a \"quoted\"\nname\\";
  EXPECT_THAT(metrics_text(view), HasSubstr(R"(ray_tasks{Name="a \"quoted\"\nname\\",State="FINISHED"} 5)"));
}

TEST(TaskHistory, KeepsTheLastEvents) {
  TaskHistory history;
  for (uint64_t i = 0; i < TaskHistory::kMostEvents + 10; ++i) history.add({.task = {i}});
  EXPECT_EQ(history.size(), TaskHistory::kMostEvents);
  uint64_t next = 10;
  history.each([&](const TaskEvent& event) { EXPECT_EQ(event.task.value, next++); });
  EXPECT_EQ(next, TaskHistory::kMostEvents + 10);
}

}  // namespace
}  // namespace flowray::ray
