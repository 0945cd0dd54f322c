// Spreading from all pairs looks at those beside something free alone; that leaves nothing out.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "compare/alignment/alignment_index.h"
#include "compare/alignment/pair_queue.h"
#include "compare/alignment/pairing.h"
#include "compare/alignment/value_evidence.h"
#include "gtest/gtest.h"
#include "tests/support/quantities.h"
#include "tests/support/stream_builder.h"

namespace onnxcmp::testing {
namespace {

using Random = std::mt19937_64;

int OneOf(const std::vector<int>& results, Random& random) {
  return results[random() % results.size()];
}

// Both sides have the same nodes; what they compute is nearly the same. Some repeat what they read,
// some quantize and dequantize it, some have two outputs or read from outside.
ResultStream MadeUpStream(uint64_t seed, bool rounded) {
  Random random(seed);
  StreamBuilder stream;
  std::vector<int> results;
  std::vector<uint64_t> quantities;
  const auto value = [&](uint64_t quantity) {
    return rounded ? Nearly(Quantity(quantity), 1e-6F) : Quantity(quantity);
  };
  const auto add = [&](int result, uint64_t quantity) {
    results.push_back(result);
    quantities.push_back(quantity);
  };
  add(stream.Input("x", value(0)), 0);
  for (uint64_t i = 1; i < 30; ++i) {
    const std::string name = absl::StrCat("r", i);
    const size_t read = random() % results.size();
    switch (random() % 7) {
      case 0:
        add(stream.Initializer(name, value(i)), i);
        break;
      case 1:
        add(stream.Node("Identity", {results[read]}, name, value(quantities[read])),
            quantities[read]);
        break;
      case 2: {
        const int scale = stream.Initializer(absl::StrCat(name, "s"), value(1000 + i));
        const int grid = stream.Node("QuantizeLinear", {results[read], scale},
                                     absl::StrCat(name, "q"), value(2000 + i));
        add(stream.Node("DequantizeLinear", {grid, scale}, name, value(3000 + i)), 3000 + i);
        break;
      }
      case 3: {
        const int first =
            stream.Nodes("Split", {results[read]},
                         {{name, value(i)}, {absl::StrCat(name, "b"), value(4000 + i)}}, {});
        add(first, i);
        add(first + 1, 4000 + i);
        break;
      }
      case 4:
        add(stream.Node("If", {results[read]}, name, value(i),
                        {.captures = {OneOf(results, random)}}),
            i);
        break;
      default:
        add(stream.Node("Add", {results[read], OneOf(results, random)}, name, value(i)), i);
    }
  }
  stream.Output("y", results.back());
  return stream.stream();
}

TEST(PairSpreadTest, AllIsWhatEachPairOffers) {
  int paired = 0;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const ResultStream left = MadeUpStream(seed, false);
    const ResultStream right = MadeUpStream(seed, true);
    const AlignmentIndex index(left, right);
    const ValueEvidence evidence(index);
    // Few are free, so that each has to be offered by its own neighbours.
    const auto spread = [&](bool all) {
      Random random(seed);
      Pairing pairing(index);
      for (int l = 0; l < index.left.size(); ++l) {
        if (random() % 6 != 0) pairing.Pair(l, l, Rule::kNear);
      }
      const int before = pairing.pairs();
      PairQueue queue(pairing, evidence);
      queue.SetRule({.threshold = -1e9, .scoring = Scoring::kLoose});
      if (all) {
        queue.SpreadAll();
      } else {
        for (int l = 0; l < index.left.size(); ++l) {
          if (!pairing.left_free(l) && !index.left.is_output_row(l)) {
            queue.Spread(l, pairing.of_left(l));
          }
        }
      }
      queue.Drain();
      paired += pairing.pairs() - before;
      return pairing.left();
    };
    EXPECT_EQ(spread(true), spread(false)) << seed;
  }
  EXPECT_GT(paired, 400);
}

// What went into the quantizing is offered as if it went into the dequantizing, also where the
// quantized result has found its partner elsewhere.
TEST(PairSpreadTest, DequantizedOffersWhatWasQuantized) {
  StreamBuilder left;
  const int x = left.Initializer("x", Quantity(1));
  const int scale = left.Initializer("s", Quantity(2));
  const int grid = left.Node("QuantizeLinear", {x, scale}, "q", Quantity(3));
  const int back = left.Node("DequantizeLinear", {grid, scale}, "d", Quantity(4));
  StreamBuilder right;
  const int same = right.Initializer("x", Nearly(Quantity(1), 1e-6F));
  const int other = right.Initializer("w", Nearly(Quantity(2), 1e-6F));
  const int negative = right.Node("Neg", {other}, "n", Nearly(Quantity(3), 1e-6F));
  const int clipped = right.Node("Clip", {same}, "c", Nearly(Quantity(4), 1e-6F));
  const AlignmentIndex index(left.stream(), right.stream());
  const ValueEvidence evidence(index);
  Pairing pairing(index);
  pairing.Pair(scale, other, Rule::kNear);
  pairing.Pair(grid, negative, Rule::kNear);
  pairing.Pair(back, clipped, Rule::kNear);
  PairQueue queue(pairing, evidence);
  queue.SetRule({.threshold = -1e9, .scoring = Scoring::kLoose});
  queue.SpreadAll();
  queue.Drain();
  EXPECT_EQ(pairing.of_left(x), same);
}

// Uses of a copy count for what it repeats, however many copies lie between.
TEST(PairSpreadTest, WhatACopyRepeatsOffersItsReaders) {
  StreamBuilder left;
  const int x = left.Input("x", Quantity(1));
  const int copy = left.Node("Identity", {x}, "c", Quantity(1));
  const int second = left.Node("Identity", {copy}, "d", Quantity(1));
  const int reader = left.Node("Neg", {second}, "n", Quantity(2));
  StreamBuilder right;
  const int other = right.Input("x", Nearly(Quantity(1), 1e-6F));
  const int other_copy = right.Node("Identity", {other}, "c", Nearly(Quantity(1), 1e-6F));
  const int other_reader = right.Node("Neg", {other_copy}, "n", Nearly(Quantity(2), 1e-6F));
  const AlignmentIndex index(left.stream(), right.stream());
  ASSERT_EQ(index.left.root(second), x);
  const ValueEvidence evidence(index);
  Pairing pairing(index);
  pairing.Pair(x, other, Rule::kNear);
  pairing.Pair(copy, other_copy, Rule::kNear);
  PairQueue queue(pairing, evidence);
  queue.SetRule({.threshold = -1e9, .scoring = Scoring::kLoose});
  queue.SpreadAll();
  queue.Drain();
  EXPECT_EQ(pairing.of_left(reader), other_reader);
}

// Where what they are made of has its partner elsewhere.
TEST(PairSpreadTest, AnOutputOffersThoseBesideIt) {
  StreamBuilder left;
  const int x = left.Input("x", Quantity(1));
  const int a = left.Nodes("Split", {x}, {{"a", Quantity(2)}, {"b", Quantity(3)}}, {});
  StreamBuilder right;
  const int elsewhere = right.Input("x", Nearly(Quantity(1), 1e-6F));
  const int z = right.Input("z", Quantity(4, {5}));
  const int other = right.Nodes(
      "Split", {z}, {{"a", Nearly(Quantity(2), 1e-6F)}, {"b", Nearly(Quantity(3), 1e-6F)}}, {});
  const AlignmentIndex index(left.stream(), right.stream());
  const ValueEvidence evidence(index);
  Pairing pairing(index);
  pairing.Pair(x, elsewhere, Rule::kNear);
  pairing.Pair(a, other, Rule::kNear);
  PairQueue queue(pairing, evidence);
  queue.SetRule({.threshold = -1e9, .scoring = Scoring::kLoose});
  queue.SpreadAll();
  queue.Drain();
  EXPECT_EQ(pairing.of_left(a + 1), other + 1);
}

}  // namespace
}  // namespace onnxcmp::testing
