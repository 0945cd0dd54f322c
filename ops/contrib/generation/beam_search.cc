#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/reduction/softmax.h"
#include "ops/contrib/generation/generation.h"

namespace onnxcmp {
namespace {

enum InputIndex {
  kInputIds,
  kMaxLength,
  kMinLength,
  kNumBeams,
  kNumReturnSequences,
  kLengthPenalty,
  kRepetitionPenalty,
  kVocabMask,
  kPrefixVocabMask,
  kAttentionMask,
  kDecoderInputIds,
  kLogitsProcessor,
  kCrossQkLayerHead,  // of WhisperBeamSearch alone, and what follows
  kExtraDecodingIds,
  kTemperature,
};
constexpr LimitInputs kLimitInputs = {.max_length = kMaxLength,
                                      .min_length = kMinLength,
                                      .repetition_penalty = kRepetitionPenalty,
                                      .vocabulary_mask = kVocabMask,
                                      .prefix_mask = kPrefixVocabMask};
constexpr int64_t kLongest = 4096;
constexpr int64_t kMostBeams = 128;

struct Hypothesis {
  std::vector<int32_t> tokens;
  float score;
};

// The best finished sequences of one batch entry, best first.
class Hypotheses {
 public:
  Hypotheses(size_t beams, float length_penalty) : beams_(beams), length_penalty_(length_penalty) {}

  float ScoreOf(float log_probability, size_t length) const {
    return log_probability / std::pow(static_cast<float>(length), length_penalty_);
  }

  // Drops the worst one if there is no place; of equal ones the older one is better.
  void Add(const std::vector<int32_t>& tokens, float log_probability) {
    const float score = ScoreOf(log_probability, tokens.size());
    if (best_.size() == beams_) {
      if (score <= best_.back().score) return;
      best_.pop_back();
    }
    auto at = best_.end();
    while (at != best_.begin() && score > (at - 1)->score) --at;
    best_.insert(at, {tokens, score});
  }

  bool full() const { return best_.size() == beams_; }
  bool CanImprove(float log_probability, size_t length) const {
    return best_.back().score < ScoreOf(log_probability, length);
  }
  const std::vector<Hypothesis>& best() const { return best_; }

  bool done = false;

