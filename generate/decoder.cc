#include "generate/decoder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/random_numbers.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "feed/made_up/input_purpose.h"
#include "generate/state_pairs.h"
#include "generate/tensors.h"

namespace onnxcmp {
namespace {

// Positions of an encoder whose length is open.
constexpr int64_t kEncoderPositions = 7;
// The summand of scores of positions that do not count: the least number of float16.
constexpr double kMaskedScore = -65504;

const ValueInfo* NamedIn(const std::vector<ValueInfo>& values, const std::string& name) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const ValueInfo& value) { return value.name == name; });
  return found == values.end() ? nullptr : &*found;
}

absl::Status InputError(const std::string& name, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("input `", name, "` ", what));
}

// Free dimensions: the batch has `rows`, others `length`.
absl::StatusOr<Shape> ShapeOf(const ValueInfo& input, const std::string& batch, int64_t rows,
                              int64_t length) {
  if (!input.type.shape.has_value()) {
    return InputError(input.name, "has no declared shape, so that it is not known what to feed");
  }
  Shape shape;
  for (const TypeInfo::Dim& dim : *input.type.shape) shape.push_back(dim.value.value_or(length));
  const size_t axis = BatchAxis(input.type, batch);
  if (axis < shape.size() && !(*input.type.shape)[axis].value.has_value()) shape[axis] = rows;
  return shape;
}

bool IsCalledMask(const std::string& name) { return absl::StrContains(name, "mask"); }

// True if a value can be fed to an input of this type.
bool Takes(const TypeInfo& type, const Value& value) {
  if (!value.is_tensor() || value.tensor().dtype() != type.dtype || !type.shape.has_value() ||
      type.shape->size() != value.tensor().shape().size()) {
    return false;
  }
  for (size_t i = 0; i < type.shape->size(); ++i) {
    const int64_t size = value.tensor().shape()[i];
    if ((*type.shape)[i].value.value_or(size) != size) return false;
  }
  return true;
}

// Inputs with the role kGiven, and states that no output gives.
std::vector<const ValueInfo*> GivenInputs(const Graph& graph, const DecoderRoles& roles) {
  std::vector<const ValueInfo*> inputs;
  for (const DecoderRoles::Input& input : roles.inputs) {
    const auto state = std::find_if(roles.states.begin(), roles.states.end(),
                                    [&](const StatePair& one) { return one.past == input.name; });
    const bool kept = input.role == Role::kState && state->present.empty();
    if (input.role == Role::kGiven || kept) inputs.push_back(NamedIn(graph.inputs, input.name));
  }
  return inputs;
}

absl::StatusOr<Value> MadeUp(const ValueInfo& input, const InputPurposes& purposes,
                             const Shape& shape, RandomNumbers* random) {
  std::vector<double> numbers(static_cast<size_t>(NumElements(shape).value_or(0)));
  const bool real = IsFloatingPoint(input.type.dtype);
  const auto purpose = purposes.find(input.name);
  const int64_t limit =
      purpose == purposes.end() ? 2 : std::max<int64_t>(purpose->second.limit.value_or(2), 1);
  for (double& number : numbers) {
    if (real) {
      number = random->Normal();
    } else if (IsCalledMask(input.name) || input.type.dtype == DType::kBool) {
      number = 1;
    } else {
      number = static_cast<double>(random->Below(limit));
    }
  }
  OC_ASSIGN_OR_RETURN(Tensor tensor, TensorOf(input.type.dtype, shape, numbers));
  return Value(std::move(tensor));
}

}  // namespace

absl::StatusOr<Feeds> GivenValues(const Graph& graph, const DecoderRoles& roles, int64_t rows,
                                  const Feeds& fixed) {
  Feeds given;
  const InputPurposes purposes = PurposesOf(graph);
  RandomNumbers random(1);
  for (const ValueInfo* input : GivenInputs(graph, roles)) {
    if (const auto by_user = fixed.find(input->name); by_user != fixed.end()) {
      given[input->name] = by_user->second;
      continue;
    }
    OC_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(*input, roles.batch, rows, kEncoderPositions));
    OC_ASSIGN_OR_RETURN(given[input->name], MadeUp(*input, purposes, shape, &random));
  }
  return given;
}

absl::StatusOr<Feeds> GivenAsOn(const Graph& graph, const DecoderRoles& roles, const Feeds& other) {
  Feeds given;
  std::vector<const ValueInfo*> rest;
  absl::flat_hash_set<std::string> taken;
  for (const ValueInfo* input : GivenInputs(graph, roles)) {
    const auto same = other.find(input->name);
    if (same == other.end()) {
      rest.push_back(input);
      continue;
    }
    given[input->name] = same->second;
    taken.insert(input->name);
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : other) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (const ValueInfo* input : rest) {
    const auto like = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
      return !taken.contains(name) && Takes(input->type, other.at(name));
    });
    if (like != names.end()) {
      given[input->name] = other.at(*like);
      taken.insert(*like);
    } else if (!IsCalledMask(input->name)) {
      return InputError(input->name,
                        "stays the same in every step, and the other side has no such input: "
                        "--inputs gives values that belong together");
    }
  }
  return given;
}

