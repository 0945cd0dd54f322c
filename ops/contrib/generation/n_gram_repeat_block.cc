#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"

namespace onnxcmp {
namespace {

template <typename C>
absl::Status BlockRepeats(KernelContext& ctx, int64_t ngram_size) {
  OC_ASSIGN_OR_RETURN(const Tensor ids, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(const Tensor scores, LoadTensor<C>(ctx, ctx.Input(1)));
  if (ids.rank() != 2 || scores.rank() != 2 || ids.dim(0) != scores.dim(0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("input_ids and scores must be matrices with one row a sequence, not ",
                     ids.TypeString(), " and ", scores.TypeString()));
  }
  const int64_t length = ids.dim(1);
  const int64_t vocabulary = scores.dim(1);
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(kDTypeOf<C>, scores.shape()));
  C* out = result.mutable_data<C>();
  std::copy_n(scores.data<C>(), scores.num_elements(), out);
  const int64_t prefix = ngram_size - 1;
  for (int64_t row = 0; row < ids.dim(0); ++row) {
    const int64_t* begin = ids.data<int64_t>() + row * length;
    for (int64_t i = 0; i < length - prefix; ++i) {
      if (!std::equal(begin + i, begin + i + prefix, begin + length - prefix)) continue;
      const int64_t token = begin[i + prefix];
      if (token < 0 || token >= vocabulary) {
        return absl::InvalidArgumentError(
            absl::StrCat("input_ids holds ", token, ", but there are ", vocabulary, " scores"));
      }
      out[row * vocabulary + token] = -std::numeric_limits<C>::infinity();
    }
  }
  OC_ASSIGN_OR_RETURN(result, StoreTensor<C>(ctx, result, ctx.Input(1).dtype()));
  return ctx.SetOutput(0, std::move(result));
}

// NGramRepeatBlock (com.microsoft 1): the scores, but -infinity for every token that, appended to
// its row of input_ids, would complete an n-gram of ngram_size that the row holds already.
absl::StatusOr<Kernel> NGramRepeatBlock(const KernelInit& node) {
  const int64_t ngram_size = node.Int("ngram_size");
  if (ngram_size < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("ngram_size must be at least 1, not ", ngram_size));
  }
  return FloatKernel(
      1, [ngram_size]<typename C>(KernelContext& ctx) { return BlockRepeats<C>(ctx, ngram_size); });
}

}  // namespace

void RegisterContribNGramRepeatBlock(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "NGramRepeatBlock", {1}, NGramRepeatBlock);
}

}  // namespace onnxcmp
