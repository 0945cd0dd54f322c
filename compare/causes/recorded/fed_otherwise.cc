#include "compare/causes/recorded/fed_otherwise.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/inside/derived_values.h"
#include "evaluator/tensor/tensor.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 24;
constexpr int64_t kMostChannels = 4;
constexpr double kLeastOffset = 1e-3;  // in the input's unit
constexpr double kMean[] = {0.485, 0.456, 0.406};
constexpr double kDeviation[] = {0.229, 0.224, 0.225};

// Elements in another order: the place from which each comes; empty if the shape has none.
using Places = std::vector<size_t>;

// Places of a tensor whose axes are read in another order, and of one axis backwards.
Places PlacesOf(const Shape& shape, const std::vector<int>& axes, int backwards) {
  std::vector<size_t> strides(shape.size(), 1);
  for (size_t a = shape.size(); a-- > 1;) {
    strides[a - 1] = strides[a] * static_cast<size_t>(shape[a]);
  }
  Places places(static_cast<size_t>(NumElements(shape).value_or(0)));
  for (size_t i = 0; i < places.size(); ++i) {
    size_t rest = i;
    for (size_t a = axes.size(); a-- > 0;) {
      const auto axis = static_cast<size_t>(axes[a]);
      const auto size = static_cast<size_t>(shape[axis]);
      const size_t index = rest % size;
      rest /= size;
      places[i] += strides[axis] * (axes[a] == backwards ? size - 1 - index : index);
    }
  }
  return places;
}

// The axis of channels of an image; -1: none.
int ChannelsOf(const Shape& shape) {
  const auto rank = static_cast<int>(shape.size());
  for (const int axis : {1, rank - 1}) {
    if (rank >= 3 && shape[static_cast<size_t>(axis)] > 1 &&
        shape[static_cast<size_t>(axis)] <= kMostChannels) {
      return axis;
    }
  }
  return -1;
}

struct Order {
  const char* words;
  Places places;
};

std::vector<Order> OrdersOf(const Shape& shape) {
  std::vector<int> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  std::vector<Order> orders = {{"", PlacesOf(shape, axes, -1)}};
  const int channels = ChannelsOf(shape);
  if (channels < 0) return orders;
  orders.push_back({"with its channels in reverse order", PlacesOf(shape, axes, channels)});
  if (shape.size() != 4) return orders;
  const int rows = channels == 1 ? 2 : 1;
  const size_t height = static_cast<size_t>(rows);
  if (shape[height] == shape[height + 1]) {
    std::vector<int> turned = axes;
    std::swap(turned[height], turned[height + 1]);
    orders.push_back({"with rows and columns exchanged", PlacesOf(shape, turned, -1)});
  }
  orders.push_back({"upside down", PlacesOf(shape, axes, rows)});
  orders.push_back({"mirrored", PlacesOf(shape, axes, rows + 1)});
  orders.push_back({"in the order of bytes with channels last", PlacesOf(shape, {0, 2, 3, 1}, -1)});
  const Shape last = {shape[0], shape[2], shape[3], shape[1]};
  orders.push_back({"in the order of bytes with channels first", PlacesOf(last, {0, 3, 1, 2}, -1)});
  return orders;
}

// A usual way to scale images, by their channel.
struct Scaling {
  const char* words;
  double (*of)(double x, size_t channel);
};
constexpr Scaling kScalings[] = {
    {"", [](double x, size_t) { return x; }},
    {"as x / 255", [](double x, size_t) { return x / 255; }},
    {"as 255 x", [](double x, size_t) { return 255 * x; }},
    {"as 2 x - 1", [](double x, size_t) { return 2 * x - 1; }},
    {"as (x + 1) / 2", [](double x, size_t) { return (x + 1) / 2; }},
    {"as x / 127.5 - 1", [](double x, size_t) { return x / 127.5 - 1; }},
    {"as 127.5 (x + 1)", [](double x, size_t) { return 127.5 * (x + 1); }},
    {"with ImageNet's mean and deviation",
     [](double x, size_t c) { return (x - kMean[c]) / kDeviation[c]; }},
    {"as x / 255 with ImageNet's mean and deviation",
     [](double x, size_t c) { return (x / 255 - kMean[c]) / kDeviation[c]; }},
    {"without ImageNet's mean and deviation",
     [](double x, size_t c) { return x * kDeviation[c] + kMean[c]; }},
    {"as 255 x without ImageNet's mean and deviation",
     [](double x, size_t c) { return 255 * (x * kDeviation[c] + kMean[c]); }},
};

class OtherFeeds {
 public:
  OtherFeeds(const SideGraph& graph, const Region& region, int result,
             absl::Span<const Value> leaves, int input)
      : graph_(graph),
        region_(region),
        result_(result),
        leaves_(leaves),
        input_(input),
        fed_(leaves[Index(input)].tensor()),
        elements_(ElementsOf(fed_)) {
    const int axis = ChannelsOf(fed_.shape());
    if (axis < 0) return;
    channels_ = static_cast<size_t>(fed_.shape()[static_cast<size_t>(axis)]);
    for (int a = axis + 1; a < fed_.rank(); ++a) inner_ *= static_cast<size_t>(fed_.dim(a));
  }