absl::Status Decoder::Restart(const std::vector<int64_t>& rows, int64_t shift) {
  states_.clear();
  given_rows_.clear();
  shift_ = shift;
  tokens_ = TokenBlock();
  tokens_.rows = static_cast<int64_t>(rows.size());
  const std::string& name = roles_.Find(Role::kTokens)->name;
  const TypeInfo& type = InputNamed(name).type;
  if (type.shape.has_value() && type.shape->size() == 2) {
    const std::optional<int64_t> fixed = type.shape->front().value;
    if (fixed.value_or(tokens_.rows) != tokens_.rows) {
      return InputError(name, absl::StrCat("has a batch of ", *fixed, ", and there are ",
                                           tokens_.rows, " prompts"));
    }
  }
  for (const auto& [given, value] : given_) {
    const size_t axis = BatchAxis(InputNamed(given).type, roles_.batch);
    const Tensor& tensor = value.tensor();
    const bool of_rows = axis < tensor.shape().size() &&
                         std::all_of(rows.begin(), rows.end(),
                                     [&](int64_t row) { return row < tensor.shape()[axis]; });
    if (!of_rows) {
      given_rows_[given] = value;
      continue;
    }
    OC_ASSIGN_OR_RETURN(Tensor of_start, EntriesOf(tensor, axis, rows));
    given_rows_[given] = std::move(of_start);
  }
  return absl::OkStatus();
}

const ValueInfo& Decoder::InputNamed(const std::string& name) const {
  return *NamedIn(graph_.inputs, name);
}

absl::Status Decoder::Check(const TokenBlock& block) const {
  const std::string& name = roles_.Find(Role::kTokens)->name;
  for (const int64_t id : block.ids) {
    if (id >= 0 && id < roles_.vocabulary.value_or(id + 1)) continue;
    return InputError(name, absl::StrCat("cannot take token ", id, ": the vocabulary has ",
                                         roles_.vocabulary.value_or(0), " tokens"));
  }
  const int64_t last = tokens_.length() + block.length() + shift_;
  if (roles_.most_positions.has_value() && last > *roles_.most_positions) {
    return InputError(roles_.limited_by, absl::StrCat("has room for ", *roles_.most_positions,
                                                      " positions, and ", last, " are needed"));
  }
  const bool padded =
      std::find(block.counts.begin(), block.counts.end(), false) != block.counts.end();
  if (padded && roles_.Find(Role::kMask) == nullptr) {
    return absl::InvalidArgumentError(
        "no input is a mask, so that prompts of several lengths cannot be padded: give prompts of "
        "one length");
  }
  for (int64_t row = 0; row < block.rows && padded && roles_.mask_is_counted; ++row) {
    if (block.counts[static_cast<size_t>(row * block.length())]) continue;
    return InputError(roles_.Find(Role::kMask)->name,
                      "is only counted, so that prompts cannot have padding before them: give "
                      "prompts of one length");
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> Decoder::MaskOf(const ValueInfo& input, const TokenBlock& all,
                                      int64_t added) const {
  const int64_t rows = all.rows, total = all.length();
  const bool has_dims = input.type.shape.has_value() && !input.type.shape->empty();
  const int64_t width = has_dims ? input.type.shape->back().value.value_or(total) : total;
  const bool square = has_dims && input.type.shape->size() == 4;
  const int64_t lines = square ? added : 1;
  const bool adds = square && IsFloatingPoint(input.type.dtype);
  std::vector<double> numbers(static_cast<size_t>(rows * lines * width), adds ? kMaskedScore : 0);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t line = 0; line < lines; ++line) {
      const int64_t end = square ? total - added + line + 1 : total;
      for (int64_t i = 0; i < std::min(end, width); ++i) {
        if (!all.counts[static_cast<size_t>(row * total + i)]) continue;
        numbers[static_cast<size_t>((row * lines + line) * width + i)] = adds ? 0 : 1;
      }
    }
  }
  Shape shape = {rows, width};
  if (square) shape = {rows, 1, lines, width};
  OC_ASSIGN_OR_RETURN(Tensor mask, TensorOf(input.type.dtype, shape, numbers));
  return Value(std::move(mask));
}

