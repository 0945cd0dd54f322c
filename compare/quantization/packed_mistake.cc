#include "compare/quantization/packed_mistake.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "compare/quantization/quantized_weights.h"
#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

// Exchanges the two numbers of each byte.
Value HalvesExchanged(const Tensor& bytes) {
  const absl::StatusOr<Tensor> contiguous = bytes.Contiguous();
  if (!contiguous.ok()) return Value();
  std::vector<uint8_t> exchanged;
  for (const uint8_t byte : contiguous->AsSpan<uint8_t>()) {
    exchanged.push_back(static_cast<uint8_t>((byte << 4) | (byte >> 4)));
  }
  return Tensor::Of(bytes.shape(), exchanged);
}

// The order of AWQ's eight numbers in a word, and back.
constexpr std::array<size_t, 8> kAwqOrder = {0, 2, 4, 6, 1, 3, 5, 7};
constexpr std::array<size_t, 8> kAwqInverse = {0, 4, 1, 5, 2, 6, 3, 7};

// Packed integers with each eight numbers of a column, or each eight columns, in another order;
// empty if they do not come in eights.
Value InOrder(const Tensor& bytes, const std::array<size_t, 8>& order, bool of_columns) {
  const absl::StatusOr<Tensor> contiguous = bytes.Contiguous();
  const size_t columns = bytes.shape().empty() ? 0 : static_cast<size_t>(bytes.shape()[0]);
  if (!contiguous.ok() || columns == 0) return Value();
  const absl::Span<const uint8_t> from = contiguous->AsSpan<uint8_t>();
  const size_t size = from.size() / columns;
  if (of_columns ? columns % 8 != 0 : size % 4 != 0) return Value();
  std::vector<uint8_t> moved(from.size());
  for (size_t i = 0; i < 2 * from.size(); ++i) {
    const size_t column = i / 2 / size;
    const size_t taken = of_columns ? i + 2 * size * (column / 8 * 8 + order[column % 8] - column)
                                    : i / 8 * 8 + order[i % 8];
    const int half = (from[taken / 2] >> (taken % 2 * 4)) & 15;
    moved[i / 2] = static_cast<uint8_t>(moved[i / 2] | (half << (i % 2 * 4)));
  }
  return Tensor::Of(bytes.shape(), moved);
}

class PackedDiagnosis {
 public:
  PackedDiagnosis(const CounterpartRun& run, const Node& node, int n)
      : run_(run),
        side_(run.quantized()),
        made_(*side_.graph().node(n).made),
        n_(n),
        depth_(IntAttribute(node, "K").value_or(0)),
        columns_(IntAttribute(node, "N").value_or(0)),
        bits_(IntAttribute(node, "bits").value_or(4)),
        block_(IntAttribute(node, "block_size").value_or(32)),
        rows_(std::max<int64_t>(1, depth_), std::max<int64_t>(1, block_)),
        order_(OrderOfInput()) {}

  Mistake Find(int result, bool* looked_at) {
    if (depth_ <= 0 || columns_ <= 0 || block_ <= 0 || At(kPackedSlot) == kNone ||
        At(kScalesSlot) == kNone || !side_.value(At(kScalesSlot)).is_tensor()) {
      return {};
    }
    FindCounterparts(run_.partner(result));
    if (counterparts_.empty()) return {};
    const std::optional<DequantizedView> plain = Unpacked(kNone, Value());
    if (!plain.has_value()) return {};
    const Fit fit = FitOf(*plain);
    *looked_at = fit.noise < kUnlike;
    // If the layer itself is right, another constant compensates: something is folded in.
    const double own = run_.LocalNoise(result).noise;
    if (run_.partner(result) != kNone && own < 0.5 * std::min(fit.noise, 1.0)) return {};
    Mistake found = OfOrder(fit.noise, looked_at);
    // Without a result, something may be folded in, which changes blocks legitimately.
    if (!found.empty() || fit.noise >= kUnlike || run_.partner(result) == kNone) return found;
    return OfBlocks(*plain, counterparts_[fit.counterpart]);
  }

 private:
  // Noise from which on two matrices are unrelated.
  static constexpr double kUnlike = 0.9;

  struct Fit {
    double noise = 1e300;
    size_t counterpart = 0;
  };

