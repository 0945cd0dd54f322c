#include "generate/invariants.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/random_numbers.h"
#include "evaluator/base/status_macros.h"
#include "generate/broken_node.h"
#include "generate/logit_figures.h"
#include "generate/rotary.h"
#include "generate/tensors.h"
#include "record/differences/value_difference.h"

namespace onnxcmp {
namespace {

// A prime, so that few dimensions of models have this length by chance.
constexpr int64_t kTokens = 11;
constexpr int64_t kRows = 3;
constexpr int64_t kPadding = 2;
constexpr int64_t kShift = 3;

// The same tokens in another way: what is fed, and which logits have to agree with the reference,
// in which each row runs alone and all at once.
struct Trial {
  std::string name;
  std::string not_possible = {};    // why it is not tried
  std::vector<int64_t> rows = {0};  // of the reference, in this order
  std::vector<TokenBlock> blocks = {};
  int64_t shift = 0;
  int64_t agree = 0;         // so many tokens of each row have to agree
  bool of_cache = false;     // states have to agree, too
  bool of_decoders = false;  // an encoder need not have the property
  bool causality = false;    // the one that tells an encoder
};

using Prompts = std::vector<std::vector<int64_t>>;

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
  Trials(const DecoderSide& one, Prompts prompts)
      : one_(one),
        roles_(one.decoder->roles()),
        prompts_(std::move(prompts)),
        length_(static_cast<int64_t>(prompts_.front().size())) {}

  std::vector<Trial> OfCache() const {
    Trial single = Named("one token at a time"), pieces = Named("in pieces of 3, 1 and the rest");
    single.of_cache = pieces.of_cache = true;
    if (!roles_.has_states()) {
      single.not_possible = pieces.not_possible = "no input is a state";
      return {single, pieces};
    }
    if (one_.decoder->one_at_a_time()) {
      single.not_possible = pieces.not_possible = "the model takes one token at a time";
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
    all.push_back(OfPositions());
    return all;
  }

 private:
  // Names are those of docs/generate.md.
  Trial Named(std::string name) const {
    Trial trial;
    trial.name = std::move(name);
    trial.agree = length_;
    return trial;
  }

  std::vector<Trial> OfPadding() const {
    Trial before = Named("padding before the prompt"), after = Named("padding after the prompt"),
          steps = Named("padding before, then one token at a time");
    if (roles_.Find(Role::kMask) == nullptr) {
      before.not_possible = after.not_possible = steps.not_possible = "no input is a mask";
      return {before, after, steps};
    }
    // Encoders have absolute positions, and are padded after their tokens.
    before.of_decoders = true;
    before.blocks = {BlockOf(prompts_, before.rows, 0, length_, kPadding)};
    if (roles_.mask_is_counted) {
      before.not_possible = steps.not_possible =
          "the mask is only counted, so that padding comes after the tokens";
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
    if (fixed.value_or(kRows) != kRows) {
      batch.not_possible = order.not_possible = absl::StrCat("the batch is always ", *fixed);
      return {batch, order};
    }
    batch.blocks = {BlockOf(prompts_, batch.rows, 0, length_)};
    order.blocks = {BlockOf(prompts_, order.rows, 0, length_)};
    return {batch, order};
  }

  std::optional<int64_t> FixedBatch() const {
    const std::string& tokens = roles_.Find(Role::kTokens)->name;
    for (const ValueInfo& input : one_.decoder->graph().inputs) {
      if (input.name != tokens || !input.type.shape.has_value()) continue;
      return input.type.shape->size() < 2 ? 1 : input.type.shape->front().value;
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
    if (one_.decoder->one_at_a_time()) {
      later.not_possible = "the model takes one token at a time";
      return {later};
    }
    later.of_decoders = later.causality = true;
    return {later};
  }

  Trial OfPositions() const {
    Trial moved = Named("all positions 3 later");
    moved.shift = kShift;
    moved.blocks = {BlockOf(prompts_, moved.rows, 0, length_)};
    const DecoderRoles::Input* const positions = roles_.Find(Role::kPositions);
    if (positions == nullptr) {
      moved.not_possible = "no input has positions";
    } else if (roles_.Find(Role::kCachePosition) != nullptr) {
      moved.not_possible = "positions are slots of the cache, too";
    } else if (!OnlyRotates(one_.decoder->graph(), positions->name)) {
      moved.not_possible = "positions do not only rotate heads";
    } else if (roles_.most_positions.value_or(length_ + kShift) < length_ + kShift) {
      moved.not_possible = "there is no room for later positions";
    }
    return moved;
  }

  const DecoderSide& one_;
  const DecoderRoles& roles_;
  const Prompts prompts_;
  const int64_t length_;
};

class Trying {
 public:
  Trying(const DecoderSide& one, Prompts prompts, bool causal)
      : one_(one), prompts_(std::move(prompts)), causal_(causal) {}

  absl::Status RunReference() {
    for (size_t row = 0; row < prompts_.size(); ++row) {
      const auto number = static_cast<int64_t>(row);
      OC_RETURN_IF_ERROR(decoder().Restart({number}));
      const TokenBlock block = BlockOf(prompts_, {number}, 0, length());
      // What the whole run, or the first of several, is fed.
      const int64_t fed = decoder().one_at_a_time() ? 1 : length();
      OC_ASSIGN_OR_RETURN(Feeds feeds, decoder().FeedsOf(PartOf(block, 0, fed)));
      OC_ASSIGN_OR_RETURN(Tensor logits, decoder().Step(block));
      OC_ASSIGN_OR_RETURN(const std::vector<double> numbers, NumbersOf(logits));
      if (std::none_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); })) {
        return absl::InvalidArgumentError(absl::StrCat("output `", decoder().roles().logits,
                                                       "` has no finite number: nothing can be "
                                                       "tried"));
      }
      feeds_.push_back(std::move(feeds));
      logits_.push_back(std::move(logits));
    }
    return absl::OkStatus();
  }

