#include "compare/causes/left_classes.h"

#include <utility>

namespace onnxcmp {

LeftClasses::LeftClasses(const SideGraph& graph, std::vector<Value> values, const ThreadPool* pool)
    : graph_(graph), pool_(pool), of_(graph.stream().results.size(), kNone) {
  for (const int r : graph.results()) {
    Value& value = values[static_cast<size_t>(r)];
    if (value.empty()) continue;
    const StreamResult& result = graph.result(r);
    const auto [it, added] =
        by_content_.try_emplace(result.fingerprint.content, static_cast<int>(classes_.size()));
    if (added) {
      Class& made = classes_.emplace_back();
      made.representative = r;
      made.value = std::move(value);
      if (result.shape.has_value()) by_shape_[*result.shape].push_back(it->second);
    }
    Class& found = classes_[static_cast<size_t>(it->second)];
    found.members.push_back(r);
    found.constant = found.constant || graph.IsConstant(r);
    if (!graph.IsComputed(found.representative) && graph.IsComputed(r)) found.representative = r;
    of_[static_cast<size_t>(r)] = it->second;
  }
}

int LeftClasses::Find(const Hash128& content) const {
  const auto it = by_content_.find(content);
  return it == by_content_.end() ? kNone : it->second;
}

const Measured& LeftClasses::measured(int c) const {
  const Class& found = At(c);
  if (!found.measured.has_value()) found.measured = Measure(found.value.tensor(), pool_);
  return *found.measured;
}

const Sample& LeftClasses::sample(int c) const {
  const Class& found = At(c);
  if (!found.sample.has_value()) found.sample = SampleOf(found.value.tensor());
  return *found.sample;
}

const std::vector<int>& LeftClasses::of_shape(const Shape& shape) const {
  static const std::vector<int>* const kEmpty = new std::vector<int>();
  const auto it = by_shape_.find(shape);
  return it == by_shape_.end() ? *kEmpty : it->second;
}

bool IsMeasurable(const Value& value) {
  return value.is_tensor() && value.tensor().dtype() != DType::kString;
}

}  // namespace onnxcmp