absl::StatusOr<Value> Decoder::ControlOf(const ValueInfo& input, Role role, const TokenBlock& all,
                                         int64_t added) const {
  const int64_t rows = all.rows, total = all.length(), past = total - added;
  const auto make = [&](const Shape& shape,
                        const std::vector<double>& numbers) -> absl::StatusOr<Value> {
    OC_ASSIGN_OR_RETURN(Tensor tensor, TensorOf(input.type.dtype, shape, numbers));
    return Value(std::move(tensor));
  };
  const size_t rank = input.type.shape.has_value() ? input.type.shape->size() : 2;
  std::vector<double> numbers;
  switch (role) {
    case Role::kTokens:
    case Role::kTokenTypes:
    case Role::kPositions: {
      for (int64_t row = 0; row < rows; ++row) {
        int64_t position = shift_;
        for (int64_t i = 0; i < total; ++i) {
          const auto at = static_cast<size_t>(row * total + i);
          if (i >= past) {
            const int64_t number = role == Role::kTokens      ? all.ids[at]
                                   : role == Role::kPositions ? position
                                                              : 0;
            numbers.push_back(static_cast<double>(number));
          }
          position += all.counts[at] ? 1 : 0;
        }
      }
      if (rank == 1) {
        numbers.resize(static_cast<size_t>(added));
        return make({added}, numbers);
      }
      if (rank == 3) {
        const int64_t times = input.type.shape->front().value.value_or(1);
        std::vector<double> repeated;
        for (int64_t i = 0; i < times; ++i) {
          repeated.insert(repeated.end(), numbers.begin(), numbers.end());
        }
        return make({times, rows, added}, repeated);
      }
      return make({rows, added}, numbers);
    }
    case Role::kMask:
      return MaskOf(input, all, added);
    case Role::kCachePosition:
      for (int64_t i = past; i < total; ++i) numbers.push_back(static_cast<double>(i + shift_));
      return make({added}, numbers);
    case Role::kLastPosition:
      numbers.assign(static_cast<size_t>(rows), static_cast<double>(total - 1));
      return rank == 2 ? make({rows, 1}, numbers) : make({rows}, numbers);
    case Role::kTotalLength:
      return rank == 0 && input.type.shape.has_value() ? make({}, {static_cast<double>(total)})
                                                       : make({1}, {static_cast<double>(total)});
    case Role::kUseCache:
      return make({1}, {past > 0 ? 1.0 : 0.0});
    case Role::kState:
    case Role::kGiven:
      break;
  }
  return absl::InternalError(absl::StrCat("input `", input.name, "` does not follow from tokens"));
}

absl::StatusOr<Value> Decoder::FirstState(const ValueInfo& input, const StatePair& state) const {
  // A cross cache is as long as the encoder's states; a cache that grows has no past yet.
  OC_ASSIGN_OR_RETURN(
      Shape shape, ShapeOf(input, roles_.batch, tokens_.rows, state.cross ? kEncoderPositions : 0));
  if (state.axis.has_value()) shape[*state.axis] = 0;
  for (size_t i = 0; i < shape.size() && !state.cross; ++i) {
    if (shape[i] == 0 && i != state.axis) {
      return InputError(input.name,
                        absl::StrCat("is a state whose axis ", i, " has no size that is known"));
    }
  }
  OC_ASSIGN_OR_RETURN(
      Tensor tensor,
      TensorOf(input.type.dtype, shape,
               std::vector<double>(static_cast<size_t>(NumElements(shape).value_or(0)), 0)));
  return Value(std::move(tensor));
}

absl::StatusOr<Feeds> Decoder::FeedsOf(const TokenBlock& block) const {
  OC_RETURN_IF_ERROR(Check(block));
  TokenBlock all = Appended(tokens_, block);
  Feeds feeds = given_rows_;
  for (const DecoderRoles::Input& input : roles_.inputs) {
    if (input.role == Role::kGiven || input.role == Role::kState) continue;
    const int64_t added = roles_.has_states() ? block.length() : all.length();
    OC_ASSIGN_OR_RETURN(feeds[input.name],
                        ControlOf(InputNamed(input.name), input.role, all, added));
  }
  for (const StatePair& state : roles_.states) {
    if (feeds.contains(state.past)) continue;  // one that is given
    if (const auto known = states_.find(state.past); known != states_.end()) {
      feeds[state.past] = known->second;
      continue;
    }
    OC_ASSIGN_OR_RETURN(feeds[state.past], FirstState(InputNamed(state.past), state));
  }
  return feeds;
}

