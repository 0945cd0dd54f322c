#include "tests/support/mismatch.h"

#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

Tensor Floats(const std::vector<float>& values) {
  return Tensor::Of<float>({static_cast<int64_t>(values.size())}, values);
}

TEST(MismatchTest, SpecialValues) {
  EXPECT_EQ(Mismatch(Floats({kNan, kInf, -kInf, 0}), Floats({kNan, kInf, -kInf, -0.0f}), {}),
            std::nullopt);
  const Tolerance loose = {.rtol = 1e-3, .atol = 1e-3};
  // An infinity or NaN is near nothing but itself.
  for (const auto& [got, want] : std::vector<std::pair<float, float>>{
           {kInf, -kInf}, {1, kInf}, {kInf, 1}, {kNan, 1}, {1, kNan}, {kNan, kInf}}) {
    EXPECT_NE(Mismatch(Floats({got}), Floats({want}), loose), std::nullopt) << got << " " << want;
  }
  EXPECT_THAT(Mismatch(Floats({kNan, 1}), Floats({1, 1}), loose),
              Optional(HasSubstr("1 of 2 elements differ (rtol 0.001, atol 0.001); NaN: 1 got, 0 "
                                 "wanted")));
}

TEST(MismatchTest, Tolerance) {
  EXPECT_EQ(Mismatch(Floats({1.25f}), Floats({1}), {.atol = 0.25}), std::nullopt);
  EXPECT_NE(Mismatch(Floats({1.3f}), Floats({1}), {.atol = 0.25}), std::nullopt);
  EXPECT_EQ(Mismatch(Floats({-10.5f}), Floats({-10}), {.rtol = 0.05}), std::nullopt);
  EXPECT_NE(Mismatch(Floats({std::nextafter(1.0f, 2.0f)}), Floats({1}), {}), std::nullopt);
}

TEST(MismatchTest, Bits) {
  EXPECT_THAT(
      Mismatch(Floats({0}), Floats({-0.0f}), {.same_bits = true}),
      Optional(AllOf(HasSubstr("bit for bit"), HasSubstr("(0x0)"), HasSubstr("(0x80000000)"))));
  EXPECT_EQ(Mismatch(Floats({kNan, -0.0f}), Floats({kNan, -0.0f}), {.same_bits = true}),
            std::nullopt);
}

TEST(MismatchTest, ShowsTheFiveWorstWithTheirIndices) {
  const Tensor got = Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor want = Tensor::Of<float>({2, 3}, {1.5f, 2.25f, 2, 6, 9, 14});
  const std::optional<std::string> report = Mismatch(got, want, {});
  ASSERT_TRUE(report.has_value());
  EXPECT_THAT(*report, HasSubstr("float[2,3]: 6 of 6 elements differ"));
  EXPECT_THAT(*report, HasSubstr("largest: abs 8"));
  // The worst first, and none for the least, [0,1].
  EXPECT_LT(report->find("[1,2] got 6, want 14"), report->find("[1,1] got 5, want 9"));
  EXPECT_LT(report->find("[1,0] got 4, want 6"), report->find("[0,2] got 3, want 2"));
  EXPECT_NE(report->find("[0,0]"), std::string::npos);
  EXPECT_EQ(report->find("[0,1]"), std::string::npos);
}

TEST(MismatchTest, UnitsOfTheLastPlace) {
  EXPECT_THAT(Mismatch(Floats({std::nextafter(1.0f, 2.0f)}), Floats({1}), {}),
              Optional(HasSubstr("ulp 1")));
  const float tiny = std::numeric_limits<float>::denorm_min();
  EXPECT_THAT(Mismatch(Floats({tiny}), Floats({-tiny}), {}), Optional(HasSubstr("ulp 2")));
  EXPECT_THAT(Mismatch(Convert(Floats({1.0078125f}), DType::kBfloat16),
                       Convert(Floats({1}), DType::kBfloat16), {}),
              Optional(HasSubstr("ulp 1")));
}

TEST(MismatchTest, IntegersAreNotRounded) {
  const int64_t big = (int64_t{1} << 53) + 1;
  const auto scalar = [](int64_t x) { return Tensor::Scalar<int64_t>(x); };
  EXPECT_EQ(Mismatch(scalar(big), scalar(big), {}), std::nullopt);
  EXPECT_THAT(Mismatch(scalar(big), scalar(big - 1), {}), Optional(HasSubstr("abs 1")));
  // The distance of the extremes overflows int64.
  EXPECT_THAT(Mismatch(scalar(std::numeric_limits<int64_t>::min()),
                       scalar(std::numeric_limits<int64_t>::max()), {}),
              Optional(HasSubstr("abs 1.845e+19")));
}

