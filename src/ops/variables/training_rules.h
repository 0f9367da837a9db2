#pragma once
/// The optimizers' update rules: what one step does to the elements of a variable and its slots.

#include "ops/loops/compiled_loop.h"

#include <cmath>
#include <cstdint>

namespace flowray::ops {

/// What a rule works on. The scalars are the op's scalar inputs in its order.
template <class T>
struct UpdateStep {
  T* slots[4];  ///< The variable itself first.
  const T* gradient;
  T scalars[6];
  bool option;  ///< use_nesterov or update_slots, where the op has it.
};

/// How many elements keep a thread busy long enough to be worth waking it: of rules with and without a
/// square root.
inline constexpr int64_t kDearElementsPerWorker = 8 * 1024;
inline constexpr int64_t kCheapElementsPerWorker = 32 * 1024;

// Each rule is a loop over elements [begin, end); the formulas are those of TensorFlow's ops of the
// names given.

/// ApplyGradientDescent: alpha.
template <class T>
struct GradientDescentRule {
  static constexpr int64_t kElementsPerWorker = kCheapElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    const T* __restrict gradient = step.gradient;
    const T alpha = step.scalars[0];
    for (int64_t i = begin; i < end; ++i) variable[i] -= gradient[i] * alpha;
  }
};

/// ApplyMomentum: lr, momentum; slot accum; use_nesterov.
template <class T>
struct MomentumRule {
  static constexpr int64_t kElementsPerWorker = kCheapElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict accum = step.slots[1];
    const T* __restrict gradient = step.gradient;
    const T lr = step.scalars[0];
    const T momentum = step.scalars[1];
    if (step.option) {
      for (int64_t i = begin; i < end; ++i) {
        accum[i] = accum[i] * momentum + gradient[i];
        variable[i] -= gradient[i] * lr + accum[i] * momentum * lr;
      }
    } else {
      for (int64_t i = begin; i < end; ++i) {
        accum[i] = accum[i] * momentum + gradient[i];
        variable[i] -= accum[i] * lr;
      }
    }
  }
};

/// ApplyAdam: beta1_power, beta2_power, lr, beta1, beta2, epsilon; slots m, v; use_nesterov.
template <class T>
struct AdamRule {
  static constexpr int64_t kElementsPerWorker = kDearElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict m = step.slots[1];
    T* __restrict v = step.slots[2];
    const T* __restrict gradient = step.gradient;
    const T beta1 = step.scalars[3];
    const T beta2 = step.scalars[4];
    const T epsilon = step.scalars[5];
    const T alpha = step.scalars[2] * std::sqrt(T(1) - step.scalars[1]) / (T(1) - step.scalars[0]);
    const T rest1 = T(1) - beta1;
    const T rest2 = T(1) - beta2;
    const T of_m = step.option ? beta1 : T(1);
    const T of_gradient = step.option ? rest1 : T(0);
    for (int64_t i = begin; i < end; ++i) {
      m[i] += (gradient[i] - m[i]) * rest1;
      v[i] += (gradient[i] * gradient[i] - v[i]) * rest2;
      variable[i] -= (gradient[i] * of_gradient + m[i] * of_m) * alpha / (std::sqrt(v[i]) + epsilon);
    }
  }
};

/// ApplyAdaMax: beta1_power, lr, beta1, beta2, epsilon; slots m, v.
template <class T>
struct AdaMaxRule {
  static constexpr int64_t kElementsPerWorker = kDearElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict m = step.slots[1];
    T* __restrict v = step.slots[2];
    const T* __restrict gradient = step.gradient;
    const T rate = step.scalars[1] / (T(1) - step.scalars[0]);
    const T rest = T(1) - step.scalars[2];
    const T beta2 = step.scalars[3];
    const T epsilon = step.scalars[4];
    for (int64_t i = begin; i < end; ++i) {
      m[i] += (gradient[i] - m[i]) * rest;
      const T size = std::abs(gradient[i]);
      const T old = v[i] * beta2;
      v[i] = old < size ? size : old;
      variable[i] -= rate * (m[i] / (v[i] + epsilon));
    }
  }
};

/// ResourceApplyAdamWithAmsgrad: as Adam; slots m, v, vhat, the largest v so far.
template <class T>
struct AmsgradRule {
  static constexpr int64_t kElementsPerWorker = kDearElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict m = step.slots[1];
    T* __restrict v = step.slots[2];
    T* __restrict largest = step.slots[3];
    const T* __restrict gradient = step.gradient;
    const T alpha = step.scalars[2] * std::sqrt(T(1) - step.scalars[1]) / (T(1) - step.scalars[0]);
    const T rest1 = T(1) - step.scalars[3];
    const T rest2 = T(1) - step.scalars[4];
    const T epsilon = step.scalars[5];
    for (int64_t i = begin; i < end; ++i) {
      m[i] += (gradient[i] - m[i]) * rest1;
      v[i] += (gradient[i] * gradient[i] - v[i]) * rest2;
      largest[i] = largest[i] < v[i] ? v[i] : largest[i];
      variable[i] -= m[i] * alpha / (std::sqrt(largest[i]) + epsilon);
    }
  }
};

