// Operators in other layouts: channels last, and channels in blocks. Expected values are small
// enough to be written down; onnxruntime's are among the golden cases.
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "ops/operators.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr char kMicrosoft[] = "com.microsoft";
constexpr char kNhwc[] = "com.ms.internal.nhwc";
constexpr char kNchwc[] = "com.microsoft.nchwc";

// Two positions of two channels; the convolution is channel 0 + 10 * channel 1.
Tensor Image() { return Tensor::Of<float>({1, 1, 2, 2}, {1, 2, 3, 4}); }
Tensor Weight() { return Tensor::Of<float>({1, 2, 1, 1}, {1, 10}); }

TEST(ChannelsLast, Conv) {
  const Tensor want = Tensor::Of<float>({1, 1, 2, 1}, {21, 43});
  ExpectTensor(OpTest("Conv", 11, kNhwc).Input(Image()).Input(Weight()).Run(), want);
  ExpectTensor(OpTest("NhwcConv", 1, kMicrosoft).Input(Image()).Input(Weight()).Run(), want);
  ExpectTensor(OpTest("NhwcConv", 1, kMicrosoft)
                   .Input(AsStridedView(Convert(Image(), DType::kDouble)))
                   .Input(Convert(Weight(), DType::kDouble))
                   .Input(Tensor::Of<double>({1}, {0.5}))
                   .Run(),
               Tensor::Of<double>({1, 1, 2, 1}, {21.5, 43.5}));
}

TEST(ChannelsLast, FusedConvAddsAndActivates) {
  OpTest test("NhwcFusedConv", 1, kMicrosoft);
  test.Attr("activation", "Relu").Input(Image());
  test.Input(Tensor::Of<float>({2, 2, 1, 1}, {1, 10, 1, 0})).NoInput();
  test.Input(Tensor::Of<float>({1, 1, 2, 2}, {0, -2, -40, 1}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 1, 2, 2}, {21, 0, 3, 4}));
  OpTest unknown("NhwcFusedConv", 1, kMicrosoft);
  unknown.Attr("activation", "Elu").Input(Image()).Input(Weight());
  ExpectError(unknown.Run().status(), kInvalid, "no convolution is fused with the activation");
}

TEST(ChannelsLast, MaxPoolOfBytes) {
  OpTest test("NhwcMaxPool", 1, kMicrosoft);
  test.Attr("kernel_shape", std::vector<int64_t>{1, 2});
  test.Attr("pads", std::vector<int64_t>{0, 1, 0, 0});
  test.Input(Tensor::Of<int8_t>({1, 1, 2, 2}, {-1, 2, 3, -4}));
  ExpectTensor(test.Run(), Tensor::Of<int8_t>({1, 1, 2, 2}, {-1, 2, 3, 2}));
}

TEST(ChannelsLast, ParametersOfBatchNormalizationStay) {
  OpTest test("BatchNormalization", 15, kNhwc);
  test.Attr("epsilon", 0.0f).Input(Image()).Input(Floats({1, 2})).Input(Floats({0, 1}));
  test.Input(Floats({1, 2})).Input(Floats({1, 4}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 1, 2, 2}, {0, 1, 2, 3}));
}

TEST(ChannelsLast, ResizeHasItsScalesInThatOrder) {
  const Tensor want = Tensor::Of<float>({1, 1, 4, 2}, {1, 2, 1, 2, 3, 4, 3, 4});
  const auto resize = [](int opset) {
    OpTest test("Resize", opset, kNhwc);
    test.Attr("coordinate_transformation_mode", "asymmetric").Attr("nearest_mode", "floor");
    return test.Input(Image()).NoInput();
  };
  ExpectTensor(resize(19).Input(Floats({1, 1, 2, 1})).Run(), want);
  ExpectTensor(resize(13).NoInput().Input(Ints({1, 1, 4, 2})).Run(), want);
  ExpectError(resize(19).Attr("axes", std::vector<int64_t>{2}).Input(Floats({2})).Run().status(),
              kUnimplemented, "axes of a Resize with channels last");
}