 private:
  size_t beams_;
  float length_penalty_;
  std::vector<Hypothesis> best_;
};

// The next tokens, row by row: which row each continues, and the log-probability of the whole.
struct Beams {
  std::vector<int64_t> parents;
  std::vector<int32_t> tokens;
  std::vector<float> scores;
};

struct Options {
  GenerationAttributes attributes;
  bool early_stopping;
  TokenModelMaker make_model;
};

struct Sizes {
  int64_t batch, beams, returned;
};

// The `count` best of the scores, best first; of equal ones the first. NaN is worst.
std::vector<size_t> Best(absl::Span<const float> scores, size_t count) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto key = [&](size_t i) {
    return std::isnan(scores[i]) ? -std::numeric_limits<float>::infinity() : scores[i];
  };
  std::partial_sort(
      order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
      [&](size_t a, size_t b) { return key(a) > key(b) || (key(a) == key(b) && a < b); });
  order.resize(count);
  return order;
}

// The 2 * beams best continuations of every batch entry: which of (beams, vocabulary), and how
// good.
struct Candidates {
  std::vector<size_t> places;
  std::vector<float> scores;
};

// Chooses the beams of one batch entry among its candidates; those that end are hypotheses, if they
// are among the first half.
void Choose(const Options& options, const TokenRows& rows, size_t entry, size_t beams,
            size_t vocabulary, const Candidates& candidates, Hypotheses& hypotheses, Beams& next) {
  if (hypotheses.done) {
    next.parents.insert(next.parents.end(), beams, 0);
    next.tokens.insert(next.tokens.end(), beams, options.attributes.pad);
    next.scores.insert(next.scores.end(), beams, 0.0f);
    return;
  }
  const size_t first = entry * 2 * beams;
  size_t chosen = 0;
  for (size_t j = 0; j < 2 * beams && chosen < beams; ++j) {
    const size_t place = candidates.places[first + j];
    const size_t row = entry * beams + place / vocabulary;
    const auto token = static_cast<int32_t>(place % vocabulary);
    if (token == options.attributes.eos) {
      if (j < beams) hypotheses.Add(rows[row], candidates.scores[first + j]);
      continue;
    }
    next.parents.push_back(static_cast<int64_t>(row));
    next.tokens.push_back(token);
    next.scores.push_back(candidates.scores[first + j]);
    ++chosen;
  }
  // The best score to come is looked for in the wrong place of all entries' candidates, for all but
  // the first entry: so does onnxruntime, and an entry may be done too early or too late.
  const auto from = candidates.scores.begin() + static_cast<std::ptrdiff_t>(entry * beams);
  const float best = *std::max_element(from, from + static_cast<std::ptrdiff_t>(2 * beams));
  hypotheses.done = hypotheses.full() && (options.early_stopping ||
                                          !hypotheses.CanImprove(best, rows[entry * beams].size()));
}

absl::StatusOr<Sizes> ReadSizes(const KernelContext& ctx) {
  Sizes sizes{ctx.Input(kInputIds).rank() == 0 ? 0 : ctx.Input(kInputIds).dim(0), 0, 0};
  OC_ASSIGN_OR_RETURN(sizes.beams, ctx.ScalarInput<int64_t>(kNumBeams));
  OC_ASSIGN_OR_RETURN(sizes.returned, ctx.ScalarInput<int64_t>(kNumReturnSequences));
  if (sizes.beams < 1 || sizes.beams > kMostBeams) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_beams is ", sizes.beams, ", not in 1 to ", kMostBeams));
  }
  if (sizes.returned < 1 || sizes.returned > sizes.beams) {
    return absl::InvalidArgumentError(absl::StrCat("num_return_sequences is ", sizes.returned,
                                                   ", not in 1 to num_beams ", sizes.beams));
  }
  return sizes;
}

// Log-probabilities of the next tokens of every row.
absl::StatusOr<Tensor> LogProbabilities(const KernelContext& ctx, const Tensor& logits) {
  OC_ASSIGN_OR_RETURN(const Tensor contiguous, ctx.Contiguous(logits));
  OC_ASSIGN_OR_RETURN(Tensor scores, ctx.Allocate(DType::kFloat, logits.shape()));
  float* data = scores.mutable_data<float>();
  LoadElements(contiguous.dtype(), contiguous.raw_data(), 0, contiguous.num_elements(), data);
  for (int64_t row = 0; row < scores.dim(0); ++row) {
    float* lane = data + row * scores.dim(1);
    LogSoftmaxLane(lane, scores.dim(1), lane);
  }
  return scores;
}

absl::Status EmitResults(KernelContext& ctx, const Options& options, const Sizes& sizes,
                         int64_t max_length, const std::vector<Hypotheses>& hypotheses,
                         DType dtype) {
  OC_ASSIGN_OR_RETURN(Tensor sequences,
                      ctx.Allocate(DType::kInt32, {sizes.batch, sizes.returned, max_length}));
  OC_ASSIGN_OR_RETURN(Tensor scores, ctx.Allocate(DType::kFloat, {sizes.batch, sizes.returned}));
  int32_t* tokens = sequences.mutable_data<int32_t>();
  float* score = scores.mutable_data<float>();
  std::fill_n(tokens, sequences.num_elements(), options.attributes.pad);
  for (const Hypotheses& entry : hypotheses) {
    for (int64_t i = 0; i < sizes.returned; ++i, tokens += max_length) {
      const Hypothesis& hypothesis = entry.best()[static_cast<size_t>(i)];
      std::copy(hypothesis.tokens.begin(), hypothesis.tokens.end(), tokens);
      *score++ = hypothesis.score;
    }
  }
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(sequences)));
  OC_ASSIGN_OR_RETURN(scores, StoreTensor<float>(ctx, scores, dtype));
  return ctx.SetOutput(1, std::move(scores));
}

