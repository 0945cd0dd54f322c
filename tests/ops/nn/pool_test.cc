#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor Rising() {
  std::vector<float> values(20);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return Tensor::Of<float>({1, 1, 4, 5}, values);
}

TEST(MaxPool, TakesTheGreatestAndItsIndex) {
  OpTest test("MaxPool", 12);
  test.Attr("kernel_shape", Int64s{2, 2}).Attr("strides", Int64s{2, 2}).Outputs(2);
  test.Input(AsStridedView(Rising()));
  ExpectTensor(test.Run(0), Tensor::Of<float>({1, 1, 2, 2}, {6, 8, 16, 18}));
  ExpectTensor(test.Run(1), Tensor::Of<int64_t>({1, 1, 2, 2}, {6, 8, 16, 18}));
  test.Attr("storage_order", 1);
  ExpectTensor(test.Run(1), Tensor::Of<int64_t>({1, 1, 2, 2}, {5, 13, 7, 15}));
}

TEST(MaxPool, IndicesCountOverBatchAndChannels) {
  OpTest test("MaxPool", 8);
  test.Attr("kernel_shape", Int64s{2}).Outputs(2);
  test.Input(Tensor::Of<float>({2, 2, 3}, {1, 1, 0, 3, 4, 5, -1, -2, -3, 7, 8, 8}));
  ExpectTensor(test.Run(0), Tensor::Of<float>({2, 2, 2}, {1, 1, 4, 5, -1, -2, 8, 8}));
  // The first of equals.
  ExpectTensor(test.Run(1), Tensor::Of<int64_t>({2, 2, 2}, {0, 1, 4, 5, 6, 7, 10, 10}));
}

TEST(MaxPool, PadsDilationsAndCeilMode) {
  const auto pool = [](const Tensor& x, int opset, Int64s kernel, Int64s strides, Int64s pads,
                       Int64s dilations, int ceil_mode) {
    return OpTest("MaxPool", opset)
        .Attr("kernel_shape", kernel)
        .Attr("strides", strides)
        .Attr("pads", pads)
        .Attr("dilations", dilations)
        .Attr("ceil_mode", ceil_mode)
        .Input(x)
        .Run();
  };
  const Tensor x = Tensor::Of<float>({1, 1, 5}, {5, 4, 3, 2, 1});
  ExpectTensor(pool(x, 10, {2}, {1}, {1, 1}, {1}, 0),
               Tensor::Of<float>({1, 1, 6}, {5, 5, 4, 3, 2, 1}));
  ExpectTensor(pool(x, 22, {2}, {1}, {0, 0}, {3}, 0), Tensor::Of<float>({1, 1, 2}, {5, 4}));
  ExpectTensor(pool(x, 11, {2}, {2}, {0, 0}, {1}, 0), Tensor::Of<float>({1, 1, 2}, {5, 3}));
  ExpectTensor(pool(x, 11, {2}, {2}, {0, 0}, {1}, 1), Tensor::Of<float>({1, 1, 3}, {5, 3, 1}));
  // The window that would begin in the padding after the input is left out.
  ExpectTensor(pool(x, 22, {1}, {3}, {0, 2}, {1}, 1), Tensor::Of<float>({1, 1, 2}, {5, 2}));
  // Nothing but padding.
  ExpectTensor(pool(x, 22, {2}, {10}, {2, 0}, {1}, 0), Tensor::Of<float>({1, 1, 1}, {-INFINITY}));
}

TEST(MaxPool, AutoPadAndThreeDimensions) {
  ExpectTensor(OpTest("MaxPool", 1)
                   .Attr("kernel_shape", Int64s{3})
                   .Attr("strides", Int64s{2})
                   .Attr("auto_pad", "SAME_LOWER")
                   .Input(Tensor::Of<float>({1, 1, 4}, {1, 2, 3, 4}))
                   .Run(),
               Tensor::Of<float>({1, 1, 2}, {2, 4}));
  OpTest test("MaxPool", 12);
  test.Attr("kernel_shape", Int64s{2, 1, 2}).Outputs(2).Attr("storage_order", 1);
  test.Input(Tensor::Of<float>({1, 1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}));
  ExpectTensor(test.Run(0), Tensor::Of<float>({1, 1, 1, 2, 1}, {5, 7}));
  ExpectTensor(test.Run(1), Tensor::Of<int64_t>({1, 1, 1, 2, 1}, {5, 7}));
}

