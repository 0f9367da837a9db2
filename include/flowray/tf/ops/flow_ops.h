#pragma once
/// Functions of single ops: lists, stacks and transfers. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

struct CaseOptions {
  std::vector<TensorShape> output_shapes = {};
  /// Of the node; empty: "Case".
  std::string name = {};
};
/// branch_index:int32, input:[Tin] -> output:[Tout]
/// `Tout`: the dtypes of `output`.
/// `branches`: at least 1 items.
inline std::vector<Tensor> Case(const Input& branch_index, const List<Input>& input,
                                const std::vector<DType>& Tout,
                                const std::vector<function::DefinedFunction>& branches,
                                const CaseOptions& options = {}) {
  const Operation op =
      internal::make("Case", options.name, {branch_index, input.items()},
                     {{"Tout", Tout}, {"branches", branches}, {"output_shapes", options.output_shapes}}, {});
  return internal::outputs(op, 0);
}

struct EagerPyFuncOptions {
  bool is_async = false;
  /// Of the node; empty: "EagerPyFunc".
  std::string name = {};
};
/// input:[Tin] -> output:[Tout]
/// `Tout`: the dtypes of `output`.
inline std::vector<Tensor> EagerPyFunc(const List<Input>& input, const std::string& token,
                                       const std::vector<DType>& Tout,
                                       const EagerPyFuncOptions& options = {}) {
  const Operation op = internal::make("EagerPyFunc", options.name, {input.items()},
                                      {{"token", token}, {"Tout", Tout}, {"is_async", options.is_async}}, {});
  return internal::outputs(op, 0);
}

/// element_shape:shape_type, max_num_elements:int32 -> handle:variant
inline Tensor EmptyTensorList(const Input& element_shape, const Input& max_num_elements, DType element_dtype,
                              const NameOption& options = {}) {
  const Operation op = internal::make("EmptyTensorList", options.name, {element_shape, max_num_elements},
                                      {{"element_dtype", element_dtype}}, {});
  return internal::output(op, 0);
}

struct EnterOptions {
  bool is_constant = false;
  int64_t parallel_iterations = 10;
  /// Of the node; empty: "Enter".
  std::string name = {};
};
/// data:T -> output:T
inline Tensor Enter(const Input& data, const std::string& frame_name, const EnterOptions& options = {}) {
  const Operation op = internal::make("Enter", options.name, {data},
                                      {{"frame_name", frame_name},
                                       {"is_constant", options.is_constant},
                                       {"parallel_iterations", options.parallel_iterations}},
                                      {});
  return internal::output(op, 0);
}

/// data:T -> output:T
inline Tensor Exit(const Input& data, const NameOption& options = {}) {
  const Operation op = internal::make("Exit", options.name, {data}, {}, {});
  return internal::output(op, 0);
}

/// -> output:dtype
/// `dtype`: the dtype of `output`.
inline Tensor FakeParam(DType dtype, const TensorShape& shape, const NameOption& options = {},
                        Input::Where where = Input::Where::current()) {
  const Operation op =
      internal::make("FakeParam", options.name, {}, {{"dtype", dtype}, {"shape", shape}}, where);
  return internal::output(op, 0);
}

struct IfOptions {
  std::vector<TensorShape> output_shapes = {};
  /// Of the node; empty: "If".
  std::string name = {};
};
/// cond:Tcond, input:[Tin] -> output:[Tout]
/// `Tout`: the dtypes of `output`.
inline std::vector<Tensor> If(const Input& cond, const List<Input>& input, const std::vector<DType>& Tout,
                              const function::DefinedFunction& then_branch,
                              const function::DefinedFunction& else_branch, const IfOptions& options = {}) {
  const Operation op = internal::make("If", options.name, {cond, input.items()},
                                      {{"Tout", Tout},
                                       {"then_branch", then_branch},
                                       {"else_branch", else_branch},
                                       {"output_shapes", options.output_shapes}},
                                      {});
  return internal::outputs(op, 0);
}

