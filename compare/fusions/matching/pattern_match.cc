#include "compare/fusions/matching/pattern_match.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "absl/cleanup/cleanup.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "record/base/work_bounds.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

constexpr int kMostMatchSteps = 20000;  // limit for one root
constexpr double kConstantTolerance = 4e-3;
constexpr absl::string_view kBlockedDomain = "com.microsoft.nchwc";

// The quantized form of a standard operator, and the input slots that correspond to the standard
// one's.
struct QuantizedForm {
  absl::string_view op_type;
  absl::string_view stands_for;
  std::array<int, 2> inputs;
};
constexpr QuantizedForm kQuantizedForms[] = {
    {"QLinearMatMul", "MatMul", {0, 3}},
    {"QLinearConv", "Conv", {0, 3}},
    {"QLinearAdd", "Add", {0, 3}},
    {"QLinearMul", "Mul", {0, 3}},
    {"QLinearSoftmax", "Softmax", {0, -1}},
    {"QLinearSigmoid", "Sigmoid", {0, -1}},
    {"QLinearLeakyRelu", "LeakyRelu", {0, -1}},
    {"QGemm", "Gemm", {0, 3}},
};

const QuantizedForm* FormOf(const Node& node) {
  for (const QuantizedForm& form : kQuantizedForms) {
    if (node.op_type == form.op_type) return &form;
  }
  return nullptr;
}

bool IsPatternNumber(double a, double b) {
  return std::abs(a - b) <= kConstantTolerance * std::max(std::abs(a), std::abs(b));
}

// A match in progress, and the constant of the current product or sum so far.
struct Partial {
  PatternMatch match;
  double number = 0;
  bool unknown = false;  // it includes a number that depends on shapes
};
using Partials = std::vector<Partial>;

class PatternMatcher {
 public:
  explicit PatternMatcher(const FusionGraph& graph) : graph_(graph) {}

  Partials Match(const Pattern& pattern, int value, const Partial& before) {
    Partials found;
    if (value == kNone || ++steps_ > kMostMatchSteps) return found;
    switch (pattern.kind) {
      case Pattern::Kind::kOperator:
        return MatchOperator(pattern, value, before);
      case Pattern::Kind::kOptional: {
        Pattern required = pattern;
        required.kind = Pattern::Kind::kOperator;
        found = MatchOperator(required, value, before);
        Append(Match(pattern.parts[0], value, before), &found);
        return found;
      }
      case Pattern::Kind::kProduct:
      case Pattern::Kind::kSum:
        return MatchFolded(pattern, value, before);
      case Pattern::Kind::kNumber: {
        const std::optional<double> scalar = graph_.Scalar(value);
        if (scalar.has_value() && IsPatternNumber(*scalar, pattern.number)) found.push_back(before);
        return found;
      }
      case Pattern::Kind::kConstant:
        if (graph_.IsConstant(value)) found.push_back(before);
        return found;
      case Pattern::Kind::kScalar:
        if (IsScalar(value)) found.push_back(before);
        return found;
      case Pattern::Kind::kAnything:
        return {before};
      case Pattern::Kind::kVariable:
        return MatchVariable(pattern.name, value, before);
      case Pattern::Kind::kDefinition:
        return MatchDefinition(pattern, value, before);
      case Pattern::Kind::kChoice:
        for (const Pattern& part : pattern.parts) Append(Match(part, value, before), &found);
        return found;
      case Pattern::Kind::kExposed: {
        found = Match(pattern.parts[0], value, before);
        for (Partial& partial : found) partial.match.exposed.insert(value);
        return found;
      }
      case Pattern::Kind::kPeek:
        if (!Match(pattern.parts[0], value, before).empty()) found.push_back(before);
        return found;
    }
    return found;
  }

 private:
  static void Append(Partials more, Partials* all) {
    for (Partial& partial : more) {
      if (all->size() >= work_bounds::kTrials) return;
      all->push_back(std::move(partial));
    }
  }

