#include "evaluator/protos/cut_weights.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/dtype.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

// The first bytes of a placeholder. No file can pass for one: a model that holds these bytes
// outside of its weights is not cut.
constexpr absl::string_view kMark = "\x9e\x37\x79\xb9onnxcmp cut\xf3";
constexpr size_t kPlaceholderSize = kMark.size() + sizeof(uint64_t);

std::string Placeholder(uint64_t number) {
  std::string text(kMark);
  text.append(reinterpret_cast<const char*>(&number), sizeof(number));
  return text;
}

// Deeper than any graph that loads; deeper ones are left to the parser.
constexpr int kDeepest = 300;

// Messages on the way to a tensor. A main graph's initializers are distinguished from other tensors
// since only their reader looks at them.
enum class CutMessage : uint8_t {
  kNone,
  kModel,
  kGraph,
  kFunction,
  kNode,
  kAttribute,
  kTensor,
};

CutMessage Inside(CutMessage around, uint64_t field) {
  switch (around) {
    case CutMessage::kModel:
      return field == onnx::ModelProto::kGraphFieldNumber       ? CutMessage::kGraph
             : field == onnx::ModelProto::kFunctionsFieldNumber ? CutMessage::kFunction
                                                                : CutMessage::kNone;
    case CutMessage::kGraph:
      return field == onnx::GraphProto::kInitializerFieldNumber ? CutMessage::kTensor
             : field == onnx::GraphProto::kNodeFieldNumber      ? CutMessage::kNode
                                                                : CutMessage::kNone;
    case CutMessage::kFunction:
      return field == onnx::FunctionProto::kNodeFieldNumber ? CutMessage::kNode : CutMessage::kNone;
    case CutMessage::kNode:
      return field == onnx::NodeProto::kAttributeFieldNumber ? CutMessage::kAttribute
                                                             : CutMessage::kNone;
    case CutMessage::kAttribute:
      switch (field) {
        case onnx::AttributeProto::kTFieldNumber:
        case onnx::AttributeProto::kTensorsFieldNumber:
          return CutMessage::kTensor;
        case onnx::AttributeProto::kGFieldNumber:
        case onnx::AttributeProto::kGraphsFieldNumber:
          return CutMessage::kGraph;
        default:
          return CutMessage::kNone;
      }
    default:
      return CutMessage::kNone;
  }
}

// Reads the wire format and notes what is to be replaced.
class Cutter {
 public:
  Cutter(absl::string_view model, size_t least) : model_(model), least_(least) {}

  std::optional<CutModel> Cut() {
    size_t removed = 0;
    if (!Walk(CutMessage::kModel, 0, model_.size(), 0, &removed)) return std::nullopt;
    // A copy of nearly everything would only add to the parser's.
    if (weights_.empty() || removed < model_.size() / 8) return std::nullopt;
    CutModel cut;
    cut.weights = std::move(weights_);
    cut.message.reserve(model_.size() - removed);
    size_t copied = 0;
    for (const Edit& edit : edits_) {
      absl::StrAppend(&cut.message, model_.substr(copied, edit.begin - copied), edit.text);
      copied = edit.end;
    }
    absl::StrAppend(&cut.message, model_.substr(copied));
    if (Marks(cut.message) != cut.weights.size()) return std::nullopt;
    return cut;
  }

 private:
  struct Edit {
    size_t begin, end;  // of the text that it replaces
    std::string text;
  };

  // A field of a message, of which `at` is the first byte after the tag.
  struct Field {
    uint64_t number;
    size_t at;
    uint64_t value;     // of a varint
    size_t begin, end;  // the bytes of one that has a length
    bool has_length;
  };

  static size_t Marks(absl::string_view message) {
    size_t count = 0;
    for (size_t at = message.find(kMark); at != absl::string_view::npos;
         at = message.find(kMark, at + 1)) {
      ++count;
    }
    return count;
  }

