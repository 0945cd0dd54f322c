#include "compare/proof/folding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "compare/proof/field/residues.h"
#include "compare/proof/field_node.h"
#include "compare/proof/foldable_layer.h"
#include "evaluator/tensor/convert.h"

namespace onnxcmp {
namespace {

// How far a folded constant may be from what it was folded from.
constexpr int64_t kMostUlp = 4;

// The step between numbers of this size in a type.
double StepAt(double size, DType dtype) {
  size = RoundTo(dtype, size);
  if (dtype == DType::kFloat) {
    const auto number = static_cast<float>(size);
    return static_cast<double>(std::nextafter(number, std::numeric_limits<float>::infinity())) -
           size;
  }
  double step = size;
  while (RoundTo(dtype, size + step / 2) != size && step > size * 1e-17) step /= 2;
  return step;
}

// The elements that another order of computing has rounded otherwise are many, or all; a fault is
// one.
bool IsSpread(int64_t others, int64_t all) { return others >= 2 && others * 20 >= all; }

// How a constant agrees with what is computed: in some order of the steps to the last bit, or in
// none, within a few steps of the type.
class RoundingAgreement {
 public:
  RoundingAgreement(size_t ways, DType dtype) : misses_(ways, 0), dtype_(dtype) {}

  // One element: what it is, what it would be exactly, the size of the terms it is summed from, and
  // what computing in floats in several ways gives. False once nothing can agree any more.
  bool Add(double constant, double exact, double size, absl::Span<const double> computed) {
    ++count_;
    for (size_t i = 0; i < computed.size(); ++i) misses_[i] += computed[i] != constant ? 1 : 0;
    if (constant == exact) return true;
    const double step = StepAt(std::max({std::fabs(exact), std::fabs(constant), size}), dtype_);
    const double ulp = std::ceil(std::fabs(constant - exact) / step);
    if (!(ulp <= static_cast<double>(kMostUlp))) return false;
    ulp_ = std::max(ulp_, static_cast<int64_t>(ulp));
    return true;
  }
  // `alike`: everybody rounds alike what is computed.
  bool Agrees(bool alike) const {
    const int64_t least = *std::min_element(misses_.begin(), misses_.end());
    return count_ > 0 && (least == 0 || IsSpread(least, count_) || !alike);
  }
  // The ways that give all elements to the last bit.
  std::vector<bool> Ways() const {
    std::vector<bool> ways;
    for (const int64_t misses : misses_) ways.push_back(count_ > 0 && misses == 0);
    return ways;
  }
  int64_t ulp() const { return ulp_; }

