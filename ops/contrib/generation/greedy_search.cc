#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
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

constexpr int64_t kLongest = 16384;
constexpr LimitInputs kInputs = {.max_length = 1,
                                 .min_length = 2,
                                 .repetition_penalty = 3,
                                 .vocabulary_mask = 4,
                                 .prefix_mask = 5};
constexpr int kMaskInput = 6;

// How the next token is drawn instead of taking the most likely one.
struct SamplingOptions {
  float top_p;
  float filter;
  int64_t keep;  // tokens at least
  bool custom;
};

// Sets the scores of unlikely tokens to the filter's value: those with the lowest probabilities,
// as long as they add up to 1 - top_p at most; `custom`: those after the likeliest ones that add
// up to more than top_p.
void FilterUnlikely(const SamplingOptions& options, absl::Span<float> scores) {
  const auto count = static_cast<int64_t>(scores.size());
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return options.custom ? scores[a] > scores[b] : scores[a] < scores[b];
  });
  std::vector<float> sorted;
  for (const size_t i : order) sorted.push_back(scores[i]);
  SoftmaxLane(sorted.data(), count, sorted.data());
  float sum = 0;
  // At least the least probable one is looked at, whatever min_tokens_to_keep says.
  const int64_t end = options.custom ? count - 1 : std::max<int64_t>(1, count - options.keep);
  for (int64_t j = 0; j < end; ++j) {
    sum += sorted[static_cast<size_t>(j)];
    if (options.custom && sum > options.top_p) {
      scores[order[static_cast<size_t>(j + 1)]] = options.filter;
    }
    if (!options.custom && sum <= 1 - options.top_p) {
      scores[order[static_cast<size_t>(j)]] = options.filter;
    }
  }
}

// A token by the probabilities softmax(scores).
int32_t Draw(absl::Span<const float> scores, std::minstd_rand0& generator) {
  const float largest = *std::max_element(scores.begin(), scores.end());
  std::vector<double> sums;
  double sum = 0;
  for (const float score : scores) {
    if (std::isfinite(score)) sum += std::exp(static_cast<double>(score) - largest);
    sums.push_back(sum);
  }
  const double drawn = std::uniform_real_distribution<double>()(generator) * sum;
  const auto found = std::upper_bound(sums.begin(), sums.end(), drawn);
  return static_cast<int32_t>(
      std::min<std::ptrdiff_t>(found - sums.begin(), static_cast<std::ptrdiff_t>(sums.size()) - 1));
}

int32_t Likeliest(absl::Span<const float> scores) {
  size_t best = 0;
  for (size_t i = 1; i < scores.size(); ++i) {
    if (scores[i] > scores[best] || std::isnan(scores[best])) best = i;
  }
  return static_cast<int32_t>(best);
}

struct Search {
  GenerationAttributes attributes;
  TokenModelMaker make_model;
  float temperature = 1;
  std::optional<SamplingOptions> sampling;
};

