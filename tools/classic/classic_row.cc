#include "tools/classic/classic_row.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace onnxcmp {
namespace {

absl::string_view KindText(ClassicKind kind) {
  switch (kind) {
    case ClassicKind::kInitializer:
      return "INITIA";
    case ClassicKind::kInput:
      return "INPUT";
    case ClassicKind::kResult:
      return "RESULT";
    case ClassicKind::kOutput:
      return "OUTPUT";
    case ClassicKind::kNode:
      return "NODE";
  }
  return "";
}

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// NumPy's type of an array of strings includes the length of the longest one, at least 1.
std::string StringDType(const Tensor& tensor) {
  std::ptrdiff_t longest = 1;
  if (tensor.num_elements() > 0) {
    const auto contiguous = tensor.Contiguous();
    if (!contiguous.ok()) {
      return "<U";
    }
    for (const std::string& text : contiguous->AsSpan<std::string>()) {
      longest = std::max(longest, std::count_if(text.begin(), text.end(), StartsCharacter));
    }
  }
  return absl::StrCat("<U", longest);
}

std::vector<ClassicDim> Dims(const Shape& shape) {
  std::vector<ClassicDim> dims;
  dims.reserve(shape.size());
  for (const int64_t size : shape) {
    dims.push_back({size, ""});
  }
  return dims;
}

}  // namespace

ClassicRow MakeClassicRow(ClassicKind kind, absl::string_view name, absl::string_view op_type,
                          const Value& value, const ThreadPool* pool) {
  ClassicRow row;
  row.kind = kind;
  row.name = std::string(name);
  row.op_type = std::string(op_type);
  if (value.is_tensor() && value.tensor().defined()) {
    const Tensor& tensor = value.tensor();
    row.dtype = tensor.dtype() == DType::kString ? StringDType(tensor)
                                                 : std::string(NumpyName(tensor.dtype()));
    row.shape = Dims(tensor.shape());
    row.letters = LettersOf(value, pool);
  } else if (value.is_sparse()) {
    row.dtype = std::string(NumpyName(value.sparse().values.dtype()));
    row.shape = Dims(value.sparse().dims);
  }
  return row;
}

std::string FitColumn(absl::string_view text, int width) {
  size_t end = 0;
  int characters = 0;
  while (end < text.size()) {
    if (StartsCharacter(text[end]) && characters++ == width) {
      return std::string(text.substr(0, end));
    }
    ++end;
  }
  return absl::StrCat(text, std::string(static_cast<size_t>(width - characters), ' '));
}

std::string ClassicRowText(const ClassicRow& row) {
  std::string shape = "  ";
  if (row.shape.has_value() && !row.shape->empty()) {
    const std::string dims =
        absl::StrJoin(*row.shape, "x", [](std::string* out, const ClassicDim& dim) {
          if (dim.symbol.empty()) {
            absl::StrAppend(out, dim.value);
          } else {
            absl::StrAppend(out, dim.symbol);
          }
        });
    shape = absl::StrCat(row.shape->size(), ":", FitColumn(dims, 18));
  } else {
    absl::StrAppend(&shape, FitColumn("", 18));
  }
  return absl::StrCat(FitColumn(KindText(row.kind), 6), " ", FitColumn(row.dtype, 8), " ", shape,
                      " ", absl::string_view(row.letters.data(), row.letters.size()), " ",
                      FitColumn(row.op_type, 15), " ", row.name);
}

}  // namespace onnxcmp
