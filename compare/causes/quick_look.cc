#include "compare/causes/quick_look.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/node_hash_map.h"
#include "compare/differences/nearness.h"
#include "compare/graphs/region.h"
#include "compare/sides/value_bank.h"

namespace onnxcmp {
namespace {

// Operations that a run must take at least for its search to be worth sparing.
constexpr double kWorthSparing = 1 << 28;
// What looks may take of them.
constexpr double kShare = 0.25;
// Epsilons that are rounding wherever they arise.
constexpr double kRounding = 32;
// How much farther apart than what it reads rounding makes a result.
constexpr double kGrowth = 4;
// Pairs that are farther apart are no rounding, in epsilons and against the scale.
constexpr double kMostEpsilons = 2048;
constexpr double kMostApart = 1.0 / 4096;

class QuickLooker {
 public:
  QuickLooker(const RecordedSide& left, const SideGraph& left_graph, const SideGraph& right_graph,
              const std::vector<int>& partners, const std::vector<double>& apart,
              const std::vector<Value>& leaves, const ThreadPool* pool)
      : left_(left),
        left_graph_(left_graph),
        right_(right_graph),
        partners_(partners),
        apart_(apart),
        leaves_(leaves),
        pool_(pool) {}

  QuickLook Look() {
    QuickLook look;
    double work = 0;
    for (size_t n = 0; n < right_.nodes().size(); ++n) work += WorkOf(static_cast<int>(n));
    if (work < kWorthSparing ||
        !absl::c_all_of(right_.results(), [&](int r) { return IsRounding(r); })) {
      return look;
    }
    const std::vector<Suspect> suspects = Suspects();
    look.suspects = static_cast<int>(suspects.size());
    double left_of_share = kShare * work;
    for (const Suspect& suspect : suspects) {
      for (const int n : suspect.region.nodes) left_of_share -= WorkOf(n);
      const std::optional<bool> is_clean =
          left_of_share >= 0 ? IsClean(suspect.result, suspect.region) : std::optional<bool>();
      if (!is_clean.has_value()) {
        ++look.left_out;
      } else if (!*is_clean) {
        return look;
      }
    }
    look.clean = true;
    return look;
  }

 private:
  // A result that rounding of what it reads does not explain.
  struct Suspect {
    double growth;  // by how much it is farther apart than that
    int result;
    Region region;
  };

  bool HasPartner(int r) const { return partners_[Index(r)] != kNone; }
  // Constants are the right's own: what they do shows in what reads them.
  bool IsEntry(int r) const { return HasPartner(r) && right_.IsComputed(r); }
  bool HasSameBits(int r) const {
    return HasPartner(r) && left_graph_.result(partners_[Index(r)]).fingerprint.content ==
                                right_.result(r).fingerprint.content;
  }
  double EpsilonOfPair(int r) const {
    return CoarserEpsilon(left_graph_.result(partners_[Index(r)]).dtype, right_.result(r).dtype);
  }
  double ApartBy(int r) const { return HasSameBits(r) ? 0 : apart_[Index(r)]; }

  // Whether a result says that its pair differs by no more than rounding. What has no partner is
  // judged by what comes of it.
  bool IsRounding(int r) const {
    if (!right_.IsComputed(r) || !HasPartner(r) || HasSameBits(r)) return true;
    // What runs inside may have causes of its own.
    const SideGraph::GraphNode& node = right_.node(right_.producer(r));
    if (node.node == nullptr || node.node->body != nullptr || !node.captures.empty()) return false;
    const double epsilon = EpsilonOfPair(r);
    return epsilon > 0 && ApartBy(r) <= std::min(kMostEpsilons * epsilon, kMostApart);
  }

  // About how many operations a node takes: a product of m x k and k x n is of m n k, the root of
  // the product of all three sizes.
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

  // The worst first.
  std::vector<Suspect> Suspects() const {
    std::vector<Suspect> suspects;
    for (const int r : right_.results()) {
      if (!right_.IsComputed(r) || !HasPartner(r) || HasSameBits(r)) continue;
      const double rounding = kRounding * EpsilonOfPair(r);
      if (ApartBy(r) <= rounding) continue;
      Region region = RegionOf(right_, r, [&](int read) { return IsEntry(read); });
      double read_apart = 0;
      for (const int entry : region.entries) {
        if (right_.IsComputed(entry)) read_apart = std::max(read_apart, ApartBy(entry));
      }
      if (ApartBy(r) <= kGrowth * read_apart) continue;
      const double growth = ApartBy(r) / std::max(read_apart, EpsilonOfPair(r));
      suspects.push_back({growth, r, std::move(region)});
    }
    absl::c_stable_sort(suspects,
                        [](const Suspect& a, const Suspect& b) { return a.growth > b.growth; });
    return suspects;
  }

  // What stands for a right result: the left's value of its partner, if it was kept.
  const Value* LeftValue(int r) const {
    if (right_.IsConstant(r) && right_.producer(r) != kNone) return &ConstantOf(r);
    if (!right_.IsComputed(r)) return &leaves_[Index(r)];
    return HasPartner(r) ? left_.bank->Find(partners_[Index(r)]) : nullptr;
  }

  // What a node gives that reads nothing.
  const Value& ConstantOf(int r) const {
    const auto [it, is_new] = constants_.try_emplace(r);
    if (!is_new) return it->second;
    static const Value* const kAbsent = new Value();
    const auto outputs =
        right_.Run(right_.producer(r), [](int) -> const Value& { return *kAbsent; });
    const auto slot = static_cast<size_t>(right_.result(r).slot);
    if (outputs.ok() && slot < outputs->size()) it->second = (*outputs)[slot];
    return it->second;
  }

  // Nothing if that cannot be told without another run.
  std::optional<bool> IsClean(int r, const Region& region) const {
    const Value* wanted = LeftValue(r);
    if (wanted == nullptr || !wanted->is_tensor()) return std::nullopt;
    for (const int entry : region.entries) {
      const Value* value = LeftValue(entry);
      if (value == nullptr || value->empty()) return std::nullopt;
    }
    const Value own =
        RunRegion(right_, region, r, [&](int entry) -> const Value& { return *LeftValue(entry); });
    if (!own.is_tensor() || own.tensor().shape() != wanted->tensor().shape()) return false;
    const double distance =
        Distance(Measure(wanted->tensor(), pool_), Measure(own.tensor(), pool_), pool_);
    return distance <= kRounding * EpsilonOfPair(r);
  }

  const RecordedSide& left_;
  const SideGraph& left_graph_;
  const SideGraph& right_;
  const std::vector<int>& partners_;
  const std::vector<double>& apart_;
  const std::vector<Value>& leaves_;
  const ThreadPool* pool_;
  mutable absl::node_hash_map<int, Value> constants_;  // of nodes that were asked for
};

}  // namespace

QuickLook LookQuickly(const RecordedSide& left, const SideGraph& left_graph,
                      const SideGraph& right_graph, const std::vector<int>& partners,
                      const std::vector<double>& apart, const std::vector<Value>& leaves,
                      const ThreadPool* pool) {
  return QuickLooker(left, left_graph, right_graph, partners, apart, leaves, pool).Look();
}

}  // namespace onnxcmp
