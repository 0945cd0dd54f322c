#include "record/recordings/plain_values.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {
namespace {

// Integers that are read as floats are mostly beyond these.
bool AreUsual(const std::vector<float>& floats) {
  constexpr double kMostUnusual = 0.01;
  size_t unusual = 0;
  for (const float x : floats) {
    const double size = std::abs(x);
    if (x != 0 && !(size > 1e-20 && size < 1e20)) ++unusual;
  }
  return static_cast<double>(unusual) <= kMostUnusual * static_cast<double>(floats.size());
}

}  // namespace

absl::StatusOr<Tensor> NumbersInText(const std::string& path) {
  absl::Status status =
      absl::InvalidArgumentError(absl::StrCat(OneLine(path), ": this is no text of numbers"));
  if (!absl::EndsWith(path, ".txt")) return status;
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  std::vector<float> numbers;
  size_t rows = 0;
  size_t columns = 0;
  bool even = true;
  for (const absl::string_view line : absl::StrSplit(file->bytes(), '\n')) {
    if (absl::StartsWith(line, "#")) continue;
    const size_t before = numbers.size();
    for (const absl::string_view word :
         absl::StrSplit(line, absl::ByAnyChar(" \t\r,;[]"), absl::SkipEmpty())) {
      float number = 0;
      if (!absl::SimpleAtof(word, &number)) return status;
      numbers.push_back(number);
    }
    const size_t count = numbers.size() - before;
    if (count == 0) continue;
    if (rows++ == 0) columns = count;
    even = even && count == columns;
  }
  if (numbers.empty()) return status;
  const auto size = static_cast<int64_t>(numbers.size());
  if (!even || rows == 1 || columns == 1) return Tensor::Of<float>({size}, numbers);
  return Tensor::Of<float>({static_cast<int64_t>(rows), static_cast<int64_t>(columns)}, numbers);
}

absl::StatusOr<Tensor> ReadPlain(const std::string& path, int64_t max_tensor) {
  if (absl::EndsWith(path, ".txt")) return NumbersInText(path);
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const absl::string_view bytes = file->bytes();
  if (static_cast<int64_t>(bytes.size()) > max_tensor) {
    return absl::ResourceExhaustedError(absl::StrCat(OneLine(path), ": it is too large"));
  }
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  if (bytes.size() % sizeof(float) == 0 && AreUsual(floats)) {
    return Tensor::Of<float>({static_cast<int64_t>(floats.size())}, floats);
  }
  std::vector<uint8_t> integers(bytes.begin(), bytes.end());
  return Tensor::Of<uint8_t>({static_cast<int64_t>(integers.size())}, integers);
}

}  // namespace onnxcmp
