#include "prove/score_masks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "prove/field/prime_field.h"
#include "prove/field/residues.h"
#include "prove/prove.h"
#include "record/base/per_side.h"
#include "record/streams/fingerprint.h"
#include "tests/prove/proof_of_pair.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using testing::ExpectProofs;
using testing::ProofCase;
using testing::ProofOfBodies;

TEST(ScoreMasks, LanesThatAreMaskedWholeStay) {
  const Residues scores = {{2, 2}, {5, 6, 7, 8}};
  const Residues masked = {{2, 2}, {0, 1, 1, 1}};
  const auto without = [&](const std::vector<float>& softmax) {
    return WithoutMasked(PrimeField(1), scores, masked, {1}, Tensor::Of<float>({2, 2}, softmax));
  };
  const std::optional<Residues> left = without({1, 0, 0.4F, 0.6F});
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(left->values, (ResidueArray{5, kMinusInfinity, 7, 8}));
  EXPECT_FALSE(without({0.9F, 0.1F, 0.4F, 0.6F}).has_value()) << "it hides nothing";
}

TEST(ScoreMasks, ScoresAreHiddenBeforeASumOrAfterIt) {
  const std::string begin =
      "zero = Constant<value_float = 0.0>() none = Constant<value_float = -inf>() "
      "h = Constant<value_float = 100.0>() k = Constant<value_float = 50.0>() "
      "last = Constant<value_ints = [-1]>() c = Less(x, h) d = Less(x, k) ";
  const std::string chosen = begin + "z = Where(c, x, none) y = Softmax(z)";
  const std::string added = begin + "w = Where(c, zero, none) z = Add(x, w) ";
  const std::string moved = begin + "w = Where(c, x, none) v = Transpose(w) ";
  const ProofCase cases[] = {
      {chosen, added + "y = Softmax(z)",
       begin + "w = Where(d, zero, none) z = Add(w, x) "
               "y = Softmax(z)"},
      {chosen, begin + "n = Not(c) z = Where(n, none, x) y = Softmax(z)",
       begin + "n = Not(c) z = Where(n, none, k) y = Softmax(z)"},
      {chosen,
       added + "m = ReduceMax(z, last) f = Sub(z, m) e = Exp(f) s = ReduceSum(e, last) "
               "y = Div(e, s)",
       added + "m = ReduceMax(z, last) f = Sub(z, m) e = Exp(f) g = Exp(x) "
               "s = ReduceSum(g, last) y = Div(e, s)"},
      {chosen, begin + "w = Where(c, x, none) z = Where(c, w, none) y = Softmax(z)",
       begin + "w = Where(c, x, none) z = Where(d, w, none) y = Softmax(z)"},
      {chosen, moved + "s = Softmax<axis = 0>(v) y = Transpose(s)",
       moved + "s = Softmax<axis = 1>(v) y = Transpose(s)"},
      // A number that is put in their place is hidden by nothing.
      {begin + "w = Where(c, x, none) e = Exp(w) y = Trilu(e)",
       begin + "e = Exp(x) f = Trilu(e) y = Where(c, f, zero)",
       begin + "w = Where(c, x, none) t = Trilu(w) y = Exp(t)"},
  };
  ExpectProofs(cases);
}

TEST(ScoreMasks, AMaskMayMultiplyPowers) {
  const std::string hidden =
      "c = Constant<value = bool[4] {0, 1, 0, 1}>() n = Constant<value_float = -inf>() "
      "z = Where(c, x, n) y = Softmax(z)";
  const auto times = [](const std::string& mask, const std::string& summed) {
    return "f = Constant<value_floats = [" + mask +
           "]>() last = Constant<value_ints = [-1]>() m = ReduceMax(x, last) d = Sub(x, m) "
           "e = Exp(d) g = Mul(e, f) s = ReduceSum(" +
           summed + ", last) y = Div(g, s)";
  };
  const ProofCase cases[] = {
      {hidden, times("0.0, 1.0, 0.0, 1.0", "g"), times("0.0, 1.0, 0.0, 1.0", "e")},
      {hidden, times("0.0, 3.0, 0.0, 3.0", "g"), times("0.0, 1.0, 0.0, 0.5", "g")},
      {hidden, times("0.0, 1.0, 0.0, 1.0", "g"), times("0.0, 1.0, 1.0, 1.0", "g")},
  };
  ExpectProofs(cases);
}

TEST(ScoreMasks, LargeNumbersAreAlikeInASoftmaxAlone) {
  const auto added = [](const char* number) {
    return std::string("m = Constant<value_floats = [0.0, 0.0, ") + number +
           ", 0.0]>() z = Add(x, m) ";
  };
  const std::string where =
      "c = Constant<value = bool[4] {1, 1, 0, 1}>() n = Constant<value_float = -3.4e38>() "
      "z = Where(c, x, n) ";
  const ProofCase cases[] = {
      {added("-10000.0") + "y = Softmax(z)", added("-1e9") + "y = Softmax(z)",
       added("-9999.5") + "y = Softmax(z)"},
      {where + "y = Softmax(z)", added("-10000.0") + "y = Softmax(z)",
       "m = Constant<value_floats = [0.0, -10000.0, 0.0, 0.0]>() z = Add(x, m) y = Softmax(z)"},
  };
  ExpectProofs(cases);
  EXPECT_FALSE(
      ProofOfBodies(added("-10000.0") + "y = Identity(z)", added("-20000.0") + "y = Identity(z)")
          .proved);
  EXPECT_FALSE(
      ProofOfBodies(added("-10000.0") + "y = Exp(z)", added("-20000.0") + "y = Exp(z)").proved);
}