  bool IsScalar(int value) const {
    return graph_.Scalar(value).has_value() ||
           (graph_.IsStatic(value) && !graph_.IsConstant(value));
  }

  // A value's sources through nodes that only pass it on: itself, then one node further back each.
  std::vector<int> Chain(int value) const {
    std::vector<int> chain = {value};
    while (chain.size() <= work_bounds::kNesting) {
      const int n = graph_.producer(chain.back());
      if (n == kNone || graph_.IsConstant(chain.back()) ||
          !HasTrait(graph_.node(n), OperatorTrait::kStandsBetween) || graph_.inputs(n).empty() ||
          graph_.inputs(n)[0] == kNone || graph_.slot(chain.back()) != 0) {
        break;
      }
      chain.push_back(graph_.inputs(n)[0]);
    }
    return chain;
  }

  // Adds the nodes of a chain before its element `end`, which were looked through.
  void AddObstacles(const std::vector<int>& chain, size_t end, Partial* partial) const {
    for (size_t i = 0; i < end; ++i) partial->match.obstacles.insert(graph_.producer(chain[i]));
  }

  bool FitsOperator(const Pattern& pattern, int n) const {
    const Node& node = graph_.node(n);
    const QuantizedForm* form = FormOf(node);
    if (form != nullptr && form->stands_for == pattern.name && pattern.domain.empty()) {
      return FitsConditions(pattern, n);
    }
    if (node.op_type != pattern.name) return false;
    const std::string domain = node.domain == kBlockedDomain ? "nchwc" : node.domain;
    const bool known = domain == kOnnxDomain || domain == kMicrosoftDomain || domain == "nchwc";
    if (pattern.domain == "*" ? !known : pattern.domain != domain) return false;
    return FitsConditions(pattern, n);
  }

  // An attribute's numbers, or those of the input that replaced it.
  std::optional<std::vector<double>> AttributeNumbers(int n, const std::string& name) const {
    const Node& node = graph_.node(n);
    if (const auto it = node.attributes.find(name); it != node.attributes.end()) {
      if (const auto* i = std::get_if<int64_t>(&it->second)) {
        return std::vector<double>{static_cast<double>(*i)};
      }
      if (const auto* f = std::get_if<float>(&it->second)) return std::vector<double>{*f};
      if (const auto* ints = std::get_if<std::vector<int64_t>>(&it->second)) {
        return std::vector<double>(ints->begin(), ints->end());
      }
      return std::vector<double>{std::numeric_limits<double>::quiet_NaN()};
    }
    if (name == "axes" && graph_.inputs(n).size() > 1 && graph_.inputs(n)[1] != kNone) {
      const auto elements = graph_.Elements(graph_.inputs(n)[1]);
      return elements.has_value() ? *elements
                                  : std::vector<double>{std::numeric_limits<double>::quiet_NaN()};
    }
    return std::nullopt;
  }

  bool FitsConditions(const Pattern& pattern, int n) const {
    return std::all_of(
        pattern.conditions.begin(), pattern.conditions.end(),
        [&](const Pattern::Condition& condition) {
          std::optional<std::vector<double>> numbers = AttributeNumbers(n, condition.attribute);
          // Until opset 12, Softmax treated the axes from 1 on as one.
          if (!numbers.has_value() && pattern.name == "Softmax" && graph_.OpsetVersion(n) < 13) {
            numbers = {1};
          }
          if (!numbers.has_value()) return condition.absent;
          return numbers->size() == 1 &&
                 std::any_of(condition.values.begin(), condition.values.end(), [&](double value) {
                   return value == 0 ? (*numbers)[0] == 0 : IsPatternNumber((*numbers)[0], value);
                 });
        });
  }

  std::vector<int> ArgumentsOf(const Pattern& pattern, int n) const {
    const std::vector<int>& inputs = graph_.inputs(n);
    const QuantizedForm* form = FormOf(graph_.node(n));
    if (form == nullptr || graph_.node(n).op_type == pattern.name) return inputs;
    std::vector<int> arguments;
    for (const int i : form->inputs) {
      if (i >= 0 && static_cast<size_t>(i) < inputs.size()) {
        arguments.push_back(inputs[static_cast<size_t>(i)]);
      }
    }
    return arguments;
  }

