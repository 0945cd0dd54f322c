// UTF-8, as far as NumPy's and ZIP's texts need it.
#ifndef ONNXCMP_RECORD_TEXT_UTF8_H_
#define ONNXCMP_RECORD_TEXT_UTF8_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace onnxcmp {

// False if the number is no Unicode character (surrogates are none).
bool AppendUtf8(uint32_t code, std::string* text);

// The characters of a text; invalid bytes become U+FFFD.
std::vector<uint32_t> DecodeUtf8(absl::string_view text);

bool IsValidUtf8(absl::string_view text);

// The text with every invalid byte replaced by U+FFFD.
std::string RepairUtf8(absl::string_view text);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_TEXT_UTF8_H_