absl::Status Run(KernelContext& ctx, const Search& search) {
  const std::unique_ptr<TokenModel> model = search.make_model();
  OC_ASSIGN_OR_RETURN(TokenRows rows, model->Start(ctx, 1));
  const auto batch = static_cast<int64_t>(rows.size());
  OC_ASSIGN_OR_RETURN(GenerationLimits limits,
                      ReadLimits(ctx, kInputs, static_cast<int64_t>(rows[0].size()), kLongest));
  limits.temperature = search.temperature;
  std::minstd_rand0 generator;
  if (search.sampling.has_value() && ctx.HasInput(8)) {
    OC_ASSIGN_OR_RETURN(const int64_t seed, ctx.ScalarInput<int64_t>(8));
    if (seed < 0) return absl::InvalidArgumentError(absl::StrCat("the seed is ", seed));
    generator.seed(static_cast<uint32_t>(seed));
  } else {
    generator.seed(0);
  }

  std::vector<int64_t> parents(rows.size());
  std::iota(parents.begin(), parents.end(), 0);
  std::vector<bool> ended(rows.size(), false);
  Tensor scores;
  for (int64_t step = 1; static_cast<int64_t>(rows[0].size()) < limits.max_length; ++step) {
    OC_ASSIGN_OR_RETURN(const Tensor logits, model->Step(ctx, rows, parents));
    OC_ASSIGN_OR_RETURN(const Tensor contiguous, ctx.Contiguous(logits));
    OC_ASSIGN_OR_RETURN(scores, ctx.Allocate(DType::kFloat, logits.shape()));
    LoadElements(contiguous.dtype(), contiguous.raw_data(), 0, contiguous.num_elements(),
                 scores.mutable_data<float>());
    const auto vocabulary = static_cast<size_t>(scores.dim(1));
    const auto all =
        absl::MakeSpan(scores.mutable_data<float>(), static_cast<size_t>(scores.num_elements()));
    OC_RETURN_IF_ERROR(ApplyRules(search.attributes, limits, rows, batch, step, all));
    for (size_t i = 0; i < rows.size(); ++i) {
      const absl::Span<float> row = all.subspan(i * vocabulary, vocabulary);
      if (search.sampling.has_value()) FilterUnlikely(*search.sampling, row);
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      const absl::Span<const float> row = all.subspan(i * vocabulary, vocabulary);
      int32_t token = search.sampling.has_value() ? Draw(row, generator) : Likeliest(row);
      ended[i] = ended[i] || token == search.attributes.eos;
      if (ended[i]) token = search.attributes.pad;
      rows[i].push_back(token);
    }
    if (std::all_of(ended.begin(), ended.end(), [](bool e) { return e; })) break;
  }

  OC_ASSIGN_OR_RETURN(Tensor sequences, ctx.Allocate(DType::kInt32, {batch, limits.max_length}));
  int32_t* to = sequences.mutable_data<int32_t>();
  std::fill_n(to, sequences.num_elements(), search.attributes.pad);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::copy(rows[i].begin(), rows[i].end(), to + static_cast<int64_t>(i) * limits.max_length);
  }
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(sequences)));
  return ctx.HasOutput(1) ? ctx.SetOutput(1, std::move(scores)) : absl::OkStatus();
}

absl::StatusOr<Kernel> SearchKernel(const KernelInit& node, float temperature,
                                    std::optional<SamplingOptions> sampling) {
  if (const int64_t type = node.Int("model_type"); type != 0) {
    return absl::UnimplementedError(
        absl::StrCat("model_type ", type, "; only decoders (0) are supported, as in onnxruntime"));
  }
  if (node.Has("encoder")) return absl::UnimplementedError("an encoder");
  OC_ASSIGN_OR_RETURN(const GenerationAttributes attributes, GenerationAttributes::FromNode(node));
  OC_ASSIGN_OR_RETURN(TokenModelMaker model, GptModel(node, attributes, kMaskInput));
  return [search = Search{attributes, std::move(model), temperature, sampling}](
             KernelContext& ctx) { return Run(ctx, search); };
}

// GreedySearch (com.microsoft 1): appends the most likely token (the first of several) until
// max_length is reached or every sequence has eos_token_id, in place of which, and after which, it
// has pad_token_id. The rest of the output, which onnxruntime leaves unwritten, is padding too.
absl::StatusOr<Kernel> GreedySearch(const KernelInit& node) {
  return SearchKernel(node, 1, std::nullopt);
}

// Sampling (com.microsoft 1): the same with tokens drawn by their probabilities, after those of the
// least probable ones were set to filter_value. The generator is that of onnxruntime on Linux, with
// its seed, 0 by default. filtered_logits are the last step's, which onnxruntime writes in debug
// builds alone. Not supported: a presence penalty, which onnxruntime applies to one element.
absl::StatusOr<Kernel> Sampling(const KernelInit& node) {
  if (node.Float("presence_penalty") != 0) {
    return absl::UnimplementedError("a presence_penalty");
  }
  const SamplingOptions options = {.top_p = node.Float("top_p"),
                                   .filter = node.Float("filter_value"),
                                   .keep = node.Int("min_tokens_to_keep"),
                                   .custom = node.Flag("custom")};
  if (options.keep < 0) {
    return absl::InvalidArgumentError(absl::StrCat("min_tokens_to_keep cannot be ", options.keep));
  }
  OC_ASSIGN_OR_RETURN(Kernel search, SearchKernel(node, node.Float("temperature"), options));
  return [search = std::move(search)](KernelContext& ctx) {
    ctx.IgnoreInput(7);  // presence_mask, without the penalty
    return search(ctx);
  };
}

}  // namespace

void RegisterContribGreedySearch(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "GreedySearch", {1}, GreedySearch);
  registry.Add(kMicrosoftDomain, "Sampling", {1}, Sampling);
}

}  // namespace onnxcmp
