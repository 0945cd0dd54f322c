// Pairs that gaps make narrow what is left of them.
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "compare/alignment/alignment_index.h"
#include "compare/alignment/alignment_stages.h"
#include "compare/alignment/pair_queue.h"
#include "compare/alignment/pairing.h"
#include "compare/alignment/value_evidence.h"
#include "gtest/gtest.h"
#include "tests/support/quantities.h"
#include "tests/support/stream_builder.h"

namespace onnxcmp::testing {
namespace {

// Two roads lead from p to q. Once m, the only one of its operator, has its partner, what lies
// after it is another gap than the second road.
TEST(AlignmentGapsTest, LaterRulesSeeWhatEarlierOnesHavePaired) {
  struct Side {
    StreamBuilder stream;
    int p, m, after, beside, q;
  };
  const auto make = [](Side& side, bool left) {
    StreamBuilder& stream = side.stream;
    const uint64_t own = left ? 100 : 200;
    const int x = stream.Input("x", Quantity(1));
    side.p = stream.Node("Sin", {x}, "p", Quantity(2));
    side.m = stream.Node("Exp", {side.p}, left ? "lm" : "rm", Quantity(own));
    // A node that the other side does not have, so that no neighbours agree.
    const auto alone = [&](bool here, int read, int64_t size) {
      return here ? stream.Node("Neg", {read}, absl::StrCat("n", size), Quantity(own + 1, {size}))
                  : read;
    };
    side.after = stream.Node(left ? "Tanh" : "Erf", {alone(left, side.m, 5)}, left ? "la" : "ra",
                             Quantity(own + 2));
    side.beside = stream.Node(left ? "Sqrt" : "Log", {alone(!left, side.p, 6)}, left ? "lb" : "rb",
                              Quantity(own + 3));
    side.q =
        stream.Node(left ? "Add" : "Sub",
                    {alone(!left, side.after, 7), alone(left, side.beside, 9)}, "q", Quantity(3));
    stream.Output("y", side.q);
  };
  Side left;
  Side right;
  make(left, true);
  make(right, false);
  const AlignmentIndex index(left.stream.stream(), right.stream.stream());
  const ValueEvidence evidence(index);
  Pairing pairing(index);
  pairing.Pair(left.p, right.p, Rule::kNear);
  pairing.Pair(left.q, right.q, Rule::kNear);
  PairQueue queue(pairing, evidence);
  PairGaps(pairing, evidence, queue);
  EXPECT_EQ(pairing.of_left(left.m), right.m);
  EXPECT_EQ(pairing.of_left(left.after), right.after);
  EXPECT_EQ(pairing.of_left(left.beside), right.beside);
}

}  // namespace
}  // namespace onnxcmp::testing
