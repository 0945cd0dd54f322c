#include "reports/layout/layered_layout.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace onnxcmp {
namespace {

constexpr double kBetweenBoxes = 18;
constexpr double kBetweenRows = 34;
constexpr double kBend = 10;  // width of a place where a line passes a row
constexpr int kSweeps = 8;
constexpr double kStraightness = 8;  // weight of bends beside that of boxes

size_t At(int number) { return static_cast<size_t>(number); }

// Boxes, and places where lines pass rows: lines from one box share them, so that there is at most
// one for each box and row.
struct Item {
  int row = 0;
  double width = 0;
  double weight = 1;
  double x = 0;  // the center's
  std::vector<int> above, below;
};

class LayeredLayout {
 public:
  LayeredLayout(const std::vector<LayoutBox>& boxes, const std::vector<LayoutLine>& lines,
                const std::vector<int>& rows)
      : boxes_(boxes), lines_(lines) {
    int last = 0;
    for (const int row : rows) last = std::max(last, row);
    order_.resize(At(last) + 1);
    for (size_t i = 0; i < boxes.size(); ++i) AddItem(rows[i], boxes[i].width, 1);
    for (const LayoutLine& line : lines) AddWay(line);
    FirstOrder();
    for (int sweep = 0; sweep < kSweeps; ++sweep) Sort(sweep % 2 == 0);
    Place();
  }

  Layout Result(const std::vector<double>& least_heights) const {
    std::vector<double> heights(order_.size());
    for (size_t i = 0; i < least_heights.size() && i < heights.size(); ++i) {
      heights[i] = least_heights[i];
    }
    for (size_t i = 0; i < boxes_.size(); ++i) {
      double& height = heights[At(items_[i].row)];
      height = std::max(height, boxes_[i].height);
    }
    std::vector<double> middles;
    Layout layout;
    for (const double height : heights) {
      middles.push_back(layout.height + height / 2);
      layout.height += height + kBetweenRows;
    }
    layout.height = std::max(0.0, layout.height - kBetweenRows);
    double left = 0;
    double right = 0;
    for (const Item& item : items_) {
      left = std::min(left, item.x - item.width / 2);
      right = std::max(right, item.x + item.width / 2);
    }
    layout.width = right - left;
    for (size_t i = 0; i < boxes_.size(); ++i) {
      layout.centers.push_back({items_[i].x - left, middles[At(items_[i].row)]});
    }
    for (size_t i = 0; i < lines_.size(); ++i) {
      layout.lines.push_back(Points(i, middles, left, layout.centers));
    }
    return layout;
  }

 private:
  int AddItem(int row, double width, double weight) {
    Item item;
    item.row = row;
    item.width = width;
    item.weight = weight;
    items_.push_back(std::move(item));
    return static_cast<int>(items_.size()) - 1;
  }

  void AddWay(const LayoutLine& line) {
    std::vector<int>& way = ways_.emplace_back();
    const int from_row = items_[At(line.from)].row;
    const int to_row = items_[At(line.to)].row;
    if (to_row <= from_row) return;
    int before = line.from;
    for (int row = from_row + 1; row < to_row; ++row) {
      const auto [it, added] = bends_.try_emplace({line.from, row}, 0);
      if (added) {
        it->second = AddItem(row, kBend, kStraightness);
        Connect(before, it->second);
      }
      before = it->second;
      way.push_back(before);
    }
    Connect(before, line.to);
  }

  void Connect(int above, int below) {
    items_[At(above)].below.push_back(below);
    items_[At(below)].above.push_back(above);
  }

  // As a walk from the top meets them, depth first, so that what belongs together is together.
  void FirstOrder() {
    std::vector<bool> seen(items_.size());
    std::vector<int> stack;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (!items_[i].above.empty()) continue;
      stack.push_back(static_cast<int>(i));
      while (!stack.empty()) {
        const int item = stack.back();
        stack.pop_back();
        if (seen[At(item)]) continue;
        seen[At(item)] = true;
        order_[At(items_[At(item)].row)].push_back(item);
        const std::vector<int>& below = items_[At(item)].below;
        stack.insert(stack.end(), below.rbegin(), below.rend());
      }
    }
    positions_.resize(items_.size());
    for (const std::vector<int>& row : order_) Number(row);
  }

  void Number(const std::vector<int>& row) {
    for (size_t i = 0; i < row.size(); ++i) positions_[At(row[i])] = static_cast<double>(i);
  }

