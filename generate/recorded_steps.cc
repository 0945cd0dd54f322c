#include "generate/recorded_steps.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "generate/tensors.h"
#include "record/recordings/recorded_values.h"
#include "record/text/display_text.h"

namespace onnxcmp {
namespace {

class StepFinder {
 public:
  StepFinder(RecordingSide& recording, const Graph& model, const DecoderRoles& of_model)
      : recording_(recording), model_(model), of_model_(of_model) {}

  absl::StatusOr<RecordedSteps> Find() {
    steps_.count = recording_.sets();
    recording_.ChooseSet(0);
    OC_RETURN_IF_ERROR(FindLogits());
    FindStates();
    OC_RETURN_IF_ERROR(FindTokens());
    AddInput(tokens_.empty() ? "tokens" : tokens_, Role::kTokens);
    const bool padded =
        std::any_of(steps_.tokens.begin(), steps_.tokens.end(), [](const TokenBlock& block) {
          return std::find(block.counts.begin(), block.counts.end(), false) != block.counts.end();
        });
    // A name that no value has.
    if (padded) AddInput("mask", Role::kMask);
    steps_.roles.recorded = true;
    recording_.ChooseSet(0);
    return std::move(steps_);
  }

 private:
  absl::Status Error(absl::string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(recording_.summary().source, " is a recording ", what));
  }