  Partials MatchOperator(const Pattern& pattern, int value, const Partial& before) {
    Partials found;
    const std::vector<int> chain = Chain(value);
    for (size_t i = 0; i < chain.size(); ++i) {
      const int n = graph_.producer(chain[i]);
      if (n == kNone || !FitsOperator(pattern, n)) continue;
      if (pattern.slot >= 0 && graph_.slot(chain[i]) != pattern.slot) continue;
      Partial partial = before;
      AddObstacles(chain, i, &partial);
      partial.match.nodes.insert(n);
      Append(MatchArguments(pattern, n, partial), &found);
      if (!found.empty()) break;
    }
    return found;
  }

  Partials MatchArguments(const Pattern& pattern, int n, const Partial& before) {
    const std::vector<int> arguments = ArgumentsOf(pattern, n);
    const size_t wanted = pattern.parts.size();
    if (arguments.size() < wanted || (arguments.size() > wanted && !pattern.more_inputs)) return {};
    Partials found = MatchInOrder(pattern, arguments, before);
    if (wanted == 2 && HasTrait(kOnnxDomain, pattern.name, OperatorTrait::kCommutative)) {
      Append(MatchInOrder(pattern, {arguments[1], arguments[0]}, before), &found);
    }
    return found;
  }

  Partials MatchInOrder(const Pattern& pattern, const std::vector<int>& arguments,
                        const Partial& before) {
    Partials found = {before};
    for (size_t i = 0; i < pattern.parts.size(); ++i) {
      Partials next;
      for (const Partial& partial : found) {
        Append(Match(pattern.parts[i], arguments[i], partial), &next);
      }
      found = std::move(next);
    }
    return found;
  }

  // True if two chains lead to the same value through equal nodes.
  bool SameSteps(const std::vector<int>& a, size_t end_a, const std::vector<int>& b,
                 size_t end_b) const {
    if (end_a != end_b) return false;
    for (size_t i = 0; i < end_a; ++i) {
      const int m = graph_.producer(a[i]);
      const int n = graph_.producer(b[i]);
      if (graph_.node(m).op_type != graph_.node(n).op_type) return false;
      const std::vector<int>& x = graph_.inputs(m);
      const std::vector<int>& y = graph_.inputs(n);
      if (x.size() != y.size()) return false;
      for (size_t k = 1; k < x.size(); ++k) {
        if (x[k] == y[k]) continue;
        if (x[k] == kNone || y[k] == kNone) return false;
        const std::optional<double> p = graph_.Scalar(x[k]);
        if (!p.has_value() || p != graph_.Scalar(y[k])) return false;
      }
    }
    return true;
  }

  // Matches `value` with the bound value: nothing if they are unrelated.
  std::optional<Partial> Unify(const std::string& name, int bound, int value,
                               const Partial& before) const {
    if (bound == value) return before;
    const std::vector<int> a = Chain(bound);
    const std::vector<int> b = Chain(value);
    for (size_t i = 0; i < a.size(); ++i) {
      const auto it = std::find(b.begin(), b.end(), a[i]);
      if (it == b.end()) continue;
      const auto j = static_cast<size_t>(it - b.begin());
      if (SameSteps(a, i, b, j)) return before;
      Partial partial = before;
      AddObstacles(a, i, &partial);
      AddObstacles(b, j, &partial);
      partial.match.bound[name] = a[i];
      return partial;
    }
    return std::nullopt;
  }

  Partials MatchVariable(const std::string& name, int value, const Partial& before) {
    if (graph_.IsConstant(value)) return {};
    const auto bound = before.match.bound.find(name);
    if (bound == before.match.bound.end()) {
      Partial partial = before;
      partial.match.bound[name] = value;
      return {partial};
    }
    std::optional<Partial> same = Unify(name, bound->second, value, before);
    return same.has_value() ? Partials{*std::move(same)} : Partials();
  }

