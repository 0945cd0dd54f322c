#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/shapes/check_shape.h"

namespace onnxcmp {
namespace {

enum InputIndex : int { kBase, kBaseCounts, kBaseRows, kStarts, kEnds, kMore, kMoreCounts };
enum MergeStatus : int32_t { kMerged = 0, kBadMetadata = 1, kOverflow = 2 };

// One row of indices and how many of them count.
struct Prefix {
  const int32_t* indices;
  int64_t count;
  int64_t width;

  bool good() const {
    if (count < 0 || count > width) return false;
    for (int64_t i = 0; i < count; ++i) {
      if (indices[i] < 0) return false;
    }
    return true;
  }
};

// Takes up indices in their order, each once.
class Union {
 public:
  Union(int32_t* out, int64_t capacity) : out_(out), capacity_(capacity) {}
  // False if there is no room for it.
  bool Add(int32_t index) {
    if (seen_.contains(index)) return true;
    seen_.insert(index);
    return Append(index);
  }
  // All of [start, end), which may be more than one wants to remember; nothing follows.
  bool AddRange(int32_t start, int32_t end) {
    for (int32_t index = start; index < end; ++index) {
      if (!seen_.contains(index) && !Append(index)) return false;
    }
    return true;
  }
  int64_t count() const { return count_; }

 private:
  bool Append(int32_t index) {
    if (count_ == capacity_) return false;
    out_[count_++] = index;
    return true;
  }

  int32_t* out_;
  int64_t capacity_;
  int64_t count_ = 0;
  absl::flat_hash_set<int32_t> seen_;
};

struct Selections {
  Tensor base, base_counts, base_rows;
  Tensor starts, ends;       // of append_range
  Tensor more, more_counts;  // of append_indices
  int64_t rows = 0;
};

absl::StatusOr<Selections> ReadSelections(const KernelContext& ctx, bool append_range) {
  Selections s;
  OC_ASSIGN_OR_RETURN(s.base, ctx.ContiguousInput(kBase));
  OC_ASSIGN_OR_RETURN(s.base_counts, ctx.ContiguousInput(kBaseCounts));
  OC_ASSIGN_OR_RETURN(s.base_rows, ctx.ContiguousInput(kBaseRows));
  if (s.base.rank() != 2 || s.base_rows.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("base_indices is ", s.base.TypeString(), " and base_row_indices ",
                     s.base_rows.TypeString(), ", not of rank 2 and 1"));
  }
  s.rows = s.base_rows.dim(0);
  OC_RETURN_IF_ERROR(CheckShape("base_counts", s.base_counts, {s.base.dim(0)}));
  if (append_range) {
    OC_ASSIGN_OR_RETURN(s.starts, ctx.ContiguousInput(kStarts));
    OC_ASSIGN_OR_RETURN(s.ends, ctx.ContiguousInput(kEnds));
    OC_RETURN_IF_ERROR(CheckShape("range_starts", s.starts, {s.rows}));
    OC_RETURN_IF_ERROR(CheckShape("range_ends", s.ends, {s.rows}));
    return s;
  }
  OC_ASSIGN_OR_RETURN(s.more, ctx.ContiguousInput(kMore));
  OC_ASSIGN_OR_RETURN(s.more_counts, ctx.ContiguousInput(kMoreCounts));
  if (s.more.rank() != 2 || s.more.dim(0) != s.rows) {
    return absl::InvalidArgumentError(absl::StrCat("additional_indices is ", s.more.TypeString(),
                                                   ", but there are ", s.rows, " queries"));
  }
  OC_RETURN_IF_ERROR(CheckShape("additional_counts", s.more_counts, {s.rows}));
  return s;
}

MergeStatus MergeRow(const Selections& s, int64_t row, Union* merged) {
  const int32_t base_row = s.base_rows.data<int32_t>()[row];
  if (base_row < 0 || base_row >= s.base.dim(0)) return kBadMetadata;
  const int64_t width = s.base.dim(1);
  const Prefix base = {s.base.data<int32_t>() + base_row * width,
                       s.base_counts.data<int32_t>()[base_row], width};
  Prefix more = {nullptr, 0, 0};
  int32_t start = 0;
  int32_t end = 0;
  if (s.starts.defined()) {
    start = s.starts.data<int32_t>()[row];
    end = s.ends.data<int32_t>()[row];
  } else {
    const int64_t own = s.more.dim(1);
    more = {s.more.data<int32_t>() + row * own, s.more_counts.data<int32_t>()[row], own};
  }
  if (!base.good() || !more.good() || start < 0 || end < start) return kBadMetadata;
  for (const Prefix& part : {base, more}) {
    for (int64_t i = 0; i < part.count; ++i) {
      if (!merged->Add(part.indices[i])) return kOverflow;
    }
  }
  return merged->AddRange(start, end) ? kMerged : kOverflow;
}

absl::Status MergeSelections(KernelContext& ctx, int64_t capacity, bool append_range) {
  OC_ASSIGN_OR_RETURN(const Selections s, ReadSelections(ctx, append_range));
  OC_ASSIGN_OR_RETURN(Tensor indices, ctx.Allocate(DType::kInt32, {s.rows, capacity}));
  OC_ASSIGN_OR_RETURN(Tensor counts, ctx.Allocate(DType::kInt32, {s.rows}));
  OC_ASSIGN_OR_RETURN(Tensor statuses, ctx.Allocate(DType::kInt32, {s.rows}));
  int32_t* out = indices.mutable_data<int32_t>();
  ctx.pool().ParallelFor(s.rows, [&](int64_t row) {
    int32_t* own = out + row * capacity;
    Union merged(own, capacity);
    const MergeStatus status = MergeRow(s, row, &merged);
    const int64_t count = status == kMerged ? merged.count() : 0;
    std::fill(own + count, own + capacity, -1);
    counts.mutable_data<int32_t>()[row] = static_cast<int32_t>(count);
    statuses.mutable_data<int32_t>()[row] = status;
  });
  OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(indices)));
  OC_RETURN_IF_ERROR(ctx.SetOutput(1, std::move(counts)));
  return ctx.SetOutput(2, std::move(statuses));
}

