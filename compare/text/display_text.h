// Texts from models on a terminal: what may be printed of them, how wide it is, how it is
// shortened.
#ifndef ONNXCMP_COMPARE_TEXT_DISPLAY_TEXT_H_
#define ONNXCMP_COMPARE_TEXT_DISPLAY_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// The text in valid UTF-8, with what would steer a terminal or hide from the eye escaped: "\n",
// "\x1b", "\u202e". Everything else is as it was, so that it can be copied.
std::string PrintableText(absl::string_view text);

// In ASCII: the signs that tables are made of become their twins ("…" "..", "→" "->"), other
// characters escapes.
std::string AsciiText(absl::string_view text);

// Columns that a printable text takes: 2 for wide characters, 0 for combining ones.
int DisplayWidth(absl::string_view text);

// The text in at most `width` columns, the start, the middle or the end replaced by the mark. The
// end of a name tells more than its beginning, so it gets the odd column. A width that has no room
// for more than the mark cuts without it.
std::string ShortenStart(absl::string_view text, int width, absl::string_view mark);
std::string ShortenMiddle(absl::string_view text, int width, absl::string_view mark);
std::string ShortenEnd(absl::string_view text, int width, absl::string_view mark);

// With spaces after or before, to `width` columns.
std::string PadRight(absl::string_view text, int width);
std::string PadLeft(absl::string_view text, int width);

// A space where WrapText does not cut. No printable text has one of its own.
inline constexpr char kNoBreak[] = "\u00A0";

// The text in lines of at most `width` columns, cut at spaces; a longer word has a line of its own,
// so that it can be copied. One line at least.
std::vector<std::string> WrapText(absl::string_view text, int width);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_TEXT_DISPLAY_TEXT_H_