  Partials MatchDefinition(const Pattern& pattern, int value, const Partial& before) {
    const auto bound = before.match.bound.find(pattern.name);
    if (bound != before.match.bound.end()) {
      if (std::optional<Partial> same = Unify(pattern.name, bound->second, value, before)) {
        return {*std::move(same)};
      }
    }
    // Either the first occurrence, or the same computation a second time.
    Partials found = Match(pattern.parts[0], value, before);
    for (Partial& partial : found) partial.match.bound.emplace(pattern.name, value);
    return found;
  }

  // The parts of a product or a sum other than numbers, to be found among the operands of nested
  // Mul and Div, or Add and Sub, each once.
  struct Fold {
    bool product = true;
    std::vector<const Pattern*> parts;
    std::vector<bool> inverse;
    bool any_number = false;
  };

  Partials MatchFolded(const Pattern& pattern, int value, const Partial& before) {
    Fold fold;
    fold.product = pattern.kind == Pattern::Kind::kProduct;
    double wanted = fold.product ? 1 : 0;
    for (size_t i = 0; i < pattern.parts.size(); ++i) {
      const Pattern& part = pattern.parts[i];
      if (part.kind == Pattern::Kind::kNumber) {
        Accumulate(fold.product, part.number, pattern.inverse[i], &wanted);
      } else if (part.kind == Pattern::Kind::kScalar) {
        fold.any_number = true;
      } else {
        fold.parts.push_back(&part);
        fold.inverse.push_back(pattern.inverse[i]);
      }
    }
    Partial start = before;
    start.number = fold.product ? 1 : 0;
    start.unknown = false;
    Partials found;
    for (Partial& partial :
         MatchOperands(fold, value, false, (1U << fold.parts.size()) - 1, start)) {
      const bool fits =
          fold.any_number || (!partial.unknown && IsPatternNumber(partial.number, wanted));
      partial.number = before.number;
      partial.unknown = before.unknown;
      if (fits && found.size() < work_bounds::kTrials) found.push_back(std::move(partial));
    }
    return found;
  }

  static void Accumulate(bool product, double number, bool inverse, double* total) {
    if (product) {
      *total = inverse ? *total / number : *total * number;
    } else {
      *total += inverse ? -number : number;
    }
  }

  Partials MatchOperands(const Fold& fold, int value, bool inverse, unsigned wanted,
                         const Partial& before) {
    Partials found;
    if (value == kNone || ++steps_ > kMostMatchSteps) return found;
    if (nest_ == work_bounds::kNesting) return found;
    ++nest_;
    const absl::Cleanup leave = [this] { --nest_; };
    if (wanted == 0) {
      if (!IsScalar(value)) return found;
      Partial partial = before;
      const std::optional<double> scalar = graph_.Scalar(value);
      if (scalar.has_value()) Accumulate(fold.product, *scalar, inverse, &partial.number);
      if (!scalar.has_value()) partial.unknown = true;
      found.push_back(std::move(partial));
      return found;
    }
    if ((wanted & (wanted - 1)) == 0) {
      size_t i = 0;
      while ((wanted >> i & 1U) == 0) ++i;
      if (fold.inverse[i] == inverse) {
        for (Partial& partial : Match(*fold.parts[i], value, before)) {
          partial.number = before.number;
          partial.unknown = before.unknown;
          found.push_back(std::move(partial));
        }
      }
    }
    const std::vector<int> chain = Chain(value);
    for (size_t i = 0; i < chain.size(); ++i) {
      const int n = graph_.producer(chain[i]);
      if (n == kNone || graph_.IsConstant(chain[i])) break;
      Append(MatchNested(fold, chain, i, inverse, wanted, before), &found);
    }
    return found;
  }

