#include "compare/quantization/missing_quantization.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostSlots = 2;  // a bias need not be quantized

// True if floats are dequantized integers, possibly moved.
bool IsDequantized(const SideGraph& graph, int r) {
  for (int n = graph.producer(r); n != kNone; n = graph.producer(r)) {
    if (graph.node(n).made->op_type == "DequantizeLinear") return true;
    if (!HasTrait(*graph.node(n).made, OperatorTrait::kMoves)) return false;
    r = graph.node(n).made->inputs.empty() ? kNone : graph.node(n).made->inputs[0];
    if (r == kNone) return false;
  }
  return false;
}

// True if floats are quantized next, possibly after nodes with no other computed input, such as a
// Relu.
bool IsRoundedNext(const SideValues& side, int r, int hops = 2) {
  const SideGraph& graph = side.graph();
  return std::any_of(graph.readers(r).begin(), graph.readers(r).end(), [&](int n) {
    const StreamNode& made = *graph.node(n).made;
    if (made.op_type == "QuantizeLinear") return true;
    const auto moving = std::count_if(made.inputs.begin(), made.inputs.end(), [&](int read) {
      return read != kNone && !side.IsFixed(read);
    });
    return hops > 0 && moving == 1 && !made.outputs.empty() && made.outputs[0] != kNone &&
           IsRoundedNext(side, made.outputs[0], hops - 1);
  });
}

// Nodes that the quantizer was told to leave in float: not all their inputs are quantized, or their
// result is not rounded, unlike other nodes of their operator.
class NodesLeftInFloat {
 public:
  explicit NodesLeftInFloat(const SideValues& side) : side_(side) {
    for (size_t i = 0; i < side.graph().nodes().size(); ++i) {
      const auto n = static_cast<int>(i);
      const StreamNode& made = *side.graph().node(n).made;
      Habit& habit = habits_[made.op_type];
      ++(ReadsQuantized(n) ? habit.reading : habit.not_reading);
      ++(IsRounded(n) ? habit.rounded : habit.not_rounded);
    }
  }

  // True if a node reads floats, weights included, where most others of its operator do not.
  bool ReadsFloats(int n) const {
    const Habit* const habit = HabitOf(n);
    return habit != nullptr && !ReadsQuantized(n) && habit->reading > habit->not_reading;
  }
  // True if its result is not rounded next, where most others of its operator are.
  bool GivesFloats(int n) const {
    const Habit* const habit = HabitOf(n);
    return habit != nullptr && !IsRounded(n) && habit->rounded > habit->not_rounded;
  }

 private:
  struct Habit {
    int64_t reading = 0;
    int64_t not_reading = 0;
    int64_t rounded = 0;
    int64_t not_rounded = 0;
  };

  const Habit* HabitOf(int n) const {
    if (n == kNone) return nullptr;
    const auto it = habits_.find(side_.graph().node(n).made->op_type);
    return it == habits_.end() ? nullptr : &it->second;
  }
  bool ReadsQuantized(int n) const {
    const FewResults& inputs = side_.graph().node(n).made->inputs;
    return std::all_of(
        inputs.begin(),
        inputs.begin() + static_cast<std::ptrdiff_t>(std::min(kMostSlots, inputs.size())),
        [&](int r) { return r == kNone || IsDequantized(side_.graph(), r); });
  }
  bool IsRounded(int n) const {
    const FewResults& outputs = side_.graph().node(n).made->outputs;
    return std::any_of(outputs.begin(), outputs.end(),
                       [&](int r) { return r != kNone && IsRoundedNext(side_, r); });
  }

  const SideValues& side_;
  std::map<std::string, Habit> habits_;
};

}  // namespace

std::vector<MissingQuantization> FindMissingQuantization(const SideValues& side) {
  const SideGraph& graph = side.graph();
  const NodesLeftInFloat in_float(side);
  // By operator and slot: the number of nodes with a quantized input there, and the nodes without.
  struct Habit {
    int64_t quantized = 0;
    std::vector<int> exceptions;
  };
  std::map<std::pair<std::string, size_t>, Habit> habits;
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
      // A constant is no forgotten activation; constants are reviewed elsewhere.
      if (r == kNone || side.IsFixed(r)) continue;
      Habit& habit = habits[{made.op_type, k}];
      if (is[k]) {
        ++habit.quantized;
      } else if (IsFloatingPoint(graph.result(r).dtype)) {
        habit.exceptions.push_back(n);
      }
    }
  }
  std::vector<MissingQuantization> missing;
  for (const auto& [place, habit] : habits) {
    const auto& [op_type, slot] = place;
    const auto exceptions = static_cast<int64_t>(habit.exceptions.size());
    // Least number of other nodes that agree before one is called an exception.
    if (habit.quantized < 2 || habit.quantized < 4 * exceptions - 2) continue;
    for (const int n : habit.exceptions) {
      const StreamNode& made = *graph.node(n).made;
      const int r = made.inputs[slot];
      if (in_float.GivesFloats(n) || in_float.ReadsFloats(graph.producer(r))) continue;
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
