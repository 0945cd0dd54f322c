// Large values that are nearly the same on both sides are measured when the second of them appears.
#include "compare/sides/value_keeper.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "reports/render_json.h"
#include "tests/support/model_pair.h"

namespace onnxcmp::testing {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kElements = int64_t{1} << 15;  // 128 KiB
constexpr int64_t kBytes = kElements * 4;

// Some numbers, all `factor` times what they are otherwise.
Value Numbers(int seed, float factor = 1) {
  std::vector<float> numbers(static_cast<size_t>(kElements));
  uint32_t state = static_cast<uint32_t>(seed) * 2654435761U + 1;
  for (float& number : numbers) {
    state = state * 1664525U + 1013904223U;
    number = (static_cast<float>(state >> 8) / 8388608.0f - 1.0f) * factor;
  }
  return Tensor::Of<float>({kElements}, numbers);
}

class ValueKeeperTest : public ::testing::Test {
 protected:
  explicit ValueKeeperTest(ValueKeeper::Options options = InStep())
      : options_(std::move(options)) {}

  static ValueKeeper::Options InStep() {
    ValueKeeper::Options options;
    options.in_step = true;
    options.bytes_that_wait = 4 * kBytes;
    return options;
  }

  Hash128 See(SideId side, int number, const std::string& name, const Value& value) {
    StreamResult result;
    result.name = name;
    result.dtype = result.own_precision = DType::kFloat;
    result.shape = value.tensor().shape();
    result.fingerprint = FingerprintOf(value);
    keeper().See(side, number, result, value);
    return result.fingerprint.content;
  }

  ValueKeeper& keeper() {
    if (!keeper_.has_value()) {
      keeper_.emplace(PerSide<ValueBank*>{&banks_.left, &banks_.right}, &early_, options_);
    }
    return *keeper_;
  }

  static DifferenceOptions Expected() {
    DifferenceOptions options;
    options.tolerance.floats = DefaultTolerance(DType::kFloat);
    return options;
  }

