// One result as a row of the classic table.
#ifndef ONNXCMP_TOOLS_CLASSIC_CLASSIC_ROW_H_
#define ONNXCMP_TOOLS_CLASSIC_CLASSIC_ROW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"
#include "record/differences/letters.h"

namespace onnxcmp {

enum class ClassicKind : uint8_t { kInitializer, kInput, kResult, kOutput, kNode };

// A dimension with a symbol has no value; one with neither counts as 0.
struct ClassicDim {
  int64_t value = 0;
  std::string symbol;
  friend bool operator==(const ClassicDim&, const ClassicDim&) = default;
};

struct ClassicRow {
  ClassicKind kind = ClassicKind::kResult;
  std::string dtype;                             // as NumPy spells it; "": none
  std::optional<std::vector<ClassicDim>> shape;  // nothing: not a tensor, or unknown
  Letters letters = kUnknownLetters;
  std::string op_type;
  std::string name;
  Value value;  // empty unless tensors are kept
};

// dtype, shape and letters of a value, and the rest as given.
ClassicRow MakeClassicRow(ClassicKind kind, absl::string_view name, absl::string_view op_type,
                          const Value& value, const ThreadPool* pool = nullptr);

// Kind, dtype, rank and dimensions, letters, op type and name in columns.
std::string ClassicRowText(const ClassicRow& row);

// The first `width` characters of a UTF-8 text, padded with spaces.
std::string FitColumn(absl::string_view text, int width);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_CLASSIC_CLASSIC_ROW_H_
