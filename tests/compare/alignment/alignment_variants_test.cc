// Recall and precision of the alignment on generated pairs whose truth is known, and its
// symmetries.
#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compare/alignment/alignment.h"
#include "gtest/gtest.h"
#include "tests/support/graph_variants.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::MakeVariant;
using ::onnxcmp::testing::StreamPair;
using ::onnxcmp::testing::VariantOptions;

struct Score {
  int64_t truth = 0;
  int64_t found = 0;
  int64_t shown = 0;
  int64_t wrong = 0;
};

// Results count as rightly paired if they are, bit for bit, a true pair: which of several equals it
// is cannot matter.
class Judge {
 public:
  explicit Judge(const StreamPair& pair) : pair_(pair) {
    std::map<int, std::vector<size_t>> right_of;
    for (size_t r = 0; r < pair.right.results.size(); ++r) {
      right_of[pair.right_quantity[r]].push_back(r);
    }
    for (size_t l = 0; l < pair.left.results.size(); ++l) {
      for (size_t r : right_of[pair.left_quantity[l]]) {
        true_.insert({BitsOf(pair.left, l), BitsOf(pair.right, r)});
      }
    }
  }

  void Count(const Alignment& alignment, Score& score) const {
    CountSide(pair_.left, pair_.left_quantity, pair_.right_quantity, alignment.left_to_right, true,
              score);
    CountSide(pair_.right, pair_.right_quantity, pair_.left_quantity, alignment.right_to_left,
              false, score);
  }

 private:
  static uint64_t BitsOf(const ResultStream& stream, size_t r) {
    return stream.results[r].fingerprint.bits.low;
  }

  bool IsTrue(size_t l, size_t r) const {
    const uint64_t left = BitsOf(pair_.left, l);
    const uint64_t right = BitsOf(pair_.right, r);
    return left == right || true_.contains({left, right});
  }

  void CountSide(const ResultStream& stream, const std::vector<int>& quantities,
                 const std::vector<int>& others, const std::vector<int>& partners, bool left,
                 Score& score) const {
    const std::set<int> other(others.begin(), others.end());
    for (size_t i = 0; i < stream.results.size(); ++i) {
      // Output rows repeat results, and a recording has none.
      if (stream.results[i].kind == ResultKind::kOutput) continue;
      const size_t partner = static_cast<size_t>(partners[i]);
      const bool right = partners[i] != kNone && (left ? IsTrue(i, partner) : IsTrue(partner, i));
      if (other.contains(quantities[i])) {
        ++score.truth;
        score.found += right ? 1 : 0;
      }
      if (partners[i] != kNone) {
        ++score.shown;
        score.wrong += right ? 0 : 1;
      }
    }
  }

  const StreamPair& pair_;
  std::set<std::pair<uint64_t, uint64_t>> true_;
};

struct Variant {
  std::string name;
  VariantOptions options;
};

void PrintTo(const Variant& variant, std::ostream* out) { *out << variant.name; }

class AlignmentVariantsTest : public ::testing::TestWithParam<Variant> {};

TEST_P(AlignmentVariantsTest, FindsTheTruePairs) {
  Score score;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    VariantOptions options = GetParam().options;
    options.seed = seed * 100 + 7;
    const StreamPair pair = MakeVariant(options);
    Judge(pair).Count(Align(pair.left, pair.right), score);
  }
  ASSERT_GT(score.truth, 1000);
  const double recall = static_cast<double>(score.found) / static_cast<double>(score.truth);
  const double wrong = static_cast<double>(score.wrong) / static_cast<double>(score.shown);
  EXPECT_GE(recall, 0.998);
  EXPECT_LE(wrong, 0.002);
}

