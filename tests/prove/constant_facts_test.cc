// Products with large constants, which a proof first takes for unknown functions of their rows and
// columns.
#include "prove/constant_facts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
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

// Eight filters, the factors of which an optimizer has folded.
TEST(ConstantFacts, ConvolutionsAreProvedByWindowsAndFilters) {
  std::vector<float> filters, scaled;
  for (int i = 0; i < 8 * 3 * 4; ++i) {
    filters.push_back(static_cast<float>(i * 37 % 101 - 50) / 64.0F);
    scaled.push_back(filters.back() * (i / 12 % 2 == 0 ? 2.0F : -4.0F));
  }
  const auto are_proved = [&](const std::string& left, const std::string& right) {
    // Each model has only the constants that it reads.
    const auto text = [&](const std::string& body) {
      const bool is_folded = absl::StrContains(body, "v)");
      return absl::StrCat("g (float[1,3,5,5] x) => (float[1,8,a,b] y) <float[8,3,2,2] ",
                          is_folded ? "v" : "w", " = {",
                          absl::StrJoin(is_folded ? scaled : filters, ", "), "}",
                          absl::StrContains(body, "f)") ? ", float[8,1,1] f = {2, -4, 2, -4, "
                                                          "2, -4, 2, -4}"
                                                        : "",
                          "> { ", body, " }");
    };
    std::vector<float> numbers;
    for (int i = 0; i < 75; ++i) numbers.push_back(static_cast<float>(i * 29 % 41 - 20) / 16.0F);
    const Tensor x = Tensor::Of<float>({1, 3, 5, 5}, numbers);
    return ProofOfModels(text(left), text(right), x).proved;
  };
  const std::string plain = "a = Conv(x, w) y = Mul(a, f)";
  for (const std::string same :
       {"y = Conv(x, v)", "y = Conv<auto_pad = \"VALID\">(x, v)",
        "a = Neg(x) b = Conv(a, v) y = Neg(b)",
        // No function but a sum of products does so.
        "a = Sin(x) b = Sub(x, a) c = Conv(a, v) d = Conv(b, v) y = Add(c, d)"}) {
    EXPECT_TRUE(are_proved(plain, same)) << same;
  }
  scaled[50] += 0x1p-20F;
  EXPECT_FALSE(are_proved(plain, "y = Conv(x, v)"));
  EXPECT_FALSE(are_proved(plain, "y = Conv(x, w)"));
  EXPECT_FALSE(are_proved("y = Conv(x, w)", "a = Abs(x) y = Conv(a, w)"));
  EXPECT_FALSE(
      are_proved("y = Conv<pads = [1, 1, 0, 0]>(x, w)", "y = Conv<pads = [0, 0, 1, 1]>(x, w)"));
  EXPECT_FALSE(
      are_proved("y = Conv(x, w)", "a = Transpose<perm = [0, 1, 3, 2]>(x) y = Conv(a, w)"));
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
