#include "tools/bisect/first_bad.h"

#include <algorithm>
#include <cmath>

namespace onnxcmp {
namespace {

// The n-th place of a sequence that is spread evenly over all of them: 1/2, 1/4, 3/4, 1/8, 5/8, ...
double SpreadPlace(size_t n) {
  double place = 0;
  double step = 0.5;
  for (size_t rest = n + 1; rest > 0; rest /= 2, step /= 2) {
    if (rest % 2 == 1) place += step;
  }
  return place;
}

}  // namespace

absl::string_view AnswerName(Answer answer) {
  switch (answer) {
    case Answer::kGood:
      return "good";
    case Answer::kBad:
      return "bad";
    case Answer::kSkip:
      return "skip";
    case Answer::kNone:
      break;
  }
  return "";
}

std::optional<size_t> FirstBadSearch::bad() const {
  const auto found = std::find(answers_.begin(), answers_.end(), Answer::kBad);
  if (found == answers_.end()) return std::nullopt;
  return static_cast<size_t>(found - answers_.begin());
}

std::optional<size_t> FirstBadSearch::good() const {
  for (size_t i = bad().value_or(answers_.size()); i > 0; --i) {
    if (answers_[i - 1] == Answer::kGood) return i - 1;
  }
  return std::nullopt;
}

FirstBadSearch::Range FirstBadSearch::Between() const {
  const auto count = static_cast<ptrdiff_t>(answers_.size());
  Range range;
  if (const std::optional<size_t> found = bad()) {
    range.bad = static_cast<ptrdiff_t>(*found);
  } else {
    // A good last one takes the place of a bad one, a skipped one says nothing.
    range.bad = answers_.empty() || answers_.back() != Answer::kGood ? count : count - 1;
  }
  for (ptrdiff_t i = 0; i < range.bad; ++i) {
    if (answers_[static_cast<size_t>(i)] == Answer::kGood) range.good = i;
  }
  return range;
}

std::optional<size_t> FirstBadSearch::Next() const {
  if (answers_.empty()) return std::nullopt;
  if (!bad().has_value() && answers_.back() == Answer::kNone) return answers_.size() - 1;
  const Range range = Between();
  std::vector<size_t> open;
  size_t skipped = 0;
  for (ptrdiff_t i = range.good + 1; i < range.bad; ++i) {
    const auto candidate = static_cast<size_t>(i);
    if (answers_[candidate] == Answer::kSkip) ++skipped;
    if (answers_[candidate] == Answer::kNone) open.push_back(candidate);
  }
  if (open.empty()) return std::nullopt;
  // Neighbours of one that cannot be judged often cannot either: the next place is far from it.
  const double place = SpreadPlace(skipped) * static_cast<double>(open.size());
  return open[std::min(static_cast<size_t>(place), open.size() - 1)];
}

std::vector<size_t> FirstBadSearch::Skipped() const {
  std::vector<size_t> skipped;
  const std::optional<size_t> found = bad();
  if (!found.has_value()) return skipped;
  const std::optional<size_t> before = good();
  for (size_t i = before.has_value() ? *before + 1 : 0; i < *found; ++i) skipped.push_back(i);
  return skipped;
}

std::vector<size_t> FirstBadSearch::GoodAgain() const {
  std::vector<size_t> again;
  for (size_t i = bad().value_or(answers_.size()); i < answers_.size(); ++i) {
    if (answers_[i] == Answer::kGood) again.push_back(i);
  }
  return again;
}

size_t FirstBadSearch::MostJudged() const {
  if (!Next().has_value()) return 0;
  const bool last = !bad().has_value() && answers_.back() == Answer::kNone;
  const Range range = Between();
  const auto open = static_cast<size_t>(range.bad - range.good - 1) - (last ? 1 : 0);
  return (last ? 1 : 0) + static_cast<size_t>(std::ceil(std::log2(static_cast<double>(open) + 1)));
}

}  // namespace onnxcmp
