// Where the boxes and the lines of a drawing of a graph lie: boxes in rows from top to bottom, what
// reads below what it reads.
//
// Graphviz does the same and better for some hundred boxes, but takes 4 s for 2000 and 22 s for
// 4000 of them in a deep graph, finds its engines as plugins when it runs, and knows nothing of two
// graphs whose rows are to be opposite each other. This takes time nearly in proportion.
#ifndef ONNXCMP_REPORTS_LAYOUT_LAYERED_LAYOUT_H_
#define ONNXCMP_REPORTS_LAYOUT_LAYERED_LAYOUT_H_

#include <vector>

namespace onnxcmp {

struct LayoutBox {
  double width = 0;
  double height = 0;
};

struct LayoutLine {
  int from = 0;
  int to = 0;
};

struct LayoutPoint {
  double x = 0;
  double y = 0;
};

struct Layout {
  std::vector<LayoutPoint> centers;             // the boxes'
  std::vector<std::vector<LayoutPoint>> lines;  // from box to box, by way of free places
  double width = 0;
  double height = 0;
};

// The row of each box, as few as can be: one more than that of the last box it reads from. Boxes
// without a line to them stand just above the first that reads them. Lines that would close a
// circle do not count.
std::vector<int> RowsOf(int boxes, const std::vector<LayoutLine>& lines);

// A graph beside others. `pairs`: from boxes of the graph before to boxes of this one.
struct LinkedBoxes {
  int boxes = 0;
  std::vector<LayoutLine> lines;
  std::vector<LayoutLine> pairs;
};
// The same for several graphs at once: boxes of a pair have the same row as far as the lines
// allow.
std::vector<std::vector<int>> RowsOfAll(const std::vector<LinkedBoxes>& graphs);

// `rows`: as above; of every line that counts the row of `to` is greater. `row_heights`: at least
// so high; may be empty.
Layout LayOut(const std::vector<LayoutBox>& boxes, const std::vector<LayoutLine>& lines,
              const std::vector<int>& rows, const std::vector<double>& row_heights = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_LAYOUT_LAYERED_LAYOUT_H_
