#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor X() { return Tensor::Of<float>({1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}); }
const Tensor W() { return Tensor::Of<float>({2, 1, 3}, {1, 2, 3, -1, 0, 1}); }

OpTest Transpose(int opset, const Tensor& x, const Tensor& w, Int64s strides) {
  OpTest test("ConvTranspose", opset);
  test.Attr("strides", std::move(strides)).Input(x).Input(w);
  return test;
}

// Expected values by onnxruntime and ONNX's evaluator.
TEST(ConvTranspose, StridesPadsAndBias) {
  OpTest test = Transpose(11, AsStridedView(X()), W(), {2});
  test.Attr("pads", Int64s{1, 0}).Attr("output_padding", Int64s{1});
  test.Input(Tensor::Of<float>({1}, {10}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 1, 9}, {12, 14, 14, 18, 16, 22, 18, 30, 10}));
}

TEST(ConvTranspose, AutoPadAndOutputShape) {
  const Tensor upper = Tensor::Of<float>({1, 1, 8}, {-4, 2, 4, 4, 8, 6, 12, 8});
  const Tensor lower = Tensor::Of<float>({1, 1, 8}, {2, 4, 4, 8, 6, 12, 8, 20});
  ExpectTensor(Transpose(1, X(), W(), {2}).Attr("auto_pad", "SAME_UPPER").Run(), upper);
  ExpectTensor(Transpose(11, X(), W(), {2}).Attr("auto_pad", "SAME_LOWER").Run(), lower);
  for (const Int64s& shape : {Int64s{8}, Int64s{1, 1, 8}}) {
    OpTest test = Transpose(22, X(), W(), {2});
    test.Attr("output_shape", shape);
    ExpectTensor(test.Run(), lower);
    ExpectTensor(test.Attr("auto_pad", "SAME_UPPER").Run(), upper);
  }
  // More elements than there are windows for: zeros, and no negative padding.
  ExpectTensor(
      Transpose(22, Tensor::Of<float>({1, 1, 2}, {1, 2}), Tensor::Of<float>({1, 1, 1}, {3}), {2})
          .Attr("output_shape", Int64s{5})
          .Run(),
      Tensor::Of<float>({1, 1, 5}, {3, 0, 6, 0, 0}));
}

// Expected values by ONNX's evaluator.
TEST(ConvTranspose, AutoPadWithAStrideBeyondTheKernel) {
  const auto same = [](const char* auto_pad, int64_t kernel, int64_t stride) {
    const Tensor w =
        kernel == 1 ? Tensor::Of<float>({1, 1, 1}, {1}) : Tensor::Of<float>({1, 1, 2}, {1, 2});
    return Transpose(22, Tensor::Of<float>({1, 1, 2}, {1, 10}), w, {stride})
        .Attr("auto_pad", auto_pad)
        .Run();
  };
  ExpectTensor(same("SAME_UPPER", 1, 2), Tensor::Of<float>({1, 1, 4}, {0, 1, 0, 10}));
  ExpectTensor(same("SAME_LOWER", 1, 2), Tensor::Of<float>({1, 1, 4}, {1, 0, 10, 0}));
  ExpectTensor(same("SAME_UPPER", 1, 3), Tensor::Of<float>({1, 1, 6}, {0, 1, 0, 0, 10, 0}));
  ExpectTensor(same("SAME_LOWER", 1, 3), Tensor::Of<float>({1, 1, 6}, {0, 1, 0, 0, 10, 0}));
  ExpectTensor(same("SAME_UPPER", 2, 5),
               Tensor::Of<float>({1, 1, 10}, {0, 0, 1, 2, 0, 0, 0, 10, 20, 0}));
  ExpectTensor(same("SAME_LOWER", 2, 5),
               Tensor::Of<float>({1, 1, 10}, {0, 1, 2, 0, 0, 0, 10, 20, 0, 0}));
}

TEST(ConvTranspose, GroupsAndDilations) {
  OpTest test = Transpose(22, X(), Tensor::Of<float>({2, 2, 2}, {1, 2, 3, -1, 0, 1, 5, 6}), {1});
  test.Attr("group", 2).Attr("dilations", Int64s{2});
  ExpectTensor(test.Run(),
               Tensor::Of<float>({1, 4, 6}, {1, 2, 5, 8, 6, 8, 3,  6,  8,  10, -3, -4,
                                             0, 0, 5, 6, 7, 8, 25, 30, 65, 76, 42, 48}));
}

