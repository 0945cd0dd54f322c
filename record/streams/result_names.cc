#include "record/streams/result_names.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "record/text/meant_name.h"

namespace onnxcmp {

std::string FullName(const StreamResult& result) {
  return result.path.empty() ? result.name : absl::StrCat(result.path, "/", result.name);
}

std::vector<std::string> NamesOf(absl::Span<const ResultStream* const> streams) {
  std::vector<std::string> names;
  absl::flat_hash_set<std::string> seen;
  for (const ResultStream* stream : streams) {
    for (const StreamResult& result : stream->results) {
      for (const std::string& name : {FullName(result), result.name}) {
        if (!name.empty() && seen.insert(name).second) names.push_back(name);
      }
    }
  }
  return names;
}

absl::StatusOr<int> FindResult(const ResultStream& stream, absl::string_view given,
                               absl::string_view side) {
  absl::StatusOr<std::string> name =
      MeantName(given, NamesOf({&stream}), absl::StrCat("results of the ", side, " side"));
  if (!name.ok()) return name.status();
  int found = kNone;
  for (size_t r = 0; r < stream.results.size(); ++r) {
    const StreamResult& result = stream.results[r];
    if (FullName(result) != *name && result.name != *name) continue;
    const bool better =
        found == kNone || (stream.results[Index(found)].kind == ResultKind::kOutput &&
                           result.kind != ResultKind::kOutput);
    if (better) found = static_cast<int>(r);
  }
  return found;
}

}  // namespace onnxcmp
