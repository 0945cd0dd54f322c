#include "record/differences/element_text.h"

#include <charconv>
#include <cmath>
#include <complex>
#include <cstdint>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "record/differences/element_reader.h"

namespace onnxcmp {
namespace {

constexpr size_t kMaxString = 40;

template <typename T>
T Element(const Tensor& tensor, int64_t index) {
  T element;
  ElementReader(tensor).Read(index, 1, &element);
  return element;
}

// The shortest text that reads back as the same number.
template <typename T>
std::string Shortest(T number) {
  if (std::isnan(number)) {
    return "nan";
  }
  char text[32];
  const std::to_chars_result result = std::to_chars(text, text + sizeof(text), number);
  return std::string(text, result.ptr);
}

std::string RealText(DType dtype, double number) {
  return dtype == DType::kDouble || dtype == DType::kComplex128
             ? Shortest(number)
             : Shortest(static_cast<float>(number));
}

std::string StringText(const Tensor& tensor, int64_t index) {
  // Strings lie in a buffer of their own; strides count its elements.
  int64_t position = 0;
  for (size_t axis = tensor.shape().size(); axis-- > 0;) {
    position += index % tensor.shape()[axis] * tensor.strides()[axis];
    index /= tensor.shape()[axis];
  }
  std::string text = absl::Utf8SafeCEscape(tensor.string_data()[position]);
  if (text.size() > kMaxString) {
    text = absl::StrCat(text.substr(0, kMaxString - 13), "...", text.substr(text.size() - 10));
  }
  return absl::StrCat("\"", text, "\"");
}

}  // namespace

std::string ElementText(const Tensor& tensor, int64_t index) {
  switch (ComputeClassOf(tensor.dtype())) {
    case ComputeClass::kFloat:
    case ComputeClass::kDouble:
      return RealText(tensor.dtype(), Element<double>(tensor, index));
    case ComputeClass::kInt64:
      return absl::StrCat(Element<int64_t>(tensor, index));
    case ComputeClass::kUint64:
      return absl::StrCat(Element<uint64_t>(tensor, index));
    case ComputeClass::kBool:
      return Element<bool>(tensor, index) ? "true" : "false";
    case ComputeClass::kComplex: {
      const auto element = Element<std::complex<double>>(tensor, index);
      const std::string imaginary = RealText(tensor.dtype(), element.imag());
      return absl::StrCat(RealText(tensor.dtype(), element.real()), imaginary[0] == '-' ? "" : "+",
                          imaginary, "j");
    }
    case ComputeClass::kString:
      return StringText(tensor, index);
    case ComputeClass::kNone:
      return "";
  }
  return "";
}

std::string IndexText(const Shape& shape, int64_t index) {
  Shape place(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    place[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return absl::StrCat("[", absl::StrJoin(place, ","), "]");
}

}  // namespace onnxcmp