// Each of 3 x 3 x 3 windows adds 1 to 2 x 2 x 2 elements.
TEST(ConvTranspose, ThreeDimensionsInOtherTypes) {
  const Tensor x = Tensor::Of<float>({1, 1, 1, 2, 2}, {1, 1, 1, 1});
  const Tensor w = Tensor::Of<float>({1, 1, 1, 2, 2}, {1, 1, 1, 1});
  const Tensor y = Tensor::Of<float>({1, 1, 1, 3, 3}, {1, 2, 1, 2, 4, 2, 1, 2, 1});
  for (DType dtype : {DType::kDouble, DType::kFloat16, DType::kBfloat16}) {
    ExpectTensor(Transpose(22, Convert(x, dtype), Convert(w, dtype), {1, 1, 1}).Run(),
                 Convert(y, dtype));
  }
}

TEST(ConvTranspose, EmptyAndThreads) {
  ExpectTensor(Transpose(22, Tensor::Of<float>({0, 2, 4}, {}), W(), {1}).Run(),
               Tensor::Of<float>({0, 1, 6}, {}));
  ExpectTensor(
      Transpose(22, Tensor::Of<float>({1, 0, 2}, {}), Tensor::Of<float>({0, 1, 2}, {}), {1})
          .Input(Tensor::Of<float>({1}, {7}))
          .Run(),
      Tensor::Of<float>({1, 1, 3}, {7, 7, 7}));
  OpTest test =
      Transpose(22, RandomFloats({2, 20, 9, 11}, 1), RandomFloats({20, 7, 3, 2}, 2), {2, 3});
  test.Attr("group", 4);
  const auto one = test.Threads(1).Run();
  ASSERT_TRUE(one.ok());
  ExpectSameBits(test.Threads(2).Run(), *one);
}

TEST(ConvTranspose, RefusesWhatDoesNotFit) {
  ExpectError(Transpose(22, X(), Tensor::Of<float>({1, 1, 1}, {1}), {1}).Run().status(), kInvalid,
              "do not fit 1 group");
  ExpectError(Transpose(22, X(), W(), {0}).Run().status(), kInvalid, "strides holds 0");
  ExpectError(Transpose(22, X(), W(), {INT64_MAX}).Run().status(), kInvalid, "strides holds");
  ExpectError(Transpose(22, X(), W(), {1}).Attr("pads", Int64s{9, 9}).Run().status(), kInvalid,
              "gives no output in spatial dimension 0");
  ExpectError(Transpose(22, X(), W(), {1}).Attr("kernel_shape", Int64s{2}).Run().status(), kInvalid,
              "kernel_shape 2 is not the weights' 3");
  ExpectError(Transpose(22, X(), W(), {1}).Input(Tensor::Of<float>({2}, {1, 1})).Run().status(),
              kInvalid, "B is float[2], but there are 1 times 1 output channels");
}

