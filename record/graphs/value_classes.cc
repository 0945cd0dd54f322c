#include "record/graphs/value_classes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

double SumOf(const Sample& sample) {
  double sum = 0;
  for (const double element : sample.elements) sum += element;
  return sum;
}

// `classes`: sorted.
Hash128 HashOfReading(const StreamNode& node, absl::Span<const int> classes) {
  absl::InlinedVector<uint64_t, 16> words = {HashOfText(node.domain).low,
                                             HashOfText(node.op_type).low};
  for (const int c : classes) words.push_back(static_cast<uint64_t>(c));
  return HashOf(absl::MakeConstSpan(words));
}

}  // namespace

ValueClasses::ValueClasses(const SideGraph& graph, std::vector<Value> values,
                           const ThreadPool* pool)
    : graph_(graph), pool_(pool), of_(graph.stream().results.size(), kNone) {
  classes_.reserve(graph.results().size());
  for (const int r : graph.results()) {
    Value& value = values[Index(r)];
    if (value.empty()) continue;
    const StreamResult& result = graph.result(r);
    const auto [it, added] =
        by_content_.try_emplace(result.fingerprint.content, static_cast<int>(classes_.size()));
    if (added) {
      Class& made = classes_.emplace_back();
      made.representative = r;
      made.value = std::move(value);
      if (result.shape.has_value()) {
        std::vector<int>& of_shape = by_shape_[*result.shape];
        if (of_shape.empty()) {
          shapes_[NumElements(*result.shape).value_or(0)].push_back(*result.shape);
        }
        of_shape.push_back(it->second);
      }
    }
    Class& found = classes_[Index(it->second)];
    found.members.push_back(r);
    found.constant = found.constant || graph.IsConstant(r);
    if (!graph.IsComputed(found.representative) && graph.IsComputed(r)) found.representative = r;
    of_[Index(r)] = it->second;
  }
}

int ValueClasses::Find(const Hash128& content) const {
  const auto it = by_content_.find(content);
  return it == by_content_.end() ? kNone : it->second;
}

const Measured& ValueClasses::measured(int c) const {
  const Class& found = At(c);
  if (!found.measured.has_value()) found.measured = Measure(found.value.tensor(), pool_);
  return *found.measured;
}

const Sample& ValueClasses::sample(int c) const {
  const Class& found = At(c);
  if (!found.sample.has_value()) found.sample = SampleOf(found.value.tensor());
  return *found.sample;
}

double ValueClasses::scale_bound(int c) const {
  if (!computed(c) || !result(c).fingerprint.has_sketch) return measured(c).scale;
  const Statistics& statistics = result(c).fingerprint.numbers().statistics;
  return std::max(std::abs(statistics.min), std::abs(statistics.max));
}

double ValueClasses::scale_bound_of(const Shape& shape) const { return by_sum(shape).scale_bound; }

const std::vector<int>& ValueClasses::of_shape(const Shape& shape) const {
  static const std::vector<int>* const kEmpty = new std::vector<int>();
  const auto it = by_shape_.find(shape);
  return it == by_shape_.end() ? *kEmpty : it->second;
}

absl::Span<const Shape> ValueClasses::shapes_of(int64_t elements) const {
  const auto it = shapes_.find(elements);
  return it == shapes_.end() ? absl::Span<const Shape>() : absl::MakeConstSpan(it->second);
}

std::vector<int> ValueClasses::NodesOn(const StreamNode& like, std::vector<int> classes) const {
  if (!nodes_on_.has_value()) {
    nodes_on_.emplace();
    nodes_on_->reserve(graph_.nodes().size());
    std::vector<int> read;
    for (size_t n = 0; n < graph_.nodes().size(); ++n) {
      const StreamNode& made = *graph_.nodes()[n].made;
      read.clear();
      for (const int input : made.inputs) {
        if (input != kNone) read.push_back(of(input));
      }
      std::sort(read.begin(), read.end());
      (*nodes_on_)[HashOfReading(made, read)].push_back(static_cast<int>(n));
    }
  }
  std::sort(classes.begin(), classes.end());
  const auto it = nodes_on_->find(HashOfReading(like, classes));
  return it == nodes_on_->end() ? std::vector<int>() : it->second;
}

const ValueClasses::BySum& ValueClasses::by_sum(const Shape& shape) const {
  const auto [it, added] = by_sum_.try_emplace(shape);
  if (!added) return it->second;
  for (const int c : of_shape(shape)) {
    if (!IsMeasurable(value(c))) continue;
    const double sum = SumOf(sample(c));
    if (EpsilonOf(sample(c).dtype) > 0) {
      it->second.scale_bound = std::max(it->second.scale_bound, scale_bound(c));
    }
    if (std::isfinite(sum)) {
      it->second.sorted[sample(c).dtype].emplace_back(sum, c);
    } else {
      it->second.others.push_back(c);
    }
  }
  for (auto& [dtype, classes] : it->second.sorted) std::sort(classes.begin(), classes.end());
  return it->second;
}

std::vector<int> ValueClasses::MayBeWithin(const Shape& shape, const Sample& own, double scale,
                                           double limit) const {
  constexpr size_t kFew = 32;
  constexpr double kWide = 0.5;
  const std::vector<int>& all = of_shape(shape);
  const double sum = SumOf(own);
  // Numbers of 8 bits may be a step apart.
  if (all.size() <= kFew || limit > kWide || !std::isfinite(sum) || BitWidth(own.dtype) <= 8) {
    return all;
  }
  // No element is farther away than the limit times its own size or the scale, whichever is
  // greater; its own size differs by as much.
  double width = 0;
  for (const double b : own.elements) width += std::max(std::abs(b), scale);
  width *= limit * (1 + limit) / (1 - limit) + 1e-12;
  const BySum& known = by_sum(shape);
  std::vector<int> found = known.others;
  for (const auto& [dtype, classes] : known.sorted) {
    // Between types, masks are equal, whatever their size.
    const bool same = dtype == own.dtype;
    const auto from =
        same ? std::lower_bound(classes.begin(), classes.end(), std::pair(sum - width, 0))
             : classes.begin();
    for (auto it = from; it != classes.end() && (!same || it->first <= sum + width); ++it) {
      found.push_back(it->second);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace onnxcmp
