// Models of 8 bits beside float on made-up inputs: honest ones and faults.
#include "compare/input_sets/calibration_fit.h"

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/input_sets/set_case.h"
#include "tests/compare/input_sets/on_sets.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::OnSets;
using ::testing::Contains;
using ::testing::HasSubstr;

// A layer of small weights that are all multiples of 1/64, so that int8 has them as they are.
std::vector<int> Weights(int count, int seed) {
  std::vector<int> weights;
  for (int i = 0; i < count; ++i) {
    seed = (seed * 1103 + 12345) % 65536;
    weights.push_back(seed % 41 - 20);
  }
  return weights;
}

std::string Floats(const std::vector<int>& weights) {
  std::vector<double> numbers;
  for (const int weight : weights) numbers.push_back(weight / 64.0);
  return absl::StrJoin(numbers, ", ");
}

// Two products, calibrated with numbers of deviation `size`; `inner` multiplies the scale between.
std::string Quantized(double size, double inner) {
  const double step = 6 * size / 255;
  const double between = inner * 2.4 * size / 255;
  const double last = 2.2 * size / 255;
  return absl::StrCat(
      "(float[n,16] x) => (float[n,16] y) <int8[16,16] w = {", absl::StrJoin(Weights(256, 1), ", "),
      "}, int8[16,16] v = {", absl::StrJoin(Weights(256, 7), ", "),
      "}, float k = {0.015625}, int8 o = {0}, uint8 z = {128}, uint8 zero = {0}, float s = {", step,
      "}, float b = {", between, "}, float l = {", last,
      "}> { q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) f = DequantizeLinear(w, k, o)"
      " m = MatMul(d, f) r = Relu(m) e = QuantizeLinear(r, b, zero) g = DequantizeLinear(e, b, "
      "zero)"
      " h = DequantizeLinear(v, k, o) p = MatMul(g, h) u = QuantizeLinear(p, l, z)"
      " y = DequantizeLinear(u, l, z) }");
}

std::string Float() {
  return absl::StrCat("(float[n,16] x) => (float[n,16] y) <float[16,16] w = {",
                      Floats(Weights(256, 1)), "}, float[16,16] v = {", Floats(Weights(256, 7)),
                      "}> { m = MatMul(x, w) r = Relu(m) y = MatMul(r, v) }");
}

TEST(CalibrationFitTest, HonestScalesAreFedWhatTheyWereMadeFor) {
  for (const double size : {0.02, 0.3, 1.0, 4.0}) {
    const Comparison comparison = OnSets(Float(), Quantized(size, 1));
    EXPECT_LE(comparison.verdict(), Verdict::kClose) << size;
    EXPECT_THAT(comparison.notes, Contains(HasSubstr("made up for scales that were calibrated")));
  }
}

TEST(CalibrationFitTest, AScaleThatIsTooSmallByItselfShows) {
  for (const double size : {0.02, 0.3, 1.0}) {
    EXPECT_EQ(OnSets(Float(), Quantized(size, 0.25)).verdict(), Verdict::kDifferent) << size;
  }
}

TEST(CalibrationFitTest, AnInfiniteScaleIsTheCause) {
  const Comparison comparison =
      OnSets(Float(), Quantized(1, std::numeric_limits<double>::infinity()));
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
  ASSERT_FALSE(comparison.causes.empty());
  EXPECT_THAT(comparison.causes[0].text, HasSubstr("scale b is infinite"));
}

// The sizes that fit, if numbers are so many times larger than their scales as `grown` says of the
// factor of the inputs.
double SizeFor(const std::function<double(double)>& grown) {
  const auto fit_for = [&](double factor) {
    const double reach = 1.4 * grown(factor);
    return CalibrationFit{5, reach, reach, reach};
  };
  SetCase one;
  CalibrationFit fit = fit_for(1);
  const absl::Status status = FitCase(
      [&](const SetCase& other) -> absl::StatusOr<std::optional<CalibrationFit>> {
        return fit_for(other.sizes.shrink);
      },
      /*longer=*/false, &one, &fit);
  EXPECT_TRUE(status.ok()) << status;
  return one.sizes.shrink;
}

TEST(CalibrationFitTest, OnlyNumbersThatShrinkMakeInputsSmaller) {
  EXPECT_NEAR(SizeFor([](double factor) { return factor; }), 0.97 / 1.4, 1e-9);
  EXPECT_LT(SizeFor([](double factor) { return std::sqrt(factor); }), 0.6);
  EXPECT_EQ(SizeFor([](double) { return 1; }), 1);
  EXPECT_EQ(SizeFor([](double factor) { return 1 / factor; }), 1);
}

TEST(CalibrationFitTest, OneScaleDoesNotMakeInputsSmaller) {
  const CalibrationFit fit = {5, 0.9, 1.0, 2.5};
  EXPECT_NEAR(fit.Factor(), 0.97, 1e-9);
  const CalibrationFit all = {5, 1.4, 1.5, 1.6};
  EXPECT_NEAR(all.Factor(), 0.97 / 1.6, 1e-9);
  EXPECT_TRUE(fit.Fits());
  EXPECT_FALSE(all.Fits());
  EXPECT_LT(fit.spread(), (CalibrationFit{5, 0.5, 1.0, 1.0}).spread());
}

}  // namespace
}  // namespace onnxcmp
