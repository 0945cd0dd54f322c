#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Small whole numbers: every sum of products of them is exact, in whatever order it is made.
Tensor WholeNumbers(const Shape& shape, uint32_t seed) {
  std::vector<float> values(static_cast<size_t>(*NumElements(shape)));
  for (float& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 28) - 7;
  }
  return Tensor::Of<float>(shape, values);
}

struct Case {
  Shape x;
  Shape w;
  int64_t group = 1;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pads;
};

// The sentence of the specification, an element at a time.
Tensor Expected(const Case& c, const Tensor& x, const Tensor& w, const Tensor& bias) {
  const size_t rank = c.x.size() - 2;
  Shape shape = {c.x[0], c.w[0]};
  for (size_t d = 0; d < rank; ++d) {
    const int64_t padded = c.x[d + 2] + c.pads[d] + c.pads[d + rank];
    shape.push_back((padded - (c.w[d + 2] - 1) * c.dilations[d] - 1) / c.strides[d] + 1);
  }
  const auto next = [](Shape& index, const Shape& bounds) {
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < bounds[d]) return true;
      index[d] = 0;
    }
    return false;
  };
  const int64_t group_channels = c.w[1];
  const int64_t group_outputs = c.w[0] / c.group;
  std::vector<float> y;
  Shape o(shape.size(), 0);
  do {
    float sum = bias.defined() ? bias.data<float>()[o[1]] : 0;
    for (int64_t channel = 0; channel < group_channels; ++channel) {
      Shape tap(rank, 0);
      const Shape taps(c.w.begin() + 2, c.w.end());
      do {
        int64_t x_at = o[0] * c.x[1] + o[1] / group_outputs * group_channels + channel;
        int64_t w_at = o[1] * group_channels + channel;
        bool inside = true;
        for (size_t d = 0; d < rank; ++d) {
          const int64_t i = o[d + 2] * c.strides[d] - c.pads[d] + tap[d] * c.dilations[d];
          inside = inside && i >= 0 && i < c.x[d + 2];
          x_at = x_at * c.x[d + 2] + i;
          w_at = w_at * c.w[d + 2] + tap[d];
        }
        if (inside) sum += x.data<float>()[x_at] * w.data<float>()[w_at];
      } while (next(tap, taps));
    }
    y.push_back(sum);
  } while (next(o, shape));
  return Tensor::Of<float>(shape, y);
}

OpTest ConvOf(const Case& c, const Tensor& x, const Tensor& w) {
  OpTest test("Conv", 22);
  test.Attr("group", c.group)
      .Attr("strides", c.strides)
      .Attr("dilations", c.dilations)
      .Attr("pads", c.pads)
      .Input(x)
      .Input(w);
  return test;
}

