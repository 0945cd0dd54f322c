#include "generate/state_pairs.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

// Words that tell the two names of a state apart.
constexpr absl::string_view kWordsOfTime[] = {"past",   "present", "in",      "out",   "input",
                                              "output", "old",     "new",     "prev",  "previous",
                                              "next",   "last",    "updated", "cache", "caches"};

// "past_key_values.3.key" and "present.3.key" have the same stem.
std::string StemOf(const std::string& name) {
  const std::string lower =
      absl::StrReplaceAll(absl::AsciiStrToLower(name), {{"key_values", ""}, {"kv", ""}});
  std::vector<absl::string_view> words;
  for (const absl::string_view word :
       absl::StrSplit(lower, absl::ByAnyChar("._-/:[]"), absl::SkipEmpty())) {
    const bool of_time =
        std::find(std::begin(kWordsOfTime), std::end(kWordsOfTime), word) != std::end(kWordsOfTime);
    if (!of_time) words.push_back(word);
  }
  return absl::StrJoin(words, ".");
}

// True if a value of one type can be fed where the other is declared: known fixed dimensions are
// equal, except along `axis`.
bool Fits(const TypeInfo& past, const TypeInfo& present) {
  if (past.dtype != present.dtype || past.kind != present.kind) return false;
  if (!past.shape.has_value() || !present.shape.has_value()) return true;
  if (past.shape->size() != present.shape->size()) return false;
  for (size_t i = 0; i < past.shape->size(); ++i) {
    const std::optional<int64_t>& a = (*past.shape)[i].value;
    const std::optional<int64_t>& b = (*present.shape)[i].value;
    if (a.has_value() && b.has_value() && *a != *b) return false;
  }
  return true;
}

// The axis along which the past is as long as there are past positions: a free one that is not the
// batch, called by a length or else another than the output's. Nothing if all sizes are fixed.
std::optional<size_t> GrowingAxis(const ValueInfo& past, const ValueInfo* present,
                                  const std::string& batch) {
  if (!past.type.shape.has_value()) return std::nullopt;
  const std::vector<TypeInfo::Dim>& dims = *past.type.shape;
  const bool knows_output = present != nullptr && present->type.shape.has_value() &&
                            present->type.shape->size() == dims.size();
  std::optional<size_t> found;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i].value.has_value() || i == BatchAxis(past.type, batch)) continue;
    const std::string lower = absl::AsciiStrToLower(dims[i].symbol);
    if (absl::StrContains(lower, "past") || absl::StrContains(lower, "seq")) return i;
    const bool other = knows_output && (*present->type.shape)[i].symbol != dims[i].symbol;
    if (!found.has_value() || other) found = i;
  }
  return found;
}

bool IsOfEncoder(const std::string& name) {
  const std::string lower = absl::AsciiStrToLower(name);
  return absl::StrContains(lower, "encoder") || absl::StrContains(lower, "cross");
}

class Pairing {
 public:
  Pairing(const Graph& graph, const std::vector<const ValueInfo*>& pasts, const std::string& logits)
      : pasts_(pasts) {
    for (const ValueInfo& output : graph.outputs) {
      if (output.name != logits) outputs_.push_back(&output);
    }
  }

