#include "compare/recorded/layouts.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "compare/alignment/recorded_reach.h"
#include "compare/recorded/blocked_layouts.h"
#include "compare/recorded/layout_name.h"
#include "compare/recorded/row_order.h"
#include "compare/sides/recorded_layout.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/work_bounds.h"
#include "record/differences/precision.h"
#include "record/differences/tolerance.h"
#include "record/streams/fingerprint.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostAxes = 5;

// Two results within this distance are the same up to coarse types; unrelated results are about 1
// apart.
constexpr double kSameInLayout = 3e-2;

struct FoundLayouts {
  absl::btree_map<int, RecordedLayout> layouts;  // by recorded result
  // Results whose elements were recorded in order, too: transpositions, and nobody's layout.
  absl::flat_hash_set<int> turned;
};

class LayoutFinder {
 public:
  LayoutFinder(const PerSide<RecordedSide>& sides, SideId side, const PairValues::Watch& watch)
      : sides_(sides),
        side_(side),
        watch_(watch),
        own_(*sides[side].stream),
        other_(*sides[Other(side)].stream) {
    for (const StreamResult& result : own_.results) {
      if (IsFloatingPoint(result.dtype)) passed_ = LessPrecise(passed_, result.precision);
    }
    for (size_t r = 0; r < other_.results.size(); ++r) {
      const StreamResult& result = other_.results[r];
      contents_.insert(result.fingerprint.content);
      if (result.kind == ResultKind::kInput) fed_.insert(result.fingerprint.content);
      if (result.shape.has_value()) {
        shapes_.insert(*result.shape);
        named_.try_emplace(result.name, *result.shape);
      }
      if (result.kind == ResultKind::kOutput || !IsCandidate(result)) continue;
      by_size_[{result.fingerprint.size, result.fingerprint.kind}].push_back(static_cast<int>(r));
    }
  }

  absl::StatusOr<FoundLayouts> Find() {
    OC_RETURN_IF_ERROR(FindAxes());
    OC_RETURN_IF_ERROR(FindBlocks());
    TakeMostUsual();
    OC_RETURN_IF_ERROR(FindRows());
    TakeUsualRows();
    return FoundLayouts{std::move(layouts_), std::move(turned_)};
  }

 private:
  static bool IsCandidate(const StreamResult& result) {
    return result.shape.has_value() && result.depth == 0 && result.fingerprint.has_sketch &&
           result.fingerprint.size > kHandful && BitWidth(result.dtype) >= 8;
  }
  const StreamResult& Own(int r) const { return own_.results[Index(r)]; }
  const std::vector<int>& OfItsSize(const StreamResult& result) const {
    static const std::vector<int>* const kNobody = new std::vector<int>();
    const auto it = by_size_.find({result.fingerprint.size, result.fingerprint.kind});
    return it == by_size_.end() ? *kNobody : it->second;
  }
  static double DistanceOf(const Fingerprint& own, const StreamResult& other) {
    // Integers are either equal or different.
    if (own.kind != ElementKind::kFloat) {
      return own.bits == other.fingerprint.bits ? 0 : std::numeric_limits<double>::infinity();
    }
    return SketchDistance(own, other.fingerprint);
  }

  // The limit for one of the other side's results, which quantization on the way moves further.
  double LimitOf(const StreamResult& other, double of_floats) const {
    const DType passed = LessPrecise(other.precision, passed_);
    return IsInteger(passed) ? std::max(of_floats, ToleranceOfQuantized(passed).whole) : of_floats;
  }

  // The other side's nearest result in the result's own order; one of its shape if any is near.
  int NearestInOrder(const StreamResult& result) const {
    int best = kNone;
    std::pair<bool, double> least = {true, 0};
    for (const int o : OfItsSize(result)) {
      const StreamResult& other = other_.results[Index(o)];
      const bool has_shape = other.shape == result.shape;
      const double distance = DistanceOf(result.fingerprint, other);
      const std::pair<bool, double> rank = {!has_shape, distance};
      const double limit = has_shape ? LimitOf(other, kSameInLayout) : kSameInLayout;
      if (distance > limit || (best != kNone && rank >= least)) continue;
      best = o;
      least = rank;
    }
    return best;
  }

