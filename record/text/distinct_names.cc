#include "record/text/distinct_names.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "record/text/display_text.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kBoundaries = "/._:";

// A name with what all share in front and behind it.
struct Parted {
  std::string before, core, behind;
};

// Whole words that all begin with: up to the last boundary.
size_t SharedBegin(const std::set<std::string>& names) {
  const std::string& first = *names.begin();
  const std::string& last = *names.rbegin();  // they are sorted: these differ soonest
  size_t shared = 0;
  while (shared < std::min(first.size(), last.size()) && first[shared] == last[shared]) ++shared;
  const size_t boundary = absl::string_view(first).substr(0, shared).find_last_of(kBoundaries);
  return boundary == absl::string_view::npos ? 0 : boundary + 1;
}

// Whole words that all end with, of what is behind the beginning.
size_t SharedEnd(const std::set<std::string>& names, size_t begin) {
  absl::string_view shared = absl::string_view(*names.begin()).substr(begin);
  for (const std::string& name : names) {
    const absl::string_view rest = absl::string_view(name).substr(begin);
    size_t same = 0;
    // Something is left of each.
    while (same < std::min(shared.size(), rest.size()) && same + 1 < rest.size() &&
           shared[shared.size() - 1 - same] == rest[rest.size() - 1 - same]) {
      ++same;
    }
    shared = shared.substr(shared.size() - same);
  }
  const size_t boundary = shared.find_first_of(kBoundaries);
  return boundary == absl::string_view::npos ? 0 : shared.size() - boundary;
}

enum class Cut { kStart, kMiddle, kEnd };

std::string Shortened(const Parted& name, Cut cut, int width, absl::string_view mark) {
  const std::string before(name.before.empty() ? "" : mark);
  const std::string behind(name.behind.empty() ? "" : mark);
  // Where there is room, what is shared fills it.
  if (DisplayWidth(absl::StrCat(before, name.core, name.behind)) <= width) {
    return ShortenStart(absl::StrCat(name.before, name.core, name.behind), width, mark);
  }
  if (DisplayWidth(absl::StrCat(before, name.core, behind)) <= width) {
    return absl::StrCat(
        ShortenStart(absl::StrCat(name.before, name.core), width - DisplayWidth(behind), mark),
        behind);
  }
  const int least = DisplayWidth(mark) + 1;  // of the name itself
  const auto room = [&](const std::string& around) {
    return std::max(least, width - DisplayWidth(around));
  };
  switch (cut) {
    case Cut::kStart:
      return ShortenStart(absl::StrCat(ShortenStart(name.core, room(behind), mark), behind), width,
                          mark);
    case Cut::kMiddle:
      return ShortenEnd(
          absl::StrCat(before, ShortenMiddle(name.core, room(before + behind), mark), behind),
          width, mark);
    case Cut::kEnd:
      break;
  }
  return ShortenEnd(absl::StrCat(before, ShortenEnd(name.core, room(before), mark)), width, mark);
}

// The part of a name from where it differs from a group that looks like it.
void FromDifference(const std::set<std::string>& alike, int width, absl::string_view mark,
                    std::map<std::string, std::string>* shown) {
  std::map<std::string, std::string> others;
  std::set<std::string> distinct;
  const size_t begin = SharedBegin(alike);
  for (const std::string& name : alike) {
    const std::string text = ShortenEnd(
        absl::StrCat(begin > 0 ? mark : "", absl::string_view(name).substr(begin)), width, mark);
    distinct.insert(text);
    others[name] = text;
  }
  if (distinct.size() < 2) return;
  for (auto& [name, text] : others) (*shown)[name] = std::move(text);
}

}  // namespace

std::vector<std::string> ShortenApart(const std::vector<std::string>& names, int width,
                                      absl::string_view mark) {
  std::set<std::string> wide;
  for (const std::string& name : names) {
    if (DisplayWidth(name) > width) wide.insert(name);
  }
  if (wide.empty()) return names;
  const size_t begin = wide.size() > 1 ? SharedBegin(wide) : 0;
  const size_t end = wide.size() > 1 ? SharedEnd(wide, begin) : 0;
  std::map<std::string, std::string> best;
  size_t most = 0;
  // The end of a name tells most, so it is lost last.
  for (const Cut cut : {Cut::kStart, Cut::kMiddle, Cut::kEnd}) {
    std::map<std::string, std::string> shown;
    std::set<std::string> distinct;
    for (const std::string& name : wide) {
      const Parted parted = {name.substr(0, begin), name.substr(begin, name.size() - begin - end),
                             name.substr(name.size() - end)};
      distinct.insert(shown[name] = Shortened(parted, cut, width, mark));
    }
    if (distinct.size() <= most) continue;
    most = distinct.size();
    best = std::move(shown);
  }
  std::map<std::string, std::set<std::string>> alike;  // by what is shown
  for (const auto& [name, text] : best) alike[text].insert(name);
  for (const auto& [text, group] : alike) {
    if (group.size() > 1) FromDifference(group, width, mark, &best);
  }
  std::vector<std::string> texts;
  texts.reserve(names.size());
  for (const std::string& name : names) {
    const auto it = best.find(name);
    texts.push_back(it == best.end() ? name : it->second);
  }
  return texts;
}

}  // namespace onnxcmp
