#include "ops/contrib/generation/generation.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace onnxcmp {
namespace {

constexpr float kLowest = std::numeric_limits<float>::lowest();

bool IsToken(int64_t token, absl::Span<const float> scores) {
  return token >= 0 && token < static_cast<int64_t>(scores.size());
}

// Scores of tokens that the sequence has already: divided by the penalty, multiplied if negative.
void PenalizeRepetition(float penalty, absl::Span<const int32_t> row, absl::Span<float> scores) {
  const absl::flat_hash_set<int32_t> seen(row.begin(), row.end());
  for (const int32_t token : seen) {
    if (!IsToken(token, scores)) continue;
    float& score = scores[static_cast<size_t>(token)];
    score = score < 0 ? score * penalty : score / penalty;
  }
}

// No token that would repeat n tokens of the sequence.
void BanRepeatedNgrams(size_t n, absl::Span<const int32_t> row, absl::Span<float> scores) {
  if (n > row.size()) return;
  const absl::Span<const int32_t> prefix = row.subspan(row.size() - (n - 1));
  for (size_t i = 0; i + n <= row.size(); ++i) {
    const int32_t token = row[i + n - 1];
    if (IsToken(token, scores) && row.subspan(i, n - 1) == prefix) {
      scores[static_cast<size_t>(token)] = kLowest;
    }
  }
}

void BanMasked(absl::Span<const int64_t> mask, absl::Span<float> scores) {
  for (size_t i = 0; i < scores.size(); ++i) {
    if (mask[i] == 0) scores[i] = kLowest;
  }
}

}  // namespace

absl::StatusOr<GenerationAttributes> GenerationAttributes::FromNode(const KernelInit& node) {
  for (const char* name : {"eos_token_id", "pad_token_id"}) {
    const int64_t token = node.Int(name);
    if (token < 0 || token > std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat(name, " cannot be ", token));
    }
  }
  if (const int64_t token = node.Int("decoder_start_token_id");
      token < -1 || token > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("decoder_start_token_id cannot be ", token));
  }
  return GenerationAttributes{
      .eos = static_cast<int32_t>(node.Int("eos_token_id")),
      .pad = static_cast<int32_t>(node.Int("pad_token_id")),
      .start = static_cast<int32_t>(node.Int("decoder_start_token_id")),
      .no_repeat_ngram = node.Int("no_repeat_ngram_size"),
      .vocabulary = node.Int("vocab_size"),
  };
}

absl::StatusOr<GenerationLimits> ReadLimits(const KernelContext& ctx, const LimitInputs& inputs,
                                            int64_t length, int64_t longest) {
  GenerationLimits limits;
  limits.max_length = longest;
  if (ctx.HasInput(inputs.max_length)) {
    OC_ASSIGN_OR_RETURN(limits.max_length, ctx.ScalarInput<int64_t>(inputs.max_length));
  }
  if (limits.max_length <= length || limits.max_length > longest) {
    return absl::InvalidArgumentError(absl::StrCat("max_length is ", limits.max_length,
                                                   ", it must be more than the ", length,
                                                   " tokens that are given and at most ", longest));
  }
  if (ctx.HasInput(inputs.min_length)) {
    OC_ASSIGN_OR_RETURN(limits.min_length, ctx.ScalarInput<int64_t>(inputs.min_length));
  }
  if (limits.min_length >= limits.max_length) {
    return absl::InvalidArgumentError(absl::StrCat("min_length ", limits.min_length,
                                                   " is not below max_length ", limits.max_length));
  }
  if (ctx.HasInput(inputs.repetition_penalty)) {
    OC_ASSIGN_OR_RETURN(const double penalty, ctx.ScalarInput<double>(inputs.repetition_penalty));
    limits.repetition_penalty = static_cast<float>(penalty);
    if (!(penalty > 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("repetition_penalty must be positive, it is ", penalty));
    }
  }
  if (ctx.HasInput(inputs.vocabulary_mask)) {
    OC_ASSIGN_OR_RETURN(limits.vocabulary_mask, ctx.IntsInput(inputs.vocabulary_mask));
  }
  if (ctx.HasInput(inputs.prefix_mask)) {
    OC_ASSIGN_OR_RETURN(limits.prefix_mask, ctx.IntsInput(inputs.prefix_mask));
  }
  return limits;
}

absl::Status ApplyRules(const GenerationAttributes& attributes, const GenerationLimits& limits,
                        const TokenRows& rows, int64_t batch, int64_t step,
                        absl::Span<float> scores) {
  const size_t vocabulary = scores.size() / rows.size();
  const size_t beams = rows.size() / static_cast<size_t>(batch);
  const auto check_mask = [&](absl::Span<const int64_t> mask, size_t size) -> absl::Status {
    if (mask.empty() || mask.size() == size) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("a mask of ", mask.size(), " elements; ", size, " are expected"));
  };
  OC_RETURN_IF_ERROR(check_mask(limits.vocabulary_mask, vocabulary));
  OC_RETURN_IF_ERROR(check_mask(limits.prefix_mask, vocabulary * static_cast<size_t>(batch)));
  const absl::Span<const int64_t> prefix_mask = limits.prefix_mask;
  for (size_t i = 0; i < rows.size(); ++i) {
    const absl::Span<float> row_scores = scores.subspan(i * vocabulary, vocabulary);
    const absl::Span<const int32_t> row = rows[i];
    if (limits.repetition_penalty != 1) {
      PenalizeRepetition(limits.repetition_penalty, row, row_scores);
    }
    if (attributes.no_repeat_ngram > 0) {
      BanRepeatedNgrams(static_cast<size_t>(attributes.no_repeat_ngram), row, row_scores);
    }
    if (!limits.vocabulary_mask.empty()) BanMasked(limits.vocabulary_mask, row_scores);
    if (!prefix_mask.empty() && step == 1) {
      BanMasked(prefix_mask.subspan(i / beams * vocabulary, vocabulary), row_scores);
    }
    if (static_cast<int64_t>(row.size()) < limits.min_length &&
        IsToken(attributes.eos, row_scores)) {
      row_scores[static_cast<size_t>(attributes.eos)] = kLowest;
    }
    if (limits.temperature > 0 && limits.temperature != 1) {
      for (float& score : row_scores) score /= limits.temperature;
    }
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