  // True for a model without states whose first token sees the last one.
  absl::StatusOr<bool> IsEncoder(const Trial& causality) {
    if (causal_ || decoder().roles().has_states()) return false;
    Invariant found;
    OC_RETURN_IF_ERROR(RunTrial(causality, &found));
    return found.outcome == Invariant::Outcome::kBroken && found.position == 0;
  }

  absl::StatusOr<Invariant> Try(const Trial& trial) {
    Invariant found;
    found.name = trial.name;
    if (!trial.not_possible.empty()) {
      found.why = trial.not_possible;
      return found;
    }
    found.outcome = Invariant::Outcome::kToTheBit;
    const absl::Status ran = RunTrial(trial, &found);
    if (ran.ok() || absl::IsCancelled(ran)) {
      OC_RETURN_IF_ERROR(ran);
      return found;
    }
    found.outcome = Invariant::Outcome::kBroken;
    found.why = absl::StrCat("it does not run: ", ran.message());
    return found;
  }

 private:
  // Logits of a token that two runs give.
  struct Pair {
    int64_t row = 0;       // of the trial
    int64_t position = 0;  // among the tokens that count
    Tensor reference, other;
  };

  // A step that has run: what it was fed, all tokens up to then, how many of them it read.
  struct Ran {
    Feeds feeds;
    TokenBlock all;
    int64_t added = 0;
  };

  Decoder& decoder() { return *one_.decoder; }
  int64_t length() const { return static_cast<int64_t>(prompts_.front().size()); }

