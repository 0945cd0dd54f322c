#include "compare/sides/common_forms.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/node_questions.h"
#include "record/graphs/side_graph.h"
#include "record/operators/operator_traits.h"
#include "record/streams/common_form.h"
#include "record/streams/fingerprint.h"
#include "record/streams/quantized_streams.h"

namespace onnxcmp {
namespace {

bool IsByteOrWord(DType dtype) { return WithOtherSign(dtype) != DType::kUndefined; }

// By result: true for quantized numbers of 8 or 16 bits: inputs and outputs of quantizing nodes,
// and results to which nodes move their elements or from which they do.
std::vector<bool> QuantizedResults(const ResultStream& stream) {
  std::vector<bool> quantized(stream.results.size());
  const auto mark = [&](int r) {
    if (r == kNone || !IsByteOrWord(stream.results[Index(r)].dtype)) return;
    if (stream.results[Index(r)].kind != ResultKind::kInput) quantized[Index(r)] = true;
  };
  for (const StreamNode& node : stream.nodes) {
    if (!Quantizes(node.op_type)) continue;
    for (const int r : node.inputs) mark(r);
    for (const int r : node.outputs) mark(r);
  }
  // Forwards to results of moves; then backwards to their inputs and those beside them.
  const auto is = [&](int r) { return r != kNone && quantized[Index(r)]; };
  const auto spread = [&](const StreamNode& node) {
    if (!HasTrait(node, OperatorTrait::kMoves)) return;
    if (!std::any_of(node.inputs.begin(), node.inputs.end(), is) &&
        !std::any_of(node.outputs.begin(), node.outputs.end(), is)) {
      return;
    }
    for (const int r : node.inputs) mark(r);
    for (const int r : node.outputs) mark(r);
  };
  for (const StreamNode& node : stream.nodes) spread(node);
  std::for_each(stream.nodes.rbegin(), stream.nodes.rend(), spread);
  for (size_t r = 0; r < stream.results.size(); ++r) {
    const StreamResult& result = stream.results[r];
    if (result.kind == ResultKind::kOutput && is(result.source)) quantized[r] = true;
  }
  return quantized;
}

absl::flat_hash_set<Hash128> ContentsOf(const ResultStream& stream) {
  absl::flat_hash_set<Hash128> contents;
  for (const StreamResult& result : stream.results) contents.insert(result.fingerprint.content);
  return contents;
}

// By width and size: quantized results, signed or not, whose bits the other side does not have.
absl::flat_hash_set<std::pair<int, int64_t>> Unmatched(const ResultStream& stream,
                                                       const std::vector<bool>& quantized,
                                                       const absl::flat_hash_set<Hash128>& others,
                                                       bool is_signed) {
  absl::flat_hash_set<std::pair<int, int64_t>> sizes;
  for (size_t r = 0; r < stream.results.size(); ++r) {
    const StreamResult& result = stream.results[r];
    if (!quantized[r] || IsSignedInteger(result.dtype) != is_signed) continue;
    if (others.contains(result.fingerprint.content)) continue;
    sizes.insert({BitWidth(result.dtype), result.fingerprint.size});
  }
  return sizes;
}

// True if one side has signed numbers where the other has equally many unsigned ones.
bool ChangesSign(const ResultStream& left, const std::vector<bool>& left_quantized,
                 const ResultStream& right, const std::vector<bool>& right_quantized) {
  const absl::flat_hash_set<Hash128> left_contents = ContentsOf(left);
  const absl::flat_hash_set<Hash128> right_contents = ContentsOf(right);
  for (const bool left_signed : {true, false}) {
    const auto ours = Unmatched(left, left_quantized, right_contents, left_signed);
    const auto theirs = Unmatched(right, right_quantized, left_contents, !left_signed);
    for (const auto& size : ours) {
      if (theirs.contains(size)) return true;
    }
  }
  return false;
}

// True for nodes whose first data input has the channels last.
bool HasChannelsLast(const SideGraph::GraphNode& node) {
  const std::string& op_type = node.made->op_type;
  if (op_type == "NhwcMaxPool" || op_type == "NhwcConv" || op_type == "NhwcFusedConv") return true;
  return node.node != nullptr && IntAttribute(*node.node, "channels_last").value_or(0) != 0;
}

bool MayHaveForms(const ResultStream& stream) {
  return AnyOperator(stream, [](absl::string_view op_type) {
    return Quantizes(op_type) || absl::StartsWith(op_type, "Nhwc");
  });
}

// Results with their channels last, and the number of nodes that imply it by themselves.
struct Layouts {
  std::vector<bool> channels_last;
  int nodes = 0;
};

Layouts LayoutsOf(const SideGraph& graph) {
  Layouts layouts;
  layouts.channels_last.resize(graph.stream().results.size());
  const auto mark = [&](int r, int like) {
    if (r == kNone || !graph.IsComputed(r)) return;
    const std::optional<Shape>& shape = graph.result(r).shape;
    const std::optional<Shape>& other = graph.result(like).shape;
    if (shape.has_value() && other.has_value() && shape->size() >= 3 &&
        shape->size() == other->size()) {
      layouts.channels_last[Index(r)] = true;
    }
  };
  std::vector<const StreamNode*> keeping;
  for (const SideGraph::GraphNode& node : graph.nodes()) {
    if (HasTrait(*node.made, OperatorTrait::kKeepsAxes)) keeping.push_back(node.made);
    const FewResults& inputs = node.made->inputs;
    const FewResults& outputs = node.made->outputs;
    if (inputs.empty() || outputs.empty() || outputs[0] == kNone || inputs[0] == kNone ||
        !HasChannelsLast(node)) {
      continue;
    }
    ++layouts.nodes;
    mark(inputs[0], outputs[0]);
    mark(outputs[0], inputs[0]);
  }
  if (layouts.nodes == 0) return layouts;
  const auto spread = [&](const StreamNode* node) {
    const auto is_last = [&](int r) { return r != kNone && layouts.channels_last[Index(r)]; };
    for (const FewResults* results : {&node->inputs, &node->outputs}) {
      const auto it = std::find_if(results->begin(), results->end(), is_last);
      if (it == results->end()) continue;
      const int like = *it;
      for (const int r : node->inputs) mark(r, like);
      for (const int r : node->outputs) mark(r, like);
      return;
    }
  };
  std::for_each(keeping.begin(), keeping.end(), spread);
  std::for_each(keeping.rbegin(), keeping.rend(), spread);
  return layouts;
}

// By result of a side: its form.
std::vector<CommonForm> FormsOf(const ResultStream& stream, const std::vector<bool>* quantized,
                                const Layouts* layouts,
                                const absl::flat_hash_set<Hash128>& others) {
  std::vector<CommonForm> forms(stream.results.size());
  for (size_t r = 0; r < forms.size(); ++r) {
    const StreamResult& result = stream.results[r];
    if (quantized != nullptr && (*quantized)[r] && IsSignedInteger(result.dtype)) {
      forms[r].other_sign = true;
    }
    // A result with equal bits on the other side has the same layout there.
    if (layouts != nullptr && layouts->channels_last[r] &&
        !others.contains(result.fingerprint.content)) {
      forms[r].channels_first = true;
    }
  }
  for (size_t r = 0; r < forms.size(); ++r) {
    const StreamResult& result = stream.results[r];
    if (result.kind == ResultKind::kOutput && result.source != kNone) {
      forms[r] = forms[Index(result.source)];
    }
  }
  return forms;
}

class FormTaker {
 public:
  // Fingerprints of the forms of the other sign, by the content of the plain integers. Values that
  // both sides share are kept once.
  using Known = absl::flat_hash_map<Hash128, Fingerprint>;