  bool HaveSameMoments(const Fingerprint& a, const StreamResult& other) const {
    const Fingerprint& b = other.fingerprint;
    if (a.kind != ElementKind::kFloat) return a.elements == b.elements;
    if (!a.rich || !b.rich || !a.finite || !b.finite) return false;
    const Numbers& ours = a.numbers();
    const Numbers& theirs = b.numbers();
    const double rms = std::max(ours.plain.rms, theirs.plain.rms);
    const double limit = LimitOf(other, kSameInLayout);
    if (!(std::abs(ours.plain.rms - theirs.plain.rms) <= limit * rms)) return false;
    const double within = limit * std::max(ours.moments[1], theirs.moments[1]);
    for (const size_t m : {size_t{0}, size_t{1}, size_t{2}}) {
      if (!(std::abs(ours.moments[m] - theirs.moments[m]) <= within)) return false;
    }
    return true;
  }

  absl::Status FindAxes() {
    std::vector<bool> wanted(own_.results.size());
    for (size_t i = 0; i < own_.results.size(); ++i) {
      const auto r = static_cast<int>(i);
      const StreamResult& result = own_.results[i];
      if (result.kind == ResultKind::kOutput && result.source != kNone) continue;
      if (!IsCandidate(result) || !result.fingerprint.rich) continue;
      if (contents_.contains(result.fingerprint.content)) {
        in_order_.insert(result.fingerprint.content);
        // Inputs are fed as the model wants them, whatever the layout of the rest.
        if (!fed_.contains(result.fingerprint.content)) {
          ++votes_[static_cast<int>(result.shape->size())][{}];
        }
        found_.insert(r);
        continue;
      }
      if (const int o = NearestInOrder(result); o != kNone) {
        found_.insert(r);
        in_order_.insert(other_.results[Index(o)].fingerprint.content);
        const Shape& shape = *other_.results[Index(o)].shape;
        if (shape == *result.shape) {
          ++votes_[static_cast<int>(shape.size())][{}];
        } else {
          layouts_[r] = {{}, {}, shape};
          ++reshaped_[*result.shape][shape];
        }
        continue;
      }
      const Shape sizes = SortedSizes(WithoutOnes(*result.shape));
      if (sizes.size() < 2 || sizes.size() > kMostAxes) continue;
      wanted[i] = absl::c_any_of(OfItsSize(result), [&](int o) {
        const StreamResult& other = other_.results[Index(o)];
        return SortedSizes(WithoutOnes(*other.shape)) == sizes &&
               HaveSameMoments(result.fingerprint, other);
      });
    }
    return VisitAgain(sides_[side_], "", nullptr, wanted,
                      [&](int r, const Value& value) { return TryOrders(r, value); });
  }

  // Finds results with blocks of channels on one side.
  absl::Status FindBlocks() {
    std::vector<bool> open(own_.results.size());
    for (size_t i = 0; i < open.size(); ++i) open[i] = IsOpen(static_cast<int>(i));
    OC_ASSIGN_OR_RETURN(const auto found, FindBlockedLayouts(sides_[side_], other_, open));
    for (const auto& [r, layout] : found) {
      layouts_.insert_or_assign(r, layout);
      found_.insert(r);
    }
    return absl::OkStatus();
  }
  // True for values without a match that would tell it.
  bool IsOpen(int r) const {
    const StreamResult& result = Own(r);
    return IsCandidate(result) && result.fingerprint.rich && !found_.contains(r) &&
           !(result.kind == ResultKind::kOutput && result.source != kNone);
  }

