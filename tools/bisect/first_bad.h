// The search for the first bad one of an ordered set of candidates, where good ones come first.
#ifndef ONNXCMP_TOOLS_BISECT_FIRST_BAD_H_
#define ONNXCMP_TOOLS_BISECT_FIRST_BAD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnxcmp {

enum class Answer : uint8_t { kNone, kGood, kBad, kSkip };

absl::string_view AnswerName(Answer answer);  // "", "good", "bad", "skip"

// Knows answers and says what to ask next: the last candidate first, since without a bad one there
// is nothing to find, then the middle between a good and a bad one. Of n candidates at most
// ceil(log2 n) + 1 have to be judged, besides those that are skipped. If the last one is good, as
// many others are asked as if it were bad: a fault that was mended again is found, unless the
// halving misses it.
class FirstBadSearch {
 public:
  explicit FirstBadSearch(size_t count) : answers_(count, Answer::kNone) {}

  // A later answer replaces the one before.
  void Put(size_t candidate, Answer answer) { answers_[candidate] = answer; }
  Answer answer(size_t candidate) const { return answers_[candidate]; }
  size_t count() const { return answers_.size(); }

  // Nothing: the first bad one is known, or all that could be it were skipped, or none is bad.
  std::optional<size_t> Next() const;

  // The first one that is known to be bad, and the last good one before it (of all, if none is
  // bad).
  std::optional<size_t> bad() const;
  std::optional<size_t> good() const;
  // Skipped ones between these two: each of them may be the first bad one as well.
  std::vector<size_t> Skipped() const;
  // Good ones after the first bad one: the answers are not monotonic.
  std::vector<size_t> GoodAgain() const;
  // Largest number of candidates that will have to be judged, from now on.
  size_t MostJudged() const;

 private:
  // The candidates that may be asked next are those between; -1 and count() where there is none.
  struct Range {
    ptrdiff_t good = -1;
    ptrdiff_t bad = 0;
  };
  Range Between() const;

  std::vector<Answer> answers_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_BISECT_FIRST_BAD_H_
