#include "feed/input_candidates.h"

#include <utility>

#include "feed/feeds.h"
#include "record/graphs/constants.h"

namespace onnxcmp {

InputCandidates::InputCandidates(const Graph& graph) : places_(graph) {
  places_.Color();
  for (const ValueInfo* input : RequiredInputs(graph)) {
    Add({input->name, input->type, nullptr, nullptr});
  }
  for (const Initializer& initializer : graph.initializers) {
    if (initializer.value.is_tensor()) {
      const Tensor& value = initializer.value.tensor();
      Add({initializer.name, TypeOfTensor(value), &value, nullptr});
    }
  }
  for (const Node& node : graph.nodes) {
    if (const Tensor* value = ConstantOf(node)) {
      Add({node.outputs[0], TypeOfTensor(*value), value, nullptr});
    }
  }
}

InputCandidate* InputCandidates::Find(const std::string& name) {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &candidates_[it->second];
}

void InputCandidates::Add(InputCandidate candidate) {
  candidate.place = places_.Find(candidate.name);
  if (candidate.place != nullptr && by_name_.emplace(candidate.name, candidates_.size()).second) {
    candidates_.push_back(std::move(candidate));
  }
}

Fit FitOf(const InputCandidate& left, const InputCandidate& right) {
  if (left.taken || right.taken || !(left.is_input() || right.is_input())) return Fit::kNone;
  return FitOf(left.type, right.type);
}

}  // namespace onnxcmp
