#include "record/streams/result_text.h"

#include "absl/strings/str_cat.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"

namespace onnxcmp {

std::string WhatMade(const ResultStream& stream, int result) {
  const StreamResult& made = stream.results[Index(result)];
  switch (made.kind) {
    case ResultKind::kInitializer:
      return "init";
    case ResultKind::kInput:
      return "input";
    case ResultKind::kOutput:
      return "output";
    case ResultKind::kResult:
      break;
  }
  return PrintableText(OpTypeOf(made, stream));
}

std::string PathAndName(const std::string& path, const std::string& name) {
  return path.empty() ? PrintableText(name)
                      : absl::StrCat(PrintableText(path), "/", PrintableText(name));
}

std::string PathAndName(const ResultStream& stream, int result) {
  if (result == kNone) return "";
  const StreamResult& made = stream.results[Index(result)];
  return PathAndName(made.path, made.name);
}

std::string ShortType(const StreamResult& result) {
  if (!result.shape.has_value()) return PrintableText(result.type);
  if (result.shape->empty()) return ShortDType(result.dtype);
  return absl::StrCat(ShortDType(result.dtype), " ", ShortShape(*result.shape));
}

}  // namespace onnxcmp
