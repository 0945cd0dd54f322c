#include "compare/alignment/recorded_reach.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/weights.h"
#include "evaluator/tensor/dtype.h"
#include "record/differences/precision.h"
#include "record/differences/tolerance.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {

double ReachOf(const StreamResult& a, const StreamResult& b) {
  const DType type = LessPrecise(a.own_precision, b.own_precision);
  const double of_types =
      type == DType::kFloat || type == DType::kDouble ? weights::kNear : weights::kCoarse;
  const DType passed = LessPrecise(a.precision, b.precision);
  return IsInteger(passed) ? std::max(of_types, ToleranceOfQuantized(passed).whole) : of_types;
}

std::optional<double> DistanceWithinReach(const StreamResult& a, const StreamResult& b) {
  if (a.fingerprint.content == b.fingerprint.content) return 0;
  if (a.fingerprint.kind != b.fingerprint.kind || a.fingerprint.size != b.fingerprint.size) {
    return std::nullopt;
  }
  if (a.fingerprint.bits == b.fingerprint.bits) return 0;
  if (a.fingerprint.kind != ElementKind::kFloat) return std::nullopt;
  const double distance = SketchDistance(a.fingerprint, b.fingerprint);
  if (!(distance <= ReachOf(a, b))) return std::nullopt;
  return distance;
}

bool AreNear(const StreamResult& a, const StreamResult& b) {
  if (a.fingerprint.bits == b.fingerprint.bits) return true;
  return a.fingerprint.kind == ElementKind::kFloat && b.fingerprint.kind == ElementKind::kFloat &&
         SketchDistance(a.fingerprint, b.fingerprint) <= ReachOf(a, b);
}

double NoiseOfDerived(const StreamResult& a, const StreamResult& b) {
  const double reach = ReachOf(a, b);
  return reach <= weights::kNear ? weights::kSameValue : std::min(reach, weights::kCoarse);
}

bool TellsApart(const StreamResult& result) {
  return result.fingerprint.rich && result.fingerprint.size > kHandful;
}

int QuantizedFrom(const ResultStream& model, int rounded) {
  for (const absl::string_view op_type : {"DequantizeLinear", "QuantizeLinear"}) {
    const int n = model.results[Index(rounded)].node;
    if (n == kNone) return kNone;
    const StreamNode& node = model.nodes[Index(n)];
    if (node.op_type != op_type || node.inputs.empty() || node.inputs.front() == kNone) {
      return kNone;
    }
    rounded = node.inputs.front();
  }
  return rounded;
}

absl::flat_hash_map<int, int> DequantizedForms(const ResultStream& recording,
                                               const ResultStream& model,
                                               absl::Span<const int> named) {
  absl::flat_hash_map<int, int> forms;
  for (size_t o = 0; o < model.results.size(); ++o) {
    const int before = QuantizedFrom(model, static_cast<int>(o));
    const bool is_computed =
        before != kNone && model.results[Index(before)].kind == ResultKind::kResult;
    if (is_computed) forms[before] = static_cast<int>(o);
  }
  bool any_near = false;
  int rounded = 0;
  for (size_t r = 0; r < named.size(); ++r) {
    const auto it = forms.find(named[r]);
    const StreamResult& own = recording.results[r];
    if (it == forms.end() || !TellsApart(own)) continue;
    const auto distance = [&](int o) {
      return DistanceWithinReach(own, model.results[Index(o)]).value_or(1);
    };
    const double before = distance(it->first);
    const double after = distance(it->second);
    any_near = any_near || before < 1 || after < 1;
    if (after < before / 2) ++rounded;
    if (before < after / 2) --rounded;
  }
  if (rounded < 0 || (rounded == 0 && any_near)) forms.clear();
  return forms;
}

int FreeOutputFor(const StreamResult& recorded, const ResultStream& model,
                  absl::Span<const int> taken) {
  int nearest = kNone;
  double least = std::numeric_limits<double>::infinity();
  for (size_t o = 0; o < model.results.size(); ++o) {
    const StreamResult& other = model.results[o];
    const auto number = static_cast<int>(o);
    if (other.node == kNone || other.kind != ResultKind::kResult || other.shape != recorded.shape ||
        other.fingerprint.kind != recorded.fingerprint.kind ||
        absl::c_linear_search(taken, number)) {
      continue;
    }
    const double distance = SketchDistance(recorded.fingerprint, other.fingerprint);
    if (distance > least) continue;
    least = distance;
    nearest = number;
  }
  const bool is_output = absl::c_any_of(model.results, [&](const StreamResult& output) {
    return output.kind == ResultKind::kOutput && output.source == nearest;
  });
  return is_output ? nearest : kNone;
}

void DropFused(const ResultStream& model, std::vector<int>* results) {
  absl::flat_hash_map<int, int> readers;  // by result: how many nodes read it
  absl::flat_hash_set<int> activated;     // results that an activation in the list reads
  for (const StreamNode& node : model.nodes) {
    for (const int read : node.inputs) ++readers[read];
    if (HasTrait(node, OperatorTrait::kBends) && !node.inputs.empty() && !node.outputs.empty() &&
        std::find(results->begin(), results->end(), node.outputs[0]) != results->end()) {
      activated.insert(node.inputs[0]);
    }
  }
  std::erase_if(*results, [&](int r) { return activated.contains(r) && readers[r] == 1; });
}

}  // namespace onnxcmp
