#include "generate/trials.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/random_numbers.h"
#include "feed/made_up/window_lengths.h"
#include "generate/rotary.h"
#include "generate/state_pairs.h"

namespace onnxcmp {
namespace {

// A prime, so that few dimensions of models have this length by chance.
constexpr int64_t kTokens = 11;
constexpr int64_t kPadding = 2;
constexpr int64_t kShift = 3;
constexpr int64_t kSlots = 64;

// `padding` positions, tokens of these rows from `begin` to `end`, `after` positions of padding.
TokenBlock BlockOf(const Prompts& prompts, const std::vector<int64_t>& rows, int64_t begin,
                   int64_t end, int64_t padding = 0, int64_t after = 0) {
  TokenBlock block;
  block.rows = static_cast<int64_t>(rows.size());
  for (const int64_t row : rows) {
    const std::vector<int64_t>& prompt = prompts[static_cast<size_t>(row)];
    for (int64_t i = begin - padding; i < end + after; ++i) {
      const bool counts = i >= begin && i < end;
      block.counts.push_back(counts);
      block.ids.push_back(counts ? prompt[static_cast<size_t>(i)] : 0);
    }
  }
  return block;
}

class Trials {
 public:
  Trials(const Decoder& decoder, Prompts prompts)
      : decoder_(decoder),
        roles_(decoder.roles()),
        prompts_(std::move(prompts)),
        length_(static_cast<int64_t>(prompts_.front().size())) {}

  std::vector<Trial> OfCache() const {
    Trial single = Named("one token at a time"), pieces = Named("in pieces of 3, 1 and the rest");
    single.of_cache = pieces.of_cache = true;
    if (!roles_.has_states()) {
      single.not_possible = pieces.not_possible = "no input is a state";
      return {single, pieces};
    }
    if (FixedLength().has_value()) {
      single.not_possible = pieces.not_possible = LengthText();
      return {single, pieces};
    }
    for (int64_t i = 0; i < length_; ++i) {
      single.blocks.push_back(BlockOf(prompts_, single.rows, i, i + 1));
    }
    const std::vector<int64_t> ends = {std::min<int64_t>(3, length_), std::min<int64_t>(4, length_),
                                       length_};
    int64_t begin = 0;
    for (const int64_t end : ends) {
      if (end > begin) pieces.blocks.push_back(BlockOf(prompts_, pieces.rows, begin, end));
      begin = end;
    }
    return {single, pieces};
  }

  std::vector<Trial> All() const {
    std::vector<Trial> all = OfCache();
    for (std::vector<Trial> some : {OfPadding(), OfBatch(), OfCausality()}) {
      all.insert(all.end(), std::make_move_iterator(some.begin()),
                 std::make_move_iterator(some.end()));
    }
    for (const Trial& one : {OfPositions(), OfEmptyPast(), OfBuffer()}) all.push_back(one);
    return all;
  }

 private:
  // Names are those of docs/generate.md.
  Trial Named(std::string name) const {
    Trial trial;
    trial.name = std::move(name);
    trial.start = StartOf(roles_, length_);
    trial.agree = length_;
    return trial;
  }

  std::vector<Trial> OfPadding() const {
    Trial before = Named("padding before the prompt"), after = Named("padding after the prompt"),
          steps = Named("padding before, then one token at a time");
    const bool told = roles_.Find(Role::kMask) != nullptr || roles_.Find(Role::kLengths) != nullptr;
    if (!told || FixedLength().value_or(1) != 1) {
      before.not_possible = after.not_possible = steps.not_possible =
          told ? LengthText() : "no input is a mask";
      return {before, after, steps};
    }
    // Encoders have absolute positions, and are padded after their tokens.
    before.of_decoders = true;
    before.blocks = {BlockOf(prompts_, before.rows, 0, length_, kPadding)};
    if (roles_.mask_is_counted) {
      before.not_possible = steps.not_possible =
          "the mask is only counted, so that padding comes after the tokens";
    } else if (roles_.has_frames()) {
      before.not_possible = steps.not_possible = "frames are padded after the last one";
    }
    after.blocks = {BlockOf(prompts_, after.rows, 0, length_, 0, kPadding)};
    if (!roles_.has_states()) steps.not_possible = "no input is a state";
    if (!steps.not_possible.empty()) return {before, after, steps};
    const int64_t prompt = std::max<int64_t>(1, length_ - 3);
    steps.blocks = {BlockOf(prompts_, steps.rows, 0, prompt, kPadding)};
    for (int64_t i = prompt; i < length_; ++i) {
      steps.blocks.push_back(BlockOf(prompts_, steps.rows, i, i + 1));
    }
    return {before, after, steps};
  }

  std::vector<Trial> OfBatch() const {
    Trial batch = Named("in a batch of 3"), order = Named("the batch in another order");
    batch.rows = {0, 1, 2};
    order.rows = {2, 0, 1};
    const std::optional<int64_t> fixed = FixedBatch();
    if (fixed.value_or(kInvariantRows) != kInvariantRows) {
      batch.not_possible = order.not_possible = absl::StrCat("the batch is always ", *fixed);
      return {batch, order};
    }
    batch.blocks = {BlockOf(prompts_, batch.rows, 0, length_)};
    order.blocks = {BlockOf(prompts_, order.rows, 0, length_)};
    return {batch, order};
  }

  std::optional<int64_t> FixedLength() const { return decoder_.fixed_length(); }

  std::string LengthText() const {
    if (roles_.has_frames() && !roles_.time.has_value()) return "the input has no axis of time";
    return FixedLength() == 1
               ? "the model takes one token at a time"
               : absl::StrCat("the model always takes ", *FixedLength(), " positions");
  }