  absl::Status RunTrial(const Trial& trial, Invariant* found) {
    OC_RETURN_IF_ERROR(decoder().Restart(trial.rows, trial.shift));
    std::vector<Ran> steps;
    bool compared = false;
    for (size_t step = 0; step < trial.blocks.size(); ++step) {
      const TokenBlock& block = trial.blocks[step];
      const TokenBlock before = decoder().tokens();
      Feeds feeds;
      Tensor logits;
      if (decoder().one_at_a_time()) {
        OC_ASSIGN_OR_RETURN(logits, decoder().Step(block));
      } else {
        OC_ASSIGN_OR_RETURN(feeds, decoder().FeedsOf(block));
        OC_ASSIGN_OR_RETURN(logits, decoder().Run(block, feeds));
      }
      steps.push_back({std::move(feeds), decoder().tokens(), block.length()});
      OC_ASSIGN_OR_RETURN(const std::vector<Pair> pairs, PairsOf(trial, before, block, logits));
      compared = compared || !pairs.empty();
      for (const Pair& pair : pairs) {
        OC_RETURN_IF_ERROR(Judge(trial, pair, found));
        if (found->outcome != Invariant::Outcome::kBroken) continue;
        found->step = static_cast<int64_t>(step);
        // Other positions rotate heads otherwise: which results have to agree is not known.
        if (trial.shift != 0 || decoder().one_at_a_time()) return absl::OkStatus();
        return NameNode(trial, pair, steps, found);
      }
    }
    if (!compared) {
      found->outcome = Invariant::Outcome::kNotTried;
      found->why = "the model gives the logits of the last position alone";
    }
    return absl::OkStatus();
  }

  // The logits of the block's tokens that count, in order.
  absl::StatusOr<std::vector<Pair>> PairsOf(const Trial& trial, const TokenBlock& before,
                                            const TokenBlock& block, const Tensor& logits) {
    std::vector<Pair> pairs;
    const int64_t given = logits.shape()[1];
    for (int64_t row = 0; row < block.rows; ++row) {
      const Tensor& reference = logits_[static_cast<size_t>(trial.rows[static_cast<size_t>(row)])];
      int64_t position = CountedBefore(before, row);
      for (int64_t i = 0; i < block.length(); ++i) {
        if (!block.counts[static_cast<size_t>(row * block.length() + i)]) continue;
        const int64_t at = given - block.length() + i;
        const int64_t in_reference = position - length() + reference.shape()[1];
        if (at >= 0 && in_reference >= 0 && position < trial.agree) {
          Pair pair;
          pair.row = row;
          pair.position = position;
          OC_ASSIGN_OR_RETURN(pair.reference, LogitsAt(reference, 0, in_reference));
          OC_ASSIGN_OR_RETURN(pair.other, LogitsAt(logits, row, at));
          pairs.push_back(std::move(pair));
        }
        ++position;
      }
    }
    return pairs;
  }

  static int64_t CountedBefore(const TokenBlock& before, int64_t row) {
    const auto begin = before.counts.begin() + row * before.length();
    return std::count(begin, begin + before.length(), true);
  }

  static absl::StatusOr<Tensor> LogitsAt(const Tensor& logits, int64_t row, int64_t position) {
    OC_ASSIGN_OR_RETURN(const Tensor of_row, SliceOf(logits, 0, row, 1));
    return SliceOf(of_row, 1, position, 1);
  }

  absl::Status Judge(const Trial& trial, const Pair& pair, Invariant* found) {
    ValueDifference difference = DifferenceOf(pair.reference, pair.other, {});
    if (!difference.agree()) {
      // Types on the way to the logits may be coarser than their own.
      OC_ASSIGN_OR_RETURN(const Tolerance tolerance, Rounding());
      difference = DifferenceWithin(tolerance, pair.reference, pair.other);
    }
    found->max_difference = std::max(found->max_difference, difference.max_absolute);
    if (difference.agree()) {
      if (difference.max_absolute > 0) found->outcome = Invariant::Outcome::kWithinRounding;
      return absl::OkStatus();
    }
    found->outcome = Invariant::Outcome::kBroken;
    found->max_difference = difference.max_absolute;
    found->elements = difference.reason.empty() ? difference.max_absolute_pair : difference.reason;
    found->row = trial.rows[static_cast<size_t>(pair.row)];
    found->position = pair.position;
    return absl::OkStatus();
  }

  absl::StatusOr<Tolerance> Rounding() {
    if (!rounding_.has_value()) {
      OC_ASSIGN_OR_RETURN(rounding_, RoundingOf(one_, feeds_.front()));
    }
    return *rounding_;
  }

