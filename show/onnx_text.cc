#include "show/onnx_text.h"

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/mapped_file.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/read_model.h"
#include "evaluator/protos/tensor_proto.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "onnx/onnx_pb.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "show/onnx_words.h"

namespace onnxcmp {
namespace {

constexpr int kMaxDepth = 64;

class OnnxTextWriter {
 public:
  OnnxTextWriter(const onnx::ModelProto& model, ExternalData* external,
                 const OnnxTextOptions& options)
      : model_(model), external_(external), options_(options) {}

  absl::StatusOr<OnnxText> Write() {
    NameFunctions();
    ModelHead();
    OC_RETURN_IF_ERROR(Graph(model_.graph(), "", /*is_attribute=*/false));
    text_ += "\n";
    for (const onnx::FunctionProto& function : model_.functions()) {
      OC_RETURN_IF_ERROR(Function(function));
    }
    if (model_.training_info_size() > 0) ++lost_["training information"];
    std::string comments;
    for (const auto& [what, count] : lost_) {
      absl::StrAppend(&comments, "# Not in this text: ", what,
                      count > 1 ? absl::StrCat(" (", count, " times)") : "", "\n");
    }
    for (const std::string& renamed : renamed_) absl::StrAppend(&comments, "# ", renamed, "\n");
    return OnnxText{comments + text_, std::move(data_)};
  }

 private:
  static std::string Call(absl::string_view domain, absl::string_view name,
                          absl::string_view overload) {
    return absl::StrCat(domain, "\n", name, "\n", overload);
  }

  // Functions whose names the syntax does not allow get others.
  void NameFunctions() {
    std::set<std::string> used;
    for (const onnx::FunctionProto& function : model_.functions()) used.insert(function.name());
    for (const onnx::FunctionProto& function : model_.functions()) {
      if (IsWord(function.name()) && (function.overload().empty() || IsWord(function.overload()))) {
        continue;
      }
      std::string name;
      for (const char c : absl::StrCat(function.name(), function.overload().empty() ? "" : "_",
                                       function.overload())) {
        name += absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_';
      }
      if (!IsWord(name)) name.insert(0, "f_");
      while (!used.insert(name).second) name += "_";
      renamed_.push_back(
          absl::StrCat("The function ", PrintableText(function.name()),
                       function.overload().empty() ? "" : ":" + PrintableText(function.overload()),
                       " is called ", name, " here."));
      functions_[Call(Domain(function.domain()), function.name(), function.overload())] = name;
    }
  }

  static std::string Domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

  template <typename Imports>
  static std::string ImportsText(const Imports& imports) {
    std::vector<std::string> parts;
    for (const onnx::OperatorSetIdProto& import : imports) {
      parts.push_back(absl::StrCat(QuotedText(import.domain()), " : ", import.version()));
    }
    return absl::StrCat("[", absl::StrJoin(parts, ", "), "]");
  }

  void ModelHead() {
    absl::StrAppend(&text_, "<\n   ir_version: ", model_.ir_version(),
                    ",\n   opset_import: ", ImportsText(model_.opset_import()));
    const auto add = [&](absl::string_view key, const std::string& value) {
      if (!value.empty()) absl::StrAppend(&text_, ",\n   ", key, ": ", QuotedText(value));
    };
    add("producer_name", model_.producer_name());
    add("producer_version", model_.producer_version());
    add("domain", model_.domain());
    if (model_.model_version() != 0) {
      absl::StrAppend(&text_, ",\n   model_version: ", model_.model_version());
    }
    add("doc_string", model_.doc_string());
    if (model_.metadata_props_size() > 0) {
      std::vector<std::string> entries;
      for (const onnx::StringStringEntryProto& entry : model_.metadata_props()) {
        entries.push_back(absl::StrCat(QuotedText(entry.key()), ": ", QuotedText(entry.value())));
      }
      absl::StrAppend(&text_, ",\n   metadata_props: [", absl::StrJoin(entries, ", "), "]");
    }
    text_ += "\n>\n";
  }

  absl::StatusOr<std::string> DimsText(const onnx::TensorShapeProto& shape) {
    if (shape.dim_size() == 0) return std::string();
    std::vector<std::string> dims;
    for (const auto& dim : shape.dim()) {
      dims.push_back(dim.has_dim_value()        ? absl::StrCat(dim.dim_value())
                     : !dim.dim_param().empty() ? QuotableName(dim.dim_param())
                                                : "?");
    }
    return absl::StrCat("[", absl::StrJoin(dims, ","), "]");
  }

