#include "prove/folding.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "evaluator/tensor/convert.h"
#include "prove/field/residues.h"
#include "prove/field_node.h"
#include "prove/foldable_layer.h"
#include "prove/rounded_constants.h"

namespace onnxcmp {
namespace {

// How far a folded constant may be from what it was folded from.
constexpr int64_t kMostUlp = 4;

// The step between numbers of this size in a type.
double StepAt(double size, DType dtype) {
  if (dtype == DType::kFloat) {
    const auto number = static_cast<float>(size);
    return static_cast<double>(std::nextafter(number, std::numeric_limits<float>::infinity())) -
           static_cast<double>(number);
  }
  size = RoundTo(dtype, size);
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

std::optional<FoldedConstant> Match(const PrimeField& field, const std::string& name,
                                    const Tensor& constant, const std::vector<double>& numbers,
                                    const Places& places, const FoldedLayer& layer,
                                    const FoldableLayer& of, const std::optional<Nudges>& nudges,
                                    bool bias, std::vector<bool>* ways) {
  RoundingAgreement agreement(kFoldingWays + 2, DType::kFloat);
  Residues residues = Residues::Filled(constant.shape(), 0);
  Residue* const to = residues.values.data();
  bool is_folded = false;
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
    to[i] = bias ? layer.exact.biases[at] : layer.exact.weights[at];
    is_folded = is_folded || to[i] != field.OfDouble(numbers[i]);
  }
  // One tool makes weights and biases in one way.
  std::vector<bool> agreeing = agreement.Ways();
  for (size_t i = 0; i < ways->size(); ++i) agreeing[i] = agreeing[i] && (*ways)[i];
  if (std::find(agreeing.begin(), agreeing.end(), true) == agreeing.end()) return std::nullopt;
  *ways = std::move(agreeing);
  // A constant of one number stands for what somebody has written.
  if (is_folded &&
      std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) == numbers.end()) {
    const absl::StatusOr<Residues> own = EmbedTensor(field, constant, nullptr);
    is_folded = own.ok() && !(own->values == residues.values);
  }
  if (!is_folded) return std::nullopt;
  absl::StatusOr<Tensor> tensor = ToTensor(residues);
  if (!tensor.ok()) return std::nullopt;
  const size_t size = bias ? layer.near.biases.size() : layer.near.weights.size();
  bool in_order = places.size() == size && numbers.size() == size;
  for (size_t i = 0; i < places.size() && in_order; ++i) in_order = places[i] == i;
  return FoldedConstant{name, "",   *std::move(tensor),           agreement.ulp(),
                        0,    bias, in_order ? Places() : places, constant.shape()};
}

// The layouts of shapes, each found once, for all threads.
class LayoutCache {
 public:
  const std::vector<Places>& Of(const Shape& weights, const Shape& constant) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [it, is_new] = layouts_.try_emplace({weights, constant});
    if (is_new) it->second = LayoutsOf(weights, constant);
    return it->second;
  }
  // Channels with a border of zeros after them.
  const Places& OfChannels(size_t channels, size_t size) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [it, is_new] = channels_.try_emplace({channels, size});
    if (is_new) {
      it->second.assign(size, kNoPlace);
      std::iota(it->second.begin(), it->second.begin() + static_cast<int64_t>(channels), 0);
    }
    return it->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<Shape, Shape>, std::vector<Places>> layouts_;
  std::map<std::pair<size_t, size_t>, Places> channels_;
};

// How far a constant is from what it was folded from at most, for the size of the greatest: far
// beyond what folding rounds.
constexpr double kFar = 1e-4;

double GreatestOf(absl::Span<const double> numbers) {
  double greatest = 0;
  for (const double number : numbers) greatest = std::max(greatest, std::fabs(number));
  return greatest;
}

// False if a constant cannot be these numbers, by some of them: most constants are others.
// `by_element`: each is a product, and no sum of terms that cancel.
bool AreNearAt(const std::vector<double>& constant, const Places& places,
               const std::vector<double>& numbers, double greatest, bool by_element = false) {
  constexpr size_t kLooks = 64;
  const size_t step = std::max<size_t>(1, constant.size() / kLooks);
  for (size_t i = 0; i < constant.size() && i < places.size(); i += step) {
    const double number = places[i] == kNoPlace ? 0 : numbers[places[i]];
    if (!(std::fabs(constant[i] - number) <= kFar * greatest)) return false;
    // Some ulp are less than a hundredth of that.
    const double size = std::fabs(number) + std::numeric_limits<float>::min();
    if (by_element && std::fabs(constant[i] - number) > kFar / 100 * size) return false;
  }
  return true;
}

// A constant's numbers, and the greatest of their sizes.
struct ConstantNumbers {
  std::vector<double> numbers;
  double greatest = 0;
};

struct FoldCandidate {
  const std::string* constant;
  const Places* places;
};