TEST(Conv, FollowsTheFormula) {
  const Case cases[] = {
      {{1, 1, 5}, {1, 1, 3}, 1, {1}, {1}, {0, 0}},
      {{2, 3, 40}, {5, 3, 4}, 1, {3}, {2}, {2, 1}},
      {{1, 3, 9, 11}, {4, 3, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1, 1, 1}},
      {{2, 4, 7, 7}, {8, 4, 3, 3}, 1, {2, 2}, {1, 1}, {1, 0, 0, 1}},   // short rows
      {{1, 2, 30, 3}, {4, 2, 3, 3}, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}},  // rows of one window
      {{1, 3, 37, 41}, {7, 3, 7, 7}, 1, {2, 2}, {1, 1}, {3, 3, 3, 3}},
      {{1, 40, 8, 20}, {70, 40, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1, 1, 1}},  // several blocks of k
      {{3, 8, 6, 50}, {9, 8, 1, 1}, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}},     // pointwise
      {{2, 8, 9, 9}, {6, 8, 1, 1}, 1, {3, 2}, {1, 1}, {0, 0, 0, 0}},      // pointwise with strides
      {{1, 8, 9, 9}, {6, 8, 1, 1}, 1, {1, 1}, {1, 1}, {1, 0, 2, 0}},      // pointwise with pads
      {{2, 6, 9, 9}, {8, 3, 3, 3}, 2, {1, 2}, {2, 1}, {1, 2, 0, 1}},      // groups
      {{2, 6, 9, 40}, {6, 1, 3, 3}, 6, {1, 1}, {1, 1}, {1, 1, 1, 1}},     // depthwise
      {{1, 4, 9, 9}, {8, 1, 3, 3}, 4, {2, 2}, {2, 2}, {2, 2, 2, 2}},
      {{1, 2, 4, 5, 6}, {4, 2, 2, 3, 3}, 1, {1, 2, 1}, {1, 1, 2}, {1, 0, 1, 0, 1, 1}},
      {{1, 2, 2, 3, 2, 5},
       {4, 2, 1, 2, 2, 2},
       1,
       {1, 1, 1, 1},
       {1, 1, 1, 2},
       {0, 0, 1, 0, 1, 0, 0, 0}},
      {{1, 300, 1, 1}, {4, 300, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1, 1, 1}},  // mostly padding
      {{0, 2, 5, 5}, {3, 2, 3, 3}, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}},
      {{2, 0, 5, 5}, {3, 0, 3, 3}, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}},  // only the bias
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(::testing::Message()
                 << "X " << ShapeToString(c.x) << ", W " << ShapeToString(c.w));
    const Tensor x = WholeNumbers(c.x, 1);
    const Tensor w = WholeNumbers(c.w, 2);
    const Tensor bias = WholeNumbers({c.w[0]}, 3);
    if (c.x[0] == 0) {
      ExpectTensor(ConvOf(c, x, w).Run(), Tensor::Of<float>({0, 3, 3, 3}, {}));
      continue;
    }
    ExpectTensor(ConvOf(c, x, w).Run(), Expected(c, x, w, Tensor()));
    ExpectTensor(ConvOf(c, AsStridedView(x), w).Input(bias).Threads(2).Run(),
                 Expected(c, x, w, bias));
    const Tensor want = Convert(Expected(c, x, w, bias), DType::kDouble);
    ExpectTensor(ConvOf(c, Convert(x, DType::kDouble), Convert(w, DType::kDouble))
                     .Input(Convert(bias, DType::kDouble))
                     .Run(),
                 want);
  }
}

TEST(Conv, NarrowFloatsAreSummedInFloatAndRoundedOnce) {
  // 1 + 2^-11 + 2^-11 is 1 in steps of float16, and 1 + 2^-10 rounded once.
  const float small = 1.0f / 2048;
  const Tensor x = Convert(Tensor::Of<float>({1, 3, 1}, {1, small, small}), DType::kFloat16);
  const Tensor w = Convert(Tensor::Of<float>({1, 3, 1}, {1, 1, 1}), DType::kFloat16);
  ExpectTensor(OpTest("Conv", 11).Input(x).Input(w).Run(),
               Convert(Tensor::Of<float>({1, 1, 1}, {1 + 2 * small}), DType::kFloat16));
}

TEST(Conv, AutoPadSplitsThePadding) {
  const Tensor x = Tensor::Of<float>({1, 1, 4}, {1, 2, 3, 4});
  const Tensor w = Tensor::Of<float>({1, 1, 2}, {1, 10});
  const auto conv = [&](const char* auto_pad, int stride) {
    return OpTest("Conv", 1)
        .Attr("auto_pad", auto_pad)
        .Attr("strides", std::vector<int64_t>{stride})
        .Input(x)
        .Input(w)
        .Run();
  };
  ExpectTensor(conv("SAME_UPPER", 1), Tensor::Of<float>({1, 1, 4}, {21, 32, 43, 4}));
  ExpectTensor(conv("SAME_LOWER", 1), Tensor::Of<float>({1, 1, 4}, {10, 21, 32, 43}));
  ExpectTensor(conv("VALID", 1), Tensor::Of<float>({1, 1, 3}, {21, 32, 43}));
  ExpectTensor(conv("SAME_UPPER", 3), Tensor::Of<float>({1, 1, 2}, {21, 4}));
}

