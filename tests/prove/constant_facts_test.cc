// Products with large constants, which a proof first takes for unknown functions of their rows and
// columns.
#include "prove/constant_facts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/streams/fingerprint.h"
#include "tests/prove/proof_of_pair.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using testing::ProofOfModels;

constexpr int kSize = 64;

std::vector<float> Weights() {
  std::vector<float> weights;
  for (int i = 0; i < kSize * kSize; ++i) {
    weights.push_back(static_cast<float>(i * 37 % 101 - 50) / 64.0F);
  }
  return weights;
}

std::vector<float> Transposed(const std::vector<float>& weights) {
  std::vector<float> out;
  for (size_t i = 0; i < weights.size(); ++i) {
    out.push_back(weights[i % kSize * kSize + i / kSize]);
  }
  return out;
}

bool AreProved(const std::string& left, const std::string& right,
               const std::vector<float>& weights) {
  const auto text = [](const std::string& body, const std::vector<float>& numbers) {
    return absl::StrCat("g (float[2,64] x) => (float[2,64] y) <float two = {2}, float[64,64] w = {",
                        absl::StrJoin(numbers, ", "), "}, float[64,64] t = {",
                        absl::StrJoin(Transposed(numbers), ", "), "}> { ", body, " }");
  };
  const Tensor x = Tensor::Of<float>({2, kSize}, std::vector<float>(2 * kSize, 0.5F));
  return ProofOfModels(text(left, Weights()), text(right, weights), x).proved;
}

TEST(ConstantFacts, ProductsAreProvedByRowsAndColumns) {
  const std::string product = "y = MatMul(x, w)";
  for (const std::string same :
       {"y = Gemm(x, w)", "y = Gemm<transB = 1>(x, t)", "a = MatMul(x, w) y = Identity(a)",
        "a = Mul(x, two) b = MatMul(a, w) y = Div(b, two)",
        // No function but a product does so: the proof without functions finds it.
        "a = Sin(x) b = Sub(x, a) c = MatMul(a, w) d = MatMul(b, w) y = Add(c, d)",
        "a = Transpose(w) b = Transpose(x) c = MatMul(a, b) y = Transpose(c)"}) {
    EXPECT_TRUE(AreProved(product, same, Weights())) << same;
  }
  for (const std::string other :
       {"y = Gemm(x, t)", "y = Gemm<transB = 1>(x, w)", "a = Neg(x) y = MatMul(a, w)",
        "a = Mul(x, x) y = MatMul(a, w)"}) {
    EXPECT_FALSE(AreProved(product, other, Weights())) << other;
  }
  std::vector<float> faulty = Weights();
  faulty[77] += 0x1p-20F;
  EXPECT_FALSE(AreProved(product, product, faulty));
  std::vector<float> exchanged = Weights();
  std::swap(exchanged[5], exchanged[6]);
  EXPECT_FALSE(AreProved(product, product, exchanged));
}

TEST(ConstantFacts, ColumnsAreTheirNumbers) {
  const ThreadPool pool(2);
  ConstantFacts facts(pool);
  const Tensor weights = Tensor::Of<float>({kSize, kSize}, Weights());
  const Tensor turned = Tensor::Of<float>({kSize, kSize}, Transposed(Weights()));
  EXPECT_EQ(facts.Content(weights), ContentOf(Value(weights)));
  const absl::StatusOr<const ColumnNumbers*> columns = facts.Columns(weights, false);
  const absl::StatusOr<const ColumnNumbers*> rows = facts.Columns(turned, true);
  ASSERT_TRUE(columns.ok() && rows.ok());
  ASSERT_NE(*columns, nullptr);
  EXPECT_EQ(**columns, **rows);
  EXPECT_TRUE(*facts.IsTable(weights));
  EXPECT_FALSE(
      *facts.IsTable(Tensor::Of<float>({kSize, kSize}, std::vector<float>(kSize * kSize, 2.0F))));
}

}  // namespace
}  // namespace onnxcmp
