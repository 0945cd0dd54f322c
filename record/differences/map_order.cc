#include "record/differences/map_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

using Order = std::vector<size_t>;

template <typename T>
Order OrderOf(const Tensor& keys) {
  const auto elements = keys.AsSpan<T>();
  Order order(elements.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return elements[a] < elements[b]; });
  return order;
}

std::optional<Order> OrderOfKeys(const Tensor& keys) {
  switch (keys.dtype()) {
    case DType::kString:
      return OrderOf<std::string>(keys);
    case DType::kInt64:
      return OrderOf<int64_t>(keys);
    case DType::kUint64:
      return OrderOf<uint64_t>(keys);
    case DType::kInt32:
      return OrderOf<int32_t>(keys);
    default:
      return std::nullopt;
  }
}

std::optional<Tensor> InOrder(const Tensor& vector, const Order& order) {
  const int width = BitWidth(vector.dtype());
  if (vector.rank() != 1 || vector.num_elements() != static_cast<int64_t>(order.size())) return {};
  if (vector.dtype() == DType::kString) {
    const auto texts = vector.AsSpan<std::string>();
    std::vector<std::string> sorted;
    for (const size_t i : order) sorted.push_back(texts[i]);
    return Tensor::Of<std::string>(vector.shape(), sorted);
  }
  if (width < 8) return {};
  absl::StatusOr<Tensor> sorted = Tensor::Allocate(vector.dtype(), vector.shape());
  if (!sorted.ok()) return {};
  const auto bytes = static_cast<size_t>(width / 8);
  for (size_t to = 0; to < order.size(); ++to) {
    std::memcpy(sorted->mutable_raw_data() + to * bytes, vector.raw_data() + order[to] * bytes,
                bytes);
  }
  return *std::move(sorted);
}

std::optional<Value> InOrder(const Value& values, const Order& order) {
  if (values.is_tensor()) {
    const absl::StatusOr<Tensor> dense = values.tensor().Contiguous();
    if (!dense.ok()) return {};
    std::optional<Tensor> sorted = InOrder(*dense, order);
    if (!sorted.has_value()) return {};
    return Value(*std::move(sorted));
  }
  if (!values.is_sequence() || values.sequence().elements.size() != order.size()) return {};
  Sequence sorted;
  sorted.element_dtype = values.sequence().element_dtype;
  for (const size_t i : order) sorted.elements.push_back(values.sequence().elements[i]);
  return Value(std::move(sorted));
}

}  // namespace

Map SortedByKey(const Map& map) {
  const absl::StatusOr<Tensor> keys = map.keys.Contiguous();
  if (!keys.ok() || map.values == nullptr || keys->rank() != 1) return map;
  const std::optional<Order> order = OrderOfKeys(*keys);
  if (!order.has_value() || std::is_sorted(order->begin(), order->end())) return map;
  std::optional<Tensor> sorted = InOrder(*keys, *order);
  std::optional<Value> values = InOrder(*map.values, *order);
  if (!sorted.has_value() || !values.has_value()) return map;
  return {.keys = *std::move(sorted), .values = std::make_shared<const Value>(*std::move(values))};
}

std::optional<Tensor> TableOfMaps(const Value& value) {
  if (!value.is_sequence() || value.sequence().elements.empty()) return {};
  const std::vector<Value>& maps = value.sequence().elements;
  std::optional<Tensor> table;
  size_t row_bytes = 0;
  for (size_t row = 0; row < maps.size(); ++row) {
    if (!maps[row].is_map() || maps[row].map().values == nullptr ||
        !maps[row].map().values->is_tensor()) {
      return {};
    }
    const absl::StatusOr<Tensor> numbers = maps[row].map().values->tensor().Contiguous();
    if (!numbers.ok() || numbers->dtype() == DType::kString || BitWidth(numbers->dtype()) < 8) {
      return {};
    }
    const Shape shape = {static_cast<int64_t>(maps.size()), numbers->num_elements()};
    if (!table.has_value()) {
      absl::StatusOr<Tensor> empty = Tensor::Allocate(numbers->dtype(), shape);
      if (!empty.ok()) return {};
      table = *std::move(empty);
      row_bytes = static_cast<size_t>(numbers->byte_size());
    }
    if (table->dtype() != numbers->dtype() || table->shape() != shape) return {};
    std::memcpy(table->mutable_raw_data() + row * row_bytes, numbers->raw_data(), row_bytes);
  }
  return table;
}

}  // namespace onnxcmp
