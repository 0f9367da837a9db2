// Each decomposition for the dtype of its input.

#include "ops/matrix/decompositions.h"

#include "core/dtype_dispatch.h"

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using RealTypes = TypeList<float, double>;
using AllTypes = TypeList<float, double, std::complex<double>>;

/// run<T>() for the dtype of input 0.
template <class Types>
void for_matrix_dtype(const DynamicCall& call, auto run) {
  if (dispatch<Types>(call.in(0).dtype(), run)) return;
  throw errors::UnimplementedError(fmt::format("There is no kernel for {}", dtype_name(call.in(0).dtype())));
}

}  // namespace

void compute_qr(DynamicCall& call) {
  for_matrix_dtype<AllTypes>(call, [&]<class T>() { Decompositions<T>::qr(call); });
}

void compute_cholesky(DynamicCall& call) {
  for_matrix_dtype<AllTypes>(call, [&]<class T>() { Decompositions<T>::cholesky(call); });
}

void compute_inverse(DynamicCall& call) {
  for_matrix_dtype<AllTypes>(call, [&]<class T>() { Decompositions<T>::inverse(call); });
}

void compute_determinant(DynamicCall& call) {
  for_matrix_dtype<AllTypes>(call, [&]<class T>() { Decompositions<T>::determinant(call); });
}

void compute_log_determinant(DynamicCall& call) {
  for_matrix_dtype<AllTypes>(call, [&]<class T>() { Decompositions<T>::log_determinant(call); });
}

void compute_solve(DynamicCall& call) {
  for_matrix_dtype<AllTypes>(call, [&]<class T>() { Decompositions<T>::solve(call); });
}

void compute_eigenvalues(DynamicCall& call) {
  for_matrix_dtype<AllTypes>(call, [&]<class T>() { Decompositions<T>::eigenvalues(call); });
}

void compute_stacked_eigenvalues(DynamicCall& call) {
  for_matrix_dtype<AllTypes>(call, [&]<class T>() { Decompositions<T>::stacked_eigenvalues(call); });
}

void compute_svd(DynamicCall& call) {
  for_matrix_dtype<AllTypes>(call, [&]<class T>() { Decompositions<T>::svd(call); });
}

void compute_lu(DynamicCall& call) {
  for_matrix_dtype<AllTypes>(call, [&]<class T>() { Decompositions<T>::lu(call); });
}

void compute_exponential(DynamicCall& call) {
  for_matrix_dtype<AllTypes>(call, [&]<class T>() { Decompositions<T>::exponential(call); });
}

void compute_logarithm(DynamicCall& call) {
  for_matrix_dtype<TypeList<std::complex<double>>>(call,
                                                   [&]<class T>() { Decompositions<T>::logarithm(call); });
}

void compute_cholesky_grad(DynamicCall& call) {
  for_matrix_dtype<RealTypes>(call, [&]<class T>() { Decompositions<T>::cholesky_grad(call); });
}

}  // namespace flowray::ops
