#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(ConstantTest, GivesItsValue) {
  for (int opset : {1, 9, 11, 12, 13, 25}) {
    Tensor value = Tensor::Of<float>({2}, {1, 2});
    ExpectTensor(OpTest("Constant", opset).Attr("value", value).Run(), value);
  }
}

TEST(ConstantTest, GivesScalarsAndLists) {
  auto constant = [] { return OpTest("Constant", 13); };
  ExpectTensor(constant().Attr("value_float", 1.5f).Run(), Tensor::Scalar(1.5f));
  ExpectTensor(constant().Attr("value_floats", std::vector<float>{1, 2}).Run(),
               Tensor::Of<float>({2}, {1, 2}));
  ExpectTensor(constant().Attr("value_int", INT64_MAX).Run(), Tensor::Scalar(INT64_MAX));
  ExpectTensor(constant().Attr("value_ints", std::vector<int64_t>{}).Run(),
               Tensor::Of<int64_t>({0}, {}));
  ExpectTensor(constant().Attr("value_string", "a").Run(), Tensor::Scalar<std::string>("a"));
  ExpectTensor(constant().Attr("value_strings", std::vector<std::string>{"a", "b"}).Run(),
               Tensor::Of<std::string>({2}, {"a", "b"}));
}

absl::StatusOr<Tensor> Sparse(const Tensor& values, const Tensor& indices, const Shape& dims,
                              int opset = 13) {
  return OpTest("Constant", opset).Attr("sparse_value", SparseTensor{values, indices, dims}).Run();
}

TEST(ConstantTest, MakesSparseValuesDense) {
  Tensor values = Tensor::Of<float>({2}, {5, 7});
  Tensor want = Tensor::Of<float>({2, 3}, {0, 5, 0, 0, 0, 7});
  ExpectTensor(Sparse(values, Tensor::Of<int64_t>({2}, {1, 5}), {2, 3}, 11), want);
  ExpectTensor(Sparse(values, Tensor::Of<int64_t>({2, 2}, {0, 1, 1, 2}), {2, 3}), want);
  ExpectTensor(Sparse(Tensor::Of<std::string>({1}, {"a"}), Tensor::Of<int64_t>({1}, {1}), {3}),
               Tensor::Of<std::string>({3}, {"", "a", ""}));
  ExpectSameBits(Sparse(Convert(values, DType::kInt4), Tensor::Of<int64_t>({2}, {1, 2}), {3}, 23),
                 Convert(Tensor::Of<float>({3}, {0, 5, 7}), DType::kInt4));
  ExpectTensor(Sparse(Tensor::Of<float>({0}, {}), Tensor::Of<int64_t>({0}, {}), {2}),
               Tensor::Of<float>({2}, {0, 0}));
}

TEST(ConstantTest, RefusesBadSparseValues) {
  Tensor values = Tensor::Of<float>({1}, {5});
  ExpectError(Sparse(values, Tensor::Of<int64_t>({1}, {6}), {2, 3}).status(), kInvalid,
              "an index of a sparse tensor is 6, not in a dimension of 6");
  ExpectError(Sparse(values, Tensor::Of<int64_t>({1}, {-1}), {2, 3}).status(), kInvalid,
              "an index of a sparse tensor is -1");
  ExpectError(Sparse(values, Tensor::Of<int64_t>({1, 2}, {0, 3}), {2, 3}).status(), kInvalid,
              "an index of a sparse tensor is 3, not in a dimension of 3");
  ExpectError(Sparse(values, Tensor::Of<int64_t>({2}, {0, 3}), {2, 3}).status(), kInvalid,
              "a sparse tensor has 1 values, indices int64[2] and the shape [2,3]");
  ExpectError(Sparse(values, Tensor::Of<int64_t>({1}, {0}), {-1}).status(), kInvalid,
              "a sparse tensor has");
  ExpectError(Sparse(values, Tensor::Of<int64_t>({1}, {0}), {INT64_MAX}).status(),
              absl::StatusCode::kResourceExhausted, "");
}

TEST(ConstantTest, NeedsOneValue) {
  ExpectError(OpTest("Constant", 13).Run().status(), kInvalid, "one value is needed, not 0");
  OpTest two("Constant", 13);
  two.Attr("value_int", 1).Attr("value_float", 1.0f);
  ExpectError(two.Run().status(), kInvalid, "one value is needed, not 2");
}

}  // namespace
}  // namespace onnxcmp::testing
