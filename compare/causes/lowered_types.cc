#include "compare/causes/lowered_types.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/btree_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "compare/causes/first_overflow.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/base/work_bounds.h"
#include "record/differences/element_text.h"
#include "record/differences/tensor_difference.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/side_graph.h"
#include "record/graphs/value_classes.h"
#include "record/streams/downstream.h"
#include "record/streams/result_stream.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

// Greatest share of the difference that may stay if a candidate explains it.
constexpr double kShareLeft = 1.0 / 3;
// Smallest shift of an argument of Sin or Cos that counts, in radians.
constexpr double kTurn = 1.0 / 32;

bool IsFloats(const Value& value) {
  return IsMeasurable(value) && IsFloatingPoint(value.tensor().dtype());
}

// Error that rounding to the right's type makes in a result of the left.
struct Rounding {
  int right = kNone;
  double most = 0;      // the greatest absolute error
  int64_t at = 0;       // its position
  double relative = 0;  // the greatest relative error among elements that are not small
};

class TypeSearch {
 public:
  TypeSearch(const ForcedRun& run, const ForcedState& state, const Unexplained& unexplained,
             absl::FunctionRef<std::optional<double>(const Replacements&)> distance_with)
      : run_(run),
        state_(state),
        right_(run.right()),
        unexplained_(unexplained),
        distance_with_(distance_with) {}

  std::vector<Cause> Overflows() const {
    std::vector<int> first;
    Replacements replaced;
    for (const int r : right_.results()) {
      if (!BecomesInfinite(r)) continue;
      const bool after = absl::c_any_of(first, [&](int other) {
        return static_cast<bool>(Behind({other}, right_.stream())[Index(r)]);
      });
      if (after) continue;
      first.push_back(r);
      replaced[r] = state_.at(r).held;
      if (first.size() == work_bounds::kNamed) break;
    }
    std::vector<Cause> causes;
    std::optional<Mending> mending = MendingBy(replaced);
    if (!mending.has_value()) return causes;
    mending->others = first.size() > 1;
    for (const int r : first) {
      const Tensor& left = run_.left().value(ClassOf(r)).tensor();
      causes.push_back(CauseAt(
          r, OverflowText(left, state_.at(r).own.tensor()).value_or("it overflows"), *mending));
      causes.back().overflow = true;
    }
    return causes;
  }

  std::vector<Cause> Turns() const {
    absl::btree_map<int, std::string> texts;  // by right result
    Replacements replaced;
    for (const SideGraph::GraphNode& node : right_.nodes()) {
      const StreamNode& made = *node.made;
      if (!made.domain.empty() || (made.op_type != "Sin" && made.op_type != "Cos")) continue;
      if (made.inputs.size() != 1 || made.outputs.size() != 1) continue;
      const int out = made.outputs[0];
      const int c = made.inputs[0] == kNone || out == kNone ? kNone : ClassOf(out);
      const int read = c == kNone ? kNone : ClassOf(made.inputs[0]);
      if (read == kNone || !IsFloats(run_.left().value(read))) continue;
      double most = 0;
      for (const double v : ElementsOf(run_.left().value(read).tensor())) {
        if (std::isfinite(v)) most = std::max(most, std::abs(v));
      }
      const std::vector<Rounding> before = RoundingsBefore(made.inputs[0], kTurn / most);
      Value wanted = before.empty() ? Value() : run_.ValueFor(c, out);
      if (wanted.empty()) continue;
      replaced[out] = std::move(wanted);
      for (const Rounding& rounding : before) {
        texts.try_emplace(rounding.right, TextOf(rounding, made.op_type, most));
      }
    }
    std::vector<Cause> causes;
    std::optional<Mending> mending = MendingBy(replaced);
    if (!mending.has_value()) return causes;
    mending->others = texts.size() > 1;
    for (const auto& [r, text] : texts) {
      if (causes.size() == work_bounds::kNamed) break;
      causes.push_back(CauseAt(r, text, *mending));
    }
    return causes;
  }

 private:
  // The left's class, by the match or else by the alignment; kNone if there is none.
  int ClassOf(int r) const {
    const int match = state_.at(r).match;
    if (match != kNone) return match;
    const int partner = run_.aligned(r);
    return partner == kNone ? kNone : run_.left().of(partner);
  }

  // True if finite numbers of the left are infinite in the right's type.
  bool BecomesInfinite(int r) const {
    const ForcedResult& result = state_.at(r);
    if (result.match == kNone || !IsFloats(result.own) || !IsFloats(result.held)) return false;
    const Value& left = run_.left().value(result.match);
    return IsFloats(left) && left.tensor().dtype() != result.own.tensor().dtype() &&
           left.tensor().num_elements() == result.own.tensor().num_elements() &&
           OverflowText(left.tensor(), result.own.tensor()).has_value();
  }

