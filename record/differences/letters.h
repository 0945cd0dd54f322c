// Four letters that summarise a tensor, as the classic table prints them.
#ifndef ONNXCMP_RECORD_DIFFERENCES_LETTERS_H_
#define ONNXCMP_RECORD_DIFFERENCES_LETTERS_H_

#include <array>

#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

using Letters = std::array<char, 4>;

inline constexpr Letters kUnknownLetters = {'?', '?', '?', '?'};

// Up to four elements: a letter an element, the missing ones being 0. More: the elements in
// row-major order, filled up with zeros to a multiple of four, are cut into four runs, and each run
// is summed in double in the order of NumPy's pairwise sum. A number v becomes the letter
// 'A' + trunc(v) mod 26, and '?' if it is NaN or not below 1e10 in magnitude.
// Strings and everything that is no tensor give kUnknownLetters.
//
// The pool (may be null) sums the runs of a large tensor side by side; the letters do not depend
// on it.
Letters LettersOf(const Value& value, const ThreadPool* pool = nullptr);

// The letter of one number.
char LetterOf(double number);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_DIFFERENCES_LETTERS_H_