/// 1, 0 or -1 by whether both have one sign.
template <class T>
FLOWRAY_ALWAYS_INLINE T sign_agreement(T a, T b) {
  return static_cast<T>(((a > T(0)) - (a < T(0))) * ((b > T(0)) - (b < T(0))));
}

/// ApplyAddSign: lr, alpha, sign_decay, beta; slot m.
template <class T>
struct AddSignRule {
  static constexpr int64_t kElementsPerWorker = kCheapElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict m = step.slots[1];
    const T* __restrict gradient = step.gradient;
    const T beta = step.scalars[3];
    for (int64_t i = begin; i < end; ++i) {
      m[i] = gradient[i] * (T(1) - beta) + m[i] * beta;
      const T scale = step.scalars[1] + step.scalars[2] * sign_agreement(gradient[i], m[i]);
      variable[i] -= step.scalars[0] * scale * gradient[i];
    }
  }
};

/// ApplyPowerSign: lr, logbase, sign_decay, beta; slot m.
template <class T>
struct PowerSignRule {
  static constexpr int64_t kElementsPerWorker = kDearElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict m = step.slots[1];
    const T* __restrict gradient = step.gradient;
    const T beta = step.scalars[3];
    for (int64_t i = begin; i < end; ++i) {
      m[i] = m[i] * beta + gradient[i] * (T(1) - beta);
      const T scale = std::exp(step.scalars[1] * step.scalars[2] * sign_agreement(gradient[i], m[i]));
      variable[i] -= step.scalars[0] * scale * gradient[i];
    }
  }
};

/// ApplyAdagrad: lr, and of ApplyAdagradV2 epsilon; slot accum; update_slots.
template <class T, bool kHasEpsilon>
struct AdagradRuleOf {
  static constexpr int64_t kElementsPerWorker = kDearElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict accum = step.slots[1];
    const T* __restrict gradient = step.gradient;
    const T lr = step.scalars[0];
    const T epsilon = step.scalars[1];
    for (int64_t i = begin; i < end; ++i) {
      accum[i] += step.option ? gradient[i] * gradient[i] : T(0);
      const T root = std::sqrt(accum[i]);
      variable[i] -= gradient[i] * lr / (kHasEpsilon ? root + epsilon : root);
    }
  }
};
template <class T>
using AdagradRule = AdagradRuleOf<T, false>;
template <class T>
using AdagradV2Rule = AdagradRuleOf<T, true>;

/// ApplyAdadelta: lr, rho, epsilon; slots accum, accum_update.
template <class T>
struct AdadeltaRule {
  static constexpr int64_t kElementsPerWorker = kDearElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict accum = step.slots[1];
    T* __restrict accum_update = step.slots[2];
    const T* __restrict gradient = step.gradient;
    const T lr = step.scalars[0];
    const T rho = step.scalars[1];
    const T epsilon = step.scalars[2];
    const T rest = T(1) - rho;
    for (int64_t i = begin; i < end; ++i) {
      accum[i] = accum[i] * rho + gradient[i] * gradient[i] * rest;
      const T update = std::sqrt(accum_update[i] + epsilon) / std::sqrt(accum[i] + epsilon) * gradient[i];
      variable[i] -= update * lr;
      accum_update[i] = accum_update[i] * rho + update * update * rest;
    }
  }
};

/// ApplyRMSProp: lr, rho, momentum, epsilon; slots ms, mom.
template <class T>
struct RmsPropRule {
  static constexpr int64_t kElementsPerWorker = kDearElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict ms = step.slots[1];
    T* __restrict mom = step.slots[2];
    const T* __restrict gradient = step.gradient;
    const T lr = step.scalars[0];
    const T rest = T(1) - step.scalars[1];
    const T momentum = step.scalars[2];
    const T epsilon = step.scalars[3];
    for (int64_t i = begin; i < end; ++i) {
      ms[i] += (gradient[i] * gradient[i] - ms[i]) * rest;
      mom[i] = mom[i] * momentum + gradient[i] * lr / std::sqrt(ms[i] + epsilon);
      variable[i] -= mom[i];
    }
  }
};

/// ApplyCenteredRMSProp: lr, rho, momentum, epsilon; slots mg, ms, mom.
template <class T>
struct CenteredRmsPropRule {
  static constexpr int64_t kElementsPerWorker = kDearElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict mg = step.slots[1];
    T* __restrict ms = step.slots[2];
    T* __restrict mom = step.slots[3];
    const T* __restrict gradient = step.gradient;
    const T lr = step.scalars[0];
    const T rest = T(1) - step.scalars[1];
    const T momentum = step.scalars[2];
    const T epsilon = step.scalars[3];
    for (int64_t i = begin; i < end; ++i) {
      ms[i] += (gradient[i] * gradient[i] - ms[i]) * rest;
      mg[i] += (gradient[i] - mg[i]) * rest;
      const T variance = ms[i] - mg[i] * mg[i] + epsilon;
      mom[i] = mom[i] * momentum + gradient[i] * lr / std::sqrt(variance);
      variable[i] -= mom[i];
    }
  }
};

