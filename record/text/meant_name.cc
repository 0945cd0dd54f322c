#include "record/text/meant_name.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostMeant = 3;
// Longer names are compared by their ends.
constexpr size_t kMostCompared = 120;

// Number of letters to insert, delete or exchange (Levenshtein).
size_t EditDistance(absl::string_view a, absl::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string DidYouMean(absl::string_view given, absl::Span<const std::string> names) {
  const auto end = [](absl::string_view name) {
    return absl::AsciiStrToLower(
        name.size() > kMostCompared ? name.substr(name.size() - kMostCompared) : name);
  };
  const std::string wanted = end(given);
  std::vector<std::pair<size_t, const std::string*>> near;
  for (const std::string& name : names) {
    const std::string other = end(name);
    // A name that contains the given one is similar, however long it is.
    const size_t distance =
        absl::StrContains(other, wanted) && wanted.size() > 2 ? 1 : EditDistance(wanted, other);
    if (distance <= std::max<size_t>(1, wanted.size() / 3)) near.emplace_back(distance, &name);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.empty()) return "";
  near.resize(std::min(near.size(), kMostMeant));
  return absl::StrCat("; did you mean ",
                      absl::StrJoin(near, ", ",
                                    [](std::string* out, auto& pair) {
                                      absl::StrAppend(out, "`", *pair.second, "`");
                                    }),
                      "?");
}

absl::StatusOr<std::string> MeantName(absl::string_view given, absl::Span<const std::string> names,
                                      absl::string_view what) {
  std::vector<const std::string*> ends;
  for (const std::string& name : names) {
    if (name == given) return name;
    if (!given.empty() && absl::EndsWith(name, given)) ends.push_back(&name);
  }
  if (ends.size() == 1) return *ends[0];
  if (ends.empty()) {
    return absl::NotFoundError(
        absl::StrCat("`", given, "` is none of the ", what, DidYouMean(given, names)));
  }
  const size_t count = ends.size();
  ends.resize(std::min(count, kMostMeant));
  return absl::InvalidArgumentError(absl::StrCat(
      "`", given, "` may be ", count, " of the ", what, ": ",
      absl::StrJoin(
          ends, ", ",
          [](std::string* out, const std::string* name) { absl::StrAppend(out, "`", *name, "`"); }),
      count > kMostMeant ? ", …" : ""));
}

}  // namespace onnxcmp
