#pragma once
/// Functions of single ops: variables and optimizers. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

struct ApplyAdaMaxOptions {
  bool use_locking = false;
  /// Of the node; empty: "ApplyAdaMax".
  std::string name = {};
};
/// var:ref T, m:ref T, v:ref T, beta1_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T -> out:ref T
inline Tensor ApplyAdaMax(const Input& var, const Input& m, const Input& v, const Input& beta1_power,
                          const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon,
                          const Input& grad, const ApplyAdaMaxOptions& options = {}) {
  const Operation op =
      internal::make("ApplyAdaMax", options.name, {var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad},
                     {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ApplyAdadeltaOptions {
  bool use_locking = false;
  /// Of the node; empty: "ApplyAdadelta".
  std::string name = {};
};
/// var:ref T, accum:ref T, accum_update:ref T, lr:T, rho:T, epsilon:T, grad:T -> out:ref T
inline Tensor ApplyAdadelta(const Input& var, const Input& accum, const Input& accum_update, const Input& lr,
                            const Input& rho, const Input& epsilon, const Input& grad,
                            const ApplyAdadeltaOptions& options = {}) {
  const Operation op =
      internal::make("ApplyAdadelta", options.name, {var, accum, accum_update, lr, rho, epsilon, grad},
                     {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ApplyAdagradOptions {
  bool use_locking = false;
  bool update_slots = true;
  /// Of the node; empty: "ApplyAdagrad".
  std::string name = {};
};
/// var:ref T, accum:ref T, lr:T, grad:T -> out:ref T
inline Tensor ApplyAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& grad,
                           const ApplyAdagradOptions& options = {}) {
  const Operation op =
      internal::make("ApplyAdagrad", options.name, {var, accum, lr, grad},
                     {{"use_locking", options.use_locking}, {"update_slots", options.update_slots}}, {});
  return internal::output(op, 0);
}

struct ApplyAdagradDAOptions {
  bool use_locking = false;
  /// Of the node; empty: "ApplyAdagradDA".
  std::string name = {};
};
/// var:ref T, gradient_accumulator:ref T, gradient_squared_accumulator:ref T, grad:T, lr:T, l1:T, l2:T,
/// global_step:int64 -> out:ref T
inline Tensor ApplyAdagradDA(const Input& var, const Input& gradient_accumulator,
                             const Input& gradient_squared_accumulator, const Input& grad, const Input& lr,
                             const Input& l1, const Input& l2, const Input& global_step,
                             const ApplyAdagradDAOptions& options = {}) {
  const Operation op =
      internal::make("ApplyAdagradDA", options.name,
                     {var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step},
                     {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ApplyAdagradV2Options {
  bool use_locking = false;
  bool update_slots = true;
  /// Of the node; empty: "ApplyAdagradV2".
  std::string name = {};
};
/// var:ref T, accum:ref T, lr:T, epsilon:T, grad:T -> out:ref T
inline Tensor ApplyAdagradV2(const Input& var, const Input& accum, const Input& lr, const Input& epsilon,
                             const Input& grad, const ApplyAdagradV2Options& options = {}) {
  const Operation op =
      internal::make("ApplyAdagradV2", options.name, {var, accum, lr, epsilon, grad},
                     {{"use_locking", options.use_locking}, {"update_slots", options.update_slots}}, {});
  return internal::output(op, 0);
}

struct ApplyAdamOptions {
  bool use_locking = false;
  bool use_nesterov = false;
  /// Of the node; empty: "ApplyAdam".
  std::string name = {};
};
/// var:ref T, m:ref T, v:ref T, beta1_power:T, beta2_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T ->
/// out:ref T
inline Tensor ApplyAdam(const Input& var, const Input& m, const Input& v, const Input& beta1_power,
                        const Input& beta2_power, const Input& lr, const Input& beta1, const Input& beta2,
                        const Input& epsilon, const Input& grad, const ApplyAdamOptions& options = {}) {
  const Operation op = internal::make(
      "ApplyAdam", options.name, {var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad},
      {{"use_locking", options.use_locking}, {"use_nesterov", options.use_nesterov}}, {});
  return internal::output(op, 0);
}

struct ApplyAddSignOptions {
  bool use_locking = false;
  /// Of the node; empty: "ApplyAddSign".
  std::string name = {};
};
/// var:ref T, m:ref T, lr:T, alpha:T, sign_decay:T, beta:T, grad:T -> out:ref T
inline Tensor ApplyAddSign(const Input& var, const Input& m, const Input& lr, const Input& alpha,
                           const Input& sign_decay, const Input& beta, const Input& grad,
                           const ApplyAddSignOptions& options = {}) {
  const Operation op =
      internal::make("ApplyAddSign", options.name, {var, m, lr, alpha, sign_decay, beta, grad},
                     {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ApplyCenteredRMSPropOptions {
  bool use_locking = false;
  /// Of the node; empty: "ApplyCenteredRMSProp".
  std::string name = {};
};
/// var:ref T, mg:ref T, ms:ref T, mom:ref T, lr:T, rho:T, momentum:T, epsilon:T, grad:T -> out:ref T
inline Tensor ApplyCenteredRMSProp(const Input& var, const Input& mg, const Input& ms, const Input& mom,
                                   const Input& lr, const Input& rho, const Input& momentum,
                                   const Input& epsilon, const Input& grad,
                                   const ApplyCenteredRMSPropOptions& options = {}) {
  const Operation op = internal::make("ApplyCenteredRMSProp", options.name,
                                      {var, mg, ms, mom, lr, rho, momentum, epsilon, grad},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ApplyFtrlOptions {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  /// Of the node; empty: "ApplyFtrl".
  std::string name = {};
};
/// var:ref T, accum:ref T, linear:ref T, grad:T, lr:T, l1:T, l2:T, lr_power:T -> out:ref T
inline Tensor ApplyFtrl(const Input& var, const Input& accum, const Input& linear, const Input& grad,
                        const Input& lr, const Input& l1, const Input& l2, const Input& lr_power,
                        const ApplyFtrlOptions& options = {}) {
  const Operation op = internal::make(
      "ApplyFtrl", options.name, {var, accum, linear, grad, lr, l1, l2, lr_power},
      {{"use_locking", options.use_locking}, {"multiply_linear_by_lr", options.multiply_linear_by_lr}}, {});
  return internal::output(op, 0);
}

struct ApplyFtrlV2Options {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  /// Of the node; empty: "ApplyFtrlV2".
  std::string name = {};
};
/// var:ref T, accum:ref T, linear:ref T, grad:T, lr:T, l1:T, l2:T, l2_shrinkage:T, lr_power:T -> out:ref T
inline Tensor ApplyFtrlV2(const Input& var, const Input& accum, const Input& linear, const Input& grad,
                          const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage,
                          const Input& lr_power, const ApplyFtrlV2Options& options = {}) {
  const Operation op = internal::make(
      "ApplyFtrlV2", options.name, {var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power},
      {{"use_locking", options.use_locking}, {"multiply_linear_by_lr", options.multiply_linear_by_lr}}, {});
  return internal::output(op, 0);
}

struct ApplyGradientDescentOptions {
  bool use_locking = false;
  /// Of the node; empty: "ApplyGradientDescent".
  std::string name = {};
};
/// var:ref T, alpha:T, delta:T -> out:ref T
inline Tensor ApplyGradientDescent(const Input& var, const Input& alpha, const Input& delta,
                                   const ApplyGradientDescentOptions& options = {}) {
  const Operation op = internal::make("ApplyGradientDescent", options.name, {var, alpha, delta},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ApplyMomentumOptions {
  bool use_locking = false;
  bool use_nesterov = false;
  /// Of the node; empty: "ApplyMomentum".
  std::string name = {};
};
/// var:ref T, accum:ref T, lr:T, grad:T, momentum:T -> out:ref T
inline Tensor ApplyMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad,
                            const Input& momentum, const ApplyMomentumOptions& options = {}) {
  const Operation op =
      internal::make("ApplyMomentum", options.name, {var, accum, lr, grad, momentum},
                     {{"use_locking", options.use_locking}, {"use_nesterov", options.use_nesterov}}, {});
  return internal::output(op, 0);
}

struct ApplyPowerSignOptions {
  bool use_locking = false;
  /// Of the node; empty: "ApplyPowerSign".
  std::string name = {};
};
/// var:ref T, m:ref T, lr:T, logbase:T, sign_decay:T, beta:T, grad:T -> out:ref T
inline Tensor ApplyPowerSign(const Input& var, const Input& m, const Input& lr, const Input& logbase,
                             const Input& sign_decay, const Input& beta, const Input& grad,
                             const ApplyPowerSignOptions& options = {}) {
  const Operation op =
      internal::make("ApplyPowerSign", options.name, {var, m, lr, logbase, sign_decay, beta, grad},
                     {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ApplyProximalAdagradOptions {
  bool use_locking = false;
  /// Of the node; empty: "ApplyProximalAdagrad".
  std::string name = {};
};
/// var:ref T, accum:ref T, lr:T, l1:T, l2:T, grad:T -> out:ref T
inline Tensor ApplyProximalAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& l1,
                                   const Input& l2, const Input& grad,
                                   const ApplyProximalAdagradOptions& options = {}) {
  const Operation op = internal::make("ApplyProximalAdagrad", options.name, {var, accum, lr, l1, l2, grad},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ApplyProximalGradientDescentOptions {
  bool use_locking = false;
  /// Of the node; empty: "ApplyProximalGradientDescent".
  std::string name = {};
};
/// var:ref T, alpha:T, l1:T, l2:T, delta:T -> out:ref T
inline Tensor ApplyProximalGradientDescent(const Input& var, const Input& alpha, const Input& l1,
                                           const Input& l2, const Input& delta,
                                           const ApplyProximalGradientDescentOptions& options = {}) {
  const Operation op =
      internal::make("ApplyProximalGradientDescent", options.name, {var, alpha, l1, l2, delta},
                     {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ApplyRMSPropOptions {
  bool use_locking = false;
  /// Of the node; empty: "ApplyRMSProp".
  std::string name = {};
};
/// var:ref T, ms:ref T, mom:ref T, lr:T, rho:T, momentum:T, epsilon:T, grad:T -> out:ref T
inline Tensor ApplyRMSProp(const Input& var, const Input& ms, const Input& mom, const Input& lr,
                           const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad,
                           const ApplyRMSPropOptions& options = {}) {
  const Operation op =
      internal::make("ApplyRMSProp", options.name, {var, ms, mom, lr, rho, momentum, epsilon, grad},
                     {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct AssignOptions {
  bool validate_shape = true;
  bool use_locking = true;
  /// Of the node; empty: "Assign".
  std::string name = {};
};
/// ref:ref T, value:T -> output_ref:ref T
inline Tensor Assign(const Input& ref, const Input& value, const AssignOptions& options = {}) {
  const Operation op =
      internal::make("Assign", options.name, {ref, value},
                     {{"validate_shape", options.validate_shape}, {"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct AssignAddOptions {
  bool use_locking = false;
  /// Of the node; empty: "AssignAdd".
  std::string name = {};
};
/// ref:ref T, value:T -> output_ref:ref T
inline Tensor AssignAdd(const Input& ref, const Input& value, const AssignAddOptions& options = {}) {
  const Operation op =
      internal::make("AssignAdd", options.name, {ref, value}, {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

/// resource:resource, value:dtype ->
inline Operation AssignAddVariableOp(const Input& resource, const Input& value,
                                     const NameOption& options = {}) {
  const Operation op = internal::make("AssignAddVariableOp", options.name, {resource, value}, {}, {});
  return op;
}

struct AssignSubOptions {
  bool use_locking = false;
  /// Of the node; empty: "AssignSub".
  std::string name = {};
};
/// ref:ref T, value:T -> output_ref:ref T
inline Tensor AssignSub(const Input& ref, const Input& value, const AssignSubOptions& options = {}) {
  const Operation op =
      internal::make("AssignSub", options.name, {ref, value}, {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

/// resource:resource, value:dtype ->
inline Operation AssignSubVariableOp(const Input& resource, const Input& value,
                                     const NameOption& options = {}) {
  const Operation op = internal::make("AssignSubVariableOp", options.name, {resource, value}, {}, {});
  return op;
}

struct AssignVariableOpOptions {
  bool validate_shape = false;
  /// Of the node; empty: "AssignVariableOp".
  std::string name = {};
};
/// resource:resource, value:dtype ->
inline Operation AssignVariableOp(const Input& resource, const Input& value,
                                  const AssignVariableOpOptions& options = {}) {
  const Operation op = internal::make("AssignVariableOp", options.name, {resource, value},
                                      {{"validate_shape", options.validate_shape}}, {});
  return op;
}

/// ref:ref T -> output:T
inline Tensor CountUpTo(const Input& ref, int64_t limit, const NameOption& options = {}) {
  const Operation op = internal::make("CountUpTo", options.name, {ref}, {{"limit", limit}}, {});
  return internal::output(op, 0);
}

/// resource:resource ->
inline Operation DisableCopyOnRead(const Input& resource, const NameOption& options = {}) {
  const Operation op = internal::make("DisableCopyOnRead", options.name, {resource}, {}, {});
  return op;
}

/// ref:ref dtype -> is_initialized:bool
inline Tensor IsVariableInitialized(const Input& ref, const NameOption& options = {}) {
  const Operation op = internal::make("IsVariableInitialized", options.name, {ref}, {}, {});
  return internal::output(op, 0);
}

/// resource:resource -> value:dtype
/// `dtype`: the dtype of `value`.
inline Tensor ReadVariableOp(const Input& resource, DType dtype, const NameOption& options = {}) {
  const Operation op = internal::make("ReadVariableOp", options.name, {resource}, {{"dtype", dtype}}, {});
  return internal::output(op, 0);
}

struct ResourceApplyAdaMaxOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceApplyAdaMax".
  std::string name = {};
};
/// var:resource, m:resource, v:resource, beta1_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T ->
inline Operation ResourceApplyAdaMax(const Input& var, const Input& m, const Input& v,
                                     const Input& beta1_power, const Input& lr, const Input& beta1,
                                     const Input& beta2, const Input& epsilon, const Input& grad,
                                     const ResourceApplyAdaMaxOptions& options = {}) {
  const Operation op = internal::make("ResourceApplyAdaMax", options.name,
                                      {var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad},
                                      {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceApplyAdadeltaOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceApplyAdadelta".
  std::string name = {};
};
/// var:resource, accum:resource, accum_update:resource, lr:T, rho:T, epsilon:T, grad:T ->
inline Operation ResourceApplyAdadelta(const Input& var, const Input& accum, const Input& accum_update,
                                       const Input& lr, const Input& rho, const Input& epsilon,
                                       const Input& grad, const ResourceApplyAdadeltaOptions& options = {}) {
  const Operation op = internal::make("ResourceApplyAdadelta", options.name,
                                      {var, accum, accum_update, lr, rho, epsilon, grad},
                                      {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceApplyAdagradOptions {
  bool use_locking = false;
  bool update_slots = true;
  /// Of the node; empty: "ResourceApplyAdagrad".
  std::string name = {};
};
/// var:resource, accum:resource, lr:T, grad:T ->
inline Operation ResourceApplyAdagrad(const Input& var, const Input& accum, const Input& lr,
                                      const Input& grad, const ResourceApplyAdagradOptions& options = {}) {
  const Operation op =
      internal::make("ResourceApplyAdagrad", options.name, {var, accum, lr, grad},
                     {{"use_locking", options.use_locking}, {"update_slots", options.update_slots}}, {});
  return op;
}

struct ResourceApplyAdagradDAOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceApplyAdagradDA".
  std::string name = {};
};
/// var:resource, gradient_accumulator:resource, gradient_squared_accumulator:resource, grad:T, lr:T, l1:T,
/// l2:T, global_step:int64 ->
inline Operation ResourceApplyAdagradDA(const Input& var, const Input& gradient_accumulator,
                                        const Input& gradient_squared_accumulator, const Input& grad,
                                        const Input& lr, const Input& l1, const Input& l2,
                                        const Input& global_step,
                                        const ResourceApplyAdagradDAOptions& options = {}) {
  const Operation op =
      internal::make("ResourceApplyAdagradDA", options.name,
                     {var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step},
                     {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceApplyAdagradV2Options {
  bool use_locking = false;
  bool update_slots = true;
  /// Of the node; empty: "ResourceApplyAdagradV2".
  std::string name = {};
};
/// var:resource, accum:resource, lr:T, epsilon:T, grad:T ->
inline Operation ResourceApplyAdagradV2(const Input& var, const Input& accum, const Input& lr,
                                        const Input& epsilon, const Input& grad,
                                        const ResourceApplyAdagradV2Options& options = {}) {
  const Operation op =
      internal::make("ResourceApplyAdagradV2", options.name, {var, accum, lr, epsilon, grad},
                     {{"use_locking", options.use_locking}, {"update_slots", options.update_slots}}, {});
  return op;
}

struct ResourceApplyAdamOptions {
  bool use_locking = false;
  bool use_nesterov = false;
  /// Of the node; empty: "ResourceApplyAdam".
  std::string name = {};
};
/// var:resource, m:resource, v:resource, beta1_power:T, beta2_power:T, lr:T, beta1:T, beta2:T, epsilon:T,
/// grad:T ->
inline Operation ResourceApplyAdam(const Input& var, const Input& m, const Input& v, const Input& beta1_power,
                                   const Input& beta2_power, const Input& lr, const Input& beta1,
                                   const Input& beta2, const Input& epsilon, const Input& grad,
                                   const ResourceApplyAdamOptions& options = {}) {
  const Operation op =
      internal::make("ResourceApplyAdam", options.name,
                     {var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad},
                     {{"use_locking", options.use_locking}, {"use_nesterov", options.use_nesterov}}, {});
  return op;
}

struct ResourceApplyAdamWithAmsgradOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceApplyAdamWithAmsgrad".
  std::string name = {};
};
/// var:resource, m:resource, v:resource, vhat:resource, beta1_power:T, beta2_power:T, lr:T, beta1:T,
/// beta2:T, epsilon:T, grad:T ->
inline Operation ResourceApplyAdamWithAmsgrad(const Input& var, const Input& m, const Input& v,
                                              const Input& vhat, const Input& beta1_power,
                                              const Input& beta2_power, const Input& lr, const Input& beta1,
                                              const Input& beta2, const Input& epsilon, const Input& grad,
                                              const ResourceApplyAdamWithAmsgradOptions& options = {}) {
  const Operation op =
      internal::make("ResourceApplyAdamWithAmsgrad", options.name,
                     {var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad},
                     {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceApplyAddSignOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceApplyAddSign".
  std::string name = {};
};
/// var:resource, m:resource, lr:T, alpha:T, sign_decay:T, beta:T, grad:T ->
inline Operation ResourceApplyAddSign(const Input& var, const Input& m, const Input& lr, const Input& alpha,
                                      const Input& sign_decay, const Input& beta, const Input& grad,
                                      const ResourceApplyAddSignOptions& options = {}) {
  const Operation op =
      internal::make("ResourceApplyAddSign", options.name, {var, m, lr, alpha, sign_decay, beta, grad},
                     {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceApplyCenteredRMSPropOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceApplyCenteredRMSProp".
  std::string name = {};
};
/// var:resource, mg:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T ->
inline Operation ResourceApplyCenteredRMSProp(const Input& var, const Input& mg, const Input& ms,
                                              const Input& mom, const Input& lr, const Input& rho,
                                              const Input& momentum, const Input& epsilon, const Input& grad,
                                              const ResourceApplyCenteredRMSPropOptions& options = {}) {
  const Operation op = internal::make("ResourceApplyCenteredRMSProp", options.name,
                                      {var, mg, ms, mom, lr, rho, momentum, epsilon, grad},
                                      {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceApplyFtrlOptions {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  /// Of the node; empty: "ResourceApplyFtrl".
  std::string name = {};
};
/// var:resource, accum:resource, linear:resource, grad:T, lr:T, l1:T, l2:T, lr_power:T ->
inline Operation ResourceApplyFtrl(const Input& var, const Input& accum, const Input& linear,
                                   const Input& grad, const Input& lr, const Input& l1, const Input& l2,
                                   const Input& lr_power, const ResourceApplyFtrlOptions& options = {}) {
  const Operation op = internal::make(
      "ResourceApplyFtrl", options.name, {var, accum, linear, grad, lr, l1, l2, lr_power},
      {{"use_locking", options.use_locking}, {"multiply_linear_by_lr", options.multiply_linear_by_lr}}, {});
  return op;
}

struct ResourceApplyFtrlV2Options {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  /// Of the node; empty: "ResourceApplyFtrlV2".
  std::string name = {};
};
/// var:resource, accum:resource, linear:resource, grad:T, lr:T, l1:T, l2:T, l2_shrinkage:T, lr_power:T ->
inline Operation ResourceApplyFtrlV2(const Input& var, const Input& accum, const Input& linear,
                                     const Input& grad, const Input& lr, const Input& l1, const Input& l2,
                                     const Input& l2_shrinkage, const Input& lr_power,
                                     const ResourceApplyFtrlV2Options& options = {}) {
  const Operation op = internal::make(
      "ResourceApplyFtrlV2", options.name, {var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power},
      {{"use_locking", options.use_locking}, {"multiply_linear_by_lr", options.multiply_linear_by_lr}}, {});
  return op;
}

struct ResourceApplyGradientDescentOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceApplyGradientDescent".
  std::string name = {};
};
/// var:resource, alpha:T, delta:T ->
inline Operation ResourceApplyGradientDescent(const Input& var, const Input& alpha, const Input& delta,
                                              const ResourceApplyGradientDescentOptions& options = {}) {
  const Operation op = internal::make("ResourceApplyGradientDescent", options.name, {var, alpha, delta},
                                      {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceApplyMomentumOptions {
  bool use_locking = false;
  bool use_nesterov = false;
  /// Of the node; empty: "ResourceApplyMomentum".
  std::string name = {};
};
/// var:resource, accum:resource, lr:T, grad:T, momentum:T ->
inline Operation ResourceApplyMomentum(const Input& var, const Input& accum, const Input& lr,
                                       const Input& grad, const Input& momentum,
                                       const ResourceApplyMomentumOptions& options = {}) {
  const Operation op =
      internal::make("ResourceApplyMomentum", options.name, {var, accum, lr, grad, momentum},
                     {{"use_locking", options.use_locking}, {"use_nesterov", options.use_nesterov}}, {});
  return op;
}

struct ResourceApplyPowerSignOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceApplyPowerSign".
  std::string name = {};
};
/// var:resource, m:resource, lr:T, logbase:T, sign_decay:T, beta:T, grad:T ->
inline Operation ResourceApplyPowerSign(const Input& var, const Input& m, const Input& lr,
                                        const Input& logbase, const Input& sign_decay, const Input& beta,
                                        const Input& grad,
                                        const ResourceApplyPowerSignOptions& options = {}) {
  const Operation op =
      internal::make("ResourceApplyPowerSign", options.name, {var, m, lr, logbase, sign_decay, beta, grad},
                     {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceApplyProximalAdagradOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceApplyProximalAdagrad".
  std::string name = {};
};
/// var:resource, accum:resource, lr:T, l1:T, l2:T, grad:T ->
inline Operation ResourceApplyProximalAdagrad(const Input& var, const Input& accum, const Input& lr,
                                              const Input& l1, const Input& l2, const Input& grad,
                                              const ResourceApplyProximalAdagradOptions& options = {}) {
  const Operation op =
      internal::make("ResourceApplyProximalAdagrad", options.name, {var, accum, lr, l1, l2, grad},
                     {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceApplyProximalGradientDescentOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceApplyProximalGradientDescent".
  std::string name = {};
};
/// var:resource, alpha:T, l1:T, l2:T, delta:T ->
inline Operation ResourceApplyProximalGradientDescent(
    const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& delta,
    const ResourceApplyProximalGradientDescentOptions& options = {}) {
  const Operation op =
      internal::make("ResourceApplyProximalGradientDescent", options.name, {var, alpha, l1, l2, delta},
                     {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceApplyRMSPropOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceApplyRMSProp".
  std::string name = {};
};
/// var:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T ->
inline Operation ResourceApplyRMSProp(const Input& var, const Input& ms, const Input& mom, const Input& lr,
                                      const Input& rho, const Input& momentum, const Input& epsilon,
                                      const Input& grad, const ResourceApplyRMSPropOptions& options = {}) {
  const Operation op =
      internal::make("ResourceApplyRMSProp", options.name, {var, ms, mom, lr, rho, momentum, epsilon, grad},
                     {{"use_locking", options.use_locking}}, {});
  return op;
}

/// resource:resource -> output:T
/// `T`: the dtype of `output`. One of int32, int64.
inline Tensor ResourceCountUpTo(const Input& resource, int64_t limit, DType T,
                                const NameOption& options = {}) {
  const Operation op =
      internal::make("ResourceCountUpTo", options.name, {resource}, {{"limit", limit}, {"T", T}}, {});
  return internal::output(op, 0);
}

/// resource:resource, indices:Tindices, updates:dtype ->
inline Operation ResourceScatterAdd(const Input& resource, const Input& indices, const Input& updates,
                                    const NameOption& options = {}) {
  const Operation op =
      internal::make("ResourceScatterAdd", options.name, {resource, indices, updates}, {}, {});
  return op;
}

/// resource:resource, indices:Tindices, updates:dtype ->
inline Operation ResourceScatterDiv(const Input& resource, const Input& indices, const Input& updates,
                                    const NameOption& options = {}) {
  const Operation op =
      internal::make("ResourceScatterDiv", options.name, {resource, indices, updates}, {}, {});
  return op;
}

/// resource:resource, indices:Tindices, updates:dtype ->
inline Operation ResourceScatterMax(const Input& resource, const Input& indices, const Input& updates,
                                    const NameOption& options = {}) {
  const Operation op =
      internal::make("ResourceScatterMax", options.name, {resource, indices, updates}, {}, {});
  return op;
}

/// resource:resource, indices:Tindices, updates:dtype ->
inline Operation ResourceScatterMin(const Input& resource, const Input& indices, const Input& updates,
                                    const NameOption& options = {}) {
  const Operation op =
      internal::make("ResourceScatterMin", options.name, {resource, indices, updates}, {}, {});
  return op;
}

/// resource:resource, indices:Tindices, updates:dtype ->
inline Operation ResourceScatterMul(const Input& resource, const Input& indices, const Input& updates,
                                    const NameOption& options = {}) {
  const Operation op =
      internal::make("ResourceScatterMul", options.name, {resource, indices, updates}, {}, {});
  return op;
}

/// resource:resource, indices:Tindices, updates:dtype ->
inline Operation ResourceScatterSub(const Input& resource, const Input& indices, const Input& updates,
                                    const NameOption& options = {}) {
  const Operation op =
      internal::make("ResourceScatterSub", options.name, {resource, indices, updates}, {}, {});
  return op;
}

/// resource:resource, indices:Tindices, updates:dtype ->
inline Operation ResourceScatterUpdate(const Input& resource, const Input& indices, const Input& updates,
                                       const NameOption& options = {}) {
  const Operation op =
      internal::make("ResourceScatterUpdate", options.name, {resource, indices, updates}, {}, {});
  return op;
}

struct ResourceSparseApplyAdadeltaOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceSparseApplyAdadelta".
  std::string name = {};
};
/// var:resource, accum:resource, accum_update:resource, lr:T, rho:T, epsilon:T, grad:T, indices:Tindices ->
inline Operation ResourceSparseApplyAdadelta(const Input& var, const Input& accum, const Input& accum_update,
                                             const Input& lr, const Input& rho, const Input& epsilon,
                                             const Input& grad, const Input& indices,
                                             const ResourceSparseApplyAdadeltaOptions& options = {}) {
  const Operation op = internal::make("ResourceSparseApplyAdadelta", options.name,
                                      {var, accum, accum_update, lr, rho, epsilon, grad, indices},
                                      {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceSparseApplyAdagradOptions {
  bool use_locking = false;
  bool update_slots = true;
  /// Of the node; empty: "ResourceSparseApplyAdagrad".
  std::string name = {};
};
/// var:resource, accum:resource, lr:T, grad:T, indices:Tindices ->
inline Operation ResourceSparseApplyAdagrad(const Input& var, const Input& accum, const Input& lr,
                                            const Input& grad, const Input& indices,
                                            const ResourceSparseApplyAdagradOptions& options = {}) {
  const Operation op =
      internal::make("ResourceSparseApplyAdagrad", options.name, {var, accum, lr, grad, indices},
                     {{"use_locking", options.use_locking}, {"update_slots", options.update_slots}}, {});
  return op;
}

struct ResourceSparseApplyAdagradDAOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceSparseApplyAdagradDA".
  std::string name = {};
};
/// var:resource, gradient_accumulator:resource, gradient_squared_accumulator:resource, grad:T,
/// indices:Tindices, lr:T, l1:T, l2:T, global_step:int64 ->
inline Operation ResourceSparseApplyAdagradDA(const Input& var, const Input& gradient_accumulator,
                                              const Input& gradient_squared_accumulator, const Input& grad,
                                              const Input& indices, const Input& lr, const Input& l1,
                                              const Input& l2, const Input& global_step,
                                              const ResourceSparseApplyAdagradDAOptions& options = {}) {
  const Operation op = internal::make(
      "ResourceSparseApplyAdagradDA", options.name,
      {var, gradient_accumulator, gradient_squared_accumulator, grad, indices, lr, l1, l2, global_step},
      {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceSparseApplyAdagradV2Options {
  bool use_locking = false;
  bool update_slots = true;
  /// Of the node; empty: "ResourceSparseApplyAdagradV2".
  std::string name = {};
};
/// var:resource, accum:resource, lr:T, epsilon:T, grad:T, indices:Tindices ->
inline Operation ResourceSparseApplyAdagradV2(const Input& var, const Input& accum, const Input& lr,
                                              const Input& epsilon, const Input& grad, const Input& indices,
                                              const ResourceSparseApplyAdagradV2Options& options = {}) {
  const Operation op =
      internal::make("ResourceSparseApplyAdagradV2", options.name, {var, accum, lr, epsilon, grad, indices},
                     {{"use_locking", options.use_locking}, {"update_slots", options.update_slots}}, {});
  return op;
}

struct ResourceSparseApplyCenteredRMSPropOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceSparseApplyCenteredRMSProp".
  std::string name = {};
};
/// var:resource, mg:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T,
/// indices:Tindices ->
inline Operation ResourceSparseApplyCenteredRMSProp(
    const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho,
    const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices,
    const ResourceSparseApplyCenteredRMSPropOptions& options = {}) {
  const Operation op = internal::make("ResourceSparseApplyCenteredRMSProp", options.name,
                                      {var, mg, ms, mom, lr, rho, momentum, epsilon, grad, indices},
                                      {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceSparseApplyFtrlOptions {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  /// Of the node; empty: "ResourceSparseApplyFtrl".
  std::string name = {};
};
/// var:resource, accum:resource, linear:resource, grad:T, indices:Tindices, lr:T, l1:T, l2:T, lr_power:T ->
inline Operation ResourceSparseApplyFtrl(const Input& var, const Input& accum, const Input& linear,
                                         const Input& grad, const Input& indices, const Input& lr,
                                         const Input& l1, const Input& l2, const Input& lr_power,
                                         const ResourceSparseApplyFtrlOptions& options = {}) {
  const Operation op = internal::make(
      "ResourceSparseApplyFtrl", options.name, {var, accum, linear, grad, indices, lr, l1, l2, lr_power},
      {{"use_locking", options.use_locking}, {"multiply_linear_by_lr", options.multiply_linear_by_lr}}, {});
  return op;
}

struct ResourceSparseApplyFtrlV2Options {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  /// Of the node; empty: "ResourceSparseApplyFtrlV2".
  std::string name = {};
};
/// var:resource, accum:resource, linear:resource, grad:T, indices:Tindices, lr:T, l1:T, l2:T,
/// l2_shrinkage:T, lr_power:T ->
inline Operation ResourceSparseApplyFtrlV2(const Input& var, const Input& accum, const Input& linear,
                                           const Input& grad, const Input& indices, const Input& lr,
                                           const Input& l1, const Input& l2, const Input& l2_shrinkage,
                                           const Input& lr_power,
                                           const ResourceSparseApplyFtrlV2Options& options = {}) {
  const Operation op = internal::make(
      "ResourceSparseApplyFtrlV2", options.name,
      {var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, lr_power},
      {{"use_locking", options.use_locking}, {"multiply_linear_by_lr", options.multiply_linear_by_lr}}, {});
  return op;
}

struct ResourceSparseApplyMomentumOptions {
  bool use_locking = false;
  bool use_nesterov = false;
  /// Of the node; empty: "ResourceSparseApplyMomentum".
  std::string name = {};
};
/// var:resource, accum:resource, lr:T, grad:T, indices:Tindices, momentum:T ->
inline Operation ResourceSparseApplyMomentum(const Input& var, const Input& accum, const Input& lr,
                                             const Input& grad, const Input& indices, const Input& momentum,
                                             const ResourceSparseApplyMomentumOptions& options = {}) {
  const Operation op =
      internal::make("ResourceSparseApplyMomentum", options.name, {var, accum, lr, grad, indices, momentum},
                     {{"use_locking", options.use_locking}, {"use_nesterov", options.use_nesterov}}, {});
  return op;
}

struct ResourceSparseApplyProximalAdagradOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceSparseApplyProximalAdagrad".
  std::string name = {};
};
/// var:resource, accum:resource, lr:T, l1:T, l2:T, grad:T, indices:Tindices ->
inline Operation ResourceSparseApplyProximalAdagrad(
    const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2,
    const Input& grad, const Input& indices, const ResourceSparseApplyProximalAdagradOptions& options = {}) {
  const Operation op =
      internal::make("ResourceSparseApplyProximalAdagrad", options.name,
                     {var, accum, lr, l1, l2, grad, indices}, {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceSparseApplyProximalGradientDescentOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceSparseApplyProximalGradientDescent".
  std::string name = {};
};
/// var:resource, alpha:T, l1:T, l2:T, grad:T, indices:Tindices ->
inline Operation ResourceSparseApplyProximalGradientDescent(
    const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& grad,
    const Input& indices, const ResourceSparseApplyProximalGradientDescentOptions& options = {}) {
  const Operation op =
      internal::make("ResourceSparseApplyProximalGradientDescent", options.name,
                     {var, alpha, l1, l2, grad, indices}, {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ResourceSparseApplyRMSPropOptions {
  bool use_locking = false;
  /// Of the node; empty: "ResourceSparseApplyRMSProp".
  std::string name = {};
};
/// var:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T, indices:Tindices ->
inline Operation ResourceSparseApplyRMSProp(const Input& var, const Input& ms, const Input& mom,
                                            const Input& lr, const Input& rho, const Input& momentum,
                                            const Input& epsilon, const Input& grad, const Input& indices,
                                            const ResourceSparseApplyRMSPropOptions& options = {}) {
  const Operation op = internal::make("ResourceSparseApplyRMSProp", options.name,
                                      {var, ms, mom, lr, rho, momentum, epsilon, grad, indices},
                                      {{"use_locking", options.use_locking}}, {});
  return op;
}

struct ScatterAddOptions {
  bool use_locking = false;
  /// Of the node; empty: "ScatterAdd".
  std::string name = {};
};
/// ref:ref T, indices:Tindices, updates:T -> output_ref:ref T
inline Tensor ScatterAdd(const Input& ref, const Input& indices, const Input& updates,
                         const ScatterAddOptions& options = {}) {
  const Operation op = internal::make("ScatterAdd", options.name, {ref, indices, updates},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ScatterDivOptions {
  bool use_locking = false;
  /// Of the node; empty: "ScatterDiv".
  std::string name = {};
};
/// ref:ref T, indices:Tindices, updates:T -> output_ref:ref T
inline Tensor ScatterDiv(const Input& ref, const Input& indices, const Input& updates,
                         const ScatterDivOptions& options = {}) {
  const Operation op = internal::make("ScatterDiv", options.name, {ref, indices, updates},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ScatterMaxOptions {
  bool use_locking = false;
  /// Of the node; empty: "ScatterMax".
  std::string name = {};
};
/// ref:ref T, indices:Tindices, updates:T -> output_ref:ref T
inline Tensor ScatterMax(const Input& ref, const Input& indices, const Input& updates,
                         const ScatterMaxOptions& options = {}) {
  const Operation op = internal::make("ScatterMax", options.name, {ref, indices, updates},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ScatterMinOptions {
  bool use_locking = false;
  /// Of the node; empty: "ScatterMin".
  std::string name = {};
};
/// ref:ref T, indices:Tindices, updates:T -> output_ref:ref T
inline Tensor ScatterMin(const Input& ref, const Input& indices, const Input& updates,
                         const ScatterMinOptions& options = {}) {
  const Operation op = internal::make("ScatterMin", options.name, {ref, indices, updates},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ScatterMulOptions {
  bool use_locking = false;
  /// Of the node; empty: "ScatterMul".
  std::string name = {};
};
/// ref:ref T, indices:Tindices, updates:T -> output_ref:ref T
inline Tensor ScatterMul(const Input& ref, const Input& indices, const Input& updates,
                         const ScatterMulOptions& options = {}) {
  const Operation op = internal::make("ScatterMul", options.name, {ref, indices, updates},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ScatterSubOptions {
  bool use_locking = false;
  /// Of the node; empty: "ScatterSub".
  std::string name = {};
};
/// ref:ref T, indices:Tindices, updates:T -> output_ref:ref T
inline Tensor ScatterSub(const Input& ref, const Input& indices, const Input& updates,
                         const ScatterSubOptions& options = {}) {
  const Operation op = internal::make("ScatterSub", options.name, {ref, indices, updates},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct ScatterUpdateOptions {
  bool use_locking = true;
  /// Of the node; empty: "ScatterUpdate".
  std::string name = {};
};
/// ref:ref T, indices:Tindices, updates:T -> output_ref:ref T
inline Tensor ScatterUpdate(const Input& ref, const Input& indices, const Input& updates,
                            const ScatterUpdateOptions& options = {}) {
  const Operation op = internal::make("ScatterUpdate", options.name, {ref, indices, updates},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct SparseApplyAdadeltaOptions {
  bool use_locking = false;
  /// Of the node; empty: "SparseApplyAdadelta".
  std::string name = {};
};
/// var:ref T, accum:ref T, accum_update:ref T, lr:T, rho:T, epsilon:T, grad:T, indices:Tindices ->
/// out:ref T
inline Tensor SparseApplyAdadelta(const Input& var, const Input& accum, const Input& accum_update,
                                  const Input& lr, const Input& rho, const Input& epsilon, const Input& grad,
                                  const Input& indices, const SparseApplyAdadeltaOptions& options = {}) {
  const Operation op = internal::make("SparseApplyAdadelta", options.name,
                                      {var, accum, accum_update, lr, rho, epsilon, grad, indices},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct SparseApplyAdagradOptions {
  bool use_locking = false;
  bool update_slots = true;
  /// Of the node; empty: "SparseApplyAdagrad".
  std::string name = {};
};
/// var:ref T, accum:ref T, lr:T, grad:T, indices:Tindices -> out:ref T
inline Tensor SparseApplyAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& grad,
                                 const Input& indices, const SparseApplyAdagradOptions& options = {}) {
  const Operation op =
      internal::make("SparseApplyAdagrad", options.name, {var, accum, lr, grad, indices},
                     {{"use_locking", options.use_locking}, {"update_slots", options.update_slots}}, {});
  return internal::output(op, 0);
}

struct SparseApplyAdagradDAOptions {
  bool use_locking = false;
  /// Of the node; empty: "SparseApplyAdagradDA".
  std::string name = {};
};
/// var:ref T, gradient_accumulator:ref T, gradient_squared_accumulator:ref T, grad:T, indices:Tindices,
/// lr:T, l1:T, l2:T, global_step:int64 -> out:ref T
inline Tensor SparseApplyAdagradDA(const Input& var, const Input& gradient_accumulator,
                                   const Input& gradient_squared_accumulator, const Input& grad,
                                   const Input& indices, const Input& lr, const Input& l1, const Input& l2,
                                   const Input& global_step,
                                   const SparseApplyAdagradDAOptions& options = {}) {
  const Operation op = internal::make(
      "SparseApplyAdagradDA", options.name,
      {var, gradient_accumulator, gradient_squared_accumulator, grad, indices, lr, l1, l2, global_step},
      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct SparseApplyAdagradV2Options {
  bool use_locking = false;
  bool update_slots = true;
  /// Of the node; empty: "SparseApplyAdagradV2".
  std::string name = {};
};
/// var:ref T, accum:ref T, lr:T, epsilon:T, grad:T, indices:Tindices -> out:ref T
inline Tensor SparseApplyAdagradV2(const Input& var, const Input& accum, const Input& lr,
                                   const Input& epsilon, const Input& grad, const Input& indices,
                                   const SparseApplyAdagradV2Options& options = {}) {
  const Operation op =
      internal::make("SparseApplyAdagradV2", options.name, {var, accum, lr, epsilon, grad, indices},
                     {{"use_locking", options.use_locking}, {"update_slots", options.update_slots}}, {});
  return internal::output(op, 0);
}

struct SparseApplyCenteredRMSPropOptions {
  bool use_locking = false;
  /// Of the node; empty: "SparseApplyCenteredRMSProp".
  std::string name = {};
};
/// var:ref T, mg:ref T, ms:ref T, mom:ref T, lr:T, rho:T, momentum:T, epsilon:T, grad:T, indices:Tindices
/// -> out:ref T
inline Tensor SparseApplyCenteredRMSProp(const Input& var, const Input& mg, const Input& ms, const Input& mom,
                                         const Input& lr, const Input& rho, const Input& momentum,
                                         const Input& epsilon, const Input& grad, const Input& indices,
                                         const SparseApplyCenteredRMSPropOptions& options = {}) {
  const Operation op = internal::make("SparseApplyCenteredRMSProp", options.name,
                                      {var, mg, ms, mom, lr, rho, momentum, epsilon, grad, indices},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct SparseApplyFtrlOptions {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  /// Of the node; empty: "SparseApplyFtrl".
  std::string name = {};
};
/// var:ref T, accum:ref T, linear:ref T, grad:T, indices:Tindices, lr:T, l1:T, l2:T, lr_power:T ->
/// out:ref T
inline Tensor SparseApplyFtrl(const Input& var, const Input& accum, const Input& linear, const Input& grad,
                              const Input& indices, const Input& lr, const Input& l1, const Input& l2,
                              const Input& lr_power, const SparseApplyFtrlOptions& options = {}) {
  const Operation op = internal::make(
      "SparseApplyFtrl", options.name, {var, accum, linear, grad, indices, lr, l1, l2, lr_power},
      {{"use_locking", options.use_locking}, {"multiply_linear_by_lr", options.multiply_linear_by_lr}}, {});
  return internal::output(op, 0);
}

struct SparseApplyFtrlV2Options {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  /// Of the node; empty: "SparseApplyFtrlV2".
  std::string name = {};
};
/// var:ref T, accum:ref T, linear:ref T, grad:T, indices:Tindices, lr:T, l1:T, l2:T, l2_shrinkage:T,
/// lr_power:T -> out:ref T
inline Tensor SparseApplyFtrlV2(const Input& var, const Input& accum, const Input& linear, const Input& grad,
                                const Input& indices, const Input& lr, const Input& l1, const Input& l2,
                                const Input& l2_shrinkage, const Input& lr_power,
                                const SparseApplyFtrlV2Options& options = {}) {
  const Operation op = internal::make(
      "SparseApplyFtrlV2", options.name,
      {var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, lr_power},
      {{"use_locking", options.use_locking}, {"multiply_linear_by_lr", options.multiply_linear_by_lr}}, {});
  return internal::output(op, 0);
}

struct SparseApplyMomentumOptions {
  bool use_locking = false;
  bool use_nesterov = false;
  /// Of the node; empty: "SparseApplyMomentum".
  std::string name = {};
};
/// var:ref T, accum:ref T, lr:T, grad:T, indices:Tindices, momentum:T -> out:ref T
inline Tensor SparseApplyMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad,
                                  const Input& indices, const Input& momentum,
                                  const SparseApplyMomentumOptions& options = {}) {
  const Operation op =
      internal::make("SparseApplyMomentum", options.name, {var, accum, lr, grad, indices, momentum},
                     {{"use_locking", options.use_locking}, {"use_nesterov", options.use_nesterov}}, {});
  return internal::output(op, 0);
}

struct SparseApplyProximalAdagradOptions {
  bool use_locking = false;
  /// Of the node; empty: "SparseApplyProximalAdagrad".
  std::string name = {};
};
/// var:ref T, accum:ref T, lr:T, l1:T, l2:T, grad:T, indices:Tindices -> out:ref T
inline Tensor SparseApplyProximalAdagrad(const Input& var, const Input& accum, const Input& lr,
                                         const Input& l1, const Input& l2, const Input& grad,
                                         const Input& indices,
                                         const SparseApplyProximalAdagradOptions& options = {}) {
  const Operation op =
      internal::make("SparseApplyProximalAdagrad", options.name, {var, accum, lr, l1, l2, grad, indices},
                     {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct SparseApplyProximalGradientDescentOptions {
  bool use_locking = false;
  /// Of the node; empty: "SparseApplyProximalGradientDescent".
  std::string name = {};
};
/// var:ref T, alpha:T, l1:T, l2:T, grad:T, indices:Tindices -> out:ref T
inline Tensor SparseApplyProximalGradientDescent(
    const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& grad,
    const Input& indices, const SparseApplyProximalGradientDescentOptions& options = {}) {
  const Operation op =
      internal::make("SparseApplyProximalGradientDescent", options.name, {var, alpha, l1, l2, grad, indices},
                     {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct SparseApplyRMSPropOptions {
  bool use_locking = false;
  /// Of the node; empty: "SparseApplyRMSProp".
  std::string name = {};
};
/// var:ref T, ms:ref T, mom:ref T, lr:T, rho:T, momentum:T, epsilon:T, grad:T, indices:Tindices ->
/// out:ref T
inline Tensor SparseApplyRMSProp(const Input& var, const Input& ms, const Input& mom, const Input& lr,
                                 const Input& rho, const Input& momentum, const Input& epsilon,
                                 const Input& grad, const Input& indices,
                                 const SparseApplyRMSPropOptions& options = {}) {
  const Operation op = internal::make("SparseApplyRMSProp", options.name,
                                      {var, ms, mom, lr, rho, momentum, epsilon, grad, indices},
                                      {{"use_locking", options.use_locking}}, {});
  return internal::output(op, 0);
}

struct VarHandleOpOptions {
  std::string container = {};
  std::string shared_name = {};
  std::string debug_name = {};
  std::vector<std::string> allowed_devices = {};
  /// Of the node; empty: "VarHandleOp".
  std::string name = {};
};
/// -> resource:resource
inline Tensor VarHandleOp(DType dtype, const TensorShape& shape, const VarHandleOpOptions& options = {},
                          Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("VarHandleOp", options.name, {},
                                      {{"dtype", dtype},
                                       {"shape", shape},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name},
                                       {"debug_name", options.debug_name},
                                       {"allowed_devices", options.allowed_devices}},
                                      where);
  return internal::output(op, 0);
}

/// resource:resource -> is_initialized:bool
inline Tensor VarIsInitializedOp(const Input& resource, const NameOption& options = {}) {
  const Operation op = internal::make("VarIsInitializedOp", options.name, {resource}, {}, {});
  return internal::output(op, 0);
}

struct VariableOptions {
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "Variable".
  std::string name = {};
};
/// -> ref:ref dtype
/// `dtype`: the dtype of `ref`.
inline Tensor Variable(const TensorShape& shape, DType dtype, const VariableOptions& options = {},
                       Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("Variable", options.name, {},
                                      {{"shape", shape},
                                       {"dtype", dtype},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

struct VariableShapeOptions {
  /// The dtype of `output`. One of int32, int64.
  DType out_type = DType::kInt32;
  /// Of the node; empty: "VariableShape".
  std::string name = {};
};
/// input:resource -> output:out_type
inline Tensor VariableShape(const Input& input, const VariableShapeOptions& options = {}) {
  const Operation op =
      internal::make("VariableShape", options.name, {input}, {{"out_type", options.out_type}}, {});
  return internal::output(op, 0);
}

struct VariableV2Options {
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "VariableV2".
  std::string name = {};
};
/// -> ref:ref dtype
/// `dtype`: the dtype of `ref`.
inline Tensor VariableV2(const TensorShape& shape, DType dtype, const VariableV2Options& options = {},
                         Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("VariableV2", options.name, {},
                                      {{"shape", shape},
                                       {"dtype", dtype},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