  ValueKeeper::Options options_;
  PerSide<ValueBank> banks_ = {ValueBank(int64_t{1} << 30), ValueBank(int64_t{1} << 30)};
  EarlyDifferences early_;
  std::optional<ValueKeeper> keeper_;
};

TEST_F(ValueKeeperTest, MeasuresWhatIsNearlyTheSameAndLetsItGo) {
  const Value left = Numbers(1);
  const Value right = Numbers(1, 1.000001f);
  const Hash128 a = See(SideId::kLeft, 3, "left", left);
  EXPECT_NE(banks_.left.Find(3), nullptr);
  const Hash128 b = See(SideId::kRight, 5, "right", right);
  EXPECT_EQ(banks_.left.Find(3), nullptr);
  EXPECT_EQ(banks_.right.Find(5), nullptr);
  const TensorDifference* measured = early_.Find(a, b, Expected());
  ASSERT_NE(measured, nullptr);
  const TensorDifference expected = TensorDifferenceOf(left, right, Expected());
  EXPECT_EQ(measured->values.max_absolute, expected.values.max_absolute);
  EXPECT_EQ(measured->values.max_absolute_pair, expected.values.max_absolute_pair);
  EXPECT_EQ(measured->values.rms, expected.values.rms);
  EXPECT_TRUE(measured->values.agree());
  EXPECT_EQ(early_.Find(b, a, Expected()), nullptr);
}

TEST_F(ValueKeeperTest, TheLeftMayComeSecond) {
  const Hash128 b = See(SideId::kRight, 5, "right", Numbers(1, 1.000001f));
  const Hash128 a = See(SideId::kLeft, 3, "left", Numbers(1));
  EXPECT_NE(early_.Find(a, b, Expected()), nullptr);
}

TEST_F(ValueKeeperTest, AnotherToleranceIsMeasuredAnew) {
  const Hash128 a = See(SideId::kLeft, 3, "left", Numbers(1));
  const Hash128 b = See(SideId::kRight, 5, "right", Numbers(1, 1.000001f));
  DifferenceOptions other = Expected();
  other.tolerance.floats.rtol *= 2;
  EXPECT_EQ(early_.Find(a, b, other), nullptr);
  other = Expected();
  other.parts = true;
  EXPECT_EQ(early_.Find(a, b, other), nullptr);
}

TEST_F(ValueKeeperTest, KeepsWhatIsFarFromAllOthers) {
  const Hash128 a = See(SideId::kLeft, 3, "left", Numbers(1));
  const Hash128 b = See(SideId::kRight, 5, "left", Numbers(1, 1.01f));
  EXPECT_EQ(early_.Find(a, b, Expected()), nullptr);
  EXPECT_NE(banks_.left.Find(3), nullptr);
  EXPECT_NE(banks_.right.Find(5), nullptr);
}

TEST_F(ValueKeeperTest, PrefersThatOfTheSameName) {
  const Hash128 near = See(SideId::kLeft, 3, "other", Numbers(1));
  const Hash128 named = See(SideId::kLeft, 4, "y", Numbers(1, 1.00001f));
  const Hash128 b = See(SideId::kRight, 5, "y", Numbers(1, 1.000001f));
  EXPECT_EQ(early_.Find(near, b, Expected()), nullptr);
  EXPECT_NE(early_.Find(named, b, Expected()), nullptr);
  EXPECT_NE(banks_.left.Find(3), nullptr);
}

TEST_F(ValueKeeperTest, TheSameBitsNeedNoMeasuring) {
  See(SideId::kLeft, 3, "left", Numbers(1));
  See(SideId::kRight, 5, "right", Numbers(1));
  EXPECT_EQ(banks_.left.Find(3), nullptr);
  EXPECT_EQ(banks_.right.Find(5), nullptr);
}

TEST_F(ValueKeeperTest, TolerancesByNameAreLeftToThePairs) {
  options_.tolerance.by_name["right"] = Tolerance();
  const Hash128 a = See(SideId::kLeft, 3, "left", Numbers(1));
  const Hash128 b = See(SideId::kRight, 5, "right", Numbers(1, 1.000001f));
  EXPECT_EQ(early_.Find(a, b, Expected()), nullptr);
  EXPECT_NE(banks_.left.Find(3), nullptr);
}

// A side that ran alone before is wanted as a whole.
TEST_F(ValueKeeperTest, NothingGoesWhereSidesAreNotInStep) {
  options_.in_step = false;
  for (int i = 0; i < 20; ++i) See(SideId::kLeft, i, absl::StrCat("l", i), Numbers(i));
  for (int i = 0; i < 20; ++i) See(SideId::kRight, i, absl::StrCat("r", i), Numbers(i, 1.000001f));
  for (int i = 0; i < 20; ++i) {
    EXPECT_NE(banks_.left.Find(i), nullptr) << i;
    EXPECT_NE(banks_.right.Find(i), nullptr) << i;
  }
}

TEST_F(ValueKeeperTest, WhatWaitsInVainGoes) {
  for (int i = 0; i < 20; ++i) See(SideId::kLeft, i, absl::StrCat("l", i), Numbers(i));
  EXPECT_EQ(banks_.left.Find(15), nullptr);
  EXPECT_NE(banks_.left.Find(16), nullptr);
  EXPECT_EQ(banks_.left.bytes(), 4 * kBytes);
}

// A convolution is nearly what a normalization that does little makes of it.
TEST_F(ValueKeeperTest, WhatHasANameToComeWaitsForIt) {
  options_.to_come.left = {"conv", "bn"};
  options_.to_come.right = {"bn"};
  const Hash128 folded = See(SideId::kRight, 5, "bn", Numbers(1, 1.000001f));
  const Hash128 conv = See(SideId::kLeft, 3, "conv", Numbers(1));
  EXPECT_EQ(early_.Find(conv, folded, Expected()), nullptr);
  const Hash128 bn = See(SideId::kLeft, 4, "bn", Numbers(1, 1.00001f));
  EXPECT_NE(early_.Find(bn, folded, Expected()), nullptr);
  // Once the name has come, nobody waits for it any more.
  const Hash128 again = See(SideId::kRight, 6, "bn", Numbers(1, 1.000002f));
  EXPECT_NE(early_.Find(conv, again, Expected()), nullptr);
}

TEST_F(ValueKeeperTest, WhatHasANameToComeGoesLast) {
  options_.to_come.right = {"l0", "l2"};
  for (int i = 0; i < 20; ++i) See(SideId::kLeft, i, absl::StrCat("l", i), Numbers(i));
  for (const int kept : {0, 2, 18, 19}) EXPECT_NE(banks_.left.Find(kept), nullptr) << kept;
  EXPECT_EQ(banks_.left.bytes(), 4 * kBytes);
}

// However large it is: its like may come next.
TEST_F(ValueKeeperTest, TheLatestWaits) {
  options_.bytes_that_wait = 0;
  See(SideId::kLeft, 0, "first", Numbers(0));
  See(SideId::kLeft, 1, "second", Numbers(1));
  EXPECT_EQ(banks_.left.Find(0), nullptr);
  EXPECT_NE(banks_.left.Find(1), nullptr);
}

// What comes of what was near and is far itself will be looked into, with what it reads.
TEST_F(ValueKeeperTest, WhatLeadsToASuspectStays) {
  options_.bytes_that_stay = 3 * kBytes;
  const auto both = [&](int number, float factor) {
    See(SideId::kLeft, number, absl::StrCat("v", number), Numbers(number));
    See(SideId::kRight, number, absl::StrCat("v", number), Numbers(number, factor));
  };
  both(0, 1.0000003f);
  both(1, 1.0000003f);
  both(2, 1.0001f);
  for (int i = 3; i < 20; ++i) both(i, 1.0000003f);
  EXPECT_NE(banks_.left.Find(1), nullptr);
  EXPECT_NE(banks_.left.Find(2), nullptr);
  EXPECT_EQ(banks_.left.Find(5), nullptr);
  EXPECT_NE(banks_.left.Find(19), nullptr);
}

class AfterAFaultTest : public ValueKeeperTest {
 protected:
  AfterAFaultTest() : ValueKeeperTest(Searched()) {
    options_.search_banks = {&search_.left, &search_.right};
  }

