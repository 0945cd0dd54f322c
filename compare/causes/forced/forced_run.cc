#include "compare/causes/forced/forced_run.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "compare/causes/forced/node_inputs.h"
#include "evaluator/base/spare_memory.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/stored_value.h"
#include "record/base/thresholds.h"
#include "record/base/work_bounds.h"
#include "record/differences/infinity.h"
#include "record/differences/number_strips.h"
#include "record/streams/fingerprint.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

// Times as far that another match must be not to be taken for the same.
constexpr double kMuchFarther = 2;

std::optional<Shape> ShapeOf(const Value& value) {
  return value.is_tensor() ? std::optional(value.tensor().shape()) : std::nullopt;
}

Shape WithoutUnitAxes(Shape shape) {
  shape.erase(std::remove(shape.begin(), shape.end(), 1), shape.end());
  return shape;
}

}  // namespace

std::shared_ptr<MemoryAccount> ForcedRun::MemoryFor(const SideGraph& right) {
  std::shared_ptr<SpareMemory> spare =
      right.runs() ? right.evaluator()->options().spare_memory : nullptr;
  if (spare == nullptr) spare = std::make_shared<SpareMemory>();
  return std::make_shared<MemoryAccount>(std::numeric_limits<int64_t>::max(), std::move(spare));
}

bool ForcedRun::HasShapeOf(int c, int right) const {
  const std::optional<Shape>& theirs = right_.result(right).shape;
  const std::optional<Shape>& ours = left_.result(c).shape;
  return theirs == ours || (theirs.has_value() && ours.has_value() &&
                            WithoutUnitAxes(*theirs) == WithoutUnitAxes(*ours));
}

Value ForcedRun::ValueFor(int c, int right, bool in_its_shape) const {
  const StreamResult& wanted = right_.result(right);
  const StreamResult& given = left_.result(c);
  in_its_shape = in_its_shape && !HasShapeOf(c, right);
  const std::optional<Shape>& shape = in_its_shape ? given.shape : wanted.shape;
  if (wanted.dtype == given.dtype && shape == given.shape) return left_.value(c);
  if (!shape.has_value() || !given.shape.has_value()) return Value();
  const auto it = converted_.find({c, right, in_its_shape});
  if (it != converted_.end()) return it->second.value;
  Converted& made = converted_[{c, right, in_its_shape}];
  absl::StatusOr<Value> converted =
      ConvertedTo(left_.value(c), wanted.dtype, *shape, {left_.pool(), memory_, &made.clamped});
  if (!converted.ok()) return Value();
  made.value = *std::move(converted);
  made.content = ContentOf(made.value, left_.pool());
  return made.value;
}

bool ForcedRun::IsTheLeftsInItsType(int c, int r) const {
  if (ValueFor(c, r).empty()) return false;
  const auto it = converted_.find({c, r, false});
  return it != converted_.end() && !it->second.clamped &&
         it->second.content == right_.result(r).fingerprint.content;
}

int ForcedRun::CopiedBy(const ForcedState& state, int r) const {
  const int n = right_.producer(r);
  const int match = state.at(r).match;
  if (n == kNone || match == kNone) return kNone;
  for (const int read : right_.Reads(n)) {
    const int c = state.at(read).match;
    if (c != kNone && left_.result(c).fingerprint.bits == left_.result(match).fingerprint.bits) {
      return read;
    }
  }
  return kNone;
}

void ForcedRun::Set(int r, int c, MatchRule rule, ForcedState* state) const {
  ForcedResult& result = state->results[Index(r)];
  // A fixed match may have another shape, and that is then the fault; a matrix that merges axes is
  // none. Later results have the left's shape, not that of the right's own run.
  const bool is_flattened = IsFlattened(c, r) && !result.own.empty() &&
                            result.own_content != left_.result(c).fingerprint.content;
  const bool in_its_shape = !HasShapeOf(c, r) && ((rule == MatchRule::kFixed && !is_flattened) ||
                                                  ShapeOf(result.own) == left_.result(c).shape);
  Value value = ValueFor(c, r, in_its_shape);
  if (value.empty()) return;
  if (result.match == kNone) ++state->matched;
  result.match = c;
  result.rule = rule;
  result.held = std::move(value);
  const auto it = converted_.find({c, r, in_its_shape});
  result.held_content =
      it != converted_.end() ? it->second.content : left_.result(c).fingerprint.content;
  if (result.own_content == result.held_content) result.own = Value();
}

