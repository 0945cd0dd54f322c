// The table, as people see it: tests/golden/table/ has what each comparison looks like.
#include "reports/render_table.h"
#include "compare/outcome/verdict.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "record/text/display_text.h"
#include "reports/table/table_summary.h"
#include "tests/support/built_comparison.h"
#include "tests/support/golden.h"

namespace onnxcmp {
namespace {

using testing::BuiltSide;
using testing::CompareBuilt;
using testing::ExpectGolden;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::SomeFloats;
using testing::StreamBuilder;
using Rows = TableOptions::Rows;

const Shape kWide = {1, 30, 16};
const Shape kSquare = {1, 30, 30};
const Shape kTurned = {1, 16, 30};

Tensor Ids() {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 30; ++i) ids.push_back(i);
  return Tensor::Of<int64_t>({1, 30}, ids);
}

// What a model of attention layers becomes: as it was exported, optimized, or with a wrong epsilon.
enum class Kind { kPlain, kOptimized, kWrong };

BuiltSide Decoder(Kind kind) {
  const bool fused = kind == Kind::kOptimized;
  BuiltSide side;
  const StreamBuilder::NodeOptions microsoft = {.domain = fused ? "com.microsoft" : ""};
  std::vector<int> weights;
  for (int i = 0; i < 8; ++i) {
    weights.push_back(side.Initializer(absl::StrCat("decoder.", i, ".weight"),
                                       SomeFloats({16, 16}, 100 + static_cast<uint64_t>(i))));
  }
  if (!fused) side.Initializer("b_decoder_attention_0_mask", SomeFloats({256, 256}, 90));
  const int ids = side.Input("input_ids", Ids());
  int x = side.Node("Gather", {weights[0], ids}, "embedding", SomeFloats(kWide, 1));
  bool wrong = false;
  double noise = 0;  // what rounding otherwise makes of the optimized side
  for (uint64_t layer = 0; layer < 2; ++layer) {
    const uint64_t seed = 10 * (layer + 1);
    const std::string end = layer == 0 ? "" : "_1";
    const auto value = [&](const Shape& shape, uint64_t number) {
      return SomeFloats(shape, seed + number, wrong ? 0.05 : noise);
    };
    const int skip = side.Node("Mul", {x, weights[1 + layer]}, "scaled" + end, value(kWide, 0));
    if (fused) noise = 3e-7;
    int normal = 0;
    if (fused) {
      normal =
          side.Nodes("SkipLayerNormalization", {x, skip, weights[3]},
                     {{"norm" + end, value(kWide, 2)}, {"add" + end, value(kWide, 1)}}, microsoft);
    } else {
      const int sum = side.Node("Add", {x, skip}, "add" + end, value(kWide, 1));
      if (kind == Kind::kWrong && layer == 1) wrong = true;
      normal =
          side.Node("LayerNormalization", {sum, weights[3]},
                    kind == Kind::kWrong ? absl::StrCat("r", seed) : "norm" + end, value(kWide, 2));
    }
    const int query = side.Node("MatMul", {normal, weights[4]}, "query" + end, value(kWide, 3));
    const int key = side.Node("MatMul", {normal, weights[5]}, "key" + end, value(kWide, 4));
    int scores = 0;
    if (fused) {
      scores = side.Node("FusedMatMul", {query, key}, "scores" + end, value(kSquare, 7), microsoft);
    } else {
      const int turned = side.Node("Transpose", {key}, "turned" + end, value(kTurned, 5));
      const int product = side.Node("MatMul", {query, turned}, "product" + end, value(kSquare, 6));
      scores = side.Node("Mul", {product, weights[7]}, "scores" + end, value(kSquare, 7));
    }
    const int weight = side.Node("Softmax", {scores}, "softmax" + end, value(kSquare, 8));
    x = side.Node("MatMul", {weight, normal}, "attended" + end, value(kWide, 9));
  }
  side.Output("logits", x);
  return side;
}

Comparison Optimized() {
  Comparison comparison = CompareBuilt(Decoder(Kind::kPlain), Decoder(Kind::kOptimized));
  comparison.left_summary.source = "plain.onnx";
  comparison.left_summary.bytes = 711'303;
  comparison.right_summary.source = "optimized.onnx";
  comparison.right_summary.bytes = 188'900;
  comparison.notes = {"inputs were generated (--seed and --inputs change them)"};
  return comparison;
}

Comparison Wrong() {
  Comparison comparison = CompareBuilt(Decoder(Kind::kPlain), Decoder(Kind::kWrong));
  comparison.left_summary.source = "float.onnx";
  comparison.right_summary.source = "broken.onnx";
  for (size_t r = 0; r < comparison.right.results.size(); ++r) {
    if (comparison.right.results[r].name != "r20") continue;
    Cause cause;
    cause.right = static_cast<int>(r);
    cause.left = comparison.alignment.right_to_left[r];
    cause.text =
        "on the left's own inputs the right differs by up to 0.049; "
        "attribute epsilon: 1e-05 | 0.01";
    comparison.causes = {cause};
  }
  return comparison;
}

std::string Draw(const Comparison& comparison, TableOptions options = {}) {
  return RenderTable(comparison, options);
}

size_t Lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

void ExpectWithin(const std::string& text, int width) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    EXPECT_LE(DisplayWidth(line), width) << line;
  }
}

