#pragma once
/// One run of a TokenProgram.

#include "core/parallel.h"
#include "engine/program/token_program.h"
#include "engine/run/pending_calls.h"
#include "engine/run/run_context.h"
#include "engine/run/run_state.h"
#include "graph/kernel/evaluate.h"

#include <exception>
#include <map>
#include <memory>
#include <queue>
#include <span>
#include <string>
#include <vector>

namespace flowray::engine {

/// Runs in the thread that calls it, one node after the other; what blocks is started, and waited for when
/// nothing else can run.
class TokenRun final : public WaitingWork {
 public:
  /// `feeds` as the program names them. The ends of what blocks come to `inbox`.
  TokenRun(const TokenProgram& program, std::span<const graph::NodeInput> feeds,
           const RunSurroundings& surroundings, std::shared_ptr<RunInbox> inbox);

  /// See WaitingWork. Throws errors::OpError naming the node that failed, or what the context tells.
  bool advance() override;
  void give_up() override;

  /// When it is over: one array for each result of the program. Throws errors::InvalidArgumentError where a
  /// result is in a branch that was not taken, and where a node outside of loops has never been reached.
  std::vector<Array> take_results();

 private:
  /// A value on its way. Without presence nothing has arrived yet; a dead one tells that nothing will.
  struct Token {
    enum class Presence : uint8_t { kNone, kDead, kLive };
    graph::NodeInput content = {};
    Presence presence = Presence::kNone;

    static Token live(graph::NodeInput content) { return {std::move(content), Presence::kLive}; }
    static Token dead() { return {{}, Presence::kDead}; }
    bool is_live() const { return presence == Presence::kLive; }
  };

  /// How far a node is from running, in the iteration that its frame is in.
  struct Waiting {
    uint32_t open = 0;  // tokens that are still to come; of a Merge those of control inputs only
    uint32_t num_dead = 0;
    bool has_live = false;  // Merge: it has what it passes on
    bool is_ready = false;  // or has run
  };

  struct Sent {
    uint32_t node;
    Token token;
  };

  /// A loop that is running.
  struct FrameState {
    bool is_active = false;
    graph::FrameIteration at;
    uint32_t outstanding = 0;  // nodes that are ready or blocked in it, and loops that run inside of it
    uint32_t enters_left = 0;
    std::vector<Sent> constants;  // for each iteration
    std::vector<Sent> nexts;      // for the next one
    std::vector<uint32_t> dead_exits;
    std::vector<uint32_t>
        sent_exits;  // what has left; in the middle of a body an Exit is met in each iteration
  };

  void begin(std::span<const graph::NodeInput> feeds);
  void go_on();
  void fail(std::exception_ptr error);
  void run_ready();
  void run_node(uint32_t place, bool is_dead);
  /// False: it blocks, and its end is told later.
  bool compute(uint32_t place, bool is_dead);
  static graph::NodeInput chosen_variable(const std::vector<graph::NodeInput>& inputs);
  void compute_op(uint32_t place);
  bool run_bodies(uint32_t place);
  void compute_merge(const TokenNode& it);
  void compute_switch(const TokenNode& it);
  void start(uint32_t place, bool is_dead);
  bool take_ended();
  void keep_outputs(const std::vector<graph::NodeInput>& inputs, std::vector<Array> outputs);
  std::vector<graph::NodeInput> inputs_of(const TokenNode& it);
  graph::NodeInput input(const TokenNode& it, uint32_t i);
  void trace(const TokenNode& it, int64_t start_ns);

  void finish(uint32_t place, bool is_dead);
  void leave(uint32_t place);
  void enter(uint32_t place, const Token& token);
  void send(uint32_t place, std::span<const Token> outputs, bool is_dead);
  void send_one(uint32_t place, const Token& token) { send(place, {&token, 1}, !token.is_live()); }
  void arrive(TokenEdge edge, const Token& token);
  void check_ready(uint32_t place);
  void give(uint32_t result, const Token& token);
  void reset(const TokenFrame& frame);
  void settle(uint32_t frame);
  void end(uint32_t frame);

  void check_all_reached() const;
  std::string why_missing(size_t result) const;
  std::string awaited_by(const TokenNode& it) const;

  const TokenProgram& program_;
  const RunSurroundings surroundings_;
  std::vector<Waiting> waiting_;  // by node
  std::vector<Token> inputs_;     // of all nodes
  std::vector<FrameState> frames_;
  std::vector<Token> results_;
  std::vector<Token> outputs_;  // of the node that runs
  /// Twice the place of a node, and 1 if it is dead: the first place comes first.
  std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> ready_;
  std::vector<int64_t> started_ns_;  // by node, for what blocks
  std::vector<bool> started_dead_;   // likewise
  /// For an If or a While: what its bodies run on, are fed and give.
  struct Bodies {
    std::unique_ptr<RunState> state;
    std::vector<Array> feeds;
    std::vector<const Array*> fed;
    std::vector<Array> results;
  };
  std::map<uint32_t, Bodies> bodies_;  // by node, made when it first runs
  std::exception_ptr error_;           // what is under way is given up because of it
  PendingCalls calls_;                 // the last, so that it ends first
};

}  // namespace flowray::engine
