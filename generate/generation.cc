#include "generate/generation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compare/outcome/exit_status.h"
#include "evaluator/base/random_numbers.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/evaluator.h"
#include "generate/failing_step.h"
#include "generate/logit_figures.h"
#include "generate/recorded_steps.h"
#include "generate/tensors.h"
#include "record/differences/value_difference.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

constexpr size_t kMadeUpTokens = 5;

// Prompts as a block: shorter ones have padding before them.
TokenBlock Padded(const std::vector<std::vector<int64_t>>& prompts) {
  size_t longest = 0;
  for (const std::vector<int64_t>& prompt : prompts) longest = std::max(longest, prompt.size());
  TokenBlock block;
  block.rows = static_cast<int64_t>(prompts.size());
  for (const std::vector<int64_t>& prompt : prompts) {
    for (size_t i = 0; i < longest; ++i) {
      const bool counts = i + prompt.size() >= longest;
      block.counts.push_back(counts);
      block.ids.push_back(counts ? prompt[i + prompt.size() - longest] : 0);
    }
  }
  return block;
}

Relation RelationOf(const ValueDifference& difference) {
  if (!difference.agree()) return Relation::kDifferent;
  return difference.max_absolute == 0 ? Relation::kSame : Relation::kClose;
}

// The file, or those of both models.
std::string SourceOf(const DecoderSide& one) {
  const std::string& source = one.side->summary().source;
  if (one.prompt_side == nullptr) return source;
  return absl::StrCat(one.prompt_side->summary().source, "+", source);
}

class Generator {
 public:
  Generator(const PerSide<DecoderSide>& sides, const GenerateOptions& options)
      : sides_(sides), options_(options), steps_(options.steps) {
    for (const SideId side : kBothSides) {
      if (sides[side].recorded != nullptr) recorded_ = side;
    }
    if (recorded_.has_value()) steps_ = std::min(steps_, Recorded().count);
  }

  Generation Run() {
    for (const SideId side : kBothSides) {
      found_.sources[side] = SourceOf(sides_[side]);
      found_.roles[side] =
          side == recorded_ ? DescribeRecording() : DescribeRoles(decoder(side).roles());
      if (const Decoder* prompt = sides_[side].prompt_decoder; prompt != nullptr) {
        found_.roles[side].push_back(
            absl::StrCat("the prompt's model: ", InputsText(prompt->roles())));
      }
    }
    found_.status = Steps();
    return std::move(found_);
  }

 private:
  Decoder& decoder(SideId side) { return *sides_[side].decoder; }

  const RecordedSteps& Recorded() { return *sides_[*recorded_].recorded; }

  std::vector<std::string> DescribeRecording() {
    return {absl::StrCat(
                "a recording of ", Count(Recorded().count, "step"), ", ",
                Recorded().tokens.empty() ? "whose logits choose the tokens" : "with their tokens"),
            absl::StrCat("logits ", decoder(*recorded_).roles().logits)};
  }

