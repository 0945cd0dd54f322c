#include "compare/quantization/missing_grids.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "compare/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// Others that must agree before one is called an exception.
constexpr int64_t kLeastOthers = 2;

// Whether floats are integers that were dequantized, or such moved.
bool IsDequantized(const SideGraph& graph, int r) {
  for (int n = graph.producer(r); n != kNone; n = graph.producer(r)) {
    if (graph.node(n).made->op_type == "DequantizeLinear") return true;
    if (!HasTrait(*graph.node(n).made, OperatorTrait::kMoves)) return false;
    r = graph.node(n).made->inputs.empty() ? kNone : graph.node(n).made->inputs[0];
    if (r == kNone) return false;
  }
  return false;
}

}  // namespace

std::vector<MissingGrid> FindMissingGrids(const SideValues& side) {
  const SideGraph& graph = side.graph();
  // By operator and slot: the nodes that read it quantized, those that do not.
  struct Habit {
    int64_t quantized = 0;
    std::vector<int> exceptions;
  };
  std::map<std::pair<std::string, size_t>, Habit> habits;
  constexpr size_t kMostSlots = 2;  // a bias may be what it likes
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const auto n = static_cast<int>(i);
    const StreamNode& made = *graph.node(n).made;
    if (Quantizes(made.op_type) || HasTrait(made, OperatorTrait::kMoves)) continue;
    const size_t slots = std::min(kMostSlots, made.inputs.size());
    if (slots < 2) continue;
    std::vector<bool> is(slots);
    for (size_t k = 0; k < slots; ++k) {
      const int r = made.inputs[k];
      is[k] = r != kNone && IsFloatingPoint(graph.result(r).dtype) && IsDequantized(graph, r);
    }
    if (std::none_of(is.begin(), is.end(), [](bool quantized) { return quantized; })) continue;
    for (size_t k = 0; k < slots; ++k) {
      const int r = made.inputs[k];
      // A constant is no activation that was forgotten; constants are looked at as such.
      if (r == kNone || side.IsFixed(r)) continue;
      Habit& habit = habits[{made.op_type, k}];
      if (is[k]) {
        ++habit.quantized;
      } else if (IsFloatingPoint(graph.result(r).dtype)) {
        habit.exceptions.push_back(n);
      }
    }
  }
  std::vector<MissingGrid> missing;
  for (const auto& [place, habit] : habits) {
    const auto& [op_type, slot] = place;
    const auto exceptions = static_cast<int64_t>(habit.exceptions.size());
    if (habit.quantized < kLeastOthers || habit.quantized < 4 * exceptions - 2) continue;
    for (const int n : habit.exceptions) {
      const StreamNode& made = *graph.node(n).made;
      const int r = made.inputs[slot];
      const auto output = std::find_if(made.outputs.begin(), made.outputs.end(),
                                       [](int result) { return result != kNone; });
      if (output == made.outputs.end()) continue;
      missing.push_back(
          {r, n,
           absl::StrCat("goes into the ", op_type, " of ", graph.result(*output).name,
                        " without QuantizeLinear and DequantizeLinear, though its other input is "
                        "quantized; the other ",
                        habit.quantized, " of that kind read both quantized")});
    }
  }
  return missing;
}

}  // namespace onnxcmp
