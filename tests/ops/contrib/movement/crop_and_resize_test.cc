#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Crop(const Tensor& x, std::vector<float> rois, std::vector<int32_t> images,
            std::vector<int32_t> size) {
  OpTest test("CropAndResize", 1, "com.microsoft");
  const auto count = static_cast<int64_t>(images.size());
  test.Input(x).Input(Convert(Tensor::Of<float>({count, 4}, rois), x.dtype()));
  test.Input(Tensor::Of<int32_t>({count}, images));
  test.Input(Tensor::Of<int32_t>({static_cast<int64_t>(size.size())}, size));
  return test;
}

// Values: onnxruntime 1.31.
TEST(ContribCropAndResizeTest, BilinearAndOutside) {
  const Tensor x = Iota({1, 1, 3, 4});
  const std::vector<float> rois = {0, 0, 1, 1, 0.25f, 0.5f, 0.25f, 1.5f};
  const Tensor want =
      Tensor::Of<float>({2, 1, 2, 3}, {0, 1.5f, 3, 8, 9.5f, 11, 3.5f, 5, -1, 3.5f, 5, -1});
  ExpectTensor(Crop(x, rois, {0, 0}, {2, 3}).Attr("extrapolation_value", -1.0f).Run(), want);
  ExpectTensor(Crop(Convert(x, DType::kDouble), rois, {0, 0}, {2, 3})
                   .Attr("extrapolation_value", -1.0f)
                   .Run(),
               Convert(want, DType::kDouble));
}

// Values: onnxruntime 1.31.
TEST(ContribCropAndResizeTest, NearestRoundsHalvesUp) {
  ExpectTensor(
      Crop(Iota({1, 1, 3, 4}), {0.25f, 0, 0.75f, 0.5f}, {0}, {2, 2}).Attr("mode", "nearest").Run(),
      Tensor::Of<float>({1, 1, 2, 2}, {4, 6, 8, 10}));
}

TEST(ContribCropAndResizeTest, OneSampleIsTheMiddleOfTheBox) {
  ExpectTensor(Crop(Iota({2, 2, 2, 3}), {0, 0, 1, 1}, {1}, {1, 1}).Run(),
               Tensor::Of<float>({1, 2, 1, 1}, {14.5f, 20.5f}));
}

TEST(ContribCropAndResizeTest, NaNAndEmptyImages) {
  ExpectTensor(Crop(Iota({1, 1, 2, 2}), {0, 0, kNaN, kInf}, {0}, {1, 1}).Run(),
               Tensor::Of<float>({1, 1, 1, 1}, {0}));
  ExpectTensor(Crop(Iota({1, 1, 0, 2}), {0, 0, 1, 1}, {0}, {1, 1}).Run(),
               Tensor::Of<float>({1, 1, 1, 1}, {0}));
  ExpectTensor(Crop(Iota({1, 1, 2, 2}), {}, {}, {2, 2}).Run(), Iota({0, 1, 2, 2}));
}

TEST(ContribCropAndResizeTest, WrongInputs) {
  const Tensor x = Iota({1, 1, 2, 2});
  ExpectError(Crop(x, {0, 0, 1, 1}, {1}, {2, 2}).Run().status(), kInvalid, "batch index 1");
  ExpectError(Crop(x, {0, 0, 1, 1}, {-1}, {2, 2}).Run().status(), kInvalid, "batch index -1");
  ExpectError(Crop(x, {0, 0, 1, 1}, {0}, {0, 2}).Run().status(), kInvalid, "crop_size");
  ExpectError(Crop(Iota({4}), {0, 0, 1, 1}, {0}, {1, 2}).Run().status(), kInvalid, "N x C x H x W");
  ExpectError(Crop(x, {0, 0, 1, 1}, {0}, {1, 2}).Attr("mode", "cubic").Run().status(), kInvalid,
              "mode");
}

}  // namespace
}  // namespace onnxcmp::testing