  absl::Status Steps() {
    for (const SideId side : kBothSides) {
      if (!decoder(side).roles().has_frames()) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          SideName(side), ": no input takes tokens, `", decoder(side).roles().content().name,
          "` takes frames: --invariants tries such a model, and --role NAME=tokens corrects it"));
    }
    PerSide<TokenBlock> blocks;
    if (recorded_.has_value()) {
      OC_RETURN_IF_ERROR(TakeRecordedPrompts(&blocks));
    } else {
      OC_RETURN_IF_ERROR(MakePrompts());
      blocks = {Padded(found_.prompts), Padded(found_.prompts)};
    }
    OC_RETURN_IF_ERROR(CheckRoom());
    std::vector<int64_t> rows;
    for (size_t i = 0; i < found_.prompts.size(); ++i) rows.push_back(static_cast<int64_t>(i));
    const PerSide<DecoderSide> last = sides_;
    for (const SideId side : kBothSides) {
      // A cache that may be a buffer grows, so that it is as the other side's; a buffer has room
      // for all steps.
      const bool open = !decoder(side).roles().slots.empty();
      const int64_t slots = open ? blocks[side].length() + steps_ : 0;
      OC_RETURN_IF_ERROR(OfSideError(side, decoder(side).Restart(rows, {.slots = slots})));
      if (last[side].prompt_decoder == nullptr) continue;
      sides_[side] = {last[side].prompt_side, last[side].prompt_decoder};
      OC_RETURN_IF_ERROR(OfSideError(side, decoder(side).Restart(rows)));
    }
    for (int64_t step = 0; step < steps_; ++step) {
      OC_RETURN_IF_ERROR(Step(blocks));
      for (const SideId side : kBothSides) {
        blocks[side] = NextOf(step, options_.free ? side : recorded_.value_or(SideId::kLeft));
        if (step > 0 || last[side].prompt_decoder == nullptr) continue;
        sides_[side] = last[side];
        decoder(side).Continue(*last[side].prompt_decoder);
      }
    }
    return absl::OkStatus();
  }

  static absl::Status OfSideError(SideId side, const absl::Status& status) {
    if (status.ok()) return status;
    return absl::Status(status.code(), absl::StrCat(SideName(side), ": ", status.message()));
  }

  // A recording says what was read.
  absl::Status TakeRecordedPrompts(PerSide<TokenBlock>* blocks) {
    const std::vector<TokenBlock>& tokens = Recorded().tokens;
    const std::string& source = sides_[*recorded_].side->summary().source;
    if (options_.free) {
      return absl::InvalidArgumentError(
          absl::StrCat("--free is for two models: the steps of ", source, " are recorded"));
    }
    if (tokens.empty() == options_.prompts.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          source, tokens.empty() ? " is a recording without tokens: --prompt gives those that its "
                                   "first step has read"
                                 : " is a recording with its own tokens: --prompt is not for it"));
    }
    if (tokens.empty()) {
      found_.prompts = options_.prompts;
      *blocks = {Padded(found_.prompts), Padded(found_.prompts)};
      return absl::OkStatus();
    }
    *blocks = {tokens.front(), tokens.front()};
    for (int64_t row = 0; row < tokens.front().rows; ++row) {
      std::vector<int64_t> prompt;
      for (int64_t i = 0; i < tokens.front().length(); ++i) {
        const auto at = static_cast<size_t>(row * tokens.front().length() + i);
        if (tokens.front().counts[at]) prompt.push_back(tokens.front().ids[at]);
      }
      found_.prompts.push_back(std::move(prompt));
    }
    return absl::OkStatus();
  }

  absl::Status MakePrompts() {
    found_.prompts = options_.prompts;
    if (!found_.prompts.empty()) return absl::OkStatus();
    std::optional<int64_t> words;
    for (const SideId side : kBothSides) {
      const std::optional<int64_t>& known = decoder(side).roles().vocabulary;
      if (known.has_value()) words = std::min(words.value_or(*known), *known);
    }
    if (!words.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the vocabulary is not known: neither the readers of the tokens nor the shape of `",
          decoder(SideId::kLeft).roles().logits, "` tell it; --prompt gives tokens"));
    }
    RandomNumbers random(options_.seed);
    std::vector<int64_t> prompt;
    while (prompt.size() < kMadeUpTokens) prompt.push_back(random.Below(*words));
    found_.prompts = {std::move(prompt)};
    return absl::OkStatus();
  }

  // The last step's own token is read by none.
  absl::Status CheckRoom() {
    const int64_t prompt = Padded(found_.prompts).length();
    for (const SideId side : kBothSides) {
      const DecoderRoles& roles = decoder(side).roles();
      const int64_t room = roles.most_positions.value_or(prompt + steps_);
      if (prompt + steps_ - 1 <= room) continue;
      const std::string most =
          prompt > room ? "" : absl::StrCat("; --steps ", room - prompt + 1, " is the most");
      return absl::InvalidArgumentError(absl::StrCat(
          SideName(side), ": ", roles.limited_by, " has room for ", room, " positions, and ",
          prompt, " of the prompt and ", steps_ - 1, " of further steps are needed", most));
    }
    return absl::OkStatus();
  }

  // Hidden states are no logits, though they have the same shape.
  absl::Status CheckLogits(SideId side, const Tensor& logits) {
    const DecoderRoles& roles = decoder(side).roles();
    const int64_t words = logits.shape().back();
    const bool called = absl::StrContains(absl::AsciiStrToLower(roles.logits), "logits");
    if (words > 1 && (called || roles.vocabulary.value_or(words) == words)) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        SideName(side), ": the model gives no logits: its output `", roles.logits, "` has ", words,
        words == 1 ? " number" : " numbers", " for each position, and the vocabulary has ",
        roles.vocabulary.value_or(0), " tokens"));
  }

  // The tokens after a step: as recorded, or those that the side chooses.
  TokenBlock NextOf(int64_t step, SideId side) {
    const auto next = static_cast<size_t>(step + 1);
    if (recorded_.has_value() && next < Recorded().tokens.size()) return Recorded().tokens[next];
    TokenBlock block;
    for (const GeneratedStep::Row& row : found_.steps.back().rows) {
      block.ids.push_back(row.token[side]);
    }
    block.rows = static_cast<int64_t>(block.ids.size());
    block.counts.assign(block.ids.size(), true);
    return block;
  }

  absl::Status Step(PerSide<TokenBlock> blocks) {
    PerSide<Feeds> feeds;
    for (const SideId side : kBothSides) {
      OC_RETURN_IF_ERROR(ReadAhead(side, &blocks[side]));
      absl::StatusOr<Feeds> fed = decoder(side).FeedsOf(blocks[side]);
      OC_RETURN_IF_ERROR(OfSideError(side, fed.status()));
      feeds[side] = *std::move(fed);
    }
    PerSide<Tensor> logits;
    for (const SideId side : kBothSides) {
      const absl::StatusOr<Tensor> ran = decoder(side).Run(blocks[side], feeds[side]);
      if (!ran.ok()) {
        // The comparison shows how far the run came, and the node that failed.
        if (!found_.failing.has_value()) {
          OC_RETURN_IF_ERROR(CompareHere(found_.steps.size(), feeds, blocks.left).status());
        }
        return OfSideError(side, ran.status());
      }
      OC_RETURN_IF_ERROR(CheckLogits(side, *ran));
      logits[side] = *ran;
    }
    OC_ASSIGN_OR_RETURN(GeneratedStep step, Measured(blocks.left, logits));
    const bool parted = options_.free && found_.change.has_value();
    found_.steps.push_back(std::move(step));
    if (parted) {
      found_.steps.back().relation.reset();
      return absl::OkStatus();
    }
    OC_RETURN_IF_ERROR(Judge(feeds, blocks.left));
    return LookAtTokens();
  }

  // All but the last token of a prompt, if the side takes one at a time.
  absl::Status ReadAhead(SideId side, TokenBlock* block) {
    const int64_t before = block->length() - 1;
    if (!decoder(side).one_at_a_time() || before == 0) return absl::OkStatus();
    OC_RETURN_IF_ERROR(OfSideError(side, decoder(side).Step(PartOf(*block, 0, before)).status()));
    *block = PartOf(*block, before, 1);
    return absl::OkStatus();
  }

  absl::StatusOr<GeneratedStep> Measured(const TokenBlock& block, const PerSide<Tensor>& logits) {
    GeneratedStep step;
    PerSide<std::vector<std::vector<double>>> rows;
    for (const SideId side : kBothSides) {
      OC_ASSIGN_OR_RETURN(rows[side], LastLogits(logits[side]));
    }
    for (size_t i = 0; i < rows.left.size(); ++i) {
      GeneratedStep::Row row;
      for (const SideId side : kBothSides) {
        row.token[side] = GreatestAt(rows[side][i]);
        row.margin[side] = MarginOf(rows[side][i]);
      }
      row.max_difference = MostApart(rows.left[i], rows.right[i]);
      row.kl = Divergence(rows.left[i], rows.right[i]);
      step.rows.push_back(row);
    }
    const int64_t last = std::min(logits.left.shape()[1], logits.right.shape()[1]);
    PerSide<Tensor> counted;
    for (const SideId side : kBothSides) {
      OC_ASSIGN_OR_RETURN(counted[side], LogitsThatCount(logits[side], block, last));
    }
    step.relation = RelationOf(DifferenceOf(counted.left, counted.right, options_.compare.tolerance,
                                            /*floats_by_value=*/true));
    OC_RETURN_IF_ERROR(CheckFinite(counted));
    OC_ASSIGN_OR_RETURN(step.state, StateThatDiffers(sides_, options_.compare.tolerance));
    last_logits_ = std::move(rows);
    return step;
  }

  // NaN agrees with NaN: a step without numbers tells nothing.
  absl::Status CheckFinite(const PerSide<Tensor>& logits) {
    for (const SideId side : kBothSides) {
      OC_ASSIGN_OR_RETURN(const std::vector<double> numbers, NumbersOf(logits[side]));
      if (std::any_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); })) {
        return absl::OkStatus();
      }
    }
    return absl::InvalidArgumentError(absl::StrCat("output `",
                                                   decoder(SideId::kLeft).roles().logits,
                                                   "` has no finite number in this step, on the "
                                                   "right neither: nothing can be compared"));
  }

  // The prompt whose logits are farthest apart in the last step.
  int64_t FarthestRow() const {
    if (found_.steps.empty()) return 0;
    const std::vector<GeneratedStep::Row>& rows = found_.steps.back().rows;
    const auto farthest = std::max_element(
        rows.begin(), rows.end(), [](const GeneratedStep::Row& a, const GeneratedStep::Row& b) {
          return a.max_difference < b.max_difference;
        });
    return farthest - rows.begin();
  }

  // Takes the comparison's verdict where the figures alone do not tell: a coarser type on the way
  // to the logits allows more than their own.
  absl::Status Judge(const PerSide<Feeds>& feeds, const TokenBlock& block) {
    GeneratedStep& step = found_.steps.back();
    const bool exact = options_.compare.fail_on != FailOn::kDifferent;
    const bool suspect = step.relation == Relation::kDifferent || !step.state.empty() ||
                         (exact && step.relation != Relation::kSame);
    if (found_.failing.has_value()) return absl::OkStatus();
    if (!suspect) return ShowLast(feeds, block);
    OC_ASSIGN_OR_RETURN(const bool fails, CompareHere(found_.steps.size() - 1, feeds, block));
    if (!fails && step.relation == Relation::kDifferent) step.relation = Relation::kClose;
    if (!fails) step.state.clear();
    return fails ? absl::OkStatus() : ShowLast(feeds, block);
  }

  // Its verdict is known: the comparison is for a reader.
  absl::Status ShowLast(const PerSide<Feeds>& feeds, const TokenBlock& block) {
    const bool is_last = static_cast<int64_t>(found_.steps.size()) == steps_;
    if (!options_.show_last || !is_last) return absl::OkStatus();
    OC_ASSIGN_OR_RETURN(ComparedStep compared,
                        CompareStep(sides_, feeds, block, FarthestRow(), options_.compare));
    found_.last = std::move(compared.comparison);
    return absl::OkStatus();
  }

  // True if the comparison of this step fails; it is kept then.
  absl::StatusOr<bool> CompareHere(size_t step, const PerSide<Feeds>& feeds,
                                   const TokenBlock& block) {
    OC_ASSIGN_OR_RETURN(ComparedStep compared,
                        CompareStep(sides_, feeds, block, FarthestRow(), options_.compare));
    if (!compared.fails()) return false;
    found_.failing = step;
    found_.comparison = std::move(compared.comparison);
    found_.compared_on = std::move(compared.on);
    found_.alone = std::move(compared.alone);
    return true;
  }

  absl::Status LookAtTokens() {
    const GeneratedStep& step = found_.steps.back();
    for (size_t row = 0; row < step.rows.size() && !found_.change.has_value(); ++row) {
      if (step.rows[row].token.left == step.rows[row].token.right) continue;
      TokenChange change;
      change.step = found_.steps.size() - 1;
      change.row = row;
      OC_ASSIGN_OR_RETURN(const TieFigures figures,
                          TieOf(sides_, step.rows[row].token, last_logits_, row));
      change.apart = figures.apart;
      change.rounding = figures.rounding;
      change.tie = step.relation != Relation::kDifferent && figures.apart <= figures.rounding;
      found_.change = change;
    }
    return absl::OkStatus();
  }

  PerSide<DecoderSide> sides_;  // those that run now: first, of some, the model of the prompt
  const GenerateOptions& options_;
  int64_t steps_;                                          // no more than are recorded
  std::optional<SideId> recorded_;                         // the side that is a recording
  PerSide<std::vector<std::vector<double>>> last_logits_;  // of the last step, by row
  Generation found_;
};

}  // namespace

int Generation::ExitStatus() const {
  if (failing.has_value()) {
    return comparison != nullptr && ExitStatusOf(*comparison) == 2 ? 2 : 1;
  }
  return status.ok() && !steps.empty() ? 0 : 2;
}

Generation Generate(const PerSide<DecoderSide>& sides, const GenerateOptions& options) {
  return Generator(sides, options).Run();
}

}  // namespace onnxcmp