  std::optional<Rounding> RoundingAt(int r) const {
    const int c = ClassOf(r);
    if (c == kNone || !IsFloats(run_.left().value(c))) return std::nullopt;
    const Tensor& left = run_.left().value(c).tensor();
    const DType dtype = right_.result(r).dtype;
    Value rounded;
    if (EpsilonOf(dtype) > EpsilonOf(left.dtype())) {
      rounded = run_.ValueFor(c, r);
    } else if (right_.IsConstant(r)) {
      rounded = state_.at(r).own;  // may have been rounded before it was written
    }
    if (!IsFloats(rounded) || rounded.tensor().num_elements() != left.num_elements()) {
      return std::nullopt;
    }
    const std::vector<double> ours = ElementsOf(left);
    const std::vector<double> theirs = ElementsOf(rounded.tensor());
    double greatest = 0;
    for (const double v : ours) greatest = std::max(greatest, std::abs(v));
    Rounding rounding;
    rounding.right = r;
    for (size_t i = 0; i < ours.size(); ++i) {
      const double apart = std::abs(ours[i] - theirs[i]);
      if (!std::isfinite(apart)) return std::nullopt;
      if (apart > rounding.most) {
        rounding.most = apart;
        rounding.at = static_cast<int64_t>(i);
      }
      if (apart > 0 && std::abs(ours[i]) > 1e-3 * greatest) {
        rounding.relative = std::max(rounding.relative, apart / std::abs(ours[i]));
      }
    }
    if (rounding.most == 0) return std::nullopt;
    return rounding;
  }

  // The last results at and before an argument whose rounding exceeds `least` of their size.
  std::vector<Rounding> RoundingsBefore(int argument, double least) const {
    std::vector<Rounding> found;
    const auto passes = [&](int r) {
      const std::optional<Rounding> rounding = RoundingAt(r);
      const bool is_one = rounding.has_value() && rounding->relative > least;
      if (is_one) found.push_back(*rounding);
      return !is_one;
    };
    if (passes(argument)) right_.ReachBefore({argument}, passes, work_bounds::kCandidates);
    return found;
  }

  std::string TextOf(const Rounding& rounding, const std::string& reader, double most) const {
    const Tensor& left = run_.left().value(ClassOf(rounding.right)).tensor();
    const DType dtype = right_.result(rounding.right).dtype;
    const bool coarser = EpsilonOf(dtype) > EpsilonOf(left.dtype());
    return absl::StrFormat(
        "rounded%s by up to %.2g, at %s of %s, before %s of numbers up to %.3g: off by up to %.2g "
        "radians",
        coarser ? absl::StrCat(" to ", NumpyName(dtype)) : std::string(), rounding.most,
        IndexText(left.shape(), rounding.at), ElementText(left, rounding.at), reader, most,
        rounding.relative * most);
  }

  // The effect of these on the difference that was left; nothing if most of it stays.
  std::optional<Mending> MendingBy(const Replacements& replaced) const {
    if (replaced.empty()) return std::nullopt;
    const std::optional<double> rest = distance_with_(replaced);
    if (!rest.has_value() || std::isnan(*rest)) return std::nullopt;
    const bool explained = *rest <= unexplained_.enough;
    if (!explained && *rest > kShareLeft * unexplained_.rest) return std::nullopt;
    return Mending{unexplained_.rest, *rest, false, explained, false};
  }

  Cause CauseAt(int r, std::string text, const Mending& mending) const {
    const int c = ClassOf(r);
    const int partner = run_.aligned(r);
    Cause cause;
    cause.kind = CauseKind::kPrecision;
    cause.left =
        partner != kNone && run_.left().of(partner) == c ? partner : run_.left().representative(c);
    cause.right = cause.judged = r;
    const Value& own = state_.at(r).own;
    const Value wanted = run_.left().value(c);
    if (IsFloats(own)) {
      cause.local = TensorDifferenceOf(wanted, own, {}, run_.left().pool());
    }
    cause.text = std::move(text);
    cause.mending = mending;
    return cause;
  }

  const ForcedRun& run_;
  const ForcedState& state_;
  const SideGraph& right_;
  const Unexplained& unexplained_;
  absl::FunctionRef<std::optional<double>(const Replacements&)> distance_with_;
};

}  // namespace

std::vector<Cause> LoweredTypes(
    const ForcedRun& run, const ForcedState& state, const Unexplained& unexplained,
    absl::FunctionRef<std::optional<double>(const Replacements&)> distance_with) {
  const TypeSearch search(run, state, unexplained, distance_with);
  std::vector<Cause> causes = search.Overflows();
  return causes.empty() ? search.Turns() : causes;
}

}  // namespace onnxcmp
