#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/shapes/check_shape.h"

namespace onnxcmp {
namespace {

using Ids = std::vector<int64_t>;
using IdSpan = absl::Span<const int64_t>;

struct Attributes {
  int64_t max_size;    // of an n-gram
  int64_t heads_each;  // for each n
  int64_t pad_id;
  bool resets_on_eos;
  int64_t capacity;  // of state_update

  // Ids before the current one that an n-gram reaches.
  int64_t state() const { return max_size - 1; }
};

// The hashing that all sequences share.
struct Hashing {
  Attributes attributes;
  DType dtype = DType::kUndefined;  // of ids: int32, int64
  Ids multipliers;
  Ids vocab_sizes;
  Ids head_offsets;  // zeros if absent
  int64_t fill = 0;  // in places without an id
  bool resets_on_eos = false;

  size_t heads() const { return vocab_sizes.size(); }
  // As the ids' type holds it.
  int64_t Wrap(uint64_t value) const {
    return dtype == DType::kInt32 ? static_cast<int32_t>(value) : static_cast<int64_t>(value);
  }
};

// One sequence. `ids` and `segments` begin with `state` entries of history; no segments at all if
// there are no such inputs, and nothing known of those of the history if has_past_segments is not
// set.
struct TokenSequence {
  IdSpan ids;
  IdSpan segments;
  bool has_past_segments;
};

// The hashes of a sequence's tokens, one after the other. The n-gram of a token ends with it; what
// is not after the last boundary before the token counts as `fill`.
void HashSequence(const Hashing& hashing, const TokenSequence& sequence, int64_t* out) {
  const auto state = static_cast<size_t>(hashing.attributes.state());
  const auto heads_each = static_cast<size_t>(hashing.attributes.heads_each);
  // Entry i and those before it are after a boundary from where the token i + 1 is looked at.
  const auto is_boundary = [&](size_t i) {
    if (hashing.resets_on_eos && sequence.ids[i] == hashing.fill) return true;
    const bool has_segments =
        !sequence.segments.empty() && (sequence.has_past_segments || i >= state);
    return has_segments && sequence.segments[i] != sequence.segments[i + 1];
  };
  size_t first = 0;  // that is not replaced
  for (size_t i = 0; i + 1 < sequence.ids.size(); ++i) {
    if (is_boundary(i)) first = i + 1;
    if (i + 1 < state) continue;
    const size_t token = i + 1;
    uint64_t mix = 0;
    for (size_t k = 0; k <= state; ++k) {
      const int64_t id = token - k >= first ? sequence.ids[token - k] : hashing.fill;
      mix ^= static_cast<uint64_t>(id) * static_cast<uint64_t>(hashing.multipliers[k]);
      if (k == 0) continue;  // not a pair yet
      const int64_t value = hashing.Wrap(mix);
      for (size_t h = (k - 1) * heads_each; h < k * heads_each; ++h) {
        const int64_t size = hashing.vocab_sizes[h];
        const int64_t rest = value % size < 0 ? value % size + size : value % size;
        *out++ = hashing.Wrap(static_cast<uint64_t>(rest) +
                              static_cast<uint64_t>(hashing.head_offsets[h]));
      }
    }
  }
}

// `past`, or as often `fill` if it is empty, and then the values.
Ids WithHistory(IdSpan past, int64_t fill, int64_t state, IdSpan values) {
  Ids all(past.begin(), past.end());
  if (past.empty()) all.assign(static_cast<size_t>(state), fill);
  all.insert(all.end(), values.begin(), values.end());
  return all;
}

// Optional input `index` of this shape; empty if it is left out.
absl::StatusOr<Ids> OptionalIds(const KernelContext& ctx, int index, absl::string_view name,
                                const Shape& shape) {
  if (!ctx.HasInput(index)) return Ids();
  OC_RETURN_IF_ERROR(CheckShape(name, ctx.Input(index), shape));
  return ctx.IntsInput(index);
}

// Inputs 1 and 2, and those of these numbers.
absl::StatusOr<Hashing> ReadHashing(const KernelContext& ctx, const Attributes& attributes,
                                    int offsets_input, int eos_input) {
  Hashing hashing;
  hashing.attributes = attributes;
  hashing.dtype = ctx.Input(0).dtype();
  OC_ASSIGN_OR_RETURN(hashing.multipliers, ctx.IntsInput(1));
  if (static_cast<int64_t>(hashing.multipliers.size()) < attributes.max_size) {
    return absl::InvalidArgumentError(absl::StrCat("multipliers holds ", hashing.multipliers.size(),
                                                   " values, less than max_ngram_size ",
                                                   attributes.max_size));
  }
  const std::optional<int64_t> heads = NumElements({attributes.state(), attributes.heads_each});
  if (!heads.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(attributes.state(), " times ", attributes.heads_each, " heads"));
  }
  OC_RETURN_IF_ERROR(CheckShape("vocab_sizes", ctx.Input(2), {*heads}));
  OC_ASSIGN_OR_RETURN(hashing.vocab_sizes, ctx.IntsInput(2));
  for (const int64_t size : hashing.vocab_sizes) {
    if (size < 1) return absl::InvalidArgumentError(absl::StrCat("vocab_sizes holds ", size));
  }
  OC_ASSIGN_OR_RETURN(hashing.head_offsets,
                      OptionalIds(ctx, offsets_input, "head_offsets", {*heads}));
  if (hashing.head_offsets.empty()) hashing.head_offsets.assign(hashing.heads(), 0);
  hashing.fill = attributes.pad_id;
  if (hashing.dtype == DType::kInt32 && hashing.fill != static_cast<int32_t>(hashing.fill)) {
    return absl::InvalidArgumentError(absl::StrCat("pad_id ", hashing.fill, " is no int32"));
  }
  if (ctx.HasInput(eos_input)) {
    OC_ASSIGN_OR_RETURN(hashing.fill, ctx.ScalarInput<int64_t>(eos_input));
    hashing.resets_on_eos = attributes.resets_on_eos;
  }
  return hashing;
}

absl::Status SetIds(KernelContext& ctx, int index, DType dtype, const Shape& shape,
                    const Ids& values) {
  OC_ASSIGN_OR_RETURN(Tensor tensor, ctx.Allocate(dtype, shape));
  StoreElements(dtype, values.data(), tensor.num_elements(), tensor.mutable_raw_data(), 0);
  return ctx.SetOutput(index, std::move(tensor));
}

// The last `count` values.
void AppendLast(const Ids& values, int64_t count, Ids* out) {
  out->insert(out->end(), values.end() - count, values.end());
}

// NGramHashMapping (com.microsoft 1): numbers of embeddings for the n-grams that end with each
// token, n = 2 to max_ngram_size: the ids' products with the multipliers (that of the last id
// first), xor-ed, modulo the vocabulary size of each of n_head_per_ngram heads (never negative),
// plus the head's offset; products and sums wrap around in the ids' type. Before the sequence stand
// past_ids, or else pad_id or, if it is given, eos_token_id, which also replaces what is before a
// token of another segment and, with reset_on_eos, up to a token that ends a text.
absl::Status HashRows(KernelContext& ctx, const Attributes& attributes) {
  OC_ASSIGN_OR_RETURN(const Hashing hashing, ReadHashing(ctx, attributes, 4, 5));
  const Tensor& input = ctx.Input(0);
  if (input.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("input_ids must have rank 2, not be ", input.TypeString()));
  }
  const int64_t length = input.dim(1);
  const int64_t state = attributes.state();
  OC_ASSIGN_OR_RETURN(const Ids ids, ctx.IntsInput(0));
  OC_ASSIGN_OR_RETURN(const Ids past, OptionalIds(ctx, 3, "past_ids", {input.dim(0), state}));
  OC_ASSIGN_OR_RETURN(const Ids segments, OptionalIds(ctx, 6, "segment_ids", input.shape()));
  const Shape shape = {input.dim(0), length, static_cast<int64_t>(hashing.heads())};
  OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kInt64, shape));
  Ids hashes(static_cast<size_t>(*NumElements(shape)));
  Ids present;
  const auto part = [](const Ids& values, int64_t i, int64_t count) {
    return values.empty() ? IdSpan()
                          : absl::MakeConstSpan(values).subspan(static_cast<size_t>(i * count),
                                                                static_cast<size_t>(count));
  };
  for (int64_t b = 0; b < input.dim(0); ++b) {
    const Ids all = WithHistory(part(past, b, state), hashing.fill, state, part(ids, b, length));
    const Ids all_segments =
        segments.empty() ? Ids() : WithHistory({}, 0, state, part(segments, b, length));
    HashSequence(hashing, {all, all_segments, false}, hashes.data() + b * length * shape[2]);
    AppendLast(all, state, &present);
  }
  OC_RETURN_IF_ERROR(SetIds(ctx, 0, hashing.dtype, shape, hashes));
  return SetIds(ctx, 1, hashing.dtype, {input.dim(0), state}, present);
}

