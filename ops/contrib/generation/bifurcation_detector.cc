#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

// The index after the only place where `source` holds the last n tokens, for the least n of
// min_size to max_size that has only one; -1 if there is none.
int64_t MatchSuffix(absl::Span<const int64_t> source, absl::Span<const int64_t> tokens,
                    int64_t min_size, int64_t max_size) {
  const auto longest = std::min(max_size, static_cast<int64_t>(tokens.size()));
  for (int64_t n = min_size; n <= longest; ++n) {
    const auto suffix = tokens.last(static_cast<size_t>(n));
    const auto* first = std::search(source.begin(), source.end(), suffix.begin(), suffix.end());
    if (first == source.end()) return -1;  // nor does it hold a longer one
    const auto* second = std::search(first + 1, source.end(), suffix.begin(), suffix.end());
    if (second == source.end()) return first - source.begin() + n;
  }
  return -1;
}

// BifurcationDetector (com.microsoft 1), of aggressive decoding: cur_tokens, and then pred_tokens
// up to and including the first one that differs from the source tokens, which begin at
// prev_suffix_match_idx; and where the source continues after the last tokens of this: the index
// after their only match (the documentation says: its beginning), or -1.
absl::StatusOr<Kernel> BifurcationDetector(const KernelInit& node) {
  const int64_t min_size = node.Int("min_ngram_size");
  const int64_t max_size = node.Int("max_ngram_size");
  if (min_size < 1 || max_size < min_size) {
    return absl::InvalidArgumentError(absl::StrCat(
        "min_ngram_size ", min_size, " and max_ngram_size ", max_size, " are no range from 1 on"));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const std::vector<int64_t> source, ctx.IntsInput(0));
    OC_ASSIGN_OR_RETURN(std::vector<int64_t> tokens, ctx.IntsInput(1));
    OC_ASSIGN_OR_RETURN(const int64_t begin, ctx.ScalarInput<int64_t>(2));
    if (ctx.HasInput(3)) {
      OC_ASSIGN_OR_RETURN(const std::vector<int64_t> predicted, ctx.IntsInput(3));
      const auto size = static_cast<int64_t>(source.size());
      if (begin < 0 || begin > size || static_cast<int64_t>(predicted.size()) != size - begin + 1) {
        return absl::InvalidArgumentError(absl::StrCat(
            "pred_tokens holds ", predicted.size(), " tokens, not one more than are left of ", size,
            " from prev_suffix_match_idx ", begin, " on"));
      }
      const auto differing =
          std::mismatch(source.begin() + begin, source.end(), predicted.begin()).second;
      tokens.insert(tokens.end(), predicted.begin(), differing + 1);
    }
    OC_ASSIGN_OR_RETURN(Tensor merged,
                        ctx.Allocate(DType::kInt64, {static_cast<int64_t>(tokens.size())}));
    std::copy(tokens.begin(), tokens.end(), merged.mutable_data<int64_t>());
    OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(merged)));
    OC_ASSIGN_OR_RETURN(Tensor index, ctx.Allocate(DType::kInt64, ctx.Input(2).shape()));
    *index.mutable_data<int64_t>() = MatchSuffix(source, tokens, min_size, max_size);
    return ctx.SetOutput(1, std::move(index));
  };
}

}  // namespace

void RegisterContribBifurcationDetector(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "BifurcationDetector", {1}, BifurcationDetector);
}

}  // namespace onnxcmp
