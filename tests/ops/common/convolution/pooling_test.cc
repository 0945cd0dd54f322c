// The windows of pools, wherever they lie: through MaxPool and AveragePool, since no kernel shows
// more of them.
#include "ops/common/convolution/pooling.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// One spatial dimension of the tests' windows.
struct Slide {
  int64_t kernel;
  int64_t stride;
  int64_t dilation;
  int64_t pad;  // at both ends
  bool ceil_mode;
};

int64_t NumWindows(const Slide& slide, int64_t size) {
  const int64_t room = size + 2 * slide.pad - (slide.kernel - 1) * slide.dilation - 1;
  int64_t count = room / slide.stride + 1;
  if (slide.ceil_mode && room % slide.stride != 0 && count * slide.stride < size + slide.pad) {
    ++count;
  }
  return count;
}

OpTest Pool(const std::string& op, const Slide& slide, const Tensor& x) {
  OpTest test(op, 22);
  test.Attr("kernel_shape", Int64s{2, slide.kernel}).Attr("strides", Int64s{1, slide.stride});
  test.Attr("dilations", Int64s{1, slide.dilation})
      .Attr("pads", Int64s{0, slide.pad, 0, slide.pad});
  test.Attr("ceil_mode", slide.ceil_mode ? 1 : 0).Input(x);
  return test;
}

// The results that the text defines for window (row, o) of a plane of `width` columns: the mean,
// and the greatest element, NaN if there is one.
struct PoolsOfWindow {
  double mean;
  double greatest;
};
PoolsOfWindow ByDefinition(const float* plane, int64_t width, const Slide& slide, int64_t row,
                           int64_t o) {
  double sum = 0;
  double count = 0;
  double greatest = -std::numeric_limits<double>::infinity();
  for (int64_t r = row; r < row + 2; ++r) {
    for (int64_t t = 0; t < slide.kernel; ++t) {
      const int64_t i = o * slide.stride - slide.pad + t * slide.dilation;
      if (i < 0 || i >= width) continue;
      const double x = plane[r * width + i];
      sum += x;
      ++count;
      if (std::isnan(x) || x > greatest) greatest = x;  // nothing is greater than NaN
    }
  }
  return {sum / count, greatest};
}

const std::vector<Slide>& Slides() {
  static const auto* const slides = [] {
    auto* all = new std::vector<Slide>;
    for (int64_t kernel : {1, 2, 3, 5}) {
      for (int64_t stride : {1, 2, 3, 7}) {
        for (int64_t dilation : {1, 2}) {
          for (int64_t pad : {0, 1}) {
            if (pad < kernel) all->push_back({kernel, stride, dilation, pad, stride > 1});
          }
        }
      }
    }
    return all;
  }();
  return *slides;
}

// Multiples of 1/4, whose sums are exact.
Tensor Quarters(int64_t planes, int64_t rows, int64_t width) {
  std::vector<float> values(static_cast<size_t>(planes * rows * width));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int64_t>(i * 2654435761u % 255) - 127) / 4;
  }
  return Tensor::Of<float>({1, planes, rows, width}, values);
}

TEST(PoolingTest, EveryWidthAndSlide) {
  constexpr int64_t kRows = 7;
  for (const Slide& slide : Slides()) {
    for (int64_t width = (slide.kernel - 1) * slide.dilation + 1; width <= 70;
         width += width < 36 ? 1 : 11) {
      const Tensor x = Quarters(2, kRows, width);
      const int64_t windows = NumWindows(slide, width);
      for (DType dtype : {DType::kFloat, DType::kDouble}) {
        const auto mean = Pool("AveragePool", slide, Convert(x, dtype)).Run();
        const auto greatest = Pool("MaxPool", slide, Convert(x, dtype)).Run();
        ASSERT_TRUE(mean.ok() && greatest.ok()) << mean.status() << greatest.status();
        ASSERT_EQ(mean->dim(3), windows);
        const Tensor means = Convert(*mean, DType::kDouble);
        const Tensor maxima = Convert(*greatest, DType::kDouble);
        for (int64_t i = 0; i < means.num_elements(); ++i) {
          const int64_t row = i / windows % (kRows - 1);
          const int64_t plane = i / windows / (kRows - 1);
          const PoolsOfWindow expected =
              ByDefinition(x.data<float>() + plane * kRows * width, width, slide, row, i % windows);
          ASSERT_NEAR(means.data<double>()[i], expected.mean, 1e-5)
              << "kernel " << slide.kernel << " stride " << slide.stride << " width " << width;
          ASSERT_EQ(maxima.data<double>()[i], expected.greatest)
              << "kernel " << slide.kernel << " stride " << slide.stride << " width " << width;
        }
      }
    }
  }
}

// NaN, wherever it stands, is the greatest of its windows, and of no other.
TEST(PoolingTest, NaNStaysInItsWindows) {
  constexpr int64_t kRows = 6;
  for (const Slide& slide : Slides()) {
    for (int64_t width : {13, 21, 40}) {
      const int64_t windows = NumWindows(slide, width);
      for (int64_t at = 0; at < width; ++at) {
        Tensor x = Quarters(1, kRows, width);
        float* values = x.mutable_data<float>();
        values[at] = -kInf;
        values[2 * width + at] = kNaN;
        values[3 * width + (at + 5) % width] = kInf;
        const auto greatest = Pool("MaxPool", slide, x).Run();
        ASSERT_TRUE(greatest.ok());
        for (int64_t i = 0; i < greatest->num_elements(); ++i) {
          const double expected =
              ByDefinition(values, width, slide, i / windows, i % windows).greatest;
          const double result = greatest->data<float>()[i];
          ASSERT_TRUE(result == expected || (std::isnan(result) && std::isnan(expected)))
              << result << " for " << expected << ", NaN in column " << at << " of " << width;
        }
      }
    }
  }
}

// A window has the same bits alone and anywhere in a plane, with any number of threads.
TEST(PoolingTest, SameBitsWhereverAWindowLies) {
  constexpr int64_t kWidth = 45;
  const Tensor x = RandomFloats({1, 3, 9, kWidth}, 1);
  for (const char* op : {"AveragePool", "MaxPool", "LpPool"}) {
    for (int64_t stride : {1, 2, 3}) {
      const auto pool = [&](const Tensor& of) {
        OpTest test(op, 22);
        test.Attr("kernel_shape", Int64s{3, 3}).Attr("strides", Int64s{1, stride}).Input(of);
        return test;
      };
      const auto whole = pool(x).Threads(1).Run();
      ASSERT_TRUE(whole.ok());
      ExpectSameBits(pool(x).Threads(2).Run(), *whole);
      const int64_t windows = whole->dim(3);
      for (int64_t o = 0; o < windows; ++o) {
        const int64_t at = (kWidth * 9 * 2) + 4 * kWidth + o * stride;  // plane 2, row 4
        const Tensor window = x.Strided({1, 1, 3, 3}, {0, 0, kWidth, 1}, at);
        const int64_t result = (7 * 2 + 4) * windows + o;
        ExpectSameBits(pool(window).Run(), whole->Strided({1, 1, 1, 1}, {1, 1, 1, 1}, result));
      }
    }
  }
}

}  // namespace
}  // namespace onnxcmp::testing