 private:
  std::vector<int64_t> misses_;
  DType dtype_;
  int64_t count_ = 0;
  int64_t ulp_ = 0;
};

// Ways to lie in memory: for each element of a constant, that of the weights.
using Places = std::vector<size_t>;

constexpr size_t kNoPlace = static_cast<size_t>(-1);  // a border of zeros

// The places of weights of this shape, which `padded` has with zeros after them, with its axes
// split and taken in an order: each part is an axis and how many of its elements one step is.
struct AxisPart {
  size_t axis;
  int64_t count;
  int64_t step;
};
Places InOrder(const Shape& shape, const std::vector<AxisPart>& parts) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  std::vector<Shape> indices = {Shape(shape.size(), 0)};
  for (const AxisPart& part : parts) {
    std::vector<Shape> next;
    next.reserve(indices.size() * static_cast<size_t>(part.count));
    for (const Shape& index : indices) {
      for (int64_t i = 0; i < part.count; ++i) {
        next.push_back(index);
        next.back()[part.axis] += i * part.step;
      }
    }
    indices = std::move(next);
  }
  Places places;
  for (const Shape& index : indices) {
    int64_t place = 0;
    bool inside = true;
    for (size_t i = 0; i < shape.size(); ++i) {
      inside = inside && index[i] < shape[i];
      place += index[i] * strides[i];
    }
    places.push_back(inside ? static_cast<size_t>(place) : kNoPlace);
  }
  return places;
}

// As they are, transposed, or with channels in blocks of onnxruntime.
std::vector<Places> LayoutsOf(const Shape& weights, const Shape& constant) {
  std::vector<Places> layouts;
  const auto whole = [&](size_t axis) { return AxisPart{axis, weights[axis], 1}; };
  if (weights == constant) {
    std::vector<AxisPart> parts;
    for (size_t i = 0; i < weights.size(); ++i) parts.push_back(whole(i));
    layouts.push_back(InOrder(weights, parts));
  }
  if (weights.size() == 2 && constant == Shape{weights[1], weights[0]}) {
    layouts.push_back(InOrder(weights, {whole(1), whole(0)}));
  }
  if (weights.size() != 4 || constant.size() != 4 || weights[2] != constant[2] ||
      weights[3] != constant[3]) {
    return layouts;
  }
  for (const int64_t block : {16, 8}) {
    const int64_t outputs = (weights[0] + block - 1) / block * block;
    const int64_t inputs = (weights[1] + block - 1) / block * block;
    const AxisPart outer = {0, outputs / block, block};
    const AxisPart inner = {0, block, 1};
    if (constant[0] == outputs && constant[1] == weights[1]) {
      layouts.push_back(InOrder(weights, {outer, whole(1), whole(2), whole(3), inner}));
    }
    if (constant[0] == outputs && constant[1] == inputs) {
      layouts.push_back(InOrder(
          weights, {outer, {1, inputs / block, block}, whole(2), whole(3), {1, block, 1}, inner}));
    }
  }
  return layouts;
}

// The nudged factor of each channel that gives all of its weights to the last bit. Nothing: there
// is none for some channel, or channels have so few weights that a fault would pass for a factor.
using Nudges = std::vector<size_t>;
std::optional<Nudges> NudgesOf(const std::vector<double>& numbers, const Places& places,
                               const FoldableLayer& layer, const FoldedLayer& folded) {
  constexpr size_t kLeastWeights = 3;
  if (folded.near.weights.size() < kLeastWeights * layer.channels) return std::nullopt;
  std::vector<std::array<bool, kNudges>> agrees(layer.channels);
  for (std::array<bool, kNudges>& channel : agrees) channel.fill(true);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t at = places[i];
    if (at == kNoPlace) continue;
    std::array<bool, kNudges>& channel = agrees[layer.ChannelOf(at)];
    for (size_t k = 0; k < kNudges; ++k) {
      channel[k] = channel[k] && numbers[i] == static_cast<double>(folded.nudged[k].weights[at]);
    }
  }
  Nudges nudges;
  for (const std::array<bool, kNudges>& channel : agrees) {
    constexpr size_t kNone = kMostSteps;
    const auto found = std::find(channel.begin(), channel.end(), true);
    if (found == channel.end()) return std::nullopt;
    nudges.push_back(channel[kNone] ? kNone : static_cast<size_t>(found - channel.begin()));
  }
  return nudges;
}

std::optional<FoldedConstant> Match(const std::string& name, const Tensor& constant,
                                    const std::vector<double>& numbers,
                                    const std::vector<Residue>& own, const Places& places,
                                    const FoldedLayer& layer, const FoldableLayer& of,
                                    const std::optional<Nudges>& nudges, bool bias,
                                    std::vector<bool>* ways) {
  RoundingAgreement agreement(kFoldingWays + 2, DType::kFloat);
  Residues residues = Residues::Filled(constant.shape(), 0);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t at = places[i];
    if (at == kNoPlace) {
      if (numbers[i] != 0) return std::nullopt;
      continue;
    }
    const double exact = bias ? layer.near.biases[at] : layer.near.weights[at];
    std::array<double, kFoldingWays + 2> computed = {};
    computed[kFoldingWays] = static_cast<double>(static_cast<float>(exact));
    computed[kFoldingWays + 1] = computed[kFoldingWays];
    if (nudges.has_value()) {
      const FoldedNumbers<float>& nudged = layer.nudged[(*nudges)[bias ? at : of.ChannelOf(at)]];
      computed[kFoldingWays + 1] = bias ? nudged.biases[at] : nudged.weights[at];
    }
    for (size_t way = 0; way < kFoldingWays; ++way) {
      computed[way] = bias ? layer.ways[way].biases[at] : layer.ways[way].weights[at];
    }
    if (!agreement.Add(numbers[i], exact, bias ? layer.near.sizes[at] : 0, computed)) {
      return std::nullopt;
    }
    residues.values[i] = bias ? layer.exact.biases[at] : layer.exact.weights[at];
  }
  // One tool makes weights and biases in one way.
  std::vector<bool> agreeing = agreement.Ways();
  for (size_t i = 0; i < ways->size(); ++i) agreeing[i] = agreeing[i] && (*ways)[i];
  if (std::find(agreeing.begin(), agreeing.end(), true) == agreeing.end()) return std::nullopt;
  *ways = std::move(agreeing);
  if (residues.values == own) return std::nullopt;  // nothing was folded
  absl::StatusOr<Tensor> tensor = ToTensor(residues);
  if (!tensor.ok()) return std::nullopt;
  return FoldedConstant{name, "", *std::move(tensor), agreement.ulp()};
}

}  // namespace