  absl::Status NameNode(const Trial& trial, const Pair& pair, const std::vector<Ran>& steps,
                        Invariant* found) {
    std::vector<MappedRun> runs;
    const bool states = decoder().roles().has_states();
    for (const Ran& step : steps) {
      MappedRun run;
      run.feeds = step.feeds;
      run.rows = step.all.rows;
      run.row = pair.row;
      run.all = PlacesOf(step.all, pair.row, trial.agree);
      run.fed = states ? std::vector<int64_t>(run.all.end() - step.added, run.all.end()) : run.all;
      runs.push_back(std::move(run));
    }
    const auto reference = static_cast<size_t>(trial.rows[static_cast<size_t>(pair.row)]);
    OC_ASSIGN_OR_RETURN(const Tolerance tolerance, Rounding());
    OC_ASSIGN_OR_RETURN(const BrokenNode broken, FindBrokenNode(one_, feeds_[reference], length(),
                                                                runs, trial.of_cache, tolerance));
    found->node = broken.node;
    found->result = broken.result;
    return absl::OkStatus();
  }

  // By position: the reference's position of the token, -1 for padding and what need not agree.
  static std::vector<int64_t> PlacesOf(const TokenBlock& all, int64_t row, int64_t agree) {
    std::vector<int64_t> places;
    int64_t place = 0;
    for (int64_t i = 0; i < all.length(); ++i) {
      const bool counts = all.counts[static_cast<size_t>(row * all.length() + i)];
      places.push_back(counts && place < agree ? place : -1);
      place += counts ? 1 : 0;
    }
    return places;
  }

  const DecoderSide one_;
  const Prompts prompts_;
  const bool causal_;
  std::vector<Feeds> feeds_;    // by row, of the reference
  std::vector<Tensor> logits_;  // likewise
  std::optional<Tolerance> rounding_;
};

absl::StatusOr<std::vector<Invariant>> TryAll(const DecoderSide& one, const Prompts& prompts,
                                              std::vector<Trial> trials, bool causal) {
  Trying trying(one, prompts, causal);
  OC_RETURN_IF_ERROR(trying.RunReference());
  std::vector<Invariant> tried;
  bool encoder = false;
  for (const Trial& trial : trials) {
    if (trial.causality) {
      OC_ASSIGN_OR_RETURN(encoder, trying.IsEncoder(trial));
    }
  }
  for (Trial& trial : trials) {
    if (encoder && trial.of_decoders && trial.not_possible.empty()) {
      trial.not_possible = "the first token sees the last one, as in an encoder";
    }
    OC_ASSIGN_OR_RETURN(Invariant invariant, trying.Try(trial));
    tried.push_back(std::move(invariant));
  }
  return tried;
}

}  // namespace

absl::StatusOr<std::vector<Invariant>> TryInvariants(const DecoderSide& one, uint64_t seed,
                                                     bool causal) {
  const DecoderRoles& roles = one.decoder->roles();
  if (!roles.vocabulary.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the vocabulary is not known: neither the readers of the tokens nor the shape "
                     "of `",
                     roles.logits, "` tell it"));
  }
  const int64_t room = roles.most_positions.value_or(kTokens + kPadding) - kPadding;
  if (room < 1) {
    return absl::InvalidArgumentError(absl::StrCat("input `", roles.limited_by, "` has room for ",
                                                   *roles.most_positions,
                                                   " positions, and more are needed"));
  }
  RandomNumbers random(seed);
  Prompts prompts(static_cast<size_t>(kRows));
  for (std::vector<int64_t>& prompt : prompts) {
    for (int64_t i = 0; i < std::min(kTokens, room); ++i) {
      prompt.push_back(random.Below(*roles.vocabulary));
    }
  }
  return TryAll(one, prompts, Trials(one, prompts).All(), causal);
}

absl::StatusOr<std::vector<Invariant>> TryCache(const DecoderSide& one) {
  const TokenBlock tokens = one.decoder->tokens();
  Prompts prompts(1);
  for (int64_t i = 0; i < tokens.length(); ++i) {
    if (tokens.counts[static_cast<size_t>(i)]) {
      prompts.front().push_back(tokens.ids[static_cast<size_t>(i)]);
    }
  }
  return TryAll(one, prompts, Trials(one, prompts).OfCache(), /*causal=*/false);
}

}  // namespace onnxcmp