  // Finds an order of axes in which a result is near one of the other side's.
  absl::Status TryOrders(int r, const Value& value) {
    const StreamResult& result = Own(r);
    std::vector<int> axes;  // axes of more than one element
    std::vector<int> ones;
    for (size_t a = 0; a < result.shape->size(); ++a) {
      ((*result.shape)[a] == 1 ? ones : axes).push_back(static_cast<int>(a));
    }
    const auto rank = static_cast<int>(result.shape->size());
    std::optional<RecordedLayout> best;
    bool is_copy = false;  // the recording has it in order, too
    double least = std::numeric_limits<double>::infinity();
    // Its own order may be the nearest, if none is near enough to be taken for the same.
    for (const int o : OfItsSize(result)) {
      const StreamResult& other = other_.results[Index(o)];
      if (other.shape == result.shape) {
        least = std::min(least, DistanceOf(result.fingerprint, other));
      }
    }
    const std::vector<int> in_order = axes;
    do {
      if (axes == in_order) continue;
      RecordedLayout layout = {ones, {}, {}};
      layout.axes.insert(layout.axes.end(), axes.begin(), axes.end());
      const Shape sizes = PermutedShape(*result.shape, axes);
      // If a single result keeps its shape, another order is an error, not a layout, unless most of
      // the recording has it (TakeMostUsual).
      if (sizes == WithoutOnes(*result.shape)) continue;
      layout.shape = sizes;
      std::vector<int> candidates;
      for (const int o : OfItsSize(result)) {
        const StreamResult& other = other_.results[Index(o)];
        if (WithoutOnes(*other.shape) == sizes && HaveSameMoments(result.fingerprint, other)) {
          candidates.push_back(o);
        }
      }
      if (candidates.empty()) continue;
      OC_ASSIGN_OR_RETURN(const Value turned, InLayout(value, layout));
      const Fingerprint fingerprint = FingerprintOf(turned);
      for (const int o : candidates) {
        const StreamResult& other = other_.results[Index(o)];
        double distance = DistanceOf(fingerprint, other);
        layout.shape = *other.shape;
        const bool usual = rank >= 3 &&
                           SameOrder(*result.shape, layout.axes, ChannelsFirstAxes(rank)) &&
                           PermutedShape(*result.shape, ChannelsFirstAxes(rank)) == layout.shape;
        // A usual order of axes is preferred to another one that fits slightly better by chance.
        if (usual) distance /= 1.5;
        if (distance >= std::min(least, LimitOf(other, 2 * kSameInLayout))) continue;
        least = distance;
        best = layout;
        is_copy = in_order_.contains(other.fingerprint.content);
        if (usual) best->axes = ChannelsFirstAxes(rank);
      }
    } while (std::next_permutation(axes.begin(), axes.end()));
    if (!best.has_value()) return absl::OkStatus();
    // Both of what a Transpose reads and gives were recorded: that is nobody's layout.
    if (is_copy) {
      turned_.insert(r);
    } else {
      ++votes_[rank][best->axes];
    }
    layouts_[r] = *std::move(best);
    found_.insert(r);
    return absl::OkStatus();
  }

  // True if two orders differ only in the place of axes of one element.
  static bool SameOrder(const Shape& shape, const std::vector<int>& a, const std::vector<int>& b) {
    const auto telling = [&](const std::vector<int>& axes) {
      std::vector<int> rest;
      for (const int axis : axes) {
        if (shape[static_cast<size_t>(axis)] != 1) rest.push_back(axis);
      }
      return rest;
    };
    return telling(a) == telling(b);
  }

  // Results without a match are assumed to be in the order of most others; so are those that match
  // in another order, if their sizes would allow that of the others.
  void TakeMostUsual() {
    for (auto& [r, layout] : layouts_) {
      if (layout.axes.empty() || turned_.contains(r)) continue;
      const Shape& shape = *Own(r).shape;
      const std::vector<int> axes = MostUsual(static_cast<int>(shape.size()));
      if (!axes.empty() && !SameOrder(shape, axes, layout.axes) &&
          PermutedShape(shape, axes) == layout.shape) {
        layout.axes = axes;
      }
    }
    for (size_t i = 0; i < own_.results.size(); ++i) {
      const auto r = static_cast<int>(i);
      const StreamResult& result = own_.results[i];
      if (!result.shape.has_value() || found_.contains(r) || layouts_.contains(r) ||
          result.kind == ResultKind::kOutput || BitWidth(result.dtype) < 8) {
        continue;
      }
      const std::vector<int> axes = MostUsual(static_cast<int>(result.shape->size()));
      // Its shape would tell, unless it is the same in that order.
      const bool may_tell = axes.empty() || PermutedShape(*result.shape, axes) != *result.shape;
      if (may_tell && HasNamesake(result)) continue;
      if (const std::optional<Shape> shape = MostUsualShape(*result.shape); shape.has_value()) {
        layouts_[r] = {{}, {}, *shape};
        continue;
      }
      if (axes.empty()) continue;
      const Shape shape = PermutedShape(*result.shape, axes);
      if (shapes_.contains(shape)) layouts_[r] = {axes, {}, shape};
    }
  }

  // True if the other side has a result of this name and shape: then it is in its order, however
  // wrong.
  bool HasNamesake(const StreamResult& result) const {
    const auto it = named_.find(result.name);
    return it != named_.end() && it->second == *result.shape;
  }