  static ValueKeeper::Options Searched() {
    ValueKeeper::Options options = InStep();
    options.bytes_that_stay = 2 * kBytes;
    return options;
  }

  void SeeBoth(int number, float factor) {
    See(SideId::kLeft, number, absl::StrCat("v", number), Numbers(number));
    See(SideId::kRight, number, absl::StrCat("v", number), Numbers(number, factor));
  }
  bool IsSearched(SideId side, int number) const { return search_[side].Find(number) != nullptr; }

  PerSide<ValueBank> search_ = {ValueBank(int64_t{1} << 30), ValueBank(int64_t{1} << 30)};
};

constexpr float kNear = 1.0000003f;
constexpr float kFarFactor = 1.2f;

TEST_F(AfterAFaultTest, NothingIsKeptForASearchWhereAllIsNear) {
  for (int i = 0; i < 60; ++i) SeeBoth(i, kNear);
  EXPECT_EQ(search_.left.bytes(), 0);
  EXPECT_EQ(search_.right.bytes(), 0);
}

// What is nearly the same, but for more than rounding, is the first that is wrong.
TEST_F(AfterAFaultTest, APairThatIsFarApartBeginsIt) {
  for (int i = 0; i < 20; ++i) SeeBoth(i, kNear);
  const auto apart_at_one = [](int seed) {
    const Value plain = Numbers(seed);
    std::vector<float> numbers(plain.tensor().data<float>(),
                               plain.tensor().data<float>() + kElements);
    numbers[100] += 0.05f;
    return Value(Tensor::Of<float>({kElements}, numbers));
  };
  See(SideId::kLeft, 20, "v20", Numbers(20));
  See(SideId::kRight, 20, "v20", apart_at_one(20));
  for (int i = 21; i < 60; ++i) SeeBoth(i, kNear);
  EXPECT_FALSE(IsSearched(SideId::kLeft, 5));
  for (int i = 20; i < 60; ++i) {
    EXPECT_TRUE(IsSearched(SideId::kLeft, i)) << i;
    EXPECT_TRUE(IsSearched(SideId::kRight, i)) << i;
  }
}

TEST_F(AfterAFaultTest, ManyInARowThatAreFarFromTheirNamesakesBeginIt) {
  for (int i = 0; i < 20; ++i) SeeBoth(i, kNear);
  for (int i = 20; i < 60; ++i) SeeBoth(i, kFarFactor);
  EXPECT_FALSE(IsSearched(SideId::kLeft, 5));
  for (int i = 30; i < 60; ++i) {
    EXPECT_TRUE(IsSearched(SideId::kLeft, i)) << i;
    EXPECT_TRUE(IsSearched(SideId::kRight, i)) << i;
  }
  EXPECT_EQ(banks_.left.Find(59), nullptr);
}

// What began with the fault has met nothing like it yet.
TEST_F(AfterAFaultTest, WhatWaitsThenIsSearchedAsWell) {
  for (int i = 0; i < 20; ++i) SeeBoth(i, kNear);
  for (int i = 20; i < 28; ++i) SeeBoth(i, kFarFactor);
  for (int i = 24; i < 28; ++i) {
    for (const SideId side : kBothSides) {
      EXPECT_TRUE(IsSearched(side, i)) << i;
      EXPECT_EQ(banks_[side].Find(i), nullptr) << i;
    }
  }
}

// Fused nodes make some that have no like.
TEST_F(AfterAFaultTest, AFewThatHaveNoLikeDoNot) {
  for (int i = 0; i < 60; ++i) SeeBoth(i, i % 4 == 0 ? kNear : kFarFactor);
  EXPECT_EQ(search_.left.bytes(), 0);
  EXPECT_EQ(search_.right.bytes(), 0);
}

// The search asks for all of the left's, and for what the right has of its own.
TEST_F(AfterAFaultTest, WhatBothHaveStaysOnTheLeft) {
  for (int i = 0; i < 20; ++i) SeeBoth(i, kFarFactor);
  SeeBoth(20, 1);
  See(SideId::kRight, 21, "right first", Numbers(21));
  See(SideId::kLeft, 21, "left second", Numbers(21));
  for (const int same : {20, 21}) {
    EXPECT_TRUE(IsSearched(SideId::kLeft, same)) << same;
    EXPECT_FALSE(IsSearched(SideId::kRight, same)) << same;
  }
}

TEST_F(AfterAFaultTest, WhatDoesNotFitGoesAsBefore) {
  search_ = {ValueBank(3 * kBytes), ValueBank(3 * kBytes)};
  for (int i = 0; i < 60; ++i) SeeBoth(i, kFarFactor);
  EXPECT_EQ(search_.left.bytes(), 3 * kBytes);
  EXPECT_EQ(banks_.left.bytes(), (4 + 2) * kBytes);
}

// A search that would need more than it may have will not be.
TEST_F(AfterAFaultTest, NothingStaysForMoreThanASearchMayHold) {
  options_.search_memory = 40 * kBytes;
  for (int i = 0; i < 40; ++i) SeeBoth(i, kFarFactor);
  EXPECT_GT(search_.left.bytes(), 0);
  for (int i = 40; i < 60; ++i) SeeBoth(i, kFarFactor);
  for (const SideId side : kBothSides) {
    EXPECT_EQ(search_[side].bytes(), 0);
    EXPECT_EQ(banks_[side].bytes(), (4 + 2) * kBytes);
  }
}

constexpr char kExact[] = R"((float[96,256] x, float[256] w) => (float[96,256] y) {
  a = Mul(x, w)
  b = Tanh(a)
  c = Add(b, w)
  d = Transpose<perm = [1, 0]>(c)
  e = Softmax<axis = 0>(d)
  f = Sqrt(e)
  g = Transpose<perm = [1, 0]>(f)
  y = Mul(g, w)
})";

