#include "ops/training/derivatives/differentiate.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/model/node_text.h"
#include "evaluator/model/outer_names.h"
#include "onnx/defs/schema.h"

namespace onnxcmp {
namespace {

// How many operators an error about many of them names.
constexpr size_t kMaxListed = 20;

std::string JoinPath(absl::string_view before, absl::string_view behind) {
  return before.empty() || behind.empty() ? absl::StrCat(before, behind)
                                          : absl::StrCat(before, "/", behind);
}

// The nodes of one derivative, until all of them are known and have their names.
//
// A value that a rule makes is called label/node/Operator; the gradient of a value v label/d_v;
// both with a number after if there are several. label: what the node that asks is called.
class NewNodes final : public DerivativeNodes {
 public:
  NewNodes(const Node& node, ExpansionScope* scope)
      : scope_(*scope),
        label_(NodeLabel(node)),
        call_path_(node.call_path),
        imports_(std::make_shared<const OpsetImports>(OpsetImports{
            {std::string(kOnnxDomain), kDerivativeOpset}, {std::string(kMicrosoftDomain), 1}})) {}

  // The node of the model that the next nodes are for.
  void StartFor(const Node& node) { part_ = JoinPath(node.call_path, NodeLabel(node)); }
  void StartForNone() { part_.clear(); }

  std::vector<std::string> Add(absl::string_view domain, absl::string_view op_type,
                               std::vector<std::string> inputs, Attributes attributes,
                               int num_outputs) override {
    Node node;
    node.domain = std::string(domain);
    node.op_type = std::string(op_type);
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    for (int i = 0; i < num_outputs; ++i) {
      node.outputs.push_back(NewValue(JoinPath(part_, op_type)));
    }
    node.call_path = call_path_;
    node.imports = imports_;
    nodes_.push_back(std::move(node));
    return nodes_.back().outputs;
  }

  std::string ShapeOf(const std::string& value) override {
    std::string& shape = shapes_[value];
    if (shape.empty()) shape = Add(kOnnxDomain, "Shape", {value}, {}, 1)[0];
    return shape;
  }

  std::optional<int> Rank(const std::string& value) const override { return scope_.Rank(value); }

  // A copy of a node that reads the values that stand for others by name; so do its outputs from
  // then on. These are called `wish`, or as before.
  void AddCopy(const Node& original, absl::flat_hash_map<std::string, std::string>* at,
               const std::string& wish = "") {
    Node node = original;
    node.name.clear();
    node.call_path = call_path_;
    for (std::string& input : node.inputs) {
      if (const auto found = at->find(input); found != at->end()) input = found->second;
    }
    for (std::string& output : node.outputs) {
      if (!output.empty()) output = (*at)[output] = NewValue(wish.empty() ? output : wish);
    }
    nodes_.push_back(std::move(node));
  }

  // A name that nothing has.
  std::string NewKey() { return scope_.NewName(JoinPath(label_, "#")); }

  // Gives a value that was made here this name for good. False if it has one, or was not made here.
  bool Name(const std::string& value, const std::string& name) {
    return wishes_.contains(value) && names_.emplace(value, name).second;
  }
  // Suggests a name for a value that was made here, for the case that nothing else names it.
  void Wish(const std::string& value, absl::string_view name) {
    if (const auto wish = wishes_.find(value); wish != wishes_.end())
      wish->second = std::string(name);
  }
  absl::Status CheckSize() const {
    if (static_cast<int64_t>(nodes_.size()) <= scope_.nodes_left()) return absl::OkStatus();
    return absl::ResourceExhaustedError("the model would become many times larger than its file");
  }

