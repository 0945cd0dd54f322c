#include "feed/made_up/input_purpose.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/outer_names.h"
#include "feed/made_up/landmarks.h"
#include "feed/made_up/ml_purpose.h"
#include "feed/made_up/purpose_table.h"
#include "feed/made_up/standardization.h"
#include "record/graphs/graph_scope.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

// A result that is followed, or a node that reads it in a slot. Names are the graph's.
struct Step {
  const GraphScope* scope = nullptr;
  absl::string_view name;
  const Node* node = nullptr;
  size_t slot = 0;
  ElementForm form;
};

class Walker {
 public:
  Walker(const Graph& graph, absl::Span<const PurposeRule> rules)
      : root_(MakeScope(graph, nullptr)), table_(rules) {}

  InputPurposes Run() {
    InputPurposes purposes;
    for (const ValueInfo& input : root_->graph->inputs) {
      input_ = &input;
      found_ = beside_ = {};
      any_ = false;
      seen_.clear();
      ElementForm form;
      if (input.type.dtype == DType::kBool) form.facts |= ElementForm::kTruth;
      Follow(*root_, input.name, form);
      Walk();
      beside_.standard = StandardizationOf(*root_, input);
      const bool beside = beside_.ties || !beside_.landmarks.empty() || !beside_.missing.empty() ||
                          beside_.range.has_value() || beside_.standard.has_value() ||
                          !beside_.demanded.empty() || beside_.only_known;
      if (!any_ && !beside) continue;
      const auto* ids = found_.As<IdPurpose>();
      found_.not_negative |= ids != nullptr && ids->shifted;
      found_.landmarks = beside_.landmarks;
      found_.missing = beside_.missing;
      found_.demanded = beside_.demanded;
      found_.only_known = beside_.only_known;
      found_.ties = beside_.ties;
      found_.range = beside_.range;
      found_.standard = beside_.standard;
      purposes[input.name] = std::move(found_);
    }
    return purposes;
  }

 private:
  static constexpr size_t kMostSteps = 20000;
  static constexpr double kFar = 1e15;  // a greater limit is never reached

  bool IsFloat() const { return IsFloatingPoint(input_->type.dtype); }

  void Found(InputPurpose purpose) {
    if (any_) return AddUse(std::move(purpose), &found_);
    found_ = std::move(purpose);
    any_ = true;
  }

  // Takes the steps in depth-first order, without recursion: graphs may be a million nodes long.
  void Walk() {
    while (!next_.empty()) {
      std::move(next_.rbegin(), next_.rend(), std::back_inserter(open_));
      next_.clear();
      while (next_.empty() && !open_.empty()) {
        const Step step = std::move(open_.back());
        open_.pop_back();
        if (step.node == nullptr) {
          ReadAll(*step.scope, step.name, step.form);
        } else {
          Read({step.scope, step.node, step.slot, step.form, input_, root_->graph});
        }
      }
    }
  }

  void ReadAll(const GraphScope& scope, absl::string_view name, const ElementForm& form) {
    if (seen_.size() > kMostSteps) return;
    if (!seen_.insert({&scope, std::string(name), form.Key()}).second) return;
    if (const auto it = scope.readers.find(name); it != scope.readers.end()) {
      for (const GraphScope::Reader& reader : it->second) {
        next_.push_back({&scope, name, reader.node, reader.slot, form});
      }
    }
    for (const auto& [graph, inner] : scope.inner) {
      if (inner->outer == &scope && !inner->defined.contains(name)) Follow(*inner, name, form);
    }
  }

  // Puts off what becomes of a result.
  void Follow(const GraphScope& scope, absl::string_view name, const ElementForm& form) {
    if (!name.empty()) next_.push_back({&scope, name, nullptr, 0, form});
  }

  void Read(const Reading& at) {
    const Node& node = *at.node;
    if (node.body != nullptr) return EnterBody(at, *node.body);
    if (IsOneOf(node, {"Loop", "Scan"})) {
      for (const Graph* body : GraphsOf(node)) EnterBody(at, *body);
    }
    const uint32_t facts = at.Facts();
    if ((facts & ElementForm::kNumber) != 0 && (facts & ElementForm::kSummed) == 0) {
      LookBeside(at);
    }
    if (input_->type.dtype == DType::kString && node.domain != kMlDomain) {
      Found(PurposeOfText(*at.scope, node, at.slot));
    }
    for (const PurposeRule* rule : RulesOf(node)) {
      if (!rule->Holds(at, facts)) continue;
      if (rule->purpose == nullptr) return FollowOutput(at, *rule);
      std::optional<InputPurpose> found = rule->purpose(at, *rule);
      if (found.has_value()) return Found(*std::move(found));
    }
  }

