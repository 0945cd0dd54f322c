#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// NonZero, Compress and Trilu.

TEST(NonZeroTest, ListsIndices) {
  OpTest test("NonZero", 13);
  test.Input(AsStridedView(Tensor::Of<float>({2, 3}, {0, kNaN, -0.0f, 1e-45f, 0, -1})));
  ExpectTensor(test.Run(), Tensor::Of<int64_t>({2, 3}, {0, 1, 1, 1, 0, 2}));
  OpTest strings("NonZero", 9);
  ExpectTensor(strings.Input(Tensor::Of<std::string>({3}, {"", "0", ""})).Run(),
               Tensor::Of<int64_t>({1, 1}, {1}));
  OpTest complex("NonZero", 9);
  complex.Input(Tensor::Of<std::complex<float>>({3}, {{0, 0}, {0, 1}, {1, 0}}));
  ExpectTensor(complex.Run(), Tensor::Of<int64_t>({1, 2}, {1, 2}));
}

// The text: a scalar has no axis.
TEST(NonZeroTest, TakesScalarsAndEmptyTensors) {
  OpTest one("NonZero", 13);
  ExpectTensor(one.Input(Tensor::Scalar(2.0f)).Run(), Tensor::Of<int64_t>({0, 1}, {}));
  OpTest zero("NonZero", 13);
  ExpectTensor(zero.Input(Tensor::Scalar(0.0f)).Run(), Tensor::Of<int64_t>({0, 0}, {}));
  OpTest empty("NonZero", 13);
  ExpectTensor(empty.Input(Iota({0, 2})).Run(), Tensor::Of<int64_t>({2, 0}, {}));
}

TEST(CompressTest, SelectsEntriesAndElements) {
  OpTest rows("Compress", 11);
  rows.Attr("axis", -2).Input(Iota({3, 2})).Input(Bools({3}, {0, 1, 1}));
  ExpectTensor(rows.Run(), Tensor::Of<float>({2, 2}, {2, 3, 4, 5}));
  OpTest columns("Compress", 9);
  columns.Attr("axis", 1).Input(AsStridedView(Iota({3, 2}))).Input(Bools({1}, {1}));
  ExpectTensor(columns.Run(), Tensor::Of<float>({3, 1}, {0, 2, 4}));
  OpTest flat("Compress", 11);
  flat.Input(Iota({3, 2})).Input(Bools({5}, {0, 1, 0, 0, 1}));
  ExpectTensor(flat.Run(), Floats({1, 4}));
  OpTest none("Compress", 11);
  ExpectTensor(none.Input(Iota({3, 2})).Input(Bools({0}, {})).Run(), Floats({}));
}

TEST(CompressTest, RefusesTrueBeyondTheEnd) {
  OpTest test("Compress", 11);
  test.Attr("axis", 1).Input(Iota({2, 2})).Input(Bools({3}, {0, 0, 1}));
  ExpectError(test.Run().status(), kInvalid, "condition is true at 2, but axis 1 has size 2");
}

OpTest Trilu(Tensor x, int64_t upper, int64_t k) {
  OpTest test("Trilu", 14);
  test.Attr("upper", upper).Input(std::move(x)).Input(Tensor::Scalar<int64_t>(k));
  return test;
}

TEST(TriluTest, KeepsOneSideOfADiagonal) {
  const Tensor x = Tensor::Of<int64_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectTensor(Trilu(x, 1, 0).Run(), Tensor::Of<int64_t>({2, 3}, {1, 2, 3, 0, 5, 6}));
  ExpectTensor(Trilu(x, 1, 2).Run(), Tensor::Of<int64_t>({2, 3}, {0, 0, 3, 0, 0, 0}));
  ExpectTensor(Trilu(x, 0, 1).Run(), Tensor::Of<int64_t>({2, 3}, {1, 2, 0, 4, 5, 6}));
  ExpectTensor(Trilu(x, 0, -1).Run(), Tensor::Of<int64_t>({2, 3}, {0, 0, 0, 4, 0, 0}));
  for (int64_t k : {INT64_MAX, int64_t{3}}) {
    ExpectTensor(Trilu(x, 1, k).Run(), Tensor::Of<int64_t>({2, 3}, std::vector<int64_t>(6, 0)));
    ExpectTensor(Trilu(x, 0, k).Run(), x);
  }
  for (int64_t k : {INT64_MIN, int64_t{-2}}) {
    ExpectTensor(Trilu(x, 1, k).Run(), x);
    ExpectTensor(Trilu(x, 0, k).Run(), Tensor::Of<int64_t>({2, 3}, std::vector<int64_t>(6, 0)));
  }
}

TEST(TriluTest, TakesBatchesStringsAndNothing) {
  OpTest batch("Trilu", 14);
  ExpectTensor(batch.Input(AsStridedView(Iota({2, 1, 2, 2}))).Run(),
               Tensor::Of<float>({2, 1, 2, 2}, {0, 1, 0, 3, 4, 5, 0, 7}));
  ExpectTensor(Trilu(Tensor::Of<std::string>({1, 2}, {"a", "b"}), 0, 0).Run(),
               Tensor::Of<std::string>({1, 2}, {"a", ""}));
  ExpectTensor(Trilu(Iota({2, 0}), 0, 0).Run(), Iota({2, 0}));
  OpTest vector("Trilu", 14);
  ExpectError(vector.Input(Floats({1})).Run().status(), kInvalid, "rank 1");
}

}  // namespace
}  // namespace onnxcmp::testing