TEST(ChannelsLast, QuantizedOperators) {
  // Real values 0, 1, 2, 3 (x), 2 (w), 0.5 (B).
  OpTest conv("QLinearConvTranspose", 1, kNhwc);
  conv.Input(Tensor::Of<uint8_t>({1, 1, 2, 2}, {10, 12, 14, 16}));
  conv.Input(Tensor::Of<float>({}, {0.5f})).Input(Tensor::Of<uint8_t>({}, {10}));
  conv.Input(Tensor::Of<int8_t>({2, 1, 1, 1}, {8, 8}));
  conv.Input(Tensor::Of<float>({}, {0.25f})).Input(Tensor::Of<int8_t>({}, {0}));
  conv.Input(Tensor::Of<float>({}, {0.5f})).Input(Tensor::Of<uint8_t>({}, {1}));
  conv.Input(Tensor::Of<int32_t>({1}, {4}));
  ExpectTensor(conv.Run(), Tensor::Of<uint8_t>({1, 1, 2, 1}, {6, 22}));

  for (int channels_last : {0, 1}) {
    OpTest pool("QLinearAveragePool", 1, kNhwc);
    pool.Attr("kernel_shape", std::vector<int64_t>{1, 2}).Attr("channels_last", channels_last);
    pool.Input(Tensor::Of<uint8_t>({1, 1, 2, 2}, {10, 12, 14, 18}));
    pool.Input(Tensor::Of<float>({}, {0.5f})).Input(Tensor::Of<uint8_t>({}, {10}));
    pool.Input(Tensor::Of<float>({}, {0.25f})).Input(Tensor::Of<uint8_t>({}, {0}));
    ExpectTensor(pool.Run(), Tensor::Of<uint8_t>({1, 1, 1, 2}, {4, 10}));
  }
}

// Channel c of a position holds first + c, as blocks of `block` channels of two positions.
Tensor Blocked(int64_t channels, int64_t block, float first) {
  std::vector<float> values;
  for (int64_t begin = 0; begin < channels; begin += block) {
    for (int position = 0; position < 2; ++position) {
      for (int64_t c = begin; c < begin + block; ++c) {
        values.push_back(first + static_cast<float>(c + 100 * position));
      }
    }
  }
  return Tensor::Of<float>({1, channels, 1, 2}, values);
}
// The same as (N, C, H, W).
Tensor Plain(int64_t channels, float first) {
  std::vector<float> values;
  for (int64_t c = 0; c < channels; ++c) {
    for (int position = 0; position < 2; ++position) {
      values.push_back(first + static_cast<float>(c + 100 * position));
    }
  }
  return Tensor::Of<float>({1, channels, 1, 2}, values);
}

TEST(BlockedChannels, ReorderOutput) {
  const auto run = [](int64_t channels, const Tensor& x) {
    return OpTest("ReorderOutput", 1, kNchwc).Attr("channels", channels).Input(x).Run();
  };
  ExpectTensor(run(32, Blocked(32, 16, 1)), Plain(32, 1));
  ExpectTensor(run(20, Blocked(32, 16, 1)), Plain(20, 1));
  // 24 channels are no blocks of 16.
  ExpectTensor(run(24, Blocked(24, 8, 1)), Plain(24, 1));
  ExpectTensor(run(17, Blocked(24, 8, 1)), Plain(17, 1));
  ExpectError(run(16, Blocked(32, 16, 1)).status(), kInvalid, "16 channels do not fill the 32");
  ExpectError(run(33, Blocked(32, 16, 1)).status(), kInvalid, "33 channels do not fill");
  ExpectError(run(0, Blocked(16, 16, 1)).status(), kInvalid, "0 channels do not fill");
  ExpectError(run(1, Plain(12, 0)).status(), kInvalid, "12 channels are not a whole number");
}

TEST(BlockedChannels, ReorderInputPadsWithZeros) {
  std::vector<float> want(32, 0.0f);
  for (size_t position = 0; position < 2; ++position) {
    for (size_t c = 0; c < 5; ++c) {
      want[position * 16 + c] = 1 + static_cast<float>(c + 100 * position);
    }
  }
  ExpectTensor(OpTest("ReorderInput", 1, kNchwc).Input(AsStridedView(Plain(5, 1))).Run(),
               Tensor::Of<float>({1, 16, 1, 2}, want));
  ExpectTensor(OpTest("ReorderInput", 1, kNchwc).Input(Plain(32, 0)).Run(), Blocked(32, 16, 0));
  ExpectError(OpTest("ReorderInput", 1, kNchwc).Input(Iota({2, 2})).Run().status(), kInvalid,
              "X must have rank 4");
}

TEST(BlockedChannels, BlocksOfAGivenSize) {
  const auto run = [](int block) {
    const OpRegistry registry = AllOperators({.nchwc_block = block});
    const absl::StatusOr<Evaluator> evaluator = EvaluatorFromText(
        R"(<ir_version: 10, opset_import: ["": 21, "com.microsoft.nchwc": 1]>
           g (float[1, 32, 1, 2] x) => (float[1, 32, 1, 2] b, float[1, 32, 1, 2] y) {
             b = com.microsoft.nchwc.ReorderInput(x)
             y = com.microsoft.nchwc.ReorderOutput<channels = 32>(b)
           })",
        registry);
    return evaluator.ok() ? evaluator->Run({{"x", Plain(32, 1)}}) : evaluator.status();
  };
  for (const int block : {8, 16}) {
    ExpectTensor(TensorAt(run(block), 0), Blocked(32, block, 1));
    ExpectTensor(TensorAt(run(block), 1), Plain(32, 1));
  }
}

