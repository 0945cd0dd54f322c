// The verdict by what was found of two sides.
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "compare/outcome/comparison.h"
#include "compare/outcome/verdict.h"
#include "compare/outputs/rulings.h"

namespace onnxcmp {
namespace {

struct Found {
  const char* name;
  Verdict verdict;
  bool same_bits = false;
  bool agree = true;
  bool untested = false;
  bool differ_by_sizes = false;
  bool side_failed = false;
  bool not_fed = false;
};

constexpr Found kFound[] = {
    {.name = "the same bits", .verdict = Verdict::kSame, .same_bits = true},
    {.name = "within tolerance", .verdict = Verdict::kClose},
    {.name = "beyond it", .verdict = Verdict::kDifferent, .agree = false},
    {.name = "nothing is tested", .verdict = Verdict::kUntested, .untested = true},
    {.name = "neither differs nor tests",
     .verdict = Verdict::kUntested,
     .agree = false,
     .untested = true},
    {.name = "a side fails", .verdict = Verdict::kFailed, .side_failed = true},
    {.name = "a side fails untested",
     .verdict = Verdict::kFailed,
     .untested = true,
     .side_failed = true},
    {.name = "no inputs", .verdict = Verdict::kFailed, .not_fed = true},
    {.name = "one side alone runs with a size",
     .verdict = Verdict::kDifferent,
     .differ_by_sizes = true},
    {.name = "it fails with that",
     .verdict = Verdict::kDifferent,
     .differ_by_sizes = true,
     .side_failed = true},
};

TEST(Verdict, FollowsFromWhatWasFound) {
  for (const Found& found : kFound) {
    Comparison comparison;
    comparison.outputs.pairs.resize(1);
    comparison.outputs.pairs[0].same_bits = found.same_bits;
    comparison.outputs.pairs[0].difference.beyond = found.agree ? 0 : 1;
    comparison.untested = found.untested;
    comparison.differ_by_sizes = found.differ_by_sizes;
    if (found.side_failed) comparison.right_summary.status = absl::InternalError("no kernel");
    if (found.not_fed) comparison.status = absl::InvalidArgumentError("no such input");
    EXPECT_EQ(comparison.verdict(), found.verdict) << found.name;
  }
}

TEST(Verdict, DifferentWithoutOutputs) {
  Comparison comparison;
  EXPECT_EQ(comparison.verdict(), Verdict::kDifferent);
}

TEST(ComparisonTest, Names) {
  EXPECT_EQ(RelationName(Relation::kLeftOnly), "left_only");
  EXPECT_EQ(VerdictName(Verdict::kFailed), "failed");
  EXPECT_EQ(CauseKindName(CauseKind::kInitializer), "initializer");
}

}  // namespace
}  // namespace onnxcmp