/// sign(x) * max(|x| - threshold, 0), which is what an L1 penalty does.
template <class T>
FLOWRAY_ALWAYS_INLINE T shrink(T x, T threshold) {
  const T rest = std::abs(x) - threshold;
  return rest > T(0) ? std::copysign(rest, x) : T(0);
}

/// ApplyProximalGradientDescent: alpha, l1, l2.
template <class T>
struct ProximalGradientDescentRule {
  static constexpr int64_t kElementsPerWorker = kCheapElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    const T* __restrict gradient = step.gradient;
    const T alpha = step.scalars[0];
    const T threshold = step.scalars[1] > T(0) ? alpha * step.scalars[1] : T(0);
    const T divisor = T(1) + step.scalars[2] * alpha;
    for (int64_t i = begin; i < end; ++i)
      variable[i] = shrink(variable[i] - gradient[i] * alpha, threshold) / divisor;
  }
};

/// ApplyProximalAdagrad: lr, l1, l2; slot accum.
template <class T>
struct ProximalAdagradRule {
  static constexpr int64_t kElementsPerWorker = kDearElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict accum = step.slots[1];
    const T* __restrict gradient = step.gradient;
    const T lr = step.scalars[0];
    const T l1 = step.scalars[1] > T(0) ? step.scalars[1] : T(0);
    const T l2 = step.scalars[2];
    for (int64_t i = begin; i < end; ++i) {
      accum[i] += gradient[i] * gradient[i];
      const T rate = lr / std::sqrt(accum[i]);
      variable[i] = shrink(variable[i] - gradient[i] * rate, rate * l1) / (T(1) + l2 * rate);
    }
  }
};

/// ApplyAdagradDA: lr, l1, l2, global_step; slots gradient_accumulator, gradient_squared_accumulator.
template <class T>
struct AdagradDaRule {
  static constexpr int64_t kElementsPerWorker = kDearElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict sums = step.slots[1];
    T* __restrict squares = step.slots[2];
    const T* __restrict gradient = step.gradient;
    const T lr = step.scalars[0];
    const T l1 = step.scalars[1] > T(0) ? step.scalars[1] * step.scalars[3] : T(0);
    const T l2 = step.scalars[2] * step.scalars[3] * lr;
    for (int64_t i = begin; i < end; ++i) {
      sums[i] += gradient[i];
      squares[i] += gradient[i] * gradient[i];
      variable[i] = -lr * shrink(sums[i], l1) / (l2 + std::sqrt(squares[i]));
    }
  }
};

/// ApplyFtrl: lr, l1, l2, lr_power, and before the last of ApplyFtrlV2 l2_shrinkage; slots accum,
/// linear; multiply_linear_by_lr.
template <class T, bool kShrinks>
struct FtrlRuleOf {
  static constexpr int64_t kElementsPerWorker = kDearElementsPerWorker;

  FLOWRAY_ALWAYS_INLINE static void run(const UpdateStep<T>& step, int64_t begin, int64_t end) {
    T* __restrict variable = step.slots[0];
    T* __restrict accum = step.slots[1];
    T* __restrict linear = step.slots[2];
    const T* __restrict gradient = step.gradient;
    const T power = -step.scalars[kShrinks ? 4 : 3];
    const T shrinkage = kShrinks ? T(2) * step.scalars[3] : T(0);
    // Either the linear term is kept as it is, or times the learning rate.
    const T factor = step.option ? step.scalars[0] : T(1);
    const T divisor = step.option ? T(1) : step.scalars[0];
    const T l1 = step.scalars[1] * factor;
    const T l2 = step.scalars[2] * factor * T(2);
    for (int64_t i = begin; i < end; ++i) {
      const T sum = accum[i] + gradient[i] * gradient[i];
      const bool is_root = power == T(0.5);
      const T before = is_root ? std::sqrt(accum[i]) : std::pow(accum[i], power);
      const T after = is_root ? std::sqrt(sum) : std::pow(sum, power);
      const T shrunk = kShrinks ? gradient[i] + shrinkage * variable[i] : gradient[i];
      linear[i] += shrunk * factor - (after - before) / divisor * variable[i];
      variable[i] = -shrink(linear[i], l1) / (after / divisor + l2);
      accum[i] = sum;
    }
  }
};
template <class T>
using FtrlRule = FtrlRuleOf<T, false>;
template <class T>
using FtrlV2Rule = FtrlRuleOf<T, true>;

}  // namespace flowray::ops
