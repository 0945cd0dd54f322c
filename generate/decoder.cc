#include "generate/decoder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "feed/feeds.h"
#include "generate/frames.h"
#include "generate/given_values.h"
#include "generate/state_pairs.h"
#include "generate/tensors.h"

namespace onnxcmp {
namespace {

// The summand of scores of positions that do not count: the least number of float16.
constexpr double kMaskedScore = -65504;

}  // namespace

absl::Status Decoder::Restart(const std::vector<int64_t>& rows, const Start& start) {
  states_.clear();
  given_rows_.clear();
  start_ = start;
  tokens_ = TokenBlock();
  tokens_.rows = static_cast<int64_t>(rows.size());
  const std::string& name = roles_.content().name;
  const TypeInfo& type = InputNamed(name).type;
  if (type.shape.has_value() && type.shape->size() > 1) {
    const std::optional<int64_t> fixed = (*type.shape)[BatchAxis(type, roles_.batch)].value;
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

void Decoder::Continue(const Decoder& prompt) {
  tokens_ = prompt.tokens_;
  states_ = prompt.states_;
  for (const StatePair& state : roles_.states) {
    const auto known = states_.find(state.past);
    if (!state.cross || known == states_.end()) continue;
    // An encoder's states stay the same, also when these tokens are read anew.
    given_[state.past] = known->second;
    given_rows_[state.past] = known->second;
    states_.erase(known);
  }
}

const ValueInfo& Decoder::InputNamed(const std::string& name) const {
  return *FindValueInfo(graph_.inputs, name);
}

absl::Status Decoder::Check(const TokenBlock& block) const {
  const std::string& name = roles_.content().name;
  for (const int64_t id : block.ids) {
    if (id >= 0 && id < roles_.vocabulary.value_or(id + 1)) continue;
    return InputError(name, absl::StrCat("cannot take token ", id, ": the vocabulary has ",
                                         roles_.vocabulary.value_or(0), " tokens"));
  }
  const int64_t last = tokens_.length() + block.length() + start_.shift;
  if (roles_.most_positions.has_value() && last > *roles_.most_positions) {
    return absl::InvalidArgumentError(absl::StrCat(roles_.limited_by, " has room for ",
                                                   *roles_.most_positions, " positions, and ", last,
                                                   " are needed"));
  }
  const bool padded =
      std::find(block.counts.begin(), block.counts.end(), false) != block.counts.end();
  const DecoderRoles::Input* const mask =
      roles_.Find(roles_.Find(Role::kMask) != nullptr ? Role::kMask : Role::kLengths);
  if (padded && mask == nullptr) {
    return absl::InvalidArgumentError(
        "no input is a mask, so that prompts of several lengths cannot be padded: give prompts of "
        "one length");
  }
  for (int64_t row = 0; row < block.rows && padded && roles_.mask_is_counted; ++row) {
    if (block.counts[static_cast<size_t>(row * block.length())]) continue;
    return InputError(mask->name,
                      "is only counted, so that prompts cannot have padding before them: give "
                      "prompts of one length");
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> Decoder::MaskOf(const ValueInfo& input, const TokenBlock& all,
                                      int64_t added) const {
  const int64_t rows = all.rows, total = all.length();
  const bool has_dims = input.type.shape.has_value() && !input.type.shape->empty();
  // A mask of a buffer is as wide as that.
  const bool of_buffer =
      has_dims && !roles_.slots.empty() && input.type.shape->back().symbol == roles_.slots;
  const int64_t free = of_buffer ? start_.slots : total;
  const int64_t width = has_dims ? input.type.shape->back().value.value_or(free) : total;
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
        int64_t position = start_.shift;
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
      // A run of frames knows only its own.
      return MaskOf(input, roles_.has_frames() ? PartOf(all, past, added) : all, added);
    case Role::kCachePosition:
      for (int64_t i = past; i < total; ++i)
        numbers.push_back(static_cast<double>(i + start_.shift));
      return make({added}, numbers);
    case Role::kLastPosition:
      numbers.assign(static_cast<size_t>(rows), static_cast<double>(total - 1));
      return rank == 2 ? make({rows, 1}, numbers) : make({rows}, numbers);
    case Role::kTotalLength:
      return rank == 0 && input.type.shape.has_value() ? make({}, {static_cast<double>(total)})
                                                       : make({1}, {static_cast<double>(total)});
    case Role::kUseCache:
      return make({1}, {past > 0 || start_.with_past ? 1.0 : 0.0});
    case Role::kFrames:
      return FramesOf(input, roles_, all, added);
    case Role::kLengths: {
      const int64_t begin = roles_.has_frames() ? past : 0;
      for (int64_t row = 0; row < rows; ++row) {
        const auto end = all.counts.begin() + (row + 1) * total;
        numbers.push_back(static_cast<double>(std::count(end - (total - begin), end, true)));
      }
      return make({rows}, numbers);
    }
    case Role::kState:
    case Role::kGiven:
      break;
  }
  return absl::InternalError(absl::StrCat("input `", input.name, "` does not follow from tokens"));
}

std::optional<size_t> Decoder::SlotsOf(const StatePair& state) const {
  if (state.slots.has_value()) return state.slots;
  return state.may_be_buffer && start_.slots > 0 ? state.axis : std::nullopt;
}

absl::StatusOr<Value> Decoder::FirstState(const ValueInfo& input, const StatePair& state) const {
  // A cross cache is as long as the encoder's states; a cache that grows has no past yet.
  OC_ASSIGN_OR_RETURN(Shape shape, state.cross
                                       ? GivenShape(input, roles_.batch, tokens_.rows)
                                       : ShapeOf(input, roles_.batch, tokens_.rows, /*length=*/0));
  const std::optional<size_t> slots = SlotsOf(state);
  if (state.axis.has_value()) shape[*state.axis] = 0;
  if (slots.has_value()) shape[*slots] = start_.slots;
  for (size_t i = 0; i < shape.size() && !state.cross; ++i) {
    if (shape[i] == 0 && i != state.axis && i != slots) {
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
    if (const auto known = states_.find(state.past); known != states_.end()) {
      feeds[state.past] = known->second;
      continue;
    }
    if (feeds.contains(state.past)) continue;  // one that is given
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
  if (!state.axis.has_value() || SlotsOf(state).has_value()) {
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
      if (roles_.has_frames()) {
        return ByPosition(graph_.outputs[i], logits, roles_, rows, positions);
      }
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

absl::StatusOr<Tensor> Decoder::LogitsOn(const Feeds& feeds, int64_t rows,
                                         int64_t positions) const {
  OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, run_(feeds));
  return LogitsOf(outputs, rows, positions);
}

absl::StatusOr<Tensor> Decoder::Run(const TokenBlock& block, const Feeds& feeds) {
  OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, run_(feeds));
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (const std::vector<StatePair>* states : {&roles_.states, &roles_.hands_on}) {
      for (const StatePair& state : *states) {
        if (state.present != graph_.outputs[i].name) continue;
        OC_RETURN_IF_ERROR(TakeState(state, outputs[i], block.length()));
      }
    }
  }
  tokens_ = Appended(tokens_, block);
  const int64_t positions = roles_.has_states() ? block.length() : tokens_.length();
  absl::StatusOr<Tensor> read = LogitsOf(outputs, block.rows, positions);
  if (!read.ok() && roles_.recorded) {
    read = LogitsOf(outputs, block.rows, roles_.has_states() ? tokens_.length() : block.length());
  }
  OC_ASSIGN_OR_RETURN(const Tensor logits, std::move(read));
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

std::optional<int64_t> Decoder::fixed_length() const {
  const TypeInfo& type = InputNamed(roles_.content().name).type;
  if (!type.shape.has_value() || type.shape->empty()) return std::nullopt;
  if (!roles_.has_frames()) return type.shape->back().value;
  return roles_.time.has_value() ? (*type.shape)[*roles_.time].value : 1;
}

bool Decoder::one_at_a_time() const { return roles_.has_states() && fixed_length() == 1; }

absl::StatusOr<Feeds> Decoder::WholeFeeds() const {
  Decoder fresh(graph_, roles_, run_, given_);
  fresh.given_rows_ = given_rows_;
  fresh.start_ = start_;
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
