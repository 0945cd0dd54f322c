// JSON written member by member, for reports of thousands of results.
#ifndef ONNXCMP_REPORTS_JSON_WRITER_H_
#define ONNXCMP_REPORTS_JSON_WRITER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// Appends to a text. Commas come by themselves. Names are ours: they need no escapes.
class JsonWriter {
 public:
  // `brief`: reals with six digits, and not those that tell them from all others.
  JsonWriter(std::string* out, bool brief) : out_(*out), brief_(brief) {}

  bool brief() const { return brief_; }

  void Begin(char bracket) {  // '{', '['
    Separate();
    out_ += bracket;
  }
  void Begin(absl::string_view name, char bracket) {
    Name(name);
    out_ += bracket;
  }
  void End(char bracket) { out_ += bracket; }
  // An item in a line of its own.
  void BeginLine(char bracket) {
    if (out_.back() != '[') out_ += ',';
    out_ += '\n';
    out_ += bracket;
  }

  void Text(absl::string_view name, absl::string_view text) {
    Name(name);
    WriteText(text);
  }
  void Text(absl::string_view text) {
    Separate();
    WriteText(text);
  }
  void Integer(absl::string_view name, int64_t number) {
    Name(name);
    WriteInteger(number);
  }
  void Integer(int64_t number) {
    Separate();
    WriteInteger(number);
  }
  void Real(absl::string_view name, double number) {
    Name(name);
    WriteReal(number, brief_);
  }
  void Real(double number) {
    Separate();
    WriteReal(number, brief_);
  }
  // With all digits, however brief.
  void ExactReal(absl::string_view name, double number) {
    Name(name);
    WriteReal(number, false);
  }
  void Bool(absl::string_view name, bool value) {
    Name(name);
    out_ += value ? "true" : "false";
  }
  // An array of results by their numbers; null for kNone.
  template <typename Numbers>
  void Results(absl::string_view name, const Numbers& results) {
    Begin(name, '[');
    for (const int result : results) {
      Separate();
      WriteResult(result);
    }
    End(']');
  }

 private:
  void Separate() {
    if (!out_.empty() && out_.back() != '{' && out_.back() != '[') out_ += ',';
  }
  void Name(absl::string_view name) {
    Separate();
    out_ += '"';
    out_.append(name.data(), name.size());
    out_ += "\":";
  }
  void WriteText(absl::string_view text);
  void WriteInteger(int64_t number);
  void WriteReal(double number, bool brief);
  void WriteResult(int result);

  std::string& out_;
  const bool brief_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_REPORTS_JSON_WRITER_H_
