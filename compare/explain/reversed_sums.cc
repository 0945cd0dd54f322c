#include "compare/explain/reversed_sums.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/node_questions.h"
#include "record/graphs/replay.h"

namespace onnxcmp {
namespace {

using Inputs = absl::Span<const Value>;

// The axes to reverse, by input. Those of `output`, along which a node does not add alone, are
// reversed back. Axes may be negative.
struct Reversal {
  std::vector<std::vector<int64_t>> inputs;
  std::vector<int64_t> output;
};

int RankOf(Inputs inputs, size_t i) {
  return i < inputs.size() && inputs[i].is_tensor() ? inputs[i].tensor().rank() : 0;
}

std::vector<int64_t> AxesFrom(int64_t first, int64_t rank) {
  std::vector<int64_t> axes;
  for (int64_t axis = first < 0 ? first + rank : first; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}

// Rows of A against columns of B, either of which may be transposed.
Reversal OfProduct(const Node& node, Inputs inputs) {
  for (const char* name : {"transBatchA", "transBatchB"}) {
    if (IntAttribute(node, name).value_or(0) != 0) return {};
  }
  const bool trans_a = IntAttribute(node, "transA").value_or(0) != 0;
  const bool trans_b = IntAttribute(node, "transB").value_or(0) != 0;
  const bool is_vector = RankOf(inputs, 1) == 1;
  return {{{trans_a ? -2 : -1}, {trans_b || is_vector ? -1 : -2}}, {}};
}

// Channels; those of groups would have to be reversed group by group.
Reversal OfConvolution(const Node& node, Inputs /*inputs*/) {
  if (IntAttribute(node, "group").value_or(1) != 1) return {};
  return {{{1}, {1}}, {}};
}

Reversal OfReduction(const Node& node, Inputs inputs) {
  std::vector<int64_t> axes;
  if (const auto* given = AttributeOf<std::vector<int64_t>>(node, "axes")) {
    axes = *given;
  } else if (inputs.size() > 1 && inputs[1].is_tensor()) {
    const absl::StatusOr<Tensor> list = inputs[1].tensor().Contiguous();
    if (!list.ok() || list->dtype() != DType::kInt64) return {};
    axes.assign(list->AsSpan<int64_t>().begin(), list->AsSpan<int64_t>().end());
  }
  if (axes.empty() && IntAttribute(node, "noop_with_empty_axes").value_or(0) != 0) return {};
  if (axes.empty()) axes = AxesFrom(0, RankOf(inputs, 0));
  return {{axes}, {}};
}

// From an axis on, with scale and bias, which may not reach beyond these axes.
Reversal OfNormalization(const Node& node, Inputs inputs) {
  Reversal reversal;
  reversal.output = AxesFrom(IntAttribute(node, "axis").value_or(-1), RankOf(inputs, 0));
  reversal.inputs.push_back(reversal.output);
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (RankOf(inputs, i) > static_cast<int>(reversal.output.size())) return {};
    reversal.inputs.push_back(AxesFrom(0, RankOf(inputs, i)));
  }
  return reversal;
}

// All but batch and channel.
Reversal OfPlaces(const Node& /*node*/, Inputs inputs) {
  return {{AxesFrom(2, RankOf(inputs, 0))}, {}};
}

struct SumRow {
  absl::string_view op_type;
  Reversal (*reversal)(const Node& node, Inputs inputs);
};

// Other reductions add in double, so that their order makes nothing in float.
constexpr SumRow kSums[] = {
    {"MatMul", OfProduct},
    {"FusedMatMul", OfProduct},
    {"Gemm", OfProduct},
    {"FusedGemm", OfProduct},
    {"Conv", OfConvolution},
    {"FusedConv", OfConvolution},
    {"ReduceSum", OfReduction},
    {"ReduceMean", OfReduction},
    {"Softmax", OfNormalization},
    {"LayerNormalization", OfNormalization},
    {"RMSNormalization", OfNormalization},
    {"SimplifiedLayerNormalization", OfNormalization},
    {"GlobalAveragePool", OfPlaces},
};

// Numbers that add exactly need no order.
bool MayReverse(const Value& value, absl::Span<const int64_t> axes) {
  if (!value.is_tensor() || !IsFloatingPoint(value.tensor().dtype())) return false;
  return absl::c_all_of(axes, [&](int64_t axis) {
    return axis >= -value.tensor().rank() && axis < value.tensor().rank();
  });
}

absl::StatusOr<Tensor> Reversed(Tensor tensor, absl::Span<const int64_t> axes) {
  for (const int64_t axis : axes) {
    OC_ASSIGN_OR_RETURN(Tensor from, tensor.Contiguous());
    OC_ASSIGN_OR_RETURN(Tensor to, Tensor::Allocate(from.dtype(), from.shape()));
    const auto place = static_cast<int>(axis < 0 ? axis + from.rank() : axis);
    const int64_t count = from.dim(place);
    if (from.num_elements() == 0) return from;
    int64_t bytes = from.byte_size() / from.num_elements();
    for (int i = place + 1; i < from.rank(); ++i) bytes *= from.dim(i);
    for (int64_t start = 0; start < from.byte_size(); start += count * bytes) {
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(to.mutable_raw_data() + start + (count - 1 - i) * bytes,
                    from.raw_data() + start + i * bytes, static_cast<size_t>(bytes));
      }
    }
    tensor = std::move(to);
  }
  return tensor;
}

class ReversedReplay : public HoldingReplay {
 public:
  ReversedReplay(const SideGraph& graph, const Feeds& feeds, absl::Span<const int> nodes,
                 int result)
      : HoldingReplay(graph, nodes, {result}), leaves_(LeavesOf(graph, feeds)) {}