// Values: onnxruntime 1.31.
TEST(ConvTranspose, PadsOfAnInput) {
  const Tensor x = Tensor::Of<float>({1, 1, 2, 2}, {1, 2, 3, 4});
  const Tensor w = Tensor::Of<float>({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  OpTest test("ConvTransposeWithDynamicPads", 1, "com.microsoft");
  test.Attr("strides", std::vector<int64_t>{2, 2}).Input(x).Input(w);
  test.Input(Tensor::Of<int64_t>({4}, {1, 0, 0, 1})).Input(Tensor::Of<float>({2}, {10, 20}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 2, 3, 3}, {13, 14, 16, 13, 16, 14, 19, 22, 22,  //
                                                            27, 28, 34, 35, 38, 40, 41, 44, 48}));
  OpTest same("ConvTransposeWithDynamicPads", 1, "com.microsoft");
  same.Attr("strides", std::vector<int64_t>{2}).Attr("auto_pad", "SAME_UPPER");
  same.Input(Tensor::Of<float>({1, 1, 2}, {1, 2})).Input(Tensor::Of<float>({1, 1, 1}, {3}));
  ExpectTensor(same.Input(Tensor::Of<int64_t>({2}, {0, 0})).Run(),
               Tensor::Of<float>({1, 1, 3}, {3, 0, 6}));
  OpTest negative("ConvTransposeWithDynamicPads", 1, "com.microsoft");
  negative.Input(x).Input(w).Input(Tensor::Of<int64_t>({4}, {-1, 0, 0, 1}));
  ExpectError(negative.Run().status(), kInvalid, "pads");
}

TEST(ConvInteger, ZeroPoints) {
  const Tensor x = Tensor::Of<uint8_t>({1, 1, 3}, {2, 3, 4});
  const Tensor w = Tensor::Of<int8_t>({2, 1, 2}, {1, -1, -128, 127});
  OpTest test("ConvInteger", 10);
  test.Input(x).Input(w);
  ExpectTensor(test.Run(), Tensor::Of<int32_t>({1, 2, 2}, {-1, -1, 125, 124}));
  test.Input(Tensor::Scalar<uint8_t>(3));
  // Padding is the zero point.
  ExpectTensor(OpTest(test).Attr("pads", Int64s{1, 0}).Run(),
               Tensor::Of<int32_t>({1, 2, 3}, {1, -1, -1, -127, 128, 127}));
  ExpectTensor(OpTest(test).Input(Tensor::Of<int8_t>({2}, {1, -128})).Run(),
               Tensor::Of<int32_t>({1, 2, 2}, {0, -2, 0, 255}));
  ExpectError(OpTest(test).Input(Tensor::Of<int8_t>({3}, {0, 0, 0})).Run().status(), kInvalid,
              "there are 2 output channels");
}

// onnxruntime and ONNX's evaluator.
TEST(DeformConv, OffsetsAndMask) {
  const Tensor x = Tensor::Of<float>({1, 1, 3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  const Tensor w = Tensor::Of<float>({1, 1, 2, 2}, {1, 2, 3, 4});
  std::vector<float> offset(32);
  std::fill_n(offset.begin(), 4, 0.5f);       // the first tap down
  std::fill_n(offset.begin() + 12, 4, -1.f);  // the second one to the left
  offset[31] = 5;                             // the last one of the last window, out of X
  std::vector<float> mask(16, 1);
  std::fill_n(mask.begin() + 4, 4, 0.5f);
  OpTest test("DeformConv", 19);
  test.Input(x).Input(w).Input(Tensor::Of<float>({1, 8, 2, 2}, offset));
  test.Input(Tensor::Of<float>({1}, {1})).Input(Tensor::Of<float>({1, 4, 2, 2}, mask));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 1, 2, 2}, {27.5f, 36.5f, 54.5f, 31.5f}));
}

TEST(DeformConv, WithoutOffsetsItIsAConvolution) {
  const Tensor x = RandomFloats({2, 4, 5, 6}, 1);
  const Tensor w = RandomFloats({6, 2, 3, 2}, 2);
  OpTest conv("Conv", 22);
  conv.Attr("group", 2).Attr("pads", Int64s{1, 0, 1, 2}).Attr("strides", Int64s{2, 1});
  const auto want = conv.Input(x).Input(w).Run();
  ASSERT_TRUE(want.ok());
  OpTest test("DeformConv", 22);
  test.Attr("group", 2).Attr("offset_group", 2).Attr("pads", Int64s{1, 0, 1, 2});
  test.Attr("strides", Int64s{2, 1}).Input(x).Input(w);
  test.Input(Tensor::Of<float>({2, 24, 3, 7}, std::vector<float>(2 * 24 * 21)));
  ExpectTensor(test.Run(), *want, 1e-5, 1e-5);
}

TEST(DeformConv, SpecialOffsetsAndErrors) {
  const auto run = [](const Tensor& offset, int groups) {
    return OpTest("DeformConv", 22)
        .Attr("offset_group", groups)
        .Input(Tensor::Of<float>({1, 1, 2}, {1, 2}))
        .Input(Tensor::Of<float>({1, 1, 1}, {1}))
        .Input(offset)
        .Run();
  };
  ExpectTensor(run(Tensor::Of<float>({1, 1, 2}, {NAN, INFINITY}), 1),
               Tensor::Of<float>({1, 1, 2}, {NAN, 0}));
  ExpectTensor(run(Tensor::Of<float>({1, 1, 2}, {-0.25f, -1e30f}), 1),
               Tensor::Of<float>({1, 1, 2}, {0.75f, 0}));
  ExpectError(run(Tensor::Of<float>({1, 2, 2}, {0, 0, 0, 0}), 1).status(), kInvalid,
              "offset has shape [1x2x2], not [1x1x2]");
  ExpectError(run(Tensor::Of<float>({1, 2, 2}, {0, 0, 0, 0}), 2).status(), kInvalid,
              "1 channels cannot be cut into 2 offset groups");
}

