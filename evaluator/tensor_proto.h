// onnx.TensorProto and its kin to values and back.
#ifndef ONNXCMP_EVALUATOR_TENSOR_PROTO_H_
#define ONNXCMP_EVALUATOR_TENSOR_PROTO_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/model.h"
#include "evaluator/value.h"

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

// Finds external data: a relative path inside `base_dir`, mapped read-only and shared between the
// tensors of one model. What links may do: a symbolic or hard link *at* the place is followed
// (model hubs' caches store data so), a path that leaves the folder by "..", or an absolute one, is
// refused.
class ExternalData {
 public:
  explicit ExternalData(std::string base_dir);  // "": any external data is an error
  ~ExternalData();
  // The bytes [offset, offset + length) of the file; length < 0: up to its end.
  absl::StatusOr<std::shared_ptr<Buffer>> Map(const std::string& location, int64_t offset,
                                              int64_t length);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// All element types, raw_data and typed fields, external data. Raw bytes are borrowed from `proto`
// if `owner` keeps it alive (and they are aligned), else copied. Every size is checked.
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

#endif  // ONNXCMP_EVALUATOR_TENSOR_PROTO_H_
