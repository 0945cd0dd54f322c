// Folders test_data_set_0, test_data_set_1, ... of ONNX's test data.
#ifndef ONNXCMP_RECORD_RECORDINGS_DATA_SETS_H_
#define ONNXCMP_RECORD_RECORDINGS_DATA_SETS_H_

#include <string>
#include <vector>

namespace onnxcmp {

// The names of those in a folder, in the order of their numbers; other names with that prefix come
// after them. Gaps in the numbering do not matter.
std::vector<std::string> DataSets(const std::string& folder);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_RECORDINGS_DATA_SETS_H_