absl::Status Run(KernelContext& ctx, const Options& options) {
  OC_ASSIGN_OR_RETURN(const Sizes sizes, ReadSizes(ctx));
  const std::unique_ptr<TokenModel> model = options.make_model();
  OC_ASSIGN_OR_RETURN(TokenRows rows, model->Start(ctx, sizes.beams));
  const auto given = static_cast<int64_t>(rows[0].size());
  OC_ASSIGN_OR_RETURN(const GenerationLimits limits,
                      ReadLimits(ctx, kLimitInputs, given, kLongest));
  double length_penalty = 1;
  if (ctx.HasInput(kLengthPenalty)) {
    OC_ASSIGN_OR_RETURN(length_penalty, ctx.ScalarInput<double>(kLengthPenalty));
  }
  const auto beams = static_cast<size_t>(sizes.beams);
  std::vector<Hypotheses> hypotheses(static_cast<size_t>(sizes.batch),
                                     Hypotheses(beams, static_cast<float>(length_penalty)));
  // Only the first beam counts at first, as all of an entry are the same.
  Beams current;
  for (size_t i = 0; i < rows.size(); ++i) {
    current.parents.push_back(static_cast<int64_t>(i));
    current.scores.push_back(i % beams == 0 ? 0.0f : -1e9f);
  }
  DType dtype = DType::kFloat;
  Tensor all_scores;  // of every step
  for (int64_t step = 1; static_cast<int64_t>(rows[0].size()) < limits.max_length; ++step) {
    OC_ASSIGN_OR_RETURN(const Tensor logits, model->Step(ctx, rows, current.parents));
    dtype = logits.dtype();
    OC_ASSIGN_OR_RETURN(Tensor scores, LogProbabilities(ctx, logits));
    const int64_t vocabulary = scores.dim(1);
    if (vocabulary < 2) return absl::InvalidArgumentError("a vocabulary of one token");
    const auto values =
        absl::MakeSpan(scores.mutable_data<float>(), static_cast<size_t>(scores.num_elements()));
    OC_RETURN_IF_ERROR(ApplyRules(options.attributes, limits, rows, sizes.batch, step, values));
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] += current.scores[i / static_cast<size_t>(vocabulary)];
    }
    if (ctx.HasOutput(2)) {
      if (!all_scores.defined()) {
        OC_ASSIGN_OR_RETURN(all_scores,
                            ctx.Allocate(DType::kFloat, {limits.max_length - given, sizes.batch,
                                                         sizes.beams, vocabulary}));
        std::fill_n(all_scores.mutable_data<float>(), all_scores.num_elements(), 0.0f);
      }
      std::copy(values.begin(), values.end(),
                all_scores.mutable_data<float>() + (step - 1) * scores.num_elements());
    }
    Candidates candidates;
    const size_t per_entry = beams * static_cast<size_t>(vocabulary);
    for (size_t entry = 0; entry < hypotheses.size(); ++entry) {
      const absl::Span<const float> of_entry = values.subspan(entry * per_entry, per_entry);
      for (const size_t place : Best(of_entry, 2 * beams)) {
        candidates.places.push_back(place);
        candidates.scores.push_back(of_entry[place]);
      }
    }
    Beams next;
    for (size_t entry = 0; entry < hypotheses.size(); ++entry) {
      Choose(options, rows, entry, beams, static_cast<size_t>(vocabulary), candidates,
             hypotheses[entry], next);
    }
    TokenRows continued;
    for (size_t i = 0; i < rows.size(); ++i) {
      continued.push_back(rows[static_cast<size_t>(next.parents[i])]);
      continued.back().push_back(next.tokens[i]);
    }
    rows = std::move(continued);
    current = std::move(next);
    if (std::all_of(hypotheses.begin(), hypotheses.end(),
                    [](const Hypotheses& entry) { return entry.done; })) {
      break;
    }
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (Hypotheses& entry = hypotheses[i / beams]; !entry.done) {
      entry.Add(rows[i], current.scores[i]);
    }
  }
  OC_RETURN_IF_ERROR(EmitResults(ctx, options, sizes, limits.max_length, hypotheses, dtype));
  if (!ctx.HasOutput(2)) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(all_scores, StoreTensor<float>(ctx, all_scores, dtype));
  return ctx.SetOutput(2, std::move(all_scores));
}

