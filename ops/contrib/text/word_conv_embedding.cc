#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/products/gemm.h"

namespace onnxcmp {
namespace {

struct Sizes {
  int64_t filters;
  int64_t window;
  int64_t embedding;
};

absl::Status CheckAttribute(absl::string_view name, int64_t attribute, int64_t size) {
  if (attribute == -1 || attribute == size) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is ", attribute, ", but the weights have ", size));
}

absl::StatusOr<Sizes> CheckShapes(const KernelContext& ctx) {
  const Tensor& words = ctx.Input(0);
  const Tensor& w = ctx.Input(1);
  const Tensor& b = ctx.Input(2);
  const Tensor& table = ctx.Input(3);
  const bool fits = words.rank() == 2 && w.rank() == 4 && w.dim(1) == 1 && table.rank() == 2 &&
                    b.rank() == 1 && b.dim(0) == w.dim(0) && table.dim(1) == w.dim(3) &&
                    w.dim(2) >= 1;
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("Sequence, ", words.TypeString(), ", W, ", w.TypeString(), ", B, ",
                     b.TypeString(), ", and C, ", table.TypeString(), ", do not fit each other"));
  }
  if (w.dim(2) > words.dim(1)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a window of ", w.dim(2), " does not fit into words of ", words.dim(1), " characters"));
  }
  return Sizes{w.dim(0), w.dim(2), w.dim(3)};
}

// The embeddings of a word's characters, all that the windows over its `length` characters touch.
template <typename C>
absl::Status LookUp(const Tensor& table, const Sizes& sizes, const int32_t* word, int64_t length,
                    C* out) {
  for (int64_t i = 0; i < length; ++i, out += sizes.embedding) {
    if (word[i] < 0 || word[i] >= table.dim(0)) {
      return absl::InvalidArgumentError(absl::StrCat("character ", word[i], " is out of range for ",
                                                     table.dim(0), " embeddings"));
    }
    std::copy_n(table.data<C>() + word[i] * sizes.embedding, sizes.embedding, out);
  }
  return absl::OkStatus();
}

template <typename C>
absl::Status Embed(KernelContext& ctx, const Sizes& sizes) {
  OC_ASSIGN_OR_RETURN(const Tensor words, ctx.ContiguousInput(0));
  OC_ASSIGN_OR_RETURN(const Tensor w, LoadTensor<C>(ctx, ctx.Input(1)));
  OC_ASSIGN_OR_RETURN(const Tensor b, LoadTensor<C>(ctx, ctx.Input(2)));
  OC_ASSIGN_OR_RETURN(const Tensor table, LoadTensor<C>(ctx, ctx.Input(3)));
  OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(kDTypeOf<C>, {words.dim(0), sizes.filters}));
  const int64_t most = words.dim(1);
  OC_ASSIGN_OR_RETURN(Tensor characters, ctx.Allocate(kDTypeOf<C>, {most, sizes.embedding}));
  OC_ASSIGN_OR_RETURN(Tensor features,
                      ctx.Allocate(kDTypeOf<C>, {most - sizes.window + 1, sizes.filters}));
  C* out = y.num_elements() == 0 ? nullptr : y.mutable_data<C>();
  for (int64_t i = 0; out != nullptr && i < words.dim(0); ++i, out += sizes.filters) {
    const int32_t* word = words.data<int32_t>() + i * most;
    if (word[0] <= 0) {
      std::fill_n(out, sizes.filters, C{0});
      continue;
    }
    const int64_t given = std::count_if(word, word + most, [](int32_t id) { return id > 0; });
    const int64_t length = std::max(given, sizes.window);
    OC_RETURN_IF_ERROR(LookUp(table, sizes, word, length, characters.mutable_data<C>()));
    // The rows of windows overlap: each begins one character after the one before.
    const int64_t windows = length - sizes.window + 1;
    const int64_t depth = sizes.window * sizes.embedding;
    C* rows = features.mutable_data<C>();
    Gemm<C>(ctx.pool(), {windows, sizes.filters, depth, 1},
            {characters.data<C>(), sizes.embedding, 1, 0, {}}, {w.data<C>(), 1, depth, 0, {}},
            {rows, sizes.filters, 0, {}, false});
    // tanh ascends: that of the greatest is the greatest.
    for (int64_t f = 0; f < sizes.filters; ++f) {
      C greatest = rows[f];
      for (int64_t r = 1; r < windows; ++r)
        greatest = std::max(greatest, rows[r * sizes.filters + f]);
      out[f] = greatest + b.data<C>()[f];
    }
    vec::Tanh(out, sizes.filters, out);
  }
  OC_ASSIGN_OR_RETURN(y, StoreTensor<C>(ctx, y, ctx.Input(1).dtype()));
  return ctx.SetOutput(0, std::move(y));
}

// WordConvEmbedding (com.microsoft 1): of each word, a row of character numbers, the embeddings of
// the characters, a convolution over them, tanh, and the greatest of each filter. A word is as long
// as it has numbers above 0, at least one window; onnxruntime leaves the row of a word that begins
// with 0 unwritten, here it is 0.
Kernel WordConvEmbedding(const KernelInit& node) {
  const int64_t filters = node.Int("embedding_size", -1);
  const int64_t window = node.Int("conv_window_size", -1);
  const int64_t embedding = node.Int("char_embedding_size", -1);
  return [=](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Sizes sizes, CheckShapes(ctx));
    OC_RETURN_IF_ERROR(CheckAttribute("embedding_size", filters, sizes.filters));
    OC_RETURN_IF_ERROR(CheckAttribute("conv_window_size", window, sizes.window));
    OC_RETURN_IF_ERROR(CheckAttribute("char_embedding_size", embedding, sizes.embedding));
    return DispatchFloat(ctx.Input(1).dtype(), [&]<typename C>() { return Embed<C>(ctx, sizes); });
  };
}

}  // namespace

void RegisterContribWordConvEmbedding(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "WordConvEmbedding", {1}, WordConvEmbedding);
}

}  // namespace onnxcmp
