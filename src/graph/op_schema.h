#pragma once
/// What is known of an operation: its signature, how shapes follow, its gradient and its kernel, side
/// by side, so that an op lives in one place. Passes ask the schema for properties and never keep lists
/// of names.

#include "core/mutex.h"
#include "graph/attributes.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::graph {

class Node;
class ShapeContext;
class DimsContext;
class GradientContext;
class PrepareContext;
class DynamicCall;
class BlockingCall;
class ResourceContext;
class Resource;
class Kernel;
struct Endpoint;

/// Sets the output shapes from the input shapes, attributes and known input values. Throws
/// errors::InvalidArgumentError with the bare reason; the caller adds the node.
using ShapeFunction = void (*)(ShapeContext&);
/// What is known of an output that holds dimensions, as a shape; see graph/dims_context.h.
using DimsFunction = Shape (*)(const DimsContext&);
/// Makes the nodes of the gradient; returns one endpoint for each input, a null endpoint where there is none.
using GradientFunction = std::vector<Endpoint> (*)(GradientContext&);
/// Picks a variant for given shapes and attributes; see graph/kernel/kernel.h.
using PrepareFunction = std::unique_ptr<Kernel> (*)(PrepareContext&);
/// Computes arrays whose shapes are known only at run time, or whose elements are strings.
using ComputeFunction = void (*)(DynamicCall&);
/// Starts what may have to wait for others, and returns a way to end it early (empty: there is nothing
/// to wait for). That may be called from any thread, also when the call is over; then it does nothing.
/// See graph/kernel/blocking_call.h.
using StartFunction = std::function<void()> (*)(BlockingCall&);
/// Finds or makes what the op's output stands for.
using ResourceFunction = std::shared_ptr<Resource> (*)(ResourceContext&);

/// What an op does to the flow of a step; the engine raises loops and branches from these (src/engine/raise).
enum class FlowRole : uint8_t {
  kNone,
  kSwitch,  // data goes out of output 1 if the predicate is true, else out of output 0; the other one is dead
  kMerge,   // the first input that is not dead, and which it was
  kEnter,   // into an iteration of the loop named by attribute frame_name
  kExit,    // out of it
  kNextIteration,  // into the next iteration
  kLoopCond,       // the loop's predicate
};

/// An op as its family writes it down. The texts have the form of tests/golden/ops.tsv:
///   inputs  "x:T, values:N*T, ref:ref T, args:Targs", a fixed type by its name ("axis:int32")
///   attrs   "T:type{[float32,float64]}; keep_dims:bool=false; N:int>=1; shape:shape=unknown"; a list has at
///           least so many elements: "ksize:list(int)>=4"; a tensor "<uint8 255 0>" is a vector
struct OpRow {
  std::string_view name;
  std::string_view inputs;
  std::string_view outputs;
  std::string_view attrs;

  bool stateful = false;
  /// Whether it is there for its error: it runs even where its results are not read (EnsureShape).
  bool checks = false;
  /// Whether it runs even where what it waits for is in a branch that is not taken (ControlTrigger).
  bool runs_after_dead = false;
  /// Whether output 0 shows input 0's bytes unchanged (Identity, Reshape): no instruction is made for it.
  bool view = false;
  /// Whether only the shapes of the inputs matter, not their values (Shape, Size, Rank, ZerosLike).
  bool reads_shapes_only = false;
  /// Whether output 0 is the attribute `value` (Const).
  bool is_constant = false;
  /// Whether it is there to be fed: what it is where it is not decides no shapes (PlaceholderWithDefault).
  bool is_placeholder = false;
  /// Whether shapes follow from scalar inputs of any type of number, not of integers and bool only (Range).
  bool shape_by_any_numbers = false;
  /// Whether element i of the output depends on element i of each input only, after broadcasting: where its
  /// size is not known, it may be written over an input (engine/plan/live_bytes.cpp). Fusion asks kernels.
  bool elementwise = false;
  FlowRole flow = FlowRole::kNone;

  ShapeFunction shape = nullptr;
  /// For ops that dimensions are computed with. Null: known where the whole value is.
  DimsFunction dims = nullptr;
  GradientFunction gradient = nullptr;
  /// There is no gradient on purpose: tf::gradients stops here without an error (ops.NotDifferentiable).
  bool not_differentiable = false;
  PrepareFunction prepare = nullptr;
  ComputeFunction compute = nullptr;
  StartFunction start = nullptr;
  /// For ops without inputs whose output is a handle or reference. Null: it stands for a variable.
  ResourceFunction resource = nullptr;
};

enum class AttrType { kBool, kInt, kFloat, kString, kType, kShape, kTensor, kFunction };

struct AttrSchema {
  std::string name;
  AttrType type = AttrType::kInt;
  bool is_list = false;
  /// The smallest value of an int, the shortest length of a list.
  std::optional<int64_t> minimum;
  std::optional<AttrValue> default_value;
  std::vector<DType> allowed_types;          // empty: all
  std::vector<std::string> allowed_strings;  // empty: all
};

struct ArgSchema {
  std::string name;
  DType type = DType::kInvalid;  // kInvalid: by type_attr or type_list_attr
  std::string type_attr;
  std::string number_attr;     // "N": that many of them
  std::string type_list_attr;  // the types, and so the number, are a list attribute
  bool is_ref = false;
};

/// The parsed form of an OpRow.
struct OpSchema {
  OpRow row;
  std::string name;
  std::vector<ArgSchema> inputs;
  std::vector<ArgSchema> outputs;
  std::vector<AttrSchema> attrs;

  const AttrSchema* find_attr(std::string_view attr_name) const;
};

/// What is compared with the minimum of an attribute: an int itself, of a list its length, of functions, too,
/// though nothing here looks into these.
int64_t counted(const AttrSchema& attr, const AttrValue& value);

/// Throws InternalError saying what in the texts could not be read.
OpSchema parse_op(const OpRow& row);

/// All ops by name. Filled once, family by family, by the functions that ops/all_ops.cpp lists; rows are
/// parsed when they are first asked for, so that a program pays for the ops it uses. Threads may look up
/// at once.
class OpTable {
 public:
  /// A second row of one name is a bug: throws InternalError.
  void add(const OpRow& row);
  /// Null if no such op is registered.
  const OpSchema* find(std::string_view name) const;
  /// The names of all ops, in alphabetical order.
  std::vector<std::string_view> names() const;

 private:
  struct Entry {
    OpRow row;
    mutable std::unique_ptr<OpSchema> schema;
  };
  mutable Mutex mutex_;  // guards entries' schemas, which the analysis cannot see: an Entry knows no table
  std::map<std::string_view, Entry> entries_;
};

}  // namespace flowray::graph
