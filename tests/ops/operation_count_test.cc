#include "ops/operation_count.h"

#include <optional>
#include <string>
#include <vector>

#include "evaluator/model/model.h"
#include "gtest/gtest.h"

namespace onnxcmp {
namespace {

Value FloatsOf(std::vector<int64_t> shape) { return *Tensor::Allocate(DType::kFloat, shape); }

Node NodeOfType(const std::string& op_type, absl::string_view domain = kOnnxDomain) {
  Node node;
  node.op_type = op_type;
  node.domain = std::string(domain);
  return node;
}

TEST(OperationCountTest, CountsProducts) {
  const double expected = 2.0 * 5 * 3 * 7 * 4;
  EXPECT_EQ(OperationCount(NodeOfType("MatMul"), {FloatsOf({5, 3, 4}), FloatsOf({4, 7})},
                           {FloatsOf({5, 3, 7})}),
            expected);
  EXPECT_EQ(
      OperationCount(NodeOfType("MatMul"), {FloatsOf({4}), FloatsOf({4, 7})}, {FloatsOf({7})}),
      2.0 * 4 * 7);
  Node gemm = NodeOfType("Gemm");
  EXPECT_EQ(OperationCount(gemm, {FloatsOf({3, 4}), FloatsOf({4, 7})}, {FloatsOf({3, 7})}),
            2.0 * 3 * 4 * 7);
  gemm.attributes["transA"] = int64_t{1};
  EXPECT_EQ(OperationCount(gemm, {FloatsOf({4, 3}), FloatsOf({4, 7})}, {FloatsOf({3, 7})}),
            2.0 * 3 * 4 * 7);
  Node einsum = NodeOfType("Einsum");
  einsum.attributes["equation"] = std::string("bij, jk -> bik");
  EXPECT_EQ(OperationCount(einsum, {FloatsOf({5, 3, 4}), FloatsOf({4, 7})}, {FloatsOf({5, 3, 7})}),
            expected);
}

TEST(OperationCountTest, CountsConvolutions) {
  EXPECT_EQ(OperationCount(NodeOfType("Conv"), {FloatsOf({1, 6, 8, 8}), FloatsOf({10, 3, 3, 3})},
                           {FloatsOf({1, 10, 6, 6})}),
            2.0 * 10 * 36 * 27);
  EXPECT_EQ(
      OperationCount(NodeOfType("ConvTranspose"), {FloatsOf({1, 6, 8, 8}), FloatsOf({6, 10, 2, 2})},
                     {FloatsOf({1, 10, 16, 16})}),
      2.0 * 6 * 64 * 40);
}

// Two heads of 4, 3 queries, 5 keys of which 2 are past.
TEST(OperationCountTest, CountsAttention) {
  const double expected = 2.0 * (2 * 3 * 5 * 4) * 2;
  EXPECT_EQ(OperationCount(NodeOfType("Attention"),
                           {FloatsOf({1, 2, 3, 4}), FloatsOf({1, 2, 3, 4}), FloatsOf({1, 2, 3, 4}),
                            Value(), FloatsOf({1, 2, 2, 4}), FloatsOf({1, 2, 2, 4})},
                           {FloatsOf({1, 2, 3, 4})}),
            expected);
  EXPECT_EQ(OperationCount(NodeOfType("MultiHeadAttention", kMicrosoftDomain),
                           {FloatsOf({1, 3, 8}), FloatsOf({1, 5, 8}), FloatsOf({1, 5, 8})},
                           {FloatsOf({1, 3, 8})}),
            expected);
  EXPECT_EQ(OperationCount(NodeOfType("GroupQueryAttention", kMicrosoftDomain),
                           {FloatsOf({1, 3, 8}), FloatsOf({1, 3, 8}), FloatsOf({1, 3, 8}), Value(),
                            Value(), Tensor::Of<int32_t>({1}, {4})},
                           {FloatsOf({1, 3, 8})}),
            expected);
  // With the projection of 6 channels to 3 times 8.
  EXPECT_EQ(OperationCount(NodeOfType("Attention", kMicrosoftDomain),
                           {FloatsOf({1, 3, 6}), FloatsOf({6, 24}), FloatsOf({24}), Value(),
                            FloatsOf({2, 1, 2, 2, 4})},
                           {FloatsOf({1, 3, 8})}),
            2.0 * 3 * 6 * 24 + expected);
}

TEST(OperationCountTest, CountsRecurrence) {
  EXPECT_EQ(OperationCount(NodeOfType("LSTM"),
                           {FloatsOf({7, 2, 3}), FloatsOf({1, 20, 3}), FloatsOf({1, 20, 5})},
                           {FloatsOf({7, 1, 2, 5})}),
            2.0 * 7 * 2 * (60 + 100));
}

TEST(OperationCountTest, IsNotKnownOfOthers) {
  EXPECT_EQ(OperationCount(NodeOfType("Add"), {FloatsOf({4}), FloatsOf({4})}, {FloatsOf({4})}),
            std::nullopt);
  EXPECT_EQ(OperationCount(NodeOfType("MatMul", "local"), {FloatsOf({4, 4}), FloatsOf({4, 4})},
                           {FloatsOf({4, 4})}),
            std::nullopt);
  EXPECT_EQ(OperationCount(NodeOfType("Conv"), {FloatsOf({1, 6, 8, 8})}, {Value()}), std::nullopt);
  EXPECT_EQ(OperationCount(NodeOfType("MatMul"), {}, {}), std::nullopt);
}

}  // namespace
}  // namespace onnxcmp
