#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "record/recordings/recorded_values.h"

namespace onnxcmp {
namespace {

class ValuesInMemory : public RecordedValues {
 public:
  ValuesInMemory(std::vector<ValueInMemory> values, bool described) {
    described_ = described;
    for (ValueInMemory& value : values) {
      results_.push_back(std::move(value.result));
      values_.push_back({std::move(value.value), value.opaque});
    }
  }

  absl::StatusOr<Read> ReadValue(size_t index) override { return values_[index]; }

 private:
  std::vector<Read> values_;
};

}  // namespace

std::unique_ptr<RecordedValues> RecordValuesInMemory(std::vector<ValueInMemory> values,
                                                     bool described) {
  return std::make_unique<ValuesInMemory>(std::move(values), described);
}

}  // namespace onnxcmp