  // "" if there is nothing to say.
  absl::StatusOr<std::string> TypeText(const onnx::TypeProto& type) {
    const auto tensor = [&](const auto& of) -> absl::StatusOr<std::string> {
      if (of.elem_type() <= 0 || of.elem_type() >= kNumDTypes) return std::string();
      const absl::string_view name = DTypeName(static_cast<DType>(of.elem_type()));
      if (!of.has_shape()) return absl::StrCat(name, "[]");
      OC_ASSIGN_OR_RETURN(const std::string dims, DimsText(of.shape()));
      return absl::StrCat(name, dims);
    };
    const auto around =
        [](absl::string_view what,
           const absl::StatusOr<std::string>& inner) -> absl::StatusOr<std::string> {
      if (!inner.ok() || inner->empty()) return inner;
      return absl::StrCat(what, "(", *inner, ")");
    };
    if (type.has_tensor_type()) return tensor(type.tensor_type());
    if (type.has_sparse_tensor_type()) {
      return around("sparse_tensor", tensor(type.sparse_tensor_type()));
    }
    if (type.has_sequence_type()) return around("seq", TypeText(type.sequence_type().elem_type()));
    if (type.has_optional_type()) {
      return around("optional", TypeText(type.optional_type().elem_type()));
    }
    if (type.has_map_type()) {
      OC_ASSIGN_OR_RETURN(const std::string value, TypeText(type.map_type().value_type()));
      if (value.empty()) return std::string();
      return absl::StrCat("map(", DTypeName(static_cast<DType>(type.map_type().key_type())), ", ",
                          value, ")");
    }
    return std::string();
  }

  absl::StatusOr<std::string> ValueInfo(const onnx::ValueInfoProto& info) {
    if (!info.doc_string().empty()) ++lost_["documentation"];
    if (info.metadata_props_size() > 0) ++lost_["metadata of values"];
    OC_ASSIGN_OR_RETURN(const std::string type, TypeText(info.type()));
    return absl::StrCat(type, type.empty() ? "" : " ", QuotableName(info.name()));
  }

  template <typename List>
  absl::StatusOr<std::string> ValueInfos(const List& list) {
    std::vector<std::string> parts;
    for (const onnx::ValueInfoProto& info : list) {
      OC_ASSIGN_OR_RETURN(parts.emplace_back(), ValueInfo(info));
    }
    return absl::StrJoin(parts, ", ");
  }

  // Type and elements: "float[2] W = {1.0,2.0}".
  absl::Status TensorText(const onnx::TensorProto& proto, const std::string& name,
                          const std::string& where) {
    auto read = TensorFromProto(proto, nullptr, external_);
    if (!read.ok()) return Annotate(read.status(), where);
    OC_ASSIGN_OR_RETURN(const Tensor tensor, read->InMemory(nullptr));
    if (!proto.doc_string().empty()) ++lost_["documentation"];
    text_.append(std::string(DTypeName(tensor.dtype())));
    if (tensor.rank() > 0) absl::StrAppend(&text_, "[", absl::StrJoin(tensor.shape(), ","), "]");
    if (!name.empty()) absl::StrAppend(&text_, " ", QuotableName(name), " =");
    if (InData(tensor)) {
      data_.resize((data_.size() + 63) / 64 * 64);
      absl::StrAppend(&text_, name.empty() ? " = " : " ",
                      "[\"location\": ", QuotedText(options_.data_name), ", \"offset\": \"",
                      data_.size(), "\", \"length\": \"", tensor.byte_size(), "\"]");
      data_.append(reinterpret_cast<const char*>(tensor.raw_data()),
                   static_cast<size_t>(tensor.byte_size()));
      return absl::OkStatus();
    }
    text_ += " {";
    const absl::Status status = AppendElements(tensor, &text_);
    if (!status.ok()) return Annotate(status, where);
    text_ += "}";
    return absl::OkStatus();
  }

  bool InData(const Tensor& tensor) const {
    if (options_.data_name.empty() || tensor.dtype() == DType::kString) return false;
    return tensor.byte_size() >= options_.least_data || !CanWriteElements(tensor);
  }

