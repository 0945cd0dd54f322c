// Texts from models on a terminal: their printable form, their width, shortening.
#ifndef ONNXCMP_RECORD_TEXT_DISPLAY_TEXT_H_
#define ONNXCMP_RECORD_TEXT_DISPLAY_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// The text in valid UTF-8, with control and invisible characters escaped: "\n", "\x1b", "\u202e".
// Everything else is unchanged, so that it can be copied.
std::string PrintableText(absl::string_view text);

// In ASCII: the signs of tables become their equivalents ("…" "..", "→" "->"), other characters
// escapes.
std::string AsciiText(absl::string_view text);

// Columns of a printable text: 2 for wide characters, 0 for combining ones.
int DisplayWidth(absl::string_view text);

// The text in at most `width` columns, with the start, the middle or the end replaced by the mark.
// The end of a name is more distinctive than its beginning, so it gets the odd column. If there is
// room only for the mark, the text is cut without it.
std::string ShortenStart(absl::string_view text, int width, absl::string_view mark);
std::string ShortenMiddle(absl::string_view text, int width, absl::string_view mark);
std::string ShortenEnd(absl::string_view text, int width, absl::string_view mark);

// Pads with spaces after or before, to `width` columns.
std::string PadRight(absl::string_view text, int width);
std::string PadLeft(absl::string_view text, int width);

// A space where WrapText does not break. PrintableText leaves none in a text.
inline constexpr char kNoBreak[] = "\u00A0";

// Breaks the text into lines of at most `width` columns, at spaces; a longer word has a line of its
// own, so that it can be copied. Returns at least one line.
std::vector<std::string> WrapText(absl::string_view text, int width);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_TEXT_DISPLAY_TEXT_H_
