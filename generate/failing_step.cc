#include "generate/failing_step.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compare/outcome/exit_status.h"
#include "evaluator/base/status_macros.h"
#include "generate/broken_node.h"
#include "generate/logit_figures.h"
#include "generate/tensors.h"
#include "record/differences/value_difference.h"

namespace onnxcmp {
namespace {

constexpr char kOwnStates[] = "each side's own states";

// The feeds of the other side with the states of `from`; nothing if the two have not the same
// states.
std::optional<Feeds> OnStatesOf(SideId from, const PerSide<DecoderSide>& sides,
                                const PerSide<Feeds>& feeds) {
  const SideId to = Other(from);
  const std::vector<StatePair>& given = sides[from].decoder->roles().states;
  const std::vector<StatePair>& taken = sides[to].decoder->roles().states;
  if (given.empty() || given.size() != taken.size()) return std::nullopt;
  Feeds changed = feeds[to];
  for (size_t i = 0; i < given.size(); ++i) {
    const Value& value = feeds[from].at(given[i].past);
    Value& place = changed.at(taken[i].past);
    if (!value.is_tensor() || !place.is_tensor() || value.TypeString() != place.TypeString()) {
      return std::nullopt;
    }
    place = value;
  }
  return changed;
}

bool IsPadded(const TokenBlock& tokens) {
  return std::find(tokens.counts.begin(), tokens.counts.end(), false) != tokens.counts.end();
}

// The positions of a state that count, row by row: what padding leaves in a cache means nothing.
absl::StatusOr<std::vector<Tensor>> StatesThatCount(const Decoder& decoder, const StatePair& pair,
                                                    const Tensor& state) {
  const TokenBlock& tokens = decoder.tokens();
  if (!pair.axis.has_value() || !IsPadded(tokens)) return std::vector<Tensor>{state};
  std::vector<Tensor> parts;
  for (int64_t row = 0; row < tokens.rows; ++row) {
    std::vector<int64_t> places;
    for (int64_t i = 0; i < tokens.length(); ++i) {
      if (tokens.counts[static_cast<size_t>(row * tokens.length() + i)]) places.push_back(i);
    }
    OC_ASSIGN_OR_RETURN(const Tensor of_row, SliceOf(state, 0, row, 1));
    OC_ASSIGN_OR_RETURN(Tensor part, EntriesOf(of_row, *pair.axis, places));
    parts.push_back(std::move(part));
  }
  return parts;
}

// The tokens of one row that count.
TokenBlock RowAlone(const TokenBlock& tokens, int64_t row) {
  TokenBlock alone;
  alone.rows = 1;
  for (int64_t i = 0; i < tokens.length(); ++i) {
    const auto at = static_cast<size_t>(row * tokens.length() + i);
    if (tokens.counts[at]) alone.ids.push_back(tokens.ids[at]);
  }
  alone.counts.assign(alone.ids.size(), true);
  return alone;
}

std::vector<int64_t> AllRows(const TokenBlock& tokens) {
  std::vector<int64_t> rows;
  for (int64_t row = 0; row < tokens.rows; ++row) rows.push_back(row);
  return rows;
}

// The feeds of the last token alone, after all others.
absl::StatusOr<Feeds> LastTokenFeeds(const Decoder& decoder) {
  Decoder again = decoder;
  const TokenBlock tokens = again.tokens();
  OC_RETURN_IF_ERROR(again.Restart(AllRows(tokens)));
  if (tokens.length() > 1) {
    OC_RETURN_IF_ERROR(again.Step(PartOf(tokens, 0, tokens.length() - 1)).status());
  }
  return again.FeedsOf(PartOf(tokens, tokens.length() - 1, 1));
}

// The logits of the last position in double, [rows, positions, vocabulary], all tokens at once. A
// model that takes one at a time leaves that to the model of the prompt, or runs on the last one.
absl::StatusOr<Tensor> ExactLogits(const DecoderSide& one) {
  const TokenBlock& tokens = one.decoder->tokens();
  const bool single = one.decoder->one_at_a_time();
  const bool by_prompt = single && one.prompt_decoder != nullptr;
  Decoder decoder = by_prompt ? *one.prompt_decoder : *one.decoder;
  Feeds feeds;
  if (by_prompt) {
    OC_RETURN_IF_ERROR(decoder.Restart(AllRows(tokens)));
    OC_ASSIGN_OR_RETURN(feeds, decoder.FeedsOf(tokens));
  } else if (single) {
    OC_ASSIGN_OR_RETURN(feeds, LastTokenFeeds(decoder));
  } else {
    OC_ASSIGN_OR_RETURN(feeds, decoder.WholeFeeds());
  }
  const Side& side = by_prompt ? *one.prompt_side : *one.side;
  OC_ASSIGN_OR_RETURN(const Evaluator in_double, side.evaluator()->InDouble());
  OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, in_double.Run(feeds));
  return decoder.LogitsOf(outputs, tokens.rows, single && !by_prompt ? 1 : tokens.length());
}

class StepComparison {
 public:
  StepComparison(const PerSide<DecoderSide>& sides, const PerSide<Feeds>& feeds,
                 const TokenBlock& block, int64_t row, const CompareOptions& options)
      : sides_(sides), feeds_(feeds), block_(block), row_(row), options_(options) {}