// The layouts in which a constant may be these weights, `greatest` of which is the greatest.
std::vector<const Places*> LayoutsNear(const ConstantNumbers& constant, const Shape& shape_of_it,
                                       const Shape& shape, const std::vector<double>& weights,
                                       double greatest, LayoutCache* layouts) {
  std::vector<const Places*> near;
  // In whatever order.
  if (!(std::fabs(constant.greatest - greatest) <= kFar * greatest)) return near;
  const Places& plain = layouts->OfChannels(weights.size(), weights.size());
  if (shape == shape_of_it &&
      AreNearAt(constant.numbers, plain, weights, greatest, /*by_element=*/true)) {
    return {&plain};
  }
  for (const Places& places : layouts->Of(shape, shape_of_it)) {
    if (AreNearAt(constant.numbers, places, weights, greatest, /*by_element=*/true))
      near.push_back(&places);
  }
  return near;
}

// The constants that are weights and biases of a layer.
struct FoldedLayerConstants {
  std::vector<FoldedConstant> constants;
  bool is_nudged = false;  // some factors are not the nearest floats
  int64_t nudged_channels = 0;
};
FoldedLayerConstants FoldedInto(const PrimeField& field, const FoldableLayer& layer,
                                const FieldValues& constants,
                                const std::map<std::string, ConstantNumbers>& numbers_of,
                                LayoutCache* layouts) {
  FoldedNumbers<double> near = FoldNear(layer);
  const double greatest = GreatestOf(near.weights);
  // A bias may be small, and made of large terms.
  const double greatest_term = std::max(GreatestOf(near.biases), GreatestOf(near.sizes));
  std::vector<FoldCandidate> weights, biases;
  for (const auto& [name, constant] : numbers_of) {
    const std::vector<double>& numbers = constant.numbers;
    const Shape& shape = constants.at(name).number.tensor().shape();
    if (numbers.size() >= near.weights.size()) {
      for (const Places* const places :
           LayoutsNear(constant, shape, layer.shape(), near.weights, greatest, layouts)) {
        weights.push_back({&name, places});
      }
    }
    // Channels may be padded to whole blocks.
    if (shape.size() == 1 && numbers.size() >= layer.channels &&
        numbers.size() < layer.channels + 16) {
      const Places& places = layouts->OfChannels(layer.channels, numbers.size());
      if (AreNearAt(numbers, places, near.biases, greatest_term))
        biases.push_back({&name, &places});
    }
  }
  FoldedLayerConstants found;
  if (weights.empty() && biases.empty()) return found;
  FoldedLayer folded = Fold(field, layer, std::move(near));
  if (folded.exact.weights.size() != folded.near.weights.size()) return found;
  // Of the weights; the biases are made with the same.
  std::optional<Nudges> nudges;
  std::vector<bool> ways;
  const auto find = [&](const std::vector<FoldCandidate>& candidates, bool bias, bool nudged) {
    std::string last;
    for (const FoldCandidate& candidate : candidates) {
      const std::string& name = *candidate.constant;
      if (name == last) continue;  // it has matched in another layout
      const std::vector<double>& numbers = numbers_of.at(name).numbers;
      const std::optional<Nudges> own =
          bias || !nudged ? nudges : NudgesOf(numbers, *candidate.places, layer, folded);
      std::vector<bool> agreeing = bias ? ways : std::vector<bool>();
      std::optional<FoldedConstant> match =
          Match(field, name, constants.at(name).number.tensor(), numbers, *candidate.places, folded,
                layer, own, bias, &agreeing);
      if (!match.has_value()) continue;
      last = name;
      match->from = bias ? layer.bias_name : layer.weight_name;
      found.constants.push_back(*std::move(match));
      if (bias) continue;
      nudges = own;
      ways = std::move(agreeing);
    }
  };
  find(weights, /*bias=*/false, /*nudged=*/false);
  if (found.constants.empty() && !weights.empty()) {
    FoldNudged(layer, &folded);
    find(weights, /*bias=*/false, /*nudged=*/true);
  }
  // The last way is that of nudged factors.
  if (ways.empty() || std::find(ways.begin(), ways.end(), true) < ways.end() - 1) nudges.reset();
  found.is_nudged = nudges.has_value();
  if (nudges.has_value()) {
    found.nudged_channels = static_cast<int64_t>(nudges->size()) -
                            std::count(nudges->begin(), nudges->end(), size_t{kMostSteps});
  }
  find(biases, /*bias=*/true, /*nudged=*/false);
  return found;
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
  // Sums of a row's numbers cancel: they are as near as the greatest of the row lets them be.
  const size_t row =
      made.rounds_alike || leaf.rank() == 0 ? 1 : static_cast<size_t>(leaf.shape().back());
  double greatest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (row > 1 && i % row == 0) {
      greatest = 0;
      for (size_t j = i; j < i + row; ++j) greatest = std::max(greatest, std::fabs(b[j]));
    }
    // Elements that were only moved have to stay as they are.
    const bool is_exact = exact->values[i] == rounded->values[i];
    if (is_exact && own->values[i] != rounded->values[i]) return std::nullopt;
    if (!agreement.Add(a[i], b[i], greatest, {b[i]})) return std::nullopt;
  }
  if (!agreement.Agrees(made.rounds_alike)) return std::nullopt;
  return FoldedConstant{"", "", made.residues, agreement.ulp()};
}

