// RoiAlign, MaxRoiPool, NonMaxSuppression. Expected values by onnxruntime.
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

const Tensor Rising() {
  std::vector<float> values(16);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return Tensor::Of<float>({1, 1, 4, 4}, values);
}

OpTest Align(int opset, const Tensor& rois) {
  OpTest test("RoiAlign", opset);
  test.Input(Rising()).Input(rois);
  test.Input(Tensor::Of<int64_t>({rois.dim(0)}, Int64s(static_cast<size_t>(rois.dim(0)))));
  return test;
}

TEST(RoiAlign, MeansAndMaxima) {
  OpTest test = Align(16, Tensor::Of<float>({2, 4}, {0, 0, 3, 3, 2, 2, 9, 9}));
  test.Attr("output_height", 2).Attr("output_width", 2);
  ExpectTensor(test.Run(),
               Tensor::Of<float>({2, 1, 2, 2}, {1.5625f, 3, 7.3125f, 8.75f, 7.265625f, 0, 0, 0}));
  ExpectTensor(test.Attr("mode", "max").Run(),
               Tensor::Of<float>({2, 1, 2, 2}, {2.5f, 3.28125f, 7, 7.65625f, 15, 0, 0, 0}));
}

TEST(RoiAlign, Version10HasNoHalfPixel) {
  const auto run = [](OpTest test) {
    test.Attr("output_width", 2).Attr("sampling_ratio", 1).Attr("spatial_scale", 0.5f);
    return test.Run();
  };
  const Tensor rois = Tensor::Of<float>({2, 4}, {0, 0, 3, 3, 2, 2, 9, 9});
  const Tensor y = Tensor::Of<float>({2, 1, 1, 2}, {3.375f, 4.125f, 12.875f, 14});
  ExpectTensor(run(Align(10, rois)), y);
  ExpectTensor(run(Align(22, rois).Attr("coordinate_transformation_mode", "output_half_pixel")), y);
}

TEST(RoiAlign, RefusesMadRegions) {
  ExpectError(Align(16, Tensor::Of<float>({1, 4}, {0, 0, 1e30f, 1})).Run().status(), kInvalid,
              "samples for each of 1 bins");
  ExpectError(Align(16, Tensor::Of<float>({1, 4}, {0, 0, NAN, 1})).Run().status(), kInvalid,
              "samples for each of 1 bins");
  ExpectTensor(
      Align(16, Tensor::Of<float>({1, 4}, {NAN, 0, NAN, 1})).Attr("sampling_ratio", 1).Run(),
      Tensor::Of<float>({1, 1, 1, 1}, {0}));
  ExpectError(Align(16, Tensor::Of<float>({1, 3}, {0, 0, 1})).Run().status(), kInvalid,
              "rois be n x 4");
  ExpectError(OpTest("RoiAlign", 22)
                  .Input(Rising())
                  .Input(Tensor::Of<float>({1, 4}, {0, 0, 1, 1}))
                  .Input(Tensor::Of<int64_t>({1}, {-1}))
                  .Run()
                  .status(),
              kInvalid, "batch index -1 is out of range for a batch of 1");
  ExpectError(Align(16, Tensor::Of<float>({0, 4}, {})).Attr("mode", "min").Run().status(), kInvalid,
              "mode must be avg or max");
}

OpTest RoiPool(const Tensor& rois, Int64s shape) {
  OpTest test("MaxRoiPool", 22);
  test.Attr("pooled_shape", std::move(shape)).Input(Rising()).Input(rois);
  return test;
}

TEST(MaxRoiPool, MaximaOfBins) {
  const Tensor rois = Tensor::Of<float>({3, 5}, {0, 0, 0, 3, 3, 0, 1, 2, 9, 9, 0, 8, 8, 9, 9});
  ExpectTensor(RoiPool(rois, {2, 2}).Run(),
               Tensor::Of<float>({3, 1, 2, 2}, {5, 7, 13, 15, 15, 0, 0, 0, 0, 0, 0, 0}));
  ExpectTensor(RoiPool(rois, {1, 2}).Attr("spatial_scale", 0.5f).Run(),
               Tensor::Of<float>({3, 1, 1, 2}, {9, 10, 15, 15, 0, 0}));
  ExpectError(RoiPool(Tensor::Of<float>({1, 5}, {1, 0, 0, 1, 1}), {1, 1}).Run().status(), kInvalid,
              "batch index 1 is out of range");
  ExpectError(RoiPool(Tensor::Of<float>({1, 5}, {0, NAN, 0, 1, 1}), {1, 1}).Run().status(),
              kInvalid, "a region from nan to 1");
  ExpectError(RoiPool(rois, {1, 0}).Run().status(), kInvalid, "two positive numbers");
}

const Tensor Boxes() {
  return Tensor::Of<float>({1, 6, 4}, {0, 0,  1, 1,  0, .1f,   1, 1.1f,  1, 1,   0, 0,
                                       0, 10, 1, 11, 0, 10.1f, 1, 11.1f, 0, 100, 1, 101});
}

OpTest Suppress(const Tensor& boxes, const Tensor& scores, int64_t limit) {
  OpTest test("NonMaxSuppression", 11);
  test.Input(boxes).Input(scores).Input(Tensor::Scalar<int64_t>(limit));
  return test;
}

TEST(NonMaxSuppression, TakesTheBestThatDoNotOverlap) {
  const Tensor scores = Tensor::Of<float>({1, 1, 6}, {.9f, .75f, .6f, .95f, .5f, .3f});
  OpTest test = Suppress(Boxes(), scores, 3);
  test.Input(Tensor::Scalar<float>(.5f));
  ExpectTensor(test.Run(), Tensor::Of<int64_t>({3, 3}, {0, 0, 3, 0, 0, 0, 0, 0, 5}));
  test.Input(Tensor::Scalar<float>(.4f));
  ExpectTensor(test.Run(), Tensor::Of<int64_t>({2, 3}, {0, 0, 3, 0, 0, 0}));
  ExpectTensor(Suppress(Boxes(), scores, 0).Run(), Tensor::Of<int64_t>({0, 3}, {}));
  ExpectTensor(OpTest("NonMaxSuppression", 10).Input(Boxes()).Input(scores).Run(),
               Tensor::Of<int64_t>({0, 3}, {}));
}

// Equal scores keep the order of the boxes, NaN is worst; boxes without an area overlap nothing.
TEST(NonMaxSuppression, TiesNanAndEmptyBoxes) {
  const Tensor boxes =
      Tensor::Of<float>({1, 4, 4}, {0, 0, 1, 1, 2, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
  OpTest test = Suppress(boxes, Tensor::Of<float>({1, 1, 4}, {NAN, 1, 1, 1}), 9);
  test.Attr("center_point_box", 1);
  ExpectTensor(test.Run(), Tensor::Of<int64_t>({4, 3}, {0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 0}));
}

TEST(NonMaxSuppression, RefusesWhatDoesNotFit) {
  const Tensor scores = Tensor::Of<float>({1, 1, 2}, {1, 1});
  ExpectError(Suppress(Boxes(), scores, 1).Run().status(), kInvalid, "boxes must be batch x n x 4");
  ExpectError(Suppress(Boxes(), Tensor::Of<float>({1, 0, 6}, {}), 1)
                  .Input(Tensor::Scalar<float>(NAN))
                  .Run()
                  .status(),
              kInvalid, "iou_threshold nan is not in [0, 1]");
}

}  // namespace
}  // namespace onnxcmp::testing