  absl::StatusOr<ComparedStep> Run() {
    for (const SideId side : kBothSides) {
      if (sides_[side].recorded != nullptr) return BesideRecording(Other(side));
    }
    if (sides_.left.decoder->tokens().length() != sides_.right.decoder->tokens().length()) {
      return On(feeds_.left, feeds_.right, "the step that does not run");
    }
    if (IsPadded(sides_.left.decoder->tokens()) && !OneAtATime()) {
      OC_ASSIGN_OR_RETURN(ComparedStep step, OnRowAlone());
      if (step.fails()) return step;
    }
    bool first = sides_.left.decoder->tokens().length() <= block_.length();
    if (sides_.left.decoder->one_at_a_time() != sides_.right.decoder->one_at_a_time()) {
      first = false;
      // One side alone may have caches.
      const bool partial = std::exchange(options_.partial, true);
      OC_ASSIGN_OR_RETURN(ComparedStep step, OnFirstToken());
      options_.partial = partial;
      if (step.fails() && RanBoth(step)) return step;
      for (const SideId side : kBothSides) {
        OC_ASSIGN_OR_RETURN(feeds_[side], LastTokenFeeds(*sides_[side].decoder));
      }
    }
    if (std::optional<Feeds> changed = OnStatesOf(SideId::kLeft, sides_, feeds_);
        changed.has_value()) {
      return first ? On(feeds_.left, feeds_.right, "the prompt") : OnStates(*std::move(changed));
    }
    options_.partial = true;  // only one side has caches
    if (first || OneAtATime()) {
      return On(feeds_.left, feeds_.right, first ? "the prompt" : OwnStatesText());
    }
    return OnAllTokens();
  }

 private:
  absl::StatusOr<ComparedStep> On(Feeds left, Feeds right, const std::string& what) const {
    return Of({sides_.left.side, sides_.right.side}, {std::move(left), std::move(right)}, what);
  }

  absl::StatusOr<ComparedStep> Of(const PerSide<Side*>& models, PerSide<Feeds> feeds,
                                  const std::string& what) const {
    for (const SideId side : kBothSides) models[side]->SetFeeds(std::move(feeds[side]));
    ComparedStep step;
    OC_ASSIGN_OR_RETURN(Comparison comparison, Compare(*models.left, *models.right, options_));
    step.comparison = std::make_shared<Comparison>(std::move(comparison));
    step.on = what;
    return step;
  }

  // On what was fed to the recorded step, if that was recorded; then on the model's own states.
  absl::StatusOr<ComparedStep> BesideRecording(SideId model) const {
    Side& recording = *sides_[Other(model)].side;
    OC_ASSIGN_OR_RETURN(const InputsOfRecording inputs,
                        recording.RecordedInputs(sides_[model].decoder->graph()));
    PerSide<Feeds> recorded;
    recorded[model] = feeds_[model];
    size_t known = 0;
    for (const NamedValue& input : inputs.values) {
      const auto place = recorded[model].find(input.name);
      if (place == recorded[model].end() ||
          place->second.TypeString() != input.value.TypeString()) {
        continue;
      }
      place->second = input.value;
      ++known;
    }
    if (known > 0 && known == recorded[model].size()) {
      OC_ASSIGN_OR_RETURN(ComparedStep step, Of({sides_.left.side, sides_.right.side}, recorded,
                                                "the recorded inputs"));
      if (step.fails()) return step;
    }
    OC_ASSIGN_OR_RETURN(
        ComparedStep step,
        On(feeds_.left, feeds_.right,
           absl::StrCat("the ", SideName(model), "'s own states beside the recorded step")));
    // The first step has no states that could be wrong.
    const Decoder& decoder = *sides_[model].decoder;
    if (!step.fails() || decoder.tokens().length() <= block_.length()) return step;
    if (decoder.roles().has_states()) OC_RETURN_IF_ERROR(AddBrokenCache(model, &step));
    return step;
  }

