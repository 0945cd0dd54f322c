#include "record/graphs/kept_range.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compare/sides/model_side.h"
#include "record/streams/result_stream.h"
#include "tests/compare/input_sets/on_sets.h"

namespace onnxcmp {
namespace {

// What the readers of result `a` keep.
KeptRange OfA(const std::string& readers) {
  const Comparison comparison = testing::OnSets(
      absl::StrCat("(float[4] x) => (float[4] y) <float z = {0}, float s = {6}> { a = Sin(x) ",
                   readers, " }"),
      "(float[4] x) => (float[4] y) { y = Sin(x) }");
  const SideGraph graph(comparison.left, nullptr);
  for (const int r : graph.results()) {
    if (graph.result(r).name == "a") return KeptByReaders(graph, r);
  }
  ADD_FAILURE() << "no result a";
  return {};
}

TEST(KeptRangeTest, IsWhatReluAndClipLeave) {
  EXPECT_EQ(OfA("y = Relu(a)").least, 0);
  EXPECT_TRUE(std::isinf(OfA("y = Relu(a)").greatest));
  const KeptRange clipped = OfA("y = Clip(a, z, s)");
  EXPECT_EQ(clipped.least, 0);
  EXPECT_EQ(clipped.greatest, 6);
  EXPECT_TRUE(std::isinf(OfA("y = Clip(a, , s)").least));
}

TEST(KeptRangeTest, EveryReaderCounts) {
  EXPECT_EQ(OfA("b = Relu(a) c = Clip(a, z, s) y = Add(b, c)").least, 0);
  EXPECT_TRUE(std::isinf(OfA("b = Relu(a) c = Clip(a, z, s) y = Add(b, c)").greatest));
  EXPECT_TRUE(std::isinf(OfA("b = Relu(a) y = Add(a, b)").least));
  EXPECT_TRUE(std::isinf(OfA("y = Neg(a)").least));
  // Limits that cross each other.
  EXPECT_TRUE(std::isinf(OfA("y = Clip(a, s, z)").least));
}

}  // namespace
}  // namespace onnxcmp
