#include "compare/quantization/quantized_weights.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/node_questions.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// The integers that a constant float result was dequantized from; kNone if it was not.
int IntegersAfter(const SideValues& side, int r) {
  while (side.graph().producer(r) != kNone) {
    const int integers = side.all_params().Dequantizes(r);
    if (integers != kNone) return integers;
    const std::vector<int> reads = side.graph().Before(r);
    if (reads.empty()) return kNone;
    r = reads.front();
  }
  return kNone;
}

DequantizedView TransposedView(const DequantizedView& reals, int64_t rows, int64_t columns) {
  const std::vector<double> elements = reals.All();
  std::vector<double> transposed;
  transposed.reserve(elements.size());
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r) {
      transposed.push_back(elements[static_cast<size_t>(r * columns + c)]);
    }
  }
  return DequantizedView(std::move(transposed));
}

class WeightsFinder {
 public:
  WeightsFinder(const CounterpartRun& run, int partner) : other_(run.other()) {
    // The partner's own constants come first.
    const auto passes = [&](int before) {
      if (other_.IsFixed(before)) near_.push_back(before);
      return !other_.IsFixed(before);
    };
    other_.graph().ReachBefore({partner}, passes, kUnlimited, work_bounds::kHops);
  }

  // Sets the partner; false if there is none.
  bool Match(QuantizedWeights* weights, const Shape& shape) const {
    double greatest = thresholds::kLeastCosine;
    for (const int r : near_) Try(r, shape, weights, &greatest);
    if (weights->partner != kNone) return true;
    greatest = 0.95;  // of strangers only those that surely are
    size_t tried = 0;
    for (const int r : other_.graph().results()) {
      if (!other_.IsFixed(r) || tried >= work_bounds::kManyCandidates) continue;
      if (Try(r, shape, weights, &greatest)) ++tried;
    }
    return weights->partner != kNone;
  }

  // Sets the scales that the partner was rounded with.
  void Describe(QuantizedWeights* weights) const {
    const int integers = other_.all_params().of(weights->partner).has_value()
                             ? weights->partner
                             : IntegersAfter(other_, weights->partner);
    if (integers == kNone) return;
    if (std::optional<QuantParamValues> params = other_.QuantParamsOf(integers)) {
      weights->partner_scales = std::move(params->scales);
    }
  }

 private:
  bool Try(int r, const Shape& shape, QuantizedWeights* weights, double* greatest) const {
    const StreamResult& known = other_.graph().result(r);
    if (!known.shape.has_value() || known.fingerprint.size != weights->reals->size()) {
      return false;
    }
    const std::optional<DequantizedView> measured = other_.RealsOf(r);
    if (!measured.has_value()) return false;
    const auto take = [&](DequantizedView reals) {
      const NoiseStats noise_stats = NoiseStatsOf(reals, *weights->reals, other_.pool());
      if (std::abs(noise_stats.cosine) <= *greatest) return;
      *greatest = std::abs(noise_stats.cosine);
      weights->partner = r;
      weights->partner_reals = std::move(reals);
      weights->noise_stats = noise_stats;
    };
    const Shape& theirs = *known.shape;
    const bool swapped =
        theirs.size() == 2 && shape.size() == 2 && theirs[0] == shape[1] && theirs[1] == shape[0];
    if (theirs == shape || !swapped) take(*measured);
    if (swapped) take(TransposedView(*measured, theirs[0], theirs[1]));
    return true;
  }

  const SideValues& other_;
  std::vector<int> near_;
};

// Some rows of the matrix that a node unpacks, by multiplying unit vectors.
std::optional<QuantizedWeights> Unpacked(const CounterpartRun& run, int n, int partner) {
  const SideGraph& graph = run.quantized().graph();
  const StreamNode& made = *graph.node(n).made;
  const Node* node = graph.node(n).node;
  if (node == nullptr || made.inputs.size() < 2 || made.inputs[0] == kNone) return std::nullopt;
  const int64_t depth = IntAttribute(*node, "K").value_or(0);
  if (depth <= 0) return std::nullopt;
  const int64_t rows = std::min<int64_t>(depth, work_bounds::kManyCandidates);
  const DType dtype = graph.result(made.inputs[0]).dtype;
  std::vector<double> units(static_cast<size_t>(rows * depth));
  for (int64_t i = 0; i < rows; ++i) units[static_cast<size_t>(i * depth + i * depth / rows)] = 1;
  const absl::StatusOr<Tensor> first =
      InFloats(DequantizedView(std::move(units)), {rows, depth}, dtype, nullptr);
  if (!first.ok()) return std::nullopt;
  const Value product = *first;
  const int bias = made.inputs.size() > kBiasOfPacked ? made.inputs[kBiasOfPacked] : kNone;
  Value zero;
  if (bias != kNone) {
    std::vector<double> zeros(static_cast<size_t>(graph.result(bias).fingerprint.size));
    zero = run.quantized().InFormOf(bias, DequantizedView(std::move(zeros)));
  }
  const absl::StatusOr<std::vector<Value>> outputs = graph.Run(n, [&](int r) -> const Value& {
    return r == made.inputs[0] ? product : r == bias ? zero : run.held(r);
  });
  if (!outputs.ok() || outputs->empty() || !(*outputs)[0].is_tensor()) return std::nullopt;
  QuantizedWeights weights;
  weights.result = made.inputs[1];
  weights.reals = DequantizedView((*outputs)[0].tensor());
  const int64_t columns = weights.reals->size() / rows;
  double greatest = thresholds::kLeastCosine;
  std::vector<int> constants;
  const SideValues& other = run.other();
  for (const int r : other.graph().results()) {
    if (other.IsFixed(r) && other.graph().result(r).fingerprint.size == depth * columns) {
      constants.push_back(r);
    }
  }
  // Constants that the partner reads come first; the first of equals stays.
  const std::vector<int> reads = other.graph().Before(partner);
  std::stable_partition(constants.begin(), constants.end(), [&](int r) {
    return std::find(reads.begin(), reads.end(), r) != reads.end();
  });
  for (const int r : constants) {
    const Shape& shape = *other.graph().result(r).shape;
    const std::optional<DequantizedView> measured = other.RealsOf(r);
    if (!measured.has_value() || shape.size() != 2) continue;
    const std::vector<double> numbers = measured->All();
    for (const bool swapped : {false, true}) {
      if (shape != (swapped ? Shape{columns, depth} : Shape{depth, columns})) continue;
      std::vector<double> taken;
      for (int64_t i = 0; i < rows; ++i) {
        const int64_t row = i * depth / rows;
        for (int64_t c = 0; c < columns; ++c) {
          const int64_t at = swapped ? c * depth + row : row * columns + c;
          taken.push_back(numbers[static_cast<size_t>(at)]);
        }
      }
      DequantizedView reals(std::move(taken));
      const NoiseStats noise_stats = NoiseStatsOf(reals, *weights.reals, other.pool());
      if (std::abs(noise_stats.cosine) <= greatest) continue;
      greatest = std::abs(noise_stats.cosine);
      weights.partner = r;
      weights.partner_reals = std::move(reals);
      weights.noise_stats = noise_stats;
    }
  }
  return weights.partner == kNone ? std::nullopt : std::optional(std::move(weights));
}

}  // namespace