std::optional<FoldedConstant> FoldOf(const PrimeField& field, const FieldValue& constant,
                                     const FieldValue& made) {
  const Tensor& leaf = constant.number.tensor();
  const Tensor& computed = made.number.tensor();
  if (leaf.shape() != computed.shape() || !IsFloatingPoint(leaf.dtype()) ||
      !IsFloatingPoint(computed.dtype()) || !made.residues.defined()) {
    return std::nullopt;
  }
  const absl::StatusOr<Residues> exact = FromTensor(made.residues);
  const absl::StatusOr<Residues> rounded = EmbedTensor(field, computed, nullptr);
  const absl::StatusOr<Residues> own = EmbedTensor(field, leaf, nullptr);
  const std::vector<double> a = NumbersIn(leaf);
  const std::vector<double> b = NumbersIn(computed);
  if (!exact.ok() || !rounded.ok() || !own.ok() || a.size() != b.size() || a.empty() ||
      exact->values.size() != a.size()) {
    return std::nullopt;
  }
  RoundingAgreement agreement(1, leaf.dtype());
  for (size_t i = 0; i < a.size(); ++i) {
    // Elements that were only moved have to stay as they are.
    const bool is_exact = exact->values[i] == rounded->values[i];
    if (is_exact && own->values[i] != rounded->values[i]) return std::nullopt;
    if (!agreement.Add(a[i], b[i], 0, {b[i]})) return std::nullopt;
  }
  if (!agreement.Agrees(made.rounds_alike)) return std::nullopt;
  return FoldedConstant{"", "", made.residues, agreement.ulp()};
}