TEST(RenderTableTest, OptimizedAtSeveralWidths) {
  const Comparison comparison = Optimized();
  for (const int width : {80, 100, 120, 200}) {
    const std::string text = Draw(comparison, {.width = width});
    ExpectGolden(absl::StrCat("table/optimized_", width, ".txt"), text);
    ExpectWithin(text, width);
  }
}

TEST(RenderTableTest, AllRows) {
  ExpectGolden("table/optimized_all.txt", Draw(Optimized(), {.rows = Rows::kAll}));
}

TEST(RenderTableTest, TheSame) {
  ExpectGolden("table/same.txt", Draw(CompareBuilt(Decoder(Kind::kPlain), Decoder(Kind::kPlain))));
}

TEST(RenderTableTest, WrongWithACause) {
  const Comparison comparison = Wrong();
  ExpectGolden("table/wrong.txt", Draw(comparison));
  ExpectGolden("table/wrong_ascii.txt", Draw(comparison, {.ascii = true}));
  ExpectGolden("table/wrong_color.txt", Draw(comparison, {.color = true}));
  ExpectGolden("table/wrong_different.txt", Draw(comparison, {.rows = Rows::kDifferent}));
}

TEST(RenderTableTest, ColourSaysNothingThatTheTextDoesNot) {
  const Comparison comparison = Wrong();
  std::string plain;
  const std::string coloured = Draw(comparison, {.color = true});
  for (size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') {
      i = coloured.find('m', i);
    } else {
      plain += coloured[i];
    }
  }
  EXPECT_EQ(plain, Draw(comparison));
}