  FormTaker(const RecordedSide& side, std::vector<CommonForm> forms, ResultStream* stream,
            Known* known)
      : side_(side), stream_(*stream), forms_(std::move(forms)), known_(*known) {}

  absl::Status Take(absl::string_view run, const PairValues::Watch& watch) {
    std::vector<bool> wanted(forms_.size());
    for (size_t r = 0; r < forms_.size(); ++r) {
      if (!forms_[r].any()) continue;
      const auto known = known_.find(stream_.results[r].fingerprint.content);
      if (!forms_[r].channels_first && known != known_.end()) {
        Set(r, known->second);
      } else {
        wanted[r] = true;
      }
    }
    return VisitValues(side_, run, watch, wanted, [&](int r, const Value& value) -> absl::Status {
      return Look(Index(r), value);
    });
  }

 private:
  absl::Status Look(size_t r, const Value& value) {
    OC_ASSIGN_OR_RETURN(const Value form, InForm(value, forms_[r]));
    const Fingerprint fingerprint = FingerprintOf(form);
    if (!forms_[r].channels_first) {
      known_.emplace(stream_.results[r].fingerprint.content, fingerprint);
    }
    Set(r, fingerprint);
    return absl::OkStatus();
  }

  void Set(size_t r, Fingerprint fingerprint) {
    StreamResult& result = stream_.results[r];
    Numbers numbers = fingerprint.numbers();
    numbers.statistics = result.fingerprint.numbers().statistics;
    numbers.letters = result.fingerprint.numbers().letters;
    fingerprint.lazy_numbers = std::make_shared<const LazyNumbers>(numbers);
    result.fingerprint = fingerprint;
    result.form = forms_[r];
  }

  const RecordedSide& side_;
  ResultStream& stream_;
  const std::vector<CommonForm> forms_;
  Known& known_;
};

}  // namespace

absl::Status FindCommonForms(const PerSide<RecordedSide>& sides, const PairValues::Watch& watch,
                             const PerSide<ResultStream*>& streams) {
  const ResultStream& left = *streams.left;
  const ResultStream& right = *streams.right;
  if (left.recorded || right.recorded || (!MayHaveForms(left) && !MayHaveForms(right))) {
    return absl::OkStatus();
  }
  const PerSide<std::vector<bool>> quantized = {QuantizedResults(left), QuantizedResults(right)};
  const PerSide<Layouts> layouts = {LayoutsOf(SideGraph(left, sides.left.evaluator())),
                                    LayoutsOf(SideGraph(right, sides.right.evaluator()))};
  const bool signs = ChangesSign(left, quantized.left, right, quantized.right);
  const bool moved = layouts.left.nodes != layouts.right.nodes;
  if (!signs && !moved) return absl::OkStatus();
  // All forms are determined before any is applied, since that changes the streams.
  PerSide<std::vector<CommonForm>> forms;
  for (const SideId side : kBothSides) {
    forms[side] = FormsOf(*streams[side], signs ? &quantized[side] : nullptr,
                          moved ? &layouts[side] : nullptr, ContentsOf(*streams[Other(side)]));
  }
  FormTaker::Known known;
  for (const SideId side : kBothSides) {
    FormTaker taker(sides[side], std::move(forms[side]), streams[side], &known);
    OC_RETURN_IF_ERROR(taker.Take(absl::StrCat(SideName(side), " again"), watch));
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