// The padding that fits is negative: elements are left out at both ends. Values of onnxruntime and
// ONNX's evaluator.
TEST(MaxPool, SamePaddingBelowZero) {
  OpTest test("MaxPool", 22);
  test.Attr("kernel_shape", Int64s{1, 1})
      .Attr("strides", Int64s{1, 3})
      .Attr("auto_pad", "SAME_UPPER");
  test.Input(Tensor::Of<float>({1, 1, 1, 3}, {1, 2, 3})).Outputs(2);
  ExpectTensor(test.Run(0), Tensor::Of<float>({1, 1, 1, 1}, {2}));
  ExpectTensor(test.Run(1), Tensor::Of<int64_t>({1, 1, 1, 1}, {1}));
}

TEST(MaxPool, NaNIsGreatest) {
  OpTest test("MaxPool", 22);
  test.Attr("kernel_shape", Int64s{3}).Outputs(2);
  test.Input(Tensor::Of<float>({1, 1, 5}, {1, NAN, NAN, INFINITY, -INFINITY}));
  ExpectTensor(test.Run(0), Tensor::Of<float>({1, 1, 3}, {NAN, NAN, NAN}));
  ExpectTensor(test.Run(1), Tensor::Of<int64_t>({1, 1, 3}, {1, 1, 2}));
}

TEST(MaxPool, OtherTypes) {
  const auto pool = [](const Tensor& x) {
    return OpTest("MaxPool", 22).Attr("kernel_shape", Int64s{2}).Input(x).Run();
  };
  const Tensor x = Tensor::Of<float>({1, 1, 3}, {-3, -2, -4});
  const Tensor y = Tensor::Of<float>({1, 1, 2}, {-2, -2});
  for (DType dtype : {DType::kDouble, DType::kFloat16, DType::kInt8}) {
    ExpectTensor(pool(Convert(x, dtype)), Convert(y, dtype));
  }
  ExpectTensor(pool(Tensor::Of<uint8_t>({1, 1, 3}, {255, 0, 200})),
               Tensor::Of<uint8_t>({1, 1, 2}, {255, 200}));
  ExpectTensor(pool(Tensor::Of<float>({0, 1, 3}, {})), Tensor::Of<float>({0, 1, 2}, {}));
}

TEST(MaxPool, WithAndWithoutIndicesAreTheSame) {
  const Tensor x = RandomFloats({3, 5, 13, 37}, 1);
  for (int64_t stride : {1, 2, 3}) {
    OpTest test("MaxPool", 22);
    test.Attr("kernel_shape", Int64s{3, 4}).Attr("strides", Int64s{1, stride});
    test.Attr("pads", Int64s{2, 1, 0, 3}).Attr("dilations", Int64s{2, 3}).Input(x);
    const auto plain = test.Run();
    ASSERT_TRUE(plain.ok());
    ExpectSameBits(test.Outputs(2).Run(), *plain);
    ExpectSameBits(test.Threads(2).Run(), *plain);
  }
}

TEST(MaxPool, HugePaddingCostsNothing) {
  OpTest test("MaxPool", 22);
  const int64_t huge = int64_t{1} << 39;
  test.Attr("kernel_shape", Int64s{2})
      .Attr("strides", Int64s{huge})
      .Attr("pads", Int64s{huge, huge});
  test.Input(Tensor::Of<float>({1, 1, 2}, {1, 2}));
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 1, 3}, {-INFINITY, 2, -INFINITY}));
}

// 2^40 taps, of which five lie in the input.
TEST(MaxPool, HugeKernelsCostNothing) {
  constexpr int64_t kKernel = int64_t{1} << 40;
  const auto pool = [](int64_t stride, Int64s pads, int outputs) {
    return OpTest("MaxPool", 12)
        .Attr("kernel_shape", Int64s{kKernel})
        .Attr("strides", Int64s{stride})
        .Attr("pads", std::move(pads))
        .Outputs(outputs)
        .Input(Tensor::Of<float>({1, 1, 5}, {1, 2, 9, 3, 4}));
  };
  // The first window ends at element 2, the second one at element 3.
  const OpTest test = pool(1, {kKernel - 3, 1}, 2);
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 1, 4}, {9, 9, 9, 9}));
  ExpectTensor(test.Run(1), Tensor::Of<int64_t>({1, 1, 4}, {2, 2, 2, 2}));
  ExpectTensor(pool(1, {kKernel - 2, 0}, 1).Run(), Tensor::Of<float>({1, 1, 4}, {2, 9, 9, 9}));
  ExpectError(pool(kKernel - 1, {kKernel - 1, kKernel - 1}, 1).Run().status(), kInvalid,
              "almost all padding");
}

