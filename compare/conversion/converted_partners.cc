#include "compare/conversion/converted_partners.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "evaluator/tensor/dtype.h"
#include "record/differences/tensor_distance.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

using ByName = absl::flat_hash_map<absl::string_view, int>;

// True if both have the same axes in another order, as where an optimizer has moved a Transpose:
// number by number they are of different elements.
bool AreTransposed(const StreamResult& a, const StreamResult& b) {
  if (!a.shape.has_value() || !b.shape.has_value()) return false;
  Shape axes = *a.shape;
  Shape others = *b.shape;
  for (Shape* shape : {&axes, &others}) {
    shape->erase(std::remove(shape->begin(), shape->end(), 1), shape->end());
  }
  if (axes == others) return false;
  absl::c_sort(axes);
  absl::c_sort(others);
  return axes == others;
}

int PartnerByName(const SideGraph& plain, const SideGraph& converted,
                  const QuantParamsByResult& params, bool quantized, int r, const ByName& by_name) {
  const StreamResult& theirs = converted.result(r);
  absl::string_view name = theirs.name;
  auto it = by_name.find(name);
  if (it == by_name.end() && quantized &&
      (absl::ConsumeSuffix(&name, "_quantized") ||
       absl::ConsumeSuffix(&name, "_DequantizeLinear_Output"))) {
    it = by_name.find(name);
  }
  if (it == by_name.end()) return kNone;
  const StreamResult& ours = plain.result(it->second);
  const bool alike = SameKindOfNumber(ours.dtype, theirs.dtype) ||
                     (IsFloatingPoint(ours.dtype) && params.of(r).has_value());
  return alike && ours.fingerprint.size == theirs.fingerprint.size && !AreTransposed(ours, theirs)
             ? it->second
             : kNone;
}

}  // namespace

bool PassesNumbers(const StreamNode& made) {
  return made.op_type == "Cast" || made.op_type == "QuantizeLinear" ||
         made.op_type == "DequantizeLinear" || made.op_type == "DynamicQuantizeLinear";
}

std::vector<int> ConvertedPartners(const SideGraph& plain, const SideGraph& converted,
                                   const QuantParamsByResult& params,
                                   const std::vector<int>& aligned, bool quantized) {
  std::vector<int> partners(converted.stream().results.size(), kNone);
  ByName by_name;
  for (const int l : plain.results()) by_name[plain.result(l).name] = l;
  // A result that has its name on the other side is no other one's, however near that is: a product
  // is near the sum with its bias.
  std::vector<int> named(partners.size(), kNone);
  absl::flat_hash_set<int> claimed;
  for (const int r : converted.results()) {
    named[Index(r)] = PartnerByName(plain, converted, params, quantized, r, by_name);
    if (named[Index(r)] != kNone) claimed.insert(named[Index(r)]);
  }
  for (const int r : converted.results()) {
    int partner = named[Index(r)];
    const int n = converted.producer(r);
    const StreamNode* made = n == kNone ? nullptr : converted.node(n).made;
    const bool passes =
        made != nullptr && PassesNumbers(*made) && !made->inputs.empty() && r == made->outputs[0];
    const int passed = passes ? made->inputs[0] : kNone;
    // A Cast passes on its input, even if another result is nearer.
    const bool casts = passes && HasTrait(*made, OperatorTrait::kCasts);
    if (partner == kNone && casts && passed != kNone) partner = partners[Index(passed)];
    if (partner == kNone && !claimed.contains(aligned[Index(r)])) partner = aligned[Index(r)];
    if (partner == kNone && passed != kNone) partner = partners[Index(passed)];
    if (partner == kNone ||
        plain.result(partner).fingerprint.size != converted.result(r).fingerprint.size ||
        AreTransposed(plain.result(partner), converted.result(r))) {
      continue;
    }
    partners[Index(r)] = partner;
  }
  return partners;
}

}  // namespace onnxcmp