  absl::Status Graph(const onnx::GraphProto& graph, const std::string& indent, bool is_attribute) {
    if (graph.sparse_initializer_size() > 0) {
      return absl::UnimplementedError("ONNX's text syntax has no words for sparse constants");
    }
    if (!graph.doc_string().empty()) ++lost_["documentation"];
    if (graph.metadata_props_size() > 0) ++lost_["metadata of graphs"];
    if (graph.quantization_annotation_size() > 0) ++lost_["annotations of quantization"];
    // A graph that is an attribute's value needs a word.
    const bool word = IsPlainWord(graph.name());
    if (is_attribute && !word && !graph.name().empty()) ++lost_["names of subgraphs"];
    text_ += word                                   ? graph.name()
             : is_attribute || graph.name().empty() ? "g"
                                                    : QuotedText(graph.name());
    OC_ASSIGN_OR_RETURN(const std::string inputs, ValueInfos(graph.input()));
    OC_ASSIGN_OR_RETURN(const std::string outputs, ValueInfos(graph.output()));
    absl::StrAppend(&text_, " (", inputs, ") => (", outputs, ")");
    if (graph.initializer_size() > 0 || graph.value_info_size() > 0) {
      const char* separator = "";
      absl::StrAppend(&text_, "\n", indent, "<");
      for (const onnx::TensorProto& tensor : graph.initializer()) {
        text_ += separator;
        separator = ",\n";
        OC_RETURN_IF_ERROR(
            TensorText(tensor, tensor.name(), absl::StrCat("constant ", OneLine(tensor.name()))));
      }
      for (const onnx::ValueInfoProto& info : graph.value_info()) {
        OC_ASSIGN_OR_RETURN(const std::string text, ValueInfo(info));
        absl::StrAppend(&text_, separator, text);
        separator = ", ";
      }
      text_ += ">";
    }
    absl::StrAppend(&text_, "\n", indent, "{\n");
    for (const onnx::NodeProto& node : graph.node()) {
      OC_RETURN_IF_ERROR(Node(node, indent + "   "));
    }
    absl::StrAppend(&text_, indent, "}");
    return absl::OkStatus();
  }

  template <typename List>
  static std::string Names(const List& list) {
    std::vector<std::string> names;
    for (const std::string& name : list) names.push_back(QuotableName(name));
    return absl::StrJoin(names, ", ");
  }

  absl::Status Node(const onnx::NodeProto& node, const std::string& indent) {
    if (!node.doc_string().empty()) ++lost_["documentation"];
    if (node.metadata_props_size() > 0) ++lost_["metadata of nodes"];
    if (node.device_configurations_size() > 0) ++lost_["devices of nodes"];
    text_ += indent;
    if (!node.name().empty()) absl::StrAppend(&text_, "[", QuotableName(node.name()), "] ");
    const std::string domain = Domain(node.domain());
    std::string op = node.op_type();
    std::string overload = node.overload();
    const auto renamed = functions_.find(Call(domain, op, overload));
    if (renamed != functions_.end()) {
      op = renamed->second;
      overload.clear();
    }
    for (const absl::string_view part :
         absl::StrSplit(domain.empty() ? op : absl::StrCat(domain, ".", op), '.')) {
      if (IsWord(part) && (op.find('.') == std::string::npos)) continue;
      return absl::UnimplementedError(
          absl::StrCat("ONNX's text syntax has no words for the operator ",
                       OneLine(absl::StrCat(domain, domain.empty() ? "" : ".", op)), " of ",
                       DescribeNode(node, "")));
    }
    absl::StrAppend(&text_, Names(node.output()), " = ", domain, domain.empty() ? "" : ".", op,
                    overload.empty() ? "" : ":", overload);
    if (!overload.empty() && !IsWord(overload)) {
      return absl::UnimplementedError(absl::StrCat(
          "ONNX's text syntax has no words for the overload of ", DescribeNode(node, "")));
    }
    if (node.attribute_size() > 0) {
      text_ += " <";
      for (int i = 0; i < node.attribute_size(); ++i) {
        if (i > 0) text_ += ", ";
        const absl::Status status = AttributeOf(node.attribute(i), indent);
        if (!status.ok()) return Annotate(status, DescribeNode(node, ""));
      }
      text_ += ">";
    }
    absl::StrAppend(&text_, " (", Names(node.input()), ")\n");
    return absl::OkStatus();
  }

