#include "prove/roundings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/outcome/proof_report.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "prove/field/prime_field.h"
#include "prove/field/residues.h"
#include "prove/field_value.h"
#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::ProofOfBodies;
using testing::ProofOfModels;

// y of type float, made of `@`.
const std::vector<std::string>& Jumps() {
  static const std::vector<std::string> kJumps = {
      "y = Floor(@)",
      "y = Ceil(@)",
      "y = Round(@)",
      "y = Sign(@)",
      "i = Cast<to = 6>(@) y = Cast<to = 1>(i)",
      "i = Cast<to = 9>(@) y = Cast<to = 1>(i)",
      "k = Constant<value_float = 0.5>() y = Mod<fmod = 1>(@, k)",
      "k = Constant<value_float = 0.5>() b = Greater(@, k) y = Cast<to = 1>(b)",
      "k = Constant<value_float = 0.5>() b = Equal(@, k) y = Cast<to = 1>(b)",
      "k = Constant<value_float = 0.5>() b = LessOrEqual(@, k) n = Neg(@) y = Where(b, n, k)",
      "i = ArgMax<axis = 1>(@) f = Cast<to = 1>(i) y = Mul(f, x)",
      "k = Constant<value_ints = [4]>() v, i = TopK(@, k) y = Cast<to = 1>(i)",
      "y = Hardmax(@)",
      absl::StrCat(
          "s = Constant<value_ints = [1, 2, 2, 2]>() g = Reshape(@, s) ",
          "j = Constant<value_ints = [1, 1, 2, 4]>() p = Reshape(x, j) ",
          "n = GridSample<mode = \"nearest\">(p, g) a = Constant<value_ints = [0, 1, 2, 3]>() ",
          "m = ReduceSum<keepdims = 0>(n, a) y = Add(x, m)"),
      "k = Constant<value_float = 0.01>() c = QuantizeLinear(@, k) y = DequantizeLinear(c, k)",
      "i = IsInf(@) y = Cast<to = 1>(i)",
  };
  return kJumps;
}

std::string Of(const std::string& jump, const std::string& name) {
  return absl::StrReplaceAll(jump, {{"@", name}});
}

TEST(Roundings, ToFewerDigitsAreSeenByFunctionsThatJump) {
  for (const int type : {10, 16}) {
    const std::string rounded = absl::StrCat("h = Cast<to = ", type, ">(x) r = Cast<to = 1>(h) ");
    for (const std::string& jump : Jumps()) {
      EXPECT_FALSE(ProofOfBodies(rounded + Of(jump, "r"), Of(jump, "x")).proved) << jump;
      // The same roundings, before and after what only moves.
      EXPECT_TRUE(ProofOfBodies(rounded + Of(jump, "r"),
                                absl::StrCat("t = Transpose(x) h = Cast<to = ", type,
                                             ">(t) u = Cast<to = 1>(h) r = Transpose(u) ") +
                                    Of(jump, "r"))
                      .proved)
          << jump;
    }
    // What does not jump is near.
    EXPECT_TRUE(ProofOfBodies(rounded + "y = Relu(r)", "y = Relu(x)").proved);
    EXPECT_TRUE(ProofOfBodies(rounded + "k = Constant<value_float = 0.0>() b = Greater(r, k) "
                                        "y = Where(b, r, k)",
                              "y = Relu(x)")
                    .proved);
  }
}

TEST(Roundings, CountWhereTheyAre) {
  const std::string as_float = "y = Cast<to = 1>(b)";
  // A number and what it is rounded to are not equal.
  EXPECT_FALSE(ProofOfBodies("h = Cast<to = 10>(x) r = Cast<to = 1>(h) b = Equal(r, x) " + as_float,
                             "b = Equal(x, x) " + as_float)
                   .proved);
  EXPECT_FALSE(ProofOfBodies("h = Cast<to = 10>(x) r = Cast<to = 1>(h) d = Sub(x, r) y = Sign(d)",
                             "d = Sub(x, x) y = Sign(d)")
                   .proved);
  EXPECT_FALSE(ProofOfBodies("h = Cast<to = 10>(x) r = Cast<to = 1>(h) s = Add(r, r) y = Floor(s)",
                             "s = Add(x, x) h = Cast<to = 10>(s) r = Cast<to = 1>(h) y = Floor(r)")
                   .proved);
  // An operator on numbers of few digits rounds to these.
  const Tensor x = Tensor::Of<int8_t>({4}, {1, 2, 3, 4});
  EXPECT_FALSE(ProofOfModels("g (int8[4] x) => (float[4] y) { h = Cast<to = 10>(x) k = Exp(h) "
                             "m = Mul(k, k) f = Cast<to = 1>(m) y = Floor(f) }",
                             "g (int8[4] x) => (float[4] y) { h = Cast<to = 10>(x) k = Exp(h) "
                             "f = Cast<to = 1>(k) m = Mul(f, f) y = Floor(m) }",
                             x)
                   .proved);
  // Large whole numbers are not all floats; small ones are.
  const auto equal = [](const std::string& type, const std::string& casts) {
    return absl::StrCat("g (", type, "[4] x) => (bool[4] y) { t = Add(x, x) ", casts,
                        " y = Equal(a, b) }");
  };
  const Tensor ids = Tensor::Of<int64_t>({4}, {1, 2, 3, 4});
  const std::string own = "a = Identity(x) b = Identity(t)";
  const std::string floats = "a = Cast<to = 1>(x) b = Cast<to = 1>(t)";
  EXPECT_FALSE(ProofOfModels(equal("int64", own), equal("int64", floats), ids).proved);
}