  static std::string Varint(uint64_t value) {
    std::string text;
    for (; value >= 0x80; value >>= 7) text.push_back(static_cast<char>(value | 0x80));
    text.push_back(static_cast<char>(value));
    return text;
  }

  // Protobuf takes tags and lengths of at most five bytes.
  bool ReadVarint(size_t end, size_t longest, size_t* at, uint64_t* value) const {
    *value = 0;
    for (size_t i = 0; i < longest && *at < end; ++i) {
      const auto byte = static_cast<uint8_t>(model_[(*at)++]);
      *value |= uint64_t{byte & 0x7fU} << (7 * i);
      if (byte < 0x80) return true;
    }
    return false;
  }

  // Moves `at` to the next field.
  bool ReadField(size_t end, size_t* at, Field* field) const {
    uint64_t tag;
    if (!ReadVarint(end, 5, at, &tag) || tag >> 32 != 0 || tag >> 3 == 0) return false;
    *field = {tag >> 3, *at, 0, 0, 0, false};
    uint64_t length = 0;
    switch (tag & 7) {
      case 0:
        return ReadVarint(end, 10, at, &field->value);
      case 1:
        length = 8;
        break;
      case 2:
        if (!ReadVarint(end, 5, at, &length)) return false;
        field->has_length = true;
        break;
      case 5:
        length = 4;
        break;
      default:  // groups
        return false;
    }
    if (length > end - *at) return false;
    field->begin = *at;
    field->end = *at += length;
    return true;
  }

  // Notes the edits inside of a message and what they take from its length.
  bool Walk(CutMessage message, size_t at, size_t end, int depth, size_t* removed) {
    if (depth > kDeepest) return false;
    Field field;
    while (at < end) {
      if (!ReadField(end, &at, &field)) return false;
      if (!field.has_length) continue;
      const CutMessage inside = Inside(message, field.number);
      if (inside == CutMessage::kNone || field.end - field.begin < least_) continue;
      if (!WalkInside(inside, field, depth, removed)) return false;
    }
    return true;
  }

  bool WalkInside(CutMessage inside, const Field& field, int depth, size_t* removed) {
    const size_t edit = edits_.size();
    edits_.push_back({field.at, field.begin, ""});  // its length
    size_t less = 0;
    if (inside == CutMessage::kTensor ? !CutTensor(field.begin, field.end, &less)
                                      : !Walk(inside, field.begin, field.end, depth + 1, &less)) {
      return false;
    }
    if (less == 0) {
      edits_.resize(edit);
      return true;
    }
    std::string length = Varint(field.end - field.begin - less);
    *removed += less + (field.begin - field.at) - length.size();
    edits_[edit].text = std::move(length);
    return true;
  }

  bool CutTensor(size_t at, size_t end, size_t* removed) {
    Field field;
    while (at < end) {
      if (!ReadField(end, &at, &field)) return false;
      if (!field.has_length || field.number != onnx::TensorProto::kRawDataFieldNumber ||
          field.end - field.begin < std::max(least_, 2 * kPlaceholderSize)) {
        continue;
      }
      std::string text = absl::StrCat(Varint(kPlaceholderSize), Placeholder(weights_.size()));
      *removed += field.end - field.at - text.size();
      edits_.push_back({field.at, field.end, std::move(text)});
      weights_.push_back(model_.substr(field.begin, field.end - field.begin));
    }
    return true;
  }

  absl::string_view model_;
  size_t least_;
  std::vector<Edit> edits_;
  std::vector<absl::string_view> weights_;
};

}  // namespace

std::optional<CutModel> CutWeights(absl::string_view model, size_t least) {
  return Cutter(model, least).Cut();
}

std::optional<size_t> CutNumber(absl::string_view raw_data) {
  if (raw_data.size() != kPlaceholderSize || raw_data.substr(0, kMark.size()) != kMark) {
    return std::nullopt;
  }
  uint64_t number;
  std::memcpy(&number, raw_data.data() + kMark.size(), sizeof(number));
  return number;
}

}  // namespace onnxcmp
