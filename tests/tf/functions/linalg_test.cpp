// tests/oracle/programs/linalg.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/linalg.h>

#include <limits>

namespace flowray {
namespace {

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name) {
  return tf::placeholder(tf::float32, shape, {.name = name});
}

GOLDEN_PROGRAM(products_of_letters) {
  auto a = floats({2, 3}, "a");
  auto b = floats({tf::None, 4}, "b");
  tf::einsum("ij,jk->ik", {a, b});
  tf::einsum("ij,jk", {a, b}, {.name = "named"});
  tf::einsum("ij->ji", {a});
  tf::einsum("ij,ij,kl->kl", {a, a, b});
  auto left = floats({5, 2, 3}, "left");
  auto right = floats({5, 3, 2}, "right");
  tf::einsum("bij, bjk -> bik", {left, right});
  auto l = floats({5, 2, 3}, "l");
  tf::einsum("...ij,...jk->...ik", {l, b});
  tf::einsum("ii->", {floats({3, 3}, "square")});
  auto first = tf::constant({1.0, 2.0});
  auto second = tf::constant({3.0, 4.0});
  tf::einsum("i,i->", {first, second});
  auto c = floats({4, 5}, "c");
  tf::einsum("ij,jk,kl->il", {a, b, c});
  auto d = floats({5, 2}, "d");
  tf::einsum("ij,jk,kl,lm->im", {a, b, c, d});
  tf::einsum("ab,cd,ef->abcdef", {a, b, c});
  tf::einsum("ij,ij,ij->j", {a, a, a});
  auto e = floats({7, 2}, "e");
  auto f = floats({7, 3}, "f");
  tf::einsum("...i,ij,...j->...", {e, a, f});
}

GOLDEN_PROGRAM(traces_and_norms) {
  const double infinity = std::numeric_limits<double>::infinity();
  auto x = floats({2, tf::None, 4}, "x");
  tf::trace(x);
  tf::trace(x, {.name = "named"});
  tf::norm(x);
  tf::norm(x, {.ord = 1.0, .axis = 1});
  tf::norm(x, {.ord = 2.0, .axis = -1, .keepdims = true, .name = "length"});
  tf::norm(x, {.ord = "fro", .axis = {0, 1}});
  tf::norm(x, {.ord = infinity, .axis = 0});
  tf::norm(x, {.ord = 3.0});
  tf::norm(x, {.ord = 1.0, .axis = {-2, -1}});
  tf::norm(x, {.ord = infinity, .axis = {0, 1}, .keepdims = true});
}

GOLDEN_PROGRAM(products_with_vectors) {
  auto a = floats({2, 3}, "a");
  auto x = floats({3}, "x");
  tf::linalg::matvec(a, x);
  auto y = floats({2}, "y");
  tf::linalg::matvec(a, y, {.transpose_a = true, .name = "named"});
  tf::linalg::matvec({{1.0, 2.0}}, {3.0, 4.0});
  auto many = floats({tf::None, 2, 3}, "many");
  auto vectors = floats({tf::None, 3}, "vectors");
  tf::linalg::matvec(many, vectors);
}

GOLDEN_PROGRAM(adjoints) {
  tf::linalg::adjoint(floats({2, 3}, "x"));
  tf::linalg::adjoint(tf::placeholder(DType::kComplex64, {5, 2, 3}, {.name = "z"}), {.name = "named"});
  tf::linalg::adjoint({{1.0, 2.0}});
}

GOLDEN_PROGRAM(normalized_tensors) {
  auto x = floats({2, 3}, "x");
  tf::linalg::normalize(x);
  tf::linalg::normalize(x, {.ord = 1.0, .axis = 0, .name = "named"});
}

}  // namespace
}  // namespace flowray