TEST(MismatchTest, PackedElements) {
  const Tensor want = Convert(Floats({-8, 7, 3}), DType::kInt4);
  EXPECT_EQ(Mismatch(Convert(Floats({-8, 7, 3}), DType::kInt4), want, {.same_bits = true}),
            std::nullopt);
  EXPECT_THAT(Mismatch(Convert(Floats({-8, 7, 2}), DType::kInt4), want, {}),
              Optional(HasSubstr("[2] got 2, want 3")));
}

TEST(MismatchTest, OtherElements) {
  const auto complex = [](std::complex<float> x) { return Tensor::Scalar(x); };
  EXPECT_EQ(Mismatch(complex({1, kNan}), complex({1, kNan}), {}), std::nullopt);
  EXPECT_NE(Mismatch(complex({1, 2}), complex({1, -2}), {}), std::nullopt);
  EXPECT_NE(Mismatch(Tensor::Scalar(true), Tensor::Scalar(false), {.atol = 1}), std::nullopt);
  EXPECT_THAT(Mismatch(Tensor::Scalar<std::string>("a\n"), Tensor::Scalar<std::string>("b"), {}),
              Optional(HasSubstr(R"([] got "a\n", want "b")")));
}

TEST(MismatchTest, TypesAndShapes) {
  EXPECT_THAT(Mismatch(Tensor::Scalar(1.0), Tensor::Scalar(1.0f), {}),
              Optional(HasSubstr("got double[], want float[]")));
  EXPECT_THAT(Mismatch(Floats({1}), Tensor::Scalar(1.0f), {}),
              Optional(HasSubstr("got float[1], want float[]")));
  EXPECT_NE(Mismatch(Tensor::Of<float>({0, 2}, {}), Tensor::Of<float>({2, 0}, {}), {}),
            std::nullopt);
}

TEST(MismatchTest, OtherValues) {
  const Sequence one = {DType::kFloat, {Floats({1})}};
  const Sequence two = {DType::kFloat, {Floats({1}), Floats({2})}};
  const Sequence other = {DType::kFloat, {Floats({1}), Floats({3})}};
  EXPECT_EQ(Mismatch(two, two, {}), std::nullopt);
  EXPECT_THAT(Mismatch(one, two, {}), Optional(HasSubstr("got 1 elements, want 2")));
  EXPECT_THAT(Mismatch(other, two, {}), Optional(HasSubstr("element 1: float[1]: 1 of 1")));
  EXPECT_NE(Mismatch(one, Floats({1}), {}), std::nullopt);

  const onnxcmp::Optional nothing;
  const onnxcmp::Optional something = {std::make_shared<const Value>(Floats({1})), DType::kFloat};
  EXPECT_EQ(Mismatch(nothing, nothing, {}), std::nullopt);
  EXPECT_EQ(Mismatch(something, something, {}), std::nullopt);
  EXPECT_NE(Mismatch(something, nothing, {}), std::nullopt);
  EXPECT_NE(Mismatch(Value(), nothing, {}), std::nullopt);  // absent is not an empty optional

  const auto values = std::make_shared<const Value>(Floats({1}));
  const Map map = {Tensor::Of<int64_t>({1}, {4}), values};
  EXPECT_EQ(Mismatch(map, map, {}), std::nullopt);
  EXPECT_THAT(Mismatch(map, Map{Tensor::Of<int64_t>({1}, {5}), values}, {}),
              Optional(HasSubstr("keys: ")));
}

// Views that tests give to kernels hold the same elements.
TEST(AsStridedViewTest, HoldsTheSameElements) {
  const Tensor floats = RandomFloats({3, 1, 4, 2}, 7);
  const Tensor view = AsStridedView(floats);
  EXPECT_FALSE(view.is_contiguous());
  ExpectSameBits(view, floats);
  ExpectSameBits(AsStridedView(Tensor::Scalar(3.0)), Tensor::Scalar(3.0));
  ExpectSameBits(AsStridedView(Tensor::Of<float>({2, 0}, {})), Tensor::Of<float>({2, 0}, {}));
  const Tensor strings = Tensor::Of<std::string>({2, 2}, {"a", "b", "c", "d"});
  ExpectTensor(AsStridedView(strings), strings);
}

}  // namespace
}  // namespace onnxcmp::testing