  // Adds the nodes that `results` depend on.
  absl::Status Finish(const absl::flat_hash_set<std::string>& results) {
    absl::flat_hash_set<std::string> read = results;
    std::vector<Node> kept;  // the last one first
    while (!nodes_.empty()) {
      Node node = std::move(nodes_.back());
      nodes_.pop_back();
      const auto is_read = [&read](const std::string& output) { return read.contains(output); };
      if (std::none_of(node.outputs.begin(), node.outputs.end(), is_read)) continue;
      // That a node of the model has an output may mean something.
      if (node.imports == imports_) LeaveOut(read, &node);
      for (const std::string& input : node.inputs) {
        if (!input.empty()) read.insert(input);
      }
      kept.push_back(std::move(node));
    }
    for (auto node = kept.rbegin(); node != kept.rend(); ++node) {
      for (std::string& output : node->outputs) {
        if (!output.empty()) output = FinalName(output);
      }
      for (std::string& input : node->inputs) {
        if (const auto found = names_.find(input); found != names_.end()) input = found->second;
      }
      if (node->name.empty()) node->name = std::string(NodeLabel(*node));
      OC_RETURN_IF_ERROR(scope_.Add(std::move(*node)));
    }
    return absl::OkStatus();
  }

 private:
  // Optional outputs that are not read need not be computed.
  void LeaveOut(const absl::flat_hash_set<std::string>& read, Node* node) const {
    const onnx::OpSchema* schema = scope_.SchemaOf(*node);
    for (size_t i = 0; schema != nullptr && i < node->outputs.size(); ++i) {
      const bool is_optional =
          i < schema->outputs().size() &&
          schema->outputs()[i].GetOption() == onnx::OpSchema::FormalParameterOption::Optional;
      if (is_optional && !read.contains(node->outputs[i])) node->outputs[i].clear();
    }
    while (node->outputs.back().empty()) node->outputs.pop_back();
  }

  // A value, under an internal name.
  std::string NewValue(absl::string_view wish) {
    std::string value = NewKey();
    wishes_.emplace(value, wish);
    return value;
  }

  const std::string& FinalName(const std::string& value) {
    const auto [name, added] = names_.try_emplace(value);
    if (added) name->second = scope_.NewName(JoinPath(label_, wishes_.at(value)));
    return name->second;
  }

  ExpansionScope& scope_;
  const std::string label_;
  const std::string call_path_;
  const std::shared_ptr<const OpsetImports> imports_;
  std::string part_;
  std::vector<Node> nodes_;
  absl::flat_hash_map<std::string, std::string> shapes_;
  absl::flat_hash_map<std::string, std::string> wishes_;  // of all values that are made here
  absl::flat_hash_map<std::string, std::string> names_;   // for good
};

class Differentiator {
 public:
  Differentiator(const Differentiation& what, const DerivativeRules& rules, ExpansionScope* scope)
      : what_(what), rules_(rules), scope_(*scope), nodes_(*what.node, scope) {}

  absl::Status Run() {
    OC_RETURN_IF_ERROR(CheckNames());
    OC_RETURN_IF_ERROR(CheckIndependence());
    OC_ASSIGN_OR_RETURN(path_, NodesAfter({what_.y}));
    OC_RETURN_IF_ERROR(GoForward());
    OC_RETURN_IF_ERROR(GoBackward());
    return NameGradients();
  }

 private:
  // A node that y is computed with, and what it reads.
  struct Step {
    const Node* node;
    std::vector<std::string> reads;
    bool varies = false;  // with one of the values whose gradients are asked for
  };

  size_t num_xs() const { return what_.gradients.size(); }

  absl::Status CheckNames() {
    const auto check = [this](const std::string& name) {
      if (scope_.Knows(name)) return absl::OkStatus();
      return absl::InvalidArgumentError(
          absl::StrCat("it names ", Quoted(name), ", but no value before it is called so"));
    };
    OC_RETURN_IF_ERROR(check(what_.y));
    for (size_t i = 0; i < what_.independent.size(); ++i) {
      const std::string& name = what_.independent[i];
      OC_RETURN_IF_ERROR(check(name));
      if (what_.at[i].empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("its input for ", Quoted(name), " is left out"));
      }
      if (!independent_.insert(name).second) {
        return absl::InvalidArgumentError(
            absl::StrCat("it names ", Quoted(name), " twice among the independent values"));
      }
      if (what_.at[i] != name) at_[name] = what_.at[i];
    }
    return absl::OkStatus();
  }

