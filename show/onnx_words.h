// Names, numbers and elements as ONNX's parser reads them.
#ifndef ONNXCMP_SHOW_ONNX_WORDS_H_
#define ONNXCMP_SHOW_ONNX_WORDS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

// Letters, digits and '_', no digit first.
bool IsWord(absl::string_view text);
// And none that the parser would take for a type or a number.
bool IsPlainWord(absl::string_view text);
// In quotes.
std::string QuotedText(absl::string_view text);
// In quotes unless it is a plain word.
std::string QuotableName(absl::string_view text);

void AppendNumber(float number, std::string* text);

// True if the elements of a contiguous tensor survive as numbers: some types have none, and a NaN
// may have bits of its own.
bool CanWriteElements(const Tensor& tensor);
// All of them, "1.0,2.0"; Unimplemented for those that do not survive.
absl::Status AppendElements(const Tensor& tensor, std::string* text);

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_ONNX_WORDS_H_
