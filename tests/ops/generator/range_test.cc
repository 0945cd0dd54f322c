#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

template <typename T>
absl::StatusOr<Tensor> RangeOf(T start, T limit, T delta) {
  OpTest test("Range", 11);
  test.Input(Tensor::Scalar(start)).Input(Tensor::Scalar(limit)).Input(Tensor::Scalar(delta));
  return test.Run();
}

template <typename T>
Tensor List(const std::vector<T>& values) {
  return Tensor::Of<T>({static_cast<int64_t>(values.size())}, values);
}

TEST(RangeTest, CountsIntegers) {
  ExpectTensor(RangeOf<int64_t>(3, 9, 3), List<int64_t>({3, 6}));
  ExpectTensor(RangeOf<int32_t>(10, 4, -2), List<int32_t>({10, 8, 6}));
  ExpectTensor(RangeOf<int16_t>(0, 5, 2), List<int16_t>({0, 2, 4}));
  ExpectTensor(RangeOf<int64_t>(5, 5, 1), List<int64_t>({}));
  ExpectTensor(RangeOf<int64_t>(5, 9, -1), List<int64_t>({}));
}

TEST(RangeTest, CountsIntegersExactly) {
  constexpr int64_t k53 = int64_t{1} << 53;
  ExpectTensor(RangeOf<int64_t>(k53, k53 + 2, 1), List<int64_t>({k53, k53 + 1}));
  // A float would count one less.
  absl::StatusOr<Tensor> many = RangeOf<int32_t>(0, (1 << 25) + 1, 2);
  ASSERT_TRUE(many.ok());
  EXPECT_EQ(many->num_elements(), (1 << 24) + 1);
  ExpectTensor(RangeOf<int64_t>(kMin, kMax, kMax), List<int64_t>({kMin, -1, kMax - 1}));
  ExpectTensor(RangeOf<int64_t>(kMax, kMin, kMin), List<int64_t>({kMax, -1}));
  ExpectTensor(RangeOf<int16_t>(32766, 32767, 2), List<int16_t>({32766}));
}

TEST(RangeTest, MultipliesFloats) {
  ExpectTensor(RangeOf<float>(1, 2, 0.25f), List<float>({1, 1.25f, 1.5f, 1.75f}));
  // start + i * delta, not a sum of deltas, whose element 7 would be 0.70000005f (NumPy).
  ExpectSameBits(RangeOf<float>(0, 0.75f, 0.1f),
                 List<float>({0, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f}));
  ExpectTensor(RangeOf<double>(1, 0, -0.5), List<double>({1, 0.5}));
  // 0.3f / 0.1f is 3 in float, and 3.00000007 in double.
  absl::StatusOr<Tensor> three = RangeOf<float>(0, 0.3f, 0.1f);
  ASSERT_TRUE(three.ok());
  EXPECT_EQ(three->num_elements(), 3);
  ExpectTensor(RangeOf<float>(2, 1, 1), List<float>({}));
}

TEST(RangeTest, GivesEachElementTheSameValueWhereverItLies) {
  absl::StatusOr<Tensor> all = RangeOf<float>(0, 1000, 0.7f);
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->num_elements(), 1429);
  for (int64_t i = 0; i < all->num_elements(); ++i) {
    ASSERT_EQ(all->AsSpan<float>()[static_cast<size_t>(i)], static_cast<float>(i) * 0.7f);
  }
}

TEST(RangeTest, ComputesNarrowFloatsInStashType) {
  for (DType dtype : {DType::kFloat16, DType::kBfloat16}) {
    for (int64_t stash : {1, 11}) {
      OpTest test("Range", 27);
      test.Attr("stash_type", stash);
      for (float value : {2048.0f, 2052.0f, 1.0f})
        test.Input(Convert(Tensor::Scalar(value), dtype));
      // Half precision has no 2049; each element is rounded once.
      ExpectTensor(test.Run(),
                   Convert(dtype == DType::kFloat16 ? List<float>({2048, 2048, 2050, 2052})
                                                    : List<float>({}),
                           dtype));
    }
  }
  OpTest bad("Range", 27);
  bad.Attr("stash_type", 10);
  for (float value : {0.0f, 1.0f, 1.0f}) {
    bad.Input(Convert(Tensor::Scalar(value), DType::kFloat16));
  }
  ExpectError(bad.Run().status(), kInvalid, "stash_type 10 is neither float (1) nor double (11)");
}

TEST(RangeTest, RefusesWhatHasNoEnd) {
  ExpectError(RangeOf<int64_t>(0, 5, 0).status(), kInvalid, "delta is 0");
  ExpectError(RangeOf<float>(0, 5, 0).status(), kInvalid, "delta is 0");
  ExpectError(RangeOf<float>(0, INFINITY, 1).status(), kInvalid, "no finite number of elements");
  ExpectError(RangeOf<float>(0, NAN, 1).status(), kInvalid, "no finite number of elements");
  ExpectError(RangeOf<double>(0, 1e30, 1).status(), kInvalid, "no finite number of elements");
  ExpectError(RangeOf<int64_t>(kMin, kMax, 1).status(), absl::StatusCode::kResourceExhausted, "");
  ExpectError(RangeOf<int64_t>(0, kMax, 1).status(), absl::StatusCode::kResourceExhausted, "");
  OpTest list("Range", 11);
  list.Input(List<float>({1, 2})).Input(Tensor::Scalar(1.0f)).Input(Tensor::Scalar(1.0f));
  ExpectError(list.Run().status(), kInvalid, "must hold one number");
}

TEST(RangeTest, TheStepOfComMicrosoftIsOptional) {
  OpTest test("Range", 1, "com.microsoft");
  test.Input(Tensor::Of<int16_t>({1}, {1})).Input(Tensor::Of<int16_t>({1}, {4}));
  ExpectTensor(test.Run(), Tensor::Of<int16_t>({3}, {1, 2, 3}));
  OpTest floats("Range", 1, "com.microsoft");
  floats.Input(Tensor::Scalar<float>(0.5f)).Input(Tensor::Scalar<float>(2));
  ExpectTensor(floats.Run(), Floats({0.5f, 1.5f}));
}

}  // namespace
}  // namespace onnxcmp::testing