TEST(ScoreMasks, WhatIsGivenBackIsNotHidden) {
  const std::string masks =
      "m = Constant<value_floats = [0.0, 0.0, -10000.0, 0.0]>() "
      "d = Constant<value_floats = [0.0, 0.0, 10000.0, 0.0]>() ";
  const std::string others = absl::StrReplaceAll(masks, {{"10000.0", "20000.0"}});
  const auto rests_on_masks = [&](const std::string& body) {
    // One mask on both sides needs no word.
    EXPECT_FALSE(ProofOfBodies(masks + body, masks + body).masks);
    return ProofOfBodies(masks + body, others + body).masks;
  };
  EXPECT_TRUE(rests_on_masks("s = Add(x, m) y = Softmax(s)"));
  EXPECT_TRUE(
      ProofOfBodies(masks + "s = Add(x, m) y = Softmax(s)", others + "s = Add(x, m) y = Softmax(s)")
          .proved);
  EXPECT_FALSE(rests_on_masks("s = Add(x, m) t = Add(s, d) y = Softmax(t)"));
  EXPECT_FALSE(rests_on_masks("s = Add(x, d) t = Add(s, m) y = Softmax(t)"));
  EXPECT_FALSE(rests_on_masks("s = Add(x, m) y = LogSoftmax(s)"));
}

// Of two bodies on x and on a mask of ones.
bool IsProvedWithMask(const std::string& left, const std::string& right) {
  PerSide<std::unique_ptr<ModelSide>> made;
  for (const SideId id : kBothSides) {
    made[id] = testing::SideFedWith(testing::GivenX(),
                                    "g (float[2,4] x, int64[2,4] mask) => (float[2,4] y) { " +
                                        (id == SideId::kLeft ? left : right) + " }");
    if (made[id] == nullptr) return false;
    Feeds feeds = *made[id]->feeds();
    feeds["mask"] = Tensor::Of<int64_t>({2, 4}, std::vector<int64_t>(8, 1));
    made[id]->SetFeeds(std::move(feeds));
  }
  const absl::StatusOr<Comparison> comparison = Compare(*made.left, *made.right);
  EXPECT_TRUE(comparison.ok());
  const ThreadPool pool(1);
  const ProofReport report =
      ProveEqual({made.left.get(), made.right.get()}, *comparison, {.seed = 0, .pool = &pool});
  EXPECT_TRUE(!report.proved || report.given == std::vector<std::string>{"mask"});
  return report.proved;
}

TEST(ScoreMasks, AMaskOfOnesIsNoProofThatItIsRead) {
  const std::string product = "f = Cast<to = 1>(mask) y = Mul(x, f)";
  // Ones and zeros are their own squares, other numbers are not.
  EXPECT_TRUE(IsProvedWithMask("f = Cast<to = 1>(mask) g = Mul(f, f) y = Mul(x, g)", product));
  EXPECT_FALSE(IsProvedWithMask("y = Identity(x)", product));
  EXPECT_FALSE(
      IsProvedWithMask("l = Constant<value_ints = [-1]>() r = ReduceMax(mask, l) "
                       "f = Cast<to = 1>(r) y = Mul(x, f)",
                       product));
}

TEST(ScoreMasks, FormsHaveZerosAtEndsAndBetween) {
  const Value mask = Tensor::Of<int32_t>({3, 4}, {1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1});
  const auto numbers_of = [&](MaskForm form) {
    const Tensor made = MaskInForm(mask, form).tensor();
    const absl::Span<const int32_t> numbers = made.AsSpan<int32_t>();
    return std::vector<int32_t>(numbers.begin(), numbers.end());
  };
  EXPECT_EQ(numbers_of(MaskForm::kHalf),
            (std::vector<int32_t>{1, 1, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0}));
  EXPECT_EQ(numbers_of(MaskForm::kFirstAlone),
            (std::vector<int32_t>{1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(numbers_of(MaskForm::kLeft),
            (std::vector<int32_t>{0, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1}));
  EXPECT_EQ(numbers_of(MaskForm::kHoles),
            (std::vector<int32_t>{1, 0, 1, 1, 0, 1, 1, 0, 1, 1, 0, 1}));
  const Value one = Tensor::Of<bool>({2, 1}, {true, true});
  EXPECT_EQ(ContentOf(MaskInForm(one, MaskForm::kHalf)), ContentOf(one));
}

}  // namespace
}  // namespace onnxcmp