  // A shape that the other side lacks is shown as most of it are, else with a batch axis of one.
  std::optional<Shape> MostUsualShape(const Shape& shape) const {
    if (shapes_.contains(shape)) return std::nullopt;
    const auto it = reshaped_.find(shape);
    if (it != reshaped_.end()) {
      const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
      return absl::c_max_element(it->second, fewer)->first;
    }
    std::optional<Shape> with_batch = Shape{1};
    with_batch->insert(with_batch->end(), shape.begin(), shape.end());
    return shapes_.contains(*with_batch) ? with_batch : std::nullopt;
  }

  // The most usual order of results of a rank, by those with a match; if there are none, by their
  // shapes. A fault may put a few in an order that nobody uses.
  std::vector<int> MostUsual(int rank) {
    if (rank < 3) return {};
    const auto it = votes_.find(rank);
    if (it != votes_.end()) {
      int all = 0;
      for (const auto& [axes, count] : it->second) all += count;
      const auto is_used = [&](const auto& vote) {
        return vote.first.empty() || vote.first == ChannelsFirstAxes(rank);
      };
      for (const auto& vote : it->second) {
        if (2 * vote.second > all && (is_used(vote) || vote.second >= kSeveralAlike))
          return vote.first;
      }
      if (absl::c_any_of(it->second, is_used)) return {};
    }
    int last = 0;
    int as_it_is = 0;
    for (const StreamResult& result : own_.results) {
      if (!result.shape.has_value() || static_cast<int>(result.shape->size()) != rank ||
          result.kind == ResultKind::kOutput) {
        continue;
      }
      const bool is = shapes_.contains(*result.shape);
      const bool turned = shapes_.contains(PermutedShape(*result.shape, ChannelsFirstAxes(rank)));
      last += turned && !is ? 1 : 0;
      as_it_is += is && !turned ? 1 : 0;
    }
    return last > as_it_is ? ChannelsFirstAxes(rank) : std::vector<int>();
  }

  // Finds other orders of rows, for results without a match.
  absl::Status FindRows() {
    std::vector<ResultPair> pairs;
    for (size_t i = 0; i < own_.results.size(); ++i) {
      const auto r = static_cast<int>(i);
      const StreamResult& result = own_.results[i];
      if (!IsOpen(r) || result.shape->size() < 2 ||
          result.fingerprint.kind != ElementKind::kFloat) {
        continue;
      }
      const auto laid_out = layouts_.find(r);
      const Shape& shape = laid_out == layouts_.end() ? *result.shape : laid_out->second.shape;
      for (const int o : OfItsSize(result)) {
        const StreamResult& other = other_.results[Index(o)];
        if (pairs.size() >= work_bounds::kCandidates || other.shape != shape ||
            !HaveSameMoments(result.fingerprint, other)) {
          continue;
        }
        ResultPair& pair = pairs.emplace_back();
        OfSide(pair, side_) = r;
        OfSide(pair, Other(side_)) = o;
      }
    }
    if (pairs.empty()) return absl::OkStatus();
    constexpr int64_t kHeld = int64_t{64} << 20;
    PairValues values(sides_, kHeld, watch_);
    return values.ForEach(pairs, [&](size_t i, const Value& left, const Value& right) {
      const int r = OfSide(pairs[i], side_);
      if (found_.contains(r)) return absl::OkStatus();
      const Value& own = side_ == SideId::kLeft ? left : right;
      const Value& other = side_ == SideId::kLeft ? right : left;
      const auto laid_out = layouts_.find(r);
      RecordedLayout layout =
          laid_out == layouts_.end() ? RecordedLayout{{}, {}, *Own(r).shape} : laid_out->second;
      const absl::StatusOr<Value> turned = InLayout(own, layout);
      if (!turned.ok() || !other.is_tensor()) return absl::OkStatus();
      std::optional<std::vector<int64_t>> rows =
          FindRowOrder(turned->tensor(), other.tensor(), kSameInLayout);
      if (!rows.has_value()) return absl::OkStatus();
      layout.rows = *std::move(rows);
      layouts_[r] = std::move(layout);
      found_.insert(r);
      return absl::OkStatus();
    });
  }

