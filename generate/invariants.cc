#include "generate/invariants.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "generate/broken_node.h"
#include "generate/logit_figures.h"
#include "generate/tensors.h"
#include "generate/trials.h"
#include "record/differences/value_difference.h"

namespace onnxcmp {
namespace {

class Trying {
 public:
  Trying(const DecoderSide& one, Prompts prompts) : one_(one), prompts_(std::move(prompts)) {}

  absl::Status RunReference() {
    for (size_t row = 0; row < prompts_.size(); ++row) {
      const auto number = static_cast<int64_t>(row);
      OC_RETURN_IF_ERROR(decoder().Restart({number}, StartOf(decoder().roles(), length())));
      const TokenBlock block = WholeBlock(prompts_, number);
      // The number of tokens of the whole run, or of the first of several.
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

  // The last dimension of the logits.
  int64_t words() const { return logits_.front().shape().back(); }

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
    // Frames may be taken in certain numbers alone; a batch that is open is of any size.
    const bool may_refuse = decoder().roles().has_frames() && trial.rows.size() == 1;
    found.outcome = may_refuse ? Invariant::Outcome::kNotTried : Invariant::Outcome::kBroken;
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
    OC_RETURN_IF_ERROR(decoder().Restart(trial.rows, trial.start));
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
        if (trial.start.shift != 0 || decoder().one_at_a_time()) return absl::OkStatus();
        return NameNode(trial, pair, steps, found);
      }
    }
    if (!compared) {
      found->outcome = Invariant::Outcome::kNotTried;
      found->why = decoder().roles().has_frames()
                       ? "the output has no position for each frame"
                       : "the model gives the logits of the last position alone";
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
        // Outputs that have no positions are as large as the whole.
        const bool alike = reference.shape()[2] == logits.shape()[2];
        if (alike && at >= 0 && in_reference >= 0 && position < trial.agree) {
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
  std::vector<Feeds> feeds_;    // by row, of the reference
  std::vector<Tensor> logits_;  // likewise
  std::optional<Tolerance> rounding_;
};

// The kind of a model whose first token sees the last one, or of which that cannot be tried.
TokenDirection KindOf(const Decoder& decoder, int64_t words, const Invariant& causality,
                      TokenDirection::Kind kind) {
  const bool frames = decoder.roles().has_frames();
  // Frames are also read in windows, which see but the next ones.
  const bool sees = causality.outcome == Invariant::Outcome::kBroken && causality.why.empty() &&
                    (causality.position == 0 || frames);
  const bool tried = causality.outcome != Invariant::Outcome::kNotTried;
  const bool states = decoder.roles().has_states() && !frames;
  if (states || (tried && !sees)) return {TokenDirection::Kind::kDecoder, ""};
  if (kind != TokenDirection::Kind::kUnknown) return {kind, ""};
  if (frames) {
    return {tried ? TokenDirection::Kind::kEncoder : TokenDirection::Kind::kDecoder,
            tried ? "frames of one run see later ones" : ""};
  }
  TokenDirection found = DirectionOf(decoder.graph(), decoder.roles().logits, words,
                                     decoder.roles().vocabulary.value_or(0));
  // Nothing speaks against a decoder.
  if (!tried && found.kind == TokenDirection::Kind::kUnknown)
    found = {TokenDirection::Kind::kDecoder, ""};
  return found;
}

// The trials that the kind of a model leaves.
void Restrict(const TokenDirection& direction, std::vector<Trial>* trials) {
  const bool unknown = direction.kind == TokenDirection::Kind::kUnknown;
  if (direction.kind == TokenDirection::Kind::kDecoder) return;
  for (Trial& trial : *trials) {
    // Chunks of frames that see later ones are not the whole.
    if ((!trial.of_decoders && !trial.of_cache) || !trial.not_possible.empty()) continue;
    trial.not_possible = unknown ? "it holds of decoders alone, and it is open if this is one"
                                 : "it holds of decoders alone";
  }
}

std::string TakenFor(const TokenDirection& direction) {
  if (direction.why.empty()) return "";
  return direction.kind == TokenDirection::Kind::kDecoder
             ? absl::StrCat("a decoder: ", direction.why, "; --encoder if it is none")
             : absl::StrCat("an encoder: ", direction.why, "; --causal if it is a decoder");
}

absl::StatusOr<Invariants> TryAll(const DecoderSide& one, const Prompts& prompts,
                                  std::vector<Trial> trials, TokenDirection::Kind kind) {
  Trying trying(one, prompts);
  OC_RETURN_IF_ERROR(trying.RunReference());
  Invariants found;
  // Causality comes first: it tells which of the others have to hold.
  const auto causality = std::find_if(trials.begin(), trials.end(),
                                      [](const Trial& trial) { return trial.causality; });
  std::optional<Invariant> known;
  if (causality != trials.end()) {
    OC_ASSIGN_OR_RETURN(known, trying.Try(*causality));
    const TokenDirection direction = KindOf(*one.decoder, trying.words(), *known, kind);
    found.taken_for = kind == TokenDirection::Kind::kUnknown ? TakenFor(direction) : "";
    Restrict(direction, &trials);
    if (direction.kind == TokenDirection::Kind::kUnknown) {
      known->outcome = Invariant::Outcome::kOpen;
      known->why =
          "the first token sees the last one: right in a masked language model, and in a decoder a "
          "causal mask that is lost; --encoder or --causal says which it is";
    } else if (direction.kind == TokenDirection::Kind::kEncoder) {
      known.reset();
    }
  }
  for (const Trial& trial : trials) {
    if (trial.causality && known.has_value()) {
      found.tried.push_back(*known);
      continue;
    }
    OC_ASSIGN_OR_RETURN(Invariant invariant, trying.Try(trial));
    found.tried.push_back(std::move(invariant));
  }
  return found;
}

}  // namespace

int Invariants::ExitStatus() const {
  bool any = false, open = false;
  for (const Invariant& one : tried) {
    if (one.outcome == Invariant::Outcome::kBroken) return 1;
    any = any || one.outcome != Invariant::Outcome::kNotTried;
    open = open || one.outcome == Invariant::Outcome::kOpen;
  }
  return any && !open ? 0 : 2;
}

absl::StatusOr<Invariants> TryInvariants(const DecoderSide& one, uint64_t seed,
                                         TokenDirection::Kind kind) {
  const DecoderRoles& roles = one.decoder->roles();
  // Windows that the graph does not tell, as of raw audio, need more frames than it runs with.
  const std::vector<int64_t> times =
      roles.has_frames() && roles.time.has_value() && !one.decoder->fixed_length().has_value()
          ? std::vector<int64_t>{1, 8, 64, 512}
          : std::vector<int64_t>{1};
  absl::Status first;
  for (const int64_t longer : times) {
    OC_ASSIGN_OR_RETURN(const Prompts prompts, MakePrompts(*one.decoder, seed, longer));
    absl::StatusOr<Invariants> found = TryAll(one, prompts, AllTrials(*one.decoder, prompts), kind);
    if (found.ok()) {
      found->roles = DescribeRoles(roles);
      return found;
    }
    if (absl::IsCancelled(found.status())) return found;
    first.Update(found.status());
  }
  return first;
}

absl::StatusOr<std::vector<Invariant>> TryCache(const DecoderSide& one) {
  const TokenBlock tokens = one.decoder->tokens();
  Prompts prompts(1);
  for (int64_t i = 0; i < tokens.length(); ++i) {
    if (tokens.counts[static_cast<size_t>(i)]) {
      prompts.front().push_back(tokens.ids[static_cast<size_t>(i)]);
    }
  }
  OC_ASSIGN_OR_RETURN(Invariants found, TryAll(one, prompts, CacheTrials(*one.decoder, prompts),
                                               TokenDirection::Kind::kDecoder));
  return std::move(found.tried);
}

}  // namespace onnxcmp