  int At(size_t slot) const { return slot < made_.inputs.size() ? made_.inputs[slot] : kNone; }
  const std::string& Name(size_t slot) const { return side_.graph().result(At(slot)).name; }

  // The examined rows, unpacked by multiplying unit vectors.
  std::optional<DequantizedView> Unpacked(int constant, const Value& instead) const {
    const SideGraph& graph = side_.graph();
    std::vector<double> units(static_cast<size_t>(rows_.count() * depth_));
    for (int64_t i = 0; i < rows_.count(); ++i) {
      units[static_cast<size_t>(i * depth_ + rows_.At(i))] = 1;
    }
    const absl::StatusOr<Tensor> first =
        InFloats(DequantizedView(std::move(units)), {rows_.count(), depth_},
                 graph.result(At(0)).dtype, nullptr);
    if (!first.ok()) return std::nullopt;
    const Value product = *first;
    Value zero;
    if (At(kBiasOfPacked) != kNone) {
      zero = side_.InFormOf(At(kBiasOfPacked),
                            DequantizedView(std::vector<double>(static_cast<size_t>(columns_))));
    }
    const absl::StatusOr<std::vector<Value>> outputs = graph.Run(n_, [&](int r) -> const Value& {
      // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): it outlives the run.
      if (r == constant) return instead;
      return r == At(0) ? product : r == At(kBiasOfPacked) ? zero : run_.held(r);
    });
    if (!outputs.ok() || outputs->empty() || !(*outputs)[0].is_tensor()) return std::nullopt;
    DequantizedView reals((*outputs)[0].tensor());
    if (reals.size() != rows_.count() * columns_) return std::nullopt;
    return reals;
  }

  // The order that a Gather before the node takes its input in, as GPTQ sorts by activation: packed
  // row i is the other side's row order[i]. Empty if there is none.
  std::vector<int64_t> OrderOfInput() const {
    const SideGraph& graph = side_.graph();
    const int n = At(0) == kNone ? kNone : graph.producer(At(0));
    if (n == kNone || graph.node(n).node == nullptr || graph.node(n).made->op_type != "Gather") {
      return {};
    }
    const std::optional<Shape>& shape = graph.result(At(0)).shape;
    const int indices = graph.node(n).made->inputs[1];
    const int64_t axis = IntAttribute(*graph.node(n).node, "axis").value_or(0);
    if (!shape.has_value() || indices == kNone || !side_.IsFixed(indices) ||
        (axis != -1 && axis != static_cast<int64_t>(shape->size()) - 1)) {
      return {};
    }
    std::vector<int64_t> order;
    for (const double index : ElementsOf(side_.value(indices).tensor())) {
      order.push_back(
          static_cast<int64_t>(index < 0 ? index + static_cast<double>(depth_) : index));
    }
    std::vector<int64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (int64_t i = 0; i < static_cast<int64_t>(sorted.size()); ++i) {
      if (sorted[static_cast<size_t>(i)] != i) return {};
    }
    return static_cast<int64_t>(order.size()) == depth_ ? order : std::vector<int64_t>();
  }
  // The other side's row for an examined one.
  int64_t RowOf(int64_t i) const {
    return order_.empty() ? rows_.At(i) : order_[static_cast<size_t>(rows_.At(i))];
  }

  // The same rows of the other side's matrices of that size; only those of the partner's inputs, if
  // there are any.
  void FindCounterparts(int partner) {
    const SideGraph& graph = run_.other().graph();
    for (const int r : graph.Before(partner)) AddCounterpart(r);
    if (!counterparts_.empty()) return;
    for (const int r : graph.results()) AddCounterpart(r);
  }
  void AddCounterpart(int r) {
    const SideValues& other = run_.other();
    const StreamResult& known = other.graph().result(r);
    if (counterparts_.size() >= work_bounds::kCandidates || !other.IsFixed(r) ||
        !known.shape.has_value() || known.shape->size() != 2 ||
        known.fingerprint.size != depth_ * columns_) {
      return;
    }
    const std::optional<DequantizedView> measured = other.RealsOf(r);
    if (!measured.has_value()) return;
    const std::vector<double> numbers = measured->All();
    for (const bool swapped : {false, true}) {
      if (*known.shape != (swapped ? Shape{columns_, depth_} : Shape{depth_, columns_})) continue;
      std::vector<double>& taken = counterparts_.emplace_back();
      for (int64_t i = 0; i < rows_.count(); ++i) {
        for (int64_t c = 0; c < columns_; ++c) {
          const int64_t at = swapped ? c * depth_ + RowOf(i) : RowOf(i) * columns_ + c;
          taken.push_back(numbers[static_cast<size_t>(at)]);
        }
      }
    }
  }