  absl::Status TakeGiven(const std::vector<std::string>& given) {
    for (const std::string& text : given) {
      const size_t at = text.find('=');
      const ValueInfo* past = at == std::string::npos ? nullptr : Named(pasts_, text.substr(0, at));
      const ValueInfo* present =
          at == std::string::npos ? nullptr : Named(outputs_, text.substr(at + 1));
      if (past == nullptr || present == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat("--state ", text,
                         " has to be PAST=PRESENT, an input and an output; inputs that may be "
                         "states: ",
                         Names(pasts_), "; outputs: ", Names(outputs_)));
      }
      Pair(past, present);
    }
    return absl::OkStatus();
  }

  // By stems that one input and one output have.
  void PairByNames() {
    absl::flat_hash_map<std::string, std::vector<const ValueInfo*>> stems;
    for (const ValueInfo* output : outputs_) stems[StemOf(output->name)].push_back(output);
    for (const ValueInfo* past : pasts_) {
      const auto found = stems.find(StemOf(past->name));
      if (of_.contains(past) || found == stems.end() || found->second.size() != 1) continue;
      const ValueInfo* present = found->second.front();
      if (!taken_.contains(present) && Fits(past->type, present->type)) Pair(past, present);
    }
  }

  // In order, if as many inputs as outputs remain.
  void PairByOrder() {
    std::vector<const ValueInfo*> inputs, outputs;
    for (const ValueInfo* past : pasts_) {
      if (!of_.contains(past)) inputs.push_back(past);
    }
    for (const ValueInfo* output : outputs_) {
      if (!taken_.contains(output)) outputs.push_back(output);
    }
    if (inputs.size() != outputs.size()) return;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!Fits(inputs[i]->type, outputs[i]->type)) return;
    }
    for (size_t i = 0; i < inputs.size(); ++i) Pair(inputs[i], outputs[i]);
  }

  absl::StatusOr<std::vector<StatePair>> Take(const std::string& batch) const {
    std::vector<StatePair> pairs;
    for (const ValueInfo* past : pasts_) {
      StatePair pair;
      pair.past = past->name;
      pair.cross = IsOfEncoder(past->name);
      const auto found = of_.find(past);
      if (found != of_.end()) {
        pair.present = found->second->name;
      } else if (!IsCalledState(past->name)) {
        continue;
      } else if (!pair.cross) {
        return absl::InvalidArgumentError(absl::StrCat(
            "no output is the next value of the state `", past->name,
            "`: tried names without words like past and present, and types and shapes in order; "
            "outputs without an input: ",
            NamesLeft(), "; --state PAST=PRESENT says which it is"));
      }
      if (!pair.cross) {
        pair.axis = GrowingAxis(*past, found == of_.end() ? nullptr : found->second, batch);
      }
      pairs.push_back(std::move(pair));
    }
    return pairs;
  }

 private:
  static const ValueInfo* Named(const std::vector<const ValueInfo*>& values,
                                const std::string& name) {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const ValueInfo* value) { return value->name == name; });
    return found == values.end() ? nullptr : *found;
  }

  static std::string Names(const std::vector<const ValueInfo*>& values) {
    std::vector<std::string> names;
    for (const ValueInfo* value : values) names.push_back(absl::StrCat("`", value->name, "`"));
    return names.empty() ? "none" : absl::StrJoin(names, ", ");
  }

  std::string NamesLeft() const {
    std::vector<const ValueInfo*> left;
    for (const ValueInfo* output : outputs_) {
      if (!taken_.contains(output)) left.push_back(output);
    }
    return Names(left);
  }

  void Pair(const ValueInfo* past, const ValueInfo* present) {
    of_[past] = present;
    taken_.insert(present);
  }

  const std::vector<const ValueInfo*>& pasts_;
  std::vector<const ValueInfo*> outputs_;
  absl::flat_hash_map<const ValueInfo*, const ValueInfo*> of_;
  absl::flat_hash_set<const ValueInfo*> taken_;
};

}  // namespace

bool IsCalledState(const std::string& name) {
  const std::string lower = absl::AsciiStrToLower(name);
  for (const char* word : {"past", "cache", "state", "conv", "ssm"}) {
    if (absl::StrContains(lower, word)) return true;
  }
  return false;
}

size_t BatchAxis(const TypeInfo& type, const std::string& batch) {
  if (!type.shape.has_value() || batch.empty()) return 0;
  for (size_t i = 0; i < type.shape->size(); ++i) {
    if ((*type.shape)[i].symbol == batch) return i;
  }
  return 0;
}

absl::StatusOr<std::vector<StatePair>> PairStates(const Graph& graph,
                                                  const std::vector<const ValueInfo*>& pasts,
                                                  const std::string& logits,
                                                  const std::string& batch,
                                                  const std::vector<std::string>& given) {
  Pairing pairing(graph, pasts, logits);
  OC_RETURN_IF_ERROR(pairing.TakeGiven(given));
  pairing.PairByNames();
  pairing.PairByOrder();
  return pairing.Take(batch);
}

absl::StatusOr<std::vector<StatePair>> PairWithPrompt(const Graph& prompt,
                                                      const std::string& logits,
                                                      const Graph& decoder,
                                                      const DecoderRoles& roles) {
  if (!roles.has_states())
    return absl::InvalidArgumentError("no input of the next model is a state");
  std::vector<const ValueInfo*> pasts;
  for (const StatePair& state : roles.states) {
    pasts.push_back(
        &*std::find_if(decoder.inputs.begin(), decoder.inputs.end(),
                       [&](const ValueInfo& input) { return input.name == state.past; }));
  }
  Pairing pairing(prompt, pasts, logits);
  pairing.PairByNames();
  pairing.PairByOrder();
  OC_ASSIGN_OR_RETURN(std::vector<StatePair> pairs, pairing.Take(roles.batch));
  for (size_t i = 0; i < roles.states.size(); ++i) {
    if (i >= pairs.size() || pairs[i].past != roles.states[i].past || pairs[i].present.empty()) {
      return InputError(roles.states[i].past,
                        "is a state that no output of the prompt's model gives");
    }
    // The decoder's own output tells which axis grows.
    pairs[i].axis = roles.states[i].axis;
  }
  return pairs;
}

}  // namespace onnxcmp
