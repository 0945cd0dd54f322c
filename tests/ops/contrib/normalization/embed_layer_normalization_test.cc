#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are onnxruntime 1.31's.
Tensor Int32s(absl::Span<const int64_t> shape, const std::vector<int32_t>& values) {
  return Tensor::Of<int32_t>(shape, values);
}

const Tensor kIds = Int32s({2, 2}, {2, 0, 1, 1});
const Tensor kSegmentIds = Int32s({2, 2}, {0, 1, 1, 1});

OpTest EmbedLayerNormalization(const Tensor& ids, bool with_segments, DType dtype = DType::kFloat) {
  OpTest test("EmbedLayerNormalization", 1, "com.microsoft");
  test.Attr("epsilon", 0.25f).Input(ids).Input(with_segments ? Value(kSegmentIds) : Value());
  test.Input(Convert(Pattern({3, 3}, 3, 7), dtype));
  test.Input(Convert(Pattern({2, 3}, 5, 7), dtype));
  test.Input(with_segments ? Value(Convert(Pattern({2, 3}, 4, 7), dtype)) : Value());
  test.Input(Convert(Tensor::Of<float>({3}, {0.6f, 1, 1.4f}), dtype));
  test.Input(Convert(Pattern({3}, 3, 5), dtype));
  return test;
}

TEST(ContribEmbedLayerNormalizationTest, AllOutputs) {
  OpTest test = EmbedLayerNormalization(kIds, true);
  test.Outputs(3).Input(Int32s({2, 2}, {1, 0, 1, 1}));
  ExpectTensor(test.Run(0),
               Tensor::Of<float>({2, 2, 3}, {-0.7942247f, 0.7749111f, -0.08501779f, -0.9578882f,
                                             0.2f, 1.101739f, -0.7942247f, 0.7749111f, -0.08501782f,
                                             -0.7942247f, 0.7749111f, -0.08501784f}),
               2e-6);
  ExpectTensor(test.Run(1), Tensor::Of<int32_t>({2}, {1, 2}));
  ExpectTensor(test.Run(2),
               Tensor::Of<float>({2, 2, 3}, {-0.7142857f, 1.490116e-08f, -0.2857143f, -0.4285714f,
                                             0.2857143f, 1, -0.2857143f, 0.4285715f, 0.1428571f,
                                             -0.1428572f, 0.5714286f, 0.2857143f}),
               1e-6, 1e-7);
}

TEST(ContribEmbedLayerNormalizationTest, OtherTypes) {
  const Tensor want = Tensor::Of<float>(
      {2, 2, 3}, {-0.7942247f, 0.7749111f, -0.08501779f, -0.9578882f, 0.2f, 1.101739f, -0.7942247f,
                  0.7749111f, -0.08501782f, -0.7942247f, 0.7749111f, -0.08501784f});
  ExpectTensor(EmbedLayerNormalization(kIds, true, DType::kDouble).Run(),
               Convert(want, DType::kDouble), 1e-5);
  ExpectTensor(EmbedLayerNormalization(kIds, true, DType::kFloat16).Run(),
               Convert(want, DType::kFloat16), 5e-3, 1e-3);
}

TEST(ContribEmbedLayerNormalizationTest, PositionIdsWithoutSegments) {
  OpTest test = EmbedLayerNormalization(kIds, false);
  test.Outputs(2).NoInput().Input(Int32s({1, 2}, {1, 0}));
  ExpectTensor(test.Run(0),
               Tensor::Of<float>({2, 2, 3}, {-0.566946f, 0.2f, 0.1895407f, -1.037189f, 0.6372865f,
                                             0.6745731f, -0.8099123f, 1.156462f, -0.5825847f,
                                             -0.8099123f, 1.156462f, -0.5825848f}),
               2e-6);
  ExpectTensor(test.Run(1), Tensor::Of<int32_t>({2}, {0, 0}));
}

TEST(ContribEmbedLayerNormalizationTest, Empty) {
  OpTest test = EmbedLayerNormalization(Int32s({2, 0}, {}), false);
  test.Outputs(2);
  ExpectTensor(test.Run(0), Tensor::Of<float>({2, 0, 3}, {}));
  ExpectTensor(test.Run(1), Int32s({2}, {0, 0}));
}

TEST(ContribEmbedLayerNormalizationTest, BadInputs) {
  auto expect = [](const OpTest& test, const char* message) {
    ExpectError(test.Run().status(), kInvalid, message);
  };
  expect(EmbedLayerNormalization(Int32s({1, 2}, {0, 3}), false), "input id 3 is outside");
  expect(EmbedLayerNormalization(Int32s({1, 2}, {0, -1}), false), "input id -1 is outside");
  expect(EmbedLayerNormalization(Int32s({1, 3}, {0, 0, 0}), false), "position 2 is outside");
  expect(EmbedLayerNormalization(Int32s({2}, {0, 0}), false), "rank 1");
  OpTest mask = EmbedLayerNormalization(kIds, true);
  expect(mask.Input(Int32s({2}, {1, 1})), "mask must have the shape");
  OpTest positions = EmbedLayerNormalization(kIds, true);
  expect(positions.NoInput().Input(Int32s({2, 1}, {1, 1})), "position_ids has shape");
}

}  // namespace
}  // namespace onnxcmp::testing