  std::optional<size_t> Place(const std::string& name) const {
    const std::vector<RecordedResult>& results = recording_.values().results();
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].depth == 0 && results[i].name == name) return i;
    }
    return std::nullopt;
  }

  // The value of the chosen set; nothing if it has none of that name.
  absl::StatusOr<std::optional<Tensor>> Read(const std::string& name) const {
    const std::optional<size_t> place = Place(name);
    if (!place.has_value()) return std::optional<Tensor>();
    OC_ASSIGN_OR_RETURN(const Value value, recording_.ReadResult(*place));
    if (!value.is_tensor()) return std::optional<Tensor>();
    return std::optional<Tensor>(value.tensor());
  }

  // The only value whose name has one of these words; "" if there is none, or more than one.
  std::string Called(const std::vector<absl::string_view>& words) const {
    std::string found;
    for (const RecordedResult& result : recording_.values().results()) {
      const std::string name = absl::AsciiStrToLower(result.name);
      const bool called = std::any_of(words.begin(), words.end(), [&](absl::string_view word) {
        return absl::StrContains(name, word);
      });
      if (!called || result.depth != 0) continue;
      if (!found.empty() && found != result.name) return "";
      found = result.name;
    }
    return found;
  }

  void AddInput(const std::string& name, Role role) {
    ValueInfo input;
    input.name = name;
    input.type.kind = TypeInfo::Kind::kTensor;
    input.type.dtype = DType::kInt64;
    steps_.graph.inputs.push_back(std::move(input));
    steps_.roles.inputs.push_back({name, role});
  }

  absl::Status FindLogits() {
    std::string name = of_model_.logits;
    if (!Place(name).has_value()) name = Called({"logits"});
    if (name.empty()) {
      std::vector<std::string> names;
      for (const RecordedResult& result : recording_.values().results()) {
        names.push_back(PrintableText(result.name));
      }
      return Error(absl::StrCat(
          "without logits in its first step: none of its values is called `", of_model_.logits,
          "`, or alone has `logits` in its name: ", absl::StrJoin(names, ", ")));
    }
    steps_.roles.logits = name;
    steps_.graph.outputs.push_back({name, {}});
    return absl::OkStatus();
  }

  // Those of the model, if all of them were recorded.
  void FindStates() {
    const std::vector<StatePair>& states = of_model_.states;
    const bool all = std::all_of(states.begin(), states.end(), [&](const StatePair& state) {
      return Place(state.present).has_value();
    });
    if (!all) return;
    for (const StatePair& state : states) {
      const ValueInfo* const past = FindValueInfo(model_.inputs, state.past);
      if (past == nullptr) continue;
      steps_.graph.inputs.push_back(*past);
      steps_.graph.outputs.push_back({state.present, {}});
      steps_.roles.inputs.push_back({state.past, Role::kState});
      steps_.roles.states.push_back(state);
    }
    steps_.roles.batch = of_model_.batch;
    steps_.roles.slots = of_model_.slots;
  }

  absl::Status FindTokens() {
    const DecoderRoles::Input* const of_model = of_model_.Find(Role::kTokens);
    tokens_ = of_model != nullptr && Place(of_model->name).has_value()
                  ? of_model->name
                  : Called({"input_ids", "tokens"});
    if (tokens_.empty()) return absl::OkStatus();
    TokenBlock all;
    for (int64_t step = 0; step < steps_.count; ++step) {
      recording_.ChooseSet(step);
      OC_ASSIGN_OR_RETURN(const std::optional<Tensor> read, Read(tokens_));
      if (!read.has_value() || !IsInteger(read->dtype()) || read->rank() < 1 || read->rank() > 2) {
        return Error(absl::StrCat("whose step ", step, " has no tokens `", tokens_, "`"));
      }
      OC_ASSIGN_OR_RETURN(TokenBlock block, BlockOf(*read, all));
      if (step > 0 && block.rows != all.rows) {
        return Error(absl::StrCat("whose step ", step, " has ", block.rows, " rows of tokens `",
                                  tokens_, "`, and the first has ", all.rows));
      }
      all = step == 0 ? block : Appended(all, block);
      steps_.tokens.push_back(std::move(block));
    }
    return absl::OkStatus();
  }

  // Without those of earlier steps, if the recorded model read all tokens in each.
  absl::StatusOr<TokenBlock> BlockOf(const Tensor& tensor, const TokenBlock& before) const {
    OC_ASSIGN_OR_RETURN(const std::vector<double> numbers, NumbersOf(tensor));
    TokenBlock block;
    block.rows = tensor.rank() == 2 ? tensor.shape()[0] : 1;
    block.ids.assign(numbers.begin(), numbers.end());
    block.counts.assign(block.ids.size(), true);
    if (block.ids.empty()) return Error(absl::StrCat("with a step of no tokens `", tokens_, "`"));
    OC_RETURN_IF_ERROR(TakeMask(&block));
    const int64_t known = before.length();
    if (known == 0 || block.rows != before.rows || block.length() <= known) return block;
    const bool whole = PartOf(block, 0, known).ids == before.ids;
    return whole ? PartOf(block, known, block.length() - known) : block;
  }

  // Padding, as a mask of the model's name tells.
  absl::Status TakeMask(TokenBlock* block) const {
    const DecoderRoles::Input* const mask = of_model_.Find(Role::kMask);
    if (mask == nullptr) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(const std::optional<Tensor> read, Read(mask->name));
    if (!read.has_value() || read->num_elements() != static_cast<int64_t>(block->ids.size())) {
      return absl::OkStatus();
    }
    OC_ASSIGN_OR_RETURN(const std::vector<double> numbers, NumbersOf(*read));
    std::transform(numbers.begin(), numbers.end(), block->counts.begin(),
                   [](double number) { return number > 0; });
    return absl::OkStatus();
  }

  RecordingSide& recording_;
  const Graph& model_;
  const DecoderRoles& of_model_;
  std::string tokens_;  // their name; "": they were not recorded
  RecordedSteps steps_;
};

}  // namespace

absl::StatusOr<RecordedSteps> FindRecordedSteps(RecordingSide& recording, const Graph& model,
                                                const DecoderRoles& of_model) {
  return StepFinder(recording, model, of_model).Find();
}

Decoder::RunModel RunnerOf(RecordingSide& recording, const RecordedSteps& steps) {
  return [&recording, &steps, step = std::make_shared<int64_t>(0)](
             const Feeds& /*feeds*/) -> absl::StatusOr<std::vector<Value>> {
    recording.ChooseSet((*step)++);
    std::vector<Value> outputs;
    const std::vector<RecordedResult>& results = recording.values().results();
    for (const ValueInfo& output : steps.graph.outputs) {
      const auto found =
          std::find_if(results.begin(), results.end(), [&](const RecordedResult& result) {
            return result.depth == 0 && result.name == output.name;
          });
      if (found == results.end()) {
        return absl::InvalidArgumentError(absl::StrCat(recording.summary().source, ": the set ",
                                                       recording.SetName(), " has no value `",
                                                       output.name, "`"));
      }
      OC_ASSIGN_OR_RETURN(Value value,
                          recording.ReadResult(static_cast<size_t>(found - results.begin())));
      outputs.push_back(std::move(value));
    }
    return outputs;
  };
}

}  // namespace onnxcmp