bool ForcedRun::MayBeNear(int c, const Value& own, LazyMeasured* measured) const {
  if (!IsMeasurable(own) || !IsMeasurable(left_.value(c))) return false;
  const Tensor& left = left_.value(c).tensor();
  if (left.num_elements() != own.tensor().num_elements() ||
      !SameKindOfNumber(left.dtype(), own.tensor().dtype())) {
    return false;
  }
  // Samples do not distinguish integers.
  if (CoarserEpsilon(left.dtype(), own.tensor().dtype()) == 0) return true;
  return onnxcmp::MayBeNear(left_.sample(c), measured->SampleFor(own.tensor()),
                            left_.scale_bound(c));
}

bool ForcedRun::IsNear(int c, const Value& own, LazyMeasured* measured) const {
  return MayBeNear(c, own, measured) &&
         Near(left_.measured(c), measured->For(own.tensor(), left_.pool()), left_.pool());
}

Measured ForcedRun::MeasuredOf(const Hash128& content, const Tensor& tensor) const {
  const auto known = scales_.find(content);
  if (known == scales_.end()) {
    Measured measured = Measure(tensor, left_.pool());
    scales_.emplace(content, measured.scale);
    return measured;
  }
  Measured measured;
  measured.tensor = tensor;
  measured.size = NumberReader(tensor).size();
  measured.scale = known->second;
  measured.sample = SampleOf(tensor);
  measured.dtype = tensor.dtype();
  return measured;
}

Measured ForcedRun::MeasuredOwn(const ForcedResult& result) const {
  return MeasuredOf(result.own_content, result.own.tensor());
}

Measured ForcedRun::MeasuredHeld(const ForcedResult& result) const {
  return MeasuredOf(result.held_content, result.held.tensor());
}

ForcedRun::MeasuredPair ForcedRun::PairOf(int c, const ForcedResult& result) const {
  return {left_.result(c).fingerprint.content, left_.result(c).dtype, result.own_content};
}

double ForcedRun::DistanceIfNear(int c, const ForcedResult& result, LazyMeasured* measured) const {
  // Samples rule most out, before the cache is searched.
  if (!MayBeNear(c, result.own, measured)) return kInfinity;
  const auto [it, is_new] = near_.try_emplace(PairOf(c, result));
  if (is_new) it->second = Near(left_.measured(c), MeasuredOwn(result), left_.pool());
  return it->second ? DistanceFrom(c, result) : kInfinity;
}

double ForcedRun::DistanceFrom(int c, const ForcedResult& result) const {
  const auto [it, is_new] = distances_.try_emplace(PairOf(c, result));
  if (is_new) it->second = Distance(left_.measured(c), MeasuredOwn(result), left_.pool());
  return it->second;
}

double ForcedRun::DistanceOf(const ForcedResult& result) const {
  if (!IsMeasurable(result.own) || !IsMeasurable(result.held) ||
      result.own.tensor().shape() != result.held.tensor().shape()) {
    return kInfinity;
  }
  const DType dtype = left_.result(result.match).dtype;
  if (dtype == result.held.tensor().dtype()) return DistanceFrom(result.match, result);
  const auto [it, is_new] =
      distances_.try_emplace({result.held_content, dtype, result.own_content});
  if (is_new) {
    Measured held = MeasuredHeld(result);
    held.dtype = dtype;
    it->second = Distance(held, MeasuredOwn(result), left_.pool());
  }
  return it->second;
}

double ForcedRun::RelativeRmsOf(const ForcedResult& result) const {
  const MeasuredPair pair = {result.held_content, result.held.tensor().dtype(), result.own_content};
  const auto [it, is_new] = relative_rms_.try_emplace(pair);
  if (is_new) {
    it->second = RelativeRms(result.held.tensor(), result.own.tensor(), left_.pool());
  }
  return it->second;
}

