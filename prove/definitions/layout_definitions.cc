// Definitions of operators on channels last or in blocks, and of fused convolutions.
#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "prove/definition.h"

namespace onnxcmp {
namespace {

// The attributes of a node that ONNX's operator has, too.
Definition::Attributes Without(const FieldNode& node, absl::Span<const absl::string_view> names) {
  Definition::Attributes attributes;
  for (const auto& [name, attribute] : node.node().attributes) {
    if (std::find(names.begin(), names.end(), name) == names.end()) attributes[name] = attribute;
  }
  return attributes;
}

std::vector<int64_t> Order(size_t rank, bool channels_first) {
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (channels_first) {
    std::rotate(order.begin() + 1, order.end() - 1, order.end());
  } else {
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  }
  return order;
}

// activation(conv(x, weights) + bias + sum), of inputs that are as ONNX has them.
absl::StatusOr<std::string> FusedConvolution(Definition& d, const std::string& x,
                                             const std::string& weights, const std::string& sum) {
  const FieldNode& node = d.of();
  std::string y = d.Add("Conv", {x, weights, d.In(2)},
                        Without(node, {"activation", "activation_params", "channels_last"}));
  if (!sum.empty()) y = d.Add("Add", {y, sum});
  return d.Activated(y, node.String("activation", ""), node.Floats("activation_params"));
}

absl::Status FusedConv(Definition& d) {
  OC_ASSIGN_OR_RETURN(const std::string y, FusedConvolution(d, d.In(0), d.In(1), d.In(3)));
  d.Out(0, y);
  return absl::OkStatus();
}

// NhwcConv, NhwcFusedConv: the sum is of channels last, too.
absl::Status ChannelsLastConv(Definition& d) {
  const size_t rank = d.ShapeOf(0).size();
  if (rank < 3) return NoMeaning("no image");
  const std::string x = d.Transposed(d.In(0), Order(rank, true));
  const std::string sum = d.Has(3) ? d.Transposed(d.In(3), Order(rank, true)) : "";
  OC_ASSIGN_OR_RETURN(const std::string y, FusedConvolution(d, x, d.In(1), sum));
  d.Out(0, d.Transposed(y, Order(rank, false)));
  return absl::OkStatus();
}

absl::Status ChannelsLastPool(Definition& d) {
  const size_t rank = d.ShapeOf(0).size();
  if (rank < 3) return NoMeaning("no image");
  const std::string x = d.Transposed(d.In(0), Order(rank, true));
  const std::string y = d.Add("MaxPool", {x}, Without(d.of(), {}));
  d.Out(0, d.Transposed(y, Order(rank, false)));
  return absl::OkStatus();
}

absl::Status TransposedConv(Definition& d) {
  Definition::Attributes attributes = Without(d.of(), {});
  if (d.Has(2)) {
    OC_ASSIGN_OR_RETURN(attributes["pads"], d.of().Integers(2));
  }
  d.Out(0, d.Add("ConvTranspose", {d.In(0), d.In(1), d.In(3)}, std::move(attributes)));
  return absl::OkStatus();
}

// The size of blocks of channels, which no file says: two variants.
int64_t BlockOf(Definition& d) { return d.variant() == 0 ? 16 : 8; }

// [N][C / block][H][W][block] as (N, C, H, W), and back.
std::string FromBlocks(Definition& d, const std::string& x, const Shape& shape, int64_t block) {
  const std::string blocks = d.Reshaped(x, {shape[0], shape[1] / block, shape[2], shape[3], block});
  return d.Reshaped(d.Transposed(blocks, {0, 1, 4, 2, 3}), shape);
}
std::string ToBlocks(Definition& d, const std::string& x, const Shape& shape, int64_t block) {
  const std::string blocks = d.Reshaped(x, {shape[0], shape[1] / block, block, shape[2], shape[3]});
  return d.Reshaped(d.Transposed(blocks, {0, 1, 3, 4, 2}), shape);
}

absl::Status CheckBlocks(const Shape& shape, int64_t block) {
  if (shape.size() == 4 && shape[1] % block == 0) return absl::OkStatus();
  return NoMeaning("channels that are no whole blocks");
}

absl::Status ReorderInput(Definition& d) {
  const int64_t block = BlockOf(d);
  const Shape& padded = d.of().number(0).tensor().shape();
  OC_RETURN_IF_ERROR(CheckBlocks(padded, block));
  const bool last = d.of().Int("channels_last", 0) != 0;
  std::string x = last ? d.Transposed(d.In(0), {0, 3, 1, 2}) : d.In(0);
  const int64_t more = padded[1] - d.ShapeOf(0)[last ? 3 : 1];
  if (more > 0) x = d.Add("Pad", {x, d.Integers({0, 0, 0, 0, 0, more, 0, 0})});
  d.Out(0, ToBlocks(d, x, padded, block));
  return absl::OkStatus();
}

absl::Status ReorderOutput(Definition& d) {
  const int64_t block = BlockOf(d);
  OC_RETURN_IF_ERROR(CheckBlocks(d.ShapeOf(0), block));
  const int64_t channels = d.of().Int("channels", 0);
  std::string y = FromBlocks(d, d.In(0), d.ShapeOf(0), block);
  if (channels < d.ShapeOf(0)[1]) {
    y = d.Add("Slice", {y, d.Integers({0}), d.Integers({channels}), d.Integers({1})});
  }
  d.Out(0, d.of().Int("channels_last", 0) != 0 ? d.Transposed(y, {0, 2, 3, 1}) : y);
  return absl::OkStatus();
}

absl::Status BlockedConv(Definition& d) {
  const int64_t block = BlockOf(d);
  const Shape& x = d.ShapeOf(0);
  const Shape& w = d.ShapeOf(1);
  const Shape& y = d.of().number(0).tensor().shape();
  if (w.size() != 4 || w[0] % block != 0) return NoMeaning("channels that are no whole blocks");
  const int64_t group = d.of().Int("group", 1);
  const bool depthwise = group > 1 && w[1] == 1 && w[0] == group;
  const bool weight_blocks = w[1] >= block;
  std::string image = d.In(0);
  if (depthwise || weight_blocks) {
    OC_RETURN_IF_ERROR(CheckBlocks(x, block));
    image = FromBlocks(d, image, x, block);
  }
  std::string weights;
  if (weight_blocks) {
    if (w[1] % block != 0) return NoMeaning("channels that are no whole blocks");
    const std::string outer =
        d.Reshaped(d.In(1), {w[0] / block, w[1] / block, w[2], w[3], block, block});
    weights = d.Reshaped(d.Transposed(outer, {0, 5, 1, 4, 2, 3}), w);
  } else {
    const std::string outer = d.Reshaped(d.In(1), {w[0] / block, w[1], w[2], w[3], block});
    weights = d.Reshaped(d.Transposed(outer, {0, 4, 1, 2, 3}), w);
  }
  const std::string sum = d.Has(3) ? FromBlocks(d, d.In(3), d.ShapeOf(3), block) : "";
  OC_ASSIGN_OR_RETURN(const std::string out, FusedConvolution(d, image, weights, sum));
  d.Out(0, ToBlocks(d, out, y, block));
  return absl::OkStatus();
}

// MaxPool, AveragePool, GlobalMaxPool, GlobalAveragePool.
absl::Status BlockedPool(Definition& d) {
  const int64_t block = BlockOf(d);
  OC_RETURN_IF_ERROR(CheckBlocks(d.ShapeOf(0), block));
  const std::string x = FromBlocks(d, d.In(0), d.ShapeOf(0), block);
  const std::string y = d.Add(d.of().node().op_type, {x}, Without(d.of(), {}));
  d.Out(0, ToBlocks(d, y, d.of().number(0).tensor().shape(), block));
  return absl::OkStatus();
}

// Resize of H and W by whole numbers.
absl::Status BlockedUpsample(Definition& d) {
  const FieldNode& node = d.of();
  const int64_t block = BlockOf(d);
  OC_RETURN_IF_ERROR(CheckBlocks(d.ShapeOf(0), block));
  const std::vector<int64_t> scales = node.Ints("scales");
  if (scales.size() != 4) return NoMeaning("scales of other axes");
  const std::string x = FromBlocks(d, d.In(0), d.ShapeOf(0), block);
  std::vector<float> numbers(scales.begin(), scales.end());
  const std::string y = d.Add("Resize", {x, "", d.Held(Tensor::Of<float>({4}, numbers))},
                              {{"mode", node.String("mode", "nearest")},
                               {"nearest_mode", std::string("floor")},
                               {"coordinate_transformation_mode",
                                node.String("coordinate_transformation_mode", "asymmetric")}});
  d.Out(0, ToBlocks(d, y, node.number(0).tensor().shape(), block));
  return absl::OkStatus();
}

// CausalConvWithState (input, weight, bias, past_state) in its plain form.
absl::Status CausalConv(Definition& d) {
  const FieldNode& node = d.of();
  for (const auto& [name, attribute] : node.node().attributes) {
    if (name != "activation" && !(name == "ndim" && node.Int("ndim", 1) == 1)) {
      return NoMeaning(absl::StrCat("attribute ", name));
    }
  }
  if (d.ShapeOf(0).size() != 3 || d.ShapeOf(1).size() != 3) return NoMeaning("other dimensions");
  const int64_t state = d.ShapeOf(1)[2] - 1;
  const Shape& x = d.ShapeOf(0);
  const std::string all = d.Has(3) ? d.Add("Concat", {d.In(3), d.In(0)}, {{"axis", int64_t{2}}})
                                   : d.Add("Pad", {d.In(0), d.Integers({0, 0, state, 0, 0, 0})});
  const std::string y = d.Add("Conv", {all, d.In(1), d.In(2)}, {{"group", x[1]}});
  const std::string activation = node.String("activation", "none");
  if (activation == "silu" || activation == "swish") {
    d.Out(0, d.Swish(y));
  } else {
    OC_ASSIGN_OR_RETURN(const std::string out, d.Activated(y, activation, {}));
    d.Out(0, out);
  }
  const int64_t length = x[2] + state;
  d.Out(1,
        d.Add("Slice", {all, d.Integers({length - state}), d.Integers({length}), d.Integers({2})}));
  return absl::OkStatus();
}

constexpr DefinitionRow kLayoutDefinitions[] = {
    {kMicrosoftDomain, "FusedConv", FusedConv},
    {kMicrosoftDomain, "NhwcConv", ChannelsLastConv},
    {kMicrosoftDomain, "NhwcFusedConv", ChannelsLastConv},
    {kMicrosoftDomain, "NhwcMaxPool", ChannelsLastPool},
    {kMicrosoftDomain, "ConvTransposeWithDynamicPads", TransposedConv},
    {kMicrosoftDomain, "CausalConvWithState", CausalConv},
    {kNchwcDomain, "ReorderInput", ReorderInput},
    {kNchwcDomain, "ReorderOutput", ReorderOutput},
    {kNchwcDomain, "Conv", BlockedConv},
    {kNchwcDomain, "MaxPool", BlockedPool},
    {kNchwcDomain, "AveragePool", BlockedPool},
    {kNchwcDomain, "GlobalMaxPool", BlockedPool},
    {kNchwcDomain, "GlobalAveragePool", BlockedPool},
    {kNchwcDomain, "Upsample", BlockedUpsample},
};

}  // namespace

absl::Span<const DefinitionRow> LayoutDefinitions() { return kLayoutDefinitions; }

}  // namespace onnxcmp
