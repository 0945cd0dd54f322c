#include "show/onnx_words.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {
namespace {

// Words that the parser would take for a type or a number.
bool IsTaken(absl::string_view text) {
  const std::string lower = absl::AsciiStrToLower(text);
  for (const absl::string_view word :
       {"seq", "map", "optional", "sparse_tensor", "opaque", "inf", "infinity", "nan"}) {
    if (lower == word) return true;
  }
  return DTypeFromName(text).has_value();
}

template <typename T>
void AppendAnyNumber(T number, std::string* text) {
  char digits[64];
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(number)) {
      text->append(std::signbit(number) ? "-nan" : "nan");
      return;
    }
  }
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), number);
  text->append(digits, end.ptr);
  if constexpr (std::is_floating_point_v<T>) {
    // -0 is an integer otherwise, and 0 then.
    const absl::string_view written(digits, static_cast<size_t>(end.ptr - digits));
    if (written.find_first_of(".en") == absl::string_view::npos) text->append(".0");
  }
}

template <typename T>
void AppendAll(const std::byte* data, int64_t count, std::string* text) {
  for (int64_t i = 0; i < count; ++i) {
    T number;
    std::memcpy(&number, data + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    if (i > 0) text->push_back(',');
    AppendAnyNumber(number, text);
  }
}

// True if floats have a NaN other than the one that "nan" is.
template <typename T, typename Bits>
bool HasOtherNan(const std::byte* data, int64_t count) {
  const T usual = std::numeric_limits<T>::quiet_NaN();
  Bits usual_bits;
  std::memcpy(&usual_bits, &usual, sizeof(usual));
  for (int64_t i = 0; i < count; ++i) {
    T number;
    Bits bits;
    std::memcpy(&number, data + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    std::memcpy(&bits, &number, sizeof(number));
    const Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1);
    if (std::isnan(number) && (bits & ~sign) != usual_bits) return true;
  }
  return false;
}

}  // namespace

bool IsWord(absl::string_view text) {
  if (text.empty() || absl::ascii_isdigit(static_cast<unsigned char>(text[0]))) return false;
  for (const char c : text) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return true;
}

std::string QuotedText(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

bool IsPlainWord(absl::string_view text) { return IsWord(text) && !IsTaken(text); }

std::string QuotableName(absl::string_view text) {
  return IsPlainWord(text) ? std::string(text) : QuotedText(text);
}

void AppendNumber(float number, std::string* text) { AppendAnyNumber(number, text); }

// True if its elements survive as numbers.
bool CanWriteElements(const Tensor& tensor) {
  const std::byte* data = tensor.raw_data();
  const int64_t count = tensor.num_elements();
  switch (tensor.dtype()) {
    case DType::kFloat6E2M3:
    case DType::kFloat6E3M2:
      return count == 0;
    case DType::kFloat:
      return !HasOtherNan<float, uint32_t>(data, count);
    case DType::kComplex64:
      return !HasOtherNan<float, uint32_t>(data, 2 * count);
    case DType::kDouble:
      return !HasOtherNan<double, uint64_t>(data, count);
    case DType::kComplex128:
      return !HasOtherNan<double, uint64_t>(data, 2 * count);
    default:
      return true;
  }
}

absl::Status AppendElements(const Tensor& tensor, std::string* text) {
  if (tensor.dtype() == DType::kString) {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      absl::StrAppend(text, i > 0 ? "," : "", QuotedText(tensor.string_data()[i]));
    }
    return absl::OkStatus();
  }
  if (!CanWriteElements(tensor)) {
    return absl::UnimplementedError(
        absl::StrCat("ONNX's text syntax cannot say its elements of ", DTypeName(tensor.dtype()),
                     IsFloatingPoint(tensor.dtype()) && BitWidth(tensor.dtype()) >= 32
                         ? " (NaN with bits of their own)"
                         : "",
                     "; --output FILE.onnxtxt puts them beside the text"));
  }
  const std::byte* data = tensor.raw_data();
  const int64_t count = tensor.num_elements();
  switch (tensor.dtype()) {
    case DType::kFloat:
      AppendAll<float>(data, count, text);
      break;
    case DType::kComplex64:
      AppendAll<float>(data, 2 * count, text);
      break;
    case DType::kDouble:
      AppendAll<double>(data, count, text);
      break;
    case DType::kComplex128:
      AppendAll<double>(data, 2 * count, text);
      break;
    case DType::kInt64:
      AppendAll<int64_t>(data, count, text);
      break;
    case DType::kUint64:
      AppendAll<uint64_t>(data, count, text);
      break;
    case DType::kInt32:
      AppendAll<int32_t>(data, count, text);
      break;
    case DType::kUint32:
      AppendAll<uint32_t>(data, count, text);
      break;
    case DType::kInt16:
      AppendAll<int16_t>(data, count, text);
      break;
    case DType::kUint16:
    case DType::kFloat16:
    case DType::kBfloat16:
      AppendAll<uint16_t>(data, count, text);
      break;
    case DType::kInt8:
      AppendAll<int8_t>(data, count, text);
      break;
    default:
      // One byte each, or packed: bytes then.
      AppendAll<uint8_t>(data, tensor.byte_size(), text);
      break;
  }
  return absl::OkStatus();
}

}  // namespace onnxcmp