bool HasPackedWeights(const std::string& op_type) {
  return op_type == "MatMulNBits" || op_type == "MatMulBnb4";
}

bool ReadsQuantized(const SideValues& side, const std::vector<int>& region) {
  return std::any_of(region.begin(), region.end(), [&](int n) {
    const std::string& op_type = side.graph().node(n).made->op_type;
    if (Quantizes(op_type) && op_type != "DequantizeLinear" && op_type != "QuantizeLinear" &&
        op_type != "DynamicQuantizeLinear") {
      return true;
    }
    const std::vector<int> reads = side.graph().Reads(n);
    return std::any_of(reads.begin(), reads.end(), [&](int r) {
      return side.IsFixed(r) && !side.all_params().IsParameter(r) &&
             (IntegersAfter(side, r) != kNone ||
              (side.all_params().of(r).has_value() && side.graph().result(r).fingerprint.size > 1));
    });
  });
}

std::vector<QuantizedWeights> WeightsOf(const CounterpartRun& run, const std::vector<int>& region,
                                        int partner) {
  const SideValues& side = run.quantized();
  const WeightsFinder finder(run, partner);
  std::vector<QuantizedWeights> found;
  absl::flat_hash_set<int> seen;
  for (const int n : region) {
    const StreamNode& made = *side.graph().node(n).made;
    if (HasPackedWeights(made.op_type)) {
      if (auto weights = Unpacked(run, n, partner)) found.push_back(*std::move(weights));
      continue;
    }
    const bool integer_product = made.op_type == "MatMulInteger" || made.op_type == "ConvInteger";
    for (size_t slot = 0; slot < made.inputs.size(); ++slot) {
      const int r = made.inputs[slot];
      if (r == kNone || !side.IsFixed(r) || side.all_params().IsParameter(r) ||
          !seen.insert(r).second) {
        continue;
      }
      QuantizedWeights weights;
      weights.result = r;
      if (IsFloatingPoint(side.graph().result(r).dtype)) {
        weights.integers = IntegersAfter(side, r);
        if (weights.integers == kNone) continue;
        weights.reals = side.RealsOf(r);
      } else if (integer_product && slot == 1 && side.value(r).is_tensor()) {
        weights.integers = r;
        weights.scaled = false;
        const int zero = made.inputs.size() > 3 ? made.inputs[3] : kNone;
        QuantParamValues params;
        params.zero_points =
            zero == kNone ? std::vector<double>{0} : ElementsOf(side.value(zero).tensor());
        if (params.zero_points.empty()) continue;
        // Several zero points: one for each column.
        params.scales.assign(params.zero_points.size(), 1);
        params.axis = side.value(r).tensor().rank() - 1;
        if (!params.per_tensor() &&
            (params.axis < 0 ||
             side.value(r).tensor().shape().back() != static_cast<int64_t>(params.scales.size()))) {
          continue;
        }
        if (params.per_tensor()) weights.zero_point = zero;
        weights.reals = DequantizedView(side.value(r).tensor(), std::move(params));
      } else {
        weights.reals = side.RealsOf(r);
        weights.integers = r;
      }
      if (!weights.reals.has_value() || weights.reals->size() < 2) continue;
      weights.shape = *side.graph().result(r).shape;
      if (!finder.Match(&weights, *weights.shape)) continue;
      finder.Describe(&weights);
      if (!weights.scaled) {
        const LeastSquaresLine fit =
            LineThrough(*weights.reals, *weights.partner_reals, side.pool());
        QuantParamValues params = *weights.reals->params();
        if (params.per_tensor() && fit.slope != 0) weights.moved = -fit.offset / fit.slope;
        for (double& scale : params.scales) scale *= fit.slope;
        weights.reals = DequantizedView(weights.reals->tensor(), std::move(params));
        weights.noise_stats = NoiseStatsOf(*weights.partner_reals, *weights.reals, side.pool());
      }
      found.push_back(std::move(weights));
    }
  }
  return found;
}

}  // namespace onnxcmp
