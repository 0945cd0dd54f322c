// Numbers, types and sizes in a few characters, for tables.
#ifndef ONNXCMP_RECORD_TEXT_SHORT_TEXT_H_
#define ONNXCMP_RECORD_TEXT_SHORT_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {

std::string ShortDType(DType dtype);         // "f32"
std::string ShortShape(const Shape& shape);  // "1x30x16", "scalar"

// Two digits: "2.4e-07", "0", "inf"; "12" for integers.
std::string TwoDigits(double number, bool integer = false);

// "3 ulp", "2.5e+04 ulp".
std::string UlpText(double ulp);

// Two elements, "0.41823566 | 0.41823602", without a line break between them.
std::string ElementsText(absl::string_view pair);

// "711 kB": three digits.
std::string BytesText(int64_t bytes);

// "1 result", "2 results".
std::string Count(int64_t count, absl::string_view noun);

// The first items of a list, and how many are left out as its last: "… 3 more". One alone is not
// left out.
void CutList(std::vector<std::string>* items, size_t most, absl::string_view what = "more");

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_TEXT_SHORT_TEXT_H_
