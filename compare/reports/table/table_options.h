// Layout options of tables for a terminal.
#ifndef ONNXCMP_COMPARE_REPORTS_TABLE_TABLE_OPTIONS_H_
#define ONNXCMP_COMPARE_REPORTS_TABLE_TABLE_OPTIONS_H_

#include <cstdint>
#include <string>

namespace onnxcmp {

struct TableOptions {
  int width = 100;  // columns of the terminal
  bool color = false;
  bool ascii = false;
  enum class Rows : uint8_t {
    kFolded,         // a screenful: what needs no attention is folded to lines that count it
    kAll,            // every row
    kDifferent,      // rows that are different or on one side only
    kOnlyDifferent,  // rows that are different
  };
  Rows rows = Rows::kFolded;
  // Instead of rows, only the places where the sides stop being finite, and how.
  bool only_not_finite = false;
  bool coverage = false;  // what made-up inputs did not exercise, node by node
  bool wide = false;      // names whole, however long the lines become
  int height = 40;        // lines of the screen
  // Of a page that shows the same comparison: "file:///dir/page.html". Row numbers lead to its
  // rows.
  // "": to nowhere.
  std::string page = {};
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_TABLE_TABLE_OPTIONS_H_
