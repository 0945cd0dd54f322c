#include "compare/sides/side.h"

namespace onnxcmp {

ResultStream Side::Record(const RecordOptions& options, RecordVisitor visit) {
  const std::unique_ptr<RecordRun> run = StartRecord(options, visit);
  while (run->Step()) {
  }
  return run->TakeStream();
}

}  // namespace onnxcmp
