// Pairs the nodes of two sides, and selects those that can be kept in float.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "compare/conversion/converted_partners.h"
#include "compare/conversion/honest_constant.h"
#include "compare/in_float/mixed_run.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/tensor_distance.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// Operators whose inputs and outputs onnxruntime's quantizer rounds for their own sake; operators
// that only move numbers, or end on a Relu, follow the others.
bool IsRoundedByQuantizer(const StreamNode& made) {
  static const auto* const kOperators = new absl::flat_hash_set<absl::string_view>{
      "Add",
      "ArgMax",
      "Attention",
      "BatchNormalization",
      "Concat",
      "Conv",
      "ConvTranspose",
      "CumSum",
      "EmbedLayerNormalization",
      "Gather",
      "GatherElements",
      "Gemm",
      "GlobalAveragePool",
      "InstanceNormalization",
      "LSTM",
      "LayerNormalization",
      "LeakyRelu",
      "MatMul",
      "Mul",
      "Sigmoid",
      "Softmax",
      "Where",
  };
  return kOperators->contains(made.op_type);
}

// Operators that converters leave in float without being told.
bool IsLeftByDefault(const StreamNode& made) {
  static const auto* const kOperators = new absl::flat_hash_set<absl::string_view>{
      "CumSum",
      "Max",
      "Min",
      "NonMaxSuppression",
      "RandomUniformLike",
      "Range",
      "Resize",
      "RoiAlign",
      "TopK",
      "Upsample",
      "Cast",
      "Constant",
  };
  return made.domain == "ai.onnx.ml" || kOperators->contains(made.op_type);
}

}  // namespace

MixedRun::MixedRun(const SideValues& plain, const SideValues& converted,
                   const std::vector<int>& aligned, bool quantized)
    : plain_(plain),
      converted_(converted),
      quantized_(quantized),
      partners_(ConvertedPartners(plain.graph(), converted.graph(), converted.all_params(), aligned,
                                  quantized)),
      stand_ins_(plain.graph().stream().results.size()),
      counterparts_(plain.graph().nodes().size(), kNone),
      kept_by_(converted.graph().nodes().size()) {
  for (const int r : converted.graph().results()) {
    if (partners_[Index(r)] != kNone) stand_ins_[Index(partners_[Index(r)])].push_back(r);
  }
  FindCandidates();
}

int MixedRun::CounterpartOf(
    int n, const absl::flat_hash_map<absl::string_view, int>& nodes_by_name) const {
  const StreamNode& ours = *plain_.graph().node(n).made;
  // A result before a removed Relu may have got the Relu's name.
  for (const bool integers : {false, true}) {
    if (ours.name.empty() || (integers && !quantized_)) break;
    const auto it = nodes_by_name.find(integers ? absl::StrCat(ours.name, "_quant") : ours.name);
    if (it == nodes_by_name.end()) continue;
    const StreamNode& theirs = *converted_.graph().node(it->second).made;
    // Sums of products that a later node scales are in no form that a float could take.
    const int result = theirs.outputs.empty() ? kNone : theirs.outputs[0];
    const bool takes_floats =
        result != kNone && (IsFloatingPoint(converted_.graph().result(result).dtype) ||
                            converted_.all_params().of(result).has_value());
    const bool fits = integers ? ::onnxcmp::Quantizes(theirs.op_type) && takes_floats
                               : theirs.op_type == ours.op_type && theirs.domain == ours.domain;
    if (fits) return it->second;
  }
  for (const int l : ours.outputs) {
    if (l == kNone) continue;
    for (const int r : stand_ins_[Index(l)]) {
      const int m = converted_.graph().producer(r);
      if (m == kNone) continue;
      const StreamNode& theirs = *converted_.graph().node(m).made;
      const bool fits = quantized_ ? !PassesNumbers(theirs)
                                   : theirs.op_type == ours.op_type && theirs.domain == ours.domain;
      if (fits) return m;
    }
  }
  return kNone;
}

bool MixedRun::IsCoarser(int l, int r) const {
  return EpsilonOf(converted_.graph().result(r).dtype) > EpsilonOf(plain_.graph().result(l).dtype);
}

bool MixedRun::IsRounded(int l, int r) const {
  const Value& ours = plain_.value(l);
  const Value& theirs = converted_.value(r);
  return IsMeasurable(ours) && IsMeasurable(theirs) &&
         RoundingOf(ours.tensor(), theirs.tensor(), plain_.pool()) != ConstantRounding::kWrong;
}