TEST(Conv, NaNStaysInItsWindows) {
  const Tensor x = Tensor::Of<float>({1, 1, 5}, {NAN, 1, 1, 1, INFINITY});
  const Tensor w = Tensor::Of<float>({4, 1, 2}, {1, 1, 1, 1, 1, 1, 1, 1});
  std::vector<float> rows;
  for (int i = 0; i < 4; ++i) rows.insert(rows.end(), {NAN, 2, 2, INFINITY});
  ExpectTensor(OpTest("Conv", 22).Input(x).Input(w).Run(), Tensor::Of<float>({1, 4, 4}, rows));
}

TEST(Conv, ResultsDoNotDependOnThreadsOrBatch) {
  const Tensor x = RandomFloats({3, 20, 17, 19}, 1);
  const Tensor w = RandomFloats({50, 20, 3, 3}, 2);
  const auto one = OpTest("Conv", 22).Input(x).Input(w).Threads(1).Run();
  ExpectSameBits(OpTest("Conv", 22).Input(x).Input(w).Threads(3).Run(), *one);
  const Tensor last = x.Strided({1, 20, 17, 19}, x.strides(), 2 * 20 * 17 * 19);
  ExpectSameBits(OpTest("Conv", 22).Input(last).Input(w).Run(),
                 *one->Strided({1, 50, 15, 17}, one->strides(), 2 * 50 * 15 * 17).Contiguous());
}

TEST(Conv, AKernelThatIsOneTooLargeLeavesNothing) {
  const Tensor x = Tensor::Of<float>({1, 2, 4}, std::vector<float>(8));
  const Tensor w = Tensor::Of<float>({3, 2, 5}, std::vector<float>(30));
  ExpectTensor(OpTest("Conv", 22).Input(x).Input(w).Run(), Tensor::Of<float>({1, 3, 0}, {}));
}

TEST(Conv, RefusesWhatDoesNotFit) {
  const Tensor x = Tensor::Of<float>({1, 2, 4}, std::vector<float>(8));
  const Tensor w = Tensor::Of<float>({3, 2, 2}, std::vector<float>(12));
  const auto run = [&](const char* name, std::vector<int64_t> value) {
    return OpTest("Conv", 22).Attr(name, std::move(value)).Input(x).Input(w).Run().status();
  };
  ExpectError(run("kernel_shape", {3}), kInvalid, "kernel_shape 3 is not the weights' 2");
  ExpectError(run("pads", {-1, 0}), kInvalid, "pads must not hold values below 0");
  ExpectError(run("pads", {1, 0, 0}), kInvalid, "pads has 3 values, not 2");
  ExpectError(run("pads", {INT64_MAX, 1}), kInvalid, "does not fit");
  ExpectError(run("strides", {0}), kInvalid, "strides must not hold values below 1");
  ExpectError(run("dilations", {5}), kInvalid, "does not fit into 4 elements");
  ExpectError(run("dilations", {INT64_MAX}), kInvalid, "dilation");
  ExpectError(OpTest("Conv", 22).Attr("auto_pad", "SAME").Input(x).Input(w).Run().status(),
              kInvalid, "auto_pad must be");
  ExpectError(OpTest("Conv", 22).Attr("group", 0).Input(x).Input(w).Run().status(), kInvalid,
              "do not fit 0 groups");
  ExpectError(OpTest("Conv", 22).Attr("group", 2).Input(x).Input(w).Run().status(), kInvalid,
              "do not fit 2 groups");
  ExpectError(OpTest("Conv", 22).Input(x).Input(w).Input(x).Run().status(), kInvalid, "B is");
  ExpectError(OpTest("Conv", 22).Input(w).Input(Tensor::Scalar(1.0f)).Run().status(), kInvalid,
              "must have one rank");
}

}  // namespace
}  // namespace onnxcmp::testing
