#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Pad(const char* mode, Tensor data, const std::vector<int64_t>& pads) {
  OpTest test("Pad", 19);
  test.Attr("mode", mode).Input(std::move(data)).Input(Ints(pads));
  return test;
}

TEST(PadTest, ReadsPadsAsEachVersionHasThem) {
  const Tensor want = Tensor::Of<float>({2, 3}, {9, 1, 2, 9, 3, 4});
  OpTest first("Pad", 1);
  first.Attr("paddings", std::vector<int64_t>{0, 1, 0, 0}).Attr("value", 9.0f);
  ExpectTensor(first.Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 4})).Run(), want);
  OpTest second("Pad", 2);
  second.Attr("pads", std::vector<int64_t>{0, 1, 0, 0}).Attr("value", 9.0f);
  ExpectTensor(second.Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 4})).Run(), want);
  OpTest input("Pad", 13);
  input.Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 4})).Input(Ints({0, 1, 0, 0}));
  ExpectTensor(input.Input(Tensor::Scalar(9.0f)).Run(), want);
  OpTest axes("Pad", 18);
  axes.Input(Tensor::Of<float>({2, 2}, {1, 2, 3, 4})).Input(Ints({1, 0}));
  axes.Input(Tensor::Scalar(9.0f)).Input(Tensor::Of<int32_t>({1}, {-1}));
  ExpectTensor(axes.Run(), want);
}

// numpy.pad.
TEST(PadTest, RepeatsElements) {
  const Tensor x = Tensor::Of<int64_t>({3}, {1, 2, 3});
  ExpectTensor(Pad("edge", x, {2, 1}).Run(), Ints({1, 1, 1, 2, 3, 3}));
  ExpectTensor(Pad("reflect", x, {2, 1}).Run(), Ints({3, 2, 1, 2, 3, 2}));
  ExpectTensor(Pad("wrap", x, {2, 1}).Run(), Ints({2, 3, 1, 2, 3, 1}));
  ExpectTensor(Pad("reflect", x, {5, 4}).Run(), Ints({2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3}));
  ExpectTensor(Pad("wrap", x, {4, 4}).Run(), Ints({3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1}));
  ExpectTensor(Pad("reflect", Ints({7}), {2, 1}).Run(), Ints({7, 7, 7, 7}));
}

TEST(PadTest, TheConstantMeansNothingToOtherModes) {
  OpTest test = Pad("edge", Ints({1, 2}), {1, 0});
  ExpectTensor(test.Input(Tensor::Scalar<int64_t>(9)).Run(), Ints({1, 1, 2}));
}

TEST(PadTest, PadsCornersOfViews) {
  const Tensor x = AsStridedView(Tensor::Of<std::string>({2, 2}, {"a", "b", "c", "d"}));
  ExpectTensor(Pad("edge", x, {1, 0, 0, 1}).Run(),
               Tensor::Of<std::string>({3, 3}, {"a", "b", "b", "a", "b", "b", "c", "d", "d"}));
  ExpectTensor(Pad("constant", x, {0, 1, 0, 0}).Run(),
               Tensor::Of<std::string>({2, 3}, {"", "a", "b", "", "c", "d"}));
}

TEST(PadTest, NegativePadsCutFirst) {
  ExpectTensor(Pad("constant", Ints({1, 2, 3, 4}), {-1, -2}).Run(), Ints({2}));
  ExpectTensor(Pad("reflect", Ints({1, 2, 3, 4}), {-1, 2}).Run(), Ints({2, 3, 4, 3, 2}));
  ExpectTensor(Pad("constant", Iota({2, 2}), {0, -2, 0, 1}).Run(),
               Tensor::Of<float>({2, 1}, {0, 0}));
}

TEST(PadTest, TakesScalarsAndEmptyTensors) {
  ExpectTensor(Pad("constant", Tensor::Scalar(3.0f), {}).Run(), Tensor::Scalar(3.0f));
  ExpectTensor(Pad("constant", Floats({}), {1, 1}).Run(), Floats({0, 0}));
  ExpectTensor(Pad("edge", Tensor::Of<float>({0, 1}, {}), {0, 1, 0, 0}).Run(),
               Tensor::Of<float>({0, 2}, {}));
}

TEST(PadTest, TakesPackedTypes) {
  OpTest test("Pad", 21);
  test.Input(Convert(Floats({1, -2, 3}), DType::kInt4)).Input(Ints({2, 1}));
  test.Input(Convert(Tensor::Scalar(7.0f), DType::kInt4));
  ExpectTensor(test.Run(), Convert(Floats({7, 7, 1, -2, 3, 7}), DType::kInt4));
}

TEST(PadTest, RefusesWhatDoesNotFit) {
  ExpectError(Pad("edge", Floats({}), {1, 0}).Run().status(), kInvalid, "no element to pad it");
  ExpectError(Pad("constant", Floats({1}), {-1, -1}).Run().status(), kInvalid, "cannot pad axis 0");
  ExpectError(Pad("constant", Tensor::Of<float>({INT64_MAX, 0}, {}), {-INT64_MAX, 0, -INT64_MAX, 0})
                  .Run()
                  .status(),
              kInvalid, "cannot pad axis 0");
  ExpectError(Pad("constant", Floats({1}), {INT64_MAX, 1}).Run().status(), kInvalid,
              "cannot pad axis 0");
  ExpectError(Pad("constant", Floats({1}), {INT64_MIN, INT64_MIN}).Run().status(), kInvalid,
              "cannot pad axis 0");
  ExpectError(Pad("constant", Floats({1}), {int64_t{1} << 60, 0}).Run().status(),
              absl::StatusCode::kResourceExhausted, "");
  ExpectError(Pad("constant", Floats({1}), {1}).Run().status(), kInvalid, "1 pads are given for 1");
  ExpectError(Pad("mirror", Floats({1}), {0, 0}).Run().status(), kInvalid, "knows no mode");
  OpTest early("Pad", 18);
  early.Attr("mode", "wrap").Input(Floats({1})).Input(Ints({0, 0}));
  ExpectError(early.Run().status(), kInvalid, "version 18 knows no mode \"wrap\"");
  OpTest axes("Pad", 18);
  axes.Input(Iota({1, 1})).Input(Ints({0, 0, 0, 0})).NoInput().Input(Ints({0, -2}));
  EXPECT_FALSE(axes.Run().ok());
}

// Values: onnxruntime 1.31.
TEST(PadTest, PadsOfComMicrosoftMayBeARow) {
  OpTest test("Pad", 1, "com.microsoft");
  test.Input(Floats({1, 2, 3})).Input(Tensor::Of<int64_t>({1, 2}, {2, 1})).Input(Floats({9}));
  ExpectTensor(test.Run(), Floats({9, 9, 1, 2, 3, 9}));
  OpTest wrap("Pad", 1, "com.microsoft");
  wrap.Attr("mode", "wrap").Input(Floats({1})).Input(Ints({0, 0}));
  ExpectError(wrap.Run().status(), kInvalid, "mode");
}

}  // namespace
}  // namespace onnxcmp::testing
