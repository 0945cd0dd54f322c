#include "reports/json_writer.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "record/streams/result_stream.h"
#include "reports/json_values.h"

namespace onnxcmp {

void JsonWriter::WriteText(absl::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](const char c) {
    return c >= ' ' && c < 0x7F && c != '"' && c != '\\';
  });
  if (!plain) {
    out_ += DumpJson(JsonText(text));
    return;
  }
  out_ += '"';
  out_.append(text.data(), text.size());
  out_ += '"';
}

void JsonWriter::WriteInteger(int64_t number) {
  const char* const quote = IsExactInJson(number) ? "" : "\"";
  absl::StrAppend(&out_, quote, number, quote);
}

void JsonWriter::WriteReal(double number, bool brief) {
  if (brief && std::isfinite(number)) {
    absl::StrAppend(&out_, number);  // six digits
    return;
  }
  out_ += DumpJson(JsonReal(number));
}

void JsonWriter::WriteResult(int result) {
  if (result == kNone) {
    out_ += "null";
  } else {
    absl::StrAppend(&out_, result);
  }
}

}  // namespace onnxcmp