  Fit FitOf(const DequantizedView& ours) const {
    Fit best;
    for (size_t i = 0; i < counterparts_.size(); ++i) {
      const double noise =
          NoiseStatsOf(DequantizedView(counterparts_[i]), ours, side_.pool()).noise;
      if (noise < best.noise) best = {noise, i};
    }
    return best;
  }

  // The mistake if the same numbers in another order fit far better.
  Mistake OfOrder(double plain, bool* looked_at) const {
    Mistake found;
    const auto try_order = [&](size_t slot, const Value& instead, absl::string_view what) {
      if (!found.empty() || instead.empty()) return;
      const std::optional<DequantizedView> reals = Unpacked(At(slot), instead);
      if (!reals.has_value()) return;
      const double noise = FitOf(*reals).noise;
      if (noise > 0.5 * plain) return;
      *looked_at = true;
      const std::string with =
          noise > 0 ? absl::StrFormat("are %.3g dB from the other side's", Decibels(noise))
                    : "have the other side's bits";
      found = {absl::StrFormat("%s: with %s the weights %s, as they are %.3g dB", Name(slot), what,
                               with, Decibels(plain)),
               At(slot)};
    };
    for (const size_t slot : {kPackedSlot, kZeroPointsSlot}) {
      if (bits_ != 4 || At(slot) == kNone || !run_.held(At(slot)).is_tensor()) continue;
      const Tensor& bytes = run_.held(At(slot)).tensor();
      if (bytes.dtype() != DType::kUint8) continue;
      try_order(slot, HalvesExchanged(bytes), "the two halves of each byte exchanged");
      if (slot != kPackedSlot) continue;
      for (const bool of_columns : {false, true}) {
        const absl::string_view what = of_columns
                                           ? "each eight columns in another order, which is AWQ's,"
                                           : "each eight numbers in another order, which is AWQ's,";
        try_order(slot, InOrder(bytes, kAwqOrder, of_columns), what);
        try_order(slot, InOrder(bytes, kAwqInverse, of_columns), what);
      }
    }
    const std::optional<DequantizedView> scales = side_.RealsOf(At(kScalesSlot));
    const int64_t blocks = (depth_ + block_ - 1) / block_;
    if (scales.has_value() && scales->size() == columns_ * blocks && blocks > 1 && columns_ > 1) {
      const std::vector<double> numbers = scales->All();
      std::vector<double> transposed;
      for (int64_t c = 0; c < columns_; ++c) {
        for (int64_t b = 0; b < blocks; ++b) {
          transposed.push_back(numbers[static_cast<size_t>(b * columns_ + c)]);
        }
      }
      try_order(kScalesSlot,
                side_.InFormOf(At(kScalesSlot), DequantizedView(std::move(transposed))),
                "the scales read block by block rather than column by column");
    }
    return found;
  }

