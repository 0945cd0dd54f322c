#include "ops/contrib/normalization/embed_layer_norm.h"

#include <algorithm>
#include <vector>

#include <Eigen/Core>

#include "absl/strings/str_cat.h"
#include "ops/common/elements/compute_class.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/normalization/layer_norm.h"

namespace onnxcmp {
namespace {

enum Inputs { kIds = 0, kSegmentIds = 1, kMask = 7 };

// A table of rows of `hidden` elements, and the row that each position takes.
struct Embedding {
  Tensor table;
  std::vector<int64_t> rows;
};

absl::Status CheckRows(absl::string_view name, const Embedding& embedding) {
  for (int64_t row : embedding.rows) {
    if (row < 0 || row >= embedding.table.dim(0)) {
      return absl::InvalidArgumentError(absl::StrCat(name, " ", row, " is outside of a table of ",
                                                     embedding.table.dim(0), " rows"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Embedding> LoadTable(const KernelContext& ctx, absl::string_view name,
                                    const Tensor& table, int64_t hidden) {
  Embedding embedding;
  OC_ASSIGN_OR_RETURN(embedding.table, ctx.Contiguous(table));
  if (embedding.table.rank() != 2 || embedding.table.dim(1) != hidden) {
    return absl::InvalidArgumentError(absl::StrCat("the embedding table of ", name, " has shape [",
                                                   ShapeToString(embedding.table.shape()),
                                                   "], not [rows, ", hidden, "]"));
  }
  return embedding;
}

// The three embeddings of every position of (batch, sequence); that of segments may be missing.
absl::StatusOr<std::vector<Embedding>> LoadEmbeddings(const KernelContext& ctx,
                                                      const EmbedLayerNormTables& tables,
                                                      int position_ids, int64_t hidden) {
  const Shape& shape = ctx.Input(kIds).shape();
  std::vector<Embedding> embeddings;
  OC_ASSIGN_OR_RETURN(Embedding words, LoadTable(ctx, "words", tables.words, hidden));
  OC_ASSIGN_OR_RETURN(words.rows, ctx.IntsInput(kIds));
  OC_RETURN_IF_ERROR(CheckRows("input id", words));
  embeddings.push_back(std::move(words));

  OC_ASSIGN_OR_RETURN(Embedding positions, LoadTable(ctx, "positions", tables.positions, hidden));
  const size_t count = embeddings[0].rows.size();
  std::vector<int64_t> given;
  if (ctx.HasInput(position_ids)) {
    const Tensor& ids = ctx.Input(position_ids);
    if (ids.shape() != shape && ids.shape() != Shape{1, shape[1]}) {
      return absl::InvalidArgumentError(absl::StrCat("position_ids has shape [",
                                                     ShapeToString(ids.shape()), "], not [",
                                                     ShapeToString(shape), "]"));
    }
    OC_ASSIGN_OR_RETURN(given, ctx.IntsInput(position_ids));
  } else if (count > 0) {
    for (int64_t s = 0; s < shape[1]; ++s) {
      given.push_back(s);
    }
  }
  for (size_t i = 0; i < count; ++i) {
    positions.rows.push_back(given[i % given.size()]);
  }
  OC_RETURN_IF_ERROR(CheckRows("position", positions));
  embeddings.push_back(std::move(positions));

  if (ctx.HasInput(kSegmentIds) && !tables.segments.defined()) {
    return absl::InvalidArgumentError("segment_ids need segment_embedding");
  }
  if (tables.segments.defined()) {
    OC_ASSIGN_OR_RETURN(Embedding segments, LoadTable(ctx, "segments", tables.segments, hidden));
    segments.rows.assign(count, 0);
    if (ctx.HasInput(kSegmentIds)) {
      if (ctx.Input(kSegmentIds).shape() != shape) {
        return absl::InvalidArgumentError("segment_ids must have the shape of input_ids");
      }
      OC_ASSIGN_OR_RETURN(segments.rows, ctx.IntsInput(kSegmentIds));
    }
    OC_RETURN_IF_ERROR(CheckRows("segment id", segments));
    embeddings.push_back(std::move(segments));
  }
  return embeddings;
}

// How many elements of each row of the mask are 1; zeros without a mask.
absl::Status SetMaskIndex(KernelContext& ctx, const Shape& shape) {
  OC_ASSIGN_OR_RETURN(Tensor index, ctx.Allocate(DType::kInt32, {shape[0]}));
  int32_t* counts = index.mutable_data<int32_t>();
  std::fill_n(counts, shape[0], 0);
  if (ctx.HasInput(kMask)) {
    OC_ASSIGN_OR_RETURN(std::vector<int64_t> mask, ctx.IntsInput(kMask));
    for (size_t i = 0; i < mask.size(); ++i) {
      counts[static_cast<int64_t>(i) / shape[1]] += mask[i] == 1;
    }
  }
  return ctx.SetOutput(1, std::move(index));
}

template <typename C>
absl::Status Run(KernelContext& ctx, const EmbedLayerNormTables& tables, int position_ids,
                 C epsilon) {
  using Row = Eigen::Map<Eigen::Array<C, Eigen::Dynamic, 1>>;
  using ConstRow = Eigen::Map<const Eigen::Array<C, Eigen::Dynamic, 1>>;
  const Shape& shape = ctx.Input(kIds).shape();
  if (shape.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("input_ids has rank ", shape.size(), ", not 2"));
  }
  if (ctx.HasInput(kMask) && ctx.Input(kMask).shape() != shape) {
    return absl::InvalidArgumentError("mask must have the shape of input_ids");
  }
  if (tables.gamma.rank() != 1 || tables.beta.shape() != tables.gamma.shape()) {
    return absl::InvalidArgumentError("gamma and beta must be vectors of one length");
  }
  const int64_t hidden = tables.gamma.dim(0);
  OC_ASSIGN_OR_RETURN(std::vector<Embedding> embeddings,
                      LoadEmbeddings(ctx, tables, position_ids, hidden));
  OC_ASSIGN_OR_RETURN(Tensor gamma, LoadTensor<C>(ctx, tables.gamma));
  OC_ASSIGN_OR_RETURN(Tensor beta, LoadTensor<C>(ctx, tables.beta));

  const DType dtype = tables.words.dtype();
  const Shape out_shape = {shape[0], shape[1], hidden};
  OC_ASSIGN_OR_RETURN(Tensor output, ctx.Allocate(dtype, out_shape));
  std::byte* output_data = output.mutable_raw_data();
  Tensor sum;
  std::byte* sum_data = nullptr;
  if (ctx.HasOutput(2)) {
    OC_ASSIGN_OR_RETURN(sum, ctx.Allocate(dtype, out_shape));
    sum_data = sum.mutable_raw_data();
  }
  const int64_t rows = hidden == 0 ? 0 : static_cast<int64_t>(embeddings[0].rows.size());
  ctx.pool().ParallelRanges(rows, LaneGrain(hidden, 8), [&](int64_t begin, int64_t end) {
    std::vector<C> scratch(static_cast<size_t>(2 * hidden));
    C* total = scratch.data();
    C* loaded = total + hidden;
    for (int64_t row = begin; row < end; ++row) {
      for (size_t i = 0; i < embeddings.size(); ++i) {
        const ConstRow part(LoadRow(embeddings[i].table,
                                    embeddings[i].rows[static_cast<size_t>(row)], hidden, loaded),
                            hidden);
        if (i == 0) {
          Row(total, hidden) = part;
        } else {
          Row(total, hidden) += part;
        }
      }
      if (sum_data != nullptr) {
        StoreElements(dtype, total, hidden, sum_data, row * hidden);
      }
      Standardize(total, hidden, StandardizationOf(total, hidden, epsilon), gamma.data<C>(),
                  beta.data<C>(), total);
      StoreElements(dtype, total, hidden, output_data, row * hidden);
    }
  });
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(output)));
  if (ctx.HasOutput(1)) {
    OC_RETURN_IF_ERROR(SetMaskIndex(ctx, shape));
  }
  return ctx.HasOutput(2) ? ctx.SetOutput(2, std::move(sum)) : absl::OkStatus();
}

}  // namespace

absl::Status RunEmbedLayerNorm(KernelContext& ctx, const EmbedLayerNormTables& tables,
                               int position_ids, float epsilon) {
  return DispatchFloat(tables.words.dtype(),
                       [&]<typename C>() { return Run<C>(ctx, tables, position_ids, epsilon); });
}

}  // namespace onnxcmp