absl::StatusOr<TokenModelMaker> ModelOf(const KernelInit& node,
                                        const GenerationAttributes& attributes) {
  switch (const int64_t type = node.Int("model_type")) {
    case 0:
      if (node.Has("encoder")) {
        return absl::InvalidArgumentError("an encoder beside a model_type of 0");
      }
      return GptModel(node, attributes, kAttentionMask);
    case 1:
      return EncoderModel(node, attributes, {.mask = kAttentionMask, .decoder_ids = -1});
    case 2:
      return EncoderModel(node, attributes, {.mask = -1, .decoder_ids = kDecoderInputIds});
    default:
      return absl::InvalidArgumentError(absl::StrCat("there is no model_type ", type));
  }
}

absl::StatusOr<Kernel> SearchKernel(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const GenerationAttributes attributes, GenerationAttributes::FromNode(node));
  OC_ASSIGN_OR_RETURN(TokenModelMaker model, ModelOf(node, attributes));
  return [options = Options{attributes, node.Flag("early_stopping"), std::move(model)}](
             KernelContext& ctx) -> absl::Status {
    if (ctx.HasInput(kLogitsProcessor)) {
      OC_ASSIGN_OR_RETURN(const int64_t processor, ctx.ScalarInput<int64_t>(kLogitsProcessor));
      if (processor != 0) {
        return absl::UnimplementedError(
            absl::StrCat("logits_processor ", processor, ", the rules of Whisper's timestamps"));
      }
    }
    return Run(ctx, options);
  };
}

// BeamSearch (com.microsoft 1): the num_beams most likely sequences of every batch entry at each
// step; model_type 0 is a decoder like GPT-2, 1 an encoder and a decoder like T5, 2 like Whisper. A
// hypothesis' score is its log-probability / length ^ length_penalty; an entry is done when it has
// num_beams of them and (without early_stopping) no better one can come. Not supported:
// logits_processor 1, the rules of Whisper's timestamps.
absl::StatusOr<Kernel> BeamSearch(const KernelInit& node) { return SearchKernel(node); }

// WhisperBeamSearch (com.microsoft 1): the same for Whisper. Its token ids matter for timestamps
// and for non_speech_probs alone. Not supported: those, cross_qk, a temperature.
absl::StatusOr<Kernel> WhisperBeamSearch(const KernelInit& node) {
  for (const char* name :
       {"beginning_timestamp_token_id", "no_speech_token_id", "no_timestamps_token_id",
        "start_of_lm_token_id", "transcribe_token_id", "translate_token_id"}) {
    node.Ignore(name);
  }
  for (int input : {int{kCrossQkLayerHead}, int{kExtraDecodingIds}, int{kTemperature}}) {
    if (node.HasInput(input)) {
      return absl::UnimplementedError(absl::StrCat("input ", input));
    }
  }
  if (node.HasOutput(3) || node.HasOutput(4) || node.Int("decoder_output_cross_qk", 0) != 0) {
    return absl::UnimplementedError("the outputs cross_qk and non_speech_probs");
  }
  return SearchKernel(node);
}

}  // namespace

void RegisterContribBeamSearch(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BeamSearch", {1}, BeamSearch);
  registry.Add(kMicrosoftDomain, "WhisperBeamSearch", {1}, WhisperBeamSearch);
}

}  // namespace onnxcmp
