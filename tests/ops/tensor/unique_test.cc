#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The schema's examples.
TEST(UniqueTest, FindsElements) {
  OpTest appearing("Unique", 11);
  appearing.Attr("sorted", 0).Input(Floats({2, 1, 1, 3, 4, 3})).Outputs(4);
  ExpectOutputs(appearing, {Floats({2, 1, 3, 4}), Ints({0, 1, 3, 4}), Ints({0, 1, 1, 2, 3, 2}),
                            Ints({1, 2, 2, 1})});
  OpTest sorted("Unique", 11);
  sorted.Input(Tensor::Of<int64_t>({2, 2}, {1, 3, 2, 3})).Outputs(4);
  ExpectOutputs(sorted, {Ints({1, 2, 3}), Ints({0, 2, 1}), Ints({0, 2, 1, 2}), Ints({1, 1, 2})});
}

TEST(UniqueTest, FindsSlices) {
  OpTest rows("Unique", 11);
  rows.Attr("axis", 0).Outputs(4);
  rows.Input(AsStridedView(Tensor::Of<float>({3, 3}, {1, 0, 0, 1, 0, 0, 2, 3, 4})));
  ExpectOutputs(rows, {Tensor::Of<float>({2, 3}, {1, 0, 0, 2, 3, 4}), Ints({0, 2}), Ints({0, 0, 1}),
                       Ints({2, 1})});
  OpTest middle("Unique", 11);
  middle.Attr("axis", -2).Outputs(4);
  middle.Input(Tensor::Of<float>({2, 4, 2}, {1, 1, 0, 1, 2, 1, 0, 1, 1, 1, 0, 1, 2, 1, 0, 1}));
  ExpectOutputs(middle, {Tensor::Of<float>({2, 3, 2}, {0, 1, 1, 1, 2, 1, 0, 1, 1, 1, 2, 1}),
                         Ints({1, 0, 2}), Ints({1, 0, 2, 0}), Ints({2, 1, 1})});
}

// numpy.unique.
TEST(UniqueTest, OrdersEveryClass) {
  OpTest floats("Unique", 11);
  floats.Outputs(4).Input(Convert(Floats({kNaN, kInf, -0.0f, 0, kNaN, -kInf}), DType::kFloat16));
  ExpectOutputs(floats, {Convert(Floats({-kInf, 0, kInf, kNaN}), DType::kFloat16),
                         Ints({5, 2, 1, 0}), Ints({3, 2, 1, 1, 3, 0}), Ints({1, 2, 1, 2})});
  OpTest ints("Unique", 11);
  const int64_t big = int64_t{1} << 53;
  ExpectTensor(ints.Input(Ints({big + 1, big, INT64_MIN})).Run(), Ints({INT64_MIN, big, big + 1}));
  OpTest unsigned_ints("Unique", 11);
  unsigned_ints.Input(Tensor::Of<uint64_t>({2}, {UINT64_MAX, 1}));
  ExpectTensor(unsigned_ints.Run(), Tensor::Of<uint64_t>({2}, {1, UINT64_MAX}));
  OpTest bools("Unique", 11);
  ExpectTensor(bools.Input(Bools({3}, {1, 0, 1})).Run(), Bools({2}, {0, 1}));
  OpTest strings("Unique", 11);
  ExpectTensor(strings.Input(Tensor::Of<std::string>({3}, {"b", "\xc3\xa4", "b"})).Run(),
               Tensor::Of<std::string>({2}, {"b", "\xc3\xa4"}));
  OpTest complex("Unique", 11);
  complex.Input(Tensor::Of<std::complex<float>>({3}, {{1, 2}, {1, -2}, {0, 5}}));
  ExpectTensor(complex.Run(), Tensor::Of<std::complex<float>>({3}, {{0, 5}, {1, -2}, {1, 2}}));
}

TEST(UniqueTest, TakesScalarsAndEmptyTensors) {
  OpTest scalar("Unique", 11);
  ExpectOutputs(scalar.Input(Tensor::Scalar(7.0f)).Outputs(2), {Floats({7}), Ints({0})});
  OpTest empty("Unique", 11);
  ExpectOutputs(empty.Input(Iota({0, 2})).Outputs(4), {Floats({}), Ints({}), Ints({}), Ints({})});
  OpTest axis("Unique", 11);
  ExpectError(axis.Attr("axis", 1).Input(Floats({1})).Run().status(), kInvalid, "axis 1");
}

// Values: onnxruntime 1.31.
TEST(UniqueTest, OfComMicrosoftTellsNaNsApart) {
  OpTest test("Unique", 1, "com.microsoft");
  test.Outputs(3).Input(Floats({3, 1, 3, kNaN, -0.0f, 0, kNaN}));
  ExpectOutputs(test, {Floats({3, 1, kNaN, -0.0f, kNaN}), Ints({0, 1, 0, 2, 3, 3, 4}),
                       Ints({2, 1, 1, 2, 1})});
  OpTest matrix("Unique", 1, "com.microsoft");
  matrix.Outputs(3).Input(Iota({1, 2}));
  ExpectError(matrix.Run().status(), kInvalid, "vector");
}

}  // namespace
}  // namespace onnxcmp::testing
