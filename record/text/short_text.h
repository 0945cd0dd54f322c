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

// The form of measured numbers in all reports: two digits, three from 1 on, an exponent below a
// thousandth and from a million on: "2.4e-07", "0.062", "120", "3.4e+06", "inf". Whole numbers are
// whole below a million; `integer`: below ten millions.
std::string TwoDigits(double number, bool integer = false);

// A share in percent: "0.062 %", "12 %", "120 %"; "3.4e+06 times" from ten thousand times on.
std::string PercentText(double share);

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
