#include "feed/made_up/purpose_table.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "evaluator/tensor/tensor.h"
#include "tests/support/load_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::LoadGraph;

// The purposes that the walk finds for all inputs, in words.
std::string Told(const Graph& graph, absl::Span<const PurposeRule> rules) {
  const InputPurposes purposes = PurposesBy(rules, graph);
  std::string told;
  for (const ValueInfo& input : graph.inputs) {
    const auto it = purposes.find(input.name);
    if (it == purposes.end()) continue;
    const InputPurpose& purpose = it->second;
    const auto* ids = purpose.As<IdPurpose>();
    absl::StrAppend(&told, input.name, ": ", PurposeName(purpose.purpose), " ", purpose.why, " ",
                    purpose.limit.value_or(-1), " ", absl::StrJoin(purpose.landmarks, ","),
                    absl::StrJoin(purpose.words, ","), absl::StrJoin(purpose.keys, ","),
                    purpose.As<MaskPurpose>() != nullptr && purpose.As<MaskPurpose>()->sums,
                    ids == nullptr ? 0 : ids->wraps);
    const auto* features = purpose.As<FeaturePurpose>();
    for (int64_t i = 0; features != nullptr && i < 4; ++i) {
      const auto values = features->thresholds.find(i);
      if (values != features->thresholds.end()) {
        absl::StrAppend(&told, " ", i, "=", absl::StrJoin(values->second, ","));
      }
    }
  }
  return told;
}

// An operator that reads `x` in a slot, and another input in all others.
Graph Reading(const PurposeRule& rule, absl::string_view op_type, DType dtype) {
  Graph graph;
  const size_t slot = rule.slot == PurposeRule::kAnySlot ? 0 : rule.slot;
  Node node;
  node.domain = std::string(rule.domain);
  node.op_type = std::string(op_type);
  for (size_t i = 0; i < slot + 2; ++i) {
    ValueInfo input;
    input.name = i == slot ? "x" : absl::StrCat("other", i);
    input.type.dtype = i == slot ? dtype : DType::kFloat;
    input.type.shape.emplace();
    for (const int64_t size : {2, 3}) input.type.shape->emplace_back().value = size;
    node.inputs.push_back(input.name);
    graph.inputs.push_back(std::move(input));
  }
  node.outputs = {"y"};
  graph.nodes.push_back(std::move(node));
  return graph;
}

