// Expected values are written out or NumPy's.
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Convert;
using testing::ExpectError;
using testing::ExpectTensor;
using testing::kInvalid;
using testing::OpTest;

absl::StatusOr<Tensor> Evaluated(const char* equation, const std::vector<Tensor>& inputs) {
  OpTest test("Einsum", 12);
  test.Attr("equation", equation);
  for (const Tensor& input : inputs) {
    test.Input(input);
  }
  return test.Run();
}

const std::vector<float> kSix = {1, 2, 3, 4, 5, 6};

TEST(EinsumTest, OneInput) {
  const Tensor x = Tensor::Of<float>({2, 3}, kSix);
  ExpectTensor(Evaluated("ij->ji", {x}), Tensor::Of<float>({3, 2}, {1, 4, 2, 5, 3, 6}));
  ExpectTensor(Evaluated("ij->i", {x}), Tensor::Of<float>({2}, {6, 15}));
  ExpectTensor(Evaluated("i j -> ", {x}), Tensor::Scalar<float>(21));
  ExpectTensor(Evaluated("ba", {x}), Tensor::Of<float>({3, 2}, {1, 4, 2, 5, 3, 6}));
  const Tensor square = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  ExpectTensor(Evaluated("ii->i", {square}), Tensor::Of<float>({2}, {1, 4}));
  ExpectTensor(Evaluated("ii", {square}), Tensor::Scalar<float>(5));
}

TEST(EinsumTest, Products) {
  const Tensor a = Tensor::Of<float>({2, 3}, kSix);
  const Tensor b = Tensor::Of<float>({3, 2}, kSix);
  ExpectTensor(Evaluated("ij,jk", {a, b}), Tensor::Of<float>({2, 2}, {22, 28, 49, 64}));
  ExpectTensor(Evaluated("ij,jk->ki", {a, b}), Tensor::Of<float>({2, 2}, {22, 49, 28, 64}));
  const Tensor u = Tensor::Of<float>({2}, {1, 2});
  const Tensor v = Tensor::Of<float>({2}, {3, 4});
  ExpectTensor(Evaluated("i,i", {u, v}), Tensor::Scalar<float>(11));
  ExpectTensor(Evaluated("i,j->ij", {u, v}), Tensor::Of<float>({2, 2}, {3, 4, 6, 8}));
  ExpectTensor(Evaluated("i,j->", {u, v}), Tensor::Scalar<float>(21));
  ExpectTensor(Evaluated("a,a,ab->b", {u, v, Tensor::Of<float>({2, 2}, {1, 0, 0, 1})}),
               Tensor::Of<float>({2}, {3, 8}));
  // Upper and lower case are two things, and upper case comes first.
  ExpectTensor(Evaluated("a,A", {u, v}), Tensor::Of<float>({2, 2}, {3, 6, 4, 8}));
}

TEST(EinsumTest, Ellipsis) {
  const Tensor a = Tensor::Of<float>({2, 1, 2}, {1, 2, 3, 4});
  const Tensor b = Tensor::Of<float>({2, 2}, {1, 0, 1, 1});
  ExpectTensor(Evaluated("...ij,jk->...ik", {a, b}), Tensor::Of<float>({2, 1, 2}, {3, 2, 7, 4}));
  ExpectTensor(Evaluated("...i->...", {a}), Tensor::Of<float>({2, 1}, {3, 7}));
  ExpectTensor(Evaluated("...ij", {a}), a);
  // Broadcast, also with no dimensions at all.
  ExpectTensor(Evaluated("...,...", {a, b}),
               Tensor::Of<float>({2, 2, 2}, {1, 0, 1, 2, 3, 0, 3, 4}));
  ExpectTensor(Evaluated("i...,...->i...", {b, Tensor::Scalar<float>(2)}),
               Tensor::Of<float>({2, 2}, {2, 0, 2, 2}));
}

TEST(EinsumTest, IntegersWrapAroundAndNothingIsZero) {
  const Tensor big = Tensor::Of<int64_t>({2}, {INT64_MAX, 2});
  ExpectTensor(Evaluated("i,i", {big, big}), Tensor::Scalar<int64_t>(5));
  ExpectTensor(
      Evaluated("i,i", {Tensor::Of<int8_t>({2}, {100, 2}), Tensor::Of<int8_t>({2}, {3, 1})}),
      Tensor::Scalar<int8_t>(46));
  ExpectTensor(Evaluated("ij,jk", {Tensor::Of<float>({2, 0}, {}), Tensor::Of<float>({0, 1}, {})}),
               Tensor::Of<float>({2, 1}, {0, 0}));
  ExpectTensor(Evaluated("i,i->", {Convert(Tensor::Of<float>({3}, {2048, 1, 1}), DType::kFloat16),
                                   Convert(Tensor::Of<float>({3}, {1, 1, 1}), DType::kFloat16)}),
               Convert(Tensor::Scalar<float>(2050), DType::kFloat16));
}

TEST(EinsumTest, WrongEquations) {
  const Tensor x = Tensor::Of<float>({2, 3}, kSix);
  ExpectError(Evaluated("ij->ik", {x}).status(), kInvalid, "dimension k is in no input");
  ExpectError(Evaluated("ij->ii", {x}).status(), kInvalid, "repeats a dimension");
  ExpectError(Evaluated("ijk", {x}).status(), kInvalid, "term 0 has 3 letters");
  ExpectError(Evaluated("i", {x}).status(), kInvalid, "term 0 has 1 letters");
  ExpectError(Evaluated("ij,jk", {x}).status(), kInvalid, "2 terms, but there are 1 inputs");
  ExpectError(Evaluated("ii", {x}).status(), kInvalid, "has 3 elements along axis 1, not 2");
  ExpectError(Evaluated("i.j", {x}).status(), kInvalid, "is not letters and one ellipsis");
  ExpectError(Evaluated("ij->i->j", {x}).status(), kInvalid, "two arrows");
}

}  // namespace
}  // namespace onnxcmp