  absl::Status AttributeOf(const onnx::AttributeProto& attribute, const std::string& indent) {
    if (!attribute.doc_string().empty()) ++lost_["documentation"];
    if (!IsWord(attribute.name())) return NoWords(attribute, "its name");
    const auto begin = [&](absl::string_view type) {
      absl::StrAppend(&text_, attribute.name(), ": ", type, " = ");
    };
    if (!attribute.ref_attr_name().empty()) {
      begin(AttributeTypeName(attribute.type()));
      absl::StrAppend(&text_, "@", QuotableName(attribute.ref_attr_name()));
      return absl::OkStatus();
    }
    const auto list = [&](const auto& items, const auto& append) {
      begin(AttributeTypeName(attribute.type()));
      text_ += "[";
      for (int i = 0; i < items.size(); ++i) {
        if (i > 0) text_ += ", ";
        append(items.Get(i));
      }
      text_ += "]";
    };
    switch (attribute.type()) {
      case onnx::AttributeProto::INT:
        begin("int");
        absl::StrAppend(&text_, attribute.i());
        return absl::OkStatus();
      case onnx::AttributeProto::FLOAT:
        begin("float");
        AppendNumber(attribute.f(), &text_);
        return absl::OkStatus();
      case onnx::AttributeProto::STRING:
        begin("string");
        text_ += QuotedText(attribute.s());
        return absl::OkStatus();
      case onnx::AttributeProto::INTS:
        list(attribute.ints(), [&](int64_t number) { absl::StrAppend(&text_, number); });
        return absl::OkStatus();
      case onnx::AttributeProto::FLOATS:
        list(attribute.floats(), [&](float number) { AppendNumber(number, &text_); });
        return absl::OkStatus();
      case onnx::AttributeProto::STRINGS:
        list(attribute.strings(), [&](const std::string& text) { text_ += QuotedText(text); });
        return absl::OkStatus();
      case onnx::AttributeProto::TENSOR: {
        begin("tensor");
        // A name that is no word cannot stand there, and says nothing.
        const std::string& name = attribute.t().name();
        if (!name.empty()) ++lost_["names of tensors in attributes"];
        return TensorText(attribute.t(), "", absl::StrCat("attribute ", attribute.name()));
      }
      case onnx::AttributeProto::GRAPH:
        begin("graph");
        return Graph(attribute.g(), indent + "   ", /*is_attribute=*/true);
      case onnx::AttributeProto::TYPE_PROTO: {
        OC_ASSIGN_OR_RETURN(const std::string type, TypeText(attribute.tp()));
        if (type.empty()) return NoWords(attribute, "its type");
        begin("type_proto");
        text_ += type;
        return absl::OkStatus();
      }
      default:
        return NoWords(attribute, "its kind");
    }
  }

  static absl::Status NoWords(const onnx::AttributeProto& attribute, absl::string_view what) {
    return absl::UnimplementedError(absl::StrCat("ONNX's text syntax has no words for attribute ",
                                                 OneLine(attribute.name()), ": ", what));
  }

  static std::string AttributeTypeName(onnx::AttributeProto::AttributeType type) {
    return absl::AsciiStrToLower(onnx::AttributeProto::AttributeType_Name(type));
  }

  absl::Status Function(const onnx::FunctionProto& function) {
    std::string name = function.name();
    std::string overload = function.overload();
    const auto renamed = functions_.find(Call(Domain(function.domain()), name, overload));
    if (renamed != functions_.end()) {
      name = renamed->second;
      overload.clear();
    }
    if (function.metadata_props_size() > 0) ++lost_["metadata of functions"];
    absl::StrAppend(&text_, "<\n  domain: ", QuotedText(function.domain()),
                    ",\n  opset_import: ", ImportsText(function.opset_import()));
    if (!overload.empty()) absl::StrAppend(&text_, ",\n  overload: ", QuotedText(overload));
    if (!function.doc_string().empty()) {
      absl::StrAppend(&text_, ",\n  doc_string: ", QuotedText(function.doc_string()));
    }
    absl::StrAppend(&text_, "\n>\n", QuotableName(name));
    if (function.attribute_size() + function.attribute_proto_size() > 0) {
      const char* separator = " <";
      for (const std::string& attribute : function.attribute()) {
        absl::StrAppend(&text_, separator, QuotableName(attribute));
        separator = ", ";
      }
      for (const onnx::AttributeProto& attribute : function.attribute_proto()) {
        text_ += separator;
        separator = ", ";
        OC_RETURN_IF_ERROR(AttributeOf(attribute, ""));
      }
      text_ += ">";
    }
    absl::StrAppend(&text_, " (", Names(function.input()), ") => (", Names(function.output()), ")");
    if (function.value_info_size() > 0) {
      OC_ASSIGN_OR_RETURN(const std::string infos, ValueInfos(function.value_info()));
      absl::StrAppend(&text_, " <", infos, ">");
    }
    text_ += "\n{\n";
    for (const onnx::NodeProto& node : function.node()) OC_RETURN_IF_ERROR(Node(node, "   "));
    text_ += "}\n";
    return absl::OkStatus();
  }

  const onnx::ModelProto& model_;
  ExternalData* external_;
  const OnnxTextOptions& options_;
  std::string text_;
  std::string data_;
  absl::flat_hash_map<std::string, std::string> functions_;  // by domain, name and overload
  std::vector<std::string> renamed_;
  std::map<std::string, int64_t> lost_;
};

}  // namespace

absl::StatusOr<OnnxText> ModelToOnnxText(const std::string& path, const OnnxTextOptions& options) {
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const MappedFile> mapped, MappedFile::Open(path));
  OC_ASSIGN_OR_RETURN(ModelInFile file, ReadModelInPlace(std::move(mapped), kMaxDepth));
  ExternalData external = ExternalData::OfModel(path, options.follow_links);
  external.SetCut(std::move(file.file), std::move(file.weights));
  absl::StatusOr<OnnxText> text = OnnxTextWriter(*file.proto, &external, options).Write();
  if (!text.ok()) return Annotate(text.status(), OneLine(path));
  return text;
}

}  // namespace onnxcmp
