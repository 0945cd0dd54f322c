// What the table says of a result: operator, name, type, numbers.
#ifndef ONNXCMP_COMPARE_REPORTS_WORDS_RESULT_WORDS_H_
#define ONNXCMP_COMPARE_REPORTS_WORDS_RESULT_WORDS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "compare/comparison/comparison.h"
#include "compare/differences/tensor_difference.h"
#include "compare/streams/result_stream.h"

namespace onnxcmp {

// The operator that made a result, or "init", "input", "output".
std::string WhatMade(const ResultStream& stream, int result);

// A result's name behind its path, as --tolerance takes it: "loop_1[3]/product"; "" of kNone.
std::string PathAndName(const ResultStream& stream, int result);
// What a side calls a cause: its result, or what is in a body and no result of the stream.
std::string CauseName(const Cause& cause, bool left, const ResultStream& stream);

// "f32 1x30x16", "i64" (a scalar), "seq(float[2])".
std::string ShortType(const StreamResult& result);
std::string ShortDType(DType dtype);         // "f32"
std::string ShortShape(const Shape& shape);  // "1x30x16", "scalar"

// Two digits: "2.4e-07", "0", "inf"; "12" of integers.
std::string TwoDigits(double number, bool integer = false);

// "3 ulp", "2.5e+04 ulp".
std::string UlpText(double ulp);

// How far a pair is apart at most, absolutely: "2.4e-07", "12", "3 NaN", "other shape".
std::string GreatestDifference(const TensorDifference& difference, DType dtype);

// Two elements, "0.41823566 | 0.41823602", so that no line ends between them.
std::string ElementsText(absl::string_view pair);

// "711 kB": three digits.
std::string BytesText(int64_t bytes);

// "1 result", "2 results".
std::string Count(int64_t count, absl::string_view noun);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_REPORTS_WORDS_RESULT_WORDS_H_