// Where each sequence of the packed ones begins, and the end.
absl::StatusOr<Ids> ReadBounds(const KernelContext& ctx, int64_t tokens) {
  OC_ASSIGN_OR_RETURN(Ids bounds, ctx.IntsInput(3));
  const bool ascends =
      std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal<>()) == bounds.end();
  if (bounds.size() < 2 || bounds.front() != 0 || bounds.back() != tokens || !ascends) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cumulative_sequence_length must ascend from 0 to the number of ids, ", tokens,
        ", without a sequence of no id, not hold (", absl::StrJoin(bounds, ", "), ")"));
  }
  return bounds;
}

// VarlenNGramHashMapping (com.microsoft 1): the same for sequences of several lengths that are
// packed into a vector, each with its past ids and their segments. state_update holds what
// present_ids would be after each of the first tokens of a sequence, capture_count of them, and
// pad_id where there are fewer than state_update_capacity.
absl::Status HashPacked(KernelContext& ctx, const Attributes& attributes) {
  OC_ASSIGN_OR_RETURN(const Hashing hashing, ReadHashing(ctx, attributes, 5, 6));
  const Tensor& input = ctx.Input(0);
  if (input.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("input_ids must have rank 1, not be ", input.TypeString()));
  }
  OC_ASSIGN_OR_RETURN(const Ids ids, ctx.IntsInput(0));
  OC_ASSIGN_OR_RETURN(const Ids bounds, ReadBounds(ctx, input.dim(0)));
  const auto batch = static_cast<int64_t>(bounds.size()) - 1;
  const int64_t state = attributes.state();
  const Shape state_shape = {batch, state};
  OC_ASSIGN_OR_RETURN(const Ids past, OptionalIds(ctx, 4, "past_ids", state_shape));
  OC_ASSIGN_OR_RETURN(const Ids segments, OptionalIds(ctx, 7, "segment_ids", input.shape()));
  OC_ASSIGN_OR_RETURN(const Ids past_segments,
                      OptionalIds(ctx, 8, "past_segment_ids", state_shape));
  OC_ASSIGN_OR_RETURN(const Ids counts, OptionalIds(ctx, 9, "capture_count", {batch}));
  if (segments.empty() && (!past_segments.empty() || ctx.HasOutput(2))) {
    return absl::InvalidArgumentError("past_segment_ids and present_segment_ids need segment_ids");
  }
  const auto heads = static_cast<int64_t>(hashing.heads());
  const Shape update_shape = {batch, attributes.capacity, state};
  OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kInt64, {input.dim(0), heads}));
  OC_RETURN_IF_ERROR(ctx.CheckSize(DType::kInt64, update_shape));
  Ids hashes(static_cast<size_t>(input.dim(0) * heads));
  Ids present;
  Ids present_segments;
  Ids updates;
  for (int64_t b = 0; b < batch; ++b) {
    const auto part = [](const Ids& values, int64_t begin, int64_t count) {
      return absl::MakeConstSpan(values).subspan(static_cast<size_t>(begin),
                                                 static_cast<size_t>(count));
    };
    const int64_t begin = bounds[static_cast<size_t>(b)];
    const int64_t length = bounds[static_cast<size_t>(b) + 1] - begin;
    const auto history = [&](const Ids& values) {
      return values.empty() ? IdSpan() : part(values, b * state, state);
    };
    const Ids all = WithHistory(history(past), hashing.fill, state, part(ids, begin, length));
    Ids all_segments;
    if (!segments.empty()) {
      all_segments = WithHistory(history(past_segments), segments[static_cast<size_t>(begin)],
                                 state, part(segments, begin, length));
      AppendLast(all_segments, state, &present_segments);
    }
    HashSequence(hashing, {all, all_segments, !past_segments.empty()},
                 hashes.data() + begin * heads);
    AppendLast(all, state, &present);
    const int64_t captured =
        counts.empty() ? 0
                       : std::min({counts[static_cast<size_t>(b)], length, attributes.capacity});
    for (int64_t i = 0; i < attributes.capacity; ++i) {
      if (i < captured) {
        updates.insert(updates.end(), all.begin() + i + 1, all.begin() + i + 1 + state);
      } else {
        updates.insert(updates.end(), static_cast<size_t>(state), attributes.pad_id);
      }
    }
  }
  OC_RETURN_IF_ERROR(SetIds(ctx, 0, hashing.dtype, {input.dim(0), heads}, hashes));
  OC_RETURN_IF_ERROR(SetIds(ctx, 1, hashing.dtype, state_shape, present));
  if (!segments.empty()) {
    OC_RETURN_IF_ERROR(SetIds(ctx, 2, DType::kInt32, state_shape, present_segments));
  }
  return SetIds(ctx, 3, hashing.dtype, update_shape, updates);
}

