// Layout options of tables for a terminal.
#ifndef ONNXCMP_REPORTS_TABLE_TABLE_OPTIONS_H_
#define ONNXCMP_REPORTS_TABLE_TABLE_OPTIONS_H_

#include <cstdint>
#include <string>

namespace onnxcmp {

struct TableOptions {
  int width = 100;  // columns of the terminal
  bool color = false;
  bool ascii = false;
  enum class Rows : uint8_t {
    kFolded,         // a screenful: other rows are folded to lines that count them
    kAll,            // every row
    kDifferent,      // rows that are different or on one side only
    kOnlyDifferent,  // rows that are different
  };
  Rows rows = Rows::kFolded;
  // Instead of rows, only the places where the sides stop being finite, and how.
  bool only_not_finite = false;
  bool coverage = false;  // node by node, operators that made-up inputs did not exercise
  bool wide = false;      // full names, however long the lines become
  bool fixed = false;     // --fix was given: nothing proposes it
  int height = 40;        // lines of the screen
  // URL of a page that shows the same comparison: "file:///dir/page.html". Row numbers link to its
  // rows. "": no links.
  std::string page = {};
};

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_TABLE_TABLE_OPTIONS_H_