absl::Status Decoder::TakeState(const StatePair& state, const Value& value, int64_t added) {
  if (!value.is_tensor()) {
    return absl::InvalidArgumentError(
        absl::StrCat("output `", state.present, "` is a state and no tensor"));
  }
  const Tensor& tensor = value.tensor();
  if (state.cross) {
    // A merged decoder gives an empty one once it uses its cache.
    if (tensor.num_elements() > 0 && !states_.contains(state.past)) states_[state.past] = value;
    return absl::OkStatus();
  }
  if (!state.axis.has_value()) {
    states_[state.past] = value;
    return absl::OkStatus();
  }
  const int64_t past = tokens_.length();
  const size_t axis = *state.axis;
  const int64_t length = axis < tensor.shape().size() ? tensor.shape()[axis] : -1;
  if (length == past + added) {
    states_[state.past] = value;
    return absl::OkStatus();
  }
  if (length != added) {
    return absl::InvalidArgumentError(
        absl::StrCat("the output `", state.present, "` does not grow: its shape is ",
                     ShapeToString(tensor.shape()), ", and along axis ", axis, " there have to be ",
                     past + added, " positions (or the ", added, " new ones)"));
  }
  OC_ASSIGN_OR_RETURN(Tensor joined, JoinedAlong(axis, {states_[state.past].tensor(), tensor}));
  states_[state.past] = std::move(joined);
  return absl::OkStatus();
}

absl::StatusOr<Tensor> Decoder::LogitsOf(const std::vector<Value>& outputs, int64_t rows,
                                         int64_t positions) const {
  Tensor logits;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (graph_.outputs[i].name == roles_.logits && outputs[i].is_tensor()) {
      logits = outputs[i].tensor();
    }
  }
  const Shape& shape = logits.shape();
  const int64_t words = shape.empty() ? 0 : shape.back();
  const int64_t lines = words == 0 ? 0 : logits.num_elements() / words;
  if (shape.size() < 2 || shape.size() > 3 || (lines != rows * positions && lines != rows)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "output `", roles_.logits, "` has the shape ", ShapeToString(shape), ": logits of ", rows,
        rows == 1 ? " row and " : " rows and ", positions,
        " positions have [rows, positions, vocabulary], or the last position's alone"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor whole, logits.Contiguous());
  return whole.Reshaped({rows, lines / std::max<int64_t>(rows, 1), words});
}

absl::StatusOr<Tensor> Decoder::Run(const TokenBlock& block, const Feeds& feeds) {
  OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, run_(feeds));
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (const StatePair& state : roles_.states) {
      if (state.present != graph_.outputs[i].name) continue;
      OC_RETURN_IF_ERROR(TakeState(state, outputs[i], block.length()));
    }
  }
  tokens_ = Appended(tokens_, block);
  const int64_t positions = roles_.has_states() ? block.length() : tokens_.length();
  OC_ASSIGN_OR_RETURN(const Tensor logits, LogitsOf(outputs, block.rows, positions));
  const int64_t wanted = std::min(logits.shape()[1], block.length());
  return SliceOf(logits, 1, logits.shape()[1] - wanted, wanted);
}

absl::StatusOr<Tensor> Decoder::Step(const TokenBlock& block) {
  if (!one_at_a_time() || block.length() == 1) {
    OC_ASSIGN_OR_RETURN(const Feeds feeds, FeedsOf(block));
    return Run(block, feeds);
  }
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < block.length(); ++i) {
    OC_ASSIGN_OR_RETURN(Tensor part, Step(PartOf(block, i, 1)));
    parts.push_back(std::move(part));
  }
  return JoinedAlong(1, parts);
}

bool Decoder::one_at_a_time() const {
  const TypeInfo& type = InputNamed(roles_.Find(Role::kTokens)->name).type;
  return roles_.has_states() && type.shape.has_value() && !type.shape->empty() &&
         type.shape->back().value == 1;
}

absl::StatusOr<Feeds> Decoder::WholeFeeds() const {
  Decoder fresh(graph_, roles_, run_, given_);
  fresh.given_rows_ = given_rows_;
  fresh.shift_ = shift_;
  fresh.tokens_.rows = tokens_.rows;
  return fresh.FeedsOf(tokens_);
}

TokenBlock PartOf(const TokenBlock& block, int64_t begin, int64_t count) {
  TokenBlock part;
  part.rows = block.rows;
  for (int64_t row = 0; row < block.rows; ++row) {
    for (int64_t i = begin; i < begin + count; ++i) {
      const auto at = static_cast<size_t>(row * block.length() + i);
      part.ids.push_back(block.ids[at]);
      part.counts.push_back(block.counts[at]);
    }
  }
  return part;
}

TokenBlock Appended(const TokenBlock& before, const TokenBlock& added) {
  TokenBlock all;
  all.rows = added.rows;
  for (int64_t row = 0; row < added.rows; ++row) {
    for (const TokenBlock* part : {&before, &added}) {
      for (int64_t i = 0; i < part->length(); ++i) {
        const auto at = static_cast<size_t>(row * part->length() + i);
        all.ids.push_back(part->ids[at]);
        all.counts.push_back(part->counts[at]);
      }
    }
  }
  return all;
}

}  // namespace onnxcmp
