// The seed of a proof follows from what its author can choose.
#include "prove/unknown_values.h"

#include <gtest/gtest.h>

#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

TEST(SeedOfConstants, FollowsFromConstantsAndAttributes) {
  ResultStream left, right;
  left.results.resize(2);
  left.results[0].kind = ResultKind::kInitializer;
  left.nodes.resize(1);
  right = left;
  const uint64_t seed = SeedOfConstants({&left, &right});
  EXPECT_EQ(SeedOfConstants({&right, &left}), seed);
  right.results[0].fingerprint.content.low = 1;
  const uint64_t of_constant = SeedOfConstants({&left, &right});
  EXPECT_NE(of_constant, seed);
  EXPECT_NE(SeedOfConstants({&right, &left}), of_constant);
  right.nodes[0].attributes = 1;
  EXPECT_NE(SeedOfConstants({&left, &right}), of_constant);
  // Results of a run may differ by machine.
  right = left;
  right.results[1].fingerprint.content.low = 1;
  EXPECT_EQ(SeedOfConstants({&left, &right}), seed);
}

}  // namespace
}  // namespace onnxcmp
