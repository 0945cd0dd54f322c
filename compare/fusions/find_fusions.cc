#include "compare/fusions/find_fusions.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compare/fusions/catalog/fusion_forms.h"
#include "compare/fusions/matching/fusion_graph.h"
#include "compare/fusions/matching/pattern_match.h"
#include "evaluator/model/node_text.h"
#include "record/base/work_bounds.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

struct ParsedForm {
  FusionForm form;
  Pattern pattern;
};

// Forms by the operator that makes their result.
using FormIndex = std::map<std::string, std::vector<ParsedForm>, std::less<>>;

FormIndex AllForms() {
  FusionForms forms;
  NamedPatterns named;
  AddAllForms(&forms, &named);
  FormIndex index;
  for (const FusionForm& form : forms) {
    absl::StatusOr<Pattern> pattern = ParsePattern(form.pattern, named);
    OC_CHECK(pattern.ok());
    std::set<std::string> operators;
    CollectRootOperators(*pattern, &operators);
    for (const std::string& op : operators) index[op].push_back({form, *pattern});
  }
  return index;
}

// A fusion by numbers of nodes and values.
struct Candidate {
  const FusionForm* form = nullptr;
  int root = 0;  // the node whose result the pattern describes
  std::set<int> nodes;
  std::set<int> between;  // nodes that were looked through
  std::set<int> exposed;
  std::vector<int> results;              // its own; results of nodes grown after it follow
  std::map<int, std::set<int>> outside;  // readers by a value inside
  std::vector<int> outputs;              // values inside that are graph outputs

  size_t faults() const { return between.size() + outside.size() + outputs.size(); }
  int last() const { return *nodes.rbegin(); }
};

bool OneOf(absl::string_view op, std::initializer_list<absl::string_view> names) {
  return std::find(names.begin(), names.end(), op) != names.end();
}

class FusionFinder {
 public:
  FusionFinder(const Graph& graph, const FusionGraph* outer, const FormIndex& forms,
               std::string path)
      : graph_(graph, outer), forms_(forms), path_(std::move(path)) {}

