#include "record/graphs/named_partners.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "record/differences/tensor_distance.h"
#include "record/streams/quantized_streams.h"

namespace onnxcmp {

std::vector<int> NamedPartners(const SideGraph& left, const SideGraph& right) {
  constexpr double kNearlyAll = 0.9;
  // A quantizer gives new names to results that it replaces by integers.
  constexpr double kOfQuantized = 0.7;
  constexpr double kMost = 0.5;
  constexpr double kCoarse = 1e-4;
  const bool quantized = IsQuantized(left.stream()) != IsQuantized(right.stream());
  absl::flat_hash_map<absl::string_view, int> by_name;
  for (const int l : left.results()) {
    if (left.IsComputed(l)) by_name[left.result(l).name] = l;
  }
  std::vector<int> partners(right.stream().results.size(), kNone);
  size_t named = 0;
  size_t floats = 0;
  size_t coarser = 0;
  for (const int r : right.results()) {
    if (!right.IsComputed(r)) continue;
    const StreamResult& theirs = right.result(r);
    const StreamNode& made = *right.node(right.producer(r)).made;
    const auto it = by_name.find(theirs.name);
    if (it == by_name.end()) {
      if (made.op_type == "Cast" && !made.inputs.empty() && made.inputs.front() != kNone) {
        partners[Index(r)] = partners[Index(made.inputs.front())];
      }
      continue;
    }
    const StreamResult& ours = left.result(it->second);
    const bool same_operator =
        left.node(left.producer(it->second)).made->op_type == made.op_type ||
        made.op_type == "Cast" ||
        (quantized && IsFloatingPoint(ours.dtype) && IsFloatingPoint(theirs.dtype));
    if (!same_operator || ours.shape != theirs.shape) continue;
    ++named;
    partners[Index(r)] = it->second;
    const double epsilon = CoarserEpsilon(ours.dtype, theirs.dtype);
    if (epsilon == 0) continue;
    ++floats;
    if (ours.dtype != theirs.dtype && epsilon > kCoarse) ++coarser;
  }
  const auto all = static_cast<double>(by_name.size());
  if (quantized) {
    return static_cast<double>(named) >= kOfQuantized * all ? partners : std::vector<int>();
  }
  if (static_cast<double>(named) < kNearlyAll * all ||
      static_cast<double>(coarser) < kMost * static_cast<double>(floats) || coarser == 0) {
    return {};
  }
  return partners;
}

}  // namespace onnxcmp
