#include "prove/fold_search.h"

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
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "prove/field/residues.h"
#include "prove/field_node.h"
#include "prove/foldable_layer.h"
#include "prove/folding.h"
#include "prove/rounded_constants.h"
#include "record/base/work_bounds.h"
#include "record/streams/hash128.h"

namespace onnxcmp {
namespace {

// Numbers computed in floats: in the ways, rounded from doubles, nudged.
using Computed = std::array<double, kFoldingWays + 2>;

// A weight or a bias of a folded layer, by its place.
class FoldedNumberAt {
 public:
  FoldedNumberAt(const FoldableLayer& of, const FoldedLayer& layer,
                 const std::optional<Nudges>& nudges, bool bias)
      : of_(of), layer_(layer), nudges_(nudges), bias_(bias) {}

  void MoveTo(size_t at) {
    at_ = at;
    if (at >= begin_ && at < end_) return;
    const size_t run = bias_ ? 1 : of_.inner;
    begin_ = at / run * run;
    end_ = begin_ + run;
    channel_ = bias_ ? at : of_.ChannelOf(at);
  }

  double Exact() const { return In(layer_.near); }
  // The size of the terms that it is summed from.
  double Size() const { return bias_ ? layer_.near.sizes[at_] : 0; }
  Computed AllWays(double exact) const {
    Computed computed = {};
    for (size_t way = 0; way < kFoldingWays; ++way) computed[way] = In(layer_.ways[way]);
    computed[kFoldingWays] = static_cast<double>(static_cast<float>(exact));
    computed[kFoldingWays + 1] =
        nudges_.has_value() ? In(layer_.nudged[(*nudges_)[channel_]]) : computed[kFoldingWays];
    return computed;
  }

 private:
  template <typename Number>
  double In(const FoldedFactors<Number>& factors) const {
    if (bias_) return static_cast<double>(factors.biases[at_]);
    return static_cast<double>(
        factors.Weight(of_, static_cast<Number>(layer_.weights[at_]), channel_));
  }