  std::vector<Fusion> Find() {
    for (size_t n = 0; n < graph_.graph().nodes.size(); ++n) {
      const auto forms = forms_.find(graph_.node(static_cast<int>(n)).op_type);
      if (forms == forms_.end()) continue;
      for (const ParsedForm& form : forms->second) TryForm(form, static_cast<int>(n));
    }
    KeepLargest();
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.last() < b.last(); });
    std::vector<Fusion> fusions;
    for (const Candidate& candidate : candidates_) fusions.push_back(Describe(candidate));
    AddInner(&fusions);
    return fusions;
  }

 private:
  void TryForm(const ParsedForm& form, int root) {
    std::optional<Candidate> best;
    for (const PatternMatch& match : MatchPattern(graph_, form.pattern, root)) {
      Candidate candidate;
      candidate.form = &form.form;
      candidate.root = root;
      candidate.nodes = match.nodes;
      candidate.between = match.obstacles;
      candidate.exposed = match.exposed;
      candidate.results = {graph_.outputs(root)[0]};
      if (!form.form.grows.empty()) Grow(match, &candidate);
      FindReaders(&candidate);
      if (!best.has_value() || candidate.faults() < best->faults()) best = std::move(candidate);
    }
    if (best.has_value()) candidates_.push_back(*std::move(best));
  }

  bool Holds(const Candidate& candidate, int n) const {
    return candidate.nodes.contains(n) || candidate.between.contains(n);
  }

  // True if all readers of a value are in the fusion, or read only its shape.
  bool ReadInside(const Candidate& candidate, int value) const {
    const std::vector<int>& readers = graph_.readers(value);
    return !graph_.IsOutput(value) && std::all_of(readers.begin(), readers.end(), [&](int n) {
      return Holds(candidate, n) || HasTrait(graph_.node(n), OperatorTrait::kReadsNoElements);
    });
  }

  bool MayStandBefore(const Candidate& candidate, int n) const {
    const Node& node = graph_.node(n);
    if (node.domain != kOnnxDomain || graph_.IsStaticNode(n)) return false;
    const std::vector<int>& inputs = graph_.inputs(n);
    const auto constant = [&](size_t i) {
      return i < inputs.size() && inputs[i] != kNone && graph_.IsConstant(inputs[i]);
    };
    const std::vector<int>& outputs = graph_.outputs(n);
    const auto inside = [&](int value) { return value == kNone || ReadInside(candidate, value); };
    // A cache is passed on to the next step.
    if (node.op_type == "Concat") return true;
    if (!std::all_of(outputs.begin(), outputs.end(), inside)) return false;
    if (HasTrait(node, OperatorTrait::kRearranges)) return true;
    if (OneOf(node.op_type, {"MatMul", "Gemm"})) return constant(1);
    return node.op_type == "Add" && (constant(0) || constant(1));
  }

  void Grow(const PatternMatch& match, Candidate* candidate) const {
    std::vector<int> before;
    for (const auto& [name, value] : match.bound) {
      const std::vector<std::string>& grows = candidate->form->grows;
      if (std::find(grows.begin(), grows.end(), name) != grows.end()) {
        before.push_back(graph_.producer(value));
      }
    }
    // A node that has readers outside is looked at again with each reader that joins the fusion.
    while (!before.empty()) {
      const int n = before.back();
      before.pop_back();
      if (n == kNone || Holds(*candidate, n)) continue;
      if (!MayStandBefore(*candidate, n)) continue;
      candidate->nodes.insert(n);
      if (graph_.node(n).op_type == "Concat") candidate->exposed.insert(graph_.outputs(n)[0]);
      for (const int input : graph_.inputs(n)) {
        if (input != kNone) before.push_back(graph_.producer(input));
      }
    }
    while (true) {
      const int value = candidate->results.back();
      std::vector<int> readers;
      for (const int reader : graph_.readers(value)) {
        if (!HasTrait(graph_.node(reader), OperatorTrait::kReadsNoElements))
          readers.push_back(reader);
      }
      if (graph_.IsOutput(value) || readers.size() != 1) return;
      const Node& node = graph_.node(readers[0]);
      if (!OneOf(node.op_type, {"Transpose", "Reshape"}) || graph_.inputs(readers[0])[0] != value) {
        return;
      }
      candidate->nodes.insert(readers[0]);
      candidate->results.push_back(graph_.outputs(readers[0])[0]);
    }
  }

  void FindReaders(Candidate* candidate) const {
    std::set<int> inside = candidate->nodes;
    inside.insert(candidate->between.begin(), candidate->between.end());
    for (const int n : inside) {
      // Further outputs of the last node are for readers outside, too.
      if (n == graph_.producer(candidate->results.back())) continue;
      for (const int value : graph_.outputs(n)) {
        if (value == kNone || candidate->exposed.contains(value)) continue;
        if (graph_.IsOutput(value)) candidate->outputs.push_back(value);
        for (const int reader : graph_.readers(value)) {
          if (Holds(*candidate, reader) ||
              HasTrait(graph_.node(reader), OperatorTrait::kReadsNoElements))
            continue;
          candidate->outside[value].insert(reader);
        }
      }
    }
  }

  // Drops candidates that are parts of a larger one.
  void KeepLargest() {
    std::vector<Candidate> kept;
    std::map<int, std::vector<size_t>> kept_with;  // by node
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) {
                       if (a.nodes.size() != b.nodes.size()) return a.nodes.size() > b.nodes.size();
                       return a.faults() < b.faults();
                     });
    for (Candidate& candidate : candidates_) {
      const std::vector<size_t>& near = kept_with[candidate.last()];
      const bool part = std::any_of(near.begin(), near.end(), [&](size_t k) {
        const Candidate& larger = kept[k];
        const FusionFamily family = larger.form->family;
        const bool same = family == candidate.form->family ||
                          (family == FusionFamily::kEmbedding &&
                           candidate.form->family == FusionFamily::kNormalization);
        return same && std::includes(larger.nodes.begin(), larger.nodes.end(),
                                     candidate.nodes.begin(), candidate.nodes.end());
      });
      if (part) continue;
      for (const int n : candidate.nodes) kept_with[n].push_back(kept.size());
      kept.push_back(std::move(candidate));
    }
    candidates_ = std::move(kept);
  }

  std::string LabelOf(int n) const { return std::string(NodeLabel(graph_.node(n))); }

  static ObstacleKind KindOf(absl::string_view op) {
    if (absl::StartsWith(op, "Q") || absl::StartsWith(op, "Dequantize")) {
      return ObstacleKind::kQuantization;
    }
    if (op == "Cast") return ObstacleKind::kCast;
    if (op == "Transpose") return ObstacleKind::kTranspose;
    return OneOf(op, {"Identity", "Dropout"}) ? ObstacleKind::kIdentity : ObstacleKind::kReshape;
  }

  // The fusion's first node after node n.
  std::string NodeAfter(const Candidate& candidate, int n) const {
    std::set<int> seen = {n};
    for (std::set<int> front = {n}; !front.empty();) {
      std::set<int> next;
      for (const int at : front) {
        for (const int value : graph_.outputs(at)) {
          if (value == kNone) continue;
          for (const int reader : graph_.readers(value)) {
            if (candidate.nodes.contains(reader)) return LabelOf(reader);
            if (candidate.between.contains(reader) && seen.insert(reader).second) {
              next.insert(reader);
            }
          }
        }
      }
      front = std::move(next);
    }
    return "";
  }

  FusionObstacle ObstacleAt(const Candidate& candidate, int n) const {
    FusionObstacle obstacle;
    obstacle.kind = KindOf(graph_.node(n).op_type);
    obstacle.nodes.push_back(LabelOf(n));
    const int input = graph_.inputs(n)[0];
    obstacle.result = graph_.name(input);
    int maker = graph_.producer(input);
    while (maker != kNone && candidate.between.contains(maker)) {
      maker = graph_.producer(graph_.inputs(maker)[0]);
    }
    obstacle.after = maker == kNone || !candidate.nodes.contains(maker) ? "" : LabelOf(maker);
    obstacle.before = NodeAfter(candidate, n);
    return obstacle;
  }

  std::vector<FusionObstacle> ObstaclesOf(const Candidate& candidate) const {
    std::vector<FusionObstacle> obstacles;
    std::map<int, size_t> of_quantize;  // obstacles, by the node that rounds
    for (const int n : candidate.nodes) {
      if (!RoundsItsResult(graph_.node(n)) || n == candidate.root) continue;
      of_quantize[n] = obstacles.size();
      FusionObstacle& obstacle = obstacles.emplace_back();
      obstacle.kind = ObstacleKind::kQuantization;
      obstacle.nodes = {LabelOf(n)};
      obstacle.result = obstacle.quantized = graph_.name(graph_.outputs(n)[0]);
      obstacle.after = LabelOf(n);
      obstacle.before = NodeAfter(candidate, n);
    }
    for (const int n : candidate.between) {
      const int maker = graph_.producer(graph_.inputs(n)[0]);
      const auto pair = of_quantize.find(maker);
      if (graph_.node(n).op_type == "DequantizeLinear" && pair != of_quantize.end()) {
        obstacles[pair->second].nodes.push_back(LabelOf(n));
        continue;
      }
      if (graph_.node(n).op_type == "QuantizeLinear") of_quantize[n] = obstacles.size();
      obstacles.push_back(ObstacleAt(candidate, n));
      if (graph_.node(n).op_type == "QuantizeLinear") {
        obstacles.back().quantized = graph_.name(graph_.outputs(n)[0]);
      }
      if (graph_.node(n).op_type == "DequantizeLinear") {
        obstacles.back().quantized = obstacles.back().result;
      }
    }
    for (const auto& [value, readers] : candidate.outside) {
      FusionObstacle& obstacle = obstacles.emplace_back();
      obstacle.kind = ObstacleKind::kReader;
      for (const int reader : readers) obstacle.nodes.push_back(LabelOf(reader));
      obstacle.result = graph_.name(value);
      obstacle.after = LabelOf(graph_.producer(value));
    }
    for (const int value : candidate.outputs) {
      FusionObstacle& obstacle = obstacles.emplace_back();
      obstacle.kind = ObstacleKind::kOutput;
      obstacle.result = graph_.name(value);
      obstacle.after = LabelOf(graph_.producer(value));
    }
    return obstacles;
  }

  void AddCopies(int value, int depth, Fusion* fusion) const {
    if (depth == work_bounds::kHops) return;
    for (const int n : graph_.readers(value)) {
      if (!(HasTrait(graph_.node(n), OperatorTrait::kStandsBetween) ||
            graph_.node(n).op_type == "ReorderOutput"))
        continue;
      const int copy = graph_.outputs(n)[0];
      if (graph_.inputs(n)[0] != value || copy == kNone) continue;
      fusion->copies.push_back(graph_.name(copy));
      AddCopies(copy, depth + 1, fusion);
    }
  }

  Fusion Describe(const Candidate& candidate) const {
    Fusion fusion;
    fusion.family = candidate.form->family;
    fusion.form = candidate.form->name;
    fusion.path = path_;
    std::set<int> read;
    for (const int n : candidate.nodes) {
      fusion.nodes.push_back(LabelOf(n));
      fusion.op_types.push_back(graph_.node(n).op_type);
      for (const int input : graph_.inputs(n)) {
        if (input == kNone || graph_.IsStatic(input)) continue;
        const int maker = graph_.producer(input);
        const bool inside = maker != kNone && Holds(candidate, maker);
        if (!inside && read.insert(input).second) fusion.inputs.push_back(graph_.name(input));
      }
    }
    for (const int value : candidate.results) fusion.results.push_back(graph_.name(value));
    AddCopies(candidate.results.back(), 0, &fusion);
    fusion.obstacles = ObstaclesOf(candidate);
    return fusion;
  }

  void AddInner(std::vector<Fusion>* fusions) {
    for (const Node& node : graph_.graph().nodes) {
      for (const auto& [name, attribute] : node.attributes) {
        const auto* body = std::get_if<std::shared_ptr<const Graph>>(&attribute);
        if (body == nullptr) continue;
        const std::string path =
            absl::StrCat(path_, path_.empty() ? "" : "/", NodeLabel(node), "[", name, "]");
        for (Fusion& fusion : FusionFinder(**body, &graph_, forms_, path).Find()) {
          fusions->push_back(std::move(fusion));
        }
      }
    }
  }

  const FusionGraph graph_;
  const FormIndex& forms_;
  std::string path_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::vector<Fusion> FindFusions(const Graph& graph) {
  const FormIndex forms = AllForms();
  return FusionFinder(graph, nullptr, forms, "").Find();
}

absl::string_view ObstacleKindName(ObstacleKind kind) {
  constexpr std::array<absl::string_view, 7> kNames = {
      "Q/DQ", "Cast", "Reshape", "Transpose", "Identity", "second reader", "graph output"};
  return kNames[static_cast<size_t>(kind)];
}

}  // namespace onnxcmp