  // Where a value is its own, nothing that it is computed from may vary beside it.
  absl::Status CheckIndependence() {
    for (const std::string& name : what_.independent) {
      const Node* maker = at_.contains(name) ? nullptr : scope_.Producer(name);
      if (maker == nullptr) continue;
      OC_ASSIGN_OR_RETURN(const std::vector<std::string> reads, scope_.Reads(*maker));
      OC_ASSIGN_OR_RETURN(const std::vector<Step> behind, NodesAfter(reads));
      absl::flat_hash_set<std::string> found(reads.begin(), reads.end());
      for (const Step& step : behind) found.insert(step.reads.begin(), step.reads.end());
      for (size_t i = 0; i < num_xs(); ++i) {
        if (!found.contains(what_.independent[i])) continue;
        return absl::InvalidArgumentError(absl::StrCat(Quoted(name), " is computed from ",
                                                       Quoted(what_.independent[i]),
                                                       ", so they are no independent values"));
      }
    }
    return absl::OkStatus();
  }

  // The nodes that values are computed with from the independent ones, each after those that it
  // reads from.
  absl::StatusOr<std::vector<Step>> NodesAfter(const std::vector<std::string>& values) {
    std::vector<Step> done;
    std::vector<std::pair<Step, size_t>> under_way;  // and how many of its values were looked at
    absl::flat_hash_set<const Node*> seen;
    const auto enter = [&](const std::string& name) -> absl::Status {
      const Node* maker = independent_.contains(name) ? nullptr : scope_.Producer(name);
      if (maker == nullptr || !seen.insert(maker).second) return absl::OkStatus();
      OC_ASSIGN_OR_RETURN(std::vector<std::string> reads, scope_.Reads(*maker));
      under_way.push_back({{maker, std::move(reads)}, 0});
      return absl::OkStatus();
    };
    for (const std::string& value : values) {
      OC_RETURN_IF_ERROR(enter(value));
      while (!under_way.empty()) {
        auto& [step, next] = under_way.back();
        if (next == step.reads.size()) {
          done.push_back(std::move(step));
          under_way.pop_back();
          continue;
        }
        const std::string name = step.reads[next++];
        OC_RETURN_IF_ERROR(enter(name));
      }
    }
    return done;
  }

  // Finds the values that vary, and those that have to be computed again because an independent
  // value has another value.
  absl::Status GoForward() {
    for (size_t i = 0; i < num_xs(); ++i) {
      if (!what_.gradients[i].empty()) varying_.insert(what_.independent[i]);
    }
    for (Step& step : path_) {
      const auto any = [&step](const auto& set) {
        return std::any_of(step.reads.begin(), step.reads.end(),
                           [&](const std::string& name) { return set.contains(name); });
      };
      step.varies = any(varying_);
      if (step.varies) varying_.insert(step.node->outputs.begin(), step.node->outputs.end());
      if (!any(at_)) continue;
      for (const std::string& name : OuterNames(*step.node)) {
        if (!at_.contains(name)) continue;
        return absl::UnimplementedError(absl::StrCat(
            DescribeNode(*step.node, step.node->call_path),
            " cannot be computed at other values: a graph in it reads ", Quoted(name)));
      }
      nodes_.AddCopy(*step.node, &at_);
    }
    varying_.erase("");
    return absl::OkStatus();
  }

  // The value that a name of the model stands for.
  std::string At(const std::string& name) const {
    const auto found = at_.find(name);
    return found == at_.end() ? name : found->second;
  }

  absl::Status GoBackward() {
    if (varying_.contains(what_.y)) {
      nodes_.StartForNone();
      parts_[what_.y] = {nodes_.FilledLike(At(what_.y), 1)};
    }
    for (auto step = path_.rbegin(); step != path_.rend(); ++step) {
      if (!step->varies) continue;
      OC_RETURN_IF_ERROR(Differentiate(*step->node));
    }
    if (missing_.empty()) return absl::OkStatus();
    const size_t listed = std::min(missing_.size(), kMaxListed);
    std::string text = absl::StrJoin(absl::MakeConstSpan(missing_).subspan(0, listed), "; ");
    if (listed < missing_.size()) {
      absl::StrAppend(&text, "; and ", missing_.size() - listed, " more");
    }
    return absl::UnimplementedError(
        absl::StrCat("on the way to ", Quoted(what_.y), " there is no derivative of ", text));
  }

