// Proofs of pieces of models alone.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "prove/pieces/free_axes.h"
#include "prove/prove.h"
#include "tests/prove/proof_of_pair.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using testing::Constant;
using testing::GivenX;
using testing::ProofCase;
using testing::ProofOfBodies;
using testing::SideFedWith;

// The proof by pieces alone; nothing if there is none.
std::optional<ProofReport> ByPieces(const std::string& left, const std::string& right) {
  const auto text = [](const std::string& body) {
    return "g (float[2,4] x) => (float[2,4] y) { " + body + " }";
  };
  const std::unique_ptr<ModelSide> a = SideFedWith(GivenX(), text(left));
  const std::unique_ptr<ModelSide> b = SideFedWith(GivenX(), text(right));
  if (a == nullptr || b == nullptr) return std::nullopt;
  const absl::StatusOr<Comparison> comparison = Compare(*a, *b);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  if (!comparison.ok()) return std::nullopt;
  const ThreadPool pool(2);
  const uint64_t seeds[] = {1, 2};
  return ProveByPieces({a.get(), b.get()}, *comparison, {.seed = 0, .pool = &pool}, seeds);
}

// Weights that are no multiples of each other.
std::string Table(const std::string& name) {
  return name +
         " = Constant<value = float[4,4] {0.5, -1.25, 0.75, 2.0, 1.5, 0.3, -0.6, 0.9, -0.2, 1.1, "
         "0.4, -0.7, 0.8, -1.6, 0.1, 1.3}>() ";
}

TEST(Pieces, ProveNodesThatDifferBetweenThoseThatDoNot) {
  const std::string one = Constant("one", "1.0");
  const std::string last = "last = Constant<value_ints = [-1]>() ";
  const std::string tables = Table("w") + "t = MatMul(x, w) ";
  const ProofCase cases[] = {
      {tables + "s = Sigmoid(t) a = Mul(t, s) y = MatMul(a, w)",
       tables + one + "n = Neg(t) e = Exp(n) d = Add(one, e) a = Div(t, d) y = MatMul(a, w)",
       tables + one + "n = Neg(t) e = Exp(n) d = Sub(one, e) a = Div(t, d) y = MatMul(a, w)"},
      {tables + "s = Softmax(t) y = MatMul(s, w)",
       tables + last + "e = Exp(t) d = ReduceSum(e, last) s = Div(e, d) y = MatMul(s, w)",
       tables + "i = Constant<value_ints = [0]>() e = Exp(t) d = ReduceSum(e, i) s = Div(e, d) "
                "y = MatMul(s, w)"},
      // What both move is still what it was.
      {tables + "u = Transpose(t) a = Mul(u, u) v = Transpose(a) y = Tanh(v)",
       tables + "u = Transpose(t) a = Mul(t, t) y = Tanh(a)",
       tables + "u = Transpose(t) a = Mul(t, x) y = Tanh(a)"},
      {tables + "y = Tanh(t)", tables + "c = Identity(t) y = Tanh(c)", tables + "y = Sin(t)"},
  };
  for (const ProofCase& one_case : cases) {
    const std::optional<ProofReport> report = ByPieces(one_case.left, one_case.right);
    ASSERT_TRUE(report.has_value()) << one_case.right;
    EXPECT_TRUE(report->proved);
    EXPECT_EQ(report->results, report->proved_results);
    EXPECT_FALSE(ByPieces(one_case.left, one_case.faulty).has_value()) << one_case.faulty;
    EXPECT_FALSE(ProofOfBodies(one_case.left, one_case.faulty).proved) << one_case.faulty;
  }
}

// Places that would be equal, were there one of each axis.
TEST(Pieces, TellPlacesApart) {
  const std::string sums =
      "g (float[4,4] x) => (float[4,4] y) { i = Constant<value_ints = [0]>() "
      "j = Constant<value_ints = [1]>() a = ReduceSum(x, i) b = ReduceSum(x, j) ";
  const std::unique_ptr<ModelSide> left = SideFedWith(
      Tensor::Of<float>({4, 4}, std::vector<float>(16, 0.5F)), sums + "y = Mul(a, b) }");
  const std::unique_ptr<ModelSide> right =
      SideFedWith(Tensor::Of<float>({4, 4}, std::vector<float>(16, 0.5F)),
                  sums + "c = Transpose(a) d = Transpose(b) y = Mul(c, d) }");
  ASSERT_TRUE(left != nullptr && right != nullptr);
  const absl::StatusOr<Comparison> comparison = Compare(*left, *right);
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  const ThreadPool pool(2);
  const uint64_t seeds[] = {1};
  EXPECT_FALSE(
      ProveByPieces({left.get(), right.get()}, *comparison, {.seed = 0, .pool = &pool}, seeds)
          .has_value());
}

TEST(Pieces, ConvolutionsReadWindows) {
  const auto body = [](const std::string& pads, const std::string& end) {
    return "k = Constant<value_ints = [1, 1, 2, 4]>() r = Reshape(x, k) "
           "f = Constant<value = float[1,1,1,3] {0.5, -1.0, 0.75}>() t = Tanh(r) "
           "c = Conv<pads = [" +
           pads + "]>(t, f) " + end + " o = Constant<value_ints = [2, 4]>() y = Reshape(d, o)";
  };
  const std::string two = Constant("two", "2.0") + "d = Mul(c, two)";
  EXPECT_TRUE(ByPieces(body("0, 1, 0, 1", "d = Add(c, c)"), body("0, 1, 0, 1", two)).has_value());
  EXPECT_FALSE(ByPieces(body("0, 1, 0, 1", "d = Add(c, c)"), body("0, 2, 0, 0", two)).has_value());
}

TEST(Pieces, LeaveTheRestToARunAsAWhole) {
  // Functions that jump after other roundings are told.
  const std::string third = Constant("third", "0.33333334");
  const std::string three = Constant("three", "3.0");
  const std::string left = three + "a = Div(x, three) y = Floor(a)";
  const std::string right = third + "a = Mul(x, third) y = Floor(a)";
  EXPECT_FALSE(ByPieces(left, right).has_value());
  EXPECT_FALSE(ProofOfBodies(left, right).rounded_jumps.empty());
}

TEST(FreeAxes, AreFreeUntilOneOfThemIsFixed) {
  FreeAxes axes;
  const FreeAxes::Axes a = axes.Add({5, 1, 9});
  const FreeAxes::Axes b = axes.Add({9, 5, 9});
  EXPECT_EQ(axes.EnoughOf(a), (Shape{2, 1, 2}));
  axes.Join(a[2], b[0]);
  axes.Join(b[0], b[2]);
  axes.Join(a[0], b[1]);
  EXPECT_EQ(axes.EnoughOf(a), (Shape{2, 1, 2}));
  axes.Fix(b[1]);
  EXPECT_EQ(axes.EnoughOf(a), (Shape{5, 1, 2}));
  // Each axis of a class has a place that no other one is at.
  const FreeAxes::Axes c = axes.Add({9, 9, 9});
  for (const int axis : c) axes.Join(axis, b[0]);
  EXPECT_EQ(axes.EnoughOf(b), (Shape{3, 5, 3}));
}

}  // namespace
}  // namespace onnxcmp
