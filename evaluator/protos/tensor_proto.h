// onnx.TensorProto and similar messages to values and back.
#ifndef ONNXCMP_EVALUATOR_PROTOS_TENSOR_PROTO_H_
#define ONNXCMP_EVALUATOR_PROTOS_TENSOR_PROTO_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnx {
class AttributeProto;
class MapProto;
class OptionalProto;
class SequenceProto;
class SparseTensorProto;
class TensorProto;
class TypeProto;
}  // namespace onnx

namespace onnxcmp {

class SharedWeights;

// Finds data that are not in a model's message. External data: a relative path inside a folder,
// mapped read-only and shared between the tensors of one model. A path that leaves the folder by
// "..", or an absolute one, is refused, and so are links that lead out of it unless they are asked
// for. And what was cut out of the message.
class ExternalData {
 public:
  // Data in a folder. "": any external data is an error.
  explicit ExternalData(std::string folder, bool follow_links = false);
  // Data in the folder of a model's file. Links may lead to the folder that the file really lies
  // in, too: model hubs' caches hold links to a model and to its data beside each other.
  // `weights`: parts of memory that are shared with other models; may be null.
  static ExternalData OfModel(const std::string& path, bool follow_links,
                              std::shared_ptr<SharedWeights> weights = nullptr);
  ExternalData(ExternalData&& other) noexcept;
  ~ExternalData();
  // The bytes [offset, offset + length) of the file; length < 0: up to its end.
  absl::StatusOr<FileBytes> Map(const std::string& location, int64_t offset, int64_t length);

  // The model's file, and what CutWeights cut out of it.
  void SetCut(std::shared_ptr<const MappedFile> file, std::vector<absl::string_view> weights);
  // The bytes that a placeholder in raw_data stands for; nothing if raw_data is no placeholder.
  std::optional<FileBytes> FindCut(absl::string_view raw_data) const;

  // The bytes where they are, copied if their address is no multiple of `alignment`; or where
  // another model has them.
  absl::StatusOr<std::shared_ptr<Buffer>> Take(const FileBytes& bytes, uintptr_t alignment);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// All element types, raw_data and typed fields, external data. Raw bytes are borrowed from `proto`
// if `owner` keeps it alive (and they are aligned, and many), or from their file, else copied.
// Every size is checked.
absl::StatusOr<Tensor> TensorFromProto(const onnx::TensorProto& proto,
                                       std::shared_ptr<const void> owner = nullptr,
                                       ExternalData* external = nullptr);
absl::StatusOr<SparseTensor> SparseTensorFromProto(
    const onnx::SparseTensorProto& proto, const std::shared_ptr<const void>& owner = nullptr,
    ExternalData* external = nullptr);
absl::StatusOr<Value> SequenceFromProto(const onnx::SequenceProto& proto);
absl::StatusOr<Value> MapFromProto(const onnx::MapProto& proto);
absl::StatusOr<Value> OptionalFromProto(const onnx::OptionalProto& proto);
TypeInfo TypeFromProto(const onnx::TypeProto& proto);
// Numbers and strings, and lists of them; nothing for the other types of attributes.
std::optional<Attribute> PlainAttributeFromProto(const onnx::AttributeProto& proto);

// raw_data for all types but strings. The dtype, shape and bits survive a round trip.
absl::Status TensorToProto(const Tensor& tensor, absl::string_view name, onnx::TensorProto* proto);
absl::Status SparseTensorToProto(const SparseTensor& sparse, absl::string_view name,
                                 onnx::SparseTensorProto* proto);
absl::Status SequenceToProto(const Value& value, absl::string_view name,
                             onnx::SequenceProto* proto);
absl::Status OptionalToProto(const Value& value, absl::string_view name,
                             onnx::OptionalProto* proto);
absl::Status MapToProto(const Value& value, absl::string_view name, onnx::MapProto* proto);

// A file as ONNX's test data has it (input_N.pb, output_N.pb): the type says which message it is.
absl::StatusOr<Value> ReadValueFile(const std::string& path, const TypeInfo& type);
// The same the other way. `name` goes into the message.
absl::Status WriteValueFile(const std::string& path, const Value& value, absl::string_view name);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_PROTOS_TENSOR_PROTO_H_