TEST(RenderTableTest, AsciiIsAscii) {
  const std::string text = Draw(Wrong(), {.ascii = true});
  EXPECT_TRUE(std::all_of(text.begin(), text.end(),
                          [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

TEST(RenderTableTest, OneSideFailed) {
  BuiltSide right;
  const int w = right.Initializer("decoder.0.weight", SomeFloats({16, 16}, 100));
  const int ids = right.Input("input_ids", Ids());
  const int x = right.Node("Gather", {w, ids}, "embedding", SomeFloats(kWide, 1));
  right.Node("Mul", {x, w}, "scaled", SomeFloats(kWide, 10));
  Comparison comparison = CompareBuilt(Decoder(Kind::kPlain), right);
  comparison.right_summary.status = absl::InvalidArgumentError(
      "node 11 Squeeze 'squeeze' in function HalfRotaryEmbedding of node 9: cannot squeeze axis 1 "
      "of float32[2,4,24,16]: its size is 4, not 1");
  ExpectGolden("table/failed.txt", Draw(comparison));
}

// A loop of 1000 iterations, of which three give another residual.
BuiltSide Loop(bool wrong) {
  BuiltSide side;
  int state = side.Input("x", SomeFloats({8}, 1));
  for (uint64_t i = 0; i < 1000; ++i) {
    const double noise = wrong && (i == 3 || i == 500 || i == 501) ? 0.1 : 0;
    const StreamBuilder::NodeOptions inside = {.path = absl::StrCat("newton/loop_1[", i, "]")};
    state = side.Node("Mul", {state, state}, "square", SomeFloats({8}, 1000 + i), inside);
    side.Node("Sub", {state, state}, "residual", SomeFloats({8}, 5000 + i, noise), inside);
  }
  side.Output("root", state);
  return side;
}

TEST(RenderTableTest, LoopsFoldToTheIterationsThatDiffer) {
  const std::string text = Draw(CompareBuilt(Loop(false), Loop(true)));
  ExpectGolden("table/loop.txt", text);
  EXPECT_THAT(text, HasSubstr("newton/loop_1[3]"));
  EXPECT_THAT(text, HasSubstr("newton/loop_1[500]"));
  EXPECT_LT(Lines(text), 30u);
}

// Operators that are the same on both sides were not fused, however little of them was paired.
TEST(RenderTableTest, NothingPairedInside) {
  const auto side = [](double noise) {
    BuiltSide built;
    int x = built.Input("x", SomeFloats(kWide, 1));
    const int a = built.Node("Exp", {x}, "a", SomeFloats(kWide, 2, noise));
    const int b = built.Node("Sin", {a}, "b", SomeFloats(kWide, 3, noise));
    built.Output("y", built.Node("Mul", {b}, "y", SomeFloats(kWide, 4)));
    return built;
  };
  Comparison comparison = CompareBuilt(side(0), side(2));
  ASSERT_EQ(comparison.rows.size(), 3u);
  ASSERT_EQ(comparison.rows[1].aligned.left.size(), 3u);
  const std::string text = Draw(comparison);
  EXPECT_THAT(text, HasSubstr("differs inside"));
  EXPECT_THAT(text, Not(HasSubstr("fused")));
}

// The other inner results are folded or go into the row; that where the cause begins says so.
TEST(RenderTableTest, ACauseInsideOfARowHasALine) {
  const auto side = [](double noise) {
    BuiltSide built;
    int last = built.Input("x", SomeFloats(kWide, 1));
    for (int i = 0; i < 8; ++i) {
      last = built.Node(i % 2 == 0 ? "Exp" : "Sin", {last}, absl::StrCat("inner", i),
                        SomeFloats(kWide, 2 + static_cast<unsigned>(i), noise));
    }
    built.Output("y", built.Node("Mul", {last}, "y", SomeFloats(kWide, 40)));
    return built;
  };
  Comparison comparison = CompareBuilt(side(0), side(2));
  ASSERT_EQ(comparison.rows[1].aligned.right.size(), 9u);
  EXPECT_THAT(Draw(comparison), Not(HasSubstr("inner6")));
  EXPECT_THAT(Draw(comparison), Not(HasSubstr("begins here")));
  comparison.causes.emplace_back().right = comparison.rows[1].aligned.right[6];
  std::vector<std::string> marked;
  for (const absl::string_view line : absl::StrSplit(Draw(comparison), '\n')) {
    if (absl::StrContains(line, "begins here")) marked.emplace_back(line);
  }
  ASSERT_EQ(marked.size(), 1u);
  EXPECT_THAT(marked[0], HasSubstr("inner6"));
}

TEST(RenderTableTest, CallPathsAreHeadings) {
  const auto side = [](bool functions) {
    BuiltSide built;
    const int x = built.Input("x", SomeFloats(kWide, 1));
    int y = x;
    for (uint64_t i = 0; i < 2; ++i) {
      const StreamBuilder::NodeOptions inside = {
          .path = functions ? absl::StrCat("decoder/attention_", i) : ""};
      const double noise = functions ? 2e-7 : 0;
      y = built.Node("MatMul", {y, x}, absl::StrCat("q", i), SomeFloats(kWide, 10 + i, noise),
                     inside);
      y = built.Node("Softmax", {y}, absl::StrCat("p", i), SomeFloats(kWide, 20 + i, noise),
                     inside);
    }
    y = built.Node("Add", {y, x}, "y", SomeFloats(kWide, 30));
    built.Output("y", y);
    return built;
  };
  ExpectGolden("table/call_paths.txt", Draw(CompareBuilt(side(false), side(true))));
}

// Thousands of differences are a screenful all the same.
TEST(RenderTableTest, ManyDifferences) {
  const auto side = [](bool wrong) {
    BuiltSide built;
    int x = built.Input("x", SomeFloats({8}, 1));
    for (uint64_t i = 0; i < 2000; ++i) {
      x = built.Node("Add", {x, x}, absl::StrCat("sum_", i),
                     SomeFloats({8}, 10 + i, wrong && i > 2 ? 0.1 : 0));
      if (i % 500 == 0) built.Output(absl::StrCat("out_", i), x);
    }
    built.Output("last", x);
    return built;
  };
  const std::string text = Draw(CompareBuilt(side(false), side(true)), {.width = 80});
  ExpectGolden("table/many.txt", text);
  EXPECT_LT(Lines(text), 40u);
  EXPECT_THAT(text, HasSubstr("more results differ"));
}

TEST(RenderTableTest, MovedRowsSayWhere) {
  const auto side = [](bool late) {
    BuiltSide built;
    const int x = built.Input("x", SomeFloats({8}, 1));
    const auto branch = [&] { return built.Node("Exp", {x}, "branch", SomeFloats({8}, 2)); };
    int b = late ? kNone : branch();
    int y = x;
    for (uint64_t i = 0; i < 6; ++i) {
      y = built.Node("Sin", {y}, absl::StrCat("chain_", i), SomeFloats({8}, 10 + i));
    }
    if (late) b = branch();
    built.Output("y", built.Node("Add", {y, b}, "y", SomeFloats({8}, 30)));
    return built;
  };
  ExpectGolden("table/moved.txt", Draw(CompareBuilt(side(false), side(true))));
  EXPECT_THAT(Draw(CompareBuilt(side(true), side(false))), HasSubstr("moved ↑ to the front"));
}

TEST(RenderTableTest, ARecordingAgainstAModel) {
  BuiltSide recording;
  recording.Recorded("('decoder.layer', 0, 'O')", SomeFloats(kWide, 1));
  recording.Recorded("('decoder.head', 0, 'O')", SomeFloats(kWide, 19, 1e-7));
  ExpectGolden("table/recording.txt", Draw(CompareBuilt(recording, Decoder(Kind::kPlain))));
}

TEST(RenderTableTest, OddValues) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto side = [&](bool other) {
    BuiltSide built;
    const int a = built.Input("ids", Tensor::Of<int64_t>({3}, {1, 2, 3}));
    const int b = built.Node("Abs", {a}, "counts", Tensor::Of<int64_t>({3}, {1, 2, other ? 7 : 3}));
    const int c =
        built.Node("Log", {b}, "logs", Tensor::Of<float>({4}, {1, 2, 3, other ? nan : 4}));
    const int d =
        built.Node("Greater", {c}, "mask", Tensor::Of<bool>({4}, {true, false, true, !other}));
    const int e =
        built.Node("Slice", {d}, "slice", other ? SomeFloats({2, 3}, 5) : SomeFloats({2, 4}, 6));
    for (const auto& [name, r] : {std::pair("counts", b), {"logs", c}, {"mask", d}, {"slice", e}}) {
      built.Output(name, r);
    }
    if (other) built.Output("extra", b);
    return built;
  };
  ExpectGolden("table/odd_values.txt", Draw(CompareBuilt(side(false), side(true))));
}

TEST(RenderTableTest, NanOnBothSidesIsSaid) {
  const auto side = [](float zero) {
    BuiltSide built;
    const int x = built.Input("x", SomeFloats({8}, 1));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    built.Output("y", built.Node("Log", {x}, "y", Tensor::Of<float>({3}, {nan, zero, 2})));
    return built;
  };
  EXPECT_THAT(Draw(CompareBuilt(side(0), side(-0.0f))),
              HasSubstr("close      the output agrees but for the signs of zeros or the bits of "
                        "NaN; 1 element is NaN on"));
}

TEST(RenderTableTest, NamesCannotSteerTheTerminal) {
  const auto side = [](double noise) {
    BuiltSide built;
    const int x = built.Input("in\x1b[2J\nput", SomeFloats({8}, 1));
    const int y =
        built.Node("Op\x07", {x}, "重み/とても長い名前の結果/layer.0/attention/self/Add_output_0",
                   SomeFloats({8}, 2, noise));
    built.Output("\xFF\u202Ey", y);
    return built;
  };
  const Comparison comparison = CompareBuilt(side(0), side(0.2));
  for (const bool ascii : {false, true}) {
    const std::string text = Draw(comparison, {.width = 80, .ascii = ascii});
    EXPECT_TRUE(std::none_of(text.begin(), text.end(), [](char c) {
      return c >= 0 && c < 0x20 && c != '\n';
    })) << text;
    EXPECT_THAT(text, HasSubstr("in\\x1b[2J\\nput"));
    EXPECT_THAT(text, Not(HasSubstr("\u202E")));
  }
  EXPECT_THAT(Draw(comparison, {.width = 80, .wide = true}),
              HasSubstr("重み/とても長い名前の結果/layer.0/attention/self/Add_output_0"));
}

TEST(RenderTableTest, NothingAtAll) {
  const std::string text = Draw(Comparison(), {.width = 0});
  EXPECT_THAT(text, HasSubstr("exit 1\n"));
}

TEST(RenderTableTest, SeveralSets) {
  const std::vector<SetSummary> sets = {
      SummaryOf("test_data_set_0", CompareBuilt(Decoder(Kind::kPlain), Decoder(Kind::kPlain))),
      SummaryOf("test_data_set_1", Optimized()), SummaryOf("test_data_set_2", Wrong())};
  EXPECT_EQ(OverallVerdict(sets), Verdict::kDifferent);
  ExpectGolden("table/sets.txt", RenderSetsSummary(sets));
  EXPECT_EQ(OverallVerdict({}), Verdict::kSame);
}

// Of one output: the same bits, values within tolerance or values beyond it.
Comparison WithVerdict(Verdict verdict) {
  Comparison comparison;
  OutputPair& pair = comparison.outputs.pairs.emplace_back();
  pair.same_bits = verdict == Verdict::kSame;
  pair.difference.beyond = verdict == Verdict::kDifferent ? 1 : 0;
  if (verdict == Verdict::kFailed) comparison.status = absl::InternalError("no kernel");
  return comparison;
}

TEST(RenderTableTest, ExitStatus) {
  const auto status = [](Verdict verdict, FailOn fail_on = FailOn::kDifferent) {
    Comparison comparison = WithVerdict(verdict);
    comparison.fail_on = fail_on;
    comparison.causes.emplace_back();
    return ExitStatusOf(comparison);
  };
  EXPECT_EQ(status(Verdict::kSame), 0);
  EXPECT_EQ(status(Verdict::kClose), 0);
  EXPECT_EQ(status(Verdict::kDifferent), 1);
  EXPECT_EQ(status(Verdict::kFailed), 2);
  EXPECT_EQ(status(Verdict::kClose, FailOn::kCauses), 1);
  EXPECT_EQ(status(Verdict::kClose, FailOn::kBits), 1);
  EXPECT_EQ(status(Verdict::kSame, FailOn::kBits), 0);
}

TEST(RenderTableTest, OneCauseMovesSeveralMove) {
  Comparison comparison = WithVerdict(Verdict::kClose);
  comparison.outputs.pairs[0].moved = 0.02;
  comparison.causes.emplace_back();
  const auto text = [&] { return absl::StrJoin(VerdictText(comparison), "\n"); };
  EXPECT_THAT(text(), HasSubstr("the cause moves the outputs by 0.02"));
  comparison.causes.emplace_back();
  EXPECT_THAT(text(), HasSubstr("the causes move the outputs by 0.02"));
}

// A shape that is written otherwise says nothing where every bit of the outputs is the same.
TEST(RenderTableTest, HelperIntegersAreNoWarningBesideTheSameOutputs) {
  const auto is_told = [](Verdict verdict, DType dtype) {
    Comparison comparison = WithVerdict(verdict);
    comparison.left.results.emplace_back().dtype = dtype;
    comparison.right.results.emplace_back().dtype = dtype;
    ComparedRow& row = comparison.rows.emplace_back();
    row.aligned.left = row.aligned.right = {0};
    row.relation = Relation::kDifferent;
    return absl::StrContains(absl::StrJoin(VerdictText(comparison), "\n"), "1 pair inside differs");
  };
  EXPECT_FALSE(is_told(Verdict::kSame, DType::kInt64));
  EXPECT_TRUE(is_told(Verdict::kClose, DType::kInt64));
  EXPECT_TRUE(is_told(Verdict::kSame, DType::kFloat));
  EXPECT_TRUE(is_told(Verdict::kSame, DType::kUint8));
}

// Whoever asks for causes is told why one that is shown does not count.
TEST(RenderTableTest, CausesThatDoNotCountAreSaidNotTo) {
  const auto is_told = [](FailOn fail_on, CauseKind kind) {
    Comparison comparison = WithVerdict(Verdict::kClose);
    comparison.fail_on = fail_on;
    comparison.causes.emplace_back().kind = kind;
    return absl::StrContains(absl::StrJoin(VerdictText(comparison), "\n"), "do not count");
  };
  EXPECT_TRUE(is_told(FailOn::kCauses, CauseKind::kApproximation));
  EXPECT_FALSE(is_told(FailOn::kCauses, CauseKind::kInitializer));
  EXPECT_FALSE(is_told(FailOn::kDifferent, CauseKind::kApproximation));
}

}  // namespace
}  // namespace onnxcmp
