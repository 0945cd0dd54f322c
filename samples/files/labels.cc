#include "samples/files/labels.h"

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "feed/feeds.h"
#include "record/differences/tensor_distance.h"
#include "samples/files/token_samples.h"

namespace onnxcmp {
namespace {

absl::Status OtherCount(const std::string& path, size_t labels, size_t samples) {
  return absl::InvalidArgumentError(
      absl::StrCat(path, " has ", labels, " labels, and there are ", samples, " samples"));
}

absl::StatusOr<std::vector<std::optional<double>>> ReadArray(const std::string& path,
                                                             size_t samples) {
  OC_ASSIGN_OR_RETURN(FeedFile file, FeedFile::Open(path));
  if (file.is_folder() || file.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(path, " has to hold one array of labels"));
  }
  OC_ASSIGN_OR_RETURN(const NamedValue read, file.Read(0));
  if (!IsMeasurable(read.value)) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " holds ", read.value.TypeString(), " and no numbers"));
  }
  const std::vector<double> numbers = ElementsOf(read.value.tensor());
  if (numbers.size() != samples) return OtherCount(path, numbers.size(), samples);
  return std::vector<std::optional<double>>(numbers.begin(), numbers.end());
}

bool IsNumber(absl::string_view text, double* number) {
  return absl::SimpleAtod(absl::StripAsciiWhitespace(text), number) && std::isfinite(*number);
}

}  // namespace

absl::StatusOr<std::vector<std::optional<double>>> ReadLabels(
    const std::string& path, const std::vector<std::string>& names) {
  if (absl::EndsWith(path, ".npy") || absl::EndsWith(path, ".npz")) {
    return ReadArray(path, names.size());
  }
  OC_ASSIGN_OR_RETURN(const std::vector<std::string> lines, LinesOf(path));
  absl::flat_hash_map<std::string, size_t> by_name;
  for (size_t i = 0; i < names.size(); ++i) by_name[names[i]] = i;
  std::vector<std::optional<double>> labels(names.size());
  std::vector<double> in_order;
  bool named = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t comma = lines[i].find_last_of(",\t");
    double number = 0;
    if (!IsNumber(comma == std::string::npos ? lines[i] : lines[i].substr(comma + 1), &number)) {
      if (i == 0) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(path, ", line ", i + 1, ": `", lines[i], "` ends in no number"));
    }
    if (comma == std::string::npos) {
      in_order.push_back(number);
      continue;
    }
    named = true;
    const std::string name(absl::StripAsciiWhitespace(lines[i].substr(0, comma)));
    auto it = by_name.find(name);
    if (it == by_name.end()) {
      it = by_name.find(std::filesystem::path(name).replace_extension().string());
    }
    // A list may be of more samples than are taken.
    if (it != by_name.end()) labels[it->second] = number;
  }
  if (named && !in_order.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " has lines with a name and lines without one"));
  }
  if (named) {
    for (const std::optional<double>& label : labels) {
      if (label.has_value()) return labels;
    }
    return absl::InvalidArgumentError(
        absl::StrCat(path, " names none of the samples, which are called ", names[0], ", ..."));
  }
  if (in_order.size() != names.size()) return OtherCount(path, in_order.size(), names.size());
  labels.assign(in_order.begin(), in_order.end());
  return labels;
}

}  // namespace onnxcmp
