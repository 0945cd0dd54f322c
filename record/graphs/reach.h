// A search along a graph of any kind, the nearest first.
#ifndef ONNXCMP_RECORD_GRAPHS_REACH_H_
#define ONNXCMP_RECORD_GRAPHS_REACH_H_

#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"

namespace onnxcmp {

inline constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

// Visits the first elements and all that they lead to, each once. `next(element)` lists what one
// leads to; `passes(element)` visits it, and is false if the search does not go beyond it. Once it
// has seen `most`, it goes no farther; `hops` counts levels, that of the first included.
template <typename Element, typename Next, typename Passes>
void Reach(std::vector<Element> first, const Next& next, const Passes& passes,
           size_t most = kUnlimited, int hops = std::numeric_limits<int>::max()) {
  absl::flat_hash_set<Element> seen;
  const auto visit = [&](const Element& element) {
    return seen.insert(element).second && passes(element);
  };
  std::erase_if(first, std::not_fn(visit));
  for (int hop = 1; hop < hops && !first.empty(); ++hop) {
    std::vector<Element> further;
    for (const Element& element : first) {
      if (seen.size() >= most) return;
      absl::c_copy_if(next(element), std::back_inserter(further), visit);
    }
    first = std::move(further);
  }
}

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_REACH_H_
