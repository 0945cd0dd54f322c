#include "compare/alignment/alignment_index.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/op_test.h"
#include "tests/support/stream_builder.h"

namespace onnxcmp::testing {
namespace {

TEST(AlignmentIndexTest, NoInputHasTheSlotOfWhatSubgraphsRead) {
  StreamBuilder stream;
  std::vector<int> inputs;
  for (int i = 0; i < 200; ++i) {
    inputs.push_back(stream.Input(absl::StrCat("x", i), Floats({static_cast<float>(i)})));
  }
  const int captured = stream.Input("captured", Floats({-1}));
  stream.Node("Concat", inputs, "y", Floats({0.5f}));
  stream.Node("If", {inputs[0]}, "z", Floats({1.5f}), {.captures = {captured}});

  const AlignmentIndex index(stream.stream(), stream.stream());
  for (int i = 1; i < 200; ++i) {
    const auto uses = index.left.uses[inputs[static_cast<size_t>(i)]];
    ASSERT_EQ(uses.size(), 1) << i;
    EXPECT_EQ(uses[0].slot, i);
    EXPECT_NE(uses[0].slot, kCaptureSlot) << i;
  }
  const auto uses = index.left.uses[captured];
  ASSERT_EQ(uses.size(), 1);
  EXPECT_EQ(uses[0].slot, kCaptureSlot);
  const int reader = uses[0].node;
  EXPECT_EQ(index.left.Reads(reader, captured, kCaptureSlot), 2);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(index.left.Reads(reader, captured, i), 1) << i;
}

}  // namespace
}  // namespace onnxcmp::testing