// True if a node of the converted side has the same computation as one of the plain side: another
// weight or attribute is a fault, which computing in float must not hide.
bool MixedRun::ReadsAlike(int n, int counterpart) const {
  const StreamNode& ours = *plain_.graph().node(n).made;
  const StreamNode& theirs = *converted_.graph().node(counterpart).made;
  if (ours.attributes != theirs.attributes && !HasTrait(ours, OperatorTrait::kCasts)) return false;
  if (ours.inputs.size() != theirs.inputs.size()) return false;
  for (size_t i = 0; i < ours.inputs.size(); ++i) {
    const int l = ours.inputs[i];
    const int r = theirs.inputs[i];
    if ((l == kNone) != (r == kNone)) return false;
    if (l == kNone) continue;
    if (plain_.IsFixed(l)) {
      if (!IsRounded(l, r)) return false;
      continue;
    }
    const int partner = partners_[Index(r)];
    if (partner == l) continue;
    if (partner == kNone || plain_.graph().result(partner).fingerprint.content !=
                                plain_.graph().result(l).fingerprint.content) {
      return false;
    }
  }
  return true;
}

bool MixedRun::IsQuantizing(int n) const {
  return IsRoundedByQuantizer(*plain_.graph().node(n).made);
}

bool MixedRun::IsCandidate(int n) const {
  const SideGraph::GraphNode& node = plain_.graph().node(n);
  const int counterpart = counterparts_[Index(n)];
  // A converter knows only the names of main graph nodes.
  if (counterpart == kNone || node.index == kNone || !node.made->path.empty()) return false;
  const StreamNode& theirs = *converted_.graph().node(counterpart).made;
  if (!quantized_) {
    if (node.made->op_type == "Constant" || !ReadsAlike(n, counterpart)) return false;
    const auto coarser = [&](const FewResults& left, const FewResults& right) {
      for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        if (left[i] != kNone && right[i] != kNone && IsCoarser(left[i], right[i])) return true;
      }
      return false;
    };
    return coarser(node.made->inputs, theirs.inputs) || coarser(node.made->outputs, theirs.outputs);
  }
  if (!IsQuantizing(n)) return false;
  if (theirs.op_type != node.made->op_type) return true;
  return std::any_of(theirs.inputs.begin(), theirs.inputs.end(), [&](int r) {
    return r != kNone && converted_.all_params().Dequantizes(r) != kNone;
  });
}

int MixedRun::CounterpartInFloat(int n) const {
  const SideGraph::GraphNode& node = plain_.graph().node(n);
  const StreamNode& ours = *node.made;
  if (node.index == kNone || !ours.path.empty()) return kNone;
  if (quantized_ ? !IsQuantizing(n) : IsLeftByDefault(ours)) return kNone;
  for (const int l : ours.outputs) {
    if (l == kNone || !IsFloatingPoint(plain_.graph().result(l).dtype) || plain_.IsFixed(l)) {
      continue;
    }
    for (const int r : stand_ins_[Index(l)]) {
      int m = converted_.graph().producer(r);
      if (m == kNone) continue;
      if (!quantized_ && PassesNumbers(*converted_.graph().node(m).made)) {
        m = converted_.graph().producer(converted_.graph().node(m).made->inputs[0]);
      }
      if (m == kNone) continue;
      const StreamNode& theirs = *converted_.graph().node(m).made;
      if (theirs.op_type == ours.op_type && theirs.outputs[0] != kNone &&
          converted_.graph().result(theirs.outputs[0]).dtype == plain_.graph().result(l).dtype) {
        return m;
      }
    }
  }
  return kNone;
}

void MixedRun::FindCandidates() {
  absl::flat_hash_set<absl::string_view> operators;
  absl::flat_hash_map<absl::string_view, int> nodes_by_name;
  for (size_t i = 0; i < converted_.graph().nodes().size(); ++i) {
    const StreamNode& made = *converted_.graph().node(static_cast<int>(i)).made;
    if (!made.path.empty()) continue;
    const auto [it, is_new] = nodes_by_name.try_emplace(made.name, static_cast<int>(i));
    if (!is_new) it->second = kNone;
  }
  absl::erase_if(nodes_by_name, [](const auto& node) { return node.second == kNone; });
  for (size_t i = 0; i < counterparts_.size(); ++i) {
    const auto n = static_cast<int>(i);
    counterparts_[i] = CounterpartOf(n, nodes_by_name);
    if (!IsCandidate(n)) continue;
    candidates_.push_back(n);
    kept_by_[Index(counterparts_[i])].push_back(n);
    operators.insert(plain_.graph().node(n).made->op_type);
  }
  for (size_t i = 0; i < counterparts_.size(); ++i) {
    const auto n = static_cast<int>(i);
    if (std::binary_search(candidates_.begin(), candidates_.end(), n)) continue;
    const int m = CounterpartInFloat(n);
    if (m == kNone) continue;
    // Quantizers leave many operators alone.
    if (quantized_ ? !operators.contains(plain_.graph().node(n).made->op_type)
                   : !ReadsAlike(n, m)) {
      continue;
    }
    already_.push_back(n);
    counterparts_[i] = m;
    if (!quantized_) kept_by_[Index(m)].push_back(n);
  }
}

}  // namespace onnxcmp
