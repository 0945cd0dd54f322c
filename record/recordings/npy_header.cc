#include "record/recordings/npy_header.h"

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("malformed .npy header: ", what));
}

// Reads a Python literal from front to back. No nesting, hence no recursion.
class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::StatusOr<NpyHeader> Header() {
    NpyHeader header;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    OC_RETURN_IF_ERROR(Expect('{'));
    while (!Take('}')) {
      OC_ASSIGN_OR_RETURN(std::string key, String());
      OC_RETURN_IF_ERROR(Expect(':'));
      if (key == "descr") {
        OC_RETURN_IF_ERROR(Descr(&header));
        has_descr = true;
      } else if (key == "fortran_order") {
        OC_ASSIGN_OR_RETURN(header.fortran_order, Bool());
        has_order = true;
      } else if (key == "shape") {
        OC_ASSIGN_OR_RETURN(header.shape, Tuple());
        has_shape = true;
      } else {
        return Malformed(absl::StrCat("unknown key '", key, "'"));
      }
      if (!Take(',')) {
        OC_RETURN_IF_ERROR(Expect('}'));
        break;
      }
    }
    SkipSpace();
    if (!text_.empty()) {
      return Malformed("there is more after its end");
    }
    if (!has_descr || !has_order || !has_shape) {
      return Malformed("it needs descr, fortran_order and shape");
    }
    return header;
  }

 private:
  void SkipSpace() { text_ = absl::StripLeadingAsciiWhitespace(text_); }

  bool Take(char c) {
    SkipSpace();
    if (text_.empty() || text_[0] != c) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }

  absl::Status Expect(char c) {
    if (!Take(c)) {
      return Malformed(absl::StrCat("'", std::string(1, c), "' is missing"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> String() {
    const char quote = Take('"') ? '"' : '\'';
    if (quote == '\'') {
      OC_RETURN_IF_ERROR(Expect(quote));
    }
    const size_t end = text_.find(quote);
    if (end == absl::string_view::npos) {
      return Malformed("a text without an end");
    }
    std::string value(text_.substr(0, end));
    text_.remove_prefix(end + 1);
    return value;
  }

  absl::StatusOr<bool> Bool() {
    SkipSpace();
    for (const bool value : {false, true}) {
      const absl::string_view word = value ? "True" : "False";
      if (text_.substr(0, word.size()) == word) {
        text_.remove_prefix(word.size());
        return value;
      }
    }
    return Malformed("fortran_order is neither True nor False");
  }

  absl::StatusOr<Shape> Tuple() {
    Shape shape;
    OC_RETURN_IF_ERROR(Expect('('));
    while (!Take(')')) {
      SkipSpace();
      size_t digits = 0;
      while (digits < text_.size() && absl::ascii_isdigit(text_[digits])) {
        ++digits;
      }
      int64_t size = 0;
      if (!absl::SimpleAtoi(text_.substr(0, digits), &size)) {
        return Malformed("a dimension is not a number from 0 to 2^63 - 1");
      }
      text_.remove_prefix(digits);
      Take('L');  // Python 2's long integers
      shape.push_back(size);
      if (!Take(',')) {
        OC_RETURN_IF_ERROR(Expect(')'));
        break;
      }
    }
    return shape;
  }

  // '<f4': byte order, kind, size.
  absl::Status Descr(NpyHeader* header) {
    if (Take('[')) {
      return absl::UnimplementedError("the array has records as elements");
    }
    OC_ASSIGN_OR_RETURN(std::string descr, String());
    absl::string_view rest = descr;
    if (!rest.empty() && absl::StrContains("<>|=", rest.substr(0, 1))) {
      header->big_endian = rest[0] == '>';
      rest.remove_prefix(1);
    }
    if (!rest.empty()) {
      header->kind = rest[0];
      rest.remove_prefix(1);
    }
    if (rest.empty() && (header->kind == '?' || header->kind == 'O')) {
      header->kind = header->kind == '?' ? 'b' : 'O';
      header->count = 1;
      return absl::OkStatus();
    }
    if (header->kind == 'M' || header->kind == 'm') {  // dates carry a unit in brackets
      return absl::OkStatus();
    }
    int32_t count = 0;
    if (!absl::SimpleAtoi(rest, &count) || count < 0) {
      return Malformed(absl::StrCat("unknown element type '", descr, "'"));
    }
    header->count = count;
    return absl::OkStatus();
  }

  absl::string_view text_;
};

}  // namespace

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view text) { return Parser(text).Header(); }

std::string NpyHeaderBytes(absl::string_view descr, absl::Span<const int64_t> shape) {
  std::string text = absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (",
                                  absl::StrJoin(shape, ", "), shape.size() == 1 ? "," : "", "), }");
  // Version 1 counts the text's bytes in 16 bits, version 2 in 32. The data begin at a multiple of
  // 64, after a newline.
  const bool large = text.size() > 65000;
  const size_t fixed = large ? 12 : 10;
  text.append(63 - (fixed + text.size()) % 64, ' ');
  text.push_back('\n');
  std::string bytes("\x93NUMPY", 6);
  bytes.push_back(large ? 2 : 1);
  bytes.push_back(0);
  for (int i = 0; i < (large ? 4 : 2); ++i) {
    bytes.push_back(static_cast<char>(text.size() >> (8 * i) & 0xFF));
  }
  return absl::StrCat(bytes, text);
}

}  // namespace onnxcmp