template <absl::Status (*kHash)(KernelContext&, const Attributes&)>
absl::StatusOr<Kernel> HashMapping(const KernelInit& node) {
  const Attributes attributes = {node.Int("max_ngram_size"), node.Int("n_head_per_ngram"),
                                 node.Int("pad_id"), node.Flag("reset_on_eos"),
                                 kHash == HashPacked ? node.Int("state_update_capacity") : 0};
  if (attributes.max_size < 2 || attributes.heads_each < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("max_ngram_size must be at least 2 and n_head_per_ngram at least 1, not ",
                     attributes.max_size, " and ", attributes.heads_each));
  }
  if (attributes.capacity < 0 || attributes.capacity > 8) {
    return absl::InvalidArgumentError(
        absl::StrCat("state_update_capacity must be 0 to 8, not ", attributes.capacity));
  }
  if (kHash == HashPacked && (attributes.capacity > 0) != node.HasInput(9)) {
    return absl::InvalidArgumentError(
        "capture_count is needed exactly if state_update_capacity is above 0");
  }
  return [attributes](KernelContext& ctx) { return kHash(ctx, attributes); };
}

}  // namespace

void RegisterContribNGramHashMapping(OpRegistry& registry) {
  registry.Add(kMicrosoftDomain, "NGramHashMapping", {1}, HashMapping<HashRows>);
  registry.Add(kMicrosoftDomain, "VarlenNGramHashMapping", {1}, HashMapping<HashPacked>);
}

}  // namespace onnxcmp