  // Matches one node of a nest, that of element `end` of a chain: its inverted operands, and their
  // parts.
  Partials MatchNested(const Fold& fold, const std::vector<int>& chain, size_t end, bool inverse,
                       unsigned wanted, const Partial& before) {
    const int n = graph_.producer(chain[end]);
    const Node& node = graph_.node(n);
    const QuantizedForm* form = FormOf(node);
    const absl::string_view op = form == nullptr ? node.op_type : form->stands_for;
    if (form == nullptr && node.domain != kOnnxDomain) return {};
    Pattern as;
    as.name = std::string(op);
    const std::vector<int> inputs = ArgumentsOf(as, n);
    const absl::string_view join = fold.product ? "Mul" : "Add";
    const absl::string_view split = fold.product ? "Div" : "Sub";
    const bool turns = inputs.size() == 1 && op == (fold.product ? "Reciprocal" : "Neg");
    const bool sum = !fold.product && op == "Sum";
    if (!turns && (inputs.size() != 2 || (op != join && op != split && !sum))) return {};
    Partial with = before;
    AddObstacles(chain, end, &with);
    with.match.nodes.insert(n);
    if (turns) return MatchOperands(fold, inputs[0], !inverse, wanted, with);
    Partials found;
    // An operand without parts has to be a number. That is looked at before the parts of the other
    // one, or else a chain of products is searched to its depth from each of its nodes.
    const auto fits = [this](int value, unsigned parts) {
      return parts != 0 || (value != kNone && IsScalar(value));
    };
    for (unsigned first = wanted;; first = (first - 1) & wanted) {
      if (fits(inputs[0], first) && fits(inputs[1], wanted & ~first)) {
        for (const Partial& partial : MatchOperands(fold, inputs[0], inverse, first, with)) {
          Append(MatchOperands(fold, inputs[1], op == split ? !inverse : inverse, wanted & ~first,
                               partial),
                 &found);
        }
      }
      if (first == 0 || found.size() >= work_bounds::kTrials) break;
    }
    return found;
  }

  const FusionGraph& graph_;
  int steps_ = 0;
  int nest_ = 0;
};

}  // namespace

bool RoundsItsResult(const Node& node) { return FormOf(node) != nullptr; }

std::vector<PatternMatch> MatchPattern(const FusionGraph& graph, const Pattern& pattern, int root) {
  std::vector<PatternMatch> matches;
  if (graph.outputs(root).empty() || graph.outputs(root)[0] == kNone) return matches;
  for (Partial& partial : PatternMatcher(graph).Match(pattern, graph.outputs(root)[0], Partial())) {
    // Obstacles after the root are no part of it.
    if (partial.match.nodes.contains(root)) matches.push_back(std::move(partial.match));
  }
  std::stable_sort(matches.begin(), matches.end(),
                   [](const PatternMatch& a, const PatternMatch& b) {
                     if (a.obstacles.size() != b.obstacles.size()) {
                       return a.obstacles.size() < b.obstacles.size();
                     }
                     return a.nodes.size() > b.nodes.size();
                   });
  return matches;
}

void CollectRootOperators(const Pattern& pattern, std::set<std::string>* operators) {
  switch (pattern.kind) {
    case Pattern::Kind::kOperator:
      operators->insert(pattern.name);
      for (const QuantizedForm& form : kQuantizedForms) {
        if (form.stands_for == pattern.name) operators->insert(std::string(form.op_type));
      }
      return;
    case Pattern::Kind::kProduct:
      operators->insert({"Mul", "Div", "QLinearMul"});
      return;
    case Pattern::Kind::kSum:
      operators->insert({"Add", "Sub", "Sum", "QLinearAdd"});
      return;
    case Pattern::Kind::kOptional:
      operators->insert(pattern.name);
      CollectRootOperators(pattern.parts[0], operators);
      return;
    case Pattern::Kind::kChoice:
      for (const Pattern& part : pattern.parts) CollectRootOperators(part, operators);
      return;
    case Pattern::Kind::kDefinition:
    case Pattern::Kind::kExposed:
    case Pattern::Kind::kPeek:
      CollectRootOperators(pattern.parts[0], operators);
      return;
    default:
      return;
  }
}

}  // namespace onnxcmp
