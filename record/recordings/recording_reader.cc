#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "evaluator/base/status_macros.h"
#include "record/recordings/npz_reader.h"
#include "record/recordings/recording.h"
#include "record/recordings/recording_json.h"

namespace onnxcmp {

struct RecordingReader::Impl {
  explicit Impl(NpzReader reader) : npz(std::move(reader)) {}
  NpzReader npz;
  bool described = false;
  std::vector<RecordedResult> results;
  std::vector<RecordedValue> values;  // by result; empty if the archive has no description
  std::string path;

  absl::StatusOr<Tensor> ReadTensor(const RecordedValue& recorded) const {
    OC_ASSIGN_OR_RETURN(NpyArray array, npz.ReadArray(recorded.piece));
    Tensor tensor = std::move(array.tensor);
    if (NumpyLacks(recorded.dtype)) {
      if (absl::StatusOr<Tensor> typed = RestoreDType(tensor, recorded.dtype); typed.ok()) {
        tensor = *std::move(typed);
      }
    }
    if (tensor.dtype() != recorded.dtype ||
        absl::MakeConstSpan(tensor.shape()) != absl::MakeConstSpan(recorded.shape)) {
      return absl::InvalidArgumentError(absl::StrCat("entry '", npz.names()[recorded.piece],
                                                     "' is ", tensor.TypeString(), ", not what ",
                                                     kRecordingEntry, " says"));
    }
    return tensor;
  }

  // Nesting was limited when the description was read.
  absl::StatusOr<Value> Build(const RecordedValue& recorded) const {
    switch (recorded.type) {
      case RecordedValue::Type::kAbsent:
        return Value();
      case RecordedValue::Type::kTensor: {
        OC_ASSIGN_OR_RETURN(Tensor tensor, ReadTensor(recorded));
        return Value(std::move(tensor));
      }
      case RecordedValue::Type::kSequence: {
        Sequence sequence;
        sequence.element_dtype = recorded.dtype;
        for (const RecordedValue& part : recorded.parts) {
          OC_ASSIGN_OR_RETURN(Value element, Build(part));
          sequence.elements.push_back(std::move(element));
        }
        return Value(std::move(sequence));
      }
      case RecordedValue::Type::kOptional: {
        Optional optional;
        optional.element_dtype = recorded.dtype;
        if (!recorded.parts.empty()) {
          OC_ASSIGN_OR_RETURN(Value element, Build(recorded.parts[0]));
          optional.element = std::make_shared<const Value>(std::move(element));
        }
        return Value(std::move(optional));
      }
      case RecordedValue::Type::kMap: {
        Map map;
        OC_ASSIGN_OR_RETURN(map.keys, ReadTensor(recorded.parts[0]));
        OC_ASSIGN_OR_RETURN(Value values, Build(recorded.parts[1]));
        map.values = std::make_shared<const Value>(std::move(values));
        return Value(std::move(map));
      }
      case RecordedValue::Type::kSparseTensor: {
        SparseTensor sparse;
        OC_ASSIGN_OR_RETURN(sparse.values, ReadTensor(recorded.parts[0]));
        OC_ASSIGN_OR_RETURN(sparse.indices, ReadTensor(recorded.parts[1]));
        sparse.dims.assign(recorded.shape.begin(), recorded.shape.end());
        return Value(std::move(sparse));
      }
    }
    return Value();
  }
};

RecordingReader::RecordingReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;
RecordingReader& RecordingReader::operator=(RecordingReader&&) noexcept = default;
RecordingReader::~RecordingReader() = default;

absl::StatusOr<RecordingReader> RecordingReader::Open(const std::string& path, int64_t max_tensor) {
  OC_ASSIGN_OR_RETURN(NpzReader npz, NpzReader::Open(path, max_tensor));
  auto impl = std::make_unique<Impl>(std::move(npz));
  impl->path = path;
  const auto json = impl->npz.ReadText(kRecordingEntry);
  if (!json.ok()) {
    return absl::Status(json.status().code(), absl::StrCat(path, ": ", json.status().message()));
  }
  if (!json->has_value()) {
    for (const std::string& name : impl->npz.names()) {
      impl->results.emplace_back().name = name;
    }
    return RecordingReader(std::move(impl));
  }
  auto described =
      RecordingFromJson(**json, [&](absl::string_view name) { return impl->npz.Find(name); });
  if (!described.ok()) {
    return absl::Status(described.status().code(),
                        absl::StrCat(path, ": ", described.status().message()));
  }
  impl->described = true;
  for (DescribedResult& item : *described) {
    impl->results.push_back(std::move(item.result));
    impl->values.push_back(std::move(item.value));
  }
  return RecordingReader(std::move(impl));
}

bool RecordingReader::described() const { return impl_->described; }

const std::vector<RecordedResult>& RecordingReader::results() const { return impl_->results; }

std::vector<std::string> RecordingReader::others() const {
  std::vector<std::string> names = impl_->npz.other_names();
  std::erase(names, kRecordingEntry);
  return names;
}

absl::StatusOr<RecordingReader::Read> RecordingReader::ReadValue(size_t index) const {
  Read read;
  absl::Status status;
  if (impl_->described) {
    absl::StatusOr<Value> value = impl_->Build(impl_->values[index]);
    status = value.status();
    if (status.ok()) {
      read.value = *std::move(value);
    }
  } else {
    absl::StatusOr<NpyArray> array = impl_->npz.ReadArray(index);
    status = array.status();
    if (status.ok()) {
      read = {std::move(array->tensor), array->opaque};
    }
  }
  if (!status.ok()) {
    return absl::Status(status.code(), absl::StrCat(impl_->path, ": ", status.message()));
  }
  return read;
}

}  // namespace onnxcmp
