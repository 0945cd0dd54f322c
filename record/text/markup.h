// Texts as parts of XML, SVG and HTML.
#ifndef ONNXCMP_RECORD_TEXT_MARKUP_H_
#define ONNXCMP_RECORD_TEXT_MARKUP_H_

#include <string>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// The text with what has a meaning in markup escaped, for elements and for quoted attributes. It is
// printable already: control characters are not looked at.
std::string EscapedMarkup(absl::string_view text);

// The text on one line, for a cell of a table or an item of a list in Markdown.
std::string EscapedMarkdown(absl::string_view text);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_TEXT_MARKUP_H_