  int64_t sums() const { return sums_; }

 private:
  bool IsGiven(int r) const override { return graph().producer(r) == kNone; }
  Value Given(int r) override { return leaves_[Index(r)]; }

  Outputs Compute(int n) override {
    const SideGraph::GraphNode& node = graph().node(n);
    const auto row = absl::c_find_if(kSums, [&](const SumRow& sum) {
      return node.node != nullptr && sum.op_type == node.node->op_type &&
             (node.node->domain.empty() || node.node->domain == "com.microsoft");
    });
    if (row == std::end(kSums)) return HoldingReplay::Compute(n);
    std::vector<Value> inputs;
    for (const int r : node.made->inputs) {
      inputs.push_back(r == kNone ? Value() : graph().ForModel(r, Read(r)));
      if (r != kNone && inputs.back().empty()) return HoldingReplay::Compute(n);
    }
    const Reversal reversal = row->reversal(*node.node, inputs);
    for (size_t i = 0; i < std::min(inputs.size(), reversal.inputs.size()); ++i) {
      if (inputs[i].empty()) continue;
      if (!MayReverse(inputs[i], reversal.inputs[i])) return HoldingReplay::Compute(n);
      OC_ASSIGN_OR_RETURN(inputs[i], Reversed(inputs[i].tensor(), reversal.inputs[i]));
    }
    if (reversal.inputs.empty()) return HoldingReplay::Compute(n);
    OC_ASSIGN_OR_RETURN(std::vector<Value> outputs,
                        graph().evaluator()->RunNode(node.index, inputs));
    if (outputs.empty() || !MayReverse(outputs[0], reversal.output)) {
      return HoldingReplay::Compute(n);
    }
    OC_ASSIGN_OR_RETURN(outputs[0], Reversed(outputs[0].tensor(), reversal.output));
    for (size_t i = 0; i < std::min(outputs.size(), node.made->outputs.size()); ++i) {
      const int r = node.made->outputs[i];
      if (r != kNone) outputs[i] = graph().FromModel(r, outputs[i]);
    }
    ++sums_;
    return outputs;
  }

  const std::vector<Value> leaves_;
  int64_t sums_ = 0;
};

}  // namespace

std::optional<ReversedSums> WithReversedSums(const SideGraph& graph, const Feeds& feeds,
                                             int result) {
  std::vector<int> nodes = {graph.producer(result)};
  if (nodes[0] == kNone) return std::nullopt;
  graph.ReachBefore({result}, [&](int r) {
    if (graph.producer(r) != kNone) nodes.push_back(graph.producer(r));
    return true;
  });
  absl::c_sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  ReversedReplay replay(graph, feeds, nodes, result);
  if (!replay.Run() || replay.sums() == 0) return std::nullopt;
  return ReversedSums{replay.ValueOf(result), replay.sums()};
}

}  // namespace onnxcmp