// x / 41 and x times the nearest float to 1 / 41 are the same number, but for rounding.
TEST(Roundings, OfOtherOrdersAreToldOfFunctionsThatJump) {
  const std::string divided = "d = Constant<value_float = 41.0>() q = Div(x, d) ";
  const std::string multiplied = "d = Constant<value_float = 0.024390243>() r = Mul(x, d) ";
  for (const std::string& jump : Jumps()) {
    const ProofReport report = ProofOfBodies(divided + Of(jump, "q"), multiplied + Of(jump, "r"));
    EXPECT_TRUE(report.proved) << jump;
    EXPECT_EQ(report.rounded_jumps.size(), 1) << jump;
    EXPECT_TRUE(
        ProofOfBodies(divided + Of(jump, "q"), divided + Of(jump, "q")).rounded_jumps.empty())
        << jump;
  }
  const ProofReport report =
      ProofOfBodies(divided + "f = Floor(q) y = Neg(f)", multiplied + "g = Floor(r) y = Neg(g)");
  EXPECT_EQ(report.rounded_jumps, std::vector<std::string>{"Floor f | Floor g"});
  // A comparison that is a bound does not jump, nor does what it bounds.
  const std::string bound = "z = Constant<value_float = 0.0>() b = Greater(@, z) ";
  EXPECT_TRUE(ProofOfBodies(divided + Of(bound + "y = Where(b, @, z)", "q"),
                            multiplied + Of(bound + "y = Where(b, @, z)", "r"))
                  .rounded_jumps.empty());
  EXPECT_EQ(ProofOfBodies(divided + Of(bound + "y = Where(b, x, z)", "q"),
                          multiplied + Of(bound + "y = Where(b, x, z)", "r"))
                .rounded_jumps.size(),
            0);
  EXPECT_EQ(ProofOfBodies(divided + Of(bound + "c = Not(b) y = Cast<to = 1>(c)", "q"),
                          multiplied + Of(bound + "c = Not(b) y = Cast<to = 1>(c)", "r"))
                .rounded_jumps,
            std::vector<std::string>{"Greater b"});
}

// A value after many roundings holds a few numbers for them, so that a deep model is proved in a
// time that is linear in its depth.
TEST(Roundings, OfALongChainAreFew) {
  Node add;
  add.op_type = "Add";
  const auto after = [&](const FieldValue& x, DType type, Residue residue) {
    FieldValue next;
    next.fixed = false;
    const absl::StatusOr<Tensor> residues = ToTensor(Residues::Of(residue));
    const absl::StatusOr<Tensor> number = Tensor::Allocate(type, {});
    if (!residues.ok() || !number.ok()) return next;
    next.residues = *residues;
    KnowRoundings(add, {x, x}, RoundingsOf({x, x}), false, *number, &next);
    return next;
  };
  FieldValue wide;
  FieldValue narrow;
  for (Residue i = 1; i < 20; ++i) {
    wide = after(wide, DType::kFloat, i);
    narrow = after(narrow, DType::kFloat16, i);
    EXPECT_EQ(wide.roundings->size(), 1);
    EXPECT_EQ(narrow.roundings->size(), 1);
  }
  // Those that left fewer digits stay known, whatever comes after them.
  const FieldValue later = after(narrow, DType::kFloat, 20);
  EXPECT_EQ(NarrowOf(later.roundings), NarrowOf(narrow.roundings));
  EXPECT_EQ(NarrowOf(wide.roundings), 0);
  // A first one that was another is another one behind all others.
  FieldValue other = after(FieldValue(), DType::kFloat16, 21);
  for (Residue i = 2; i < 20; ++i) other = after(other, DType::kFloat16, i);
  EXPECT_NE(NarrowOf(other.roundings), NarrowOf(narrow.roundings));
  // Numbers that need no rounding have none.
  EXPECT_EQ(*after(wide, DType::kFloat, 19).roundings, *wide.roundings);
}

TEST(Roundings, AreTheReason) {
  const ProofReport report =
      ProofOfBodies("h = Cast<to = 10>(x) r = Cast<to = 1>(h) f = Floor(r) y = Neg(f)",
                    "f = Floor(x) y = Neg(f)");
  ASSERT_FALSE(report.parted.empty());
  EXPECT_EQ(report.parted.front().why,
            "nothing is known of Floor but that it gives the same for the same (of numbers that "
            "were rounded to fewer digits alike)");
}

}  // namespace
}  // namespace onnxcmp
