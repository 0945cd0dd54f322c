#include "evaluator/tensor/dense.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "absl/types/span.h"
#include "evaluator/run/evaluator.h"
#include "gtest/gtest.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(DenseTest, PacksElementsOfLessThanAByte) {
  const auto dense = [](DType dtype) {
    const SparseTensor sparse{
        Convert(Tensor::Of<float>({2}, {1, -2}), dtype), Tensor::Of<int64_t>({2}, {1, 4}), {5}};
    return Dense(sparse, [](DType type, absl::Span<const int64_t> shape) {
      return Tensor::Allocate(type, shape);
    });
  };
  for (DType dtype : {DType::kInt4, DType::kInt2, DType::kFloat4E2M1, DType::kFloat6E2M3}) {
    ExpectSameBits(dense(dtype), Convert(Tensor::Of<float>({5}, {0, 1, 0, 0, -2}), dtype));
  }
}

TEST(CheckTensorSizeTest, CountsBytes) {
  EXPECT_TRUE(CheckTensorSize(DType::kFloat, {2, 2}, 16).ok());
  ExpectError(CheckTensorSize(DType::kFloat, {2, 2}, 15), absl::StatusCode::kResourceExhausted,
              "a result of float[2,2] takes 16 bytes, more than the limit of 15");
  ExpectError(CheckTensorSize(DType::kFloat, {-1}, 16), absl::StatusCode::kInvalidArgument, "[-1]");
  ExpectError(CheckTensorSize(DType::kFloat, {std::numeric_limits<int64_t>::max(), 2}, 16),
              absl::StatusCode::kResourceExhausted, "more bytes than can be counted");
}

// y = x + s, where s is a sparse initializer [0, 9].
std::shared_ptr<const Model> ModelWithSparse(Shape dims) {
  auto model = std::make_shared<Model>();
  model->imports = {{"", 18}};
  model->graph.inputs = {ValueInfo{"x", {}}};
  model->graph.outputs = {ValueInfo{"y", {}}};
  model->graph.initializers = {{"s", SparseTensor{Tensor::Of<float>({1}, {9}),
                                                  Tensor::Of<int64_t>({1}, {1}), std::move(dims)}}};
  Node node;
  node.op_type = "Add";
  node.inputs = {"x", "s"};
  node.outputs = {"y"};
  model->graph.nodes = {std::move(node)};
  return model;
}

TEST(SparseInitializerTest, OperatorsReadItDense) {
  const auto evaluator = Evaluator::Create(ModelWithSparse({2}), Registry(), {.threads = 1});
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  Recorder recorder;
  ExpectTensor(TensorAt(evaluator->Run({{"x", Tensor::Of<float>({2}, {1, 2})}}, &recorder), 0),
               Tensor::Of<float>({2}, {1, 11}));
  // It is reported as the file has it.
  ASSERT_FALSE(recorder.entries().empty());
  EXPECT_TRUE(recorder.entries()[0].value.is_sparse());
}

TEST(SparseInitializerTest, CountsAgainstTheMemoryLimit) {
  ExpectError(Evaluator::Create(ModelWithSparse({int64_t{1} << 40}), Registry()).status(),
              absl::StatusCode::kResourceExhausted, "the sparse initializer 's'");
}

}  // namespace
}  // namespace onnxcmp::testing
