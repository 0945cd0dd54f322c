#include "compare/causes/prescreen.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/node_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "compare/causes/sides_in_double.h"
#include "compare/sides/value_bank.h"
#include "record/base/per_side.h"
#include "record/base/thresholds.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/region.h"

namespace onnxcmp {
namespace {

// Share of these operations that the prescreen may take.
constexpr double kShare = 0.25;
// Greatest distances that may be rounding, in epsilons and against the scale.
constexpr double kMostRoundedBy = 2048;
constexpr double kMostRoundedApart = 1.0 / 4096;
// Least number of operations of a run for which a search is worth sparing.
constexpr double kWorthSparing = 1 << 28;

class Prescreener {
 public:
  Prescreener(const PerSide<RecordedSide>& sides, const SideGraph& left_graph,
              const SideGraph& right_graph, const std::vector<int>& partners,
              const std::vector<Value>& leaves, const CauseOptions& options)
      : left_(sides.left),
        left_graph_(left_graph),
        right_(right_graph),
        partners_(partners),
        apart_(options.apart),
        leaves_(leaves),
        pool_(options.pool),
        watch_(options.watch),
        budget_(options.keep_values),
        in_double_({&left_graph, &right_graph}, {sides.left.evaluator(), sides.right.evaluator()}),
        is_partner_(left_.stream->results.size()) {
    for (const int r : right_.results()) {
      if (IsEntry(r)) is_partner_[Index(partners_[Index(r)])] = true;
    }
  }

  Prescreen Look() {
    Prescreen look;
    double work = 0;
    for (size_t n = 0; n < right_.nodes().size(); ++n) work += WorkOf(static_cast<int>(n));
    if (work < kWorthSparing ||
        !absl::c_all_of(right_.results(), [&](int r) { return IsRounding(r); })) {
      return look;
    }
    std::vector<Suspect> suspects = Suspects();
    look.suspects = static_cast<int>(suspects.size());
    left_of_share_ = kShare * work;
    std::erase_if(suspects, [&](const Suspect& suspect) {
      const double look_work = WorkOf(suspect.region);
      if (look_work > left_of_share_) return true;
      left_of_share_ -= look_work;
      return false;
    });
    look.clean = AreClean(suspects, &look);
    look.left_out = look.suspects - look.looked_at;
    return look;
  }

 private:
  bool HasPartner(int r) const { return partners_[Index(r)] != kNone; }
  // Constants are the right's own: their effects show in their readers.
  bool IsEntry(int r) const { return HasPartner(r) && right_.IsComputed(r); }
  bool HasSameBits(int r) const {
    return HasPartner(r) && left_graph_.result(partners_[Index(r)]).fingerprint.content ==
                                right_.result(r).fingerprint.content;
  }
  double EpsilonOfPair(int r) const {
    return CoarserEpsilon(left_graph_.result(partners_[Index(r)]).dtype, right_.result(r).dtype);
  }
  double ApartBy(int r) const { return HasSameBits(r) ? 0 : apart_[Index(r)]; }

  // True if a result shows that its pair differs by rounding alone. A result without a partner is
  // judged by its readers.
  bool IsRounding(int r) const {
    if (!right_.IsComputed(r) || !HasPartner(r) || HasSameBits(r)) return true;
    // Bodies may have causes of their own.
    const SideGraph::GraphNode& node = right_.node(right_.producer(r));
    if (node.node == nullptr || node.node->body != nullptr || !node.captures.empty()) return false;
    const double epsilon = EpsilonOfPair(r);
    return epsilon > 0 && ApartBy(r) <= std::min(kMostRoundedBy * epsilon, kMostRoundedApart);
  }

  // Approximate number of operations of a node: a product of m x k and k x n takes m n k, the
  // square root of the product of all three sizes.
  double WorkOf(int n) const {
    double greatest = 0;
    double second = 0;
    double all = 0;
    for (const int r : right_.Reads(n)) {
      const auto size = static_cast<double>(right_.result(r).fingerprint.size);
      all += size;
      second = std::max(second, std::min(size, greatest));
      greatest = std::max(greatest, size);
    }
    double made = 0;
    for (const int r : right_.node(n).made->outputs) {
      if (r != kNone) made += static_cast<double>(right_.result(r).fingerprint.size);
    }
    const bool multiplies = second > 1 && right_.node(n).made->inputs.size() > 1;
    return all + made + (multiplies ? std::sqrt(greatest * second * made) : 0);
  }

  double WorkOf(const Region& region) const {
    double work = 0;
    for (const int n : region.nodes) work += WorkOf(n);
    return work;
  }

