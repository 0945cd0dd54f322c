// Definitions of normalizations, most of them com.microsoft's.
#include <numeric>

#include "absl/status/statusor.h"
#include "evaluator/base/status_macros.h"
#include "prove/definition.h"

namespace onnxcmp {
namespace {

// EmbedLayerNormalization: input_ids, segment_ids, word_embedding, position_embedding,
// segment_embedding, gamma, beta, mask, position_ids.
absl::Status EmbedLayer(Definition& d) {
  const Shape& ids = d.ShapeOf(0);
  if (ids.size() != 2 || d.Has(1) != d.Has(4)) return NoMeaning("ids of this shape");
  std::string positions = d.In(8);
  if (positions.empty()) {
    std::vector<int64_t> places(static_cast<size_t>(ids[1]));
    std::iota(places.begin(), places.end(), 0);
    positions = d.Reshaped(d.Integers(places), {1, ids[1]});
  }
  std::string sum =
      d.Add("Add", {d.Add("Gather", {d.In(2), d.In(0)}), d.Add("Gather", {d.In(3), positions})});
  if (d.Has(4)) sum = d.Add("Add", {sum, d.Add("Gather", {d.In(4), d.In(1)})});
  d.Out(0, d.Add("LayerNormalization", {sum, d.In(5), d.In(6)},
                 {{"axis", int64_t{-1}}, {"epsilon", d.of().Number("epsilon", 1e-12F)}}));
  if (d.of().HasOutput(1)) {
    // With a mask, how many of its elements are 1: their sum, as far as the others are 0.
    if (d.Has(7) && !d.of().value(7).fixed) return NoMeaning("a mask that depends on the inputs");
    if (d.Has(7)) {
      const std::string ones =
          d.Add("Equal", {d.In(7), d.Add("Cast", {d.Integer(1)}, {{"to", int64_t{6}}})});
      const std::string counted = d.Add("Cast", {ones}, {{"to", int64_t{6}}});
      d.Out(1, d.Add("ReduceSum", {counted, d.Integers({1})}, {{"keepdims", int64_t{0}}}));
    } else {
      const std::string none =
          d.Reshaped(d.Integers(std::vector<int64_t>(static_cast<size_t>(ids[0]), 0)), {ids[0]});
      d.Out(1, d.Add("Cast", {none}, {{"to", int64_t{6}}}));
    }
  }
  d.Out(2, sum);
  return absl::OkStatus();
}

// The groups of x, (N, C, H, W), normalized.
std::string Groups(Definition& d, const std::string& x) {
  const FieldNode& node = d.of();
  const std::string normalized =
      d.Add("GroupNormalization", {x, d.In(1), d.In(2)},
            {{"num_groups", node.Int("groups", 1)}, {"epsilon", node.Number("epsilon", 1e-5F)}});
  return node.Int("activation", 0) == 1 ? d.Swish(normalized) : normalized;
}

// GroupNorm (X, gamma, beta), SkipGroupNorm (X, gamma, beta, skip, bias).
absl::Status GroupNorm(Definition& d) {
  const bool last = d.of().Int("channels_last", 1) != 0;
  if (d.ShapeOf(0).size() != 4) return NoMeaning("no image");
  std::string x = d.In(0);
  if (d.Has(3)) {
    const Shape& shape = d.ShapeOf(0);
    const int64_t channels = last ? shape[3] : shape[1];
    const auto along = [&](const std::string& name, int64_t batch) {
      return d.Reshaped(name, last ? Shape{batch, 1, 1, channels} : Shape{batch, channels, 1, 1});
    };
    const bool rows = d.ShapeOf(3).size() == 2;
    x = d.Add("Add", {x, rows ? along(d.In(3), shape[0]) : d.In(3)});
    if (d.Has(4)) x = d.Add("Add", {x, along(d.In(4), 1)});
    d.Out(1, x);
  }
  const std::string y = Groups(d, last ? d.Transposed(x, {0, 3, 1, 2}) : x);
  d.Out(0, last ? d.Transposed(y, {0, 2, 3, 1}) : y);
  return absl::OkStatus();
}

// x by its norm of degree 1 or 2.
absl::Status LpNormalization(Definition& d) {
  const int64_t degree = d.of().Int("p", 2);
  if (degree != 1 && degree != 2) return NoMeaning("a norm of this degree");
  const std::string norm =
      d.Add(degree == 1 ? "ReduceL1" : "ReduceL2", {d.In(0), d.Integers({d.of().Int("axis", -1)})});
  d.Out(0, d.Add("Div", {d.In(0), norm}));
  return absl::OkStatus();
}

constexpr DefinitionRow kNormalizationDefinitions[] = {
    {kOnnxDomain, "LpNormalization", LpNormalization},
    {kMicrosoftDomain, "EmbedLayerNormalization", EmbedLayer},
    {kMicrosoftDomain, "GroupNorm", GroupNorm},
    {kMicrosoftDomain, "SkipGroupNorm", GroupNorm},
};

}  // namespace

absl::Span<const DefinitionRow> NormalizationDefinitions() { return kNormalizationDefinitions; }

}  // namespace onnxcmp