  // Hands the gradients of a node's outputs on to its inputs.
  absl::Status Differentiate(const Node& node) {
    OC_RETURN_IF_ERROR(nodes_.CheckSize());
    DifferentiatedNode d;
    d.node = &node;
    bool any = false;
    for (const std::string& output : node.outputs) {
      d.outputs.push_back(At(output));
      d.gradients.push_back(Gradient(output));
      any = any || !d.gradients.back().empty();
    }
    if (!any) return absl::OkStatus();
    for (const std::string& input : node.inputs) d.inputs.push_back(At(input));
    const onnx::OpSchema* schema = scope_.SchemaOf(node);
    const DerivativeRule* rule = nullptr;
    if (schema != nullptr) {
      d.version = schema->SinceVersion();
      rule = rules_.Find(node.domain, node.op_type, d.version);
    }
    if (rule == nullptr) {
      OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Graph> body, scope_.BodyOf(node));
      if (body != nullptr) return DifferentiateBody(node, *body, d.gradients);
      return Miss(node, absl::StrCat(" (version ", d.version, ")"));
    }
    std::shared_ptr<const Signature>& signature = signatures_[schema];
    if (signature == nullptr) signature = MakeSignature(*schema);
    d.defaults = &signature->defaults;
    nodes_.StartFor(node);
    DerivativeBuilder builder(std::move(d), &nodes_);
    (*rule)(builder);
    if (!builder.refusal().empty()) return Miss(node, absl::StrCat(" (", builder.refusal(), ")"));
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!varying_.contains(node.inputs[i])) continue;
      const std::optional<std::string>& given = builder.given()[i];
      if (!given.has_value()) {
        return Miss(node, absl::StrCat(" for its input ", i, ", ", Quoted(node.inputs[i])));
      }
      if (!given->empty()) parts_[node.inputs[i]].push_back(*given);
    }
    return absl::OkStatus();
  }

  // The same by way of the nodes that an operator or a local function is defined by. They are
  // computed once more, since what is between them is no value of the model.
  absl::Status DifferentiateBody(const Node& node, const Graph& body,
                                 const std::vector<std::string>& gradients) {
    absl::flat_hash_map<std::string, std::string>
        keys;  // of the body's names, which others may have
    const auto rename = [&](std::string* name) {
      if (name->empty()) return;
      std::string& key = keys[*name];
      if (key.empty()) {
        key = nodes_.NewKey();
        of_bodies_.insert(key);
      }
      *name = key;
    };
    std::vector<std::string> inputs(body.inputs.size());
    for (size_t i = 0; i < std::min(inputs.size(), node.inputs.size()); ++i) {
      if (node.inputs[i].empty()) continue;
      inputs[i] = body.inputs[i].name;
      rename(&inputs[i]);
      at_[inputs[i]] = At(node.inputs[i]);
      if (varying_.contains(node.inputs[i])) varying_.insert(inputs[i]);
    }
    std::vector<Node> varying;
    for (Node inner : body.nodes) {
      if (!GraphsOf(inner).empty()) return Miss(node, " (a node of its body has a graph)");
      if (DrawsNumbers(inner)) return Miss(node, " (a node of its body draws other numbers)");
      OC_RETURN_IF_ERROR(nodes_.CheckSize());
      for (std::string& input : inner.inputs) rename(&input);
      for (std::string& output : inner.outputs) rename(&output);
      inner.name = JoinPath(NodeLabel(node), inner.op_type);
      inner.call_path = node.call_path;
      nodes_.AddCopy(inner, &at_, JoinPath(inner.call_path, inner.name));
      if (std::none_of(inner.inputs.begin(), inner.inputs.end(),
                       [this](const std::string& input) { return varying_.contains(input); })) {
        continue;
      }
      for (const std::string& output : inner.outputs) {
        if (!output.empty()) varying_.insert(output);
      }
      varying.push_back(std::move(inner));
    }
    // A function has all its outputs, an operator's body those that are named.
    size_t next = 0;
    for (size_t i = 0; i < gradients.size() && next < body.outputs.size(); ++i) {
      if (node.body == nullptr && node.outputs[i].empty()) continue;
      std::string output = body.outputs[next++].name;
      rename(&output);
      if (!gradients[i].empty()) parts_[output].push_back(gradients[i]);
    }
    while (!varying.empty()) {
      OC_RETURN_IF_ERROR(Differentiate(varying.back()));
      varying.pop_back();
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string gradient = inputs[i].empty() ? "" : Gradient(inputs[i]);
      if (!gradient.empty()) parts_[node.inputs[i]].push_back(gradient);
    }
    return absl::OkStatus();
  }

  // True if a second computation may give something else: operators with a seed.
  bool DrawsNumbers(const Node& node) const {
    const onnx::OpSchema* schema = scope_.SchemaOf(node);
    return schema != nullptr && schema->attributes().contains("seed");
  }

  // Notes a node that has no rule, and goes on as if it had one, to find the others.
  absl::Status Miss(const Node& node, absl::string_view why) {
    missing_.push_back(absl::StrCat(DescribeNode(node, node.call_path), why));
    OC_ASSIGN_OR_RETURN(const std::vector<std::string> reads, scope_.Reads(node));
    for (const std::string& name : reads) {
      if (varying_.contains(name)) parts_[name] = {name};
    }
    return absl::OkStatus();
  }

  // The sum of what all that read a value gave it; "" if nothing did. All of them must have.
  std::string Gradient(const std::string& name) {
    const auto found = parts_.find(name);
    if (found == parts_.end()) return "";
    nodes_.StartForNone();
    std::vector<std::string>& parts = found->second;
    if (parts.size() > 1) parts = nodes_.Add(kOnnxDomain, "Sum", std::move(parts), {}, 1);
    if (!of_bodies_.contains(name)) nodes_.Wish(parts[0], absl::StrCat("d_", name));
    return parts[0];
  }

  absl::Status NameGradients() {
    nodes_.StartForNone();
    absl::flat_hash_set<std::string> results;
    for (size_t i = 0; i < num_xs(); ++i) {
      const std::string& wanted = what_.gradients[i];
      if (wanted.empty()) continue;
      std::string gradient = Gradient(what_.independent[i]);
      if (gradient.empty()) gradient = nodes_.FilledLike(what_.at[i], 0);
      if (!nodes_.Name(gradient, wanted)) {
        gradient = nodes_.Add(kOnnxDomain, "Identity", {gradient}, {}, 1)[0];
        nodes_.Name(gradient, wanted);
      }
      results.insert(gradient);
    }
    return nodes_.Finish(results);
  }

  const Differentiation& what_;
  const DerivativeRules& rules_;
  ExpansionScope& scope_;
  NewNodes nodes_;
  absl::flat_hash_set<std::string> independent_;
  std::vector<Step> path_;
  absl::flat_hash_set<std::string> varying_;
  absl::flat_hash_map<std::string, std::string> at_;  // names whose values were exchanged
  // The gradients that the nodes which read a value gave it.
  absl::flat_hash_map<std::string, std::vector<std::string>> parts_;
  absl::flat_hash_set<std::string> of_bodies_;  // names that stand for values inside of them
  std::vector<std::string> missing_;
  absl::flat_hash_map<const onnx::OpSchema*, std::shared_ptr<const Signature>> signatures_;
};

}  // namespace

absl::Status Differentiate(const Differentiation& what, const DerivativeRules& rules,
                           ExpansionScope& scope) {
  return Differentiator(what, rules, &scope).Run();
}

}  // namespace onnxcmp