  // Each row by the middle of the neighbours in the row before.
  void Sort(bool down) {
    const size_t rows = order_.size();
    for (size_t k = 1; k < rows; ++k) {
      std::vector<int>& row = order_[down ? k : rows - 1 - k];
      std::vector<std::pair<double, int>> keys;
      for (const int item : row) {
        const std::vector<int>& near = down ? items_[At(item)].above : items_[At(item)].below;
        double sum = 0;
        for (const int other : near) sum += positions_[At(other)];
        keys.emplace_back(
            near.empty() ? positions_[At(item)] : sum / static_cast<double>(near.size()), item);
      }
      std::stable_sort(keys.begin(), keys.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      for (size_t i = 0; i < row.size(); ++i) row[i] = keys[i].second;
      Number(row);
    }
  }

  void Place() {
    for (const std::vector<int>& row : order_) {
      double x = 0;
      for (const int item : row) {
        items_[At(item)].x = x + items_[At(item)].width / 2;
        x += items_[At(item)].width + kBetweenBoxes;
      }
      for (const int item : row) items_[At(item)].x -= x / 2;
    }
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (size_t k = 0; k < order_.size(); ++k) {
        PlaceRow(order_[down ? k : order_.size() - 1 - k], down, sweep + 2 >= kSweeps);
      }
    }
  }

  // Where the neighbours want it: those of one row, at the end those of both.
  double Wanted(const Item& item, bool down, bool both) const {
    double sum = 0;
    double count = 0;
    for (const bool above : {true, false}) {
      if (!both && above != down) continue;
      for (const int other : above ? item.above : item.below) {
        sum += items_[At(other)].x;
        ++count;
      }
    }
    return count == 0 ? item.x : sum / count;
  }

  // As near to the wanted places as can be (least squares) in this order and without overlaps: runs
  // of items that touch each other move as one.
  void PlaceRow(const std::vector<int>& row, bool down, bool both) {
    struct Run {
      double place;  // its first item's center
      double weight;
      size_t begin;
    };
    std::vector<double> offsets(row.size());
    std::vector<Run> runs;
    for (size_t i = 0; i < row.size(); ++i) {
      const Item& item = items_[At(row[i])];
      if (i > 0) {
        const Item& before = items_[At(row[i - 1])];
        offsets[i] = offsets[i - 1] + (before.width + item.width) / 2 + kBetweenBoxes;
      }
      runs.push_back({Wanted(item, down, both) - offsets[i], item.weight, i});
      while (runs.size() > 1 && runs[runs.size() - 2].place >= runs.back().place) {
        const Run last = runs.back();
        runs.pop_back();
        Run& run = runs.back();
        run.place =
            (run.place * run.weight + last.place * last.weight) / (run.weight + last.weight);
        run.weight += last.weight;
      }
    }
    for (size_t k = 0; k < runs.size(); ++k) {
      const size_t end = k + 1 < runs.size() ? runs[k + 1].begin : row.size();
      for (size_t i = runs[k].begin; i < end; ++i) {
        items_[At(row[i])].x = runs[k].place + offsets[i];
      }
    }
  }

  std::vector<LayoutPoint> Points(size_t line, const std::vector<double>& middles, double left,
                                  const std::vector<LayoutPoint>& centers) const {
    const auto from = At(lines_[line].from);
    const auto to = At(lines_[line].to);
    std::vector<LayoutPoint> points = {
        {centers[from].x, centers[from].y + boxes_[from].height / 2}};
    for (const int bend : ways_[line]) {
      points.push_back({items_[At(bend)].x - left, middles[At(items_[At(bend)].row)]});
    }
    points.push_back({centers[to].x, centers[to].y - boxes_[to].height / 2});
    return points;
  }

  const std::vector<LayoutBox>& boxes_;
  const std::vector<LayoutLine>& lines_;
  std::vector<Item> items_;                   // boxes first
  std::vector<std::vector<int>> ways_;        // the bends of each line
  std::map<std::pair<int, int>, int> bends_;  // by box and row
  std::vector<std::vector<int>> order_;       // items of each row
  std::vector<double> positions_;             // in their rows
};

}  // namespace

Layout LayOut(const std::vector<LayoutBox>& boxes, const std::vector<LayoutLine>& lines,
              const std::vector<int>& rows, const std::vector<double>& row_heights) {
  return LayeredLayout(boxes, lines, rows).Result(row_heights);
}

}  // namespace onnxcmp