  // A result whose distance the rounding of its inputs does not explain.
  struct Suspect {
    int result;
    Region region;
    double growth;  // growth of the distance from the inputs to the result
  };

  // The most suspicious first.
  std::vector<Suspect> Suspects() const {
    std::vector<Suspect> suspects;
    for (const int r : right_.results()) {
      if (!right_.IsComputed(r) || !HasPartner(r) || HasSameBits(r)) continue;
      const double rounding = thresholds::kMostRoundingEpsilons * EpsilonOfPair(r);
      if (ApartBy(r) <= rounding) continue;
      Region region = RegionOf(right_, r, [&](int read) { return IsEntry(read); });
      double read_apart = 0;
      for (const int entry : region.entries) {
        if (right_.IsComputed(entry)) read_apart = std::max(read_apart, ApartBy(entry));
      }
      if (ApartBy(r) <= thresholds::kMostRoundingGrowth * read_apart) continue;
      const double growth = ApartBy(r) / std::max(read_apart, EpsilonOfPair(r));
      suspects.push_back({r, std::move(region), growth});
    }
    absl::c_sort(suspects, [](const Suspect& a, const Suspect& b) {
      return std::pair(-a.growth, a.result) < std::pair(-b.growth, b.result);
    });
    return suspects;
  }

  // The left's results that the check of a suspect needs.
  std::vector<int> NeededFor(const Suspect& suspect) const {
    std::vector<int> needed = {partners_[Index(suspect.result)]};
    for (const int entry : suspect.region.entries) {
      if (right_.IsComputed(entry) && HasPartner(entry)) {
        needed.push_back(partners_[Index(entry)]);
      }
    }
    for (const int entry : LeftRegionOf(suspect.result).entries) {
      if (left_graph_.IsComputed(entry)) needed.push_back(entry);
    }
    return needed;
  }

  // False as soon as one is not clean, or the left's values are unavailable.
  bool AreClean(absl::Span<const Suspect> suspects, Prescreen* look) {
    size_t begin = 0;
    while (begin < suspects.size()) {
      std::vector<bool> wanted(left_.stream->results.size());
      bool missing = false;
      int64_t bytes = 0;
      size_t end = begin;
      for (; end < suspects.size() && (end == begin || bytes <= budget_); ++end) {
        for (const int l : NeededFor(suspects[end])) {
          if (left_.Find(l) != nullptr || wanted[Index(l)]) continue;
          wanted[Index(l)] = missing = true;
          bytes += AboutBytes(left_.result(l));
        }
      }
      again_.Clear();
      if (missing && !Fetch(wanted)) return false;
      for (; begin < end; ++begin) {
        const std::optional<bool> is_clean =
            IsClean(suspects[begin].result, suspects[begin].region);
        if (is_clean.has_value()) ++look->looked_at;
        if (!is_clean.value_or(true)) return false;
      }
    }
    return true;
  }

  bool Fetch(const std::vector<bool>& wanted) {
    const auto keep = [&](int result, const Value& value) {
      again_.Keep(result, value);
      return absl::OkStatus();
    };
    return VisitAgain(left_, "left again", watch_, wanted, keep).ok();
  }

  Region LeftRegionOf(int r) const {
    return RegionOf(left_graph_, partners_[Index(r)],
                    [&](int read) { return bool{is_partner_[Index(read)]}; });
  }

  const Value* KeptOfLeft(int l) const {
    const Value* kept = left_.Find(l);
    return kept != nullptr ? kept : again_.Find(l);
  }

  // The value used for a right result: the left's value of its partner.
  const Value* LeftValue(int r) const {
    if (right_.IsConstant(r) && right_.producer(r) != kNone) return &ConstantOf(SideId::kRight, r);
    if (!right_.IsComputed(r)) return &leaves_[Index(r)];
    return HasPartner(r) ? KeptOfLeft(partners_[Index(r)]) : nullptr;
  }
  const Value* ValueOfLeft(int l) const {
    const bool is_node = left_graph_.IsConstant(l) && left_graph_.producer(l) != kNone;
    return is_node ? &ConstantOf(SideId::kLeft, l) : KeptOfLeft(l);
  }

  // The result of a node without inputs.
  const Value& ConstantOf(SideId side, int r) const {
    const auto [it, is_new] = constants_[side].try_emplace(r);
    if (!is_new) return it->second;
    static const Value* const kAbsent = new Value();
    const SideGraph& graph = side == SideId::kLeft ? left_graph_ : right_;
    const auto outputs = graph.Run(graph.producer(r), [](int) -> const Value& { return *kAbsent; });
    const auto slot = static_cast<size_t>(graph.result(r).slot);
    if (outputs.ok() && slot < outputs->size()) it->second = (*outputs)[slot];
    return it->second;
  }