/// input:bool -> output:bool
inline Tensor LoopCond(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("LoopCond", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// What Merge gives.
struct MergeResult {
  Tensor output;
  Tensor value_index;
};
/// inputs:N*T -> output:T, value_index:int32
inline MergeResult Merge(const List<Input>& inputs, const NameOption& options = {}) {
  const Operation op = internal::make("Merge", options.name, {inputs.items()}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// data:T -> output:T
inline Tensor NextIteration(const Input& data, const NameOption& options = {}) {
  const Operation op = internal::make("NextIteration", options.name, {data}, {}, {});
  return internal::output(op, 0);
}

/// components:[Toutput_types] -> optional:variant
inline Tensor OptionalFromValue(const List<Input>& components, const NameOption& options = {}) {
  const Operation op = internal::make("OptionalFromValue", options.name, {components.items()}, {}, {});
  return internal::output(op, 0);
}

/// optional:variant -> components:[output_types]
/// `output_types`: the dtypes of `components`. At least 1 items.
/// `output_shapes`: at least 1 items.
inline std::vector<Tensor> OptionalGetValue(const Input& optional, const std::vector<DType>& output_types,
                                            const std::vector<TensorShape>& output_shapes,
                                            const NameOption& options = {}) {
  const Operation op = internal::make("OptionalGetValue", options.name, {optional},
                                      {{"output_types", output_types}, {"output_shapes", output_shapes}}, {});
  return internal::outputs(op, 0);
}

/// optional:variant -> has_value:bool
inline Tensor OptionalHasValue(const Input& optional, const NameOption& options = {}) {
  const Operation op = internal::make("OptionalHasValue", options.name, {optional}, {}, {});
  return internal::output(op, 0);
}

/// -> optional:variant
inline Tensor OptionalNone(const NameOption& options = {}, Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("OptionalNone", options.name, {}, {}, where);
  return internal::output(op, 0);
}

struct PartitionedCallOptions {
  std::string config = {};
  std::string config_proto = {};
  std::string executor_type = {};
  /// Of the node; empty: "PartitionedCall".
  std::string name = {};
};
/// args:[Tin] -> output:[Tout]
/// `Tout`: the dtypes of `output`.
inline std::vector<Tensor> PartitionedCall(const List<Input>& args, const std::vector<DType>& Tout,
                                           const function::DefinedFunction& f,
                                           const PartitionedCallOptions& options = {}) {
  const Operation op = internal::make("PartitionedCall", options.name, {args.items()},
                                      {{"Tout", Tout},
                                       {"f", f},
                                       {"config", options.config},
                                       {"config_proto", options.config_proto},
                                       {"executor_type", options.executor_type}},
                                      {});
  return internal::outputs(op, 0);
}

/// input:[Tin] -> output:[Tout]
/// `Tout`: the dtypes of `output`.
inline std::vector<Tensor> PyFunc(const List<Input>& input, const std::string& token,
                                  const std::vector<DType>& Tout, const NameOption& options = {}) {
  const Operation op =
      internal::make("PyFunc", options.name, {input.items()}, {{"token", token}, {"Tout", Tout}}, {});
  return internal::outputs(op, 0);
}

struct RefEnterOptions {
  bool is_constant = false;
  int64_t parallel_iterations = 10;
  /// Of the node; empty: "RefEnter".
  std::string name = {};
};
/// data:ref T -> output:ref T
inline Tensor RefEnter(const Input& data, const std::string& frame_name,
                       const RefEnterOptions& options = {}) {
  const Operation op = internal::make("RefEnter", options.name, {data},
                                      {{"frame_name", frame_name},
                                       {"is_constant", options.is_constant},
                                       {"parallel_iterations", options.parallel_iterations}},
                                      {});
  return internal::output(op, 0);
}

/// data:ref T -> output:ref T
inline Tensor RefExit(const Input& data, const NameOption& options = {}) {
  const Operation op = internal::make("RefExit", options.name, {data}, {}, {});
  return internal::output(op, 0);
}

/// input:ref T -> output:ref T
inline Tensor RefIdentity(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("RefIdentity", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// What RefMerge gives.
struct RefMergeResult {
  Tensor output;
  Tensor value_index;
};
/// inputs:N*ref T -> output:ref T, value_index:int32
inline RefMergeResult RefMerge(const List<Input>& inputs, const NameOption& options = {}) {
  const Operation op = internal::make("RefMerge", options.name, {inputs.items()}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// data:ref T -> output:ref T
inline Tensor RefNextIteration(const Input& data, const NameOption& options = {}) {
  const Operation op = internal::make("RefNextIteration", options.name, {data}, {}, {});
  return internal::output(op, 0);
}

/// index:int32, inputs:N*ref T -> output:ref T
inline Tensor RefSelect(const Input& index, const List<Input>& inputs, const NameOption& options = {}) {
  const Operation op = internal::make("RefSelect", options.name, {index, inputs.items()}, {}, {});
  return internal::output(op, 0);
}

/// What RefSwitch gives.
struct RefSwitchResult {
  Tensor output_false;
  Tensor output_true;
};
/// data:ref T, pred:bool -> output_false:ref T, output_true:ref T
inline RefSwitchResult RefSwitch(const Input& data, const Input& pred, const NameOption& options = {}) {
  const Operation op = internal::make("RefSwitch", options.name, {data, pred}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// handle:resource ->
inline Operation StackCloseV2(const Input& handle, const NameOption& options = {}) {
  const Operation op = internal::make("StackCloseV2", options.name, {handle}, {}, {});
  return op;
}

/// handle:resource -> elem:elem_type
/// `elem_type`: the dtype of `elem`.
inline Tensor StackPopV2(const Input& handle, DType elem_type, const NameOption& options = {}) {
  const Operation op = internal::make("StackPopV2", options.name, {handle}, {{"elem_type", elem_type}}, {});
  return internal::output(op, 0);
}

struct StackPushV2Options {
  bool swap_memory = false;
  /// Of the node; empty: "StackPushV2".
  std::string name = {};
};
/// handle:resource, elem:T -> output:T
inline Tensor StackPushV2(const Input& handle, const Input& elem, const StackPushV2Options& options = {}) {
  const Operation op =
      internal::make("StackPushV2", options.name, {handle, elem}, {{"swap_memory", options.swap_memory}}, {});
  return internal::output(op, 0);
}

struct StackV2Options {
  std::string stack_name = {};
  /// Of the node; empty: "StackV2".
  std::string name = {};
};
/// max_size:int32 -> handle:resource
inline Tensor StackV2(const Input& max_size, DType elem_type, const StackV2Options& options = {}) {
  const Operation op = internal::make("StackV2", options.name, {max_size},
                                      {{"elem_type", elem_type}, {"stack_name", options.stack_name}}, {});
  return internal::output(op, 0);
}

struct StatefulPartitionedCallOptions {
  std::string config = {};
  std::string config_proto = {};
  std::string executor_type = {};
  /// Of the node; empty: "StatefulPartitionedCall".
  std::string name = {};
};
/// args:[Tin] -> output:[Tout]
/// `Tout`: the dtypes of `output`.
inline std::vector<Tensor> StatefulPartitionedCall(const List<Input>& args, const std::vector<DType>& Tout,
                                                   const function::DefinedFunction& f,
                                                   const StatefulPartitionedCallOptions& options = {}) {
  const Operation op = internal::make("StatefulPartitionedCall", options.name, {args.items()},
                                      {{"Tout", Tout},
                                       {"f", f},
                                       {"config", options.config},
                                       {"config_proto", options.config_proto},
                                       {"executor_type", options.executor_type}},
                                      {});
  return internal::outputs(op, 0);
}

struct StatelessCaseOptions {
  std::vector<TensorShape> output_shapes = {};
  /// Of the node; empty: "StatelessCase".
  std::string name = {};
};
/// branch_index:int32, input:[Tin] -> output:[Tout]
/// `Tout`: the dtypes of `output`.
/// `branches`: at least 1 items.
inline std::vector<Tensor> StatelessCase(const Input& branch_index, const List<Input>& input,
                                         const std::vector<DType>& Tout,
                                         const std::vector<function::DefinedFunction>& branches,
                                         const StatelessCaseOptions& options = {}) {
  const Operation op =
      internal::make("StatelessCase", options.name, {branch_index, input.items()},
                     {{"Tout", Tout}, {"branches", branches}, {"output_shapes", options.output_shapes}}, {});
  return internal::outputs(op, 0);
}

struct StatelessIfOptions {
  std::vector<TensorShape> output_shapes = {};
  /// Of the node; empty: "StatelessIf".
  std::string name = {};
};
/// cond:Tcond, input:[Tin] -> output:[Tout]
/// `Tout`: the dtypes of `output`.
inline std::vector<Tensor> StatelessIf(const Input& cond, const List<Input>& input,
                                       const std::vector<DType>& Tout,
                                       const function::DefinedFunction& then_branch,
                                       const function::DefinedFunction& else_branch,
                                       const StatelessIfOptions& options = {}) {
  const Operation op = internal::make("StatelessIf", options.name, {cond, input.items()},
                                      {{"Tout", Tout},
                                       {"then_branch", then_branch},
                                       {"else_branch", else_branch},
                                       {"output_shapes", options.output_shapes}},
                                      {});
  return internal::outputs(op, 0);
}

struct StatelessWhileOptions {
  std::vector<TensorShape> output_shapes = {};
  int64_t parallel_iterations = 10;
  /// Of the node; empty: "StatelessWhile".
  std::string name = {};
};
/// input:[T] -> output:[T]
inline std::vector<Tensor> StatelessWhile(const List<Input>& input, const function::DefinedFunction& cond,
                                          const function::DefinedFunction& body,
                                          const StatelessWhileOptions& options = {}) {
  const Operation op = internal::make("StatelessWhile", options.name, {input.items()},
                                      {{"cond", cond},
                                       {"body", body},
                                       {"output_shapes", options.output_shapes},
                                       {"parallel_iterations", options.parallel_iterations}},
                                      {});
  return internal::outputs(op, 0);
}

/// What Switch gives.
struct SwitchResult {
  Tensor output_false;
  Tensor output_true;
};
/// data:T, pred:bool -> output_false:T, output_true:T
inline SwitchResult Switch(const Input& data, const Input& pred, const NameOption& options = {}) {
  const Operation op = internal::make("Switch", options.name, {data, pred}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// input:[Tin] -> output:[Tout]
/// `Tout`: the dtypes of `output`. At least 1 items.
inline std::vector<Tensor> SymbolicGradient(const List<Input>& input, const std::vector<DType>& Tout,
                                            const function::DefinedFunction& f,
                                            const NameOption& options = {}) {
  const Operation op =
      internal::make("SymbolicGradient", options.name, {input.items()}, {{"Tout", Tout}, {"f", f}}, {});
  return internal::outputs(op, 0);
}

/// handle:resource ->
inline Operation TensorArrayCloseV3(const Input& handle, const NameOption& options = {}) {
  const Operation op = internal::make("TensorArrayCloseV3", options.name, {handle}, {}, {});
  return op;
}

/// What TensorArrayConcatV3 gives.
struct TensorArrayConcatV3Result {
  Tensor value;
  Tensor lengths;
};
struct TensorArrayConcatV3Options {
  TensorShape element_shape_except0 = TensorShape::unknown_rank();
  /// Of the node; empty: "TensorArrayConcatV3".
  std::string name = {};
};
/// handle:resource, flow_in:float32 -> value:dtype, lengths:int64
/// `dtype`: the dtype of `value`.
inline TensorArrayConcatV3Result TensorArrayConcatV3(const Input& handle, const Input& flow_in, DType dtype,
                                                     const TensorArrayConcatV3Options& options = {}) {
  const Operation op =
      internal::make("TensorArrayConcatV3", options.name, {handle, flow_in},
                     {{"dtype", dtype}, {"element_shape_except0", options.element_shape_except0}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

struct TensorArrayGatherV3Options {
  TensorShape element_shape = TensorShape::unknown_rank();
  /// Of the node; empty: "TensorArrayGatherV3".
  std::string name = {};
};
/// handle:resource, indices:int32, flow_in:float32 -> value:dtype
/// `dtype`: the dtype of `value`.
inline Tensor TensorArrayGatherV3(const Input& handle, const Input& indices, const Input& flow_in,
                                  DType dtype, const TensorArrayGatherV3Options& options = {}) {
  const Operation op = internal::make("TensorArrayGatherV3", options.name, {handle, indices, flow_in},
                                      {{"dtype", dtype}, {"element_shape", options.element_shape}}, {});
  return internal::output(op, 0);
}

/// What TensorArrayGradV3 gives.
struct TensorArrayGradV3Result {
  Tensor grad_handle;
  Tensor flow_out;
};
/// handle:resource, flow_in:float32 -> grad_handle:resource, flow_out:float32
inline TensorArrayGradV3Result TensorArrayGradV3(const Input& handle, const Input& flow_in,
                                                 const std::string& source, const NameOption& options = {}) {
  const Operation op =
      internal::make("TensorArrayGradV3", options.name, {handle, flow_in}, {{"source", source}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// handle:resource, index:int32, flow_in:float32 -> value:dtype
/// `dtype`: the dtype of `value`.
inline Tensor TensorArrayReadV3(const Input& handle, const Input& index, const Input& flow_in, DType dtype,
                                const NameOption& options = {}) {
  const Operation op =
      internal::make("TensorArrayReadV3", options.name, {handle, index, flow_in}, {{"dtype", dtype}}, {});
  return internal::output(op, 0);
}

/// handle:resource, indices:int32, value:T, flow_in:float32 -> flow_out:float32
inline Tensor TensorArrayScatterV3(const Input& handle, const Input& indices, const Input& value,
                                   const Input& flow_in, const NameOption& options = {}) {
  const Operation op =
      internal::make("TensorArrayScatterV3", options.name, {handle, indices, value, flow_in}, {}, {});
  return internal::output(op, 0);
}

/// handle:resource, flow_in:float32 -> size:int32
inline Tensor TensorArraySizeV3(const Input& handle, const Input& flow_in, const NameOption& options = {}) {
  const Operation op = internal::make("TensorArraySizeV3", options.name, {handle, flow_in}, {}, {});
  return internal::output(op, 0);
}

/// handle:resource, value:T, lengths:int64, flow_in:float32 -> flow_out:float32
inline Tensor TensorArraySplitV3(const Input& handle, const Input& value, const Input& lengths,
                                 const Input& flow_in, const NameOption& options = {}) {
  const Operation op =
      internal::make("TensorArraySplitV3", options.name, {handle, value, lengths, flow_in}, {}, {});
  return internal::output(op, 0);
}

/// What TensorArrayV3 gives.
struct TensorArrayV3Result {
  Tensor handle;
  Tensor flow;
};
struct TensorArrayV3Options {
  TensorShape element_shape = TensorShape::unknown_rank();
  bool dynamic_size = false;
  bool clear_after_read = true;
  bool identical_element_shapes = false;
  std::string tensor_array_name = {};
  /// Of the node; empty: "TensorArrayV3".
  std::string name = {};
};
/// size:int32 -> handle:resource, flow:float32
inline TensorArrayV3Result TensorArrayV3(const Input& size, DType dtype,
                                         const TensorArrayV3Options& options = {}) {
  const Operation op = internal::make("TensorArrayV3", options.name, {size},
                                      {{"dtype", dtype},
                                       {"element_shape", options.element_shape},
                                       {"dynamic_size", options.dynamic_size},
                                       {"clear_after_read", options.clear_after_read},
                                       {"identical_element_shapes", options.identical_element_shapes},
                                       {"tensor_array_name", options.tensor_array_name}},
                                      {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// handle:resource, index:int32, value:T, flow_in:float32 -> flow_out:float32
inline Tensor TensorArrayWriteV3(const Input& handle, const Input& index, const Input& value,
                                 const Input& flow_in, const NameOption& options = {}) {
  const Operation op =
      internal::make("TensorArrayWriteV3", options.name, {handle, index, value, flow_in}, {}, {});
  return internal::output(op, 0);
}

/// What TensorListConcat gives.
struct TensorListConcatResult {
  Tensor tensor;
  Tensor lengths;
};
struct TensorListConcatOptions {
  TensorShape element_shape = TensorShape::unknown_rank();
  /// Of the node; empty: "TensorListConcat".
  std::string name = {};
};
/// input_handle:variant -> tensor:element_dtype, lengths:int64
/// `element_dtype`: the dtype of `tensor`.
inline TensorListConcatResult TensorListConcat(const Input& input_handle, DType element_dtype,
                                               const TensorListConcatOptions& options = {}) {
  const Operation op =
      internal::make("TensorListConcat", options.name, {input_handle},
                     {{"element_dtype", element_dtype}, {"element_shape", options.element_shape}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// input_a:variant, input_b:variant -> output:variant
inline Tensor TensorListConcatLists(const Input& input_a, const Input& input_b, DType element_dtype,
                                    const NameOption& options = {}) {
  const Operation op = internal::make("TensorListConcatLists", options.name, {input_a, input_b},
                                      {{"element_dtype", element_dtype}}, {});
  return internal::output(op, 0);
}

/// What TensorListConcatV2 gives.
struct TensorListConcatV2Result {
  Tensor tensor;
  Tensor lengths;
};
/// input_handle:variant, element_shape:shape_type, leading_dims:int64 ->
/// tensor:element_dtype, lengths:int64
/// `element_dtype`: the dtype of `tensor`.
inline TensorListConcatV2Result TensorListConcatV2(const Input& input_handle, const Input& element_shape,
                                                   const Input& leading_dims, DType element_dtype,
                                                   const NameOption& options = {}) {
  const Operation op =
      internal::make("TensorListConcatV2", options.name, {input_handle, element_shape, leading_dims},
                     {{"element_dtype", element_dtype}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// input_handle:variant -> element_shape:shape_type
/// `shape_type`: the dtype of `element_shape`. One of int32, int64.
inline Tensor TensorListElementShape(const Input& input_handle, DType shape_type,
                                     const NameOption& options = {}) {
  const Operation op = internal::make("TensorListElementShape", options.name, {input_handle},
                                      {{"shape_type", shape_type}}, {});
  return internal::output(op, 0);
}

/// tensor:element_dtype, element_shape:shape_type -> output_handle:variant
inline Tensor TensorListFromTensor(const Input& tensor, const Input& element_shape,
                                   const NameOption& options = {}) {
  const Operation op = internal::make("TensorListFromTensor", options.name, {tensor, element_shape}, {}, {});
  return internal::output(op, 0);
}

/// input_handle:variant, indices:int32, element_shape:int32 -> values:element_dtype
/// `element_dtype`: the dtype of `values`.
inline Tensor TensorListGather(const Input& input_handle, const Input& indices, const Input& element_shape,
                               DType element_dtype, const NameOption& options = {}) {
  const Operation op =
      internal::make("TensorListGather", options.name, {input_handle, indices, element_shape},
                     {{"element_dtype", element_dtype}}, {});
  return internal::output(op, 0);
}

/// input_handle:variant, index:int32, element_shape:Tshape -> item:element_dtype
/// `element_dtype`: the dtype of `item`.
inline Tensor TensorListGetItem(const Input& input_handle, const Input& index, const Input& element_shape,
                                DType element_dtype, const NameOption& options = {}) {
  const Operation op = internal::make("TensorListGetItem", options.name, {input_handle, index, element_shape},
                                      {{"element_dtype", element_dtype}}, {});
  return internal::output(op, 0);
}

/// input_handle:variant -> length:int32
inline Tensor TensorListLength(const Input& input_handle, const NameOption& options = {}) {
  const Operation op = internal::make("TensorListLength", options.name, {input_handle}, {}, {});
  return internal::output(op, 0);
}

/// What TensorListPopBack gives.
struct TensorListPopBackResult {
  Tensor output_handle;
  Tensor tensor;
};
/// input_handle:variant, element_shape:int32 -> output_handle:variant, tensor:element_dtype
/// `element_dtype`: the dtype of `tensor`.
inline TensorListPopBackResult TensorListPopBack(const Input& input_handle, const Input& element_shape,
                                                 DType element_dtype, const NameOption& options = {}) {
  const Operation op = internal::make("TensorListPopBack", options.name, {input_handle, element_shape},
                                      {{"element_dtype", element_dtype}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// input_handle:variant, tensor:element_dtype -> output_handle:variant
inline Tensor TensorListPushBack(const Input& input_handle, const Input& tensor,
                                 const NameOption& options = {}) {
  const Operation op = internal::make("TensorListPushBack", options.name, {input_handle, tensor}, {}, {});
  return internal::output(op, 0);
}

/// element_shape:shape_type, num_elements:int32 -> handle:variant
inline Tensor TensorListReserve(const Input& element_shape, const Input& num_elements, DType element_dtype,
                                const NameOption& options = {}) {
  const Operation op = internal::make("TensorListReserve", options.name, {element_shape, num_elements},
                                      {{"element_dtype", element_dtype}}, {});
  return internal::output(op, 0);
}

/// input_handle:variant, size:int32 -> output_handle:variant
inline Tensor TensorListResize(const Input& input_handle, const Input& size, const NameOption& options = {}) {
  const Operation op = internal::make("TensorListResize", options.name, {input_handle, size}, {}, {});
  return internal::output(op, 0);
}

/// tensor:element_dtype, indices:int32, element_shape:shape_type -> output_handle:variant
inline Tensor TensorListScatter(const Input& tensor, const Input& indices, const Input& element_shape,
                                const NameOption& options = {}) {
  const Operation op =
      internal::make("TensorListScatter", options.name, {tensor, indices, element_shape}, {}, {});
  return internal::output(op, 0);
}

/// input_handle:variant, tensor:element_dtype, indices:int32 -> output_handle:variant
inline Tensor TensorListScatterIntoExistingList(const Input& input_handle, const Input& tensor,
                                                const Input& indices, const NameOption& options = {}) {
  const Operation op = internal::make("TensorListScatterIntoExistingList", options.name,
                                      {input_handle, tensor, indices}, {}, {});
  return internal::output(op, 0);
}

/// tensor:element_dtype, indices:int32, element_shape:shape_type, num_elements:int32
/// -> output_handle:variant
inline Tensor TensorListScatterV2(const Input& tensor, const Input& indices, const Input& element_shape,
                                  const Input& num_elements, const NameOption& options = {}) {
  const Operation op = internal::make("TensorListScatterV2", options.name,
                                      {tensor, indices, element_shape, num_elements}, {}, {});
  return internal::output(op, 0);
}

struct TensorListSetItemOptions {
  bool resize_if_index_out_of_bounds = false;
  /// Of the node; empty: "TensorListSetItem".
  std::string name = {};
};
/// input_handle:variant, index:int32, item:element_dtype -> output_handle:variant
inline Tensor TensorListSetItem(const Input& input_handle, const Input& index, const Input& item,
                                const TensorListSetItemOptions& options = {}) {
  const Operation op =
      internal::make("TensorListSetItem", options.name, {input_handle, index, item},
                     {{"resize_if_index_out_of_bounds", options.resize_if_index_out_of_bounds}}, {});
  return internal::output(op, 0);
}

/// tensor:element_dtype, element_shape:shape_type, lengths:int64 -> output_handle:variant
inline Tensor TensorListSplit(const Input& tensor, const Input& element_shape, const Input& lengths,
                              const NameOption& options = {}) {
  const Operation op =
      internal::make("TensorListSplit", options.name, {tensor, element_shape, lengths}, {}, {});
  return internal::output(op, 0);
}

struct TensorListStackOptions {
  int64_t num_elements = -1;
  /// Of the node; empty: "TensorListStack".
  std::string name = {};
};
/// input_handle:variant, element_shape:int32 -> tensor:element_dtype
/// `element_dtype`: the dtype of `tensor`.
inline Tensor TensorListStack(const Input& input_handle, const Input& element_shape, DType element_dtype,
                              const TensorListStackOptions& options = {}) {
  const Operation op =
      internal::make("TensorListStack", options.name, {input_handle, element_shape},
                     {{"element_dtype", element_dtype}, {"num_elements", options.num_elements}}, {});
  return internal::output(op, 0);
}

/// input:T -> output:bool
inline Tensor ToBool(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("ToBool", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

struct WhileOptions {
  std::vector<TensorShape> output_shapes = {};
  int64_t parallel_iterations = 10;
  /// Of the node; empty: "While".
  std::string name = {};
};
/// input:[T] -> output:[T]
inline std::vector<Tensor> While(const List<Input>& input, const function::DefinedFunction& cond,
                                 const function::DefinedFunction& body, const WhileOptions& options = {}) {
  const Operation op = internal::make("While", options.name, {input.items()},
                                      {{"cond", cond},
                                       {"body", body},
                                       {"output_shapes", options.output_shapes},
                                       {"parallel_iterations", options.parallel_iterations}},
                                      {});
  return internal::outputs(op, 0);
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
