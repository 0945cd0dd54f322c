#include "record/graphs/coarse_side.h"

#include "absl/algorithm/container.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {
namespace {

bool HasSixteenBits(const SideGraph& graph, int r) {
  const DType dtype = graph.result(r).dtype;
  return dtype == DType::kFloat16 || dtype == DType::kBfloat16;
}

bool IsCast(const SideGraph& graph, int n) { return graph.node(n).made->op_type == "Cast"; }

bool MostHaveSixteenBits(const SideGraph& graph) {
  int floats = 0;
  int coarse = 0;
  for (const int r : graph.results()) {
    if (!graph.IsComputed(r) || !IsFloatingPoint(graph.result(r).dtype) ||
        IsCast(graph, graph.producer(r))) {
      continue;
    }
    ++floats;
    if (HasSixteenBits(graph, r)) ++coarse;
  }
  return coarse > 0 && 2 * coarse >= floats;
}

// Follows a result back to the first node that is no cast between floats.
bool ComesFromSixteenBits(const SideGraph& graph, int r) {
  while (!HasSixteenBits(graph, r)) {
    const int n = graph.producer(r);
    if (n == kNone || !IsCast(graph, n)) return false;
    r = graph.node(n).made->inputs.front();
    if (r == kNone) return false;
  }
  return true;
}

// Casts alone are a detour, not a converted model.
bool ComputesFloats(const SideGraph& graph) {
  return absl::c_any_of(graph.results(), [&](int r) {
    return graph.IsComputed(r) && IsFloatingPoint(graph.result(r).dtype) &&
           !IsCast(graph, graph.producer(r));
  });
}

bool HasFloatsOutsideAlone(const SideGraph& graph) {
  bool any = false;
  for (const int r : graph.results()) {
    if (graph.result(r).kind != ResultKind::kInput || !IsFloatingPoint(graph.result(r).dtype)) {
      continue;
    }
    any = true;
    const auto lowers = [&](int n) {
      return IsCast(graph, n) && HasSixteenBits(graph, graph.node(n).made->outputs.front());
    };
    if (!HasSixteenBits(graph, r) && !absl::c_all_of(graph.readers(r), lowers)) return false;
  }
  return any && absl::c_all_of(graph.outputs(), [&](const auto& output) {
           return output.second == kNone || !IsFloatingPoint(graph.result(output.second).dtype) ||
                  ComesFromSixteenBits(graph, output.second);
         });
}

}  // namespace

bool ComputesInSixteenBits(const SideGraph& graph) {
  return MostHaveSixteenBits(graph) || (ComputesFloats(graph) && HasFloatsOutsideAlone(graph));
}

}  // namespace onnxcmp
