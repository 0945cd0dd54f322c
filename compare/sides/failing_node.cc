#include "compare/sides/failing_node.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/result.h"
#include "record/base/work_bounds.h"
#include "record/runtimes/model_files.h"
#include "record/runtimes/value_files.h"
#include "record/text/attribute_text.h"

namespace onnxcmp {
namespace {

constexpr double kWordsInCommon = 0.75;  // of two messages that give one reason

std::string Describe(const Node& node, absl::Span<const Value> inputs) {
  std::string text = node.op_type;
  if (!node.domain.empty()) text = absl::StrCat(node.domain, ".", text);
  if (!node.outputs.empty()) absl::StrAppend(&text, " `", OneLine(node.outputs[0]), "`");
  if (!node.name.empty()) absl::StrAppend(&text, ", node `", OneLine(node.name), "`");
  std::vector<std::string> attributes;
  for (const auto& [name, value] : node.attributes) {
    if (attributes.size() == work_bounds::kShown) {
      attributes.push_back("...");
      break;
    }
    attributes.push_back(absl::StrCat(name, "=", AttributeText(value)));
  }
  if (!attributes.empty()) absl::StrAppend(&text, " (", absl::StrJoin(attributes, ", "), ")");
  std::vector<std::string> types;
  for (const Value& input : inputs) types.push_back(input.TypeString());
  if (!types.empty()) absl::StrAppend(&text, " on ", absl::StrJoin(types, ", "));
  return OneLine(text);
}

bool IsFailure(const absl::Status& status) { return RuntimeRefused(status) || RuntimeDied(status); }

// The words of a message in which names, numbers and paths of one model are not: those change with
// the model although the reason stays.
std::vector<std::string> MessageWords(absl::string_view message) {
  std::vector<std::string> words;
  for (const absl::string_view part :
       absl::StrSplit(message, absl::ByAnyChar(" \t\n\\\"'`()[]{}<>:;,|#="))) {
    if (part.size() < 2 || absl::StrContains(part, '/')) continue;
    const bool numbers = absl::c_any_of(part, [](char c) { return absl::ascii_isdigit(c); });
    if (!numbers) words.emplace_back(part);
  }
  return words;
}

// A runtime's own words, after those that we put before a refusal.
absl::string_view OwnWords(const absl::Status& status) {
  const absl::string_view text = status.message();
  const size_t colon = RuntimeRefused(status) ? text.find("model: ") : text.find(" while it ");
  if (colon == absl::string_view::npos) return text;
  return RuntimeRefused(status) ? text.substr(colon + 7) : text.substr(0, colon);
}

// True if two failures are of one kind, and nearly all words of `alone` are in `whole`.
bool IsSameReason(const absl::Status& alone, const absl::Status& whole) {
  if (alone.code() != whole.code()) return false;
  if (!RuntimeRefused(alone)) return OwnWords(alone) == OwnWords(whole);
  const std::vector<std::string> words = MessageWords(OwnWords(alone));
  if (words.empty()) return OwnWords(alone) == OwnWords(whole);
  const std::vector<std::string> among = MessageWords(OwnWords(whole));
  const absl::flat_hash_set<absl::string_view> known(among.begin(), among.end());
  const auto found =
      absl::c_count_if(words, [&](const std::string& word) { return known.contains(word); });
  return static_cast<double>(found) >= kWordsInCommon * static_cast<double>(words.size());
}

// Stops the run at the first node that fails in the runtime as the whole model does.
class NodeByNode : public Observer {
 public:
  NodeByNode(const Evaluator& evaluator, const absl::Status& whole, Runtime* runtime)
      : evaluator_(evaluator), whole_(whole), runtime_(*runtime) {}

  absl::Status OnResult(const Result& result, std::optional<Value>* /*replacement*/) override {
    if (Found()) return absl::CancelledError("the node was found");
    if (result.depth == 0) values_[std::string(result.name)] = result.value;
    return absl::OkStatus();
  }

  void OnNodeEnd(const NodeEnd& end) override {
    const std::vector<Node>& nodes = evaluator_.model().graph.nodes;
    if (Found() || deaths_ >= work_bounds::kFewTrials || nodes.empty() ||
        &end.node < nodes.data() || &end.node >= nodes.data() + nodes.size()) {
      return;
    }
    if (end.node.op_type == "Constant" && end.node.domain.empty()) return;
    const int64_t index = &end.node - nodes.data();
    Feeds captures;
    for (const std::string& name : evaluator_.CapturesOf(index)) {
      if (const auto it = values_.find(name); it != values_.end()) captures[name] = it->second;
    }
    FailingNode failing;
    absl::StatusOr<Model> model =
        OneNodeModel(evaluator_.model(), index, end.inputs, captures, &failing.feeds);
    if (!model.ok()) return;
    failing.status = RunModelInRuntime(*model, failing.feeds, &runtime_).status();
    if (!IsFailure(failing.status)) return;
    failing.same_reason = IsSameReason(failing.status, whole_);
    if (RuntimeDied(failing.status)) ++deaths_;
    if (!failing.same_reason && found_.has_value()) return;
    failing.text = Describe(end.node, end.inputs);
    failing.model = *std::move(model);
    for (const Value& output : end.outputs) {
      if (!output.empty()) failing.outputs.push_back(output);
    }
    found_ = std::move(failing);
  }

