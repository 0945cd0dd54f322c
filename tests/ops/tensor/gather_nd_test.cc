#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values: the schema's examples.
TEST(GatherNDTest, GathersElements) {
  for (int opset : {11, 12, 13}) {
    OpTest test("GatherND", opset);
    test.Input(Tensor::Of<float>({2, 2}, {0, 1, 2, 3}));
    test.Input(Tensor::Of<int64_t>({2, 2}, {0, 0, 1, -1}));
    ExpectTensor(test.Run(), Tensor::Of<float>({2}, {0, 3}));
  }
}

TEST(GatherNDTest, GathersSlices) {
  OpTest rows("GatherND", 13);
  rows.Input(Tensor::Of<std::string>({2, 2}, {"a", "b", "c", "d"}));
  rows.Input(Tensor::Of<int64_t>({2, 1}, {1, 0}));
  ExpectTensor(rows.Run(), Tensor::Of<std::string>({2, 2}, {"c", "d", "a", "b"}));

  OpTest deep("GatherND", 13);
  deep.Input(Tensor::Of<int32_t>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}));
  deep.Input(Tensor::Of<int64_t>({2, 1, 2}, {0, 1, 1, 0}));
  ExpectTensor(deep.Run(), Tensor::Of<int32_t>({2, 1, 2}, {2, 3, 4, 5}));
}

TEST(GatherNDTest, GathersWithinBatches) {
  OpTest test("GatherND", 12);
  test.Attr("batch_dims", 1);
  test.Input(Tensor::Of<float>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}));
  test.Input(Tensor::Of<int64_t>({2, 1}, {1, 0}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 2}, {2, 3, 4, 5}));
}

TEST(GatherNDTest, TakesViews) {
  OpTest test("GatherND", 13);
  test.Input(AsStridedView(Tensor::Of<float>({2, 2}, {0, 1, 2, 3})));
  test.Input(AsStridedView(Tensor::Of<int64_t>({3, 2}, {0, 1, 1, 0, 1, 1})));
  ExpectTensor(test.Run(), Tensor::Of<float>({3}, {1, 2, 3}));
}

TEST(GatherNDTest, TakesNoIndicesAndEmptySlices) {
  OpTest none("GatherND", 13);
  none.Input(Tensor::Of<float>({2, 2}, {0, 1, 2, 3})).Input(Tensor::Of<int64_t>({0, 2}, {}));
  ExpectTensor(none.Run(), Tensor::Of<float>({0}, {}));
  OpTest batch("GatherND", 13);
  batch.Attr("batch_dims", 1);
  batch.Input(Tensor::Of<float>({0, 2}, {})).Input(Tensor::Of<int64_t>({0, 1}, {}));
  ExpectTensor(batch.Run(), Tensor::Of<float>({0}, {}));
  OpTest slices("GatherND", 13);
  slices.Input(Tensor::Of<float>({2, 0}, {})).Input(Tensor::Of<int64_t>({3, 1}, {0, 1, 1}));
  ExpectTensor(slices.Run(), Tensor::Of<float>({3, 0}, {}));
}

TEST(GatherNDTest, RefusesBadInputs) {
  auto run = [](const Tensor& indices, int64_t batch_dims) {
    OpTest test("GatherND", 13);
    test.Attr("batch_dims", batch_dims);
    return test.Input(Tensor::Of<float>({2, 2}, {0, 1, 2, 3})).Input(indices).Run().status();
  };
  ExpectError(run(Tensor::Of<int64_t>({2, 2}, {0, 0, 0, 2}), 0), kInvalid,
              "index 2 is out of range for axis 1 of size 2");
  ExpectError(run(Tensor::Of<int64_t>({1, 1}, {INT64_MIN}), 0), kInvalid,
              "is out of range for axis 0 of size 2");
  ExpectError(run(Tensor::Of<int64_t>({1, 3}, {0, 0, 0}), 0), kInvalid,
              "the last dimension of indices is 3, not in 1 to 2");
  ExpectError(run(Tensor::Of<int64_t>({1, 0}, {}), 0), kInvalid,
              "the last dimension of indices is 0, not in 1 to 2");
  ExpectError(run(Tensor::Scalar<int64_t>(0), 0), kInvalid, "batch_dims 0 is out of range");
  ExpectError(run(Tensor::Of<int64_t>({2, 1}, {0, 0}), 2), kInvalid,
              "batch_dims 2 is out of range");
  ExpectError(run(Tensor::Of<int64_t>({2, 1}, {0, 0}), -1), kInvalid,
              "batch_dims -1 is out of range");
  ExpectError(run(Tensor::Of<int64_t>({3, 1}, {0, 0, 0}), 1), kInvalid,
              "data and indices differ in their first 1 dimensions");
}

}  // namespace
}  // namespace onnxcmp::testing
