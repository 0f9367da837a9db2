#pragma once
/// tf.train's optimizers with l1 and l2 regularization of their own, for models whose weights are mostly
/// zero.

#include <flowray/tf/train.h>

#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

struct AdagradDAOptions {
  double initial_gradient_squared_accumulator_value = 0.1;
  double l1_regularization_strength = 0.0;
  double l2_regularization_strength = 0.0;
  bool use_locking = false;
  std::string name = "AdagradDA";
};

/// Adagrad by dual averaging: what rows that no batch had would be by now is worked out when they come.
/// Throws ValueError unless the initial value is positive. Source: Duchi, Hazan, Singer, 2011.
class AdagradDAOptimizer : public Optimizer {
 public:
  /// `global_step` counts the steps, integer [].
  AdagradDAOptimizer(const Input& learning_rate, const Input& global_step,
                     const AdagradDAOptions& options = {});

 private:
  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                         const Variable& variable) override;
  Operation update(const char* op, const Variable& variable, const std::vector<Tensor>& gradient);
  Input learning_rate_;
  Input global_step_;
  AdagradDAOptions options_;
  Tensor learning_rate_tensor_;
  Tensor step_tensor_;
};

struct FtrlOptions {
  /// How the learning rate falls, not above 0; 0: not at all.
  double learning_rate_power = -0.5;
  double initial_accumulator_value = 0.1;
  double l1_regularization_strength = 0.0;
  double l2_regularization_strength = 0.0;
  bool use_locking = false;
  std::string name = "Ftrl";
  /// What the slots' variables are called; empty: as the optimizer.
  std::string accum_name = {};
  std::string linear_name = {};
  /// A penalty on the weights' size, beside l2's on their change.
  double l2_shrinkage_regularization_strength = 0.0;
  double beta = 0.0;
};

/// Follow the regularized leader. Throws ValueError for numbers of the wrong sign. Source: McMahan et al.,
/// 2013.
class FtrlOptimizer : public Optimizer {
 public:
  explicit FtrlOptimizer(const Input& learning_rate, const FtrlOptions& options = {});

 private:
  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                         const Variable& variable) override;
  Operation update(const std::string& op, const Variable& variable, const std::vector<Tensor>& gradient);
  Input learning_rate_;
  FtrlOptions options_;
  Tensor learning_rate_tensor_;
  Tensor l1_tensor_;
  Tensor l2_tensor_;
  Tensor shrinkage_tensor_;
  Tensor power_tensor_;
};

struct ProximalGradientDescentOptions {
  double l1_regularization_strength = 0.0;
  double l2_regularization_strength = 0.0;
  bool use_locking = false;
  std::string name = "ProximalGradientDescent";
};

/// A step of gradient descent, then the nearest point that the regularization prefers. Source: Duchi, Singer,
/// 2009.
class ProximalGradientDescentOptimizer : public Optimizer {
 public:
  explicit ProximalGradientDescentOptimizer(const Input& learning_rate,
                                            const ProximalGradientDescentOptions& options = {});

 private:
  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                         const Variable& variable) override;
  Input learning_rate_;
  ProximalGradientDescentOptions options_;
  std::vector<Tensor> numbers_;  // learning rate, l1, l2
};

struct ProximalAdagradOptions {
  double initial_accumulator_value = 0.1;
  double l1_regularization_strength = 0.0;
  double l2_regularization_strength = 0.0;
  bool use_locking = false;
  std::string name = "ProximalAdagrad";
};

/// The same with Adagrad's step. Throws ValueError unless the initial value is positive.
class ProximalAdagradOptimizer : public Optimizer {
 public:
  explicit ProximalAdagradOptimizer(const Input& learning_rate, const ProximalAdagradOptions& options = {});

 private:
  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                         const Variable& variable) override;
  Input learning_rate_;
  ProximalAdagradOptions options_;
  std::vector<Tensor> numbers_;  // learning rate, l1, l2
};

}  // namespace flowray::tf::train

#pragma GCC visibility pop