  using ValueAt = absl::FunctionRef<const Value*(int)>;
  static bool HasAll(const Region& region, ValueAt value) {
    return absl::c_all_of(region.entries, [&](int entry) {
      const Value* of_entry = value(entry);
      return of_entry != nullptr && !of_entry->empty();
    });
  }
  static Value Run(const SideGraph& graph, const Region& region, int result, ValueAt value) {
    return RunRegion(graph, region, result, [&](int r) -> const Value& { return *value(r); });
  }

  // Result of a node, run where the right runs.
  Value RunAsSide(int n, int result, ValueAt value) const {
    const auto outputs = right_.RunAsSide(n, [&](int r) -> const Value& { return *value(r); });
    const auto slot = static_cast<size_t>(right_.result(result).slot);
    return outputs.ok() && slot < outputs->size() ? (*outputs)[slot] : Value();
  }

  // Nothing if such values cannot be judged, or if the rest of the share does not suffice.
  std::optional<bool> IsClean(int r, const Region& region) {
    const Value* wanted = LeftValue(r);
    const auto left_value = [&](int entry) { return LeftValue(entry); };
    if (wanted == nullptr || !wanted->is_tensor() || !HasAll(region, left_value)) {
      return std::nullopt;
    }
    // A runtime's node is looked at where it ran. Several are no such look.
    if (right_.runner() != nullptr && region.nodes.size() != 1) return std::nullopt;
    const Value own = right_.runner() == nullptr ? Run(right_, region, r, left_value)
                                                 : RunAsSide(region.nodes.front(), r, left_value);
    if (!own.is_tensor() || own.tensor().shape() != wanted->tensor().shape()) return false;
    const double distance =
        Distance(Measure(wanted->tensor(), pool_), Measure(own.tensor(), pool_), pool_);
    if (distance <= thresholds::kMostRoundingEpsilons * EpsilonOfPair(r)) return true;
    if (!(distance <= thresholds::kFarEpsilons * EpsilonOfPair(r))) return false;
    // A region in double costs so many times its operations, on both sides.
    const double work = 8 * WorkOf(region);
    if (work > left_of_share_) return std::nullopt;
    left_of_share_ -= work;
    return IsGoneInDouble(r, region, {wanted->tensor(), own.tensor()});
  }

  // True if rounding explains the difference between both sides' results on the same values.
  std::optional<bool> IsGoneInDouble(int r, const Region& region, const PerSide<Tensor>& own) {
    const PerSide<const SideGraph*> graphs = {in_double_.Graph(SideId::kLeft),
                                              in_double_.Graph(SideId::kRight)};
    if (graphs.left == nullptr || graphs.right == nullptr) return true;
    const Region left_region = LeftRegionOf(r);
    const auto value_of_left = [&](int entry) { return ValueOfLeft(entry); };
    if (!HasAll(left_region, value_of_left)) return std::nullopt;
    const Value left = Run(*graphs.left, left_region, partners_[Index(r)], value_of_left);
    const Value right = Run(*graphs.right, region, r, [&](int entry) { return LeftValue(entry); });
    if (!left.is_tensor() || !right.is_tensor()) return true;
    return !StaysApart(own, {left.tensor(), right.tensor()}, pool_);
  }

  const RecordedSide& left_;
  const SideGraph& left_graph_;
  const SideGraph& right_;
  const std::vector<int>& partners_;
  const std::vector<double>& apart_;
  const std::vector<Value>& leaves_;
  const ThreadPool* pool_;
  const PairValues::Watch& watch_;
  const int64_t budget_;
  double left_of_share_ = 0;  // operations that may still be spent
  SidesInDouble in_double_;
  std::vector<bool> is_partner_;  // by left result: a computed right one is compared with it
  ValueBank again_{std::numeric_limits<int64_t>::max()};
  mutable PerSide<absl::node_hash_map<int, Value>> constants_;  // results of nodes without inputs
};

}  // namespace

Prescreen PrescreenCauses(const PerSide<RecordedSide>& sides, const SideGraph& left_graph,
                          const SideGraph& right_graph, const std::vector<int>& partners,
                          const std::vector<Value>& leaves, const CauseOptions& options) {
  return Prescreener(sides, left_graph, right_graph, partners, leaves, options).Look();
}

}  // namespace onnxcmp