  // The properties of a side's cache that do not hold, and the nodes that break them.
  absl::Status AddBrokenCache(SideId side, ComparedStep* step) const {
    OC_ASSIGN_OR_RETURN(std::vector<Invariant> tried, CacheOf(side));
    for (Invariant& one : tried) {
      if (one.outcome == Invariant::Outcome::kBroken) step->alone.push_back(std::move(one));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<Invariant>> CacheOf(SideId side) const {
    Decoder decoder = *sides_[side].decoder;
    OC_ASSIGN_OR_RETURN(std::vector<Invariant> tried, TryCache({sides_[side].side, &decoder}));
    for (Invariant& one : tried) one.name = absl::StrCat(SideName(side), ": ", one.name);
    return tried;
  }

  // `right`: its feeds with the left's states.
  absl::StatusOr<ComparedStep> OnStates(Feeds right) const {
    OC_ASSIGN_OR_RETURN(ComparedStep step,
                        On(feeds_.left, std::move(right), "the left's states on both sides"));
    if (step.fails()) return step;
    OC_ASSIGN_OR_RETURN(ComparedStep own, On(feeds_.left, feeds_.right, kOwnStates));
    if (!own.fails()) return own;
    // The steps that made these states agree, and this one may on either side's: states that drift
    // apart by honest rounding are no fault of it.
    OC_ASSIGN_OR_RETURN(ComparedStep rights, On(*OnStatesOf(SideId::kRight, sides_, feeds_),
                                                feeds_.right, "the right's states on both sides"));
    return rights.fails() ? std::move(own) : std::move(rights);
  }

  bool OneAtATime() const {
    return sides_.left.decoder->one_at_a_time() || sides_.right.decoder->one_at_a_time();
  }

  static bool RanBoth(const ComparedStep& step) {
    return step.comparison->left_summary.status.ok() && step.comparison->right_summary.status.ok();
  }

  // Where one side takes a token at a time and the other all of them, only the first token is read
  // by both in one way.
  absl::StatusOr<ComparedStep> OnFirstToken() const {
    PerSide<Feeds> alone;
    for (const SideId side : kBothSides) {
      Decoder decoder = *sides_[side].decoder;
      const TokenBlock first = PartOf(RowAlone(decoder.tokens(), row_), 0, 1);
      OC_RETURN_IF_ERROR(decoder.Restart({row_}));
      OC_ASSIGN_OR_RETURN(alone[side], decoder.FeedsOf(first));
    }
    return On(std::move(alone.left), std::move(alone.right), "the first token alone");
  }

  std::string OwnStatesText() const {
    const bool other =
        sides_.left.decoder->one_at_a_time() != sides_.right.decoder->one_at_a_time();
    return other
               ? absl::StrCat(kOwnStates,
                              "; they agree on the first token alone: what a state does, or what ",
                              "is made of it, differs")
               : kOwnStates;
  }

  // Without the padding, whose results mean nothing.
  absl::StatusOr<ComparedStep> OnRowAlone() const {
    PerSide<Feeds> alone;
    for (const SideId side : kBothSides) {
      Decoder decoder = *sides_[side].decoder;
      const TokenBlock tokens = RowAlone(decoder.tokens(), row_);
      OC_RETURN_IF_ERROR(decoder.Restart({row_}));
      OC_ASSIGN_OR_RETURN(alone[side], decoder.FeedsOf(tokens));
    }
    return On(std::move(alone.left), std::move(alone.right),
              absl::StrCat("prompt ", row_, " alone, without padding and past"));
  }

  // True if the side is given what its model of the prompt made of an encoder's states, which the
  // other side's model makes itself.
  bool TakesCrossStates(SideId side) const {
    const std::vector<StatePair>& states = sides_[side].decoder->roles().states;
    return sides_[side].prompt_decoder != nullptr &&
           std::any_of(states.begin(), states.end(),
                       [](const StatePair& state) { return state.cross; });
  }

  absl::StatusOr<ComparedStep> OnAllTokensAtOnce() const {
    PerSide<Feeds> whole;
    PerSide<Side*> models;
    for (const SideId side : kBothSides) {
      const DecoderSide& one = sides_[side];
      models[side] = one.side;
      if (TakesCrossStates(side)) {
        Decoder prompt = *one.prompt_decoder;
        OC_RETURN_IF_ERROR(prompt.Restart(AllRows(one.decoder->tokens())));
        OC_ASSIGN_OR_RETURN(whole[side], prompt.FeedsOf(one.decoder->tokens()));
        models[side] = one.prompt_side;
      } else {
        OC_ASSIGN_OR_RETURN(whole[side], one.decoder->WholeFeeds());
      }
    }
    return Of(models, std::move(whole), "all tokens so far at once");
  }

  absl::StatusOr<ComparedStep> OnAllTokens() const {
    OC_ASSIGN_OR_RETURN(ComparedStep step, OnAllTokensAtOnce());
    // Some models that go on after another's states take no past of length 0.
    if (!RanBoth(step)) {
      return On(feeds_.left, feeds_.right, kOwnStates);
    }
    for (const SideId side : kBothSides) {
      if (step.fails() || !TakesCrossStates(side)) continue;
      OC_ASSIGN_OR_RETURN(ComparedStep models, OnBothModels(side));
      if (models.fails()) return models;
    }
    if (step.fails()) return step;
    for (const SideId side : kBothSides) {
      if (!sides_[side].decoder->roles().has_states()) continue;
      OC_ASSIGN_OR_RETURN(std::vector<Invariant> tried, CacheOf(side));
      std::move(tried.begin(), tried.end(), std::back_inserter(step.alone));
    }
    for (const SideId side : kBothSides) {
      if (step.fails() || !sides_[side].decoder->roles().has_states()) continue;
      OC_ASSIGN_OR_RETURN(Invariant as_read, OfThisStep(side));
      if (as_read.outcome != Invariant::Outcome::kBroken) continue;
      if (sides_[side].prompt_decoder != nullptr) {
        OC_ASSIGN_OR_RETURN(ComparedStep models, OnBothModels(side));
        if (models.fails()) return models;
      }
      step.alone.push_back(std::move(as_read));
    }
    return step;
  }

  // The logits of the step itself, on the states that it had, beside those of all tokens at once.
  absl::StatusOr<Invariant> OfThisStep(SideId side) const {
    const Decoder& decoder = *sides_[side].decoder;
    const TokenBlock& tokens = decoder.tokens();
    OC_ASSIGN_OR_RETURN(const Feeds whole_feeds, decoder.WholeFeeds());
    OC_ASSIGN_OR_RETURN(const Tensor whole,
                        decoder.LogitsOn(whole_feeds, tokens.rows, tokens.length()));
    OC_ASSIGN_OR_RETURN(const Tensor part,
                        decoder.LogitsOn(feeds_[side], tokens.rows, block_.length()));
    const int64_t last = std::min(whole.shape()[1], part.shape()[1]);
    OC_ASSIGN_OR_RETURN(const Tensor reference, LogitsThatCount(whole, block_, last));
    OC_ASSIGN_OR_RETURN(const Tensor of_step, LogitsThatCount(part, block_, last));
    OC_ASSIGN_OR_RETURN(const Tolerance tolerance, RoundingOf(sides_[side], whole_feeds));
    const ValueDifference difference = DifferenceWithin(tolerance, reference, of_step);
    Invariant found;
    found.name = absl::StrCat(SideName(side), ": this step beside all tokens at once");
    found.outcome =
        difference.agree() ? Invariant::Outcome::kWithinRounding : Invariant::Outcome::kBroken;
    found.max_difference = difference.max_absolute;
    found.elements = difference.reason.empty() ? difference.max_absolute_pair : difference.reason;
    found.position = tokens.length() - 1;
    return found;
  }

  // The model of the prompt beside that of further steps, both on the prompt, without a past.
  absl::StatusOr<ComparedStep> OnBothModels(SideId side) const {
    const DecoderSide& one = sides_[side];
    const TokenBlock& prompt = one.prompt_decoder->tokens();
    Decoder steps = *one.decoder;
    OC_RETURN_IF_ERROR(steps.Restart(AllRows(prompt)));
    OC_ASSIGN_OR_RETURN(Feeds of_prompt, one.prompt_decoder->WholeFeeds());
    OC_ASSIGN_OR_RETURN(Feeds of_steps, steps.FeedsOf(prompt));
    return Of({one.side, one.prompt_side}, {std::move(of_steps), std::move(of_prompt)},
              absl::StrCat("the prompt: the ", SideName(side),
                           "'s model of further steps on the left, its model of the prompt on the "
                           "right"));
  }

  const PerSide<DecoderSide>& sides_;
  PerSide<Feeds> feeds_;
  const TokenBlock& block_;
  const int64_t row_;
  CompareOptions options_;
};

}  // namespace

bool ComparedStep::fails() const {
  return ExitStatusOf(*comparison) != 0 ||
         std::any_of(alone.begin(), alone.end(), [](const Invariant& invariant) {
           return invariant.outcome == Invariant::Outcome::kBroken;
         });
}

absl::StatusOr<ComparedStep> CompareStep(const PerSide<DecoderSide>& sides,
                                         const PerSide<Feeds>& feeds, const TokenBlock& block,
                                         int64_t row, const CompareOptions& options) {
  return StepComparison(sides, feeds, block, row, options).Run();
}

absl::StatusOr<std::string> StateThatDiffers(const PerSide<DecoderSide>& sides,
                                             const ToleranceOptions& tolerance) {
  const Decoder& left = *sides.left.decoder;
  const Decoder& right = *sides.right.decoder;
  const std::vector<StatePair>& of_both = left.roles().left_states();
  if (of_both.size() != right.roles().left_states().size()) return "";
  for (size_t i = 0; i < of_both.size(); ++i) {
    const StatePair& pair = of_both[i];
    const auto of_left = left.states().find(pair.past);
    const auto of_right = right.states().find(right.roles().left_states()[i].past);
    if (of_left == left.states().end() || of_right == right.states().end()) continue;
    if (of_left->second.tensor().shape() != of_right->second.tensor().shape()) continue;
    OC_ASSIGN_OR_RETURN(const std::vector<Tensor> left_parts,
                        StatesThatCount(left, pair, of_left->second.tensor()));
    OC_ASSIGN_OR_RETURN(const std::vector<Tensor> right_parts,
                        StatesThatCount(left, pair, of_right->second.tensor()));
    for (size_t part = 0; part < left_parts.size(); ++part) {
      if (!DifferenceOf(left_parts[part], right_parts[part], tolerance, /*floats_by_value=*/true)
               .agree()) {
        return pair.present;
      }
    }
  }
  return std::string();
}

absl::StatusOr<TieFigures> TieOf(const PerSide<DecoderSide>& sides, const PerSide<int64_t>& tokens,
                                 const PerSide<std::vector<std::vector<double>>>& logits,
                                 size_t row) {
  TieFigures figures;
  const auto of_left = static_cast<size_t>(tokens.left);
  const auto of_right = static_cast<size_t>(tokens.right);
  const std::vector<double>& left = logits.left[row];
  const std::vector<double>& right = logits.right[row];
  figures.apart = (left[of_left] - left[of_right]) + (right[of_right] - right[of_left]);
  for (const SideId side : kBothSides) {
    // A recording has only the model beside it to say what is right.
    const bool recorded = sides[side].recorded != nullptr;
    OC_ASSIGN_OR_RETURN(const Tensor exact, ExactLogits(sides[recorded ? Other(side) : side]));
    OC_ASSIGN_OR_RETURN(const std::vector<std::vector<double>> rows, LastLogits(exact));
    // Each side's rounding moves both tokens.
    for (const size_t token : {of_left, of_right}) {
      figures.rounding += std::abs(rows[row][token] - logits[side][row][token]);
    }
  }
  return figures;
}

}  // namespace onnxcmp