TEST(MaxUnpool, PutsElementsBack) {
  OpTest test("MaxUnpool", 11);
  test.Attr("kernel_shape", Int64s{2}).Attr("strides", Int64s{2});
  test.Input(Tensor::Of<float>({1, 2, 2}, {1, 2, 3, 4}))
      .Input(Tensor::Of<int64_t>({1, 2, 2}, {1, 2, 4, 7}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 2, 4}, {0, 1, 2, 0, 3, 0, 0, 4}));
  // Indices count in the shape above.
  test.Input(Tensor::Of<int64_t>({3}, {1, 2, 5}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 2, 5}, {0, 1, 2, 0, 0, 3, 0, 0, 4, 0}));
}

TEST(MaxUnpool, RefusesWhatDoesNotFit) {
  const auto run = [](int64_t index, Int64s kernel) {
    return OpTest("MaxUnpool", 22)
        .Attr("kernel_shape", std::move(kernel))
        .Input(Tensor::Of<double>({1, 1, 1}, {1}))
        .Input(Tensor::Of<int64_t>({1, 1, 1}, {index}))
        .Run();
  };
  ExpectTensor(run(1, {2}), Tensor::Of<double>({1, 1, 2}, {0, 1}));
  for (int64_t index : {int64_t{-1}, int64_t{2}, INT64_MIN, INT64_MAX}) {
    ExpectError(run(index, {2}).status(), kInvalid, "is not in the output's");
  }
  ExpectError(run(0, {2, 2}).status(), kInvalid, "do not fit 1 spatial dimensions");
  ExpectError(run(0, {INT64_MIN}).status(), kInvalid, "spatial dimension 0 cannot be unpooled");
}

// By the definition, in integers: widths that are no multiples of a vector, and so many channels
// that they are computed in parts.
TEST(ConvTranspose, EveryStride) {
  constexpr int64_t kIn = 2;
  constexpr int64_t kOut = 40;
  constexpr int64_t kHeight = 5;
  const auto number = [](int64_t i) { return static_cast<float>(i * 2654435761 % 7 - 3); };
  for (int64_t width : {1, 9, 150}) {
    for (int64_t stride : {1, 2, 3, 5}) {
      for (int64_t kernel : {1, 2, 4}) {
        for (int64_t pad : {0, 1}) {
          const int64_t y_width = (width - 1) * stride + kernel - 2 * pad;
          if (y_width < 1) continue;
          std::vector<float> x(static_cast<size_t>(kIn * kHeight * width));
          std::vector<float> w(static_cast<size_t>(kIn * kOut * 2 * kernel));
          for (size_t i = 0; i < x.size(); ++i) x[i] = number(static_cast<int64_t>(i));
          for (size_t i = 0; i < w.size(); ++i) w[i] = number(static_cast<int64_t>(i) + 1000);
          Tensor y = *Tensor::Allocate(DType::kFloat, {1, kOut, kHeight + 1, y_width});
          std::fill_n(y.mutable_data<float>(), y.num_elements(), 0.0f);
          for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i) {
            const int64_t c = i / width / kHeight;
            for (int64_t k = 0; k < kOut * 2 * kernel; ++k) {
              const int64_t row = i / width % kHeight + k / kernel % 2;
              const int64_t column = i % width * stride - pad + k % kernel;
              if (column < 0 || column >= y_width) continue;
              const int64_t plane = k / kernel / 2;
              y.mutable_data<float>()[(plane * (kHeight + 1) + row) * y_width + column] +=
                  x[static_cast<size_t>(i)] * w[static_cast<size_t>(c * kOut * 2 * kernel + k)];
            }
          }
          OpTest test = Transpose(22, Tensor::Of<float>({1, kIn, kHeight, width}, x),
                                  Tensor::Of<float>({kIn, kOut, 2, kernel}, w), {1, stride});
          test.Attr("pads", Int64s{0, pad, 0, pad});
          ExpectTensor(test.Threads(2).Run(), y);
        }
      }
    }
  }
}

}  // namespace
}  // namespace onnxcmp::testing