// A result that is quantized on one side only may be as far away as that makes it.
bool ForcedRun::IsQuantizedCounterpart(int l, int r, const ForcedResult& result) const {
  const auto quantized = [](const StreamResult& known) { return IsInteger(known.precision); };
  if (quantized(left_.graph().result(l)) == quantized(right_.result(r))) return false;
  const int c = left_.of(l);
  if (!IsMeasurable(result.own) || !IsMeasurable(left_.value(c)) ||
      !IsFloatingPoint(left_.result(c).dtype) || !IsFloatingPoint(right_.result(r).dtype)) {
    return false;
  }
  const auto [it, is_new] = relative_rms_.try_emplace(PairOf(c, result));
  if (is_new) it->second = RelativeRms(left_.value(c).tensor(), result.own.tensor(), left_.pool());
  return it->second <= thresholds::kClearNoise;
}

void ForcedRun::MatchLeaf(int r, ForcedState* state) const {
  ForcedResult& result = state->results[Index(r)];
  const StreamResult& known = right_.result(r);
  result.own = leaves_[Index(r)];
  result.own_content = known.fingerprint.content;
  result.held = result.own;
  result.held_content = result.own_content;
  if (const auto fixed = state->fixed.find(r); fixed != state->fixed.end()) {
    Set(r, fixed->second, MatchRule::kFixed, state);
    return;
  }
  if (const int same = left_.Find(result.own_content); same != kNone) {
    Set(r, same, MatchRule::kSame, state);
    return;
  }
  const int aligned = left_.of(aligned_[Index(r)]);
  if (aligned == kNone) return;
  // Inputs are fed by name; the other side's input of that name is its partner, near or not.
  if (known.kind == ResultKind::kInput) {
    Set(r, aligned, MatchRule::kAligned, state);
    return;
  }
  // A near but different constant of the same type may have a factor near 1 folded into it. Its
  // reader decides.
  if (known.dtype == left_.result(aligned).dtype) return;
  // Both are read more than once.
  const absl::StatusOr<Value> ours = InMemory(left_.value(aligned), left_.pool());
  const absl::StatusOr<Value> theirs = InMemory(result.own, left_.pool());
  LazyMeasured measured;
  if (IsTheLeftsInItsType(aligned, r) || IsNear(aligned, result.own, &measured)) {
    Set(r, aligned, MatchRule::kAligned, state);
  }
}

bool ForcedRun::SameNow(const ForcedState& a, const ForcedState& b, int r) const {
  return a.at(r).match == b.at(r).match && a.at(r).held_content == b.at(r).held_content &&
         a.at(r).held.empty() == b.at(r).held.empty();
}

absl::StatusOr<std::vector<Value>> ForcedRun::Compute(const ForcedState& state, int n) const {
  for (const int read : right_.Reads(n)) {
    if (state.at(read).held.empty()) return absl::UnavailableError("an input is not known");
  }
  ++runs_;
  return right_.RunAsSide(n, [&](int r) -> const Value& { return state.at(r).held; });
}

Hash128 ForcedRun::KeyOf(int n, const ForcedState& state) const {
  absl::InlinedVector<uint64_t, 16> words;
  for (const int r : right_.Reads(n)) {
    const Hash128& content = state.at(r).held_content;
    words.insert(words.end(), {content.low, content.high});
  }
  return HashOf(absl::MakeConstSpan(words));
}

bool ForcedRun::IsLost(int n, const ForcedState& state) const {
  return !lost_.empty() && lost_[Index(n)] && absl::c_any_of(right_.Reads(n), [&](int r) {
    return right_.IsComputed(r) && state.at(r).match == kNone;
  });
}

bool ForcedRun::IsReadAlike(int left_node, int c, int r, const ForcedState& state) const {
  const StreamNode& ours = *left_.graph().node(left_node).made;
  return absl::c_any_of(right_.readers(r), [&](int n) {
    const StreamNode& theirs = *right_.node(n).made;
    if (theirs.op_type != ours.op_type || theirs.domain != ours.domain) return false;
    return absl::c_all_of(PairInputs(*this, state, left_node, n), [&](const InputPair& pair) {
      if (pair.equal) return true;
      if (pair.left == kNone || pair.right == kNone) return false;
      return pair.right == r ? left_.of(pair.left) == c : state.at(pair.right).match == kNone;
    });
  });
}

