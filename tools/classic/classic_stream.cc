#include "tools/classic/classic_stream.h"

#include <utility>

namespace onnxcmp {
namespace {

ClassicKind KindOf(ResultKind kind) {
  switch (kind) {
    case ResultKind::kInitializer:
      return ClassicKind::kInitializer;
    case ResultKind::kInput:
      return ClassicKind::kInput;
    case ResultKind::kResult:
      return ClassicKind::kResult;
    case ResultKind::kOutput:
      return ClassicKind::kOutput;
  }
  return ClassicKind::kResult;
}

}  // namespace

void ClassicStream::Add(const Result& result) {
  if (result.depth > 0) return;
  ClassicRow row =
      MakeClassicRow(KindOf(result.kind), result.name,
                     result.node != nullptr ? result.node->op_type : "", result.value, pool_);
  if (keep_tensors_) {
    row.value = result.value;
  }
  rows_.push_back(std::move(row));
}

}  // namespace onnxcmp