std::vector<FoldedConstant> FoldedLayers(const PrimeField& field, const Graph& graph,
                                         const FieldValues& known, const FieldValues& constants,
                                         const ThreadPool& pool) {
  std::map<std::string, ConstantNumbers> numbers_of;
  for (const auto& [name, value] : constants) {
    if (!value.number.is_tensor() || value.number.tensor().dtype() != DType::kFloat) continue;
    ConstantNumbers& constant = numbers_of[name];
    constant.numbers = NumbersIn(value.number.tensor());
    constant.greatest = GreatestOf(constant.numbers);
  }
  if (numbers_of.empty()) return {};
  const std::vector<FoldableLayer> layers = FoldableLayers(field, graph, known);
  std::vector<FoldedLayerConstants> found(layers.size());
  LayoutCache layouts;
  pool.ParallelFor(static_cast<int64_t>(layers.size()), [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    found[at] = FoldedInto(field, layers[at], constants, numbers_of, &layouts);
    for (FoldedConstant& constant : found[at].constants) constant.layer = at;
  });
  // A library whose factors are not the nearest floats has several of them; of one channel alone,
  // it may be a fault.
  constexpr int64_t kLeastNudged = 2;
  int64_t nudged_channels = 0;
  for (const FoldedLayerConstants& of_layer : found) nudged_channels += of_layer.nudged_channels;
  std::vector<FoldedConstant> all;
  for (FoldedLayerConstants& of_layer : found) {
    if (of_layer.is_nudged && nudged_channels < kLeastNudged) continue;
    std::move(of_layer.constants.begin(), of_layer.constants.end(), std::back_inserter(all));
  }
  return all;
}

std::vector<FoldedConstant> FoldedLayersAgain(const PrimeField& field, const Graph& graph,
                                              const FieldValues& known,
                                              std::vector<FoldedConstant> found,
                                              const ThreadPool& pool) {
  const std::vector<FoldableLayer> layers = FoldableLayers(field, graph, known);
  std::vector<std::vector<FoldedConstant*>> of_layers(layers.size());
  for (FoldedConstant& constant : found) {
    if (constant.layer >= layers.size()) return {};
    of_layers[constant.layer].push_back(&constant);
  }
  std::atomic<bool> ok = true;
  pool.ParallelFor(static_cast<int64_t>(layers.size()), [&](int64_t i) {
    const std::vector<FoldedConstant*>& constants = of_layers[static_cast<size_t>(i)];
    if (constants.empty()) return;
    const FoldedNumbers<Residue> exact = FoldExactly(field, layers[static_cast<size_t>(i)]);
    for (FoldedConstant* const constant : constants) {
      const std::vector<Residue>& numbers = constant->is_bias ? exact.biases : exact.weights;
      Residues residues = Residues::Filled(constant->shape, 0);
      Residue* const to = residues.values.data();
      for (size_t j = 0; j < residues.values.size(); ++j) {
        const size_t at = constant->places.empty() ? j : constant->places[j];
        if (at < numbers.size()) to[j] = numbers[at];
      }
      absl::StatusOr<Tensor> tensor = ToTensor(residues);
      if (!tensor.ok() || numbers.empty()) ok = false;
      if (tensor.ok()) constant->residues = *std::move(tensor);
    }
  });
  return ok ? std::move(found) : std::vector<FoldedConstant>();
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
        found.push_back({number, field.Inverse(a->second), text, absl::StrCat("1 / ", a->first)});
        break;
      }
      if (a->first == 1) continue;
      const auto is_product = [&](const auto& b) {
        return b.first != 1 && a->first * b.first == number;
      };
      if (const auto b = std::find_if(a, factors.end(), is_product); b != factors.end()) {
        found.push_back({number, field.Mul(a->second, b->second), text,
                         absl::StrCat(a->first, " * ", b->first)});
        break;
      }
      // Some multiply by the reciprocal.
      const auto is_quotient = [&](const auto& b) {
        return b.first != 1 && b.first != 0 && b.second != 0 &&
               (a->first / b.first == number || a->first * (1 / b.first) == number);
      };
      const auto b = std::find_if(factors.begin(), factors.end(), is_quotient);
      if (b == factors.end()) continue;
      found.push_back(
          {number, field.Div(a->second, b->second), text, absl::StrCat(a->first, " / ", b->first)});
      break;
    }
  }
  return found;
}

}  // namespace onnxcmp