  // Results without a match have their rows in the order of most others.
  void TakeUsualRows() {
    absl::btree_map<std::vector<int64_t>, int> votes;
    for (const auto& [r, layout] : layouts_) votes[layout.rows] += layout.rows.empty() ? 0 : 1;
    for (const auto& [rows, count] : votes) {
      if (count < kSeveralAlike || 2 * count < static_cast<int>(found_.size())) continue;
      for (size_t i = 0; i < own_.results.size(); ++i) {
        const auto r = static_cast<int>(i);
        if (!IsOpen(r)) continue;
        const auto it = layouts_.find(r);
        RecordedLayout layout =
            it == layouts_.end() ? RecordedLayout{{}, {}, *Own(r).shape} : it->second;
        if (layout.shape.size() < 2 || layout.shape[0] != std::ssize(rows)) continue;
        layout.rows = rows;
        layouts_.insert_or_assign(r, layout);
      }
    }
  }

  const PerSide<RecordedSide>& sides_;
  const SideId side_;
  const PairValues::Watch& watch_;
  const ResultStream& own_;
  const ResultStream& other_;
  DType passed_ = DType::kUndefined;  // the coarsest type that recorded floats passed through
  absl::flat_hash_set<Hash128> contents_;
  absl::flat_hash_set<Hash128> in_order_;  // contents that were recorded in order
  absl::flat_hash_set<Hash128> fed_;       // contents of the other side's inputs
  absl::flat_hash_set<Shape> shapes_;
  absl::flat_hash_map<absl::string_view, Shape> named_;  // shapes by name
  // By recorded shape: how often it was found in which of the other side's.
  absl::btree_map<Shape, absl::btree_map<Shape, int>> reshaped_;
  absl::flat_hash_map<std::pair<int64_t, ElementKind>, std::vector<int>> by_size_;
  absl::btree_map<int, RecordedLayout> layouts_;
  absl::flat_hash_set<int> turned_;  // FoundLayouts::turned
  absl::flat_hash_set<int> found_;   // results near one of the other side's
  // By rank: number of results with each order of axes; {}: the other side's order.
  absl::btree_map<int, absl::btree_map<std::vector<int>, int>> votes_;
};

// Shows results in their layouts.
absl::StatusOr<std::vector<LaidOut>> Apply(const RecordedSide& side, const FoundLayouts& found,
                                           ResultStream* stream) {
  const absl::btree_map<int, RecordedLayout>& layouts = found.layouts;
  std::vector<LaidOut> laid_out;
  std::vector<bool> wanted(stream->results.size());
  for (const auto& [r, layout] : layouts) wanted[Index(r)] = true;
  // An output that repeats another result has its layout.
  absl::flat_hash_map<int, int> shown_by;
  for (size_t r = 0; r < stream->results.size(); ++r) {
    const StreamResult& result = stream->results[r];
    if (result.kind == ResultKind::kOutput && layouts.contains(result.source)) {
      shown_by[result.source] = static_cast<int>(r);
    }
  }
  const auto take = [&](int r, const Value& value, const RecordedLayout& layout) {
    StreamResult& result = stream->results[Index(r)];
    result.recorded_as = LayoutName(layout, *result.shape, found.turned.contains(r));
    result.other_rows = !layout.rows.empty();
    result.shape = layout.shape;
    result.type = value.TypeString();
    result.fingerprint = FingerprintOf(value);
    result.computation = result.fingerprint.content.low;
    side.side->SetLayout(r, layout);
    laid_out.push_back({r, value});
  };
  const absl::Status status =
      VisitAgain(side, "", nullptr, wanted, [&](int r, const Value& value) -> absl::Status {
        const RecordedLayout& layout = layouts.at(r);
        OC_ASSIGN_OR_RETURN(const Value turned, InLayout(value, layout));
        take(r, turned, layout);
        if (const auto it = shown_by.find(r); it != shown_by.end())
          take(it->second, turned, layout);
        return absl::OkStatus();
      });
  OC_RETURN_IF_ERROR(status);
  return laid_out;
}

}  // namespace

absl::StatusOr<PerSide<std::vector<LaidOut>>> FindRecordedLayouts(
    const PerSide<RecordedSide>& sides, const PairValues::Watch& watch,
    const PerSide<ResultStream*>& streams) {
  PerSide<std::vector<LaidOut>> made;
  for (const SideId side : kBothSides) {
    // For two recordings, the right is shown in the left's layout.
    if (!streams[side]->recorded || (side == SideId::kLeft && streams.right->recorded)) continue;
    OC_ASSIGN_OR_RETURN(const FoundLayouts found, LayoutFinder(sides, side, watch).Find());
    if (found.layouts.empty()) continue;
    OC_ASSIGN_OR_RETURN(made[side], Apply(sides[side], found, streams[side]));
  }
  return made;
}

}  // namespace onnxcmp
