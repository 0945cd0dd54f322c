#include "tools/reduce/node_order.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <limits>
#include <tuple>

namespace onnxcmp {

std::vector<int> NearestFirst(const KnownModel& known, const std::vector<int>& needed,
                              const std::vector<int>& rest) {
  if (needed.empty()) return rest;
  constexpr int kFar = std::numeric_limits<int>::max();
  std::vector<int> distances(static_cast<size_t>(known.node_count()), kFar);
  std::deque<int> open;
  for (const int node : needed) {
    distances[static_cast<size_t>(node)] = 0;
    open.push_back(node);
  }
  while (!open.empty()) {
    const int node = open.front();
    open.pop_front();
    const auto reach = [&](int next) {
      int& distance = distances[static_cast<size_t>(next)];
      if (distance != kFar) return;
      distance = distances[static_cast<size_t>(node)] + 1;
      open.push_back(next);
    };
    for (const auto& name : known.reads[static_cast<size_t>(node)]) {
      const auto maker = known.makers.find(name);
      if (maker != known.makers.end()) reach(maker->second);
    }
    for (const auto& name : known.proto->graph().node(node).output()) {
      const auto readers = known.readers.find(name);
      if (readers == known.readers.end()) continue;
      for (const int reader : readers->second) reach(reader);
    }
  }
  std::vector<int> order = rest;
  const int last = needed.back();
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::tuple(distances[static_cast<size_t>(a)], std::abs(a - last), a) <
           std::tuple(distances[static_cast<size_t>(b)], std::abs(b - last), b);
  });
  return order;
}

}  // namespace onnxcmp