constexpr int64_t kAllResults = int64_t{10} * 96 * 256 * 4;

// As JSON, on one thread.
std::string Report(absl::string_view left, absl::string_view right, int64_t keep_values,
                   bool share) {
  std::vector<float> x(96 * 256);
  std::vector<float> w(256);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 1013) / 500.0f - 1.0f;
  for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 17) / 16.0f + 0.1f;
  CompareOptions options;
  options.threads = 1;
  options.keep_values = keep_values;
  options.share = share;
  options.shadow = true;
  options.quantization = true;
  const Feeds feeds = {{"x", Tensor::Of<float>({96, 256}, x)}, {"w", Tensor::Of<float>({256}, w)}};
  const absl::StatusOr<Comparison> comparison = CompareGraphs(left, right, feeds, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? RenderJson(*comparison) : "";
}

// What was kept, and when something was measured, shows nowhere.
TEST(ValueKeeper, ReportsDoNotDependOnWhatIsKept) {
  const std::string exact = kExact;
  const std::vector<std::string> rights = {
      absl::StrReplaceAll(exact, {{"Add(b, w)", "Add(w, b)"},
                                  {"a = Mul(x, w)", "u = Neg(w)\n  v = Mul(x, u)\n  a = Neg(v)"}}),
      absl::StrReplaceAll(exact, {{"f = Sqrt(e)",
                                   "u = Log(e)\n  h = Constant<value = float {0.5}>()\n"
                                   "  v = Mul(u, h)\n  f = Exp(v)"}}),
      absl::StrReplaceAll(exact, {{"b = Tanh(a)", "b = Erf(a)"}})};
  for (const std::string& right : rights) {
    ASSERT_NE(right, exact);
    const std::string expected = Report(exact, right, int64_t{1} << 29, false);
    for (const int64_t keep : {int64_t{0}, kBytes, 2 * kAllResults, int64_t{1} << 28}) {
      EXPECT_EQ(Report(exact, right, keep, true) == expected, true) << right << keep;
      EXPECT_EQ(Report(exact, right, keep, false) == expected, true) << right << keep;
    }
  }
}

// What integers stand for takes scales, which may be kept nowhere, or for the search alone.
TEST(ValueKeeper, WhatIntegersStandForDoesNotDependOnWhatIsKept) {
  const std::string left = R"((float[96, 256] x, float[256] w) => (float[96, 256] y) {
    a = Mul(x, w)
    b = Tanh(a)
    h = Constant<value = float {0.3}>()
    c = Add(b, h)
    q, s, z = DynamicQuantizeLinear(c)
    y = DequantizeLinear(q, s, z)
  })";
  const std::string right = absl::StrReplaceAll(left, {{"Tanh", "Erf"}});
  const std::string expected = Report(left, right, int64_t{1} << 29, false);
  EXPECT_THAT(expected, HasSubstr("Tanh | Erf"));
  EXPECT_EQ(Report(left, right, int64_t{1} << 28, true) == expected, true);
  EXPECT_EQ(Report(left, right, kAllResults / 2, false) == expected, true);
  EXPECT_EQ(Report(left, right, kBytes, true) == expected, true);
  EXPECT_EQ(Report(left, right, 0, false) == expected, true);
}

}  // namespace
}  // namespace onnxcmp::testing