  std::optional<int64_t> FixedBatch() const {
    for (const ValueInfo& input : decoder_.graph().inputs) {
      if (input.name != roles_.content().name || !input.type.shape.has_value()) continue;
      const std::vector<TypeInfo::Dim>& dims = *input.type.shape;
      if (dims.size() < 2)
        return roles_.has_frames() && !dims.front().value.has_value() ? std::nullopt
                                                                      : std::optional<int64_t>(1);
      return dims[BatchAxis(input.type, roles_.batch)].value;
    }
    return std::nullopt;
  }

  std::vector<Trial> OfCausality() const {
    Trial later = Named("another token at the end");
    Prompts changed = prompts_;
    int64_t& last = changed.front().back();
    last = last == 0 ? 1 : last - 1;
    later.blocks = {BlockOf(changed, later.rows, 0, length_)};
    later.agree = length_ - 1;
    if (FixedLength() == 1) {
      later.not_possible = LengthText();
      return {later};
    }
    later.of_decoders = later.causality = true;
    return {later};
  }

  Trial OfPositions() const {
    Trial moved = Named("all positions 3 later");
    moved.start.shift = kShift;
    moved.blocks = {BlockOf(prompts_, moved.rows, 0, length_)};
    const DecoderRoles::Input* const positions = roles_.Find(Role::kPositions);
    if (positions == nullptr) {
      moved.not_possible = "no input has positions";
    } else if (roles_.Find(Role::kCachePosition) != nullptr) {
      moved.not_possible = "positions are slots of the cache, too";
    } else if (!OnlyRotates(decoder_.graph(), positions->name)) {
      moved.not_possible = "positions do not only rotate heads";
    } else if (roles_.most_positions.value_or(length_ + kShift) < length_ + kShift) {
      moved.not_possible = "there is no room for later positions";
    }
    return moved;
  }

  Trial OfEmptyPast() const {
    Trial empty = Named("a past of length 0 instead of none");
    empty.start.with_past = true;
    empty.blocks = {BlockOf(prompts_, empty.rows, 0, length_)};
    const bool cross = std::any_of(roles_.states.begin(), roles_.states.end(),
                                   [](const StatePair& state) { return state.cross; });
    if (roles_.Find(Role::kUseCache) == nullptr) {
      empty.not_possible = "no input says that there is no past";
    } else if (cross) {
      empty.not_possible = "a past has an encoder's states";
    }
    return empty;
  }

  Trial OfBuffer() const {
    const bool open = !roles_.slots.empty();
    Trial longer = Named(open ? "a longer buffer" : "a buffer instead of a cache that grows");
    longer.start.slots = (open ? 2 : 1) * std::max(kSlots, length_);
    const bool may = std::any_of(roles_.states.begin(), roles_.states.end(),
                                 [](const StatePair& state) { return state.may_be_buffer; });
    if (!open && !may) longer.not_possible = "no cache has slots whose number is open";
    // Slots that are beyond the tokens are read only after a step.
    const int64_t begin = std::max<int64_t>(1, length_ - 3);
    longer.blocks = {BlockOf(prompts_, longer.rows, 0, begin)};
    for (int64_t i = begin; i < length_; ++i) {
      longer.blocks.push_back(BlockOf(prompts_, longer.rows, i, i + 1));
    }
    return longer;
  }

  const Decoder& decoder_;
  const DecoderRoles& roles_;
  const Prompts prompts_;
  const int64_t length_;
};

}  // namespace

absl::StatusOr<Prompts> MakePrompts(const Decoder& decoder, uint64_t seed, int64_t longer) {
  const DecoderRoles& roles = decoder.roles();
  if (!roles.vocabulary.has_value() && !roles.has_frames()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the vocabulary is not known: neither the readers of the tokens nor the shape "
                     "of `",
                     roles.logits, "` tell it"));
  }
  const int64_t room = roles.most_positions.value_or(kTokens + kPadding) - kPadding;
  if (room < 1) {
    return absl::InvalidArgumentError(absl::StrCat(roles.limited_by, " has room for ",
                                                   *roles.most_positions,
                                                   " positions, and more are needed"));
  }
  RandomNumbers random(seed);
  Prompts prompts(static_cast<size_t>(kInvariantRows));
  int64_t length = std::min(kTokens, room);
  const std::optional<int64_t> fixed = decoder.fixed_length();
  if (roles.has_frames() && roles.time.has_value() && !fixed.has_value()) {
    // Wide windows, as of raw audio, need more frames.
    const WindowLengths windows = WindowLengthsOf(decoder.graph());
    const auto wide = windows.find({roles.content().name, static_cast<int64_t>(*roles.time)});
    if (wide != windows.end()) length = wide->second.For(length, kTokens);
    length *= longer;
  }
  // A run of one position is repeated if it has states.
  if (fixed.has_value() && !decoder.one_at_a_time()) length = *fixed;
  for (std::vector<int64_t>& prompt : prompts) {
    for (int64_t i = 0; i < length; ++i) {
      prompt.push_back(
          random.Below(roles.vocabulary.value_or(std::numeric_limits<int32_t>::max())));
    }
  }
  return prompts;
}

TokenBlock WholeBlock(const Prompts& prompts, int64_t row) {
  return BlockOf(prompts, {row}, 0, static_cast<int64_t>(prompts.front().size()));
}

Decoder::Start StartOf(const DecoderRoles& roles, int64_t length) {
  return {.slots = roles.slots.empty() ? 0 : std::max(kSlots, length)};
}

std::vector<Trial> AllTrials(const Decoder& decoder, const Prompts& prompts) {
  return Trials(decoder, prompts).All();
}

std::vector<Trial> CacheTrials(const Decoder& decoder, const Prompts& prompts) {
  return Trials(decoder, prompts).OfCache();
}

}  // namespace onnxcmp
