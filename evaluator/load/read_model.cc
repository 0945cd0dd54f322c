#include "evaluator/load/read_model.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/stack_room.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/nesting.h"
#include "evaluator/load/onnx_library.h"
#include "evaluator/protos/cut_weights.h"
#include "google/protobuf/io/coded_stream.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

// Deepest nesting of brackets outside strings and comments. The parser enters no graph without a
// brace and no type without a parenthesis or a bracket.
int TextDepth(absl::string_view text) {
  int depth = 0;
  int deepest = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          if (text[i] == '\\') ++i;
        }
        break;
      case '#':
        while (i < text.size() && text[i] != '\n') ++i;
        break;
      case '{':
      case '(':
      case '[':
        deepest = std::max(deepest, ++depth);
        break;
      case '}':
      case ')':
      case ']':
        depth = std::max(depth - 1, 0);
        break;
      default:
        break;
    }
  }
  return deepest;
}

// The first character of a text that is neither blank nor in a comment is '<'. As the first byte
// of a message it would end a group that was not begun.
bool LooksLikeText(absl::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '#') {
      while (i < bytes.size() && bytes[i] != '\n') ++i;
    } else if (!absl::ascii_isspace(static_cast<unsigned char>(bytes[i]))) {
      return bytes[i] == '<';
    }
  }
  return false;
}

// Null if the bytes are no message.
std::shared_ptr<onnx::ModelProto> ParseModel(absl::string_view bytes, int max_depth) {
  auto model = std::make_shared<onnx::ModelProto>();
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  // A subgraph is a graph in an attribute in a node: three messages. The rest are the model, a
  // tensor in it and the like, and some, so that the check that counts subgraphs sees too many.
  stream.SetRecursionLimit(3 * max_depth + 100);
  return model->ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage() ? model : nullptr;
}

// If `weights` is given, those of them that can stay where they are do not go into the message.
absl::StatusOr<std::shared_ptr<onnx::ModelProto>> ReadModelProtobuf(
    absl::string_view bytes, int max_depth, std::vector<absl::string_view>* weights = nullptr) {
  if (bytes.empty()) {
    return absl::InvalidArgumentError("the file is empty");
  }
  if (absl::StartsWith(bytes, "version https://git-lfs")) {
    return absl::InvalidArgumentError(
        "this is a Git LFS pointer, not the model; fetch it with 'git lfs pull'");
  }
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return absl::InvalidArgumentError(
        absl::StrCat("the model has ", bytes.size(),
                     " bytes, protobuf reads 2 GB at most; save its weights as external data"));
  }
  if (weights != nullptr) {
    if (std::optional<CutModel> cut = CutWeights(bytes)) {
      if (auto model = ParseModel(cut->message, max_depth)) {
        OC_RETURN_IF_ERROR(CheckNesting(*model, NestingThatFits(max_depth)));
        *weights = std::move(cut->weights);
        return model;
      }
    }
  }
  std::shared_ptr<onnx::ModelProto> model = ParseModel(bytes, max_depth);
  if (model == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("it is no ONNX model: damaged, cut short, of another format, or nested deeper "
                     "than ",
                     max_depth, " subgraphs (", bytes.size(), " bytes)"));
  }
  OC_RETURN_IF_ERROR(CheckNesting(*model, NestingThatFits(max_depth)));
  return model;
}

absl::StatusOr<std::shared_ptr<onnx::ModelProto>> ReadMapped(
    const std::string& path, const MappedFile& file, int max_depth,
    std::vector<absl::string_view>* weights) {
  absl::StatusOr<std::shared_ptr<onnx::ModelProto>> model =
      IsModelText(path, file.bytes()) ? ReadModelText(file.bytes(), max_depth)
                                      : ReadModelProtobuf(file.bytes(), max_depth, weights);
  if (!model.ok()) return Annotate(model.status(), OneLine(path));
  return model;
}

}  // namespace

bool IsModelText(absl::string_view path, absl::string_view bytes) {
  return absl::EndsWith(path, ".onnxtxt") || absl::EndsWith(path, ".onnxtext") ||
         LooksLikeText(bytes);
}

absl::StatusOr<std::shared_ptr<onnx::ModelProto>> ReadModelText(absl::string_view text,
                                                                int max_depth) {
  // A graph in a node's attributes opens at most one brace, and around it stand the model's; a
  // shape in a type in a list of inputs has the deepest brackets otherwise.
  if (int depth = TextDepth(text); depth > max_depth + 8) {
    return absl::InvalidArgumentError(absl::StrCat("its brackets are nested ", depth,
                                                   " deep; at most ", max_depth, " are allowed"));
  }
  auto model = std::make_shared<onnx::ModelProto>();
  OC_RETURN_IF_ERROR(ParseOnnxText(std::string(text), model.get()));
  OC_RETURN_IF_ERROR(CheckNesting(*model, NestingThatFits(max_depth)));
  return model;
}

absl::StatusOr<std::shared_ptr<onnx::ModelProto>> ReadModelBytes(absl::string_view bytes,
                                                                 int max_depth) {
  return LooksLikeText(bytes) ? ReadModelText(bytes, max_depth)
                              : ReadModelProtobuf(bytes, max_depth);
}

absl::StatusOr<std::shared_ptr<onnx::ModelProto>> ReadModelFile(const std::string& path,
                                                                int max_depth) {
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  return ReadMapped(path, *file, max_depth, /*weights=*/nullptr);
}

absl::StatusOr<ModelInFile> ReadModelInPlace(std::shared_ptr<const MappedFile> file,
                                             int max_depth) {
  ModelInFile model;
  model.file = std::move(file);
  OC_ASSIGN_OR_RETURN(model.proto,
                      ReadMapped(model.file->path(), *model.file, max_depth, &model.weights));
  return model;
}

}  // namespace onnxcmp
