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

// The same for two graphs at once: boxes of `pairs` (of the first, of the second graph) have the
// same row as far as the lines allow.
struct PairedRows {
  std::vector<int> first, second;
};
PairedRows RowsOfPairs(int first_boxes, const std::vector<LayoutLine>& first_lines,
                       int second_boxes, const std::vector<LayoutLine>& second_lines,
                       std::vector<LayoutLine> pairs);

// `rows`: as above; of every line that counts the row of `to` is greater. `row_heights`: at least
// so high; may be empty.
Layout LayOut(const std::vector<LayoutBox>& boxes, const std::vector<LayoutLine>& lines,
              const std::vector<int>& rows, const std::vector<double>& row_heights = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_LAYOUT_LAYERED_LAYOUT_H_
