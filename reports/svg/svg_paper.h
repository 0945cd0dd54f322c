// A picture in SVG that is written from top to bottom.
#ifndef ONNXCMP_REPORTS_SVG_SVG_PAPER_H_
#define ONNXCMP_REPORTS_SVG_SVG_PAPER_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// It needs nothing else: no script, no font, no address. Lengths are pixels.
class SvgPaper {
 public:
  static constexpr double kWidth = 1000;
  static constexpr double kMargin = 20;
  static constexpr double kRight = kWidth - kMargin;

  double top() const { return top_; }
  void Skip(double height) { top_ += height; }

  // Lines of text between the margins, broken at spaces, at most so many. `look`: of the style
  // sheet, "title", "words", "said", "quiet", "name", "heading".
  void Write(absl::string_view text, absl::string_view look, size_t most);
  // One line at a place of its own, which does not move what follows.
  void WriteAt(absl::string_view text, absl::string_view look, double x, double y);
  // A part of the picture, in coordinates of the whole.
  void Put(const std::string& markup) { body_ += markup; }

  // All between these stands on a panel with a bar of this color at its left.
  void BeginPanel();
  void EndPanel(absl::string_view color);

  // The whole. `title`: its name for those who hear it.
  std::string Finish(absl::string_view title) const;

 private:
  double top_ = kMargin;
  double left_ = kMargin;  // of text
  std::string body_;
  size_t panel_begins_ = 0;  // in the body
  double panel_top_ = 0;
};

// A length with at most one decimal.
std::string SvgNumber(double number);

// The columns of a look that a width has room for.
int ColumnsOf(absl::string_view look, double width);

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_SVG_SVG_PAPER_H_