std::vector<FoldedConstant> FoldedLayers(const PrimeField& field, const Graph& graph,
                                         const FieldValues& known, const FieldValues& constants) {
  std::vector<FoldedConstant> found;
  // A library whose factors are not the nearest floats has several of them; of one channel alone,
  // it may be a fault.
  std::vector<FoldedConstant> found_by_nudges;
  constexpr int64_t kLeastNudged = 2;
  int64_t nudged_channels = 0;
  std::map<std::string, std::vector<double>> numbers_of;
  std::map<std::string, std::vector<Residue>> own_of;
  for (const auto& [name, value] : constants) {
    if (!value.number.is_tensor() || value.number.tensor().dtype() != DType::kFloat) continue;
    const absl::StatusOr<Residues> own = EmbedTensor(field, value.number.tensor(), nullptr);
    if (!own.ok()) continue;
    own_of[name] = own->values;
    numbers_of[name] = NumbersIn(value.number.tensor());
  }
  for (const FoldableLayer& layer : FoldableLayers(field, graph, known)) {
    const FoldedLayer folded = Fold(field, layer);
    // Of the weights; the biases are made with the same.
    std::optional<Nudges> nudges;
    std::vector<bool> ways;
    std::vector<FoldedConstant> of_layer;
    for (const auto& [name, numbers] : numbers_of) {
      const Tensor& constant = constants.at(name).number.tensor();
      if (numbers.size() < folded.near.weights.size()) continue;
      std::optional<FoldedConstant> match;
      for (const Places& places : LayoutsOf(layer.weight.shape(), constant.shape())) {
        if (match.has_value()) break;
        const std::optional<Nudges> own = NudgesOf(numbers, places, layer, folded);
        std::vector<bool> agreeing;
        match = Match(name, constant, numbers, own_of[name], places, folded, layer, own, false,
                      &agreeing);
        if (!match.has_value()) continue;
        nudges = own;
        ways = std::move(agreeing);
      }
      if (!match.has_value()) continue;
      match->from = layer.weight_name;
      of_layer.push_back(*std::move(match));
    }
    const bool is_plain = std::find(ways.begin(), ways.end(), true) < ways.end() - 1;
    if (ways.empty() || is_plain) nudges.reset();
    if (nudges.has_value()) {
      nudged_channels += static_cast<int64_t>(nudges->size()) -
                         std::count(nudges->begin(), nudges->end(), size_t{kMostSteps});
    }
    for (const auto& [name, numbers] : numbers_of) {
      const Tensor& constant = constants.at(name).number.tensor();
      // Channels may be padded to whole blocks.
      if (constant.rank() != 1 || numbers.size() < layer.channels ||
          numbers.size() >= layer.channels + 16) {
        continue;
      }
      Places places(numbers.size(), kNoPlace);
      std::iota(places.begin(), places.begin() + static_cast<int64_t>(layer.channels), 0);
      std::vector<bool> agreeing = ways;
      std::optional<FoldedConstant> match = Match(name, constant, numbers, own_of[name], places,
                                                  folded, layer, nudges, true, &agreeing);
      if (!match.has_value()) continue;
      match->from = layer.bias_name;
      of_layer.push_back(*std::move(match));
    }
    std::vector<FoldedConstant>& all = nudges.has_value() ? found_by_nudges : found;
    std::move(of_layer.begin(), of_layer.end(), std::back_inserter(all));
  }
  if (nudged_channels < kLeastNudged) return found;
  std::move(found_by_nudges.begin(), found_by_nudges.end(), std::back_inserter(found));
  return found;
}

std::vector<FoldedNumber> FoldedNumbersOf(const PrimeField& field, const Graph& graph,
                                          const FieldValues& known, const FieldValues& others) {
  const auto one_number = [&](const FieldValue& value) -> std::optional<FoldedNumber> {
    if (value.number.tensor().num_elements() != 1) return std::nullopt;
    const std::vector<double> numbers = NumbersIn(value.number.tensor());
    const absl::StatusOr<Residues> residues = ResiduesOfNumbers(field, value);
    if (numbers.size() != 1 || !residues.ok()) return std::nullopt;
    return FoldedNumber{static_cast<float>(numbers[0]), residues->values[0], "", ""};
  };
  std::map<float, Residue> factors;
  for (const auto& [name, value] : others) {
    if (const std::optional<FoldedNumber> number = one_number(value); number.has_value()) {
      factors.emplace(number->number, number->residue);
    }
  }
  std::map<float, std::string> wanted;
  for (const Node& node : graph.nodes) {
    for (const char* const name : {"alpha", "beta", "scale"}) {
      const auto found = node.attributes.find(name);
      const auto* const number =
          found == node.attributes.end() ? nullptr : std::get_if<float>(&found->second);
      if (number != nullptr) wanted.emplace(*number, absl::StrCat(name, " of ", node.op_type));
    }
  }
  for (const auto& [name, value] : known) {
    const std::optional<FoldedNumber> number = one_number(value);
    if (number.has_value() && !value.residues.defined()) wanted.emplace(number->number, name);
  }
  std::vector<FoldedNumber> found;
  for (const auto& [number, text] : wanted) {
    if (factors.contains(number)) continue;
    for (auto a = factors.begin(); a != factors.end(); ++a) {
      if (a->first != 0 && a->first != 1 && 1 / a->first == number) {
        found.push_back(
            {number, PrimeField::Inverse(a->second), text, absl::StrCat("1 / ", a->first)});
        break;
      }
      const auto b = std::find_if(
          a, factors.end(), [&](const auto& other) { return a->first * other.first == number; });
      if (b == factors.end() || a->first == 1 || b->first == 1) continue;
      found.push_back({number, PrimeField::Mul(a->second, b->second), text,
                       absl::StrCat(a->first, " * ", b->first)});
      break;
    }
  }
  return found;
}

}  // namespace onnxcmp