  const FoldableLayer& of_;
  const FoldedLayer& layer_;
  const std::optional<Nudges>& nudges_;
  const bool bias_;
  size_t at_ = 0, channel_ = 0;
  size_t begin_ = 0, end_ = 0;  // places of the channel
};

// The exact numbers of a constant that holds `numbers`, in places; `shape` is the constant's.
Residues NumbersInPlaces(absl::Span<const Residue> numbers, const Places& places,
                         const Shape& shape) {
  Residues residues = Residues::Filled(shape, 0);
  Residue* const to = residues.values.data();
  for (size_t i = 0; i < residues.values.size(); ++i) {
    const size_t at = places.empty() ? i : places[i];
    if (at < numbers.size()) to[i] = numbers[at];
  }
  return residues;
}

// Those of a weight or a bias of a layer.
Residues ExactConstant(const ExactLayer& exact, bool bias, const Places& places,
                       const Shape& shape) {
  if (bias) return NumbersInPlaces(exact.biases, places, shape);
  if (places.empty()) return {shape, exact.weights.values};
  return NumbersInPlaces(
      absl::MakeConstSpan(exact.weights.values.data(), exact.weights.values.size()), places, shape);
}

// A constant that may be the weights or the bias of a layer.
struct FoldCandidate {
  const std::string* constant;
  const Places* places;
};

// The agreement of a constant with a layer's weights or biases in floats, if it is within a few
// steps of them. `ways`: those in which the layer may have been folded, which become fewer.
std::optional<int64_t> UlpOf(const std::vector<float>& numbers, const Places& places,
                             FoldedNumberAt number, std::vector<bool>* ways) {
  RoundingAgreement agreement(std::tuple_size_v<Computed>, DType::kFloat);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (places[i] == kNoPlace) {
      if (numbers[i] != 0) return std::nullopt;
      continue;
    }
    number.MoveTo(places[i]);
    const double exact = number.Exact();
    if (!agreement.Add(numbers[i], exact, number.Size(), number.AllWays(exact))) {
      return std::nullopt;
    }
  }
  // One tool makes weights and biases in one way.
  std::vector<bool> agreeing = agreement.Ways();
  for (size_t i = 0; i < ways->size(); ++i) agreeing[i] = agreeing[i] && (*ways)[i];
  if (std::find(agreeing.begin(), agreeing.end(), true) == agreeing.end()) return std::nullopt;
  *ways = std::move(agreeing);
  return agreement.ulp();
}

// True if a constant is not what it says: what was folded into it is another number.
bool IsFolded(const PrimeField& field, const Tensor& constant, const std::vector<float>& numbers,
              const Residues& exact) {
  bool is_folded = false;
  for (size_t i = 0; i < numbers.size() && !is_folded; ++i) {
    is_folded = exact.values.data()[i] != field.OfDouble(static_cast<double>(numbers[i]));
  }
  // A constant of one number stands for what somebody has written.
  if (is_folded &&
      std::adjacent_find(numbers.begin(), numbers.end(), std::not_equal_to<>()) == numbers.end()) {
    const absl::StatusOr<Residues> own = EmbedTensor(field, constant, nullptr);
    is_folded = own.ok() && !(own->values == exact.values);
  }
  return is_folded;
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

template <typename Number>
double GreatestOf(const std::vector<Number>& numbers) {
  Number greatest = 0;
  for (const Number number : numbers) greatest = std::max(greatest, std::fabs(number));
  return static_cast<double>(greatest);
}

// False if a constant cannot be these numbers, by some of them: most constants are others.
// `by_element`: each is a product, and no sum of terms that cancel.
bool AreNearAt(const std::vector<float>& constant, const Places& places,
               absl::FunctionRef<double(size_t)> number_at, double greatest,
               bool by_element = false) {
  const size_t step = std::max<size_t>(1, constant.size() / work_bounds::kCandidates);
  for (size_t i = 0; i < constant.size() && i < places.size(); i += step) {
    const double number = places[i] == kNoPlace ? 0 : number_at(places[i]);
    const double distance = std::fabs(static_cast<double>(constant[i]) - number);
    if (!(distance <= kFar * greatest)) return false;
    // Some ulp are less than a hundredth of that.
    const double size = std::fabs(number) + std::numeric_limits<float>::min();
    if (by_element && distance > kFar / 100 * size) return false;
  }
  return true;
}

// A constant's numbers, and the greatest of their sizes.
struct ConstantNumbers {
  std::vector<float> numbers;
  double greatest = 0;
};

// The layouts in which a constant may be a layer's weights, `greatest` of which is the greatest.
std::vector<const Places*> LayoutsNear(const ConstantNumbers& constant, const Shape& shape_of_it,
                                       const FoldableLayer& layer, const FoldedLayer& folded,
                                       double greatest, LayoutCache* layouts) {
  std::vector<const Places*> near;
  // In whatever order.
  if (!(std::fabs(constant.greatest - greatest) <= kFar * greatest)) return near;
  const auto is_near = [&](const Places& places) {
    return AreNearAt(
        constant.numbers, places, [&](size_t at) { return folded.NearWeight(layer, at); }, greatest,
        /*by_element=*/true);
  };
  const Places& plain = layouts->OfChannels(folded.weights.size(), folded.weights.size());
  if (layer.shape() == shape_of_it && is_near(plain)) return {&plain};
  for (const Places& places : layouts->Of(layer.shape(), shape_of_it)) {
    if (is_near(places)) near.push_back(&places);
  }
  return near;
}

// The constants that are weights and biases of a layer.
struct FoldedLayerConstants {
  std::vector<FoldedConstant> constants;
  bool is_nudged = false;  // some factors are not the nearest floats
  int64_t nudged_channels = 0;
};

// Finds the constants that are weights and biases of one layer.
class LayerConstants {
 public:
  LayerConstants(const PrimeField& field, const FoldableLayer& layer, const FieldValues& constants,
                 const std::map<std::string, ConstantNumbers>& numbers_of, LayoutCache* layouts)
      : field_(field),
        layer_(layer),
        constants_(constants),
        numbers_of_(numbers_of),
        layouts_(layouts),
        folded_(Fold(layer)) {}

  FoldedLayerConstants Find() {
    FindCandidates();
    if (weights_.empty() && biases_.empty()) return {};
    Take(weights_, /*bias=*/false, /*nudged=*/false);
    if (found_.constants.empty() && !weights_.empty()) {
      FoldNudged(layer_, &folded_);
      Take(weights_, /*bias=*/false, /*nudged=*/true);
    }
    // The last way is that of nudged factors.
    if (ways_.empty() || std::find(ways_.begin(), ways_.end(), true) < ways_.end() - 1) {
      nudges_.reset();
    }
    found_.is_nudged = nudges_.has_value();
    if (nudges_.has_value()) {
      found_.nudged_channels = static_cast<int64_t>(nudges_->size()) -
                               std::count(nudges_->begin(), nudges_->end(), size_t{kMostSteps});
    }
    Take(biases_, /*bias=*/true, /*nudged=*/false);
    return std::move(found_);
  }

 private:
  const Shape& ShapeOf(const std::string& constant) const {
    return constants_.at(constant).number.tensor().shape();
  }

  void FindCandidates() {
    if (folded_.weights.empty()) return;
    const double greatest = GreatestWeight(layer_, folded_);
    // A bias may be small, and made of large terms.
    const double greatest_term =
        std::max(GreatestOf(folded_.near.biases), GreatestOf(folded_.near.sizes));
    for (const auto& [name, constant] : numbers_of_) {
      const size_t size = constant.numbers.size();
      if (size >= folded_.weights.size()) {
        for (const Places* const places :
             LayoutsNear(constant, ShapeOf(name), layer_, folded_, greatest, layouts_)) {
          weights_.push_back({&name, places});
        }
      }
      // Channels may be padded to whole blocks.
      if (ShapeOf(name).size() != 1 || size < layer_.channels || size >= layer_.channels + 16) {
        continue;
      }
      const Places& places = layouts_->OfChannels(layer_.channels, size);
      const auto bias_at = [&](size_t at) { return folded_.near.biases[at]; };
      if (AreNearAt(constant.numbers, places, bias_at, greatest_term)) {
        biases_.push_back({&name, &places});
      }
    }
  }

  void Take(const std::vector<FoldCandidate>& candidates, bool bias, bool nudged) {
    std::string last;
    for (const FoldCandidate& candidate : candidates) {
      const std::string& name = *candidate.constant;
      if (name == last) continue;  // it has matched in another layout
      const std::vector<float>& numbers = numbers_of_.at(name).numbers;
      // Those of the weights; the biases are made with the same.
      const std::optional<Nudges> nudges =
          bias || !nudged ? nudges_ : NudgesOf(numbers, *candidate.places, layer_, folded_);
      std::vector<bool> ways = bias ? ways_ : std::vector<bool>();
      const std::optional<int64_t> ulp =
          UlpOf(numbers, *candidate.places, FoldedNumberAt(layer_, folded_, nudges, bias), &ways);
      if (!ulp.has_value()) continue;
      std::optional<FoldedConstant> match = MatchOf(candidate, bias, *ulp);
      if (!match.has_value()) continue;
      last = name;
      found_.constants.push_back(*std::move(match));
      if (bias) continue;
      nudges_ = nudges;
      ways_ = std::move(ways);
    }
  }

  std::optional<FoldedConstant> MatchOf(const FoldCandidate& candidate, bool bias, int64_t ulp) {
    const std::string& name = *candidate.constant;
    const Places& places = *candidate.places;
    const size_t size = bias ? layer_.channels : folded_.weights.size();
    bool in_order = places.size() == size;
    for (size_t i = 0; i < places.size() && in_order; ++i) in_order = places[i] == i;
    if (!exact_.has_value()) exact_ = FoldExactly(field_, layer_);
    if (exact_->weights.values.size() != folded_.weights.size()) return std::nullopt;
    const Residues residues =
        ExactConstant(*exact_, bias, in_order ? Places() : places, ShapeOf(name));
    if (!IsFolded(field_, constants_.at(name).number.tensor(), numbers_of_.at(name).numbers,
                  residues)) {
      return std::nullopt;
    }
    absl::StatusOr<Tensor> tensor = ToTensor(residues);
    if (!tensor.ok()) return std::nullopt;
    FoldedConstant found;
    found.constant = name;
    found.from = bias ? layer_.bias_name : layer_.weight_name;
    found.residues = *std::move(tensor);
    found.ulp = ulp;
    found.is_bias = bias;
    if (!in_order) found.places = places;
    found.shape = ShapeOf(name);
    return found;
  }

  const PrimeField& field_;
  const FoldableLayer& layer_;
  const FieldValues& constants_;
  const std::map<std::string, ConstantNumbers>& numbers_of_;
  LayoutCache* const layouts_;
  FoldedLayer folded_;
  std::optional<ExactLayer> exact_;
  std::vector<FoldCandidate> weights_, biases_;
  std::optional<Nudges> nudges_;
  std::vector<bool> ways_;
  FoldedLayerConstants found_;
};

// Weights and biases among `constants` which are those of a layer of `graph` with what comes after
// it: a BatchNormalization, factors and summands by channel. `known`: values of the graph that do
// not depend on its inputs.
std::vector<FoldedConstant> FoldedLayers(const PrimeField& field, const Graph& graph,
                                         const FieldValues& known, const FieldValues& constants,
                                         const ThreadPool& pool) {
  std::map<std::string, ConstantNumbers> numbers_of;
  for (const auto& [name, value] : constants) {
    if (!value.number.is_tensor() || value.number.tensor().dtype() != DType::kFloat) continue;
    ConstantNumbers& constant = numbers_of[name];
    constant.numbers = FloatsIn(value.number.tensor());
    constant.greatest = GreatestOf(constant.numbers);
  }
  if (numbers_of.empty()) return {};
  const std::vector<FoldableLayer> layers = FoldableLayers(field, graph, known);
  std::vector<FoldedLayerConstants> found(layers.size());
  LayoutCache layouts;
  pool.ParallelFor(static_cast<int64_t>(layers.size()), [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    found[at] = LayerConstants(field, layers[at], constants, numbers_of, &layouts).Find();
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

// The same constants, which FoldedLayers() has found, in another field. `known`: as there.
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
    const ExactLayer exact = FoldExactly(field, layers[static_cast<size_t>(i)]);
    for (FoldedConstant* const constant : constants) {
      absl::StatusOr<Tensor> tensor =
          ToTensor(ExactConstant(exact, constant->is_bias, constant->places, constant->shape));
      if (!tensor.ok() || exact.biases.empty()) ok = false;
      if (tensor.ok()) constant->residues = *std::move(tensor);
    }
  });
  return ok ? std::move(found) : std::vector<FoldedConstant>();
}

}  // namespace

FoundFolds FoldSearch::All(absl::Span<const ProofPair> pairs, const PerSide<Traces>& traces) const {
  FoundFolds found;
  for (const ProofPair& pair : pairs) {
    if (!pair.may_be_fold || AreEqual(traces, pair.left, pair.right)) continue;
    const auto left = known_.left.find(pair.left);
    const auto right = known_.right.find(pair.right);
    if (left == known_.left.end() || right == known_.right.end()) continue;
    const FieldValue& leaf = pair.left_is_leaf ? left->second : right->second;
    const FieldValue& made = pair.left_is_leaf ? right->second : left->second;
    const std::optional<FoldedConstant> fold = FoldOf(field_, leaf, made);
    if (!fold.has_value()) continue;
    const SideId side = pair.left_is_leaf ? SideId::kLeft : SideId::kRight;
    found.residues[side][pair.left_is_leaf ? pair.left : pair.right] = fold->residues;
    found.told.push_back({pair.left, pair.right, fold->ulp});
  }
  for (const SideId side : kBothSides) {
    FieldValues constants;
    for (const auto& [name, value] : known_[side]) {
      if (!value.residues.defined()) constants[name] = value;
    }
    AddLayers(side, LayersOf(side, constants), &found);
    FindNumbers(side, &found);
  }
  return found;
}

FoundFolds FoldSearch::LayersOfOwnConstants(ConstantFacts* facts, LayerFolds* before) const {
  PerSide<absl::flat_hash_set<Hash128>> contents;
  for (const SideId side : kBothSides) {
    if ((*before)[Other(side)].has_value()) continue;
    for (const auto& [name, value] : known_[side]) {
      contents[side].insert(facts->Content(value.number));
    }
  }
  FoundFolds found;
  for (const SideId side : kBothSides) {
    std::optional<std::vector<FoldedConstant>>& folds = (*before)[side];
    if (!folds.has_value()) {
      FieldValues own;
      for (const auto& [name, value] : known_[side]) {
        if (value.residues.defined()) continue;
        if (!contents[Other(side)].contains(facts->Content(value.number))) own[name] = value;
      }
      folds = LayersOf(side, own);
    } else if (!folds->empty()) {
      const SideId other = Other(side);
      folds = FoldedLayersAgain(field_, *graphs_[other], known_[other], *std::move(folds), pool_);
    }
    AddLayers(side, *folds, &found);
    // The next run makes others: these are held only as long as the run that takes them.
    const Tensor none;
    for (FoldedConstant& fold : *folds) fold.residues = none;
  }
  return found;
}

std::vector<FoldedConstant> FoldSearch::LayersOf(SideId side, const FieldValues& constants) const {
  const SideId other = Other(side);
  return FoldedLayers(field_, *graphs_[other], known_[other], constants, pool_);
}

void FoldSearch::AddLayers(SideId side, const std::vector<FoldedConstant>& folds,
                           FoundFolds* found) {
  for (const FoldedConstant& fold : folds) {
    if (!found->residues[side].emplace(fold.constant, fold.residues).second) continue;
    const bool left = side == SideId::kLeft;
    found->told.push_back(
        {left ? fold.constant : fold.from, left ? fold.from : fold.constant, fold.ulp});
  }
}

void FoldSearch::FindNumbers(SideId side, FoundFolds* found) const {
  for (const FoldedNumber& fold :
       FoldedNumbersOf(field_, *graphs_[side], known_[side], known_[Other(side)])) {
    found->numbers[side][fold.number] = fold.residue;
    found->told.push_back({fold.text, fold.from, 1});
    if (side == SideId::kRight) std::swap(found->told.back().left, found->told.back().right);
  }
}

}  // namespace onnxcmp