  // The mistake if blocks are shifted or scaled.
  Mistake OfBlocks(const DequantizedView& plain, const std::vector<double>& theirs) const {
    constexpr double kFewest = 8;
    constexpr double kMovedSteps = 0.75;
    constexpr double kApart = 0.2;      // in steps squared: correct rounding makes a twelfth
    constexpr double kExplained = 0.3;  // greatest share of the squares that remains
    const std::optional<DequantizedView> scales = side_.RealsOf(At(kScalesSlot));
    const int64_t blocks = (depth_ + block_ - 1) / block_;
    if (!scales.has_value() || scales->size() != columns_ * blocks) return {};
    const std::vector<double> steps = scales->All();
    const std::vector<double> ours = plain.All();
    // Moments of our weights and the other side's, in steps.
    std::vector<PairMoments> sums(steps.size());
    for (int64_t i = 0; i < rows_.count(); ++i) {
      for (int64_t c = 0; c < columns_; ++c) {
        const auto k = static_cast<size_t>(c * blocks + rows_.At(i) / block_);
        const auto at = static_cast<size_t>(i * columns_ + c);
        if (steps[k] == 0) continue;
        sums[k].Add(Counting().Moments(ours[at] / steps[k], theirs[at] / steps[k]));
      }
    }
    struct {
      size_t blocks = 0;
      size_t worst = 0;
    } moved, scaled;
    size_t measured = 0;
    for (size_t k = 0; k < sums.size(); ++k) {
      const PairMoments& block = sums[k];
      const auto count = static_cast<double>(block.sums.count);
      if (count < kFewest) continue;
      ++measured;
      if (block.sums.differences < kApart * count) continue;
      const double left = std::min(block.AfterOffset(), block.AfterFactor());
      if (left > kExplained * block.sums.differences) continue;
      if (left == block.AfterOffset()) {
        if (std::abs(block.Offset()) < kMovedSteps) continue;
        if (moved.blocks++ == 0 ||
            std::abs(block.Offset()) > std::abs(sums[moved.worst].Offset())) {
          moved.worst = k;
        }
      } else if (block.Factor() > 0 &&
                 std::abs(block.Factor() - 1) > thresholds::kMostCommonFactor) {
        if (scaled.blocks++ == 0 ||
            std::abs(std::log(block.Factor())) > std::abs(std::log(sums[scaled.worst].Factor()))) {
          scaled.worst = k;
        }
      }
    }
    const auto place = [&](size_t k) {
      return absl::StrFormat("column %d, block %d", static_cast<int64_t>(k) / blocks,
                             static_cast<int64_t>(k) % blocks);
    };
    if (moved.blocks > 0 && moved.blocks >= scaled.blocks) {
      const double off = sums[moved.worst].Offset();
      std::string text = absl::StrFormat(
          "in %d of %d blocks the weights are moved, in %s by about %.2g steps: ", moved.blocks,
          measured, place(moved.worst), -off);
      if (At(kZeroPointsSlot) == kNone) {
        return {absl::StrCat(text, "no zero points are given, and the integers ask for some"),
                At(kPackedSlot)};
      }
      return {absl::StrCat(text, "zero points ", Name(kZeroPointsSlot), " are too ",
                           off > 0 ? "great" : "small"),
              At(kZeroPointsSlot)};
    }
    if (scaled.blocks == 0) return {};
    return {absl::StrFormat("scales %s are wrong in %d of %d blocks: in %s it is %.3g times what "
                            "it should be",
                            Name(kScalesSlot), scaled.blocks, measured, place(scaled.worst),
                            1 / sums[scaled.worst].Factor()),
            At(kScalesSlot)};
  }

  const CounterpartRun& run_;
  const SideValues& side_;
  const StreamNode& made_;
  const int n_;
  const int64_t depth_;
  const int64_t columns_;
  const int64_t bits_;
  const int64_t block_;
  const PackedRows rows_;
  const std::vector<int64_t> order_;
  std::vector<std::vector<double>> counterparts_;
};

}  // namespace

PackedRows::PackedRows(int64_t depth, int64_t block)
    : block_(block),
      chunk_(std::min<int64_t>({depth, block, work_bounds::kManyCandidates})),
      chunks_(0),
      blocks_(std::max<int64_t>(1, depth / block)),
      count_(0) {
  // Small matrices are taken whole, with the last block, which may be shorter.
  if (depth <= work_bounds::kManyCandidates) chunk_ = depth, blocks_ = 1;
  chunks_ = std::clamp<int64_t>(work_bounds::kManyCandidates / chunk_, 1, blocks_);
  count_ = chunk_ * chunks_;
}

int64_t PackedRows::At(int64_t i) const {
  return i / chunk_ * blocks_ / chunks_ * block_ + i % chunk_;
}

Mistake PackedMistake(const CounterpartRun& run, int n, int result, bool* looked_at) {
  const Node* node = run.quantized().graph().node(n).node;
  if (node == nullptr) return {};
  return PackedDiagnosis(run, *node, n).Find(result, looked_at);
}

}  // namespace onnxcmp
