#include "compare/in_float/smallest_set.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace onnxcmp {
namespace {

std::vector<int> Beginning(const std::vector<int>& all, size_t count) {
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::vector<int> Without(const std::vector<int>& all, size_t first, size_t count) {
  std::vector<int> rest = Beginning(all, first);
  rest.insert(rest.end(), all.begin() + static_cast<std::ptrdiff_t>(first + count), all.end());
  return rest;
}

}  // namespace

SmallestSet FindSmallestSet(const std::vector<int>& ordered,
                            absl::FunctionRef<bool(const std::vector<int>&)> enough,
                            absl::FunctionRef<bool()> may_go_on) {
  SmallestSet found;
  if (ordered.empty() || !enough(ordered)) return found;
  const auto tried = [&](const std::vector<int>& set) {
    if (found.cut_short || !may_go_on()) {
      found.cut_short = true;
      return false;
    }
    return enough(set);
  };
  // The first `too_few` do not suffice, the first `sufficient` do.
  size_t too_few = 0;
  size_t sufficient = ordered.size();
  for (size_t count = 1; count < ordered.size() && !found.cut_short; count *= 2) {
    if (tried(Beginning(ordered, count))) {
      sufficient = count;
      break;
    }
    if (!found.cut_short) too_few = count;
  }
  while (too_few + 1 < sufficient && !found.cut_short) {
    const size_t middle = too_few + (sufficient - too_few) / 2;
    if (tried(Beginning(ordered, middle))) {
      sufficient = middle;
    } else if (!found.cut_short) {
      too_few = middle;
    }
  }
  found.members = Beginning(ordered, sufficient);
  // Tries to remove pieces of the set, the least promising first; finally the rest one by one, and
  // again after a success.
  size_t size = std::max<size_t>(1, found.members.size() / 2);
  bool any = false;
  while (found.members.size() > 1 && !found.cut_short) {
    for (size_t end = found.members.size(); end > 0 && !found.cut_short;) {
      const size_t first = end > size ? end - size : 0;
      std::vector<int> rest = Without(found.members, first, end - first);
      if (!rest.empty() && tried(rest)) {
        found.members = std::move(rest);
        any = true;
      }
      end = first;
    }
    if (size > 1) {
      size /= 2;
      any = false;
    } else if (!any) {
      break;
    } else {
      any = false;
    }
  }
  return found;
}

}  // namespace onnxcmp
