#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "reports/layout/layered_layout.h"

namespace onnxcmp {
namespace {

size_t At(int number) { return static_cast<size_t>(number); }

// Longest ways from the top, by Kahn's order. What is in a circle gets a row when nothing else is
// left, the first of them first.
std::vector<int> LongestWays(int boxes, const std::vector<LayoutLine>& lines) {
  std::vector<std::vector<int>> below(At(boxes));
  std::vector<int> waiting(At(boxes));
  for (const LayoutLine& line : lines) {
    if (line.from == line.to) continue;
    below[At(line.from)].push_back(line.to);
    ++waiting[At(line.to)];
  }
  std::vector<int> rows(At(boxes));
  std::vector<bool> done(At(boxes));
  std::vector<int> ready;
  for (int i = boxes; i-- > 0;) {
    if (waiting[At(i)] == 0) ready.push_back(i);
  }
  int next_of_circle = 0;
  for (int count = 0; count < boxes; ++count) {
    while (ready.empty()) {
      if (!done[At(next_of_circle)]) ready.push_back(next_of_circle);
      ++next_of_circle;
    }
    const int box = ready.back();
    ready.pop_back();
    if (done[At(box)]) {
      --count;
      continue;
    }
    done[At(box)] = true;
    for (const int to : below[At(box)]) {
      if (done[At(to)]) continue;
      rows[At(to)] = std::max(rows[At(to)], rows[At(box)] + 1);
      if (--waiting[At(to)] == 0) ready.push_back(to);
    }
  }
  return rows;
}

// Boxes that nothing leads to go down to those that read them.
void LowerSources(const std::vector<LayoutLine>& lines, std::vector<int>* rows) {
  std::vector<int> first(rows->size(), std::numeric_limits<int>::max());
  std::vector<bool> source(rows->size(), true);
  for (const LayoutLine& line : lines) {
    if (line.from == line.to) continue;
    source[At(line.to)] = false;
    first[At(line.from)] = std::min(first[At(line.from)], (*rows)[At(line.to)]);
  }
  for (size_t i = 0; i < rows->size(); ++i) {
    if (source[i] && first[i] != std::numeric_limits<int>::max() && first[i] > 0) {
      (*rows)[i] = std::max((*rows)[i], first[i] - 1);
    }
  }
}

// The longest list of pairs, in the order of their first, in which the second ones ascend, too:
// these can all have common rows, since numbers ascend along lines.
std::vector<LayoutLine> Ascending(std::vector<LayoutLine> pairs) {
  std::sort(pairs.begin(), pairs.end(),
            [](const LayoutLine& a, const LayoutLine& b) { return a.from < b.from; });
  std::vector<size_t> ends;  // by length of a list, the pair that ends the best one
  std::vector<int> before(pairs.size(), -1);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto it = std::lower_bound(ends.begin(), ends.end(), pairs[i].to,
                                     [&](size_t end, int to) { return pairs[end].to < to; });
    if (it != ends.begin()) before[i] = static_cast<int>(*(it - 1));
    if (it == ends.end()) {
      ends.push_back(i);
    } else {
      *it = i;
    }
  }
  std::vector<LayoutLine> kept;
  for (int i = ends.empty() ? -1 : static_cast<int>(ends.back()); i >= 0; i = before[At(i)]) {
    kept.push_back(pairs[At(i)]);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

}  // namespace

std::vector<int> RowsOf(int boxes, const std::vector<LayoutLine>& lines) {
  std::vector<int> rows = LongestWays(boxes, lines);
  LowerSources(lines, &rows);
  return rows;
}

std::vector<std::vector<int>> RowsOfAll(const std::vector<LinkedBoxes>& graphs) {
  // One graph in which the boxes of a pair are one.
  std::vector<std::vector<int>> numbers;
  std::vector<LayoutLine> lines;
  int boxes = 0;
  for (const LinkedBoxes& graph : graphs) {
    std::vector<int> number(At(graph.boxes), -1);
    for (const LayoutLine& pair : Ascending(graph.pairs)) {
      number[At(pair.to)] = numbers.back()[At(pair.from)];
    }
    for (int& n : number) {
      if (n < 0) n = boxes++;
    }
    for (const LayoutLine& line : graph.lines) {
      lines.push_back({number[At(line.from)], number[At(line.to)]});
    }
    numbers.push_back(std::move(number));
  }
  const std::vector<int> rows = RowsOf(boxes, lines);
  for (std::vector<int>& number : numbers) {
    for (int& n : number) n = rows[At(n)];
  }
  return numbers;
}

}  // namespace onnxcmp
