#include "tools/reduce/subset_search.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <utility>

#include "evaluator/base/status_macros.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

using ItemSet = SubsetQuestions::Set;

class SubsetSearcher {
 public:
  SubsetSearcher(int count, const SubsetQuestions& questions) : questions_(questions) {
    rest_.resize(static_cast<size_t>(count));
    std::iota(rest_.begin(), rest_.end(), 0);
  }

  absl::StatusOr<ItemSet> Run() {
    while (!rest_.empty()) {
      order_ = questions_.order ? questions_.order(needed_, rest_) : rest_;
      OC_ASSIGN_OR_RETURN(const size_t length, ShortestPrefix());
      if (length == 0) break;
      needed_.push_back(order_[length - 1]);
      rest_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(length) - 1);
      std::sort(rest_.begin(), rest_.end());
    }
    return LeaveOut();
  }

 private:
  ItemSet With(size_t length) const {
    ItemSet set = needed_;
    set.insert(set.end(), order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(length));
    std::sort(set.begin(), set.end());
    return set;
  }

  // The shortest prefix of the order that has the property beside what is needed.
  absl::StatusOr<size_t> ShortestPrefix() {
    size_t fails = 0, holds = order_.size();  // lengths; `fails` itself is not known yet
    const bool ask_none = !needed_.empty() || questions_.empty_may_hold;
    if (ask_none) {
      // Few of those next to what is needed are likely to do.
      for (size_t length = 0; length < order_.size(); length = 2 * length + 1) {
        if (length == 0) OC_RETURN_IF_ERROR(AheadOf({0, 1, 3, 7, 15}));
        OC_ASSIGN_OR_RETURN(const bool has, questions_.holds(With(length)));
        if (has) {
          holds = length;
          break;
        }
        fails = length;
      }
      if (holds == 0) return holds;
    }
    while (holds - fails > 1) {
      OC_RETURN_IF_ERROR(AheadOf(Middles(fails, holds)));
      const size_t middle = fails + (holds - fails) / 2;
      OC_ASSIGN_OR_RETURN(const bool has, questions_.holds(With(middle)));
      (has ? holds : fails) = middle;
    }
    return holds;
  }

  // The next middles of a bisection, whatever the answers are.
  std::vector<size_t> Middles(size_t low, size_t high) const {
    std::vector<size_t> middles;
    std::deque<std::pair<size_t, size_t>> open = {{low, high}};
    while (!open.empty() && middles.size() < static_cast<size_t>(questions_.ahead_count)) {
      const auto [from, to] = open.front();
      open.pop_front();
      if (to - from < 2) continue;
      const size_t middle = from + (to - from) / 2;
      middles.push_back(middle);
      open.emplace_back(from, middle);
      open.emplace_back(middle, to);
    }
    return middles;
  }

  absl::Status AheadOf(const std::vector<size_t>& lengths) const {
    if (!questions_.ahead || questions_.ahead_count < 2) return absl::OkStatus();
    std::vector<ItemSet> sets;
    for (const size_t length : lengths) {
      if (length < order_.size() && sets.size() < static_cast<size_t>(questions_.ahead_count)) {
        sets.push_back(With(length));
      }
    }
    return questions_.ahead(sets);
  }

  // Leaves out single items: needed ones may not be so any more where more items can take the
  // property away.
  absl::StatusOr<ItemSet> LeaveOut() {
    ItemSet set = With(0);
    for (size_t i = 0;
         set.size() > 1 && set.size() <= work_bounds::kCandidates && i < set.size();) {
      ItemSet fewer = set;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      OC_ASSIGN_OR_RETURN(const bool has, questions_.holds(fewer));
      if (has) {
        set = std::move(fewer);
        i = 0;
      } else {
        ++i;
      }
    }
    return set;
  }

  const SubsetQuestions& questions_;
  ItemSet rest_;
  std::vector<int> needed_;
  std::vector<int> order_;
};

}  // namespace

absl::StatusOr<std::vector<int>> SmallSubset(int count, const SubsetQuestions& questions) {
  return SubsetSearcher(count, questions).Run();
}

}  // namespace onnxcmp