std::vector<Variant> Variants() {
  return {
      {"Same", {}},
      {"Reordered", {.rename = true, .reorder = true}},
      {"NoOps", {.rename = true, .reorder = true, .no_ops = 0.1}},
      {"Folded", {.rename = true, .reorder = true, .fold = true, .deduplicate = true}},
      {"Fused", {.rename = true, .reorder = true, .fold = true, .deduplicate = true, .fuse = 0.4}},
      {"FusedAndNoisy",
       {.rename = true,
        .reorder = true,
        .no_ops = 0.05,
        .fold = true,
        .deduplicate = true,
        .fuse = 0.4,
        .noise = 1e-6}},
      {"NoisyBehindFusion",
       {.rename = true,
        .reorder = true,
        .no_ops = 0.05,
        .fold = true,
        .deduplicate = true,
        .fuse = 0.2,
        .noise = 1e-6,
        .noise_after_fusion = true,
        .extra_initializers = 3}},
      {"AsFloat16",
       {.rename = true,
        .reorder = true,
        .fold = true,
        .deduplicate = true,
        .fuse = 0.3,
        .noise = 1e-3}},
      {"Recording", {.rename = true, .reorder = true, .noise = 1e-6, .drop_nodes = true}},
      {"HalfOfARecording",
       {.rename = true, .reorder = true, .noise = 1e-6, .drop_nodes = true, .missing = 0.5}},
      {"Faulty", {.rename = true, .reorder = true, .no_ops = 0.05, .faulty = true}},
      {"FaultyAndFolded",
       {.rename = true, .reorder = true, .fold = true, .deduplicate = true, .faulty = true}},
      {"Truncated", {.rename = true, .reorder = true, .noise = 1e-6, .truncated = 0.4}},
      {"TinyTensors",
       {.layers = 12,
        .width = 2,
        .rows = 2,
        .rename = true,
        .reorder = true,
        .fold = true,
        .deduplicate = true,
        .fuse = 0.2,
        .noise = 1e-6}},
      // Neighbours differ by 1e-5, as where iterations converge.
      {"Crowded",
       {.layers = 12,
        .width = 2,
        .rows = 2,
        .crowding = 1e-5,
        .rename = true,
        .reorder = true,
        .fold = true,
        .deduplicate = true,
        .fuse = 0.3,
        .noise = 1e-7,
        .noise_after_fusion = true}},
  };
}

INSTANTIATE_TEST_SUITE_P(, AlignmentVariantsTest, ::testing::ValuesIn(Variants()),
                         [](const auto& info) { return info.param.name; });

VariantOptions EverythingAtOnce(uint64_t seed) {
  return {.seed = seed,
          .rename = true,
          .reorder = true,
          .no_ops = 0.05,
          .fold = true,
          .deduplicate = true,
          .fuse = 0.3,
          .noise = 1e-6,
          .extra_initializers = 2};
}

TEST(AlignmentSymmetryTest, ModelAgainstItselfIsIdentity) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const ResultStream stream = MakeVariant(EverythingAtOnce(seed)).right;
    const Alignment alignment = Align(stream, stream);
    ASSERT_EQ(alignment.rows.size(), stream.results.size());
    for (size_t i = 0; i < stream.results.size(); ++i) {
      EXPECT_EQ(alignment.left_to_right[i], static_cast<int>(i)) << seed;
      EXPECT_EQ(alignment.rows[i].marks, 0);
    }
    EXPECT_TRUE(alignment.tentative.empty());
    EXPECT_FALSE(alignment.reordered);
  }
}

TEST(AlignmentSymmetryTest, RenamingBothSidesAlikeChangesNothing) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    StreamPair pair = MakeVariant(EverythingAtOnce(seed));
    const Alignment before = Align(pair.left, pair.right);
    for (ResultStream* stream : {&pair.left, &pair.right}) {
      for (StreamResult& result : stream->results) result.name += "_renamed";
    }
    const Alignment after = Align(pair.left, pair.right);
    EXPECT_EQ(before.left_to_right, after.left_to_right);
    EXPECT_EQ(before.right_to_left, after.right_to_left);
  }
}

TEST(AlignmentSymmetryTest, SwappingSidesMirrors) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const StreamPair pair = MakeVariant(EverythingAtOnce(seed));
    const Alignment there = Align(pair.left, pair.right);
    const Alignment back = Align(pair.right, pair.left);
    EXPECT_EQ(there.left_to_right, back.right_to_left);
    EXPECT_EQ(there.right_to_left, back.left_to_right);
    EXPECT_EQ(there.reordered, back.reordered);
    EXPECT_EQ(there.tentative.size(), back.tentative.size());
    const auto marks = [](const Alignment& alignment, bool swapped) {
      std::map<std::pair<int, int>, int> marks;
      for (const AlignedRow& row : alignment.rows) {
        if (!row.paired()) continue;
        std::pair<int, int> key(row.left.back(), row.right.back());
        if (swapped) std::swap(key.first, key.second);
        marks[key] = row.marks;
      }
      return marks;
    };
    EXPECT_EQ(marks(there, false), marks(back, true));
  }
}

}  // namespace
}  // namespace onnxcmp