// Expected values from onnxruntime.
TEST(Pools, AWindowThatDoesNotFitIsCutByCeilModeAndElseLeavesNothing) {
  const auto pool = [](const char* op, int64_t kernel, int64_t stride, int64_t ceil_mode) {
    return OpTest(op, 22)
        .Attr("kernel_shape", Int64s{kernel})
        .Attr("strides", Int64s{stride})
        .Attr("ceil_mode", ceil_mode)
        .Input(Tensor::Of<float>({1, 1, 4}, {0, 1, 2, 4}))
        .Run();
  };
  ExpectTensor(pool("MaxPool", 5, 3, 1), Tensor::Of<float>({1, 1, 1}, {4}));
  ExpectTensor(pool("AveragePool", 6, 3, 1), Tensor::Of<float>({1, 1, 1}, {1.75f}));
  const Tensor empty = Tensor::Of<float>({1, 1, 0}, {});
  for (const char* op : {"AveragePool", "LpPool", "MaxPool"}) {
    ExpectTensor(pool(op, 5, 1, 0), empty);
    ExpectTensor(pool(op, 5, 1, 1), empty);
    ExpectTensor(pool(op, 6, 2, 0), empty);
    ExpectError(pool(op, 6, 1, 0).status(), kInvalid, "does not fit into 4 elements");
  }
}

TEST(MaxPool, RefusesWhatDoesNotFit) {
  const auto run = [](Int64s kernel) {
    return OpTest("MaxPool", 22).Attr("kernel_shape", std::move(kernel)).Input(Rising()).Run();
  };
  ExpectError(run({2}).status(), kInvalid, "kernel_shape has 1 values, not 2");
  ExpectError(run({2, 0}).status(), kInvalid, "kernel_shape must not hold values below 1");
  ExpectError(run({6, 1}).status(), kInvalid, "does not fit into 4 elements");
  ExpectError(run({INT64_MAX, 1}).status(), kInvalid, "a kernel of");
}

TEST(GlobalAveragePool, KeepsTheRank) {
  const auto pool = [](const Tensor& x) { return OpTest("GlobalAveragePool", 22).Input(x).Run(); };
  const Tensor x = Tensor::Of<float>({1, 2, 2, 2}, {1, 2, 3, 6, -1, -2, -3, -4});
  const Tensor y = Tensor::Of<float>({1, 2, 1, 1}, {3, -2.5f});
  ExpectTensor(pool(x), y);
  ExpectTensor(pool(AsStridedView(x)), y);
  ExpectTensor(pool(Convert(x, DType::kDouble)), Convert(y, DType::kDouble));
  ExpectTensor(pool(Convert(x, DType::kBfloat16)), Convert(y, DType::kBfloat16));
  ExpectTensor(
      OpTest("GlobalAveragePool", 1).Input(Tensor::Of<float>({1, 1, 3}, {NAN, 1, 2})).Run(),
      Tensor::Of<float>({1, 1, 1}, {NAN}));
  ExpectTensor(pool(Tensor::Of<float>({1, 1, 0}, {})), Tensor::Of<float>({1, 1, 1}, {NAN}));
  ExpectTensor(pool(Tensor::Of<float>({0, 2, 3}, {})), Tensor::Of<float>({0, 2, 1}, {}));
  ExpectError(pool(Tensor::Of<float>({1}, {1})).status(), kInvalid, "must have batch and channels");
}

TEST(GlobalMaxPool, KeepsTheRank) {
  const auto pool = [](const Tensor& x) { return OpTest("GlobalMaxPool", 22).Input(x).Run(); };
  const Tensor x = Tensor::Of<float>({1, 2, 2, 2}, {1, 2, 3, -6, -1, -2, -3, -4});
  const Tensor y = Tensor::Of<float>({1, 2, 1, 1}, {3, -1});
  ExpectTensor(pool(AsStridedView(x)), y);
  ExpectTensor(pool(Convert(x, DType::kDouble)), Convert(y, DType::kDouble));
  ExpectTensor(OpTest("GlobalMaxPool", 1).Input(Tensor::Of<float>({1, 1, 3}, {1, NAN, 2})).Run(),
               Tensor::Of<float>({1, 1, 1}, {NAN}));
  ExpectTensor(pool(Tensor::Of<float>({1, 1, 0}, {})), Tensor::Of<float>({1, 1, 1}, {-INFINITY}));
}

}  // namespace
}  // namespace onnxcmp::testing