  std::optional<FailingNode> Take() { return std::move(found_); }
  const absl::flat_hash_map<std::string, Value>& values() const { return values_; }

 private:
  bool Found() const { return found_.has_value() && found_->same_reason; }

  const Evaluator& evaluator_;
  const absl::Status& whole_;
  Runtime& runtime_;
  int deaths_ = 0;
  absl::flat_hash_map<std::string, Value> values_;  // the main graph's
  std::optional<FailingNode> found_;
};

// The first nodes of a model; what is read of them later is the output.
Model Prefix(const Model& model, size_t nodes) {
  Model made = model;
  made.graph.nodes.resize(nodes);
  absl::flat_hash_map<std::string, bool> is_read;
  for (const Node& node : made.graph.nodes) {
    for (const std::string& input : node.inputs) is_read[input] = true;
  }
  made.graph.outputs.clear();
  for (const Node& node : made.graph.nodes) {
    for (const std::string& output : node.outputs) {
      if (!output.empty() && !is_read.contains(output)) {
        made.graph.outputs.push_back({output, TypeInfo()});
      }
    }
  }
  return made;
}

// The shortest prefix that fails. All of them fail from some length on, most likely.
std::optional<FailingNode> FindFailingPrefix(const Evaluator& evaluator, const Feeds& feeds,
                                             const absl::flat_hash_map<std::string, Value>& values,
                                             const absl::Status& whole, Runtime* runtime) {
  const Model& model = evaluator.model();
  size_t good = 0;
  size_t bad = model.graph.nodes.size() + 1;
  absl::Status status;
  const auto fails = [&](size_t length) {
    const absl::Status run = RunModelInRuntime(Prefix(model, length), feeds, runtime).status();
    if (!IsFailure(run) || !IsSameReason(run, whole)) return false;
    status = run;
    return true;
  };
  if (!fails(bad - 1)) return std::nullopt;
  --bad;
  while (bad - good > 1) {
    const size_t middle = good + (bad - good) / 2;
    (fails(middle) ? bad : good) = middle;
  }
  FailingNode failing;
  failing.alone = false;
  failing.status = status;
  failing.model = Prefix(model, bad);
  failing.feeds = feeds;
  const Node& last = model.graph.nodes[bad - 1];
  std::vector<Value> inputs;
  for (const std::string& input : last.inputs) {
    const auto it = values.find(input);
    inputs.push_back(it == values.end() ? Value() : it->second);
  }
  failing.text = Describe(last, inputs);
  for (const ValueInfo& output : failing.model.graph.outputs) {
    const auto it = values.find(output.name);
    if (it != values.end()) failing.outputs.push_back(it->second);
  }
  return failing;
}

}  // namespace

absl::StatusOr<std::vector<Value>> RunModelInRuntime(const Model& model, const Feeds& feeds,
                                                     Runtime* runtime) {
  OC_ASSIGN_OR_RETURN(const RuntimeValues values, RunModelFile(model, feeds, runtime));
  std::vector<Value> outputs;
  absl::Status status;
  for (const ValueInfo& output : model.graph.outputs) {
    absl::StatusOr<Value> value = runtime->Read(values, output.name);
    status.Update(value.status());
    outputs.push_back(value.ok() ? AsDeclared(*std::move(value), output.type) : Value());
  }
  runtime->Remove(values);
  OC_RETURN_IF_ERROR(status);
  return outputs;
}

std::optional<FailingNode> FindFailingNode(const Evaluator& evaluator, const Feeds& feeds,
                                           const absl::Status& whole, Runtime* runtime) {
  NodeByNode nodes(evaluator, whole, runtime);
  const absl::Status status = evaluator.Run(feeds, &nodes).status();
  std::optional<FailingNode> found = nodes.Take();
  if (found.has_value() && found->same_reason) return found;
  if (status.ok()) {
    std::optional<FailingNode> prefix =
        FindFailingPrefix(evaluator, feeds, nodes.values(), whole, runtime);
    if (prefix.has_value()) return prefix;
  }
  return found;
}

std::string NodeNamedIn(absl::string_view message, const Model& model) {
  const Node* named = nullptr;
  const auto stands_in = [&](const std::string& name) {
    if (name.empty()) return false;
    for (const char* around : {"\"\"", "''", "()", "``"}) {
      const std::string quoted =
          absl::StrCat(std::string(1, around[0]), name, std::string(1, around[1]));
      if (absl::StrContains(message, quoted)) return true;
    }
    return absl::StrContains(message, absl::StrCat("\\\"", name, "\\\"")) ||
           absl::StrContains(message, absl::StrCat("\\'", name, "\\'"));
  };
  for (const Node& node : model.graph.nodes) {
    if (!stands_in(node.name) && (node.outputs.empty() || !stands_in(node.outputs[0]))) continue;
    if (named != nullptr) return "";
    named = &node;
  }
  return named == nullptr ? "" : Describe(*named, {});
}

}  // namespace onnxcmp
