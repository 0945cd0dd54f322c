#include "tests/support/model_pair.h"

#include <utility>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "compare/alignment/mark_names.h"
#include "compare/causes/cause_class.h"
#include "evaluator/base/status_macros.h"
#include "ops/operators.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

absl::StatusOr<std::unique_ptr<ModelSide>> SideOf(absl::string_view graph,
                                                  const OpRegistry& registry, const Feeds& feeds) {
  const std::string text =
      absl::StrCat("<ir_version: 9, opset_import: [\"\": 18, \"com.microsoft\": 1]>\ng ", graph);
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model, LoadModelFromText(text, registry));
  OC_ASSIGN_OR_RETURN(std::unique_ptr<ModelSide> side,
                      ModelSide::Create(std::move(model), registry, {.threads = 1}));
  side->SetFeeds(feeds);
  return side;
}

// Operator and name of the last of `results`.
std::string Last(const ResultStream& stream, const FewResults& results) {
  const StreamResult& result = stream.results[static_cast<size_t>(results.back())];
  const std::string op = result.node == kNone
                             ? std::string(ResultKindName(result.kind))
                             : stream.nodes[static_cast<size_t>(result.node)].op_type;
  return absl::StrCat(op, " ", result.name);
}

std::vector<std::string> Texts(const Comparison& comparison, bool results_only) {
  std::vector<std::string> texts;
  for (const ComparedRow& row : comparison.rows) {
    const AlignedRow& aligned = row.aligned;
    const int any = aligned.left.empty() ? aligned.right.back() : aligned.left.back();
    const ResultStream& stream = aligned.left.empty() ? comparison.right : comparison.left;
    if (results_only && stream.results[static_cast<size_t>(any)].kind != ResultKind::kResult) {
      continue;
    }
    std::vector<std::string> sides;
    if (!aligned.left.empty()) sides.push_back(Last(comparison.left, aligned.left));
    if (!aligned.right.empty()) sides.push_back(Last(comparison.right, aligned.right));
    std::string text = absl::StrCat(RelationName(row.relation), " ", absl::StrJoin(sides, " | "));
    for (const absl::string_view mark : MarkNames(aligned.marks)) {
      absl::StrAppend(&text, " ", mark);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

absl::StatusOr<Comparison> CompareGraphs(absl::string_view left, absl::string_view right,
                                         const Feeds& left_feeds, const Feeds& right_feeds,
                                         const CompareOptions& options) {
  const OpRegistry registry = AllOperators();
  OC_ASSIGN_OR_RETURN(std::unique_ptr<ModelSide> left_side, SideOf(left, registry, left_feeds));
  OC_ASSIGN_OR_RETURN(std::unique_ptr<ModelSide> right_side, SideOf(right, registry, right_feeds));
  return Compare(*left_side, *right_side, options);
}

absl::StatusOr<Comparison> CompareGraphs(absl::string_view left, absl::string_view right,
                                         const Feeds& feeds, const CompareOptions& options) {
  return CompareGraphs(left, right, feeds, feeds, options);
}

std::unique_ptr<ModelSide> SideFedWith(const Tensor& x, const std::string& text,
                                       const LoadOptions& load) {
  const LoadedModel model = LoadGraph(text, load);
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok()) return nullptr;
  auto side = ModelSide::Create(*model, Registry(), {.threads = 1});
  EXPECT_TRUE(side.ok()) << side.status();
  if (!side.ok()) return nullptr;
  (*side)->SetFeeds({{(*model)->graph.inputs[0].name, x}});
  return *std::move(side);
}

Comparison CompareFedWith(const Tensor& left_x, const std::string& left, const Tensor& right_x,
                          const std::string& right, CompareOptions options) {
  const auto a = SideFedWith(left_x, left);
  const auto b = SideFedWith(right_x, right);
  if (a == nullptr || b == nullptr) return {};
  options.threads = 1;
  absl::StatusOr<Comparison> comparison = Compare(*a, *b, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? *std::move(comparison) : Comparison();
}

std::string Replaced(absl::string_view text, absl::string_view from, absl::string_view to) {
  std::string replaced = absl::StrReplaceAll(text, {{from, to}});
  EXPECT_NE(replaced, text) << from;
  return replaced;
}

std::vector<std::string> NamesOfWrong(const Comparison& comparison) {
  std::vector<std::string> names;
  for (const Cause& cause : comparison.causes) {
    if (IsWrong(cause)) {
      names.push_back(comparison.right.results[static_cast<size_t>(cause.right)].name);
    }
  }
  return names;
}

Tensor GivenX() { return Tensor::Of<float>({2, 4}, {1, -2, 0.5f, 3, -1.5f, 0.25f, 2, -0.75f}); }

Feeds GivenFeeds() { return {{"x", GivenX()}}; }

std::vector<std::string> RowTexts(const Comparison& comparison) {
  return Texts(comparison, /*results_only=*/false);
}

std::vector<std::string> ResultTexts(const Comparison& comparison) {
  return Texts(comparison, /*results_only=*/true);
}

}  // namespace onnxcmp::testing
