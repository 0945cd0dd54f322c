#include "tests/fuzz/corner_values.h"

#include <limits>

#include "onnx/onnx_pb.h"

namespace onnxcmp::fuzz {
namespace {

constexpr int64_t kIntegers[] = {0,
                                 1,
                                 -1,
                                 2,
                                 -2,
                                 3,
                                 7,
                                 16,
                                 127,
                                 128,
                                 255,
                                 1000,
                                 65536,
                                 1'000'000'007,
                                 std::numeric_limits<int32_t>::max(),
                                 std::numeric_limits<int32_t>::min(),
                                 int64_t{1} << 32,
                                 int64_t{1} << 40,
                                 int64_t{1} << 62,
                                 std::numeric_limits<int64_t>::max(),
                                 std::numeric_limits<int64_t>::max() - 1,
                                 std::numeric_limits<int64_t>::min(),
                                 std::numeric_limits<int64_t>::min() + 1};
constexpr float kFloats[] = {0.0f,
                             -0.0f,
                             1.0f,
                             -1.0f,
                             0.5f,
                             2.0f,
                             1e-30f,
                             1e10f,
                             -1e10f,
                             3e38f,
                             std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN(),
                             std::numeric_limits<float>::denorm_min()};
constexpr const char* kTexts[] = {"",
                                  "a",
                                  "NOTSET",
                                  "SAME_UPPER",
                                  "SAME_LOWER",
                                  "VALID",
                                  "constant",
                                  "reflect",
                                  "edge",
                                  "wrap",
                                  "linear",
                                  "nearest",
                                  "cubic",
                                  "zeros",
                                  "border",
                                  "reflection",
                                  "half_pixel",
                                  "asymmetric",
                                  "align_corners",
                                  "pytorch_half_pixel",
                                  "tf_crop_and_resize",
                                  "half_pixel_symmetric",
                                  "round_prefer_floor",
                                  "ceil",
                                  "floor",
                                  "bilinear",
                                  "nearest",
                                  "add",
                                  "mul",
                                  "min",
                                  "max",
                                  "none",
                                  "sum",
                                  "mean",
                                  "avg",
                                  "forward",
                                  "reverse",
                                  "bidirectional",
                                  "LINEAR",
                                  "SIGMOID",
                                  "POLY",
                                  "RBF",
                                  "SOFTMAX",
                                  "SOFTMAX_ZERO",
                                  "LOGISTIC",
                                  "PROBIT",
                                  "SUM",
                                  "AVERAGE",
                                  "MIN",
                                  "MAX",
                                  "BRANCH_LEQ",
                                  "BRANCH_EQ",
                                  "LEAF",
                                  "BRANCH_MEMBER",
                                  "Tanh",
                                  "Sigmoid",
                                  "Relu",
                                  "HardSigmoid",
                                  "Affine",
                                  "ThresholdedRelu",
                                  "Softsign",
                                  "DCR",
                                  "CRD",
                                  "LEFT",
                                  "RIGHT",
                                  "bhwc,i",
                                  "ij,jk->ik",
                                  "...ij->...",
                                  "i->ii",
                                  "ii->i",
                                  "abcdefghijklmnop->",
                                  "TF",
                                  "IDF",
                                  "TFIDF",
                                  "UPPER",
                                  "LOWER",
                                  "en_US",
                                  "RGB",
                                  "BGR",
                                  "Grayscale",
                                  "fan_in",
                                  "tanh",
                                  "gelu",
                                  "(a*)*b",
                                  "[",
                                  "\xff\xfe",
                                  "\xc3\xa9",
                                  "1e400",
                                  "NaN",
                                  "-1",
                                  "99999999999999999999"};

}  // namespace

absl::Span<const int64_t> CornerIntegers() { return kIntegers; }
absl::Span<const float> CornerFloats() { return kFloats; }
absl::Span<const char* const> CornerTexts() { return kTexts; }

int64_t BitsOf(int32_t type) {
  switch (type) {
    case onnx::TensorProto::BOOL:
    case onnx::TensorProto::INT8:
    case onnx::TensorProto::UINT8:
    case onnx::TensorProto::FLOAT8E4M3FN:
    case onnx::TensorProto::FLOAT8E4M3FNUZ:
    case onnx::TensorProto::FLOAT8E5M2:
    case onnx::TensorProto::FLOAT8E5M2FNUZ:
    case onnx::TensorProto::FLOAT8E8M0:
      return 8;
    case onnx::TensorProto::INT16:
    case onnx::TensorProto::UINT16:
    case onnx::TensorProto::FLOAT16:
    case onnx::TensorProto::BFLOAT16:
      return 16;
    case onnx::TensorProto::FLOAT:
    case onnx::TensorProto::INT32:
    case onnx::TensorProto::UINT32:
      return 32;
    case onnx::TensorProto::DOUBLE:
    case onnx::TensorProto::INT64:
    case onnx::TensorProto::UINT64:
    case onnx::TensorProto::COMPLEX64:
      return 64;
    case onnx::TensorProto::COMPLEX128:
      return 128;
    case onnx::TensorProto::INT4:
    case onnx::TensorProto::UINT4:
    case onnx::TensorProto::FLOAT4E2M1:
      return 4;
    case onnx::TensorProto::INT2:
    case onnx::TensorProto::UINT2:
      return 2;
    default:
      return 0;
  }
}

void FillTensor(onnx::TensorProto* tensor) {
  int64_t count = 1;
  for (const int64_t dim : tensor->dims()) {
    if (dim < 0 || dim > 4096) return;
    count *= dim;
    if (count > 4096) return;
  }
  if (tensor->data_type() == onnx::TensorProto::STRING) {
    tensor->clear_raw_data();
    if (count < tensor->string_data_size()) {
      tensor->mutable_string_data()->DeleteSubrange(
          static_cast<int>(count), tensor->string_data_size() - static_cast<int>(count));
    }
    while (tensor->string_data_size() < count) tensor->add_string_data("a");
    return;
  }
  tensor->clear_string_data();
  const auto bytes = static_cast<size_t>((count * BitsOf(tensor->data_type()) + 7) / 8);
  std::string* raw = tensor->mutable_raw_data();
  const size_t had = raw->size();
  raw->resize(bytes);
  for (size_t i = had; i < bytes; ++i) (*raw)[i] = had == 0 ? 0 : (*raw)[i - had];
}

}  // namespace onnxcmp::fuzz