  std::string Find(const Value& recorded, absl::FunctionRef<bool(const Value&)> agrees) const {
    const std::vector<Order> orders = OrdersOf(fed_.shape());
    for (const Scaling& scaling : kScalings) {
      const bool by_channel =
          absl::string_view(scaling.words).find("ImageNet") != std::string::npos;
      if (by_channel && channels_ != std::size(kMean)) continue;
      for (const Order& order : orders) {
        const std::vector<double> made = Made(order, scaling.of);
        if (made == elements_) continue;
        if (agrees(Run(made))) return Words({order.words, scaling.words});
      }
    }
    const Value zero = Run(std::vector<double>(elements_.size(), 0));
    const Value one = Run(std::vector<double>(elements_.size(), 1));
    for (const Order& order : orders) {
      const std::optional<std::pair<double, double>> line = Fitted(order, zero, one, recorded);
      if (!line.has_value()) continue;
      std::vector<double> made = Made(order, kScalings[0].of);
      for (double& x : made) x = line->first * x + line->second;
      if (!agrees(Run(made))) continue;
      return Words({order.words, absl::StrFormat("as (x - %.3g) / %.3g",
                                                 -line->second / line->first, 1 / line->first)});
    }
    return "";
  }

 private:
  std::vector<double> Made(const Order& order, double (*of)(double, size_t)) const {
    std::vector<double> made(elements_.size());
    for (size_t i = 0; i < made.size(); ++i) {
      made[i] = of(elements_[order.places[i]], i / inner_ % channels_);
    }
    return made;
  }

  Value Run(const std::vector<double>& fed) const {
    const absl::StatusOr<Value> value =
        ConvertedTo(Value(Tensor::Of<double>(fed_.shape(), fed)), fed_.dtype(), fed_.shape());
    if (!value.ok()) return Value();
    return RunRegion(graph_, region_, result_, [&](int entry) -> const Value& {
      return entry == input_ ? *value : leaves_[Index(entry)];
    });
  }

  // The factor and the offset that give what was recorded, if the region is linear. `zero`, `one`:
  // its results for inputs of 0 and of 1.
  std::optional<std::pair<double, double>> Fitted(const Order& order, const Value& zero,
                                                  const Value& one, const Value& recorded) const {
    const Value same = Run(Made(order, kScalings[0].of));
    if (!IsMeasurable(zero) || !IsMeasurable(one) || !IsMeasurable(same) ||
        !IsMeasurable(recorded)) {
      return std::nullopt;
    }
    const std::vector<double> base = ElementsOf(zero.tensor());
    const std::vector<double> u = ElementsOf(same.tensor());
    const std::vector<double> v = ElementsOf(one.tensor());
    const std::vector<double> t = ElementsOf(recorded.tensor());
    if (base.size() != t.size() || u.size() != t.size() || v.size() != t.size()) {
      return std::nullopt;
    }
    double uu = 0, uv = 0, vv = 0, ut = 0, vt = 0;
    for (size_t i = 0; i < t.size(); ++i) {
      const double a = u[i] - base[i];
      const double b = v[i] - base[i];
      const double c = t[i] - base[i];
      uu += a * a;
      uv += a * b;
      vv += b * b;
      ut += a * c;
      vt += b * c;
    }
    const double determinant = uu * vv - uv * uv;
    if (!(std::abs(determinant) > 1e-9 * uu * vv)) return std::nullopt;
    const double factor = (ut * vv - vt * uv) / determinant;
    const double offset = (vt * uu - ut * uv) / determinant;
    // A factor alone may as well be one of the layer's weights.
    const bool is_moved = std::abs(offset) > kLeastOffset * std::abs(factor);
    if (!std::isfinite(factor) || !std::isfinite(offset) || factor == 0 || !is_moved) {
      return std::nullopt;
    }
    return std::pair(factor, offset);
  }

  std::string Words(std::vector<std::string> words) const {
    std::erase(words, "");
    return absl::StrCat("`", graph_.result(input_).name, "` ", absl::StrJoin(words, ", "));
  }

  const SideGraph& graph_;
  const Region& region_;
  const int result_;
  const absl::Span<const Value> leaves_;
  const int input_;
  const Tensor fed_;
  const std::vector<double> elements_;
  size_t channels_ = 1;
  size_t inner_ = 1;
};

}  // namespace

std::string FedOtherwise(const SideGraph& graph, const Region& region, int result,
                         absl::Span<const Value> leaves, const Value& recorded,
                         absl::FunctionRef<bool(const Value& own)> agrees) {
  std::vector<int> inputs;
  for (const int entry : region.entries) {
    const Value& value = leaves[Index(entry)];
    if (value.empty()) return "";
    if (graph.result(entry).kind != ResultKind::kInput || !value.is_tensor()) continue;
    const Tensor& fed = value.tensor();
    const bool is_usual =
        EpsilonOf(fed.dtype()) > 0 && fed.num_elements() > 1 && fed.num_elements() <= kMostElements;
    if (is_usual) inputs.push_back(entry);
  }
  for (const int input : inputs) {
    std::string how = OtherFeeds(graph, region, result, leaves, input).Find(recorded, agrees);
    if (!how.empty()) return how;
  }
  return "";
}

}  // namespace onnxcmp