  // Each row is held against an operator once: walks read thousands of nodes of few operators.
  const std::vector<const PurposeRule*>& RulesOf(const Node& node) {
    const auto [it, is_new] = rules_.try_emplace({node.domain, node.op_type});
    for (const PurposeRule& rule : table_) {
      if (is_new && rule.IsOf(node.domain, node.op_type)) it->second.push_back(&rule);
    }
    return it->second;
  }

  void FollowOutput(const Reading& at, const PurposeRule& rule) {
    if (at.node->outputs.empty()) return;
    ElementForm form = at.form;
    if (rule.change != nullptr) rule.change(at, &form);
    form.facts = (form.facts | rule.sets) & ~rule.clears;
    Follow(*at.scope, at.node->outputs[0], form);
  }

  void EnterBody(const Reading& at, const Graph& body) {
    const auto inner = at.scope->inner.find(&body);
    if (inner == at.scope->inner.end()) return;
    // The body of a Loop begins with the counter and the condition, as the node does.
    if (at.node->op_type == "Loop" && at.slot < 2) return;
    if (at.slot < body.inputs.size()) Follow(*inner->second, body.inputs[at.slot].name, at.form);
  }

  // Uses that do not determine the input's purpose, but show which numbers are worth feeding.
  void LookBeside(const Reading& at) {
    const auto& [scope, node, slot, form, input, root] = at;
    const bool reduced = (form.facts & ElementForm::kReduced) != 0;
    if (node->op_type == "QuantizeLinear" && slot == 0 && IsFloat() && !reduced) {
      if (const auto range = QuantizedRange(*scope, *node); range.has_value()) {
        const NumberRange fed = {(range->least - form.offset) / form.gain,
                                 (range->greatest - form.offset) / form.gain};
        if (!beside_.range.has_value()) {
          beside_.range = {std::min(fed.least, fed.greatest), std::max(fed.least, fed.greatest)};
        }
      }
    }
    if (node->domain == kMlDomain && slot == 0 && form.gain == 1) {
      AddMissing(*node, input->type.dtype, &beside_);
    }
    if (node->domain == kMlDomain && slot == 0) AddDemanded(*node, form.Features(), &beside_);
    beside_.ties |= (slot == 0 && IsOneOf(*node, {"ArgMax", "ArgMin", "Hardmax", "TopK"})) ||
                    ComparesComputed(*scope, *node);
    std::vector<double> numbers;
    AddLandmarks(*scope, *node, slot, &numbers);
    for (const double number : numbers) {
      const double fed = (number - form.offset) / form.gain;
      // Random numbers never equal a given one, so it must be fed.
      const bool marks = IsFloat() && (node->op_type == "Equal" || !std::isfinite(number));
      if (std::abs(fed) < kFar || (marks && !std::isfinite(number))) {
        (marks ? beside_.missing : beside_.landmarks).push_back(fed);
      }
    }
  }

  std::unique_ptr<GraphScope> root_;
  absl::Span<const PurposeRule> table_;
  const ValueInfo* input_ = nullptr;
  InputPurpose found_;
  InputPurpose beside_;  // landmarks, missing values, a range: independent of the purpose
  bool any_ = false;
  std::set<std::tuple<const GraphScope*, std::string, decltype(ElementForm().Key())>> seen_;
  absl::flat_hash_map<std::pair<absl::string_view, absl::string_view>,
                      std::vector<const PurposeRule*>>
      rules_;
  std::vector<Step> next_;  // of the step that is taken
  std::vector<Step> open_;  // the last one is taken first
};

}  // namespace

InputPurposes PurposesOf(const Graph& graph) { return PurposesBy(PurposeRules(), graph); }

InputPurposes PurposesBy(absl::Span<const PurposeRule> rules, const Graph& graph) {
  return Walker(graph, rules).Run();
}

}  // namespace onnxcmp