// Graphs for the rows of what is computed before.
constexpr const char* kGraphs[] = {
    // Limits after a reduction.
    "g (float[2,3] x) => (float[2] y) <float l = {-4}, float h = {9}, int64[1] s = {-1}> {"
    " r = Abs(x) f = Reshape(r, s) y = Clip(f, l, h) }",
    "g (float[2,3] x) => (float[2,3] y) <float l = {-4}, float h = {9}> {"
    " r = Abs(x) d = Cast<to = 11>(r) f = Cast<to = 1>(d) y = Clip(f, l, h) }",
    // Roots of integers and of fractions.
    "g (float[2] x) => (float[2] y) <float e = {1.5}> { y = Pow(x, e) }",
    // Text, and keys behind it.
    "g (string[2] x) => (bool[2] y) <string[2] w = {\"a\", \"b\"}> {"
    " n = StringNormalizer(x) y = Equal(n, w) }",
    "<ir_version: 9, opset_import: [\"\" : 18, \"ai.onnx.ml\" : 3]> g"
    " (float[n,2] x) => (float[n,2] y) { s = ai.onnx.ml.Scaler<offset = [1.0], scale = [0.5]>(x)"
    " y = ai.onnx.ml.TreeEnsembleRegressor<n_targets = 1, nodes_treeids = [0, 0, 0],"
    " nodes_nodeids = [0, 1, 2], nodes_featureids = [1, 0, 0], nodes_values = [3.0, 0.0, 0.0],"
    " nodes_modes = [\"BRANCH_LEQ\", \"LEAF\", \"LEAF\"], nodes_truenodeids = [1, 0, 0],"
    " nodes_falsenodeids = [2, 0, 0], target_treeids = [0, 0], target_nodeids = [1, 2],"
    " target_ids = [0, 0], target_weights = [1.0, 2.0]>(s) }",
    // Hops to a table.
    "g (int32[6] x) => (float[2,3] y) <float[5] t = {1, 2, 3, 4, 5}, int64[2] s = {2, 3}> {"
    " l = Cast<to = 7>(x) r = Reshape(l, s) y = Gather(t, r) }",
    "g (int64[2] x) => (float[2] y) <float[5] t = {1, 2, 3, 4, 5}, int64 m = {5}> {"
    " r = Mod(x, m) y = Gather(t, r) }",
    "g (int64[2] x) => (float[2] y) <float[5] t = {1, 2, 3, 4, 5}, int64 o = {1}> {"
    " s = Sub(x, o) y = Gather(t, s) }",
    "g (int64[2] x, int64[2] z) => (float[2] y) <float[6] t = {1, 2, 3, 4, 5, 6}, int64 w = {3}> {"
    " r = Mul(x, w) s = Add(r, z) y = Gather(t, s) }",
    "g (int64[2] x) => (int64[2] y) <int64[5] t = {1, 2, 3, 4, 5}> { n = Neg(x) y = Gather(t, n) }",
    // Masks.
    "g (int64[2,4] x) => (int64[2,4] y) <int64 o = {1}, int64 a = {1}> {"
    " i = Sub(o, x) y = CumSum(i, a) }",
    "g (int64[2,4] x) => (int64[2,4] y) <int64 a = {1}> { y = CumSum(x, a) }",
    "g (int64[2,4] x) => (int64[2,4] y) <int64 z = {0}, int64 a = {1}> {"
    " c = Equal(x, z) b = Cast<to = 7>(c) y = CumSum(b, a) }",
    "g (int64[2,4] x, float[2,4] h) => (float[2,4] y) { f = Cast<to = 1>(x) y = Mul(h, f) }",
    "g (int64[2,4] x, float[2,4] s) => (float[2,4] y) <float big = {-10000}> {"
    " f = Cast<to = 11>(x) d = Cast<to = 1>(f) m = Mul(d, big) y = Add(s, m) }",
    "g (float[2,4,4] x, float[2,4,3] q, float[2,3,4] k, float[4] b) => (float[2,4,4] y)"
    " <float[4] c = {1, 2, 3, 4}> { s = MatMul(q, k) t = Add(s, x) u = Add(t, c)"
    " v = Add(u, b) y = Softmax(v) }",
    // Counts and phases.
    "g (int64[2] x) => (float[2,4] y) <int64[1,4] r = {0, 1, 2, 3}, int64[1] o = {1}> {"
    " u = Unsqueeze(x, o) c = Equal(r, u) y = Cast<to = 1>(c) }",
    "g (int64[2,4] x, float[1,3] f) => (float[2,4,3] y) <int64[1] a = {2}> {"
    " u = Unsqueeze(x, a) c = Cast<to = 1>(u) p = MatMul(c, f) y = Cos(p) }",
    "g (int64[2,3] x) => (float[2,3] y) <float[3] f = {1, 2, 3}> {"
    " c = Cast<to = 1>(x) p = Mul(c, f) y = Cos(p) }",
};

TEST(PurposeTable, EachRowIsNeeded) {
  std::vector<std::shared_ptr<const Model>> models;
  for (const char* text : kGraphs) {
    const auto model = LoadGraph(text);
    ASSERT_TRUE(model.ok()) << model.status() << text;
    models.push_back(*model);
  }
  const std::vector<PurposeRule> all(PurposeRules().begin(), PurposeRules().end());
  for (size_t row = 0; row < all.size(); ++row) {
    std::vector<PurposeRule> others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(row));
    bool missed = false;
    for (const absl::string_view name : absl::StrSplit(all[row].operators, ' ')) {
      for (const DType dtype : {DType::kFloat, DType::kInt64}) {
        const Graph graph = Reading(all[row], name, dtype);
        missed |= Told(graph, all) != Told(graph, others);
      }
    }
    for (const auto& model : models)
      missed |= Told(model->graph, all) != Told(model->graph, others);
    EXPECT_TRUE(missed) << "row " << row << ": " << all[row].operators << ", slot "
                        << all[row].slot;
  }
}

}  // namespace
}  // namespace onnxcmp
