#include <unicode/ucasemap.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

enum class Case : uint8_t { kAsIs, kLower, kUpper };

// Changes the case of UTF-8 strings by Unicode's rules (the full ones: of "straße" the upper case
// is "STRASSE") and those of a locale.
class CaseMap {
 public:
  static absl::StatusOr<std::shared_ptr<const CaseMap>> Make(const std::string& locale) {
    UErrorCode error = U_ZERO_ERROR;
    std::shared_ptr<CaseMap> map(new CaseMap);
    map->map_.reset(ucasemap_open(locale.c_str(), 0, &error));
    if (U_FAILURE(error)) {
      return absl::InvalidArgumentError(
          absl::StrCat("locale \"", locale, "\": ", u_errorName(error)));
    }
    return map;
  }

  absl::StatusOr<std::string> Apply(Case to, const std::string& text) const {
    if (to == Case::kAsIs || text.empty()) return text;
    if (text.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max() / 4)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a string of ", text.size(), " bytes is too long to change its case"));
    }
    const auto size = static_cast<int32_t>(text.size());
    UErrorCode error = U_ZERO_ERROR;
    int32_t units = 0;
    u_strFromUTF8(nullptr, 0, &units, text.data(), size, &error);
    if (error == U_INVALID_CHAR_FOUND) {
      return absl::InvalidArgumentError("a string is not valid UTF-8");
    }
    const auto apply = to == Case::kLower ? ucasemap_utf8ToLower : ucasemap_utf8ToUpper;
    std::string result(text.size(), '\0');
    error = U_ZERO_ERROR;
    const int32_t length = apply(map_.get(), result.data(), size, text.data(), size, &error);
    if (error == U_BUFFER_OVERFLOW_ERROR) {
      result.resize(static_cast<size_t>(length));
      error = U_ZERO_ERROR;
      apply(map_.get(), result.data(), length, text.data(), size, &error);
    }
    if (U_FAILURE(error)) {
      return absl::InternalError(absl::StrCat("changing the case: ", u_errorName(error)));
    }
    result.resize(static_cast<size_t>(length));
    return result;
  }

 private:
  struct Close {
    void operator()(UCaseMap* map) const { ucasemap_close(map); }
  };
  CaseMap() = default;
  std::unique_ptr<UCaseMap, Close> map_;
};

// StringNormalizer (ai.onnx 10): the strings of X, [C] or [1, C], without stopwords, in lower or
// upper case. Unless is_case_sensitive, strings are compared with stopwords in lower case. If
// nothing is left, one empty string is.
absl::StatusOr<Kernel> StringNormalizer(const KernelInit& node) {
  const std::string action = node.String("case_change_action");
  Case to = Case::kAsIs;
  if (action == "LOWER" || action == "UPPER") {
    to = action == "LOWER" ? Case::kLower : Case::kUpper;
  } else if (action != "NONE") {
    return absl::InvalidArgumentError(
        absl::StrCat("case_change_action \"", action, "\" is none of LOWER, UPPER and NONE"));
  }
  const Case compared = node.Flag("is_case_sensitive") ? Case::kAsIs : Case::kLower;
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const CaseMap> map,
                      CaseMap::Make(node.String("locale", "en_US")));
  absl::flat_hash_set<std::string> stopwords;
  for (const std::string& word : node.Strings("stopwords")) {
    OC_ASSIGN_OR_RETURN(std::string key, map->Apply(compared, word));
    stopwords.insert(std::move(key));
  }
  return [=, stopwords = std::move(stopwords)](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
    if (x.rank() != 1 && !(x.rank() == 2 && x.dim(0) == 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the input is ", x.TypeString(), ", not [C] or [1, C]"));
    }
    std::vector<std::string> kept;
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const std::string& text = x.string_data()[i];
      if (!stopwords.empty()) {
        OC_ASSIGN_OR_RETURN(const std::string key, map->Apply(compared, text));
        if (stopwords.contains(key)) continue;
      }
      OC_ASSIGN_OR_RETURN(std::string changed, map->Apply(to, text));
      kept.push_back(std::move(changed));
    }
    if (kept.empty()) kept.emplace_back();
    Shape shape = x.shape();
    shape.back() = static_cast<int64_t>(kept.size());
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kString, shape));
    std::move(kept.begin(), kept.end(), result.mutable_string_data());
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterStringNormalizer(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "StringNormalizer", {10}, StringNormalizer);
}

}  // namespace onnxcmp