// PackedSparseAttentionIndexerMerge (com.microsoft 1): for query n the first base_counts[r] indices
// of row r = base_row_indices[n] of base_indices, then range_starts[n] to range_ends[n]
// (append_range) or the first additional_counts[n] of additional_indices[n] (append_indices), each
// once and in the order in which they come, then -1. What does not fit into max_output_entries has
// status 2, what has counts, rows, ranges or indices out of range 1; both have no indices.
absl::StatusOr<Kernel> PackedSparseAttentionIndexerMerge(const KernelInit& node) {
  const int64_t capacity = node.Int("max_output_entries");
  const std::string mode = node.String("policy_mode");
  if (capacity < 1 || capacity > int64_t{1} << 30) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_output_entries is ", capacity, ", not 1 to 2^30"));
  }
  const bool append_range = mode == "append_range";
  if (!append_range && mode != "append_indices") {
    return absl::InvalidArgumentError(
        absl::StrCat("policy_mode \"", mode, "\" is neither append_range nor append_indices"));
  }
  const auto has = [&](int first) { return node.HasInput(first) && node.HasInput(first + 1); };
  const auto lacks = [&](int first) { return !node.HasInput(first) && !node.HasInput(first + 1); };
  if (append_range ? !has(kStarts) || !lacks(kMore) : !has(kMore) || !lacks(kStarts)) {
    return absl::InvalidArgumentError(absl::StrCat(
        mode, " needs ", append_range ? "range_starts and range_ends" : "additional_indices and ",
        append_range ? "" : "additional_counts", ", and no other"));
  }
  return [=](KernelContext& ctx) { return MergeSelections(ctx, capacity, append_range); };
}

}  // namespace

void RegisterContribPackedSparseAttentionIndexerMerge(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "PackedSparseAttentionIndexerMerge", {1},
               PackedSparseAttentionIndexerMerge);
}

}  // namespace onnxcmp