std::pair<int, double> ForcedRun::FoldedInto(int c, double distance, int r,
                                             const ForcedState& state,
                                             LazyMeasured* measured) const {
  std::pair<int, double> nearest = {c, distance};
  if (distance == 0) return nearest;
  for (const int member : left_.members(c)) {
    for (const int reader : left_.graph().readers(member)) {
      for (const int output : left_.graph().node(reader).made->outputs) {
        const int after = output == kNone ? kNone : left_.of(output);
        if (after == kNone || after == c) continue;
        const double far = DistanceIfNear(after, state.at(r), measured);
        if (kMuchFarther * far >= distance || far >= nearest.second) continue;
        // The right's own reader has yet to do the same: a fault may look like it.
        if (!IsReadAlike(reader, c, r, state)) nearest = {after, far};
      }
    }
  }
  return nearest;
}

std::vector<int> ForcedRun::MayBeNearOf(const Shape& shape, const Tensor& own,
                                        LazyMeasured* measured) const {
  // The scale of small tensors is computed at once, and leaves fewer candidates.
  const double scale = own.num_elements() <= work_bounds::kLooks
                           ? measured->For(own, left_.pool()).scale
                           : left_.scale_bound_of(shape);
  return left_.MayBeWithin(shape, measured->SampleFor(own), scale,
                           NearLimit(EpsilonOf(own.dtype())));
}

void ForcedRun::MatchOutput(int n, int r, ForcedState* state) const {
  ForcedResult& result = state->results[Index(r)];
  result.held = result.own;
  result.held_content = result.own_content;
  if (const auto fixed = state->fixed.find(r); fixed != state->fixed.end()) {
    Set(r, fixed->second, MatchRule::kFixed, state);
    return;
  }
  if (result.own.empty()) return;
  if (const int same = left_.Find(result.own_content); same != kNone) {
    Set(r, same, MatchRule::kSame, state);
    return;
  }
  LazyMeasured measured;
  const bool named = !named_.empty() && named_[Index(r)] != kNone;
  const int partner = named ? named_[Index(r)] : aligned_[Index(r)];
  int aligned = left_.of(partner);
  double distance = aligned == kNone ? kInfinity : DistanceIfNear(aligned, result, &measured);
  if (aligned != kNone && distance == kInfinity && IsQuantizedCounterpart(partner, r, result)) {
    distance = DistanceFrom(aligned, result);
  }
  const int widened = WidenedFrom(n, r, *state);
  if (named) {
    if (distance < kInfinity || (widened != kNone && widened == aligned)) {
      Set(r, aligned, MatchRule::kAligned, state);
    }
    return;
  }
  if (distance < kInfinity) {
    std::tie(aligned, distance) = FoldedInto(aligned, distance, r, *state, &measured);
    // A constant that one side changed is found by structure, unless the partner is much nearer:
    // then something is folded into it.
    if (TryStructure(n, r, kMuchFarther * distance, &measured, state)) return;
    Set(r, aligned, MatchRule::kAligned, state);
    return;
  }
  if (widened != kNone) {
    Set(r, widened, MatchRule::kStructure, state);
    return;
  }
  if (TryStructure(n, r, kInfinity, &measured, state)) return;
  const StreamResult& known = right_.result(r);
  if (!known.shape.has_value()) return;
  int nearest = kNone;
  double least = kInfinity;
  if (!IsMeasurable(result.own)) return;
  const Tensor& own = result.own.tensor();
  for (const int c : MayBeNearOf(own.shape(), own, &measured)) {
    if (!left_.computed(c)) continue;
    const double distance = DistanceIfNear(c, result, &measured);
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  if (nearest != kNone) Set(r, nearest, MatchRule::kNear, state);
}

}  // namespace onnxcmp
