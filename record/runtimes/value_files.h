// Values in files of a folder, as adapters of runtimes read and write them: tensors as .npy files,
// what they are in as JSON.
#ifndef ONNXCMP_RECORD_RUNTIMES_VALUE_FILES_H_
#define ONNXCMP_RECORD_RUNTIMES_VALUE_FILES_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The entry of a value whose tensors were written to FOLDER/PREFIX0.npy, ... as JSON without a
// name: {"kind":"tensor","file":"x_0.npy","type":"float"}. Unimplemented for sparse tensors and
// maps, which runtimes are not fed.
absl::StatusOr<std::string> WriteValueFiles(const Value& value, const std::string& folder,
                                            const std::string& prefix);

// The value that an entry stands for. `max_tensor` as ReadNpy() has it. InvalidArgument for what is
// no entry, or whose files are not in the folder.
absl::StatusOr<Value> ReadValueFiles(const std::string& entry, const std::string& folder,
                                     int64_t max_tensor);

// The value as the model declares it: runtimes give the element of an optional alone.
Value AsDeclared(Value value, const TypeInfo& type);

// Removes an entry's files.
void RemoveValueFiles(const std::string& entry, const std::string& folder);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RUNTIMES_VALUE_FILES_H_
