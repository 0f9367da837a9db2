// Each kind of damage is found; that nothing is found in what the passes make, every other test here checks.
#include "engine/program/verify_program.h"

#include "engine/engine_fixture.h"
#include "engine/program/program_text.h"
#include "engine/verify_complaint.h"

namespace flowray::engine {
namespace {

class VerifyProgram : public EngineTest {
 protected:
  /// %1 = Neg(%0), %2 = Exp(%1), %3 = AddV2(%1, %2) over %1, %5 = Sum(%3, %4), fetched.
  std::unique_ptr<Program> sum() {
    const auto x = placeholder(DType::kFloat32, {16});
    const auto n = builder.op("Neg", {x}, {}, "n");
    const auto a = builder.op("AddV2", {n, builder.op("Exp", {n}, {}, "e")}, {}, "a");
    const auto s = builder.op("Sum", {a, builder.constant(Array(std::vector<int32_t>{0}))}, {}, "s");
    return plan_for({s}, {{x, Array(DType::kFloat32, {16})}}, {}, {.fuse = false});
  }
  /// read %1; Mul(%1, %2) -> %3, %1 let go; update of %0.
  std::unique_ptr<Program> update() {
    const auto w = variable("w", Array({1.0f, 2.0f}));
    const auto doubled = builder.op("Mul", {builder.op("Identity", {w}), builder.constant(2.0f)});
    return plan_for({}, {}, {builder.node("ApplyGradientDescent", {w, builder.constant(1.0f), doubled})});
  }
  static SlotId& input(Program& program, size_t instruction, uint32_t k) {
    return program.segment.operands[program.segment.instructions[instruction].inputs + k];
  }
  static SlotId& output(Program& program, size_t instruction) {
    return program.segment.operands[program.segment.instructions[instruction].outputs];
  }
  static void expect_complaint(const Program& program, const std::string& words) {
    const std::string found = complaint([&] { verify(program); });
    EXPECT_NE(found.find(words), std::string::npos) << found << "\n" << to_text(program);
  }
};

TEST_F(VerifyProgram, FindsNothingInASoundOne) {
  EXPECT_EQ(complaint([&] { verify(*sum()); }), "");
  EXPECT_EQ(complaint([&] { verify(*update()); }), "");
}

TEST_F(VerifyProgram, FindsBytesThatAreTakenTooEarly) {
  const auto program = sum();
  program->slots[2].offset = program->slots[1].offset;
  expect_complaint(*program, "instruction 1 e: it overwrites slot 1, which is still read");
}

TEST_F(VerifyProgram, FindsAnInputThatIsOverwrittenThoughItIsReadLater) {
  const auto program = sum();
  input(*program, 3, 0) = 1;
  expect_complaint(*program, "instruction 2 a: it overwrites slot 1, which is still read");
}

TEST_F(VerifyProgram, FindsASlotThatIsReadBeforeItIsWritten) {
  const auto program = sum();
  input(*program, 1, 0) = 3;
  expect_complaint(*program, "instruction 1 e: slot 3 is read before it is written");
}

TEST_F(VerifyProgram, FindsASlotThatIsWrittenTwice) {
  const auto program = sum();
  output(*program, 1) = 1;
  expect_complaint(*program, "instruction 1 e: slot 1 is written twice");
}

TEST_F(VerifyProgram, FindsAConstantThatIsWritten) {
  const auto program = sum();
  output(*program, 1) = 4;
  expect_complaint(*program, "instruction 1 e: slot 4 is not to be written");
}

TEST_F(VerifyProgram, FindsWhatLiesOutsideOfTheArena) {
  const auto program = sum();
  program->segment.arena_bytes = 64;
  expect_complaint(*program, "instruction 1 e: it writes behind the arena");
  program->segment.arena_bytes = 4096;
  program->slots[2].offset = 100;
  expect_complaint(*program, "not a multiple of 64");
}

TEST_F(VerifyProgram, FindsASlotThatDoesNotExist) {
  const auto program = sum();
  input(*program, 2, 1) = 77;
  expect_complaint(*program, "instruction 2 a: slot 77 does not exist");
}

TEST_F(VerifyProgram, FindsAResultInTheArena) {
  const auto program = sum();
  program->results.push_back({.slot = 3});
  expect_complaint(*program, "a result cannot be handed out");
}

TEST_F(VerifyProgram, FindsAHeldSlotThatIsLetGoTooEarlyTwiceOrNever) {
  auto program = update();
  std::vector<Instruction>& list = program->segment.instructions;
  ASSERT_EQ(list.size(), 3u) << to_text(*program);
  std::swap(list[0].release_begin, list[1].release_begin);
  std::swap(list[0].release_end, list[1].release_end);
  expect_complaint(*program, "slot 1 is let go and read later");
  program = update();
  program->segment.instructions[2].release_begin = program->segment.instructions[1].release_begin;
  program->segment.instructions[2].release_end = program->segment.instructions[1].release_end;
  expect_complaint(*program, "slot 1 is let go twice");
  program = update();
  program->segment.instructions[1].release_end = program->segment.instructions[1].release_begin;
  expect_complaint(*program, "slot 1 is never let go");
}

TEST_F(VerifyProgram, FindsAPredicateWithoutAValue) {
  const auto p = placeholder(DType::kBool, {});
  const auto x = placeholder(DType::kFloat32, {});
  graph::Node* data = builder.node("Switch", {x, p});
  const auto merged = builder.op("Merge", {data->output(0), builder.op("Neg", {data->output(1)})}, {}, "m");
  const auto program = plan_for({merged}, {{p, Array(true)}, {x, Array(1.0f)}});
  Slot& asked = program->slots[input(*program, 0, 0)];
  asked.kind = SlotKind::kResource;
  expect_complaint(*program, "instruction 0 m: what it goes by has no value");
  asked.kind = SlotKind::kFeed;
  asked.dtype = DType::kFloat32;
  expect_complaint(*program, "instruction 0 m: its condition is not a boolean");
}

}  // namespace
}  // namespace flowray::engine
