#include "compare/proof/score_masks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compare/proof/field/prime_field.h"
#include "compare/proof/field/residues.h"
#include "tests/compare/proof/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::ExpectProofs;
using testing::ProofCase;
using testing::ProofOfBodies;

TEST(ScoreMasks, LanesThatAreMaskedWholeStay) {
  const Residues scores = {{2, 2}, {5, 6, 7, 8}};
  const Residues masked = {{2, 2}, {0, 1, 1, 1}};
  const Residues left = WithoutMasked(scores, masked, {1});
  EXPECT_EQ(left.values, (ResidueArray{5, kMinusInfinity, 7, 8}));
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
       added("-9000.0") + "y = Softmax(z)"},
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

}  // namespace
}  // namespace onnxcmp