TEST(BlockedChannels, Pools) {
  OpTest pool("MaxPool", 1, kNchwc);
  pool.Attr("kernel_shape", std::vector<int64_t>{1, 2});
  std::vector<float> want(24);
  std::iota(want.begin(), want.end(), 101.0f);
  ExpectTensor(pool.Input(Blocked(24, 8, 1)).Run(), Tensor::Of<float>({1, 24, 1, 1}, want));
  OpTest average("AveragePool", 1, kNchwc);
  average.Attr("kernel_shape", std::vector<int64_t>{1, 2}).Attr("count_include_pad", 1);
  average.Attr("pads", std::vector<int64_t>{0, 0, 0, 0}).Attr("ceil_mode", 1);
  average.Attr("strides", std::vector<int64_t>{1, 3});
  std::iota(want.begin(), want.end(), 51.0f);
  ExpectTensor(average.Input(Blocked(24, 8, 1)).Run(), Tensor::Of<float>({1, 24, 1, 1}, want));
}

// A depthwise convolution that multiplies channel c by c, and one of 8 outputs of a plain input.
TEST(BlockedChannels, ConvInBlocksOf8) {
  std::vector<float> factors(24);
  std::iota(factors.begin(), factors.end(), 0.0f);
  std::vector<float> want;
  for (int64_t c = 0; c < 24; ++c) {
    for (int position = 0; position < 2; ++position) {
      want.push_back(static_cast<float>(c * (c + 100 * position)));
    }
  }
  OpTest depthwise("Conv", 1, kNchwc);
  depthwise.Attr("group", 24).Input(Blocked(24, 8, 0));
  const absl::StatusOr<Tensor> blocked =
      depthwise.Input(Tensor::Of<float>({24, 1, 1, 1}, factors)).Run();
  ASSERT_TRUE(blocked.ok()) << blocked.status();
  ExpectTensor(OpTest("ReorderOutput", 1, kNchwc).Attr("channels", 24).Input(*blocked).Run(),
               Tensor::Of<float>({1, 24, 1, 2}, want));

  std::vector<float> weights(16, 0.0f);
  weights[3] = 1;       // output 3 of input 0
  weights[8 + 5] = 10;  // output 5 of input 1
  OpTest plain("Conv", 1, kNchwc);
  plain.Input(Tensor::Of<float>({1, 2, 1, 1}, {7, 9}));
  ExpectTensor(plain.Input(Tensor::Of<float>({8, 2, 1, 1}, weights)).Run(),
               Tensor::Of<float>({1, 8, 1, 1}, {0, 0, 0, 7, 0, 90, 0, 0}));
}

TEST(BlockedChannels, BadInputs) {
  const auto conv = [](const Shape& x, const Shape& w, int group) {
    return OpTest("Conv", 1, kNchwc)
        .Attr("group", group)
        .Input(Iota(x))
        .Input(Iota(w))
        .Run()
        .status();
  };
  ExpectError(conv({1, 16, 1, 1}, {12, 16, 1, 1}, 1), kInvalid, "12 channels are not a whole");
  ExpectError(conv({1, 16, 1, 1}, {16, 16, 1}, 1), kInvalid, "W must have rank 4");
  ExpectError(conv({1, 32, 1, 1}, {16, 20, 1, 1}, 1), kInvalid, "not whole blocks");
  ExpectError(conv({1, 32, 1, 1}, {16, 3, 1, 1}, 1), kInvalid, "do not fit 1 group");
  OpTest sum("Conv", 1, kNchwc);
  sum.Input(Iota({1, 16, 1, 1})).Input(Iota({16, 16, 1, 1})).NoInput().Input(Iota({1, 1, 1, 1}));
  ExpectError(sum.Run().status(), kInvalid, "Sum is");
  const auto upsample = [](const char* mode, const char* coordinates, std::vector<int64_t> scales) {
    return OpTest("Upsample", 1, kNchwc)
        .Attr("mode", mode)
        .Attr("coordinate_transformation_mode", coordinates)
        .Attr("scales", std::move(scales))
        .Input(Iota({1, 16, 1, 1}))
        .Run()
        .status();
  };
  ExpectError(upsample("cubic", "asymmetric", {1, 1, 2, 2}), kInvalid, "mode must be nearest");
  ExpectError(upsample("nearest", "half_pixel", {1, 1, 2, 2}), kInvalid, "must be asymmetric");
  ExpectError(upsample("linear", "floor", {1, 1, 2, 2}), kInvalid, "half_pixel or align_corners");
  ExpectError(upsample("linear", "asymmetric", {1, 2, 2, 2}), kInvalid, "scales must be 1, 1");
  ExpectError(upsample("nearest", "asymmetric", {1, 1, int64_t{1} << 62, 1}),
              absl::StatusCode::kResourceExhausted, "takes more bytes");
}

}  // namespace
}  // namespace onnxcmp::testing
