#include "record/recordings/data_sets.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/strings/match.h"
#include "record/text/natural_order.h"

namespace onnxcmp {

std::vector<std::string> DataSets(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::string name = it->path().filename().string();
    std::error_code ignored;
    if (absl::StartsWith(name, "test_data_set_") && it->is_directory(ignored)) {
      names.push_back(std::move(name));
    }
  }
  std::sort(names.begin(), names.end(), NaturallyLess);
  return names;
}

}  // namespace onnxcmp
